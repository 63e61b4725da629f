"""Histogram and control chart as vector drawings on the page; they read in black and white."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import exp, pi, sqrt
from typing import Final

import numpy as np
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.lot_model import (
    MOST_FRAMES,
    MOST_STROKES,
    Bound,
    ChartTrack,
    ControlChart,
    Histogram,
    stride_of,
)
from inspect_kit.certificate.pages.flow import Piece, as_figure
from inspect_kit.certificate.pages.page import (
    FAINT,
    HAIR,
    HAIRLINE,
    INK,
    LEFT,
    MM,
    QUIET,
    RIGHT,
    THIN_RULE,
    WASH,
    WIDTH,
)
from inspect_kit.certificate.pages.scale_bar import Axis
from inspect_kit.certificate.pages.styles import SMALL, SMALL_INK
from inspect_kit.certificate.pages.tags import marked
from inspect_kit.certificate.pages.text import (
    Style,
    baseline,
    measured,
    put,
    put_block,
    put_centred,
    put_right,
    settled,
)
from inspect_kit.quality.sample import Floats

_MARGIN: Final = 12 * MM
"""Left of a drawing, for the numbers on its axis."""
_LABELS: Final = 27 * MM
"""Right of a chart, for the names of its lines."""
_HISTOGRAM: Final = 46 * MM
"""Height of a histogram's drawing, in points."""
_TRACK: Final = 24 * MM
"""Height of one track of a control chart, in points."""
_BETWEEN: Final = 3 * MM
"""White between two tracks, in points."""
_HEAD: Final = 6 * MM
"""Height of the line of text above a drawing, in points."""
_FOOT: Final = 8 * MM
"""Height of the numbers below a drawing, in points."""
_MARKED: Final = 80
"""Up to so many points each has a mark of its own."""
_FRAME: Final = 1.1 * MM
"""Half the side of the frame around a point that a rule points out, in points."""
_DASHED: Final = (4, 2)
"""Stroke and gap of limits, in points."""
_DOTTED: Final = (0.8, 1.6)
"""Stroke and gap of the mean, in points."""


def captioned(caption: str, draw: Piece) -> Iterator[Piece]:
    """A drawing with its caption below, on one page."""
    yield as_figure(replace(draw, space=3 * MM, keep=True), caption)
    lines = settled(caption, SMALL, WIDTH)

    def draw_caption(canvas: Canvas, top: float) -> None:
        with marked(canvas, "P"):
            put_block(canvas, LEFT, top, "\n".join(lines), SMALL, WIDTH * 2)

    yield Piece(len(lines) * SMALL.leading, draw_caption, space=1 * MM)


# Histogram


def histogram_pieces(block: Histogram) -> Iterator[Piece]:
    """Bars between the limits."""
    height = _HEAD + _HISTOGRAM + _FOOT

    def draw(canvas: Canvas, top: float) -> None:
        canvas.saveState()
        _draw_histogram(canvas, block, top - _HEAD - _HISTOGRAM)
        canvas.restoreState()

    return captioned(block.caption, Piece(height, draw))


def _draw_histogram(canvas: Canvas, block: Histogram, floor: float) -> None:
    across = _across(block)
    tallest = float(max(block.counts.max(), _peak(block))) * 1.06
    upwards = Axis(0, tallest, floor, _HISTOGRAM)
    _draw_bars(canvas, block, across, upwards)
    _draw_curve(canvas, block, across, upwards)
    _draw_floor(canvas, block, across, upwards)
    _line_up(canvas, across.at(block.mean), floor, floor + _HISTOGRAM, _DOTTED, 0.9)
    _draw_bounds(canvas, block.bounds, across, floor)


def _across(block: Histogram) -> Axis:
    """The values and the limits, with a margin; a limit far away does not squeeze the values to a line."""
    least, most = float(block.edges[0]), float(block.edges[-1])
    reach = 4 * (most - least)
    places = [bound.value for bound in block.bounds]
    low = max(min([least, *places]), least - reach)
    high = min(max([most, *places]), most + reach)
    margin = 0.05 * (high - low)
    return Axis(low - margin, high + margin, LEFT + _MARGIN, WIDTH - _MARGIN - 4 * MM)


def _peak(block: Histogram) -> float:
    width = float(block.edges[1] - block.edges[0])
    return float(block.counts.sum()) * width / (block.sigma * sqrt(2 * pi)) if block.sigma > 0 else 0.0


