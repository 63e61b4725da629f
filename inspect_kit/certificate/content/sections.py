"""The sections of the document: results, notes, uncertainty, method, instruments, readings, statements."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, Final

from inspect_kit.certificate.content import findings, model
from inspect_kit.certificate.content.means import legend_of, letters_of, means_of, was_sent
from inspect_kit.certificate.content.wording import Wording, number_of, two_digits
from inspect_kit.errors import worded
from inspect_kit.inspection import record as recorded
from inspect_kit.places import shipped
from inspect_kit.rulebook.sheet import SheetAuthority
from inspect_kit.tomlfile import read_toml

# How each characteristic was measured, how well, and what its uncertainty is made of: one table.

FULL: Final = "full"
"""The detail in which budgets and every reading are printed."""
_MOST_SOURCES: Final = 6
"""Contributions to an uncertainty that are named, the largest first."""
_SHARES: Final = (("characteristic", 0.36), ("means", 0.10), ("expanded", 0.13), ("contributions", 0.41))
"""Columns of the table of methods, each with its share of the width."""


def method(source: model.Source) -> Iterable[model.Block]:
    """In full detail: characteristics that were measured alike and equally well share a row."""
    words = source.words
    worst = _worst(source.lines) if source.issue.detail == FULL else {}
    served: dict[tuple[str, str, str], dict[str, dict[str, None]]] = {}
    for line in source.lines:
        budget = worst.get(line.characteristic)
        if budget:
            row = (means_of(budget, source.record, words) or "–", *_budget(budget, source))
            name = words.name("characteristic", line.characteristic, line.name)
            served.setdefault(row, {}).setdefault(line.clause, {})[name] = None
    if served:
        rows = tuple((findings.cited(clauses), *row) for row, clauses in served.items())
        yield model.Listing(model.columns_of(words, *_SHARES), rows, ruled=True)


def _worst(lines: Iterable[recorded.Line]) -> dict[str, recorded.Line]:
    """For each characteristic the line with the largest uncertainty."""
    worst: dict[str, recorded.Line] = {}
    for line in lines:
        known = worst.get(line.characteristic)
        if line.budget and (known is None or _standard(line) > _standard(known)):
            worst[line.characteristic] = line
    return worst


def _standard(line: recorded.Line) -> Decimal:
    return number_of(line.u or "0", where=line.characteristic)


def _budget(line: recorded.Line | None, source: model.Source) -> tuple[str, str]:
    """U, and what it is made of."""
    if line is None:
        return "–", "–"
    words = source.words
    expanded = findings.expanded_of(line, source.record) or Decimal(0)
    size = words.quantity(words.number(two_digits(expanded)), findings.shown_unit(line)) if expanded else "0"
    variances = _variances(line)
    total = sum(variances.values()) or 1.0
    # A name stays with its share: only the commas part a line.
    shares = [
        f"{words.name('source', name)}\u00a0{findings.percent(variance / total, words)}"
        for name, variance in sorted(variances.items(), key=lambda part: -part[1])[:_MOST_SOURCES]
    ]
    return size, ", ".join(shares) + (", …" if len(variances) > _MOST_SOURCES else "")


def _variances(line: recorded.Line) -> dict[str, float]:
    """The variance of each kind of component, over all characteristics that a derived value comes from."""
    variances: dict[str, float] = {}
    for part in line.budget:
        kind = part.source.rpartition(": ")[2]
        variances[kind] = variances.get(kind, 0.0) + float(number_of(part.u, where=part.source)) ** 2
    return variances


_HEADS: Final = ("clause", "characteristic", "requirement", "result", "means", "gauge", "verdict")
_FEW_DEGREES: Final = 20
"""Effective degrees of freedom below which the fewest are stated: U = ku then covers less than it seems."""


def sections_of(source: model.Source) -> tuple[model.Section, ...]:
    """Every section that has something to say, in the order of the document."""
    made = {key: tuple(blocks(source)) for key, blocks in _SECTIONS}
    heads = {key: overlay_key(source.record.sheet, key) if key == "house" else key for key in made}
    say = source.words.say
    return tuple(model.Section(say(f"heading.{heads[key]}"), blocks) for key, blocks in made.items() if blocks)


def overlay_key(sheet: recorded.SheetRef, key: str) -> str:
    """What a federation lays over another's rules is not called house rules."""
    house = any(over.standing != SheetAuthority.FEDERATION for over in sheet.overlays)
    return key if house or not sheet.overlays else f"{key}_federation"


