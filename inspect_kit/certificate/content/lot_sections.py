"""The sections that a lot certificate has of its own: plan, results, process, pieces."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from inspect_kit.certificate.content.findings import percent
from inspect_kit.certificate.content.model import Block, Facts, Field, Listing, Paragraph, Plot, Section, columns_of
from inspect_kit.certificate.content.wording import Wording, figure, fixed, number_of, stated, two_digits
from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.quality.drawing import MOST_FRAMES, ChartLook, chart_drawing, histogram_drawing, stride_of
from inspect_kit.quality.lot.judge import DEFECT, DOUBTFULLY_NORMAL, NOT_NORMAL, Sampling
from inspect_kit.quality.lot.record import ClassPart, Delivery, Lot, LotRecord, MeasuredSeries, Nonconforming
from inspect_kit.quality.lot.study import LotStudy
from inspect_kit.quality.process import charts
from inspect_kit.quality.process.capability import Capability, Index, Stratified, Stratum
from inspect_kit.quality.process.distributions import PercentileCapability
from inspect_kit.quality.sampling.attributes import LARGEST_PERCENTAGE
from inspect_kit.quality.sampling.operating_curve import quality_at

_HISTOGRAM: Final = 60.0
"""Height of a histogram on the page, in millimetres."""
_TRACK: Final = 35.0
"""Height of one track of a control chart, in millimetres."""


def _histogram(study: LotStudy, words: Wording) -> Plot:
    """The values against the limits."""
    values = study.sample.values
    sigma = study.sample.deviation if len(values) > 1 else 0.0
    draw = histogram_drawing(values, sigma, study.limits, words.unit(study.series.unit))
    return Plot(draw, _HISTOGRAM, words.say("figure.histogram"), words.language)


def _chart(record: LotRecord, chart: charts.Chart, words: Wording) -> Plot:
    """Both tracks of the chart, and in its caption what is drawn, and only that."""
    counted = words.say("figure.point" if chart.kind == "imr" or not record.lot.groups else "figure.subgroup")
    said = [words.say("figure.chart")]
    framed = [chart.flagged, () if chart.lower is None else chart.lower.outside]
    if any(0 < len(points) <= MOST_FRAMES for points in framed):
        said.append(words.say("figure.framed"))
    stride = stride_of(len(chart.upper.points))
    if stride > 1:
        said.append(words.say("figure.crowded", number=stride))
    look = ChartLook(counted=counted, bare=True)
    return Plot(chart_drawing(chart, look=look), _TRACK * len(framed), " ".join(said), words.language)


MOST_PIECES: Final = 500
"""Entries that are printed; the record has them all."""
_FEW: Final = 25
"""So many pieces are listed before the process; a longer list comes after it."""
_DOUBTFUL: Final = 0.05
"""p-value below which strata are said to differ, and a process not to be normally distributed."""
_NEGLIGIBLE: Final = 0.01
"""Pieces in a million below which a figure says nothing."""
_COVERAGE: Final = 2
"""Factor k between standard and expanded uncertainty, for about 95 %."""
_CONDITIONAL: Final = (Reason.CONDITIONAL_PASS, Reason.CONDITIONAL_FAIL)
_STANDARDS: Final = {"z1.9": "ANSI/ASQ Z1.9", "mil-std-414": "MIL-STD-414"}


def lot_sections(record: LotRecord, studies: Sequence[LotStudy], words: Wording) -> tuple[Section, ...]:
    """Every section of the lot's own, in the order of the document."""
    pieces = Section(words.say("heading.pieces"), tuple(_pieces(record, words)))
    # One page a characteristic: drawing, figures and chart are read together.
    heads = (words.say("heading.process", name=name_of(study.series, words)) for study in studies)
    process = [Section(head, tuple(_process(record, study, words)), new_page=True)
               for head, study in zip(heads, studies, strict=True)]  # fmt: skip
    return (
        Section(words.say("heading.sampling"), tuple(_sampling(record, words))),
        Section(words.say("heading.results"), tuple(_all_results(record, studies, words))),
        *((pieces, *process) if len(record.lot.nonconforming) <= _FEW else (*process, pieces)),
    )


