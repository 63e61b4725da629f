"""What stands beside the digits: the unit, the signs for "stable" and "hold", and what could be one more digit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.display import tuning
from inspect_kit.vision.display.networks import WORD_SIZE, WORDS, Plane, evened, word_chances
from inspect_kit.vision.display.strip import SIDE, TALL, Strip

_MARKS: Final = frozenset({"ring", "hold"})


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a unit is drawn: its width in its own heights, from narrow letters to wide ones, and where its hole is."""

    narrow: float
    wide: float
    hole: tuple[float, float, float, float] | None = None
    """Bounds of the only hole's middle: left, right, upper, lower, in widths and heights; nothing where it has none."""


_SHAPES: Final = {
    "g": _Shape(0.4, 1.05, (0.2, 0.75, 0.15, 0.5)), "kg": _Shape(0.8, 1.9, (0.55, 0.95, 0.3, 0.7)),
    "mg": _Shape(1.25, 2.9, (0.6, 0.95, 0.15, 0.5)), "oz": _Shape(1.1, 2.8, (0.1, 0.45, 0.3, 0.7)),
    "lb": _Shape(0.7, 1.8, (0.45, 0.9, 0.45, 0.85)), "ct": _Shape(0.75, 2.0), "mm": _Shape(1.8, 4.5),
    "in": _Shape(0.6, 1.8),
}  # fmt: skip
"""The second witness for what the network says of a unit."""


@dataclass(frozen=True, slots=True)
class Word:
    """A unit or mark near the digits (empty where it is neither), and where it stands."""

    text: str
    behind: bool
    box: tuple[int, int, int, int]
    """Left, top, width and height in the strip."""


def unit_of(found: list[Word]) -> str:
    """The one unit behind the digits; where none is there, the one that stands elsewhere."""
    units = [word for word in found if word.text not in _MARKS]
    behind = {word.text for word in units if word.behind}
    chosen = behind or {word.text for word in units}
    return chosen.pop() if len(chosen) == 1 and chosen != {""} else ""


def words(strip: Strip, left: float, right: float) -> list[Word]:
    """Words around the digits between two columns, looked for as strong as digits and once more as faint ones."""
    found = [word for level in (tuning.LIT, tuning.FAINT) for word in _at(strip, level, left, right)]
    known = [word for word in found if word.text]
    return known + [word for word in found if not word.text and not any(_overlap(word.box, o.box) for o in known)]


