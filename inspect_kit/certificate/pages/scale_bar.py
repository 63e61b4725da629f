"""A small drawing of where a value lies between its limits; it must read in black and white."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.model import Scale
from inspect_kit.certificate.pages.styles import FAINT, INK, MM, PAPER, QUIET

_BAR: Final = 2.0 * MM
"""Height of the bar between the limits, in points."""
_DOT: Final = 0.78 * MM
"""Radius of the dot at the value, in points."""
_MARGIN: Final = 0.22
"""Room on either side of what is drawn, as a share of its width."""
_REACH: Final = 0.9
"""How far beyond the limits a drawing stretches for a value outside, in widths of the interval."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Where numbers fall on the paper, from `left` on; what is farther out sticks to the edge."""

    least: float
    most: float
    left: float
    width: float

    def at(self, number: float) -> float:
        """The place of a number."""
        share = (number - self.least) / (self.most - self.least)
        return self.left + self.width * min(max(share, 0.0), 1.0)

    def holds(self, number: float) -> bool:
        """Whether the number has a place of its own."""
        return self.least <= number <= self.most


def draw_gauge(canvas: Canvas, scales: Sequence[Scale], left: float, middle: float, width: float) -> None:
    """One gauge for all values of a clause; they share their limits."""
    first = scales[0]
    axis = Axis(*_range(scales), left, width)
    canvas.saveState()
    canvas.setLineCap(0)
    _draw_bar(canvas, first, max(scale.expanded for scale in scales), axis, middle)
    _draw_nominal(canvas, first, axis, middle)
    for scale in scales:
        _draw_value(canvas, scale, axis, middle, spanned=len(scales) == 1)
    canvas.restoreState()


def _range(scales: Sequence[Scale]) -> tuple[float, float]:
    """What the axis shows: the limits with a margin, and outlying values as far as they can be shown in scale."""
    first = scales[0]
    low = min(scale.value - scale.expanded for scale in scales)
    high = max(scale.value + scale.expanded for scale in scales)
    lower, upper = first.lower, first.upper
    if lower is not None and upper is not None:
        width = upper - lower
        least, most = max(min(low, lower), lower - _REACH * width), min(max(high, upper), upper + _REACH * width)
    else:
        anchor = next(bound for bound in (lower, upper, first.nominal) if bound is not None)
        width = max(high - anchor, anchor - low, 1e-9 * max(1.0, abs(anchor)))
        least = anchor - width * (0.25 if lower is not None and low >= anchor else 1)
        most = anchor + width * (0.25 if upper is not None and high <= anchor else 1)
    margin = _MARGIN * (most - least)
    return least - margin, most + margin


def _draw_bar(canvas: Canvas, scale: Scale, expanded: float, axis: Axis, middle: float) -> None:
    lower, upper = scale.lower, scale.upper
    canvas.setStrokeColor(FAINT)
    canvas.setLineWidth(0.5)
    canvas.line(axis.left, middle, axis.left + axis.width, middle)
    if lower is None and upper is None:
        return
    start = axis.left if lower is None else axis.at(lower)
    end = axis.left + axis.width if upper is None else axis.at(upper)
    canvas.setFillColor(PAPER)
    canvas.rect(start, middle - _BAR / 2, end - start, _BAR, stroke=0, fill=1)
    if scale.guarded and expanded:
        _draw_guards(canvas, scale, expanded, axis, middle, (start, end))
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.5)
    canvas.line(start, middle - _BAR / 2, end, middle - _BAR / 2)
    canvas.line(start, middle + _BAR / 2, end, middle + _BAR / 2)
    canvas.setLineWidth(1.1)
    for bound in (lower, upper):
        if bound is not None:
            canvas.line(axis.at(bound), middle - _BAR * 0.8, axis.at(bound), middle + _BAR * 0.8)


def _draw_guards(
    canvas: Canvas, scale: Scale, expanded: float, axis: Axis, middle: float, ends: tuple[float, float]
) -> None:
    """Hatch the part inside each limit that the guard band takes away."""
    start, end = ends
    if scale.lower is not None:
        _hatch(canvas, start, min(axis.at(scale.lower + expanded), end), middle)
    if scale.upper is not None:
        _hatch(canvas, max(axis.at(scale.upper - expanded), start), end, middle)


def _hatch(canvas: Canvas, left: float, right: float, middle: float) -> None:
    if right - left < 0.2:
        return
    canvas.saveState()
    clip = canvas.beginPath()
    clip.rect(left, middle - _BAR / 2, right - left, _BAR)
    canvas.clipPath(clip, stroke=0, fill=0)
    canvas.setStrokeColor(QUIET)
    canvas.setLineWidth(0.4)
    x = left - _BAR
    while x < right:
        canvas.line(x, middle - _BAR / 2, x + _BAR, middle + _BAR / 2)
        x += 1.5
    canvas.restoreState()


def _draw_nominal(canvas: Canvas, scale: Scale, axis: Axis, middle: float) -> None:
    if scale.nominal is not None and axis.holds(scale.nominal):
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(0.5)
        place = axis.at(scale.nominal)
        canvas.line(place, middle - _BAR * 1.05, place, middle + _BAR * 1.05)


def _draw_value(canvas: Canvas, scale: Scale, axis: Axis, middle: float, *, spanned: bool) -> None:
    place = axis.at(scale.value)
    canvas.setStrokeColor(INK)
    canvas.setFillColor(INK)
    if not axis.holds(scale.value):
        _draw_arrow(canvas, place, middle, 1 if scale.value > axis.most else -1)
        return
    if spanned and scale.expanded:
        canvas.setLineWidth(0.9)
        canvas.line(axis.at(scale.value - scale.expanded), middle, axis.at(scale.value + scale.expanded), middle)
    canvas.setLineWidth(0.4)
    canvas.setStrokeColor(PAPER)
    canvas.circle(place, middle, _DOT, stroke=1, fill=1)


def _draw_arrow(canvas: Canvas, place: float, middle: float, direction: int) -> None:
    """The value lies beyond the drawing, that way."""
    path = canvas.beginPath()
    path.moveTo(place, middle)
    path.lineTo(place - direction * 2 * _DOT, middle + 1.3 * _DOT)
    path.lineTo(place - direction * 2 * _DOT, middle - 1.3 * _DOT)
    path.close()
    canvas.drawPath(path, stroke=0, fill=1)
