"""The record of one inspection: everything a certificate says, as canonical JSON with a digest.

A record stands on its own: it holds the clauses as they were read and the readings as they came in, so that a
certificate can be remade from it when the sheet has long changed. Numbers are strings, so that no digit is lost.
"""

import hashlib
from typing import Final

import msgspec

from inspect_kit.errors import BadInput, Notice
from inspect_kit.stored_notices import notices_in
from inspect_kit.strict_json import misfit

FORMAT: Final = 1
"""Version of a record; another one is refused."""
MAX_BYTES: Final = 64_000_000
"""Bytes of a record that is read."""


class RecordPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a record; an unknown key is an error, so that nothing is ever lost unnoticed."""


def stated(text: str | msgspec.UnsetType) -> str:
    """A text that older records do not have."""
    return text if isinstance(text, str) else ""


class Overlaid(RecordPart, frozen=True):
    """A sheet that was laid over the federation's, and why."""

    id: str
    title: str
    because: str
    standing: str


class Unjudged(RecordPart, frozen=True):
    """A sentence of the text that the sheet has no clause for: it was left out, and why."""

    clause: str
    says: str
    because: str


class SheetRef(RecordPart, frozen=True):
    """Which rules the inspection was made by; `digest` is that of the sheet's file."""

    id: str
    title: str
    body: str
    publisher: str
    edition: str
    language: str
    standing: str
    disclaimer: str
    digest: str
    overlays: tuple[Overlaid, ...] = ()
    prevails: str | msgspec.UnsetType = msgspec.UNSET
    superseded: str | msgspec.UnsetType = msgspec.UNSET
    left_out: tuple[Unjudged, ...] | msgspec.UnsetType = msgspec.UNSET


class Recheck(RecordPart, frozen=True):
    """An occasion on which the rules want the item checked again."""

    clause: str
    when: str


class ItemRef(RecordPart, frozen=True):
    """What kind of thing was inspected."""

    id: str
    name: str
    check_again: tuple[Recheck, ...] = ()


class Subject(RecordPart, frozen=True):
    """Which thing was inspected, whose it is, for which event, by whom and where. Only the first is needed."""

    text: str
    owner: str = ""
    event: str = ""
    place: str = ""
    inspector: str = ""
    issuer: str = ""
    issuer_address: str = ""
    condition: str = ""


class About(RecordPart, frozen=True, omit_defaults=True):
    """What else a certificate may state (ISO/IEC 17020 7.4, 17025 7.8); pictures by the digests of their files."""

    customer: str = ""
    contact: str = ""
    received_on: str = ""
    environment: str = ""
    function: str = ""
    traceability: str = ""
    maker: str = ""
    serial: str = ""
    protest: str = ""
    remarks: tuple[str, ...] = ()
    picture: str = ""
    logo: str = ""


class CheckPoint(RecordPart, frozen=True):
    """One point of an instrument's daily check: what it should have shown, what it did, how far off it may be."""

    nominal: str
    shown: str
    permitted: str


class DailyCheck(RecordPart, frozen=True):
    """The check of an instrument that its readings stand on."""

    instrument: str
    time: str
    by: str
    passed: bool
    points: tuple[CheckPoint, ...]


class BudgetSource(RecordPart, frozen=True):
    """One component of an uncertainty budget, in the line's unit."""

    source: str
    u: str
    dof: str | None = None


class Line(RecordPart, frozen=True):
    """One clause for one instance: requirement, evidence and verdict. Numbers are in `unit`, the base unit."""

    clause: str
    characteristic: str
    kind: str
    force: str
    verdict: str
    reason: str
    instance: str = ""
    name: str = ""
    printed: str = ""
    printed_unit: str = ""
    requires: str = ""
    how: str = ""
    note: str = ""
    because: str = ""
    sheet: str = ""
    binding: bool = True
    suspect: bool = False
    unit: str = ""
    nominal: str | None = None
    lower: str | None = None
    upper: str | None = None
    value: str | None = None
    u: str | None = None
    dof: str | None = None
    word: str | None = None
    probability: float | None = None
    missing: int = 0
    formula: str = ""
    instruments: tuple[str, ...] = ()
    budget: tuple[BudgetSource, ...] = ()
    photographed: bool | msgspec.UnsetType = msgspec.UNSET
    """It was measured or seen in a photograph, not by the procedure that the sheet names in `how`."""
    decision: str | msgspec.UnsetType = msgspec.UNSET
    """`accept` or `reject`: what a person decided where the text gives no tolerance."""
    decided_by: str | msgspec.UnsetType = msgspec.UNSET
    decided_because: str | msgspec.UnsetType = msgspec.UNSET
    confirmed: bool | msgspec.UnsetType = msgspec.UNSET
    """The value lies outside what is usual, and somebody looked again and confirmed it."""
    read_by: str | msgspec.UnsetType = msgspec.UNSET
    """How the value came in: `instrument` (sent by it), `typed`, `photo`, `observed` by a person, or `derived`."""
    condition: str | msgspec.UnsetType = msgspec.UNSET
    """The characteristic on whose answer it hangs whether the clause applies."""