def name_of(series: MeasuredSeries, words: Wording) -> str:
    """A characteristic by its name."""
    if series.characteristic == DEFECT:
        return words.say("pieces.defect")
    return words.name("characteristic", series.characteristic, series.name)


def requirement_of(series: MeasuredSeries, words: Wording) -> str:
    """The limits in the unit of the values; of what is judged by eye, the requirement in its own words."""
    if not series.measured:
        return words.sentence(series.printed) if series.printed else "–"
    unit = series.unit
    ends = (series.lower, series.upper)
    lower, upper = (None if text is None else words.number(number_of(text, where="limit")) for text in ends)
    if lower is not None and upper is not None:
        return words.say("limits.between", lower=lower, upper=words.quantity(upper, unit))
    return f"≥ {words.quantity(lower, unit)}" if lower is not None else f"≤ {words.quantity(upper or '', unit)}"


# The plan


def short_plan(record: LotRecord, words: Wording) -> str:
    """The plan in one line, for the first page."""
    plan = record.lot.plan
    if plan.kind == Sampling.ALL:
        return words.say("plan.short_all")
    if plan.by_class:
        told = "; ".join(_short_class(each, words) for each in plan.by_class)
        return words.say("plan.short_classes", level=plan.level, severity=_severity(record, words), sample=plan.sample,
                         classes=told)  # fmt: skip
    return words.say(
        f"plan.short_{plan.kind}", aql=_aql(record, words), level=plan.level, severity=_severity(record, words),
        sample=plan.sample, accept=plan.accept, reject=plan.reject, k=_optional(plan.k, words),
    )  # fmt: skip


def _short_class(each: ClassPart, words: Wording) -> str:
    aql = words.number(number_of(each.aql, where="aql"))
    return words.say(
        "plan.short_class", name=words.say(f"class.{each.name}"), aql=aql, accept=each.accept, reject=each.reject
    )


def _classes(record: LotRecord, words: Wording) -> Listing:
    """The classes of defects, each with what was allowed and found."""
    titles = {"class": 0.13, "covers": 0.31, "aql": 0.08, "size": 0.10, "numbers": 0.12, "found": 0.10, "outcome": 0.16}
    columns = columns_of(words, *((f"class.{key}", share) for key, share in titles.items()))
    names = {series.characteristic: name_of(series, words) for series in record.lot.series}
    rows = tuple(
        (
            words.say(f"class.{each.name}"), "; ".join(names[name] for name in each.characteristics) or "–",
            words.number(number_of(each.aql, where="aql")), words.number(Decimal(each.sample)),
            f"{each.accept} / {each.reject}", f"{each.failed} / {each.undecided}", words.say(f"overall.{each.verdict}"),
        )
        for each in record.lot.plan.by_class
    )  # fmt: skip
    return Listing(columns, rows, ruled=True)


def at_least(count: int, lot: Lot, words: Wording) -> str:
    """A number of pieces; where photos could not be measured, nobody knows how many more there are."""
    shown = words.number(Decimal(count))
    return f"≥ {shown}" if lot.uncounted else shown


def _aql(record: LotRecord, words: Wording) -> str:
    return words.number(number_of(record.lot.plan.aql or "0", where="aql"))


def _severity(record: LotRecord, words: Wording) -> str:
    """How it was inspected; each class by itself where they differ."""
    plan = record.lot.plan
    if plan.common_severity:
        return words.say(f"severity.{plan.common_severity}")
    told = (f"{words.say(f'class.{name}')}: {words.say(f'severity.{each}')}" for name, each in plan.severities.items())
    return ", ".join(told)


def _optional(number: float | None, words: Wording) -> str:
    return "" if number is None else figure(number, 4, words)


