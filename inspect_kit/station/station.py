"""The station itself: the desk's home, its registry and keys, the clock, and what it remembers while it runs."""

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

from inspect_kit.atomic_write import written_beside
from inspect_kit.bounded_process import BoundedProcess
from inspect_kit.capture.connections import Connection, read_connections
from inspect_kit.capture.driver import Watch
from inspect_kit.capture.gauges.own import read_gauge
from inspect_kit.capture.instruments import Instrument, instrument_ids, load_instruments
from inspect_kit.capture.protocols.reply import InstrumentKind
from inspect_kit.capture.protocols.table import PROTOCOLS
from inspect_kit.capture.readings import InstrumentReading
from inspect_kit.certificate.content.model import Issue
from inspect_kit.certificate.issue.issue import AlreadyIssued, Desk, Drawing, load_slow_parts
from inspect_kit.certificate.issue.keyring import Keyring
from inspect_kit.certificate.issue.keys import SigningKey
from inspect_kit.certificate.issue.seals import Seals, TimeAuthorities, desk_key, own_desk, seals_in, vouch
from inspect_kit.certificate.issue.verify import TrustContext
from inspect_kit.certificate.pages.render import make_certificate
from inspect_kit.checkin.certify import certify_decided, revoke_withdrawn, sheet_of
from inspect_kit.clock import now
from inspect_kit.errors import BadInput, InspectKitError, UsageError, system_errors_as
from inspect_kit.inspection.record import Record
from inspect_kit.registry.chain import Seal, no_seal
from inspect_kit.registry.checkin.accounts import RightPins
from inspect_kit.registry.checkin.entries import DeskSet, EventSet, PlayerSet
from inspect_kit.registry.checkin.roster import newest_player, roster
from inspect_kit.registry.checkin.store import DeskInspection, event_of, newest_settings, ticket_from, unissued
from inspect_kit.registry.opening import Registry, Transaction
from inspect_kit.registry.write_queue import queued
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.station.web.limits import PinThrottle, TokenBucket

SESSION_HOURS: Final = 14
"""Hours after which a person must sign in again."""
_MOST_SHEETS: Final = 40
"""Sheets that are kept ready; then the memory begins anew."""
_BETWEEN: Final = 0.4
"""Seconds between looks at an empty pan."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How often clients may ask, and how often a PIN may be wrong."""

    requests: TokenBucket
    sign_ins: TokenBucket
    doors: PinThrottle


def usual_limits(seconds: Callable[[], float] = time.monotonic) -> Limits:
    """Far above what people at a desk do, far below what guessing needs."""
    return Limits(TokenBucket(40, 400, seconds), TokenBucket(0.5, 20, seconds), PinThrottle(seconds))


