"""The sections behind the first page: results, notes, uncertainty, method, instruments, readings, statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from inspect_kit.certificate.content import (
    Block,
    Column,
    Facts,
    Field,
    Group,
    Listing,
    Paragraph,
    Picture,
    Pictures,
    Plan,
    Results,
    Section,
    Tag,
)  # fmt: skip
from inspect_kit.certificate.findings import Numbered, expanded_of, percent, result_of, shown_unit
from inspect_kit.certificate.issue import Issue
from inspect_kit.certificate.numerals import number_of, two_digits
from inspect_kit.certificate.wording import Wording
from inspect_kit.inspection.record import Gauge, Line, RawReading, Record

_REMARKS: Final = (
    ("uncalibrated", re.compile(r"(?P<id>\S+): no calibration date is stated")),
    ("expired", re.compile(r"(?P<id>\S+): the calibration ended on (?P<day>\d{4}-\d\d-\d\d)")),
    ("not_in_force", re.compile(r"sheet (?P<id>\S+) was not in force on (?P<day>\d{4}-\d\d-\d\d)")),
)
_HEADS: Final = ("clause", "characteristic", "requirement", "result", "gauge", "verdict")
_NARROW: Final = 0.06
_FEW_DEGREES: Final = 20
_MOST_SOURCES: Final = 4
PLANNED: Final = (
    "surface.side", "surface.angle", "pocket.diameter", "baseline.length", "baseline.lower.thickness",
    "baseline.lower.distance", "baseline.spacing", "basecircle.diameter", "basecircle.inner", "basecircle.gap",
    "arrow.thickness", "arrow.length", "arrow.angle", "arrow.tip", "arc.diameter", "centre.diameter", "outer.diameter",
    "frame.height", "frame.width",
)  # fmt: skip
"""What the drawing of a carrom board has a place for."""


@dataclass(frozen=True, slots=True)
class Source:
    """All that a certificate is made from."""

    record: Record
    words: Wording
    issue: Issue
    groups: tuple[Group, ...]
    pictures: tuple[Picture, ...] = ()


def sections_of(source: Source) -> tuple[Section, ...]:
    """Every section that has something to say, in the order of the document."""
    made = ((key, tuple(blocks(source))) for key, blocks in _SECTIONS)
    return tuple(Section(source.words.say(f"heading.{key}"), blocks) for key, blocks in made if blocks)


def _plan(source: Source) -> Iterable[Block]:
    record, words = source.record, source.words
    lines = [line for line in record.lines if line.characteristic in PLANNED and line.value is not None]
    if record.item.id == "board" and any(line.characteristic in ("surface.side", "pocket.diameter") for line in lines):
        labels = {key.removeprefix("plan."): text for key, text in words.frame.items() if key.startswith("plan.")}
        places = {code: words.instance(code) for code in ("n", "e", "s", "w", "nw", "ne", "se", "sw")}
        yield Plan(tuple(_tag(line, source) for line in lines), labels | places)


def _tag(line: Line, source: Source) -> Tag:
    result = result_of(line, source.record, source.words)
    return Tag(line.characteristic, line.instance, f"{result.number} {result.expanded}".strip(), line.verdict)


def _results(source: Source) -> Iterable[Block]:
    words = source.words
    legend = "legend.gauge" if source.record.rule == "guarded" else "legend.gauge_simple"
    heads = tuple(words.say(f"column.{head}") for head in _HEADS)
    yield Results(heads, source.groups, words.say(legend), words.say("detail.continued"))


def _notes(source: Source) -> Iterable[Block]:
    numbers = Numbered.of(source.record.lines).numbers
    if numbers:
        fields = (Field(str(number), source.words.sentence(note)) for note, number in numbers.items())
        yield Facts(tuple(fields), _NARROW)


def _house(source: Source) -> Iterable[Block]:
    sheet, words = source.record.sheet, source.words
    if sheet.disclaimer:
        yield Paragraph(words.sentence(sheet.disclaimer))
    fields = [Field(words.sentence(over.title), words.sentence(over.because)) for over in sheet.overlays]
    reasons = dict.fromkeys((line.clause, line.characteristic, line.name, line.because) for line in source.record.lines)
    for clause, characteristic, name, because in reasons:
        if because:
            label = f"{clause}  {words.name('characteristic', characteristic, name)}"
            fields.append(Field(label, words.sentence(because)))
    if fields:
        yield Facts(tuple(fields), 0.34)


def _decision(source: Source) -> Iterable[Block]:
    record, words = source.record, source.words
    k = words.number(number_of(record.coverage_factor, where="coverage_factor"))
    yield Paragraph(words.say("decision.uncertainty", k=k))
    yield Paragraph(words.say(f"decision.{record.rule}"))
    yield Paragraph(words.say(f"decision.{record.rule}_risk"))
    yield Paragraph(words.say("decision.overall"))
    degrees = [number_of(line.dof, where="dof") for line in record.lines if line.dof is not None]
    if degrees and min(degrees) < _FEW_DEGREES:
        yield Paragraph(words.say("decision.dof", dof=words.number(Decimal(int(min(degrees)))), k=k))


def _budget(source: Source) -> Iterable[Block]:
    """For each characteristic its largest uncertainty, and what it is made of."""
    worst: dict[str, Line] = {}
    for line in source.record.lines:
        known = worst.get(line.characteristic)
        if line.budget and (known is None or _standard(line) > _standard(known)):
            worst[line.characteristic] = line
    rows = tuple(_budget_row(line, source) for line in worst.values())
    if rows:
        titles = (("characteristic", 0.38), ("expanded", 0.16), ("contributions", 0.46))
        yield Listing(tuple(Column(source.words.say(f"column.{key}"), share) for key, share in titles), rows)


def _standard(line: Line) -> Decimal:
    return number_of(line.u or "0", where=line.characteristic)


def _budget_row(line: Line, source: Source) -> tuple[str, str, str]:
    words = source.words
    expanded = expanded_of(line, source.record) or Decimal(0)
    size = words.quantity(words.number(two_digits(expanded)), shown_unit(line)) if expanded else "0"
    variances = [(part.source, float(number_of(part.u, where=part.source)) ** 2) for part in line.budget]
    total = sum(variance for _, variance in variances) or 1.0
    shares = [f"{_source(name, words)} {percent(part / total, words)}" for name, part in variances[:_MOST_SOURCES]]
    more = ", …" if len(variances) > _MOST_SOURCES else ""
    return words.name("characteristic", line.characteristic, line.name), size, ", ".join(shares) + more


def _source(name: str, words: Wording) -> str:
    """A component in words; that of a derived value names the characteristic it comes from."""
    characteristic, separator, component = name.rpartition(": ")
    if not separator:
        return words.name("source", name)
    return f"{words.name('characteristic', characteristic)}: {words.name('source', component)}"


def _method(source: Source) -> Iterable[Block]:
    """Each procedure once, with the clauses and characteristics it served."""
    words = source.words
    served: dict[str, dict[str, None]] = {}
    for line in source.record.lines:
        if line.how:
            name = words.name("characteristic", line.characteristic, line.name)
            served.setdefault(line.how, {})[f"{line.clause}  {name}"] = None
    if served:
        yield Paragraph(words.say("method.statement"))
        yield Facts(tuple(Field("\n".join(names), words.sentence(how)) for how, names in served.items()), 0.42)


def _instruments(source: Source) -> Iterable[Block]:
    if source.record.instruments:
        titles = (("instrument", 0.32), ("serial", 0.24), ("resolution", 0.12), ("calibration", 0.32))
        columns = tuple(Column(source.words.say(f"column.{key}"), share) for key, share in titles)
        yield Listing(columns, tuple(_instrument(gauge, source.words) for gauge in source.record.instruments))
        yield Paragraph(source.words.say("instruments.statement"))


def _instrument(gauge: Gauge, words: Wording) -> tuple[str, ...]:
    name = words.sentence(gauge.name) if gauge.name else words.name("instrument", gauge.kind)
    maker = ", ".join(part for part in (gauge.maker, gauge.serial) if part) or "–"
    return f"{name} ({gauge.id})", maker, _localised(gauge.resolution, words), _calibration(gauge, words)


def _localised(quantity: str, words: Wording) -> str:
    number, _, unit = quantity.partition(" ")
    try:
        return words.quantity(words.number(Decimal(number)), unit)
    except ArithmeticError:
        return quantity


def _calibration(gauge: Gauge, words: Wording) -> str:
    if gauge.calibrated_until is None:
        state = words.say("instruments.unstated")
    else:
        day = words.day(gauge.calibrated_until, where=f"instrument {gauge.id}")
        state = words.say("instruments.expired" if gauge.expired else "instruments.until", day=day)
    return f"{state}; {words.sentence(gauge.calibration)}" if gauge.calibration else state


def _readings(source: Source) -> Iterable[Block]:
    if source.record.readings:
        words = source.words
        yield Paragraph(words.say("readings.statement"))
        titles = (
            ("characteristic", 0.30), ("instance", 0.17), ("value", 0.13), ("standard", 0.08), ("instrument", 0.14),
            ("source", 0.18),
        )  # fmt: skip
        columns = tuple(Column(words.say(f"column.{key}"), share) for key, share in titles)
        names = {line.characteristic: line.name for line in source.record.lines}
        yield Listing(columns, tuple(_reading(reading, names, words) for reading in source.record.readings))


def _reading(reading: RawReading, names: Mapping[str, str], words: Wording) -> tuple[str, ...]:
    name = words.name("characteristic", reading.characteristic, names.get(reading.characteristic, ""))
    value = words.quantity(reading.value, reading.unit) if reading.unit else reading.value
    return name, words.instance(reading.instance), value, reading.u, reading.instrument, reading.where


def _photos(source: Source) -> Iterable[Block]:
    shown_keys = {picture.key for picture in source.pictures}
    if source.pictures:
        yield Pictures(source.pictures)
    left = [photo for photo in source.record.photos if not {photo.sha256, photo.file} & shown_keys]
    if left:
        yield Paragraph(source.words.say("photos.only_digest"))
        yield Facts(tuple(Field(photo.file, photo.sha256) for photo in left))


def _again(source: Source) -> Iterable[Block]:
    occasions = source.record.item.check_again
    if occasions:
        yield Facts(tuple(Field(entry.clause, source.words.sentence(entry.when)) for entry in occasions), 0.14)


def _remarks(source: Source) -> Iterable[Block]:
    if source.record.warnings:
        yield Paragraph("\n".join(_remark(text, source.words) for text in source.record.warnings))


def _remark(text: str, words: Wording) -> str:
    """The program's own warnings in the language of the document; others as they are."""
    for key, pattern in _REMARKS:
        found = pattern.fullmatch(text)
        if found:
            days = {"day": words.day(found["day"])} if "day" in found.groupdict() else {}
            return words.say(f"remark.{key}", **{**found.groupdict(), **days})
    return words.sentence(text)


