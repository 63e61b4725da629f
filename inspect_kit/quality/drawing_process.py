"""Drawings of a process: the histogram against its limits, and control charts."""

from __future__ import annotations

from math import pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from inspect_kit.quality.capability import Capability
from inspect_kit.quality.charts import Chart, Track
from inspect_kit.quality.drawing import GREY, INK, PALE, Draw, bins_of, limit_line
from inspect_kit.quality.run_rules import Signal
from inspect_kit.quality.sample import Floats
from inspect_kit.values.limits import Limits, lower_of, upper_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MANY_POINTS = 60


def capability_drawing(values: Floats, study: Capability, limits: Limits, title: str = "") -> Draw:
    """The readings as a histogram, the normal curve of all of them, the limits and the indices."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        edges = bins_of(values, limits)
        axes.hist(values, bins=edges.tolist(), color=PALE, edgecolor=INK, linewidth=0.6)
        _normal_curve(axes, values, study, float(edges[1] - edges[0]))
        for name, value in (("lower", lower_of(limits)), ("upper", upper_of(limits))):
            if value is not None:
                limit_line(axes, float(value), name, upright=True)
        axes.axvline(study.mean, color=INK, linestyle=":")
        axes.set_xlabel("value")
        axes.set_ylabel("pieces")
        axes.set_title(_capability_title(study, title), pad=16)

    return draw


def _normal_curve(axes: Axes, values: Floats, study: Capability, width: float) -> None:
    reach = 4 * study.overall.sigma
    places = np.linspace(study.mean - reach, study.mean + reach, 201)
    heights = np.exp(-(((places - study.mean) / study.overall.sigma) ** 2) / 2) / (study.overall.sigma * sqrt(2 * pi))
    axes.plot(places, heights * len(values) * width, color=GREY, linewidth=1.4)


def _capability_title(study: Capability, title: str) -> str:
    low, high = study.long_term.actual_interval
    head = f"{title}   " if title else ""
    return (
        f"{head}n = {study.count}, mean {study.mean:.6g}, s {study.overall.sigma:.4g}\n"
        f"Cpk {study.short_term.actual:.2f}, Ppk {study.long_term.actual:.2f} (95 %: {low:.2f} to {high:.2f})"
    )


def chart_drawing(chart: Chart, title: str = "") -> Draw:
    """The upper and the lower track one above the other; points with a signal are framed, the rules named above."""

    def draw(figure: Figure) -> None:
        tracks = [track for track in (chart.upper, chart.lower) if track is not None]
        grid = figure.subplots(len(tracks), 1, sharex=True, squeeze=False)
        for axes, track in zip(grid[:, 0], tracks, strict=True):
            _draw_track(axes, track)
        _frame(grid[0, 0], chart.upper, tuple({point for signal in chart.signals for point in signal.points}))
        if chart.lower is not None:
            _frame(grid[1, 0], chart.lower, chart.lower.outside)
        grid[0, 0].set_title("\n".join([title or f"{chart.kind} chart", *map(_signal_line, chart.signals)]), fontsize=9)
        grid[-1, 0].set_xlabel("point")

    return draw


def _signal_line(signal: Signal) -> str:
    shown = ", ".join(map(str, signal.points[:8]))
    more = f", … ({len(signal.points)})" if len(signal.points) > 8 else ""
    return f"rule {signal.rule}, {signal.text}: {shown}{more}"


def _draw_track(axes: Axes, track: Track) -> None:
    mark = "o" if len(track.points) <= MANY_POINTS else ""
    axes.plot(track.places, track.points, color=INK, marker=mark, markersize=3, linewidth=0.8)
    for name, line, dash in (("UCL", track.ucl, "--"), ("CL", track.centre, "-"), ("LCL", track.lcl, "--")):
        axes.step(track.places, line, where="mid", color=GREY, linestyle=dash, linewidth=0.9)
        axes.annotate(
            f"{name} {line[-1]:.5g}", (1, float(line[-1])), xycoords=("axes fraction", "data"), xytext=(3, -3),
            textcoords="offset points", fontsize=8,
        )  # fmt: skip
    axes.set_ylabel(track.name)


def _frame(axes: Axes, track: Track, numbers: tuple[int, ...]) -> None:
    places = np.array(numbers, dtype=int)
    axes.plot(
        places, track.points[places - track.first], linestyle="", marker="s", markersize=7,
        markerfacecolor="none", markeredgecolor=INK, markeredgewidth=1.2,
    )  # fmt: skip