def _draw_bars(canvas: Canvas, block: Histogram, across: Axis, upwards: Axis) -> None:
    canvas.setFillColor(WASH)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.5)
    for left, right, count in zip(block.edges[:-1], block.edges[1:], block.counts, strict=True):
        if count:
            start, end, tip = across.at(float(left)), across.at(float(right)), upwards.at(float(count))
            canvas.rect(start, upwards.left, end - start, tip - upwards.left, stroke=1, fill=1)


def _draw_curve(canvas: Canvas, block: Histogram, across: Axis, upwards: Axis) -> None:
    peak = _peak(block)
    if not peak:
        return
    path = canvas.beginPath()
    places = np.linspace(block.mean - 4 * block.sigma, block.mean + 4 * block.sigma, 121)
    shown = [float(place) for place in places if across.holds(float(place))]
    for number, place in enumerate(shown):
        height = peak * exp(-(((place - block.mean) / block.sigma) ** 2) / 2)
        (path.lineTo if number else path.moveTo)(across.at(place), upwards.at(height))
    canvas.setStrokeColor(QUIET)
    canvas.setLineWidth(1.1)
    canvas.drawPath(path, stroke=1, fill=0)


def _draw_floor(canvas: Canvas, block: Histogram, across: Axis, upwards: Axis) -> None:
    """The two axes with their numbers."""
    floor = upwards.left
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(HAIRLINE)
    canvas.line(across.left, floor, across.left + across.width, floor)
    canvas.line(across.left, floor, across.left, floor + _HISTOGRAM)
    for tick in block.ticks:
        if across.holds(tick.value):
            canvas.line(across.at(tick.value), floor, across.at(tick.value), floor - 0.8 * MM)
            put_centred(canvas, across.at(tick.value), floor - 3.4 * MM, tick.text, SMALL_INK)
    for level in block.levels:
        if upwards.holds(level.value):
            canvas.line(across.left - 0.8 * MM, upwards.at(level.value), across.left, upwards.at(level.value))
            put_right(canvas, across.left - 1.4 * MM, upwards.at(level.value) - 0.9 * MM, level.text, SMALL_INK)
    put_right(canvas, RIGHT - 4 * MM, floor - 6.6 * MM, block.across, SMALL)
    put(canvas, LEFT, floor + _HISTOGRAM + 2.6 * MM, block.upwards, SMALL)


def _draw_bounds(canvas: Canvas, bounds: Sequence[Bound], across: Axis, floor: float) -> None:
    """The limits: heavy dashed lines, each with its name at its head, on the side where there is room."""
    for bound in bounds:
        place = across.at(bound.value)
        beyond = "" if across.holds(bound.value) else ("← " if bound.value < across.least else "→ ")
        if not beyond:
            _line_up(canvas, place, floor, floor + _HISTOGRAM + 1 * MM, _DASHED, 1.3)
        text = beyond + bound.text
        half = measured(text, SMALL_INK) / 2
        middle = min(max(place, across.left + half + 8 * MM), RIGHT - half)
        put_centred(canvas, middle, floor + _HISTOGRAM + 2.6 * MM, text, SMALL_INK)


def _line_up(canvas: Canvas, x: float, low: float, high: float, dash: tuple[float, float], width: float) -> None:
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(width)
    canvas.setDash(*dash)
    canvas.line(x, low, x, high)
    canvas.setDash()


# Control chart


def chart_pieces(block: ControlChart) -> Iterator[Piece]:
    """The tracks one above the other."""
    height = len(block.tracks) * (_TRACK + _HEAD) + (len(block.tracks) - 1) * _BETWEEN + _FOOT

    def draw(canvas: Canvas, top: float) -> None:
        canvas.saveState()
        across = Axis(0.5, block.length + 0.5, LEFT + 2 * MM, WIDTH - 2 * MM - _LABELS)
        floor = top
        for track in block.tracks:
            floor -= _HEAD + _TRACK
            _draw_track(canvas, track, across, floor)
            floor -= _BETWEEN
        _draw_numbers(canvas, block, across, floor + _BETWEEN)
        canvas.restoreState()

    return captioned(block.caption, Piece(height, draw))


def _draw_track(canvas: Canvas, track: ChartTrack, across: Axis, floor: float) -> None:
    low = float(min(track.points.min(), track.lcl.min()))
    high = float(max(track.points.max(), track.ucl.max()))
    room = 0.04 * (high - low) or 1.0
    upwards = Axis(low - room, high + room, floor, _TRACK)
    put(canvas, LEFT, floor + _TRACK + 2 * MM, track.name, SMALL)
    if len(track.points) > MOST_STROKES:
        _draw_strokes(canvas, track, across, upwards)
    for line, dash, width in ((track.ucl, _DASHED, 0.8), (track.centre, (), 0.5), (track.lcl, _DASHED, 0.8)):
        _draw_level(canvas, line, track.first, (across, upwards), dash, width)
    _draw_names(canvas, track.labels, upwards)
    if len(track.points) <= MOST_STROKES:
        _draw_points(canvas, track, across, upwards)
    if len(track.framed) <= MOST_FRAMES:
        _draw_frames(canvas, track, across, upwards)


