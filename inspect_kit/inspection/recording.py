"""From an outcome to its record: the clauses, evidence and verdicts frozen as they were on the day."""

from collections.abc import Iterable
from decimal import Decimal
from pathlib import PurePath

from msgspec import UNSET, structs

from inspect_kit import __version__
from inspect_kit.capture.daily_checks import standing
from inspect_kit.capture.instruments import Instrument
from inspect_kit.capture.measurement_file import GAUGE_STATED
from inspect_kit.inspection import record
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.walk import Outcome
from inspect_kit.judgement.verdict import Finding
from inspect_kit.rulebook.sheet import Item, Sheet
from inspect_kit.values.measurement import COVERAGE_FACTOR, Budget, Measurement, Reading

_AS_READ = ("characteristic", "name", "printed", "requires", "how", "note", "because", "binding", "suspect")
"""What a line of the record has from its clause under the same name."""
_SIGNIFICANT = 12
"""Digits of an uncertainty that are kept: far more than anyone can know of one."""


def record_of(outcome: Outcome, subject: record.Subject, about: record.About | None = None) -> record.Record:
    """The record of an inspection; the subject's texts are cleaned on the way in."""
    task = outcome.task
    return record.Record(
        sheet=_sheet(task.sheet),
        item=_item(task.item),
        subject=_subject(subject),
        inspected_on=task.on.isoformat(),
        rule=task.rule.value,
        verdict=outcome.judgement.verdict.value,
        lines=tuple(_as_stated(outcome, _line(finding)) for finding in outcome.judgement.findings),
        readings=tuple(_reading(reading) for reading in outcome.readings),
        instruments=tuple(_gauge(gauge, expired=gauge.expired(task.on)) for gauge in outcome.instruments.values()),
        photos=tuple(record.PhotoRef(photo.file, photo.sha256, photo.width, photo.height) for photo in outcome.photos),
        warnings=(*outcome.warnings, *outcome.remarks),
        notices=tuple(each.as_data() for each in outcome.notices) or UNSET,
        wording={language: dict(words) for language, words in task.sheet.wording.items()},
        coverage_factor=f"{COVERAGE_FACTOR:f}",
        software=f"inspect-kit {__version__}",
        about=UNSET if about is None or about == record.About() else about,
        checks=tuple(_checks(outcome)) or UNSET,
    )


def _checks(outcome: Outcome) -> Iterable[record.DailyCheck]:
    """The checks of that day, where the desk's home keeps them."""
    task = outcome.task
    for gauge in outcome.instruments if task.home is not None else ():
        last = standing(task.home, gauge, task.on).last if task.home is not None else None
        if last is not None and last.time.date() == task.on:
            points = tuple(record.CheckPoint(str(p.nominal), str(p.shown), str(p.permitted)) for p in last.points)
            yield record.DailyCheck(gauge, last.time.isoformat(timespec="seconds"), last.by, last.passed, points)


def _subject(subject: record.Subject) -> record.Subject:
    others = {name: getattr(subject, name) for name in subject.__struct_fields__ if name != "text"}
    texts = {name: clean(text, where=name) for name, text in others.items()}
    return record.Subject(text=clean(subject.text, where="subject", needed=True), **texts)


def _sheet(sheet: Sheet) -> record.SheetRef:
    overlays = tuple(record.Overlaid(o.id, o.title, o.because, o.standing.value) for o in sheet.overlays)
    return record.SheetRef(
        sheet.id, sheet.title, sheet.body, sheet.publisher, sheet.edition, sheet.language, sheet.standing.value,
        sheet.disclaimer, sheet.digest, overlays, sheet.prevails or UNSET, sheet.superseded or UNSET,
        tuple(record.Unjudged(each.clause, each.says, each.because) for each in sheet.left_out) or UNSET,
    )  # fmt: skip


def _item(item: Item) -> record.ItemRef:
    return record.ItemRef(
        item.id, item.name, tuple(record.Recheck(entry.clause, entry.when) for entry in item.check_again)
    )