@dataclass(frozen=True, slots=True)
class Station:
    """One running station. Without keys it records and decides, and certificates wait until there are some."""

    home: Path
    registry: Registry
    key: SigningKey | None = None
    keyrings: tuple[Keyring, ...] = ()
    believed: TimeAuthorities = field(default_factory=TimeAuthorities)
    """Witnesses and timestamp servers whose word counts here."""
    loopback: bool = True
    secure: bool = False
    now: Callable[[], datetime] = now
    random: Callable[[int], int] = secrets.randbelow
    limits: Limits = field(default_factory=usual_limits)
    right_pins: RightPins = field(default_factory=RightPins, repr=False)
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    seal: Seal = no_seal
    """This desk's signature under what is done here."""
    _events: dict[str, tuple[int, EventSet]] = field(default_factory=dict, repr=False)
    _rosters: dict[str, tuple[int, tuple[PlayerSet, ...]]] = field(default_factory=dict, repr=False)
    _sheets: dict[tuple[str, str], Sheet] = field(default_factory=dict, repr=False)
    _instruments: dict[str, Lock] = field(default_factory=dict, repr=False)

    @property
    def today(self) -> date:
        """The local day."""
        return self.now().astimezone().date()

    @property
    def gauge_folders(self) -> tuple[Path, ...]:
        """Where the desk's own instrument sheets are."""
        return (self.home / "instruments",)

    def ticket(self) -> str:
        """A new name for an inspection or event."""
        return ticket_from(self.random(2**70))

    def desk(self) -> Desk:
        """The desk that certificates are issued from."""
        if self.key is None:
            raise UsageError("no-keys-at-station")
        return Desk(self.home, self.registry, self.key, self.now(), make_certificate)

    @property
    def trust(self) -> TrustContext:
        """Who verifies here: the same as `verify` does in this home."""
        own = self.key.issuer.code if self.key else ""
        return TrustContext(self.keyrings, own, self.registry, self.today, self.believed)

    def seals(self, connection: Transaction) -> Seals:
        """Whose acts are believed here: of desks that an issuer vouches for; where there is none, of this desk."""
        seals = seals_in(connection, self.keyrings)
        if not self.keyrings:
            own = desk_key(self.home)
            seals.desks[own.id] = (DeskSet(own.id, own.public, ""), 0)
        return seals

    def event(self, name: str) -> EventSet | None:
        """An event as it is set now; read again only after its settings were changed, for entries never change."""
        return self.registry.ask(self.event_in, name)

    def event_in(self, connection: Transaction, name: str) -> EventSet | None:
        """The same, for one who is reading already."""
        newest = newest_settings(connection, name)
        known = self._events.get(name)
        if known is None or known[0] != newest:
            found = event_of(connection, name)
            if found is None:
                return None
            known = self._events[name] = (newest, found)
        return known[1]

    def roster(self, event: str) -> tuple[PlayerSet, ...]:
        """The players of an event; read again only after somebody was entered."""
        with self.registry.reading() as connection:
            newest = newest_player(connection)
            known = self._rosters.get(event)
            if known is None or known[0] != newest:
                known = self._rosters[event] = (newest, roster(connection, event))
        return known[1]

    def sheet(self, event: EventSet) -> Sheet:
        """The edition in force at an event; read once."""
        house = event.house.sha256 if event.house else ""
        found = self._sheets.get((event.sheet, house))
        if found is None:
            take = self.registry.shelf.take
            found = sheet_of(event, self.registry.ask(take, event.house.sha256) if event.house else None)
            if len(self._sheets) >= _MOST_SHEETS:
                self._sheets.clear()
            self._sheets[event.sheet, house] = found
        return found

    def connected(self, unit: str, wanted: str = "") -> tuple[str, Connection] | None:
        """The gauge for this unit that was asked for; without a choice, the only one there is."""
        there = self.readable().get(unit, {})
        if wanted in there:
            return wanted, there[wanted]
        own = wanted in instrument_ids(self.gauge_folders)
        # Another desk's scale is never read in place of the one that this browser is beside.
        return next(iter(there.items())) if len(there) == 1 and not own else None

    def readable(self) -> dict[str, dict[str, Connection]]:
        """By unit the gauges that can be read, at this computer or at the one that shows the page."""
        found: dict[str, dict[str, Connection]] = {}
        for name, connection in read_connections(self.home).items():
            unit = _UNIT_OF[PROTOCOLS[connection.protocol].kind]
            found.setdefault(unit, {})[name] = connection
        return found

    def gauge(self, name: str) -> Instrument:
        """The sheet of a gauge that a page offers, one's own or a shipped kind."""
        return load_instruments([name], self.gauge_folders)[name]

    def read(
        self, unit: str, wanted: str = "", watch: Watch = lambda _: None, seconds: float = 10.0
    ) -> tuple[str, InstrumentReading]:
        """The gauge's name and one stable reading; one request at a time talks to each, and `watch` sees it settle."""
        found = self.connected(unit, wanted)
        if found is None:
            if self.readable().get(unit):
                raise UsageError("choose-connected-gauge")
            raise UsageError("no-scale-connected" if unit == "g" else "no-caliper-connected")
        name, connection = found
        lock = self._instruments.setdefault(name, Lock())
        if not lock.acquire(timeout=seconds):
            raise BadInput("another-desk-reading-scale")
        try:
            return name, _loaded(self.gauge(name), connection, watch, time.monotonic() + seconds)
        finally:
            lock.release()


_UNIT_OF: Final = {InstrumentKind.SCALE: "g", InstrumentKind.CALIPER: "mm"}
"""The base unit of what an instrument measures."""


def _loaded(gauge: Instrument, connection: Connection, watch: Watch, deadline: float) -> InstrumentReading:
    """A stable reading of something: an empty pan stands still too, and its zero would pass for a very light piece."""
    while True:
        reading = read_gauge(gauge, connection, max(deadline - time.monotonic(), 1.0), watch)
        if Decimal(reading.value) > 0:
            return reading
        if time.monotonic() + _BETWEEN >= deadline:
            raise BadInput("nothing-lies-scale-shows", reading=reading.value, unit=reading.unit)
        time.sleep(_BETWEEN)


def open_station(station: Station) -> Station:
    """The station with a queue for writers and a secret that outlives a restart, so that open forms stay good."""
    if station.key is not None:
        vouch(station.registry, own_desk(station.home, station.key), station.key, station.now())
    secret = _secret(station.home / "station" / "secret")
    return replace(station, registry=queued(station.registry), secret=secret, seal=desk_key(station.home).seal)


def _secret(path: Path) -> bytes:
    """Thirty-two bytes that only this desk's owner can read."""
    with system_errors_as("not-written", path.parent):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.is_file():
            written_beside(path, secrets.token_bytes(32)).replace(path)
            path.chmod(0o600)
        return path.read_bytes()


# Makes certificates in the background: a decision is answered at once, its PDF follows.


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

    process: BoundedProcess = field(default_factory=lambda: BoundedProcess(_MEMORY))

    def __call__(self, record: Record, *, language: str, photos: Mapping[str, bytes], issue: Issue) -> bytes:
        """The pages."""
        draw = partial(make_certificate, record, language=language, photos=dict(photos), issue=issue)
        return self.process.do(_LONGEST, draw)