class RawReading(RecordPart, frozen=True):
    """A reading as it came in; `raw`, `time` and `serial` are what an instrument sent, when, and which one it was."""

    characteristic: str
    value: str
    instance: str = ""
    unit: str = ""
    u: str = ""
    instrument: str = ""
    where: str = ""
    raw: str = ""
    time: str = ""
    serial: str = ""
    confidence: str | msgspec.UnsetType = msgspec.UNSET
    decision: str | msgspec.UnsetType = msgspec.UNSET
    by: str | msgspec.UnsetType = msgspec.UNSET
    because: str | msgspec.UnsetType = msgspec.UNSET
    confirmed: bool | msgspec.UnsetType = msgspec.UNSET
    note: str | msgspec.UnsetType = msgspec.UNSET


class Gauge(RecordPart, frozen=True):
    """An instrument that was used, and the state of its calibration on the day."""

    id: str
    name: str
    kind: str
    resolution: str
    maker: str = ""
    serial: str = ""
    calibrated_until: str | None = None
    calibration: str = ""
    expired: bool = False


class PhotoRef(RecordPart, frozen=True):
    """A photograph that is evidence, known by its digest."""

    file: str
    sha256: str
    width: int = 0
    height: int = 0


class Record(RecordPart, frozen=True):
    """One inspection, from the sheet to the verdict."""

    sheet: SheetRef
    item: ItemRef
    subject: Subject
    inspected_on: str
    rule: str
    verdict: str
    lines: tuple[Line, ...]
    readings: tuple[RawReading, ...] = ()
    instruments: tuple[Gauge, ...] = ()
    photos: tuple[PhotoRef, ...] = ()
    warnings: tuple[str, ...] = ()
    """Sentences in English."""
    notices: tuple[dict[str, object], ...] | msgspec.UnsetType = msgspec.UNSET
    """Those of them that can be said in other languages too: code and facts."""
    wording: dict[str, dict[str, str]] = {}
    coverage_factor: str = "2"
    software: str = ""
    lot: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    about: About | msgspec.UnsetType = msgspec.UNSET
    checks: tuple[DailyCheck, ...] | msgspec.UnsetType = msgspec.UNSET
    format: int = FORMAT

    @property
    def told(self) -> tuple[Notice, ...]:
        """What was noticed, to be said in any language; a record from before there were notices has its sentences."""
        return () if self.notices is msgspec.UNSET else notices_in(self.notices, "record: notices")

    def canonical(self) -> bytes:
        """UTF-8 JSON with sorted keys and no white space: the same record is the same bytes."""
        return msgspec.json.encode(self, order="sorted")

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form."""
        return digest_of(self.canonical())


def about_of(record: Record) -> About:
    """What else is stated; nothing in older records."""
    return record.about if isinstance(record.about, About) else About()


def left_out_of(sheet: SheetRef) -> tuple[Unjudged, ...]:
    """What the sheet leaves out; older records do not say."""
    return sheet.left_out if isinstance(sheet.left_out, tuple) else ()


def checks_of(record: Record) -> tuple[DailyCheck, ...]:
    """The daily checks; none in older records."""
    return record.checks if isinstance(record.checks, tuple) else ()


def digest_of(content: bytes) -> str:
    """What a record is known by, where its canonical form is at hand."""
    return hashlib.sha256(content).hexdigest()


def open_record(content: bytes, *, where: str = "record") -> Record:
    """A record of any format there has been; what does not fit is an error with its place."""
    if len(content) > MAX_BYTES:
        raise BadInput("record-too-large", where=where, max_bytes=MAX_BYTES // 1_000_000)
    try:
        stated = _STATED.decode(content).format
        if stated != FORMAT:
            raise BadInput("other-format", where=where, stated=stated, format=FORMAT)
        return _RECORDS.decode(content)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as problem:
        raise BadInput("not-record", where=where, place=misfit(problem)) from None


class _Stated(msgspec.Struct):
    format: int


_STATED: Final = msgspec.json.Decoder(_Stated)
_RECORDS: Final = msgspec.json.Decoder(Record)
