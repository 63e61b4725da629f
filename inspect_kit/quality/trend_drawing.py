"""Trends as drawings: means and capability over the periods, each with its limits, and the faults by frequency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from inspect_kit.quality.drawing import GREY, INK, MARKS, PALE, drawing, in_unit, labelled, limit_line
from inspect_kit.quality.trend import FaultCount, Trend, TrendPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WANTED: Final = 1.33
"""The index that customers usually ask for."""
_MOST_FAULTS: Final = 8
"""Faults that are drawn, the most frequent first."""
_FEWEST_ROWS: Final = 5
"""Rows of the drawing of faults, however few there are: one fault is no wall."""
_MOST_LABELS: Final = 14
"""Periods that can be named below an axis without covering each other."""


@drawing
def trend_drawing(figure: Figure, trend: Trend, faults: Sequence[FaultCount], *, narrow: bool = False) -> None:
    """Means above, Cpk below, each with its 95 % limits; the faults of all time at the right, or last where narrow."""
    beside = bool(faults) and not narrow
    below = bool(faults) and narrow
    grid = figure.add_gridspec(3 if below else 2, 2 if beside else 1, width_ratios=[2.4, 1] if beside else None)
    means = figure.add_subplot(grid[0, 0])
    indices = figure.add_subplot(grid[1, 0], sharex=means)
    periods = list(dict.fromkeys(point.period for point in trend.points))
    strata = list(dict.fromkeys(point.stratum for point in trend.points))
    for number, stratum in enumerate(strata):
        mine = [point for point in trend.points if point.stratum == stratum]
        shift = (number - (len(strata) - 1) / 2) * 0.6 / len(strata)
        for axes, name, label in ((means, "mean", stratum), (indices, "cpk", "")):
            shown = [point for point in mine if getattr(point, name) is not None]
            places = [periods.index(point.period) + shift for point in shown]
            _whiskers(axes, places, shown, name, (number, label))
    _dress(trend, means, indices, periods)
    if strata != [""]:
        means.legend(loc="best", ncols=min(len(strata), 4))
    if faults:
        _draw_faults(figure.add_subplot(grid[:, 1] if beside else grid[2, 0]), faults[:_MOST_FAULTS])


def _dress(trend: Trend, means: Axes, indices: Axes, periods: Sequence[str]) -> None:
    lower, upper = trend.limits or (None, None)
    for code, limit in (("axis-lower", lower), ("axis-upper", upper)):
        if limit is not None:
            limit_line(means, float(limit), labelled(code))
    means.set(ylabel=in_unit(labelled("head-mean"), trend.unit), title=trend.characteristic)
    means.tick_params(labelbottom=False)
    limit_line(indices, _WANTED, "")
    indices.set_ylabel("Cpk")
    every = max(1, -(-len(periods) // _MOST_LABELS))
    shown = range(0, len(periods), every)
    indices.set_xticks(list(shown), [periods[place][:24] for place in shown], rotation=40, ha="right")
    indices.set_xlim(-0.6, len(periods) - 0.4)


def _whiskers(axes: Axes, places: list[float], points: Sequence[TrendPoint], name: str, style: tuple[int, str]) -> None:
    """The mean or index of each period, with its 95 % limits where there are any."""
    if not points:
        return
    number, label = style
    middle = np.array([getattr(point, name) for point in points])
    ends = [getattr(point, f"{name}_interval") or (getattr(point, name),) * 2 for point in points]
    low, high = np.array(ends).T
    axes.errorbar(
        places, middle, yerr=[middle - low, high - middle], color=INK if number % 2 == 0 else GREY,
        marker=MARKS[number % len(MARKS)], markersize=4, linewidth=0.8, capsize=3, label=label[:16] or None,
    )  # fmt: skip


def _draw_faults(axes: Axes, shown: Sequence[FaultCount]) -> None:
    axes.set_title(labelled("title-faults"))
    places = np.arange(len(shown))[::-1]
    axes.barh(places, [fault.count for fault in shown], height=0.4, color=PALE, edgecolor=INK, linewidth=0.8)
    for place, fault in zip(places, shown, strict=True):
        # All are of the characteristic that the title names.
        axes.annotate(fault.reason[:44], (0, place + 0.22), xytext=(1, 2), textcoords="offset points", fontsize=7)
        told = f"{fault.count}  ({fault.cumulative:.0%})"
        axes.annotate(told, (0, place), xytext=(3, 0), textcoords="offset points", fontsize=7, va="center")
    axes.set_ylim(len(shown) - _FEWEST_ROWS - 0.5 if len(shown) < _FEWEST_ROWS else -0.5, len(shown) - 0.3)
    axes.locator_params(axis="x", integer=True)
    axes.set_yticks([])
    axes.set_xlabel(labelled("axis-faults"))