@cache
def board_layout() -> dict[str, Any]:
    """A carrom board as it is drawn: its sizes in mm, and under `marks` what it has a place for."""
    return {key: _drawn(value) for key, value in read_toml(shipped("reports") / "layout" / "carrom-board.toml").items()}


def _drawn(value: object) -> Any:
    """Numbers of a drawing as drawings take them."""
    if isinstance(value, dict):
        return {key: _drawn(each) for key, each in value.items()}
    return float(value) if isinstance(value, Decimal) else value


def _plan(source: model.Source) -> Iterable[model.Block]:
    record, words = source.record, source.words
    marks = board_layout()["marks"]
    lines = [line for line in record.lines if line.characteristic in marks and line.value is not None]
    if record.item.id == "board" and any(line.characteristic in ("surface.side", "pocket.diameter") for line in lines):
        labels = {key.removeprefix("plan."): text for key, text in words.frame.items() if key.startswith("plan.")}
        places = {code: words.instance(code) for code in ("n", "e", "s", "w", "nw", "ne", "se", "sw")}
        results = ((line, findings.result_of(line, record, words)) for line in lines)
        tags = (model.Tag(line.characteristic, line.instance, found.number, line.verdict) for line, found in results)
        yield model.BoardPlan(tuple(tags), labels | places)


def _results(source: model.Source) -> Iterable[model.Block]:
    words = source.words
    if source.groups:
        heads = tuple(words.say(f"column.{head}") for head in _HEADS)
        legend = " ".join(part for part in (legend_of(source.lines, source), _legend(source)) if part)
        yield model.Results(heads, source.groups, legend)
    omitted = findings.omitted_of(source.record, words)
    if omitted:
        yield model.Facts(omitted, 0.24, words.say("omitted.heading"))


def _left_out(source: model.Source) -> Iterable[model.Block]:
    """In full detail: every sentence of the text without a clause, and why it has none."""
    words = source.words
    entries = recorded.left_out_of(source.record.sheet) if source.issue.detail == FULL else ()
    said = (f"{each.clause}\u2002{words.sentence(each.says)} – {words.sentence(each.because)}" for each in entries)
    if entries:
        yield model.Columned(tuple(said))


def _legend(source: model.Source) -> str:
    """The key to the gauge drawings, where there is one."""
    drawn = any(row.scale is not None for group in source.groups for row in group.rows)
    key = "legend.gauge" if source.record.rule == "guarded" else "legend.gauge_simple"
    return source.words.say(key) if drawn else ""


def _notes(source: model.Source) -> Iterable[model.Block]:
    numbers = findings.numbered_notes(source.lines)
    if numbers:
        yield model.Columned(tuple(f"{number}\u2002{source.words.sentence(note)}" for note, number in numbers.items()))


def _house(source: model.Source) -> Iterable[model.Block]:
    sheet, words = source.record.sheet, source.words
    fields = [model.Field(words.sentence(over.title), words.sentence(over.because)) for over in sheet.overlays]
    reasons = dict.fromkeys((line.clause, line.characteristic, line.name, line.because) for line in source.lines)
    for clause, characteristic, name, because in reasons:
        if because:
            label = f"{clause}  {words.name('characteristic', characteristic, name)}"
            fields.append(model.Field(label, words.sentence(because)))
    if fields:
        yield model.Facts(tuple(fields), 0.34)


def _decision(source: model.Source) -> Iterable[model.Block]:
    record, words = source.record, source.words
    k = words.number(number_of(record.coverage_factor, where="coverage_factor"))
    said = [words.say("decision.uncertainty", k=k)]
    said += [words.say(f"decision.{key}") for key in (record.rule, f"{record.rule}_risk", "overall")]
    degrees = [number_of(line.dof, where="dof") for line in record.lines if line.dof is not None]
    if degrees and min(degrees) < _FEW_DEGREES:
        said.append(words.say("decision.dof", dof=words.number(Decimal(int(min(degrees)))), k=k))
    yield model.Columned((*said, *_statements(source)))
    yield model.Paragraph("\n".join(_digests(source)))