def _sampling(record: LotRecord, words: Wording) -> Iterator[Block]:
    lot, plan = record.lot, record.lot.plan
    rows = {"lot_size": at_least(lot.size, lot, words), "plan": _kind(record, words)}
    if plan.aql is not None:
        percent = Decimal(plan.aql) <= LARGEST_PERCENTAGE
        rows["aql"] = words.say("plan.aql_percent" if percent else "plan.aql_hundred", aql=_aql(record, words))
        rows |= {"level": plan.level, "severity": _severity(record, words), "code": plan.code}
    if plan.by_class:
        rows |= {"level": plan.level, "severity": _severity(record, words)}
    rows["sample"] = words.number(Decimal(plan.sample))
    if plan.accept is not None:
        rows["numbers"] = words.say("plan.numbers", accept=plan.accept, reject=plan.reject)
        rows["risk"] = _risk(record, words)
    if plan.k is not None:
        rows["index"] = words.say("plan.constant", k=_optional(plan.k, words), m=_optional(plan.m_percent, words))
    rows["found"] = words.say("plan.found", failed=lot.failed, open=lot.undecided)
    if lot.lacking:
        rows["not_inspected"] = at_least(lot.lacking, lot, words)
    rows["outcome"] = words.say(f"overall.{record.verdict}")
    yield Facts(tuple(Field(words.say(f"field.{key}"), text) for key, text in rows.items() if text))
    if plan.by_class:
        yield _classes(record, words)
        yield Paragraph(words.say("plan.decides_classes", sample=plan.sample))
    else:
        yield Paragraph(words.say(f"plan.decides_{plan.kind}", most=(plan.reject or 1) - 1))
    estimates = [_estimate(series, record, words) for series in lot.series if series.decided is not None]
    if estimates:
        yield Paragraph("\n".join(estimates))


def lot_remarks(record: LotRecord, words: Wording) -> Iterator[str]:
    """What the first page must say besides the verdict."""
    lot = record.lot
    if isinstance(lot.delivery, Delivery) and lot.delivery.document and record.verdict == Verdict.CONFORMS:
        yield words.say("delivery.certificate_31")
    if lot.missed:
        yield words.say("remark.missed", number=len(lot.missed))
    if lot.lacking:
        yield words.say("remark.not_inspected", number=at_least(lot.lacking, lot, words))
    if lot.plan.kind == Sampling.VARIABLES:
        yield from _remarks_by_variables(record, words)


def _remarks_by_variables(record: LotRecord, words: Wording) -> Iterator[str]:
    decided = [(series, series.decided.normality_p) for series in record.lot.series if series.decided is not None]
    for series, p in decided:
        if isinstance(p, float) and p < DOUBTFULLY_NORMAL:
            said = "remark.not_normal" if p < NOT_NORMAL else "remark.doubtfully_normal"
            yield _with_p(said, p, words, name=name_of(series, words))
    if record.lot.failed:
        yield words.say("remark.outside", number=record.lot.failed)
    if any(series.decided is None and series.fail for series in record.lot.series):
        yield words.say("remark.defects")


def _kind(record: LotRecord, words: Wording) -> str:
    plan = record.lot.plan
    if plan.kind == Sampling.ATTRIBUTES and plan.reduced:
        return words.say("plan.attributes_reduced")
    if plan.kind != Sampling.VARIABLES:
        return words.say(f"plan.{plan.kind}")
    standard = _STANDARDS.get(plan.standard, plan.standard)
    if plan.sigma is None:
        return words.say("plan.variables_s", standard=standard)
    return words.say("plan.variables_sigma", standard=standard, sigma=figure(plan.sigma, 4, words))


def _risk(record: LotRecord, words: Wording) -> str:
    """What the plan lets through, of a long series; nothing to say where the sample is the lot or all may fail."""
    plan = record.lot.plan
    most = (plan.reject or 1) - 1
    if plan.sample >= record.lot.size or most >= plan.sample or Decimal(plan.aql or 0) > LARGEST_PERCENTAGE:
        return ""
    good, bad = (figure(100 * quality_at(plan.sample, most, share), 2, words) for share in (0.95, 0.10))
    return words.say("plan.risk", good=good, bad=bad)


