"""`qa capability` and `qa chart`: what a process does, from its readings in order of making."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import read_text
from inspect_kit.cli.options import PATH, json_option, plot_option
from inspect_kit.cli.qa.options import file_argument, name_of, plot_target, save_plot, table_of, word_of
from inspect_kit.cli.terminal import columns, in_figures, lang, print_result, said, warn
from inspect_kit.errors import BadInput, UsageError, worded_fact
from inspect_kit.quality.drawing import ChartLook, capability_drawing, chart_drawing
from inspect_kit.quality.process import capability as studies
from inspect_kit.quality.process import charts
from inspect_kit.quality.process.capability import capability as study_capability
from inspect_kit.quality.process.charts import readings_of
from inspect_kit.quality.process.distributions import by_percentiles, cpm, resolved_sigma
from inspect_kit.quality.process.run_rules import false_alarm_rate, rules_named
from inspect_kit.quality.sample import Sample, limits_given, positive_number, typed_number
from inspect_kit.quality.table import Table
from inspect_kit.strict_json import parse_json
from inspect_kit.values.limits import Limits

DOUBTFUL = 0.01
"""p-value below which a normal distribution is doubted, and strata are said to differ."""


@click.command("capability")
@file_argument
@click.option("--lower", help="The lower limit, such as 30.2mm.")
@click.option("--upper", help="The upper limit.")
@click.option("--spec", metavar="ID", help="Take the limits from this sheet.")
@click.option("--characteristic", metavar="C", help="Which characteristic of the sheet, or of the file.")
@click.option("--item", help="Which item of the sheet, where several have that characteristic.")
@click.option("--subgroup", metavar="COLUMN", help="The column that tells which pieces were made together.")
@click.option("--within", type=click.Choice(["ranges", "pooled"]), default="ranges", show_default=True,
              help="With --subgroup: σ within from their mean range, or pooled.")  # fmt: skip
@click.option("--target", help="The value aimed at, for Cpm (default: the middle of the limits).")
@click.option("--resolution", help="Step of the display: also σ with what the steps hide worked in.")
@click.option("--distribution", type=click.Choice(["normal", "box-cox", "weibull", "johnson-su", "johnson-sb"]),
              help="For the percentile method (default: chosen by evidence).")  # fmt: skip
@plot_option
@json_option
def capability(file: Path, subgroup: str | None, **given: str | None) -> None:
    """How the process fits between its limits: Cp, Cpk, Pp, Ppk with confidence limits.

    The file has a column `value`, one row a piece, in order of making. Where the readings are not normal, the indices
    by percentiles (ISO 22514-2) of the distribution with the best evidence are given too.

    \b
    Example:
      inspect-kit qa capability coins.csv --spec icf-cs --characteristic coin.diameter --plot coins.svg
    """
    target = plot_target()
    limits = limits_given(given)
    if limits is None:
        raise UsageError("capability-needs-limit-options")
    table = table_of(file, given["characteristic"])
    sample = table.sample("value")
    groups = list(studies.grouped(sample, table.texts(subgroup), table.where).values()) if subgroup else []
    study = study_capability(sample, limits, groups, table.where, pooled=given["within"] == "pooled")
    if study.normality_p is not None and study.normality_p < DOUBTFUL:
        warn(said("not-normal", p=f"{study.normality_p:.2g}"))
    further = _further(sample, limits, study, given)
    data = {**studies.capability_data(study, limits), **studies.subgroup_data(groups), **further}
    print_result(data, *_capability_lines(study), *_further_lines(further))
    chosen = given["characteristic"]
    title = name_of("characteristic", chosen) if chosen else file.stem[:40]
    save_plot(target, capability_drawing(sample.values, study, limits, title, table.unit))


def _further(
    sample: Sample, limits: Limits, study: studies.Capability, given: Mapping[str, str | None]
) -> dict[str, object]:
    """Cpm, σ behind the display's steps, and the indices by percentiles."""
    target = typed_number(given["target"], "--target")
    step = positive_number(given["resolution"], "--resolution")
    aim = None if target is None else float(target)
    data: dict[str, object] = {"cpm": cpm(study.mean, study.overall.sigma, limits, aim)}
    if step is not None:
        data["s_resolved"] = resolved_sigma(sample.offsets, step)
    found = by_percentiles(sample.values, limits, given["distribution"] or "")
    if found is None:
        return {**data, "percentile": None}
    names = ("x0_135", "x50", "x99_865")
    return {**data, "percentile": {
        "distribution": found.chosen.name, "parameters": dict(found.chosen.parameters), "aicc": dict(found.tried),
        **dict(zip(names, found.percentiles, strict=True)), "pp": found.pp, "ppk": found.ppk,
    }}  # fmt: skip


