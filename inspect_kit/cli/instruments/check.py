"""`instruments check`: the daily check of a gauge, by readings that are typed or taken from the instrument itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from inspect_kit.capture.connections import Connection, read_connections
from inspect_kit.capture.daily_checks import Check, Point, add_check, as_data, complete, permitted_error
from inspect_kit.capture.gauges.own import read_gauge
from inspect_kit.capture.instruments import Instrument, load_instruments
from inspect_kit.capture.wedge import typed_by_instrument
from inspect_kit.cli.instruments.read import connection_from, timeout_option, wiring_options
from inspect_kit.cli.options import Given, home_folder, json_option, own_instruments
from inspect_kit.cli.terminal import in_figures, print_result, said
from inspect_kit.clock import now
from inspect_kit.errors import UsageError
from inspect_kit.values.quantity import Quantity, parse_quantity


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