def _draw_level(
    canvas: Canvas, line: Floats, first: int, axes: tuple[Axis, Axis], dash: tuple[float, ...], width: float
) -> None:
    """A line that may step from point to point."""
    across, upwards = axes
    canvas.setStrokeColor(INK if len(line) > MOST_STROKES else QUIET)
    canvas.setLineWidth(width)
    canvas.setDash(*dash) if dash else canvas.setDash()
    starts = [0, *(int(place) + 1 for place in np.flatnonzero(np.abs(np.diff(line)) > 1e-12 * np.abs(line).max()))]
    for start, end in zip(starts[:MOST_STROKES], [*starts[1:], len(line)], strict=False):
        y = upwards.at(float(line[start]))
        canvas.line(across.at(first + start + 0.5), y, across.at(first + end + 0.5), y)
    canvas.setDash()


def _draw_names(canvas: Canvas, labels: Sequence[Bound], upwards: Axis) -> None:
    """The lines' names at the right, moved apart where lines lie close."""
    x, least = RIGHT - _LABELS + 1.5 * MM, SMALL_INK.leading * 0.92
    below = -1e9
    for label in sorted(labels, key=lambda label: label.value):
        below = max(upwards.at(label.value) - 0.9 * MM, below + least)
        put(canvas, x, below, label.text, SMALL_INK)


def _draw_points(canvas: Canvas, track: ChartTrack, across: Axis, upwards: Axis) -> None:
    path = canvas.beginPath()
    places = [
        (across.at(track.first + number), upwards.at(float(value))) for number, value in enumerate(track.points, 1)
    ]
    for number, (x, y) in enumerate(places):
        (path.lineTo if number else path.moveTo)(x, y)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.5)
    canvas.drawPath(path, stroke=1, fill=0)
    if len(places) <= _MARKED:
        canvas.setFillColor(INK)
        for x, y in places:
            canvas.circle(x, y, 0.45 * MM, stroke=0, fill=1)


def _draw_strokes(canvas: Canvas, track: ChartTrack, across: Axis, upwards: Axis) -> None:
    stride = stride_of(len(track.points))
    starts = np.arange(0, len(track.points), stride)
    lows, highs = np.minimum.reduceat(track.points, starts), np.maximum.reduceat(track.points, starts)
    canvas.setStrokeColor(HAIR)
    canvas.setLineWidth(0.6)
    for start, low, high in zip(starts, lows, highs, strict=True):
        x = across.at(track.first + float(start) + stride / 2)
        canvas.line(x, upwards.at(float(low)) - 0.15, x, upwards.at(float(high)) + 0.15)


def _draw_frames(canvas: Canvas, track: ChartTrack, across: Axis, upwards: Axis) -> None:
    """Frames around the points that a rule points out."""
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.8)
    for number in track.framed:
        x, y = across.at(track.first + number + 1), upwards.at(float(track.points[number]))
        canvas.rect(x - _FRAME, y - _FRAME, 2 * _FRAME, 2 * _FRAME, stroke=1, fill=0)


def _draw_numbers(canvas: Canvas, block: ControlChart, across: Axis, floor: float) -> None:
    canvas.setStrokeColor(FAINT)
    canvas.setLineWidth(THIN_RULE)
    canvas.line(across.left, floor - 0.8 * MM, across.left + across.width, floor - 0.8 * MM)
    style: Style = SMALL_INK
    for number in sorted({1, block.length, *_round_places(block.length)}):
        x = across.at(number)
        canvas.line(x, floor - 0.8 * MM, x, floor - 1.5 * MM)
        put_centred(canvas, x, baseline(floor - 1.6 * MM, style), f"{number}", style)
    behind = across.at(block.length) + measured(f"{block.length}", style) / 2 + 1.2 * MM
    put(canvas, max(behind, RIGHT - _LABELS + 1.5 * MM), baseline(floor - 1.6 * MM, style), block.across, SMALL)


def _round_places(length: int) -> list[int]:
    """About five round numbers that keep clear of the first and the last."""
    step = 10 ** max(0, len(str(length)) - 1)
    for share in (1, 2, 5):
        if length / (step / share) >= 4 and step % share == 0:
            step //= share
            break
    places = range(step, length, step) if step > 1 or length <= 10 else range(5, length, 5)
    return [place for place in places if 0.06 * length < place < 0.94 * length]
