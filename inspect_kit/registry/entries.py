"""What an entry can say: a certificate was issued, one was revoked, a subject was described."""

import hashlib
import unicodedata
from typing import Final, TypeVar, get_args

import msgspec

from inspect_kit.errors import BrokenSeal
from inspect_kit.registry.checkin.entries import (
    AccountSet,
    Decided,
    DeskSet,
    EntryPart,
    EventSet,
    File,
    PlayerSet,
    Recorded,
)
from inspect_kit.strict_json import misfit


class Thing(EntryPart, frozen=True):
    """What was inspected: the same item, text and owner are the same thing."""

    item: str
    text: str
    owner: str = ""

    @property
    def key(self) -> str:
        """What it is known by."""
        return hashlib.sha256(msgspec.json.encode(["subject", self.item, self.text, self.owner])).hexdigest()


class RegisteredGauge(EntryPart, frozen=True):
    """An instrument with the state of its calibration."""

    id: str
    name: str
    kind: str
    maker: str = ""
    serial: str = ""
    calibrated_until: str = ""

    @property
    def key(self) -> str:
        """What it is known by: all of it, so that a new calibration is a new row."""
        return hashlib.sha256(msgspec.json.encode(["instrument", *msgspec.structs.astuple(self)])).hexdigest()


class InspectionSummary(EntryPart, frozen=True):
    """What was inspected, by which rules, with which result."""

    subject: Thing
    sheet: str
    edition: str
    verdict: str
    rule: str
    inspected_on: str
    record: str
    inspector: str = ""
    event: str = ""
    instruments: tuple[RegisteredGauge, ...] = ()


class Certified(EntryPart, frozen=True, tag="certificate"):
    """A certificate or report was issued. Days are ISO 8601; empty means without end."""

    number: str
    inspection: InspectionSummary
    pdf: str
    qr: str
    issued_on: str
    valid_until: str = ""
    valid_for: str = ""
    replaces: tuple[str, ...] = ()
    because: str = ""
    evidence: tuple[File, ...] = ()


class Inspected(EntryPart, frozen=True, tag="inspection"):
    """A thing was inspected, and nothing issued: one photo of a batch."""

    inspection: InspectionSummary
    evidence: tuple[File, ...] = ()


class Revoked(EntryPart, frozen=True, tag="revocation"):
    """A certificate was withdrawn."""

    number: str
    because: str
    by: str = ""


class Described(EntryPart, frozen=True, tag="subject"):
    """More was said of a thing: who made it, its serial number, what it looks like."""

    subject: Thing
    maker: str = ""
    serial: str = ""
    photo: File | None = None


class Series(EntryPart, frozen=True):
    """From which number on an issuer goes on in a year."""

    issuer: str
    year: int
    kind: str
    first: int


class AcceptedOlder(EntryPart, frozen=True, tag="accepted"):
    """An older state was gone on from knowingly: the entries behind it up to `until` are lost, their numbers unused."""

    until: int
    hash: str
    because: str
    by: str
    series: tuple[Series, ...] = ()


_OfCertificates = Certified | Inspected | Revoked | Described | AcceptedOlder
Body = _OfCertificates | EventSet | AccountSet | Recorded | Decided | DeskSet | PlayerSet
_Read = TypeVar("_Read")
_BODIES: Final[msgspec.json.Decoder[Body]] = msgspec.json.Decoder(Body)
KINDS: Final[dict[type[Body], str]] = {body: str(body.__struct_config__.tag) for body in get_args(Body)}
"""What each body is called in the chain."""


class _Names(msgspec.Struct, frozen=True):
    """What an entry is about, whatever else it says: a later program may write more fields than this one knows."""

    number: str = ""
    ticket: str = ""
    name: str = ""
    event: str = ""
    replaces: tuple[str, ...] = ()


_NAMES: Final[msgspec.json.Decoder[_Names]] = msgspec.json.Decoder(_Names)
_ABOUT: Final[dict[str, tuple[type[Body], str]]] = {
    "certificate": (Certified, "number"),
    "revocation": (Certified, "number"),
    "account": (AccountSet, "name"),
    "event": (EventSet, "event"),
    "decided": (Decided, "ticket"),
}
"""Kinds that are looked for by a name: whose history they belong to, and the field with the name."""


class Entry(msgspec.Struct, frozen=True):
    """A link of the chain. `body` is the canonical text that was hashed."""

    id: int
    at: str
    kind: str
    body: str
    previous: str
    hash: str
    signer: str = ""
    signature: str = ""

    def right_hash(self) -> str:
        """The hash that the entry must have, over all before it but the signature."""
        chained = msgspec.json.encode(["inspect-kit entry 1", self.id, self.at, self.kind, self.previous, self.body])
        return hashlib.sha256(chained).hexdigest()

    def leaf(self) -> bytes:
        """What stands in the log's tree: all of it, the signature too."""
        said = [self.id, self.at, self.kind, self.previous, self.body, self.signer, self.signature]
        return msgspec.json.encode(["inspect-kit leaf 1", *said])

    def said(self) -> Body:
        """What the entry says."""
        return self._read(_BODIES)

    def about(self) -> tuple[tuple[type[Body], str], ...]:
        """Whose history the entry belongs to: of certificates, accounts, events or decisions, each by its name."""
        if self.kind not in _ABOUT:
            return ()
        history, field = _ABOUT[self.kind]
        names = self._read(_NAMES)
        return tuple((history, name) for name in (getattr(names, field), *names.replaces))

    def _read(self, reader: msgspec.json.Decoder[_Read]) -> _Read:
        try:
            return reader.decode(self.body)
        except msgspec.MsgspecError as problem:
            raise BrokenSeal("says-nothing-can-read", where=f"entry {self.id}", place=misfit(problem)) from None


def entry_from_leaf(content: bytes) -> Entry:
    """The entry that stands in a log's leaf; what is none is a broken seal."""
    try:
        title, number, at, kind, previous, body, signer, signature = msgspec.json.decode(
            content, type=tuple[str, int, str, str, str, str, str, str]
        )
    except msgspec.MsgspecError:
        raise BrokenSeal("holds-no-entry-registry") from None
    bare = Entry(number, at, kind, body, previous, "", signer, signature)
    if title != "inspect-kit leaf 1" or bare.leaf() != content:
        raise BrokenSeal("holds-no-entry-registry")
    return msgspec.structs.replace(bare, hash=bare.right_hash())


FIRST: Final = "0" * 64
"""What the first entry is chained to."""


def canonical(body: Body) -> str:
    """The body as text: sorted keys, no white space."""
    return msgspec.json.encode(body, order="sorted").decode()


def files_of(body: Body) -> tuple[File, ...]:
    """The evidence that a body names."""
    if isinstance(body, Certified | Inspected | Recorded | Decided):
        return body.evidence
    if isinstance(body, EventSet):
        return (body.house,) if body.house else ()
    return (body.photo,) if isinstance(body, Described) and body.photo else ()


def folded(text: str) -> str:
    """A text as it is searched for: small letters without accents."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(character for character in plain if not unicodedata.combining(character)).casefold()