def _estimate(series: MeasuredSeries, record: LotRecord, words: Wording) -> str:
    assert series.decided is not None
    outcome = words.say("plan.accepted" if series.decided.accepted else "plan.refused")
    return words.say(
        "plan.estimate", name=name_of(series, words), percent=figure(series.decided.percent, 3, words),
        m=_optional(record.lot.plan.m_percent, words), outcome=outcome,
    )  # fmt: skip


# Results


def _results(studies: Sequence[LotStudy], words: Wording) -> Listing:
    titles = (
        ("clause", 0.08), ("characteristic", 0.18), ("requirement", 0.16), ("count", 0.07), ("least", 0.08),
        ("mean", 0.08), ("most", 0.08), ("deviation", 0.08), ("expanded", 0.07), ("tally", 0.12),
    )  # fmt: skip
    return Listing(columns_of(words, *titles), tuple(_result(study, words) for study in studies), ruled=True)


def _all_results(record: LotRecord, studies: Sequence[LotStudy], words: Wording) -> Iterator[Block]:
    """What was measured, and below it what was judged by eye or by a gauge that says go or no-go."""
    if studies:
        yield _results(studies, words)
    studied = {study.series.characteristic for study in studies}
    seen = [series for series in record.lot.series if series.characteristic not in studied]
    if seen:
        titles = (("clause", 0.08), ("characteristic", 0.28), ("requirement", 0.38), ("count", 0.08), ("tally", 0.18))
        yield Listing(columns_of(words, *titles), tuple(_seen_row(series, words) for series in seen), ruled=True)


def _seen_row(series: MeasuredSeries, words: Wording) -> tuple[str, ...]:
    count = sum(value is not None for value in series.values)
    return (
        series.clause, name_of(series, words), requirement_of(series, words), words.number(Decimal(count)),
        f"{series.conform} / {series.fail} / {series.undecided}",
    )  # fmt: skip


def _result(study: LotStudy, words: Wording) -> tuple[str, ...]:
    series, values = study.series, study.series.numbers
    spread = study.sample.deviation if len(values) > 1 else 0.0
    return (
        series.clause,
        name_of(series, words),
        requirement_of(series, words),
        words.number(Decimal(len(values))),
        words.number(min(map(Decimal, values))),
        mean_text(study, words),
        words.number(max(map(Decimal, values))),
        figure(spread, 3, words) if spread else "–",
        _expanded(series, words),
        f"{series.conform} / {series.fail} / {series.undecided}",
    )


def _expanded(series: MeasuredSeries, words: Wording) -> str:
    """The expanded uncertainty of a value; of values that have each their own, the largest."""
    known = [number_of(standard, where="u") for standard in series.u if standard is not None]
    if not known or len(known) < len(series.u):
        return "–"
    largest = _COVERAGE * max(known)
    shown = words.number(two_digits(largest) if largest else largest)
    return shown if len(known) == 1 else f"≤ {shown}"


def mean_text(study: LotStudy, words: Wording) -> str:
    """The mean, with one digit more than the values have."""
    places = max(len(value.partition(".")[2]) for value in study.series.numbers)
    return fixed(study.sample.mean, places + 1, words)


# The process


def _process(record: LotRecord, study: LotStudy, words: Wording) -> Iterator[Block]:
    found = study.capability
    yield _histogram(study, words)
    if found is None:
        yield Paragraph(words.say("capability.none"))
        return
    yield _capability(study, found, words)
    both = found.long_term.potential is not None
    method = words.say("capability.statement" if both else "capability.statement_actual")
    yield Paragraph(" ".join(filter(None, (_normality(found, words), _evidence(study, words), method))))
    if study.chart is None:
        yield Paragraph(words.say("figure.no_order"))
    else:
        yield _chart(record, study.chart, words)
        yield Paragraph(_signals(record, study, words))
    for each in study.strata:
        yield _strata(each, words)
        if each.p_value is not None:
            said = "strata.differ" if each.p_value < _DOUBTFUL else "strata.alike"
            yield Paragraph(_with_p(said, each.p_value, words))