def _further_lines(data: Mapping[str, Any]) -> Iterator[str]:
    if data["cpm"] is not None:
        yield in_figures(f"Cpm {data['cpm']:.3f}")
    if "s_resolved" in data:
        yield said("resolved-sigma", sigma=f"{data['s_resolved']:.6g}")
    found = data["percentile"]
    if found is not None:
        tried = ", ".join(f"{word_of('distribution', name)} {aicc:.1f}" for name, aicc in found["aicc"].items())
        pp = "" if found["pp"] is None else f"Pp {found['pp']:.3f}, "
        indices = in_figures(f"{pp}Ppk {found['ppk']:.3f}")
        chosen = word_of("distribution", found["distribution"])
        yield said("by-percentiles", distribution=chosen, indices=indices)
        yield said("evidence", tried=in_figures(tried))


def _capability_lines(study: studies.Capability) -> Iterator[str]:
    yield said("capability-of", n=study.count, mean=f"{study.mean:.8g}", outside=study.outside)
    yield from columns((
        ("", *map(said, ("head-sigma", "head-potential", "head-actual")), "95 %"),
        _row(said("within"), study.within.sigma, "Cp", "Cpk", study.short_term),
        _row(said("overall"), study.overall.sigma, "Pp", "Ppk", study.long_term),
    ))  # fmt: skip
    yield said("sigma-within", method=study.within.method, expected=f"{1e6 * study.expected_fraction:.3g}")


def _row(name: str, sigma: float, potential: str, actual: str, index: studies.Index) -> tuple[str, ...]:
    low, high = index.actual_interval
    first = "—" if index.potential is None else f"{potential} {index.potential:.3f}"
    interval = said("from-to", low=f"{low:.3f}", high=f"{high:.3f}")
    return name, *map(in_figures, (f"{sigma:.6g}", first, f"{actual} {index.actual:.3f}")), interval


@click.command("chart")
@file_argument
@click.option(
    "--type", "kind", type=click.Choice(list(charts.CHARTS)), default="imr", show_default=True, help="The chart."
)
@click.option("--rules", default="nelson", show_default=True, metavar="R",
              help="Run rules: nelson, western-electric, or Nelson's numbers such as 1,2,5.")  # fmt: skip
@click.option("--save-limits", type=PATH, metavar="FILE.json",
              help="Phase I: keep centre and spread for later readings.")  # fmt: skip
@click.option("--limits", type=PATH, metavar="FILE.json",
              help="Phase II: judge by the centre and spread that were kept.")  # fmt: skip
@click.option("--weight", type=click.FloatRange(0, 1, min_open=True), help="EWMA: weight of the newest point [0.2].")
@click.option("--width", type=click.FloatRange(0, 20, min_open=True),
              help="EWMA: limits in standard deviations [3]; CUSUM: decision interval h [5].")  # fmt: skip
@click.option("--centre", help="The centre, where it is known beforehand.")
@click.option("--sigma", help="The standard deviation of a single piece, where it is known.")
@click.option("--subgroup", metavar="COLUMN", default="subgroup", show_default=True, help="What was made together.")
@click.option("--by", metavar="COLUMN", help="Tell points apart by machine, cavity, … and compare their means.")
@click.option("--size", type=click.IntRange(1), help="Pieces in every sample of a p chart of counts.")
@click.option("--characteristic", metavar="C", help="Which characteristic of the file.")
@plot_option
@json_option
def chart(file: Path, kind: str, rules: str, **given: Any) -> None:
    """A control chart, and the patterns on it that chance rarely makes.

    The file has a column `value`, for means also `subgroup`. For a p chart, value is 1 for a nonconforming piece and 0
    for a good one, with `subgroup`; or the number found in a sample, with a column `n` or --size. Runs, trends and
    alternations count points, not moves.

    \b
    Example:
      inspect-kit qa chart coins.csv --type xbar-r --rules western-electric --plot coins.png
    """
    target = plot_target()
    centre = typed_number(given["centre"], "--centre")
    known = charts.KnownProcess(None if centre is None else float(centre), positive_number(given["sigma"], "--sigma"))
    if given["limits"] is not None:
        known = kept_limits(given["limits"], kind, known)
    table = table_of(file, given["characteristic"])
    readings = readings_of(table, kind, str(given["subgroup"]), given["size"])
    readings = replace(readings, weight=given["weight"], width=given["width"])
    chosen = rules_named(rules)
    drawn_up = charts.draw_up(kind, readings, known, chosen)
    if given["save_limits"] is not None:
        write_whole(given["save_limits"], limits_text(drawn_up))
    rate = false_alarm_rate(len(drawn_up.upper.points), chosen) if kind == "imr" else None
    strata = _strata(table, given["by"])
    told = {} if strata is None else {"strata": studies.stratified_data(strata)}
    alarms = [] if rate is None else [said("false-alarms", percent=f"{100 * rate:.0f}")]
    data = {**charts.chart_data(drawn_up, rules), "false_alarm_rate": rate, **told}
    print_result(data, *_chart_lines(drawn_up, rules), *_strata_lines(strata), *alarms)
    title = said("chart-of", kind=kind, file=file.stem[:40])
    save_plot(target, chart_drawing(drawn_up, title, _look(table, kind, given["by"])))


