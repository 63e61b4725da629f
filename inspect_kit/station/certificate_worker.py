"""Makes certificates in the background: a decision is answered at once, its PDF follows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Event, Thread
from typing import Final

from inspect_kit.bounded_process import BoundedProcess
from inspect_kit.certificate.content.model import Issue
from inspect_kit.certificate.issue.issue import AlreadyIssued, Drawing, load_slow_parts
from inspect_kit.certificate.pages.render import make_certificate
from inspect_kit.checkin.certify import certify_decided, revoke_withdrawn
from inspect_kit.errors import InspectKitError
from inspect_kit.inspection.record import Record
from inspect_kit.registry.checkin.store import DeskInspection, unissued
from inspect_kit.station.station import Station

_PAUSE: Final = 20.0
"""Seconds after which what could not be made is tried again."""

_STEP: Final = 0.05
"""Seconds between two looks whether a desk is busy."""
_TURNS: Final = 60
"""Looks after which a certificate is made although desks are busy: three seconds."""
_QUIET: Final = 2
"""Looks in a row at which no desk was busy before a certificate is made."""
_LONGEST: Final = 120.0
"""Seconds that drawing one certificate may take."""
_MEMORY: Final = 2_000_000_000
"""Bytes for drawing one certificate."""

_LOG = logging.getLogger("inspect_kit.station")


@dataclass(slots=True)
class CertificateWorker:
    """One thread that issues what was approved, the oldest first; after a restart it goes on where it was."""

    station: Station
    draw: Drawing = make_certificate
    busy: Callable[[], bool] = lambda: False
    """Whether a page is being worked on just now."""
    troubles: dict[str, InspectKitError] = field(default_factory=dict)
    _wake: Event = field(default_factory=Event)
    _over: Event = field(default_factory=Event)
    _thread: Thread | None = None

    def start(self) -> None:
        """Begin; without keys there is nothing to do."""
        if self.station.key is not None:
            self._thread = Thread(target=self._run, name="certificates", daemon=True)
            self._thread.start()
            self._wake.set()

    def wake(self) -> None:
        """There is something to make."""
        self._wake.set()

    def stop(self) -> None:
        """Finish the certificate in hand, and end."""
        self._over.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout=30)

    def _run(self) -> None:
        load_slow_parts()
        while not self._over.is_set():
            self._wake.wait(_PAUSE)
            self._wake.clear()
            try:
                self.make_all()
            except Exception as problem:
                _LOG.warning("certificates wait: %s", type(problem).__name__)

    def make_all(self) -> int:
        """Everything that is approved and has no certificate; gives how many were made."""
        made = 0
        for seen in self.station.registry.ask(unissued):
            if self._over.is_set():
                break
            made += self._make(seen)
        if self.station.key is not None:
            revoke_withdrawn(self.station.desk())
        return made

    def _let_desks_go_first(self) -> None:
        """A desk with a person before it has the right of way, but not for ever."""
        quiet = 0
        for _ in range(_TURNS):
            quiet = 0 if self.busy() else quiet + 1
            if quiet >= _QUIET or self._over.wait(_STEP):
                return

    def _make(self, seen: DeskInspection) -> int:
        self._let_desks_go_first()
        try:
            certify_decided(replace(self.station.desk(), draw=self.draw), seen)
        except AlreadyIssued:
            return 0
        except InspectKitError as problem:
            self.troubles[seen.ticket] = problem
            return 0
        self.troubles.pop(seen.ticket, None)
        return 1


@dataclass(frozen=True, slots=True)
class DrawnInProcess:
    """Draws in a helper program, so that desks are not slowed down by it."""

    workshop: BoundedProcess = field(default_factory=lambda: BoundedProcess(_MEMORY))

    def __call__(self, record: Record, *, language: str, photos: Mapping[str, bytes], issue: Issue) -> bytes:
        """The pages."""
        return self.workshop.do(_LONGEST, _drawn, record, language, dict(photos), issue)


def _drawn(record: Record, language: str, photos: Mapping[str, bytes], issue: Issue) -> bytes:
    return make_certificate(record, language=language, photos=photos, issue=issue)