def _evidence(study: LotStudy, words: Wording) -> str:
    """Which distribution was chosen, and what speaks for it."""
    found = study.percentiles
    if found is None:
        return ""
    ordered = sorted(found.tried.items(), key=lambda pair: pair[1])
    tried = "; ".join(f"{words.say(f'distribution.{name}')} {fixed(aicc, 1, words)}" for name, aicc in ordered)
    return words.say("capability.evidence", name=_distribution(found, words), tried=tried)


def _distribution(found: PercentileCapability, words: Wording) -> str:
    return words.say(f"distribution.{found.chosen.name}")


def _strata(found: Stratified, words: Wording) -> Listing:
    """One row a machine, cavity, …"""
    titles = ((f"strata.{found.by}", 0.30), ("count", 0.10), ("mean", 0.15), ("deviation", 0.15), ("strata.ppk", 0.10),
              ("interval", 0.20))  # fmt: skip
    return Listing(columns_of(words, *titles), tuple(_stratum(each, words) for each in found.strata), ruled=True)


def _stratum(stratum: Stratum, words: Wording) -> tuple[str, ...]:
    return (
        stratum.name, words.number(Decimal(stratum.count)), figure(stratum.mean, 6, words),
        figure(stratum.deviation, 3, words) if stratum.deviation else "–",
        "–" if stratum.ppk is None else fixed(stratum.ppk, 2, words),
        _interval(stratum.ppk_interval, words) if stratum.ppk_interval else "–",
    )  # fmt: skip


def _interval(ends: tuple[float, float], words: Wording) -> str:
    low, high = (fixed(end, 2, words) for end in ends)
    return words.say("capability.interval", low=low, high=high)


def _capability(study: LotStudy, found: Capability, words: Wording) -> Listing:
    """The indices; those within, which live on the order of making, only where that is known."""
    titles = (("quantity", 0.30), ("figure", 0.10), ("interval", 0.22), ("remark", 0.38))
    method = "by_moving" if "moving" in found.within.method else "by_ranges"
    fraction = 1e6 * found.expected_fraction
    # No finer than such an estimate can be.
    shown = figure(fraction, 2, words) if fraction >= _NEGLIGIBLE else f"< {figure(_NEGLIGIBLE, 1, words)}"
    million = words.say("capability.million", number=shown)
    within = (
        *_index(("cp", "cpk"), found.short_term, words),
        (_quantity("within", words), figure(found.within.sigma, 4, words), "", words.say(f"capability.{method}")),
    )
    rows = (
        *(within if study.chart is not None else ()),
        *_index(("pp", "ppk"), found.long_term, words),
        *_by_percentiles(study.percentiles, words),
        (_quantity("overall", words), figure(found.overall.sigma, 4, words), "", words.say("capability.by_deviation")),
        (_quantity("outside", words), "", "", million),
    )
    return Listing(columns_of(words, *titles), rows)


def _by_percentiles(found: PercentileCapability | None, words: Wording) -> Iterator[tuple[str, ...]]:
    """The indices that hold where the values are not normal."""
    if found is not None:
        for key, value in (("pp_percentile", found.pp), ("ppk_percentile", found.ppk)):
            if value is not None:
                yield _quantity(key, words), fixed(value, 2, words), "", _distribution(found, words)


def _quantity(key: str, words: Wording) -> str:
    return words.say(f"capability.{key}")


def _index(keys: tuple[str, str], index: Index, words: Wording) -> Iterator[tuple[str, ...]]:
    pairs = ((keys[0], index.potential, index.potential_interval), (keys[1], index.actual, index.actual_interval))
    for key, value, interval in pairs:
        if value is not None and interval is not None:
            yield _quantity(key, words), fixed(value, 2, words), _interval(interval, words), ""


