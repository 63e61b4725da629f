"""The checks of a gauge: the daily one, its calibration taken over from a certificate, and both over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.connections import Connection, read_connections
from inspect_kit.capture.daily_checks import Check, Point, add_check, as_data, complete, permitted_error, read_checks
from inspect_kit.capture.gauges.calibration import CalibrationCertificate, CalibrationPoint, calibrated, read_dcc
from inspect_kit.capture.gauges.own import read_gauge
from inspect_kit.capture.instruments import Instrument, checked_sheet, load_instruments
from inspect_kit.capture.wedge import typed_by_instrument
from inspect_kit.cli.instruments.read import connection_from, timeout_option, wiring_options
from inspect_kit.cli.options import FILE, Given, day_option, home_folder, json_option, own_instruments
from inspect_kit.cli.terminal import columns, in_figures, lang, print_result, said, warn
from inspect_kit.clock import now, today
from inspect_kit.errors import InspectKitError, UsageError
from inspect_kit.values.quantity import Quantity, parse_number, parse_quantity


@dataclass(frozen=True, slots=True)
class _Desk:
    """The gauge under check, and how its readings come in."""

    gauge: Instrument
    connection: Connection | None
    timeout: float
    tolerance: Quantity | None

    def quantity(self, text: str, where: str) -> Quantity:
        """A quantity in the gauge's dimension; a bare number is in the unit of its display."""
        found = parse_quantity(text, self.gauge.resolution.unit, where=where)
        if found.unit.base != self.gauge.resolution.unit.base:
            raise UsageError("nothing-measures", where=where, found=found, gauge=self.gauge.id)
        return found

    def point(self, nominal: Quantity, typed: str | None, where: str) -> Point:
        """One point: as typed, or read from the instrument once the person at the desk is ready."""
        shown, raw = self._typed(typed, where) if typed is not None else self._live(nominal, where)
        return Point(nominal, shown, permitted_error(self.gauge, nominal, self.tolerance), raw)

    def _typed(self, text: str, where: str) -> tuple[Quantity, str]:
        return self.quantity(str(typed_by_instrument(text)), where), text

    def _live(self, nominal: Quantity, where: str) -> tuple[Quantity, str]:
        if self.connection is None:
            raise UsageError("no-reading-given", where=where, place=where, nominal=nominal)
        what = said("ask-nothing-on") if nominal.number == 0 else said("ask-nominal-on", nominal=in_figures(nominal))
        click.prompt(what, default="", show_default=False, err=True)
        reading = read_gauge(self.gauge, self.connection, self.timeout)
        return self.quantity(f"{reading.value} {reading.unit}", where), reading.raw


@click.command("check")
@click.argument("name", metavar="ID")
@click.option("--zero", metavar="READING", help="What it shows with nothing on it, or with its jaws closed.")
@click.option("--reference", "references", multiple=True, metavar="NOMINAL[=READING]",
              help="A reference mass and what the scale shows for it.")  # fmt: skip
@click.option("--block", "blocks", multiple=True, metavar="NOMINAL[=READING]",
              help="A gauge block and what the caliper shows for it.")  # fmt: skip
@click.option("--tolerance", help="How far off it may be (default: its own uncertainty U = 2u).")
@click.option("--by", default="", help="Who checks.")
@click.option("--as-found", "state", flag_value="as-found", help="Before an adjustment: what it showed until now.")
@click.option("--as-left", "state", flag_value="as-left", help="After an adjustment: from here on a drift is counted.")
@wiring_options
@timeout_option
@json_option
def check(name: str, timeout: float, **given: Any) -> int:
    """The daily check: zero, and a reference mass or gauge block. It is kept, and verdicts ask for it.

    Readings that are not given are taken from the instrument: --port and --protocol, or as it was added.

    \b
    Example:
      inspect-kit instruments check desk-scale --zero 0.00g --reference 100g=100.01g
      inspect-kit instruments check desk-caliper --block 20mm --port COM4 --protocol mitutoyo --unit mm
    """  # fmt: skip
    gauge = load_instruments([name], [own_instruments()])[name]
    connection = connection_from(given) or read_connections(home_folder()).get(name)
    desk = _Desk(gauge, connection, timeout, None)
    if given["tolerance"]:
        desk = _Desk(gauge, connection, timeout, desk.quantity(given["tolerance"], "--tolerance"))
    points = complete(gauge, _points(desk, given))
    result = Check(name, now(), points, _clean(given["by"]), given["state"] or "")
    add_check(home_folder(), result)
    print_result(as_data(result), *_lines(result))
    return 0 if result.passed else 1


def _clean(text: str) -> str:
    if len(text) > 100 or not text.isprintable():
        raise UsageError("no-name", where="--by")
    return text


def _points(desk: _Desk, given: Given) -> Iterator[Point]:
    zero = Quantity(desk.gauge.resolution.number * 0, desk.gauge.resolution.unit)
    entries = [("--reference", text) for text in given["references"]] + [("--block", text) for text in given["blocks"]]
    if not entries:
        raise UsageError("check-needs-something-known-size", where=desk.gauge.id)
    if given["zero"] is not None or desk.connection is not None:
        yield desk.point(zero, given["zero"], "--zero")
    for where, text in entries:
        nominal, separator, typed = text.partition("=")
        yield desk.point(desk.quantity(nominal, where), typed if separator else None, where)


def _lines(result: Check) -> Iterator[str]:
    for point in result.points:
        sizes = {"error": in_figures(point.error), "permitted": in_figures(point.permitted)}
        shown = f"{in_figures(point.shown):>12}"
        told = said("check-good" if point.passed else "check-off", shown=shown, **sizes)
        yield f"{in_figures(point.nominal):>12}  {told}"
    if result.frozen:
        yield said("check-frozen")
    yield said("gauge-passed" if result.passed else "gauge-failed", name=result.instrument)


# `instruments certificate` and `history`: a calibration taken over from its certificate, and the checks over time.


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
    print_result(_data(after, found), *_certified_lines(found), str(path), after.calibration)


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


def _certified_lines(found: CalibrationCertificate) -> Iterable[str]:
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
    return CalibrationCertificate(number, laboratory, performed, tuple(_certified_points(gauge, coverage)), serial)


def _certified_points(gauge: Instrument, coverage: Decimal) -> Iterator[CalibrationPoint]:
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