def _statements(source: Source) -> Iterable[Block]:
    record, words, issue = source.record, source.words, source.issue
    scope = {"section": words.say("heading.results"), "rule": words.say("heading.decision")}
    said = [words.say("statement.scope", **scope), *(words.say(f"statements.{key}") for key in ("relates", "supplied"))]
    language = words.frame.get(f"language.{record.sheet.language}", record.sheet.language)
    said += [words.say("statements.language", language=language), words.say("statements.whole")]
    if issue.replaces:
        said.append(words.say("statements.amended", number=issue.replaces))
    said += [words.say("statements.accreditation"), words.say("statements.record")]
    yield from (Paragraph(text) for text in said)
    digests = [("record", record.digest), ("sheet", record.sheet.digest), ("software", record.software)]
    yield Facts(tuple(Field(words.say(f"field.{key}"), text) for key, text in digests if text))


_SECTIONS: Final[tuple[tuple[str, Callable[[Source], Iterable[Block]]], ...]] = (
    ("plan", _plan), ("results", _results), ("notes", _notes), ("house", _house), ("decision", _decision),
    ("budget", _budget), ("method", _method), ("instruments", _instruments), ("readings", _readings),
    ("photos", _photos), ("again", _again), ("remarks", _remarks), ("statements", _statements),
)  # fmt: skip