def _normality(found: Capability, words: Wording) -> str:
    p = found.normality_p
    if p is None:
        return ""
    return _with_p("capability.normal" if p >= _DOUBTFUL else "capability.not_normal", p, words)


def _with_p(key: str, p: float, words: Wording, **facts: object) -> str:
    """A sentence with a p-value; a very small one is said to be smaller than what is printed."""
    text = f"< {fixed(0.001, 3, words)}" if p < 0.001 else fixed(p, 3 if p < 0.1 else 2, words)
    return words.say(key, p=text, **facts).replace("= <", "<")


_SETS: Final = {"nelson": "Nelson", "western-electric": "Western Electric"}


def _signals(record: LotRecord, study: LotStudy, words: Wording) -> str:
    chart = study.chart
    assert chart is not None
    found = [(words.say(f"signal.{signal.code}"), signal.points) for signal in chart.signals]
    # Neighbouring moving ranges share a piece: their chart gives many false alarms and is shown, not judged.
    if chart.lower is not None and chart.lower.outside and chart.kind != "imr":
        name = words.say(f"figure.{chart.lower.name.replace(' ', '_')}")
        found.append((words.say("signal.lower_track", name=name), chart.lower.outside))
    rules = _SETS.get(record.lot.rules) or words.say("signal.numbers", numbers=record.lot.rules.replace(",", ", "))
    rate = words.say("signal.rate", percent=figure(100 * (study.false_alarms or 0), 2, words))
    if not found:
        return f"{words.say('signal.none', rules=rules)} {rate}"
    said = "; ".join(words.say("signal.points", text=text, points=_some(points, words)) for text, points in found)
    return f"{words.say('signal.found', rules=rules, signals=said)} {rate}"


def _some(points: Sequence[int], words: Wording) -> str:
    shown = ", ".join(map(str, points[:8]))
    return words.say("signal.more", points=shown, number=len(points) - 8) if len(points) > 8 else shown


# Pieces


def _pieces(record: LotRecord, words: Wording) -> Iterator[Block]:
    odd = record.lot.nonconforming
    if not odd:
        yield Paragraph(words.say("pieces.none"))
        return
    if any(piece.verdict == Verdict.FAILS for piece in odd):
        yield Paragraph(words.say("pieces.statement"))
    titles = (("piece", 0.14), ("characteristic", 0.21), ("requirement", 0.16), ("result", 0.17), ("verdict", 0.32))
    series = {part.characteristic: part for part in record.lot.series}
    rows = tuple(piece_row(piece, series, words) for piece in odd[:MOST_PIECES])
    yield Listing(columns_of(words, *titles), rows)
    if len(odd) > MOST_PIECES:
        yield Paragraph(words.say("pieces.more", shown=MOST_PIECES, number=words.number(Decimal(len(odd)))))


def piece_row(piece: Nonconforming, series: dict[str, MeasuredSeries], words: Wording) -> tuple[str, ...]:
    """One piece that does not conform."""
    of = series[piece.characteristic]
    verdict = f"{words.say(f'verdict.{piece.verdict}')}: {words.say(f'reason.{piece.reason}')}"
    if piece.reason in _CONDITIONAL and piece.probability is not None:
        verdict += "; " + words.say("reason.probability", probability=percent(piece.probability, words))
    return piece.piece, name_of(of, words), requirement_of(of, words), result_text(piece, of, words), verdict


def result_text(piece: Nonconforming, series: MeasuredSeries, words: Wording) -> str:
    """The value with its expanded uncertainty, or the word that was recorded."""
    if piece.value is None:
        return "–"
    if not series.measured or piece.value in ("yes", "no"):
        return words.frame.get(f"answer.{piece.value}", piece.value)
    expanded = None if piece.u is None else _COVERAGE * number_of(piece.u, where="u")
    shown = stated(number_of(piece.value, where="value"), expanded)
    spread = f" ± {words.number(shown.expanded)}" if shown.expanded else ""
    return words.quantity(words.number(shown.value) + spread, series.unit)
