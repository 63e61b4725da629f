"""The evidence picture: the photo with what was found drawn into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import AnyArray, Floats, Pixels

_LONGEST: Final = 2400
_GREEN: Final = (40, 220, 80)
_AMBER: Final = (250, 170, 20)
_BLUE: Final = (60, 160, 255)


@dataclass(frozen=True)
class Mark:
    """An outline in the photo's pixels with lines of text; amber where something was refused or suspected."""

    outline: Floats
    lines: tuple[str, ...]
    amber: bool = False
    room: float = 0.0
    """Pixels of the photo that the longest line may take; without it, each line fits into the outline."""


def draw_overlay(pixels: Pixels, marks: Sequence[Mark], corners: Floats | None = None) -> bytes:
    """The photo, reduced to a handy size, with outlines, texts and the reference's corners, as PNG."""
    factor = min(1.0, _LONGEST / max(pixels.shape[:2]))
    small = (
        cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else pixels.copy()
    )
    unit = max(small.shape[:2]) / 2400
    for x, y in corners if corners is not None else ():
        at = (round((x + 0.5) * factor - 0.5), round((y + 0.5) * factor - 0.5))
        cv2.circle(small, at, max(2, round(4 * unit)), _BLUE, max(1, round(unit)), cv2.LINE_AA)
    for mark in marks:
        _draw(small, mark, factor, unit)
    good, encoded = cv2.imencode(".png", cv2.cvtColor(small, cv2.COLOR_RGB2BGR))
    if not good:
        raise BadInput("the overlay picture could not be written")
    return bytes(encoded.tobytes())


def _draw(canvas: AnyArray, mark: Mark, factor: float, unit: float) -> None:
    colour = _AMBER if mark.amber else _GREEN
    ring = (mark.outline + 0.5) * factor - 0.5
    if len(ring) > 1:
        shifted = np.round(ring * 16).astype(np.int32)
        cv2.polylines(canvas, [shifted], True, colour, max(2, round(2.5 * unit)), cv2.LINE_AA, 4)
    middle = ring.mean(axis=0)
    width = float(np.ptp(ring[:, 0])) if len(ring) > 1 else 200 * unit
    longest = max((_wide(line) for line in mark.lines), default=1)
    for number, line in enumerate(mark.lines):
        # Lines that stand together are written in one size.
        own = mark.room * factor * _wide(line) / longest if mark.room else width
        _write(canvas, line, (float(middle[0]), float(middle[1])), number - (len(mark.lines) - 1) / 2, own)


def _wide(line: str) -> int:
    return max(1, int(cv2.getTextSize(line, cv2.FONT_HERSHEY_SIMPLEX, 1.0, 2)[0][0]))


def _write(canvas: AnyArray, line: str, middle: tuple[float, float], row: float, width: float) -> None:
    """A line of text that fits into the piece, dark on a light ground so that it reads on any colour."""
    face = cv2.FONT_HERSHEY_SIMPLEX
    (wide, high), _ = cv2.getTextSize(line, face, 1.0, 2)
    size = float(np.clip(0.85 * width / max(wide, 1), 0.3, 1.6))
    weight = max(1, round(1.6 * size))
    (wide, high), low = cv2.getTextSize(line, face, size, weight)
    left, bottom = round(middle[0] - wide / 2), round(middle[1] + high / 2 + row * 1.7 * high)
    rim = max(2, round(0.15 * high))
    corners = (left - rim, bottom - high - rim), (left + wide + rim, bottom + min(low, rim) + rim)
    cv2.rectangle(canvas, *corners, (255, 255, 255), -1)
    cv2.putText(canvas, line, (left, bottom), face, size, (20, 20, 20), weight, cv2.LINE_AA)
