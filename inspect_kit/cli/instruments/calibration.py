"""`instruments certificate` and `history`: a calibration taken over from its certificate, and the checks over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.daily_checks import read_checks
from inspect_kit.capture.gauges.calibration import CalibrationCertificate, CalibrationPoint, calibrated, read_dcc
from inspect_kit.capture.instruments import Instrument, checked_sheet, load_instruments
from inspect_kit.cli.options import FILE, day_option, home_folder, json_option, own_instruments
from inspect_kit.cli.terminal import columns, in_figures, lang, print_result, said, warn
from inspect_kit.clock import today
from inspect_kit.errors import InspectKitError, UsageError
from inspect_kit.values.quantity import Quantity, parse_number, parse_quantity

if TYPE_CHECKING:
    from inspect_kit.quality.gauge.drift import PointHistory

_Read = TypeVar("_Read")


@click.command("certificate")
@click.argument("name", metavar="ID")
@click.argument("file", type=FILE, required=False)
@day_option("--until", "Last day of the calibration, as you have decided it.")
@json_option
def certificate(name: str, file: Path | None, until: datetime | None) -> None:
    """Take a gauge's calibration over from its certificate: a DCC file (XML), or a paper one by questions.

    The largest uncertainty of its points goes onto the gauge's sheet, and the largest error as not corrected.

    \b
    Example:
      inspect-kit instruments certificate desk-scale dcc.xml --until 2027-11-30
      inspect-kit instruments certificate desk-caliper
    """
    folder = own_instruments()
    path = folder / f"{name}.toml"
    gauge = load_instruments([name], [folder])[name]
    if not path.is_file():
        raise UsageError("gauge-is-a-kind", where=name)
    found = read_dcc(file) if file else _asked(gauge)
    last = until.date() if until else None if file else _day(said("ask-last-day"), empty=True)
    after = calibrated(gauge, found, last)
    write_whole(path, checked_sheet(after).encode())
    warn(*_doubts(file, last))
    print_result(_data(after, found), *_lines(found), str(path), after.calibration)


def _doubts(file: Path | None, until: date | None) -> Iterator[str]:
    if file:
        yield said("dcc-seal-unchecked")
    if until is None:
        yield said("calibration-open")
    elif until < today():
        yield said("calibration-ended", day=until.isoformat())


def _data(gauge: Instrument, found: CalibrationCertificate) -> dict[str, object]:
    until = gauge.calibrated_until
    return {
        "id": gauge.id, "calibration": gauge.calibration, "performed": found.performed.isoformat(),
        "calibrated_until": until.isoformat() if until else None, "serial": gauge.serial,
        "points": [
            {"nominal": str(p.nominal), "error": str(p.error), "expanded": str(p.expanded), "coverage": str(p.coverage)}
            for p in found.points
        ],
        "uncertainty": [{"source": effect.source, "size": str(effect.size)} for effect in gauge.effects],
    }  # fmt: skip


def _lines(found: CalibrationCertificate) -> Iterable[str]:
    rows = [tuple(map(in_figures, (p.nominal, p.error, p.expanded, p.coverage))) for p in found.points]
    return columns([(said("head-nominal"), said("head-error"), "U", "k"), *rows])


# A paper certificate, question by question.


def _asked(gauge: Instrument) -> CalibrationCertificate:
    """As it lies on the table, from its head to its last point."""
    click.echo(said("ask-certificate", gauge=gauge.id, name=gauge.name), err=True)
    number = click.prompt(said("ask-number"), err=True)
    laboratory = click.prompt(said("ask-laboratory"), err=True)
    performed = _day(said("ask-calibrated-on"))
    serial = click.prompt(said("ask-serial"), default=gauge.serial, err=True)
    coverage = _until_good(said("ask-coverage"), lambda text: parse_number(text, where="k"), "2")
    assert performed is not None
    return CalibrationCertificate(number, laboratory, performed, tuple(_points(gauge, coverage)), serial)


def _points(gauge: Instrument, coverage: Decimal) -> Iterator[CalibrationPoint]:
    unit = gauge.resolution.unit

    def quantity(question: str) -> Quantity:
        return _until_good(question, lambda text: parse_quantity(text, unit, where=question))

    while (text := click.prompt(said("ask-nominal"), default="", show_default=False, err=True)).strip():
        try:
            nominal = parse_quantity(text, unit, where="nominal value")
        except InspectKitError as problem:
            click.echo(problem.said(lang()), err=True)
            continue
        shown = quantity("  " + said("ask-shown-at", nominal=in_figures(nominal)))
        error = Quantity(shown.in_base - nominal.in_base, parse_quantity("0", unit).unit)
        yield CalibrationPoint(nominal, error, quantity("  " + said("ask-expanded")), coverage)


def _until_good(question: str, read: Callable[[str], _Read], default: str | None = None) -> _Read:
    """Ask until the answer can be used."""
    while True:
        try:
            return read(click.prompt(question, default=default, err=True))
        except InspectKitError as problem:
            click.echo(problem.said(lang()), err=True)


def _day(question: str, *, empty: bool = False) -> date | None:
    while True:
        text = click.prompt(question, default="" if empty else None, show_default=False, err=True).strip()
        if empty and not text:
            return None
        try:
            return date.fromisoformat(text)
        except ValueError:
            click.echo(said("write-day"), err=True)


# The checks over time.


@click.command("history")
@click.argument("name", metavar="ID")
@click.option("--plot", type=FILE, help="Draw it: OUT.svg, .png or .pdf.")
@click.option("--within", type=click.IntRange(1, 3650), default=60, show_default=True, help="Days to look ahead.")
@json_option
def history(name: str, plot: Path | None, within: int) -> int:
    """A gauge's checks as a control chart, and a drift before it reaches what is permitted.

    Exit code 1 if the last check failed, 3 if it drifts so that the limit is reached within the days looked ahead.

    \b
    Example:
      inspect-kit instruments history desk-scale --plot desk-scale.png
    """
    from inspect_kit.quality.drawing import format_of, rendered
    from inspect_kit.quality.gauge.drift import histories
    from inspect_kit.quality.gauge_drawing import history_drawing

    form = format_of(plot) if plot else ""
    load_instruments([name], [own_instruments()])
    checks, damaged = read_checks(home_folder(), name)
    warn(*(said("check-line-damaged", number=number) for number in damaged))
    if not checks:
        raise UsageError("never-checked", where=name)
    points = histories(checks)
    if plot:
        write_whole(plot, rendered(history_drawing(name, points), form, (7.0, 2.4 * len(points)), lang()))
    soon = [point for point in points if point.reaches and (point.reaches - today()).days <= within]
    states = [{"time": c.time.isoformat(timespec="seconds"), "state": c.state or "daily", "passed": c.passed}
              for c in checks]  # fmt: skip
    data = {"id": name, "checks": states, "points": [_point_data(point) for point in points]}
    print_result(data, *_history_lines(points))
    return 1 if not checks[-1].passed else 3 if soon else 0


def _point_data(point: PointHistory) -> dict[str, object]:
    chart = point.chart
    return {
        "nominal": point.nominal, "unit": point.unit, "days": [day.isoformat() for day in point.days],
        "errors": list(point.errors), "permitted": point.permitted,
        "centre": float(chart.upper.centre[0]) if chart else None, "ucl": float(chart.upper.ucl[0]) if chart else None,
        "lcl": float(chart.upper.lcl[0]) if chart else None,
        "signals": [{"rule": s.rule, "points": list(s.points)} for s in chart.signals] if chart else [],
        "drift_per_day": point.drift, "reaches_limit": point.reaches.isoformat() if point.reaches else None,
    }  # fmt: skip


def _history_lines(points: tuple[PointHistory, ...]) -> Iterable[str]:
    rows = [tuple(map(said, _HISTORY_HEADS))]
    for point in points:
        chart = point.chart
        limits = f"{chart.upper.lcl[0]:.3g} … {chart.upper.ucl[0]:.3g}" if chart else said("too-few-checks")
        rows.append((*map(in_figures, (
            point.nominal, len(point.errors), f"{point.errors[-1]:.4g} {point.unit}",
            f"{point.permitted:.4g} {point.unit}", limits,
        )), _drift(point)))  # fmt: skip
    return columns(rows)


_HISTORY_HEADS: Final = (
    "head-nominal", "head-checks", "head-last-error", "head-permitted", "head-control-limits", "head-drift",
)  # fmt: skip


def _drift(point: PointHistory) -> str:
    if not point.drift:
        return said("no-drift")
    a_day = {"drift": f"{point.drift:+.2g}", "unit": point.unit}
    return said("drift-to-limit", day=point.reaches, **a_day) if point.reaches else said("drift-a-day", **a_day)
