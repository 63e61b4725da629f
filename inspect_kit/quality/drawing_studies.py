"""Drawings of studies: gauges, operating characteristics and dice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inspect_kit.quality.dice import FACES, Fairness
from inspect_kit.quality.drawing import GREY, INK, PALE, Draw
from inspect_kit.quality.gauge_bias import Linearity, TypeOne
from inspect_kit.quality.gauge_study import GaugeResult, Study
from inspect_kit.quality.sample import Floats, Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKS = "os^Dv<>pPX*h"
_DASHES = ("-", "--", ":", "-.")
_HATCHES = ("", "///", "...", "xxx", "---")


def gauge_drawing(study: Study, result: GaugeResult) -> Draw:
    """Shares of the total variation, and every operator's mean of every part."""

    def draw(figure: Figure) -> None:
        shares, means = figure.subplots(1, 2, width_ratios=[1, 2])
        _draw_shares(shares, result)
        _draw_operators(means, study)
        ndc = "∞" if result.ndc is None else str(result.ndc)
        figure.suptitle(
            f"Gauge R&R ({result.method}): {result.percent(result.grr):.1f} % of total variation, ndc {ndc}",
            x=0.01, ha="left", fontsize=10,
        )  # fmt: skip

    return draw


def _draw_shares(axes: Axes, result: GaugeResult) -> None:
    parts = [("EV", result.ev), ("AV", result.av), ("INT", result.interaction), ("GRR", result.grr), ("PV", result.pv)]
    shown = [(name, value) for name, value in parts if name != "INT" or value > 0]
    for place, ((name, value), hatch) in enumerate(zip(shown, _HATCHES, strict=False)):
        axes.bar(place, result.percent(value), color=PALE, edgecolor=INK, hatch=hatch, linewidth=0.8)
        axes.annotate(
            f"{result.percent(value):.1f}", (place, result.percent(value)), ha="center", va="bottom", fontsize=8
        )
        del name
    axes.set_xticks(range(len(shown)), [name for name, _ in shown])
    axes.set_ylabel("% of total variation")


def _draw_operators(axes: Axes, study: Study) -> None:
    means = study.origin + study.readings.mean(axis=2)
    places = np.arange(len(study.parts))
    for number, operator in enumerate(study.operators):
        axes.plot(
            places, means[:, number], color=INK if number % 2 == 0 else GREY, marker=_MARKS[number % len(_MARKS)],
            linestyle=_DASHES[number % len(_DASHES)], markersize=4, label=operator[:20],
        )  # fmt: skip
    if len(study.parts) <= 30:
        axes.set_xticks(places, [part[:6] for part in study.parts])
    axes.set_xlabel("part")
    axes.set_ylabel("mean of trials")
    axes.legend(title="operator")


def type_one_drawing(sample: Sample, result: TypeOne, reference: float) -> Draw:
    """The readings in order, the reference and their mean."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        places = np.arange(1, len(sample) + 1)
        axes.plot(places, sample.values, color=INK, marker="o", markersize=3, linewidth=0.8)
        axes.axhline(reference, color=INK, linestyle="--", label=f"reference {reference:.6g}")
        axes.axhline(result.mean, color=GREY, linestyle=":", linewidth=1.5, label=f"mean {result.mean:.6g}")
        indices = "" if result.cg is None or result.cgk is None else f", Cg {result.cg:.2f}, Cgk {result.cgk:.2f}"
        axes.set_title(f"Type 1 study: s {result.deviation:.4g}, bias {result.bias:.4g}{indices}")
        axes.set_xlabel("reading")
        axes.set_ylabel("value")
        axes.legend()

    return draw


def linearity_drawing(result: Linearity) -> Draw:
    """The bias of every reading over its reference, with the line and its 95 % band."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(result.references, result.biases, linestyle="", marker="o", markersize=3, color=GREY)
        places = np.linspace(float(result.references.min()), float(result.references.max()), 101)
        line, band = result.intercept + result.slope * places, result.band(places)
        axes.fill_between(places, line - band, line + band, color=PALE)
        axes.plot(places, line, color=INK, linewidth=1.4)
        axes.axhline(0, color=INK, linestyle=":")
        axes.set_title(
            f"Linearity: bias = {result.intercept:.5g} {result.slope:+.5g} · reference, R² {result.r_squared:.3f}"
        )
        axes.set_xlabel("reference")
        axes.set_ylabel("bias")

    return draw


def curve_drawing(fractions: Floats, probabilities: Floats, title: str) -> Draw:
    """An operating characteristic, cut where hardly a lot is accepted any more."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        shown = max(int(np.count_nonzero(probabilities > 0.0005)) + 1, 2)
        axes.plot(100 * fractions[:shown], probabilities[:shown], color=INK, linewidth=1.4)
        for level, name in ((0.95, "95 %"), (0.5, "50 %"), (0.1, "10 %")):
            axes.axhline(level, color=GREY, linestyle=":", linewidth=0.8)
            axes.annotate(name, (1, level), xycoords=("axes fraction", "data"), xytext=(3, -3),
                          textcoords="offset points", fontsize=8)  # fmt: skip
        axes.set_ylim(0, 1.02)
        axes.set_xlim(left=0)
        axes.set_xlabel("nonconforming in the lot, %")
        axes.set_ylabel("probability of acceptance")
        axes.set_title(title)

    return draw


def dice_drawing(result: Fairness, path: Floats | None = None) -> Draw:
    """The six counts against what is expected, and the e-value on its way if the rolls are in order."""

    def draw(figure: Figure) -> None:
        grid = figure.subplots(1, 1 if path is None else 2, squeeze=False)
        _draw_faces(grid[0, 0], result)
        if path is not None:
            _draw_path(grid[0, 1], path)

    return draw


def _draw_faces(axes: Axes, result: Fairness) -> None:
    expected = result.rolls / FACES
    spread = 2 * (result.rolls * (1 / FACES) * (1 - 1 / FACES)) ** 0.5
    axes.bar(range(1, FACES + 1), result.counts, color=PALE, edgecolor=INK, linewidth=0.8)
    axes.axhline(expected, color=INK, label=f"fair: {expected:.6g}")
    axes.axhline(expected + spread, color=INK, linestyle="--", linewidth=0.8, label="± 2 standard deviations")
    axes.axhline(max(0.0, expected - spread), color=INK, linestyle="--", linewidth=0.8)
    axes.set_xlabel("face")
    axes.set_ylabel("came up")
    axes.set_title(f"{result.rolls} rolls, chi-square {result.chi2:.2f}, p {result.p_value:.3g}")
    axes.legend(loc="lower right", frameon=True, framealpha=0.9)


def _draw_path(axes: Axes, path: Floats) -> None:
    axes.plot(np.arange(1, len(path) + 1), path / np.log(10), color=INK, linewidth=0.9)
    axes.axhline(np.log10(20), color=INK, linestyle="--", label="20: unfair, at a 5 % risk of error")
    axes.axhline(0, color=GREY, linestyle=":", linewidth=0.8)
    axes.set_xlabel("rolls")
    axes.set_ylabel("e-value, power of ten")
    axes.set_title("evidence roll by roll")
    axes.legend(loc="upper left")
