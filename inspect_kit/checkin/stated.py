"""What a certificate states besides its findings: by the issuer always, for an event, at the decision on a piece."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Final, TypedDict

from msgspec import structs

from inspect_kit.errors import BadInput
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import About, Record, about_of
from inspect_kit.registry.checkin.entries import Decided, EventSet
from inspect_kit.tomlfile import read_toml

FOR_EVENT: Final = ("customer", "contact", "environment", "protest")
"""What is the same for all pieces of an event, by the names of `About`."""

_ON_ALL: Final = (*FOR_EVENT, "function", "traceability")

_LONGEST_REMARK: Final = 4000
"""Characters of a remark, as `certify --remark` takes them."""

_MOST_REMARKS: Final = 12
"""Remarks on one piece at a desk: so many of the longest fit into what a form may send."""


class StatedOfPiece(TypedDict):
    """What is stated of one piece, as the decision on it keeps it."""

    maker: str
    serial: str
    received_on: str
    remarks: tuple[str, ...]


def issuer_states(home: Path | None) -> About:
    """What the issuer states on every certificate: the texts of its `about.toml`."""
    path = home / "about.toml" if home else None
    told = read_toml(path) if path and path.is_file() else {}
    texts = {name: clean(str(told[name]), where=name) for name in _ON_ALL if name in told}
    remarks = told.get("remarks")
    said = remarks if isinstance(remarks, list) else []
    return About(
        **texts, remarks=tuple(clean(str(text), where="remarks", longest=_LONGEST_REMARK) for text in said)
    )  # fmt: skip


def stated_at(event: EventSet, home: Path | None) -> About:
    """What is stated on all certificates of an event: its own texts before the issuer's."""
    own = {name: text for name in FOR_EVENT if (text := getattr(event, name))}
    return structs.replace(issuer_states(home), **own)


def stated_of_piece(form: Mapping[str, str], names: Mapping[str, str], inspected_on: str) -> StatedOfPiece:
    """What a form states of one piece, a remark per line; `names` are those of the fields, for what goes wrong."""
    maker, serial = (clean(form.get(key, ""), where=names[key]) for key in ("maker", "serial"))
    received_on = _received(form.get("received_on", "").strip(), names["received_on"], inspected_on)
    return StatedOfPiece(
        maker=maker, serial=serial, received_on=received_on, remarks=_remarks(form.get("remarks", ""), names["remarks"])
    )  # fmt: skip


def _received(text: str, where: str, inspected_on: str) -> str:
    """A day on which the piece can have come in: nothing is inspected before it is there."""
    if not text:
        return ""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise BadInput("expected-date", where=where) from None
    if day > date.fromisoformat(inspected_on):
        raise BadInput("received-after-inspection", where=where)
    return day.isoformat()


def _remarks(text: str, where: str) -> tuple[str, ...]:
    lines = (clean(line, where=where, longest=_LONGEST_REMARK) for line in text.split("\n"))
    remarks = tuple(line for line in lines if line)
    if len(remarks) > _MOST_REMARKS:
        raise BadInput("too-many-remarks", where=where, count=len(remarks), most_remarks=_MOST_REMARKS)
    return remarks


def with_stated(record: Record, decided: Decided) -> Record:
    """The record with what the decision states of the piece, after what was stated before."""
    before = about_of(record)
    own = {name: text for name in ("maker", "serial", "received_on") if (text := getattr(decided, name))}
    about = structs.replace(before, **own, remarks=(*before.remarks, *decided.remarks))
    return record if about == before else structs.replace(record, about=about)