def _line(finding: Finding) -> record.Line:
    clause = finding.clause
    bounds = clause.bounds
    line = record.Line(
        **{name: getattr(clause, name) for name in _AS_READ},
        clause=clause.number,
        kind=clause.kind.value,
        force=clause.force.value,
        verdict=finding.verdict.value,
        reason=finding.reason.value,
        instance=finding.instance,
        printed_unit=clause.unit.symbol if clause.unit else "",
        sheet=clause.source,
        nominal=_plain(bounds.nominal_in_base),
        lower=_plain(bounds.lower.in_base if bounds.lower else None),
        upper=_plain(bounds.upper.in_base if bounds.upper else None),
        word=finding.observation.value if finding.observation else None,
        probability=None if finding.probability is None else round(finding.probability, 6),
        missing=finding.missing,
        unit=clause.unit.base if clause.unit else "",
    )
    known = finding.measurement or finding.observation
    if known is not None and any(reading.outline or reading.pixel for reading in known.readings):
        line = structs.replace(line, photographed=True)
    line = structs.replace(line, read_by=_read_by(finding) or UNSET, **_persons_word(finding))
    return line if finding.measurement is None else _with_measurement(line, finding.measurement)


def _as_stated(outcome: Outcome, line: record.Line) -> record.Line:
    """A value that a file only states was sent by a gauge is one that somebody entered."""
    stated = line.read_by == "instrument" and any(each.code == GAUGE_STATED for each in outcome.notices)
    return structs.replace(line, read_by="typed") if stated else line


def _read_by(finding: Finding) -> str:
    """How the evidence came in; where several readings went into it, as the least direct of them."""
    known = finding.measurement or finding.observation
    if known is None:
        return ""
    if finding.measurement is not None and finding.measurement.formula:
        return "derived"
    if any(reading.from_photo for reading in known.readings):
        return "photo"
    if finding.observation is not None:
        return "observed"
    return "instrument" if any(reading.time or reading.serial for reading in known.readings) else "typed"


def _persons_word(finding: Finding) -> dict[str, str | bool]:
    """Who decided or confirmed what, and on which answer it hangs whether the clause applies."""
    clause, ruling, found = finding.clause, finding.ruling, finding.measurement
    said: dict[str, str | bool] = {}
    if ruling is not None:
        said["decision"] = "accept" if ruling.accepted else "reject"
        said["decided_by"] = clean(ruling.by, where="by", needed=True)
        said["decided_because"] = clean(ruling.because, where="because", needed=True)
    if found is not None and found.confirmed:
        said["confirmed"] = True
    if clause.when is not None:
        said["condition"] = clause.when.characteristic
    return said


def _with_measurement(line: record.Line, measurement: Measurement) -> record.Line:
    return structs.replace(
        line,
        unit=measurement.unit,
        value=_plain(measurement.value),
        u=_short(measurement.standard_uncertainty),
        dof=_short(measurement.dof),
        formula=measurement.formula,
        instruments=measurement.instruments,
        budget=tuple(_sources(measurement.budget or ())),
    )


def _sources(budget: Budget) -> Iterable[record.BudgetSource]:
    largest_first = sorted(budget, key=lambda part: part.standard, reverse=True)
    return (record.BudgetSource(part.source, _short(part.standard) or "0", _short(part.dof)) for part in largest_first)


def _plain(number: Decimal | None) -> str | None:
    return None if number is None else f"{number:f}"


def _short(number: Decimal | None) -> str | None:
    """A number without the tail of digits that a square root leaves."""
    if number is None:
        return None
    if len(number.as_tuple().digits) > _SIGNIFICANT:
        number = Decimal(f"{number:.{_SIGNIFICANT - 1}e}")
    return f"{number:f}"


def _reading(reading: Reading) -> record.RawReading:
    folder, separator, place = reading.where.partition(": ")
    where = f"{PurePath(folder).name}{separator}{place}"
    return record.RawReading(
        reading.characteristic, reading.value, reading.instance, reading.unit, reading.standard, reading.instrument,
        where, reading.raw, reading.time, reading.serial, reading.confidence or UNSET, reading.decision or UNSET,
        clean(reading.by, where="by") or UNSET, clean(reading.because, where="because") or UNSET,
        reading.confirmed or UNSET, clean(reading.note, where="note") or UNSET,
    )  # fmt: skip


def _gauge(gauge: Instrument, *, expired: bool) -> record.Gauge:
    until = gauge.calibrated_until.isoformat() if gauge.calibrated_until else None
    return record.Gauge(
        gauge.id, gauge.name, gauge.kind, str(gauge.resolution), gauge.maker, gauge.serial, until, gauge.calibration,
        expired,
    )  # fmt: skip
