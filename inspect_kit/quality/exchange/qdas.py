"""Q-DAS ASCII transfer format (AQDEF): description and values in one .dfq file.

A line is a key, a space and its text. Values follow in the compact form: one line a piece, characteristics divided by
character 15 and the fields of one by character 20 (decimal), in the order K0001 value, K0002 attribute, K0004 time,
K0005 events, K0006 batch. What is judged by eye, or by a gauge that says go or no-go, is an attribute characteristic
(K2004 is 1): K0020, the size of the sample in thousandths, K0021, its errors, and a field without a key stand where
the value would. That is the order in which the open reader aqdef-tools takes them, and published example files agree
with it; Q-DAS's own manual was not at hand. Limits are K2110 and K2111 alone: what K2120 and K2121 mean is told
differently by different sources, so they are left out, and a limit that there is not has no line.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from inspect_kit.errors import BadInput
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.lot.record import ANSWERS, Delivery, LotRecord, MeasuredSeries

FIELD: Final = chr(20)
"""Between the parts of one value: DC4, as AQDEF has it."""
CHARACTERISTIC: Final = chr(15)
"""Between the values of one piece: SI, as AQDEF has it."""
VALID, NO_VALUE = "0", "255"
_VARIABLE, _BY_ATTRIBUTES = "0", "1"
_ONE_PIECE: Final = "1000"
"""K0020 of one piece: sizes are written in thousandths."""
_ENCODING: Final = "cp1252"


def dfq_lines(record: LotRecord) -> Iterator[bytes]:
    """The file line by line."""
    for key, text in _description(record):
        if text:
            yield _encoded(f"{key} {text}")
    batch = f"#{_clean(record.subject.text, 20)}"
    rows = zip(*(_values(each, record) for each in _told(record)), strict=True)
    for row, when in zip(rows, _times(record), strict=True):
        yield _encoded(CHARACTERISTIC.join(FIELD.join((*value, when, "", batch)) for value in row))
    yield from _names(record)
    yield from _traces(record)


def _told(record: LotRecord) -> tuple[tuple[str, MeasuredSeries], ...]:
    """What the file tells, each with its kind; what was measured on some pieces and gauged on others is there twice."""
    variables = [(_VARIABLE, series) for series in record.lot.series if series.measured and series.numbers]
    seen = [(_BY_ATTRIBUTES, series) for series in record.lot.series if any(word in series.values for word in ANSWERS)]
    if not variables and not seen:
        raise BadInput("lot-no-measured-values", where=record.subject.text)
    return (*variables, *seen)


def _description(record: LotRecord) -> Iterator[tuple[str, str]]:
    yield "K0100", str(len(_told(record)))
    yield "K1001", _clean(f"{record.sheet.id} {record.item.id}", 30)
    yield "K1002", _clean(record.item.name or record.item.id, 80)
    yield "K1022", _clean(record.subject.owner, 80)
    yield "K1053", _clean(record.subject.text, 40)
    if isinstance(record.lot.delivery, Delivery):
        yield "K1041", _clean(record.lot.delivery.drawing, 30)
        yield "K1062", _clean(record.lot.delivery.customer, 40)
        yield "K1110", _clean(record.lot.delivery.order, 20)
    for number, (kind, series) in enumerate(_told(record), 1):
        described = _variable(series) if kind == _VARIABLE else ()
        for key, text in (*_characteristic(kind, series, number), *described):
            yield f"{key}/{number}", text


def _characteristic(kind: str, series: MeasuredSeries, number: int) -> Iterator[tuple[str, str]]:
    yield "K2001", str(number)
    yield "K2002", _clean(series.characteristic, 80)
    yield "K2004", kind
    yield "K2401", _clean(", ".join(series.instruments), 40)


def _variable(series: MeasuredSeries) -> Iterator[tuple[str, str]]:
    yield "K2022", str(max(len(value.partition(".")[2]) for value in series.numbers))
    yield "K2101", series.nominal or ""
    yield "K2110", series.lower or ""
    yield "K2111", series.upper or ""
    yield "K2142", _clean(series.unit, 20)


def _values(told: tuple[str, MeasuredSeries], record: LotRecord) -> Iterator[tuple[str, ...]]:
    """The first fields of every piece."""
    kind, series = told
    if kind == _VARIABLE:
        return (("0", NO_VALUE) if value in (None, *ANSWERS) else (value or "", VALID) for value in series.values)
    name = series.characteristic
    odd = {each.piece: each.verdict for each in record.lot.nonconforming if each.characteristic == name}
    pairs = zip(record.lot.pieces, series.values, strict=True)
    return (_answer(odd.get(piece, Verdict.CONFORMS) if value in ANSWERS else "") for piece, value in pairs)


def _answer(verdict: str) -> tuple[str, ...]:
    """One piece with one error or none. A piece of which that is not known counts for nothing, whoever reads it."""
    if verdict not in (Verdict.CONFORMS, Verdict.FAILS):
        return "0", "0", "0", NO_VALUE
    return _ONE_PIECE, str(int(verdict == Verdict.FAILS)), "0", VALID


def _times(record: LotRecord) -> Iterator[str]:
    """When each piece was made or measured, as far as it is known (K0004); else the day of the inspection."""
    day = datetime.fromisoformat(record.inspected_on)
    stated = record.lot.traced.get("time") or ("",) * len(record.lot.pieces)
    for text in stated:
        yield (_moment(text) or day).strftime("%d.%m.%Y/%H:%M:%S")


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip()) if text else None
    except ValueError:
        return None


def _names(record: LotRecord) -> Iterator[bytes]:
    """Which piece a value is of: its serial number, or its name where pieces have more than numbers (K0014)."""
    pieces = record.lot.traced.get("serial") or record.lot.pieces
    if all(piece == str(number) for number, piece in enumerate(pieces, 1)):
        return
    for number, piece in enumerate(pieces, 1):
        if piece:
            yield _encoded(f"K0014/1/{number} {_clean(piece, 40)}")


_NUMBERED: Final = {"cavity": "K0007", "operator": "K0008", "machine": "K0010"}
"""Fields that hold whole numbers; a machine with a name goes into the text."""
_WHOLE: Final = re.compile(r"[0-9]{1,9}")


def _traces(record: LotRecord) -> Iterator[bytes]:
    """Where a piece comes from: by the fields there are, the tray as subgroup (K0080), the rest as text (K0009)."""
    trace = {name: cells for name, cells in record.lot.traced.items() if name not in ("serial", "time")}
    for place in range(len(record.lot.pieces)):
        texts = []
        for name, cell in ((name, cells[place]) for name, cells in trace.items() if cells[place]):
            if name in _NUMBERED and _WHOLE.fullmatch(cell):
                yield _encoded(f"{_NUMBERED[name]}/1/{place + 1} {cell}")
            elif name == "tray":
                yield _encoded(f"K0080/1/{place + 1} {_clean(cell, 64)}")
            else:
                texts.append(f"{name} {cell}")
        if texts:
            yield _encoded(f"K0009/1/{place + 1} {_clean(', '.join(texts), 255)}")


def _clean(text: str, length: int) -> str:
    """One line without control characters, cut to the length that the format has room for."""
    return "".join(sign for sign in text if sign.isprintable())[:length].strip()


def _encoded(line: str) -> bytes:
    """Windows-1252, as the programs expect; a letter that it lacks is written without its accent."""
    try:
        return f"{line}\r\n".encode(_ENCODING)
    except UnicodeEncodeError:
        plain = "".join(sign if sign.encode(_ENCODING, "ignore") else _nearest(sign) for sign in line)
        return f"{plain}\r\n".encode(_ENCODING, "replace")


_STROKED: Final = str.maketrans("ŁłĐđĦħĿŀŦŧŊŋıĸ", "LlDdHhLlTtNnik")
"""Letters with a stroke are letters of their own and fall apart into nothing."""


def _nearest(sign: str) -> str:
    """The letter without its accent or stroke."""
    return unicodedata.normalize("NFKD", sign.translate(_STROKED))[0]
