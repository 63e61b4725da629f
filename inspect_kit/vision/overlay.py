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
    for number, line in enumerate(mark.lines):
        _write(canvas, line, (float(middle[0]), float(middle[1])), number - (len(mark.lines) - 1) / 2, width)


def _write(canvas: AnyArray, line: str, middle: tuple[float, float], row: float, width: float) -> None:
    """A line of text that fits into the piece, dark on a light halo so that it reads on any colour."""
    face = cv2.FONT_HERSHEY_SIMPLEX
    (wide, high), _ = cv2.getTextSize(line, face, 1.0, 2)
    size = float(np.clip(0.85 * width / max(wide, 1), 0.3, 1.6))
    at = (round(middle[0] - wide * size / 2), round(middle[1] + high * size / 2 + row * 1.5 * high * size))
    stroke, rim = max(1, round(1.6 * size)), max(1, round(2 * size))
    # A thicker stroke is also a wider text in some versions of OpenCV, so the halo is the same text moved around.
    for across, down in ((-1, -1), (-1, 1), (1, -1), (1, 1), (-1, 0), (1, 0), (0, -1), (0, 1)):
        moved = (at[0] + across * rim, at[1] + down * rim)
        cv2.putText(canvas, line, moved, face, size, (255, 255, 255), stroke, cv2.LINE_AA)
    cv2.putText(canvas, line, at, face, size, (20, 20, 20), stroke, cv2.LINE_AA)