def _instruments(source: model.Source) -> Iterable[model.Block]:
    record, words = source.record, source.words
    if record.instruments:
        titles = (("letter", 0.05), ("instrument", 0.27), ("serial", 0.20), ("resolution", 0.10), ("calibration", 0.38))
        letters = letters_of(record)
        rows = tuple((letters[gauge.id], *_instrument(gauge, words)) for gauge in record.instruments)
        yield model.Listing(model.columns_of(words, *titles), rows)
        yield from _checks(source)
    if recorded.about_of(record).traceability:
        yield model.Paragraph(recorded.about_of(record).traceability)


def _instrument(gauge: recorded.Gauge, words: Wording) -> tuple[str, ...]:
    name = words.sentence(gauge.name) if gauge.name else words.name("instrument", gauge.kind)
    maker = ", ".join(part for part in (gauge.maker, gauge.serial) if part) or words.say("instruments.kind")
    return f"{name} ({gauge.id})", maker, _localised(gauge.resolution, words), _calibration(gauge, words)


def _checks(source: model.Source) -> Iterable[model.Block]:
    """What the daily check of each instrument showed on the day."""
    words, letters = source.words, letters_of(source.record)
    rows = [
        (letters.get(check.instrument, check.instrument), f"{check.time[:16].replace('T', ' ')}", check.by or "–",
         "; ".join(_point(point, words) for point in check.points),
         words.say("checks.passed" if check.passed else "checks.failed"))
        for check in recorded.checks_of(source.record)
    ]  # fmt: skip
    if rows:
        titles = (("letter", 0.05), ("check_time", 0.15), ("check_by", 0.17), ("check_points", 0.48), ("check", 0.15))
        yield model.Listing(model.columns_of(words, *titles), tuple(rows))


def _point(point: recorded.CheckPoint, words: Wording) -> str:
    figures = {name: _localised(getattr(point, name), words) for name in ("nominal", "shown", "permitted")}
    return words.say("checks.point", **figures)


def _localised(quantity: str, words: Wording) -> str:
    number, _, unit = quantity.partition(" ")
    try:
        return words.quantity(words.number(Decimal(number)), unit)
    except ArithmeticError:
        return quantity


def _calibration(gauge: recorded.Gauge, words: Wording) -> str:
    if gauge.calibrated_until is None:
        state = words.say("instruments.unstated")
    else:
        day = words.day(gauge.calibrated_until, where=f"instrument {gauge.id}")
        state = words.say("instruments.expired" if gauge.expired else "instruments.until", day=day)
    return f"{state}; {words.sentence(gauge.calibration)}" if gauge.calibration else state


def _readings(source: model.Source) -> Iterable[model.Block]:
    """What instruments sent, and what was typed where the result is not that reading; in full detail everything."""
    full, printed = source.issue.detail == FULL, _printed(source.record)
    sent = [reading for reading in source.record.readings if full or was_sent(reading) or _unprinted(reading, printed)]
    if sent:
        words = source.words
        yield model.Paragraph(words.say("readings.statement"))
        titles = _READING if any(map(was_sent, sent)) else _TYPED
        names = {line.characteristic: line.name for line in source.record.lines}
        letters = letters_of(source.record)
        rows = tuple(_reading(reading, names, letters, words) for reading in sent)
        yield model.Listing(model.columns_of(words, *titles), rows)


_READING: Final = (("characteristic", 0.28), ("instance", 0.14), ("value", 0.12), ("instrument", 0.14), ("raw", 0.32))
"""Columns of the table of readings that instruments sent, each with its share of the width."""
_TYPED: Final = (("characteristic", 0.4), ("instance", 0.28), ("value", 0.18), ("instrument", 0.14))
"""Where no instrument sent anything there is no line to show."""


def _printed(record: recorded.Record) -> frozenset[tuple[str, str]]:
    """The values of which there is one reading: the result is that reading, and says all of it."""
    read = Counter((each.characteristic, each.instance) for each in record.readings if each.value)
    judged = {(line.characteristic, line.instance) for line in record.lines if not line.formula}
    return frozenset(which for which, times in read.items() if times == 1 and which in judged)


