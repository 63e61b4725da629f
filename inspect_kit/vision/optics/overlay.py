"""The evidence picture: the photo with what was found drawn into it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from inspect_kit.places import shipped
from inspect_kit.vision.arrays import AnyArray, Floats, Pixels

_LONGEST: Final = 2400
"""Pixels of the longer side of an evidence picture."""
_BLUE: Final = (60, 160, 255)
"""Colour of the sheet's corners."""
_INK: Final = (16, 24, 32)
"""Colour of words."""
_HALO: Final = (255, 255, 255)
"""White around words."""


class Tone(StrEnum):
    """What is said of a mark: it holds, it is in doubt, or it is out."""

    GOOD = "good"
    DOUBT = "doubt"
    BAD = "bad"


_COLOURS: Final = {Tone.GOOD: (30, 200, 90), Tone.DOUBT: (250, 170, 20), Tone.BAD: (225, 30, 45)}
"""Colours of outlines by how sure they are."""


@dataclass(frozen=True)
class Mark:
    """An outline in the photo's pixels with lines of text; what is out has a second ring, for those who see no red."""

    outline: Floats
    lines: tuple[str, ...]
    tone: Tone = Tone.GOOD
    room: float = 0.0
    """Pixels of the photo that the longest line may take; without it, the lines fit into the outline."""


def draw_close(pixels: Pixels, marks: Sequence[Mark]) -> bytes:
    """The part of the photo with all the marks, and some of what lies around them."""
    sides = np.array([[-0.5, 0.0], [0.5, 0.0]])
    everything = np.concatenate([mark.outline + side * mark.room for mark in marks for side in sides])
    low, high = everything.min(axis=0), everything.max(axis=0)
    size = np.array(pixels.shape[1::-1])
    margin = 0.25 * max(*(high - low), 0.3 * min(size))
    left, top = np.clip(low - margin, 0, size - 1).astype(int)
    right, bottom = np.clip(high + margin, 1, size).astype(int)
    near = [replace(mark, outline=mark.outline - [left, top]) for mark in marks]
    return draw_overlay(np.ascontiguousarray(pixels[top:bottom, left:right]), near)


def draw_overlay(pixels: Pixels, marks: Sequence[Mark], corners: Floats | None = None) -> bytes:
    """The photo, reduced to a handy size, with outlines, texts and the reference's corners, as PNG."""
    factor = min(1.0, _LONGEST / max(pixels.shape[:2]))
    small = (
        cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else pixels.copy()
    )
    unit = max(small.shape[:2]) / _LONGEST
    for x, y in corners if corners is not None else ():
        at = (round((x + 0.5) * factor - 0.5), round((y + 0.5) * factor - 0.5))
        cv2.circle(small, at, max(2, round(4 * unit)), _BLUE, max(1, round(unit)), cv2.LINE_AA)
    for mark in marks:
        _draw_outline(small, mark, factor, unit)
    image = Image.fromarray(np.ascontiguousarray(small))
    brush = ImageDraw.Draw(image)
    for mark in marks:
        _draw_text(brush, mark, factor, unit)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=4)
    return buffer.getvalue()


def _draw_outline(canvas: AnyArray, mark: Mark, factor: float, unit: float) -> None:
    if len(mark.outline) < 2:
        return
    ring = (mark.outline + 0.5) * factor - 0.5
    width = max(2, round(2.5 * unit))
    rings = [ring]
    if mark.tone is Tone.BAD:
        middle = ring.mean(axis=0)
        reach = np.maximum(np.linalg.norm(ring - middle, axis=1, keepdims=True), 1e-6)
        rings.append(ring + (ring - middle) / reach * 4 * width)
    for each in rings:
        shifted = np.round(each * 16).astype(np.int32)
        cv2.polylines(canvas, [shifted], True, _COLOURS[mark.tone], width, cv2.LINE_AA, 4)


def _draw_text(brush: ImageDraw.ImageDraw, mark: Mark, factor: float, unit: float) -> None:
    """Lines of text that fit into the piece, dark on a light halo so that they read on any colour."""
    if not mark.lines:
        return
    ring = (mark.outline + 0.5) * factor - 0.5
    middle = ring.mean(axis=0)
    room = mark.room * factor or (0.78 * float(np.ptp(ring[:, 0])) if len(ring) > 1 else 160 * unit)
    widest = max(_font(100).getlength(line) for line in mark.lines)
    size = round(float(np.clip(100 * room / max(widest, 1), 11 * max(unit, 0.6), 44 * max(unit, 0.6))))
    text = "\n".join(mark.lines)
    brush.multiline_text(
        (float(middle[0]), float(middle[1])), text, font=_font(size), fill=_INK, anchor="mm", align="center",
        spacing=size // 6, stroke_width=max(2, size // 9), stroke_fill=_HALO,
    )  # fmt: skip


@lru_cache(64)
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(shipped("reports") / "fonts" / "SourceSans3-SemiBold.ttf"), size)
