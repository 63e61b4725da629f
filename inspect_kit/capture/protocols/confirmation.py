"""When a value counts: once it came twice alike, so that one damaged line never does; and never gross for net."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from inspect_kit.capture.protocols.reply import Load, Reply, Status

_PASSING: Final = frozenset({Status.UNKNOWN, Status.OTHER, Status.ACCEPTED, Status.ERROR})
"""What may stand between two equal values: text of a ticket, an echo, a garbled line."""


@dataclass(frozen=True, slots=True)
class ReceivedReply:
    """A reply and the line it came in."""

    reply: Reply
    raw: str


class Confirmation:
    """Watches the replies and says which value counts.

    A gross weight counts only where nothing else comes between: on a ticket it stands beside the tare, and what was
    asked for is the net weight.
    """

    def __init__(self) -> None:
        self._candidate: ReceivedReply | None = None
        self._ticket = False
        self.moved = False
        """Whether two stable values differed: it is not still, or one of them is damaged."""

    def hear(self, heard: ReceivedReply) -> ReceivedReply | None:
        """The value, if this line confirms it."""
        reply = heard.reply
        self._ticket = self._ticket or reply.load in (Load.TARE, Load.NET)
        if self._ticket and reply.load is Load.GROSS:
            return None
        if reply.status is Status.STABLE:
            return self._compared(heard)
        candidate = self._candidate
        if candidate and (reply.status not in _PASSING or candidate.reply.load is Load.GROSS):
            self._candidate = None
        return None

    def _compared(self, heard: ReceivedReply) -> ReceivedReply | None:
        previous, self._candidate = self._candidate, heard
        if previous is None:
            return None
        alike = previous == heard
        self.moved = self.moved or not alike
        return heard if alike else None

    @property
    def last(self) -> str:
        """The line of the latest value."""
        return self._candidate.raw if self._candidate else ""

    @property
    def only_value(self) -> ReceivedReply | None:
        """The one value that came, if no other did and nothing may be missing: for what is sent at a key's press."""
        return self._candidate if not self.moved else None

    def forget(self) -> None:
        """Begin anew, as after unplugging."""
        self._candidate = None
