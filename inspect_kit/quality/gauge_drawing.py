"""A gauge study on one sheet: components, ranges, means, readings by part and by operator, and their interaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from inspect_kit.quality.drawing import GREY, INK, MARKS, PALE, drawing, figures, in_unit, labelled
from inspect_kit.quality.gauge.drift import PointHistory
from inspect_kit.quality.gauge.study import GaugeResult, GaugeStudy
from inspect_kit.quality.process.capability import d2, range_factors
from inspect_kit.quality.sample import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHEET: Final = (10.5, 10.5)
"""Inches: six panels that can be read."""
_DASHES: Final = ("-", "--", ":", "-.")
_HATCHES: Final = ("", "///", "...")
_MOST_NAMES: Final = 30
"""Parts that can be named below an axis."""
_MOST_LETTERS: Final = 40
"""Letters that fit below an axis of half the sheet's width."""


@dataclass(frozen=True)
class GaugeRows:
    """Readings as they stand in the table: of which part, by which operator."""

    parts: tuple[str, ...]
    operators: tuple[str, ...]
    values: Floats
    nested: bool = False
    """Every operator has parts of his own, so that part 1 of one is not part 1 of another."""

    def cells(self) -> dict[tuple[str, str], Floats]:
        """Readings by operator and part, in the order in which they come up."""
        keys = list(zip(self.operators, self.parts, strict=True))
        names = dict.fromkeys(self.operators)
        found = {
            key: self.values[[place for place, each in enumerate(keys) if each == key]] for key in dict.fromkeys(keys)
        }
        return {key: found[key] for operator in names for key in found if key[0] == operator}


def rows_of(study: GaugeStudy) -> GaugeRows:
    """A crossed study, reading by reading."""
    keys = [(part, operator) for part in study.parts for operator in study.operators for _ in range(study.trials)]
    values = study.origin + study.readings.reshape(-1)
    return GaugeRows(tuple(part for part, _ in keys), tuple(operator for _, operator in keys), values)


@drawing
def gauge_drawing(
    figure: Figure, study: GaugeStudy | GaugeRows, result: GaugeResult, tolerance: float | None = None, unit: str = ""
) -> None:
    """Six panels; five where parts are nested in operators, as there is no interaction then."""
    rows = rows_of(study) if isinstance(study, GaugeStudy) else study
    label, mean = in_unit(labelled("axis-reading"), unit), in_unit(labelled("head-mean"), unit)
    grid = figure.subplots(3, 2)
    cells = rows.cells()
    _draw_shares(grid[0, 0], result, tolerance)
    _draw_by_part(grid[0, 1], rows, label)
    _draw_ranges(grid[1, 0], cells, unit)
    _draw_by_operator(grid[1, 1], rows, label)
    _draw_means(grid[2, 0], cells, mean)
    if rows.nested:
        grid[2, 1].set_axis_off()
    else:
        _draw_interaction(grid[2, 1], cells, mean)
    figure.suptitle(_title(result, tolerance), x=0.01, ha="left", fontsize=10)


def _title(result: GaugeResult, tolerance: float | None) -> str:
    ndc = "∞" if result.ndc is None else str(result.ndc)
    told = {"method": result.method, "share": f"{result.percent(result.grr):.1f}", "ndc": ndc}
    if tolerance is None:
        return labelled("title-grr", **told)
    return labelled("title-grr-tolerance", tolerance=f"{600 * result.grr / tolerance:.1f}", **told)


def _draw_shares(axes: Axes, result: GaugeResult, tolerance: float | None) -> None:
    parts = [("GRR", result.grr), (labelled("bar-repeat"), result.ev),
             (labelled("bar-reprod"), float(np.hypot(result.av, result.interaction))),
             (labelled("bar-parts"), result.pv)]  # fmt: skip
    kinds = [(labelled("share-contribution"), [100 * (value / result.tv) ** 2 for _, value in parts]),
             (labelled("share-variation"), [result.percent(value) for _, value in parts])]  # fmt: skip
    if tolerance is not None:
        kinds.append((labelled("share-tolerance"), [600 * value / tolerance for _, value in parts]))
    width = 0.8 / len(kinds)
    for number, (name, heights) in enumerate(kinds):
        places = np.arange(len(parts)) + (number - (len(kinds) - 1) / 2) * width
        axes.bar(places, heights, width, color=PALE, edgecolor=INK, hatch=_HATCHES[number], linewidth=0.7, label=name)
        for place, height in zip(places, heights, strict=True):
            axes.annotate(f"{height:.0f}", (place, height), ha="center", va="bottom", fontsize=7)
    axes.set_xticks(range(len(parts)), [name for name, _ in parts])
    axes.set(ylabel="%", title=labelled("panel-components"))
    axes.legend()


def _draw_by_part(axes: Axes, rows: GaugeRows, label: str) -> None:
    names = list(dict.fromkeys(rows.parts))
    places = np.array([names.index(part) for part in rows.parts])
    axes.plot(places, rows.values, linestyle="", marker="o", markersize=3, markerfacecolor="none", color=GREY)
    means = [float(rows.values[places == place].mean()) for place in range(len(names))]
    axes.plot(range(len(names)), means, color=INK, marker="o", markersize=4, linewidth=0.8)
    _name(axes, names)
    axes.set(ylabel=label, title=labelled("panel-by-part"))