def _look(table: Table, kind: str, by: str | None) -> ChartLook:
    """Units, and where single values are charted, the stratum of each."""
    strata = table.texts(by) if by and kind in _SINGLE else ()
    return ChartLook("" if kind in ("p", "np", "c", "u", "cusum") else table.unit, strata)


def _strata(table: Table, by: str | None) -> studies.Stratified | None:
    if by is None:
        return None
    found = studies.stratified(by, table.sample("value").values, table.texts(by), None)
    if found is None:
        raise BadInput("no-strata", where=table.where, by=by[:40], most=studies.MOST_STRATA)
    return found


def _strata_lines(found: studies.Stratified | None) -> Iterator[str]:
    if found is None:
        return
    rows = (
        (each.name, str(each.count), in_figures(f"{each.mean:.6g}"), in_figures(f"{each.deviation or 0:.4g}"))
        for each in found.strata
    )
    yield from columns([(found.by, "n", said("head-mean"), "s"), *rows])
    if found.p_value is not None:
        yield said("strata-differ" if found.p_value < DOUBTFUL else "strata-alike", p=f"{found.p_value:.3g}")


_SINGLE: Final = ("imr", "ewma", "cusum")
"""Charts with a point for every reading."""


def limits_text(drawn: charts.Chart) -> bytes:
    """Centre and spread of phase I, as a file."""
    data = {"format": 1, "type": drawn.kind, "centre": float(drawn.upper.centre[0]), "sigma": drawn.sigma,
            "points": len(drawn.upper.points)}  # fmt: skip
    return (json.dumps(data, indent=1) + "\n").encode()


def kept_limits(path: Path, kind: str, stated: charts.KnownProcess) -> charts.KnownProcess:
    """What phase I has kept; they are another chart's if the kinds differ."""
    if stated != charts.KnownProcess():
        raise UsageError("limits-goes-without-centre-sigma")
    try:
        data = parse_json(read_text(path, 100_000), str(path), float)
        if data["type"] != kind:
            raise UsageError("holds-limits-chart", where=str(path), type=str(data["type"])[:20])
        sigma = data["sigma"] if kind not in ("p", "np", "c", "u") else None
        return charts.KnownProcess(float(data["centre"]), None if sigma is None else float(sigma))
    except (ValueError, KeyError, TypeError):
        raise BadInput("holds-no-limits-chart", where=str(path)) from None


def _chart_lines(drawn: charts.Chart, rules: str) -> Iterator[str]:
    rows = (_track_row(track) for track in (drawn.upper, drawn.lower) if track is not None)
    yield from columns([("", "LCL", said("head-centre"), "UCL"), *rows])
    for signal in drawn.signals:
        yield said("signal", rule=signal.rule, text=signal.text, points=_some(drawn, signal.points))
    if drawn.lower is not None and drawn.lower.outside:
        yield said("track-outside", track=drawn.lower.name, points=_some(drawn, drawn.lower.outside))
    if not drawn.signals:
        yield said("no-signal", rules=rules)


def _track_row(track: charts.Track) -> tuple[str, ...]:
    varies = isinstance(charts.level_data(track.ucl), list)
    cells = (in_figures(f"{line[-1]:.6g}") for line in (track.lcl, track.centre, track.ucl))
    name = worded_fact(track.name, lang())
    return (f"{name} ({said('limits-of-last')})" if varies else name, *cells)


def _some(drawn: charts.Chart, points: tuple[int, ...]) -> str:
    shown = ", ".join(map(drawn.called, points[:12]))
    return said("points-more", shown=shown, count=len(points)) if len(points) > 12 else shown
