"""By what each value was found: which instrument, sent or typed, a photograph, an eye; the method that was used."""

from collections.abc import Iterable, Iterator
from string import ascii_uppercase, digits
from typing import Final

from inspect_kit.certificate.content.model import Source
from inspect_kit.certificate.content.wording import Wording
from inspect_kit.inspection.record import Line, RawReading, Record, stated
from inspect_kit.values.quantity import EXACT_UNITS

SENT: Final = "*"
"""Behind an instrument's letter: it sent the reading itself."""
_MARKS: Final = {"typed": "", "sent": SENT, "displayed": "†"}
"""Behind an instrument's letter: how its value came in."""
_LEGENDS: Final = ("typed", "sent", "displayed", "photo", "calculated", "counted", "seen", "stated")


def letters_of(record: Record) -> dict[str, str]:
    """A letter for each instrument, in the order of their list; `AA` after `Z`."""
    return {gauge.id: _letter(place) for place, gauge in enumerate(record.instruments)}


def _letter(place: int) -> str:
    before, rest = divmod(place, len(ascii_uppercase))
    return (_letter(before - 1) if before else "") + ascii_uppercase[rest]


def means_of(line: Line, record: Record, words: Wording) -> str:
    """In a few letters, as the column of the results has room for; with the reader's initials if there were several."""
    found = ", ".join(_short(kind, line, record, words) for kind in _kinds(line, record))
    initials = initials_of(record)
    by = [initials[name] for name in _readers(line, record)] if len(initials) > 1 else []
    return " ".join((found, *by))


def _short(kind: str, line: Line, record: Record, words: Wording) -> str:
    if kind not in _MARKS:
        return words.say(f"means.{kind}")
    letters = letters_of(record)
    mark = _MARKS[kind]
    return ", ".join(letters.get(gauge, gauge) + mark for gauge in line.instruments)


_READ_BY: Final = {"photo": "photo", "derived": "calculated", "observed": "seen"}


def _kinds(line: Line, record: Record) -> Iterator[str]:
    if line.value is None and line.word is None:
        return
    known = _READ_BY.get(stated(line.read_by))
    if known or line.photographed is True:
        yield known or "photo"
    elif line.formula:
        yield "calculated"
    elif line.instruments:
        yield _by_gauge(line, record)
    elif line.word is not None:
        yield "seen"
    else:
        yield "counted" if line.unit in EXACT_UNITS else "stated"


def _by_gauge(line: Line, record: Record) -> str:
    """How an instrument's value came in: from the photo of its display, sent, or typed."""
    readings = _readings(line, record)
    if any(each.raw.startswith("display: ") for each in readings):
        return "displayed"
    return "sent" if line.read_by == "instrument" or all(map(was_sent, readings)) else "typed"


def initials_of(record: Record) -> dict[str, str]:
    """Everyone who read a value or looked at something, with initials that no two of them share."""
    names = dict.fromkeys(name for line in record.lines for name in _readers(line, record))
    found: dict[str, str] = {}
    for name in names:
        short = "".join(part[0] for part in name.replace("-", " ").split())[:3] or "?"
        taken = sum(1 for other in found.values() if other.rstrip(digits) == short)
        found[name] = f"{short}{taken + 1}" if taken else short
    return found


def _readers(line: Line, record: Record) -> Iterator[str]:
    """Who read a value: whom its readings name, else the inspector; nobody reads what is calculated or in a photo."""
    if next(_kinds(line, record), "calculated") in ("calculated", "photo"):
        return
    named = [stated(reading.by) for reading in _readings(line, record) if not stated(reading.decision)]
    yield from dict.fromkeys(name or record.subject.inspector for name in named or ("",))


def _readings(line: Line, record: Record) -> list[RawReading]:
    wanted = (line.characteristic, line.instance)
    found = [each for each in record.readings if (each.characteristic, each.instance) == wanted]
    return found or [RawReading(line.characteristic, "")]


def was_sent(reading: RawReading) -> bool:
    """Whether the instrument sent the reading; what was typed says nothing but its value."""
    typed = (reading.value, f"{reading.value} {reading.unit}", f"{reading.value}{reading.unit}")
    return reading.raw.strip() not in ("", *typed)


def legend_of(lines: Iterable[Line], source: Source) -> str:
    """What the letters mean, as far as they occur; and who read."""
    words = source.words
    used = {kind for line in lines for kind in _kinds(line, source.record)}
    said = [words.say(f"means.{kind}_legend") for kind in _LEGENDS if kind in used]
    if used - {"photo", "calculated"}:
        said.append(_told_readers(initials_of(source.record), words))
    return " ".join((words.say("means.legend"), "; ".join(said) + ".")) if said else ""


def _told_readers(initials: dict[str, str], words: Wording) -> str:
    if len(initials) > 1:
        named = (f"{short} = {name or words.say('means.nobody')}" for name, short in initials.items())
        return words.say("means.reader", name=", ".join(named))
    (name,) = initials or ("",)
    return words.say("means.reader", name=name) if name else words.say("means.reader_unknown")