def _draw_by_operator(axes: Axes, rows: GaugeRows, label: str) -> None:
    names = list(dict.fromkeys(rows.operators))
    groups = [rows.values[[each == name for each in rows.operators]] for name in names]
    axes.boxplot(
        groups, positions=range(len(names)), widths=0.5, medianprops={"color": INK}, flierprops={"markersize": 3}
    )
    axes.plot(range(len(names)), [float(group.mean()) for group in groups], color=INK, marker="D", markersize=4,
              linestyle=":")  # fmt: skip
    axes.set_xticks(range(len(names)), [name[:12] for name in names])
    axes.set(xlabel=labelled("axis-operator-mean"), ylabel=label, title=labelled("panel-by-operator"))


Cells = dict[tuple[str, str], Floats]


def _draw_ranges(axes: Axes, cells: Cells, unit: str) -> None:
    """Ranges of the trials; limits only where every cell has the same number of them."""
    ranges = [float(np.ptp(cell)) for cell in cells.values()]
    sizes = {len(cell) for cell in cells.values()}
    _draw_cells(axes, cells, ranges)
    if len(sizes) == 1 and (size := sizes.pop()) > 1:
        centre = float(np.mean(ranges))
        low, high = range_factors(size)
        _control_lines(axes, centre, (low * centre, high * centre))
    axes.set_ylim(bottom=0)
    axes.set(ylabel=in_unit(labelled("axis-range"), unit), title=labelled("panel-ranges"))


def _draw_means(axes: Axes, cells: Cells, label: str) -> None:
    means = [float(cell.mean()) for cell in cells.values()]
    sizes = {len(cell) for cell in cells.values()}
    _draw_cells(axes, cells, means)
    if len(sizes) == 1 and (size := sizes.pop()) > 1:
        centre = float(np.mean(means))
        spread = 3 * float(np.mean([np.ptp(cell) for cell in cells.values()])) / (d2(size) * size**0.5)
        _control_lines(axes, centre, (centre - spread, centre + spread))
    axes.set(ylabel=label, title=labelled("panel-means"))


def _draw_cells(axes: Axes, cells: Cells, heights: Sequence[float]) -> None:
    """One point a part, the operators one after the other."""
    operators = [operator for operator, _ in cells]
    start = 0
    for name in dict.fromkeys(operators):
        count = operators.count(name)
        places = range(start, start + count)
        axes.plot(places, heights[start : start + count], color=INK, marker="o", markersize=3, linewidth=0.8)
        if start:
            axes.axvline(start - 0.5, color=GREY, linestyle=":", linewidth=0.8)
        axes.annotate(name[:16], (start + (count - 1) / 2, 1), xycoords=("data", "axes fraction"), ha="center",
                      va="top", fontsize=8)  # fmt: skip
        start += count
    axes.set_xticks([])
    axes.set_xlabel(labelled("axis-part-within"))
    axes.margins(y=0.18)


def _control_lines(axes: Axes, centre: float, limits: tuple[float, float]) -> None:
    for name, height, dash in (("LCL", limits[0], "--"), ("CL", centre, "-"), ("UCL", limits[1], "--")):
        axes.axhline(height, color=GREY, linestyle=dash, linewidth=0.9)
        axes.annotate(figures(f"{name} {height:.4g}"), (1, height), xycoords=("axes fraction", "data"), xytext=(3, -3),
                      textcoords="offset points", fontsize=7)  # fmt: skip


def _draw_interaction(axes: Axes, cells: Cells, label: str) -> None:
    names = list(dict.fromkeys(part for _, part in cells))
    for number, operator in enumerate(dict.fromkeys(operator for operator, _ in cells)):
        mine = [(names.index(part), float(cell.mean())) for (who, part), cell in cells.items() if who == operator]
        places, means = zip(*sorted(mine), strict=True)
        axes.plot(
            places, means, color=INK if number % 2 == 0 else GREY, marker=MARKS[number % len(MARKS)],
            linestyle=_DASHES[number % len(_DASHES)], markersize=4, label=operator[:20],
        )  # fmt: skip
    _name(axes, names)
    axes.set(ylabel=label, title=labelled("panel-interaction"))
    axes.legend(title=labelled("head-operator"))


def _name(axes: Axes, names: Sequence[str]) -> None:
    if len(names) <= _MOST_NAMES:
        long = sum(map(len, names)) > _MOST_LETTERS
        axes.set_xticks(range(len(names)), [name[:10] for name in names], rotation=70 if long else 0)
    axes.set_xlabel(labelled("axis-part"))


@drawing
def history_drawing(figure: Figure, title: str, points: tuple[PointHistory, ...]) -> None:
    """One track a nominal value: errors over days, the control limits dashed, what is permitted as full lines."""
    grid = figure.subplots(len(points), 1, squeeze=False)
    for axes, point in zip(grid[:, 0], points, strict=True):
        axes.plot(point.days, point.errors, "o-", color="black", markersize=3)
        for wall in (-point.permitted, point.permitted):
            axes.axhline(wall, color="black", linewidth=1.4)
        if point.chart is not None:
            for line in (point.chart.upper.lcl, point.chart.upper.centre, point.chart.upper.ucl):
                axes.axhline(float(line[0]), color="0.45", linestyle="--", linewidth=0.8)
        drifts = f": {labelled('title-drifts', day=point.reaches)}" if point.reaches else ""
        axes.set_title(f"{title}, {figures(point.nominal)}{drifts}")
        axes.set_ylabel(in_unit(labelled("head-error"), point.unit))
        axes.tick_params(axis="x", labelrotation=30)
    figure.tight_layout()