def _at(strip: Strip, level: float, left: float, right: float) -> Iterator[Word]:
    """What stands free at a level of contrast: no part of a digit, of the display's frame or the picture's edge."""
    joined = cv2.dilate((strip.raw > level).astype(np.uint8), np.ones((1, TALL // 9), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    for index, (x, y, w, h, _) in enumerate(stats[1:], 1):
        edge = y < SIDE - tuning.WORD_DISTANCE * TALL or y + h > SIDE + (1 + tuning.WORD_DISTANCE) * TALL
        within = x + w > left and x < right and y + h > SIDE and y < SIDE + TALL
        if edge or within or not (tuning.SMALLEST_WORD * TALL < h < 0.8 * TALL and 0.06 * TALL < w < 2 * TALL):
            continue
        part = (slice(y, y + h), slice(x, x + w))
        behind = bool(x > right - 0.3 * TALL and y + h > SIDE and y < SIDE + TALL)
        own = np.where(labels[part] == index, strip.raw[part], 0).astype(np.float32)
        upright, leaning = _named(strip.as_printed(own, x + w / 2)), _named(own)
        # By its lean on the display and by that of the digits: one may be unknown, both must not differ.
        text = (upright or leaning) if not upright or not leaning or upright == leaning else ""
        if text or (behind and w > tuning.WORD_WIDTH * TALL):
            yield Word(text, behind, (int(x), int(y), int(w), int(h)))


def _overlap(one: tuple[int, int, int, int], two: tuple[int, int, int, int]) -> bool:
    return all(one[k] < two[k] + two[k + 2] and two[k] < one[k] + one[k + 2] for k in (0, 1))


def _named(drawn: Plane) -> str:
    """The word, if the network knows it and it is drawn as that word is; else nothing."""
    cut = _cut(drawn)
    if cut is None:
        return ""
    chances = word_chances([_window(cut)])[0]
    text, chance = WORDS[int(np.argmax(chances))], float(chances.max())
    if text in ("junk", "g") and chances[WORDS.index("g")] > tuning.LIKE_NINE and _drawn_as(cut, _SHAPES["g"]):
        return "g"
    # A bold g may have no hole left, one with a closed tail has two: there the network and the width are enough.
    fits = _wide_as if text == "g" else _drawn_as
    known = text != "junk" and chance > tuning.WORD_CHANCE and (text in _MARKS or fits(cut, _SHAPES[text]))
    return text if known else ""


def _wide_as(cut: Plane, shape: _Shape) -> bool:
    return bool(shape.narrow < cut.shape[1] / cut.shape[0] < shape.wide)


def _drawn_as(cut: Plane, shape: _Shape) -> bool:
    """Whether a word has the width and the hole of a unit."""
    holes = list(_holes(cut))
    if shape.hole is None or len(holes) != 1:
        return _wide_as(cut, shape) and shape.hole is None and not holes
    left, right, upper, lower = shape.hole
    return _wide_as(cut, shape) and left < holes[0][0] < right and upper < holes[0][1] < lower


def _holes(cut: Plane) -> Iterator[tuple[float, float]]:
    """The middles of what strokes enclose, in widths and heights."""
    fine = cv2.resize(np.pad(cut, 1), None, fx=4, fy=4, interpolation=cv2.INTER_LINEAR)
    _, _, stats, middles = cv2.connectedComponentsWithStats(
        (fine < tuning.INK_SHARE * fine.max()).astype(np.uint8), connectivity=4
    )
    high, wide = fine.shape
    for (x, y, w, h, area), (across, down) in zip(stats[1:], middles[1:], strict=True):
        if x > 0 and y > 0 and x + w < wide and y + h < high and area > 0.01 * high * wide:
            yield float(across / wide), float(down / high)


def _cut(drawn: Plane) -> Plane | None:
    """The word's own extent."""
    ys, xs = np.nonzero(drawn > tuning.INK_SHARE * drawn.max())
    return drawn[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1] if drawn.max() > tuning.FAINT else None


def _window(cut: Plane) -> Plane:
    """As high as the window and at its left, as the network was taught."""
    width, height = WORD_SIZE
    scale = min((height - 4) / cut.shape[0], (width - 4) / cut.shape[1])
    small = cv2.resize(cut, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)[: height - 2, : width - 2]
    window: Plane = np.zeros((height, width), np.float32)
    window[2 : 2 + small.shape[0], 2 : 2 + small.shape[1]] = small
    return evened(window)


def unread_mark_beside(strip: Strip, left: float, right: float, found: list[Word]) -> bool:
    """Whether something next to the row is neither a known word nor a frame and could be part of a digit or a sign.

    Behind the digits stands their unit, which need not be read: there only what is as narrow as a bar counts. A sign
    may stand in the display's first place, however many blank ones follow.
    """
    lit = (strip.light > tuning.FAINT).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(lit, connectivity=8)
    known = [word.box for word in found if word.text]
    for x, y, w, h, _ in stats[1:]:
        if _far_sign(left - (x + w), y + h / 2 - SIDE, w, h):
            return True
        before, behind = 0 <= left - (x + w) < tuning.NEXT_TO_ROW * TALL, 0 <= x - right < tuning.NEXT_TO_ROW * TALL
        inside = y + h > SIDE + 0.1 * TALL and y < SIDE + 0.9 * TALL
        tall = h > (0.3 if w < tuning.BAR_WIDTH * TALL else 0.7) * TALL
        sign = before and w > max(0.15 * TALL, 1.3 * h) and y > SIDE and y + h < SIDE + TALL
        if inside and (before or behind) and (tall or sign) and not _covered((x, y, w, h), known):
            return True
    return False


def _far_sign(before: float, middle: float, wide: float, high: float) -> bool:
    """Whether something so far before the digits is a bar at about half of their height, as wide as one of theirs.

    The slope of a row of two digits is known to some degrees: the farther away, the less sure is the height.
    """
    is_bar = 1.3 * high < wide < tuning.SIGN_WIDTH * TALL and high < tuning.BAR_WIDTH * TALL
    return before >= 0 and is_bar and wide > 0.15 * TALL and abs(middle - TALL / 2) < 0.2 * TALL + 0.05 * before


def _covered(box: tuple[int, int, int, int], known: list[tuple[int, int, int, int]]) -> bool:
    """Whether the box lies within a word that was read."""
    x, y, w, h = box
    return any(a - 4 <= x and b - 4 <= y and x + w <= a + c + 4 and y + h <= b + d + 4 for a, b, c, d in known)
