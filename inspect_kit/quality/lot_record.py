"""The record of a lot: an inspection's record with the plan, every value of every piece, and what follows from them."""

from __future__ import annotations

import msgspec

from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import MAX_BYTES, Record


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a lot's record; an unknown key is an error."""


class PlanPart(_Part, frozen=True):
    """How the lot was to be decided; numbers that a kind of plan does not have are null."""

    kind: str
    sample: int
    aql: str | None = None
    level: str = ""
    severity: str = ""
    code: str = ""
    accept: int | None = None
    reject: int | None = None
    standard: str = ""
    k: float | None = None
    m_percent: float | None = None
    sigma: float | None = None


class Decided(_Part, frozen=True):
    """What a sample by variables says of one characteristic."""

    percent: float
    accepted: bool
    index_lower: float | None = None
    index_upper: float | None = None


class Series(_Part, frozen=True):
    """One characteristic: its requirement, and the pieces' values in order of making. Numbers are in `unit`.

    `values` is null where a piece was not measured; `u` has one entry for all pieces, or one a piece.
    """

    characteristic: str
    clause: str
    name: str
    printed: str
    unit: str
    nominal: str | None
    lower: str | None
    upper: str | None
    values: tuple[str | None, ...]
    u: tuple[str | None, ...]
    conform: int
    fail: int
    undecided: int
    decided: Decided | None = None
    instruments: tuple[str, ...] = ()


class Nonconforming(_Part, frozen=True):
    """A piece that fails a characteristic, or of which it could not be decided."""

    piece: str
    characteristic: str
    verdict: str
    reason: str
    value: str | None = None
    u: str | None = None
    probability: float | None = None


class Lot(_Part, frozen=True):
    """All that is particular to a lot."""

    size: int
    pieces: tuple[str, ...]
    plan: PlanPart
    failed: int
    undecided: int
    series: tuple[Series, ...]
    nonconforming: tuple[Nonconforming, ...] = ()
    subgroup: str = ""
    groups: tuple[str, ...] = ()
    rules: str = "nelson"


class LotRecord(Record, frozen=True, kw_only=True):
    """A record whose `lines` are empty and whose `lot` says everything."""

    lot: Lot  # type: ignore[assignment,unused-ignore]


def open_lot_record(content: bytes, *, where: str = "record") -> LotRecord:
    """The record of a lot, as it was attached to its certificate."""
    if len(content) > MAX_BYTES:
        raise BadInput(f"is larger than {MAX_BYTES // 1_000_000} MB", where=where)
    try:
        return msgspec.json.decode(content, type=LotRecord)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as problem:
        raise BadInput(f"is not the record of a lot: {str(problem)[:120]}", where=where) from None
