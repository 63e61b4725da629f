"""What happens at a check-in desk, as entries: events, people with their roles, inspections, and decisions on them."""

import msgspec


class EntryPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of an entry. What has its default is left out, so that a later field does not change earlier bodies."""


class File(EntryPart, frozen=True):
    """A file that is evidence; `role` is `record`, `pdf`, `photo`, `overlay`, `measured`, `look` (what a photo was
    found to show) or `house`."""

    role: str
    sha256: str
    size: int
    name: str = ""


class ExpectedItem(EntryPart, frozen=True):
    """What has to be inspected: so many of an item, or so many at most from each player."""

    item: str
    count: int = 0
    per_player: int = 0


class DayMark(EntryPart, frozen=True):
    """The mark that approved things carry on one day."""

    day: str
    mark: str


class EventSet(EntryPart, frozen=True, tag="event"):
    """An event was announced, or its settings were changed: the last entry of an event counts. Days are ISO 8601."""

    event: str
    name: str
    since: str
    until: str
    sheet: str
    rule: str
    by: str
    venue: str = ""
    language: str = "en"
    house: File | None = None
    expected: tuple[ExpectedItem, ...] = ()
    marks: tuple[DayMark, ...] = ()
    four_eyes: bool = False
    daily: bool = False
    customer: str = ""
    contact: str = ""
    environment: str = ""
    protest: str = ""
    """Stated on the certificates of the event, like the three before it; what is empty, the issuer may state."""


class AccountSet(EntryPart, frozen=True, tag="account"):
    """A person was given a role, in all events or in some; the last entry of a name counts."""

    name: str
    role: str
    by: str
    events: tuple[str, ...] = ()
    active: bool = True
    pin: str = ""
    """SHA-256 of the hashed PIN that goes with it: one that was put in its place in the database opens nothing."""
    once: bool = False
    """The PIN is a code that somebody else knows: its owner chooses one before doing anything."""


class DeskSet(EntryPart, frozen=True, tag="desk"):
    """The issuer vouches for a desk: what carries its key's signature was done at that desk. The last entry counts."""

    desk: str
    key: str
    by: str
    name: str = ""
    active: bool = True


class Recorded(EntryPart, frozen=True, tag="recorded"):
    """A tester has inspected a thing: what came of it is a verdict, and no decision yet."""

    ticket: str
    event: str
    item: str
    text: str
    owner: str
    verdict: str
    record: str
    by: str
    attempt: int = 1
    retest_of: str = ""
    evidence: tuple[File, ...] = ()
    correction: str = ""
    """Why the inspection `retest_of` is entered again under another player; what was measured is the same."""


class Decided(EntryPart, frozen=True, tag="decided"):
    """The referee has decided, or taken a decision back (`withdraw`). `record` is what a certificate is made from;
    `after` the match of a condition."""

    ticket: str
    event: str
    decision: str
    by: str
    because: str = ""
    override: bool = False
    after: str = ""
    record: str = ""
    evidence: tuple[File, ...] = ()
    maker: str = ""
    serial: str = ""
    received_on: str = ""
    remarks: tuple[str, ...] = ()
    """Stated of the piece on its certificate, like the three before it: `record` may state nothing else."""


class PlayersPiece(EntryPart, frozen=True):
    """A piece that a player brings: the item, and what tells it from others."""

    item: str
    text: str


class PlayerSet(EntryPart, frozen=True, tag="player"):
    """A player of an event was put on the roster, or corrected: the last entry of a player counts."""

    event: str
    player: str
    name: str
    by: str
    team: str = ""
    badge: str = ""
    pieces: tuple[PlayersPiece, ...] = ()
    active: bool = True