def _unprinted(reading: recorded.RawReading, printed: frozenset[tuple[str, str]]) -> bool:
    """Whether a number was read that stands nowhere among the results: one of several, or worked with only."""
    measured = bool(reading.instrument or reading.unit or reading.u)
    return measured and bool(reading.value) and (reading.characteristic, reading.instance) not in printed


def _reading(
    reading: recorded.RawReading, names: Mapping[str, str], letters: Mapping[str, str], words: Wording
) -> tuple[str, ...]:
    name = words.name("characteristic", reading.characteristic, names.get(reading.characteristic, ""))
    value = findings.observed(_localised(f"{reading.value} {reading.unit}".strip(), words), words)
    # The line may hold any byte an instrument sends: what is not plain text is printed as its code.
    raw = reading.raw.strip().encode("unicode_escape").decode("ascii")
    letter = letters.get(reading.instrument, reading.instrument)
    return name, words.instance(reading.instance), value, letter, " ".join(part for part in (reading.time, raw) if part)


def _photos(source: model.Source) -> Iterable[model.Block]:
    if source.pictures:
        yield model.Pictures(source.pictures)
    shown = {picture.key.removeprefix(model.OVERLAY) for picture in source.pictures}
    left = [photo for photo in source.record.photos if not {photo.sha256, photo.file} & shown]
    if left:
        yield model.Paragraph(source.words.say("photos.only_digest"))
        yield model.Facts(tuple(model.Field(photo.file, photo.sha256) for photo in left))


def _again(source: model.Source) -> Iterable[model.Block]:
    occasions = source.record.item.check_again
    if occasions:
        yield model.Columned(tuple(f"{entry.clause}\u2002{source.words.sentence(entry.when)}" for entry in occasions))


def _remarks(source: model.Source) -> Iterable[model.Block]:
    """What the inspector remarked, and what the program noticed, in the language of the document."""
    record, words = source.record, source.words
    noticed = map(_whole, map(words.sentence, worded(record.warnings, record.told, words.language, printed=words.day)))
    said = (*recorded.about_of(record).remarks, *noticed)
    if said:
        yield model.Paragraph("\n".join(said))


def _whole(noticed: str) -> str:
    """A notice as a sentence on paper: with a capital, unless a name begins it, and a full stop."""
    first = noticed.partition(" ")[0]
    start = noticed[:1].upper() if first.isalpha() else noticed[:1]
    return start + noticed[1:] + ("" if noticed.endswith((".", "!", "?")) else ".")


def _statements(source: model.Source) -> Iterable[str]:
    record, words, issue = source.record, source.words, source.issue
    scope = words.say("statement.scope", section=words.say("heading.results"))
    yield f"{scope} {words.say('statements.relates')} {words.say('statements.supplied')}"
    language = words.frame.get(f"language.{record.sheet.language}", record.sheet.language)
    prevails = words.sentence(recorded.stated(record.sheet.prevails))
    yield f"{words.say('statements.language', language=language)} {prevails}".strip()
    calibrated = words.say("instruments.statement") if record.instruments else ""
    yield f"{calibrated} {words.say('statements.whole')} {words.say('statements.accreditation')}".strip()
    if issue.replaces:
        yield words.say("statements.amended", number=issue.replaces)
    software = f"{words.say('field.software')}: {record.software}." if record.software else ""
    yield f"{words.say('statements.record')} {software}".strip()


def _digests(source: model.Source) -> Iterable[str]:
    """Each on a line of its own, as wide as the page."""
    record, words = source.record, source.words
    digests = (("record", record.digest), ("sheet", record.sheet.digest))
    return (f"{words.say(f'field.{key}')}: {text}" for key, text in digests if text)


_SECTIONS: Final[tuple[tuple[str, Callable[[model.Source], Iterable[model.Block]]], ...]] = (
    ("results", _results), ("plan", _plan), ("remarks", _remarks), ("instruments", _instruments),
    ("method", method), ("readings", _readings), ("photos", _photos), ("house", _house), ("notes", _notes),
    ("left_out", _left_out), ("again", _again), ("decision", _decision),
)  # fmt: skip
