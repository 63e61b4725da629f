"""What a display shows: digits told twice over, by a network and by their bars, their point, unit and marks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.display import tuning
from inspect_kit.vision.display.cover import hidden
from inspect_kit.vision.display.dots import digit_of_dots
from inspect_kit.vision.display.marks import unit_of, unread_mark_beside, words
from inspect_kit.vision.display.networks import DIGITS, Plane, digit_chances
from inspect_kit.vision.display.rows import DigitRow, find_rows, planes, without_shade
from inspect_kit.vision.display.segments import dash, seven_segment
from inspect_kit.vision.display.strip import SIDE, TALL, PlacedDigit, Strip, refitted, straightened

CERTAIN: Final = 0.9
"""Confidence from which a reading may be proposed as certain."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """One digit or sign: its columns in the strip, and how sure it is."""

    character: str
    chance: float
    left: float
    right: float
    bars: str | None
    """What its bars say without the network; nothing where they leave it open."""
    dots: str | None = None
    """What its dots say, were it of a dot matrix; nothing where not every one of them is plainly on or off."""

    @property
    def told(self) -> str | None:
        """The second opinion on it: dots are many and rule more out than bars."""
        return self.dots or self.bars


@dataclass(frozen=True, slots=True)
class DisplayedNumber:
    """A row that was read: the number with its point, how sure, and why not surer."""

    number: str
    confidence: float
    row: DigitRow
    unit: str = ""
    stable: bool = False
    hold: bool = False
    doubt: str = ""
    """Why it is not certain, as a code of the wording; empty where it is."""


def read_display(photo: NDArray[np.uint8]) -> DisplayedNumber | None:
    """The reading of the display in the photo; nothing where no row of digits is found."""
    read = []
    both = planes(photo)
    for row in _distinct(find_rows(both)):
        strip = _strip(both, row)
        shown = _read_row(strip) if strip is not None else None
        if strip is not None and shown is not None:
            read.append((shown, strip))
    if not read:
        return None
    tallest, _ = max(read, key=lambda each: (each[0].confidence > 0.4, each[0].row.height * len(each[0].number) ** 0.5))
    same = [each for each in read if _same_place(tallest, each[0])]
    best, strip = max(same, key=lambda each: (_digits(each[0]), each[0].confidence))
    if any(_digits(o) == _digits(best) and o.number != best.number and o.confidence >= CERTAIN for o, _ in same):
        best = replace(best, confidence=min(best.confidence, 0.5), doubt="display-two-ways")
    if any(_rivals(best, other) for other, _ in read):
        best = replace(best, confidence=min(best.confidence, 0.5), doubt="display-two-rows")
    if best.row.light:
        return _with_marks(best, strip)
    best, strip = _in_shade(best, strip, both)
    if _glint(photo, best.row):
        best = replace(best, confidence=min(best.confidence, 0.5), doubt=best.doubt or "display-bars-unclear")
    return _with_marks(best, strip)


def _glint(photo: NDArray[np.uint8], row: DigitRow) -> bool:
    """Whether a spot over dark digits is white though their ground is not: it may have taken a bar away."""
    (left, right), (low_left, low_right) = row.top, row.bottom
    corners = np.round([left, right, low_right, low_left]).astype(np.int32)
    low, high = np.maximum(corners.min(axis=0), 0), corners.max(axis=0) + 1
    part = photo[low[1] : high[1], low[0] : high[0]].min(axis=2)
    inside = cv2.fillConvexPoly(np.zeros(part.shape, np.uint8), corners - low, 1) > 0
    white = part[inside] > tuning.WHITE
    return bool(white.mean() < 0.5 and white.sum() > tuning.PART_AREA * row.height**2)


def _in_shade(shown: DisplayedNumber, strip: Strip, both: tuple[Plane, Plane]) -> tuple[DisplayedNumber, Strip]:
    """The same row once more without its shadows; in doubt where that makes another number of it.

    A digit in shadow that was missed is taken in; one more witness where a bar was badly seen.
    """
    again = _strip(without_shade(both), shown.row)
    other = _read_row(again) if again is not None else None
    if again is None or other is None or (other.number in shown.number and shown.confidence >= other.confidence):
        return shown, strip
    if shown.number in other.number and other.confidence >= CERTAIN:
        return other, again
    if other.number in shown.number or other.confidence < CERTAIN:
        return shown, strip
    return replace(shown, confidence=min(shown.confidence, 0.5), doubt="display-two-ways"), strip


def _digits(shown: DisplayedNumber) -> int:
    return sum(character.isdigit() for character in shown.number)


def _same_place(one: DisplayedNumber, two: DisplayedNumber) -> bool:
    """Whether two rows are the same digits, found twice; the upper halves of digits are a row of ones half as high."""
    near = abs(float(one.row.middle[1] - two.row.middle[1])) < 0.6 * max(one.row.height, two.row.height)
    return near and tuning.SAME_HEIGHT < one.row.height / two.row.height < 1 / tuning.SAME_HEIGHT


def _strip(both: tuple[Plane, Plane], row: DigitRow) -> Strip | None:
    """The straightened row, its lines drawn anew through the digits that stand on them."""
    strip = straightened(both, row)
    for _ in range(2):
        glyphs = _chain(strip) if strip is not None else []
        standing = [PlacedDigit(g.character, g.left, g.right) for g in glyphs if g.character != "-"]
        better = refitted(strip, standing) if strip and standing else None
        strip = straightened(both, better) if better is not None else None
    return strip


def _distinct(rows: list[DigitRow]) -> list[DigitRow]:
    """The tallest rows, each place once."""
    kept: list[DigitRow] = []
    for row in sorted(rows, key=lambda each: -each.height * min(each.glyphs, 6)):
        if not any(
            np.linalg.norm(row.middle - other.middle) < 0.2 * other.height and 0.8 < row.height / other.height < 1.25
            for other in kept
        ):
            kept.append(row)
    return kept[: tuning.MOST_ROWS]


def _rivals(best: DisplayedNumber, other: DisplayedNumber) -> bool:
    away = abs(float(best.row.middle[1] - other.row.middle[1])) > 0.6 * best.row.height
    tall = other.row.height > tuning.RIVAL_HEIGHT * best.row.height
    return away and tall and other.confidence > 0.8 and len(other.number) > 1


def _read_row(strip: Strip) -> DisplayedNumber | None:
    glyphs = _chain(strip)
    if len(glyphs) < 2 or sum(g.character.isdigit() for g in glyphs) < 1:
        return None
    number, doubt, share = _spelled(strip, glyphs)
    confidence = min(_chance(g) for g in glyphs) * share
    digits = [g for g in glyphs if g.character != "-"]
    if any(g.told != g.character for g in digits) or (_of_dots(digits) and not all(g.dots for g in digits)):
        confidence, doubt = min(confidence, 0.6), doubt or "display-bars-unclear"
    # Upright strokes alone are the letters of a printed word, or halves of thin digits.
    if not number.strip("1"):
        confidence, doubt = min(confidence, 0.3), "display-bars-unclear"
    beyond = _of_dots(digits) and _point_before(strip, glyphs[0].left)
    if beyond or _missed(strip, glyphs) or _unexplained(strip, glyphs):
        confidence, doubt = min(confidence, 0.5), "display-one-more"
    if _uneven(glyphs):
        confidence, doubt = min(confidence, 0.5), "display-uneven"
    if _cut_off(strip, glyphs):
        confidence, doubt = min(confidence, 0.5), "display-at-edge"
    return DisplayedNumber(number, confidence, strip.row, doubt=doubt)


def _missed(strip: Strip, glyphs: list[Glyph]) -> bool:
    """Whether a digit stands where the next one would, on either side: one that glare or a frame hides from the row."""
    centres, pitch = [(g.left + g.right) / 2 for g in glyphs], _pitch(glyphs)
    # On a dot matrix a point may have a cell of its own, and the next digit stands behind it.
    steps = np.linspace(0.7, 2.4 if _of_dots(glyphs) else 1.7, 18 if _of_dots(glyphs) else 11) * pitch
    places = [*(centres[0] - steps), *(centres[-1] + steps)]
    lit = [x for x in places if _lit_at(strip, x, 0.25 * pitch)]
    chances = digit_chances([strip.window(x, raw=True) for x in lit]) if lit else np.zeros((0, 11), np.float32)
    return bool((chances[:, :10] > tuning.MISSED_CHANCE).any())


def _pitch(glyphs: list[Glyph]) -> float:
    """Columns from one digit to the next."""
    return float(np.median(np.diff([(g.left + g.right) / 2 for g in glyphs])))


def _point_before(strip: Strip, left: float) -> bool:
    """Whether something as small as a point stands at the foot before the first digit, in a cell of its own."""
    columns = slice(max(0, round(left - tuning.NEXT_TO_ROW * TALL)), max(1, round(left) - 2))
    lit = (strip.light[SIDE + TALL // 3 : SIDE + TALL + TALL // 6, columns] > tuning.LIT).astype(np.uint8)
    _, _, stats, middles = cv2.connectedComponentsWithStats(lit, connectivity=8)
    small = (stats[:, 2:4].max(axis=1) < 0.4 * TALL) & (stats[:, 4] > tuning.SPECK_AREA * TALL**2)
    return bool((small & (middles[:, 1] > 0.4 * TALL))[1:].any())


def _unexplained(strip: Strip, glyphs: list[Glyph]) -> bool:
    """Whether something lit was set aside near the row that is no frame: a digit with a mark that touches it."""
    low, high = (
        int(max(0, glyphs[0].left - tuning.NEXT_TO_ROW * TALL)),
        int(glyphs[-1].right + tuning.NEXT_TO_ROW * TALL),
    )
    middle = slice(SIDE + round(0.15 * TALL), SIDE + round(0.85 * TALL))
    aside = ((strip.raw > tuning.LIT) & (strip.light <= tuning.LIT))[:, low:high].astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(aside, connectivity=8)
    areas = np.bincount(labels[middle].ravel(), minlength=len(stats)) / TALL**2
    top, end = stats[:, 1] - SIDE, stats[:, 1] + stats[:, 3] - SIDE
    frame = (top < -0.4 * TALL) & (end > 1.4 * TALL)
    tall = (top < 0.3 * TALL) & (end > 0.7 * TALL)
    return bool((areas[1:][(tall & ~frame)[1:]] > tuning.PART_AREA).any())


def _uneven(glyphs: list[Glyph]) -> bool:
    """Whether two digits stand further apart than the others. Every digit reaches its cell's right side, a one too."""
    rights = np.array([g.right for g in glyphs if g.character != "-"])
    steps = np.diff(rights)
    return bool(steps.size and steps.max() > tuning.UNEVEN_STEP * min(float(np.median(steps)), TALL))


def _lit_at(strip: Strip, centre: float, half: float) -> bool:
    """Whether anything there is lit; a digit that is off shows faintly too."""
    part = strip.raw[SIDE : SIDE + TALL, max(0, int(centre - half)) : max(1, int(centre + half))]
    return bool(part.size and np.percentile(part, 95) > tuning.LIT)


def _chance(glyph: Glyph) -> float:
    """How sure a digit is: the network's word, and where bars or dots say the same, most of its doubt is gone."""
    same = (
        tuning.DOUBT_WITH_DOTS
        if glyph.dots == glyph.character
        else tuning.DOUBT_WITH_BARS
        if glyph.bars == glyph.character
        else 1.0
    )
    return 1 - (1 - glyph.chance) * same


def _chain(strip: Strip) -> list[Glyph]:
    """The digits from the row's middle outwards, up to the first thing that is none."""
    spans = [span for span in _spans(strip) if 0.05 * TALL < span[1] - span[0] < tuning.WIDEST_DIGIT * TALL]
    if not spans:
        return []
    chances = digit_chances([strip.window(sum(span) / 2) for span in spans])
    glyphs = [_glyph(strip, span, row) for span, row in zip(spans, chances, strict=True)]
    middle = strip.light.shape[1] / 2
    good = [index for index, glyph in enumerate(glyphs) if glyph.character.isdigit() and glyph.chance > 0.5]
    if not good:
        return []
    start = min(good, key=lambda index: abs((glyphs[index].left + glyphs[index].right) / 2 - middle))
    first = last = start
    while last + 1 < len(glyphs) and _follows(glyphs[last], glyphs[last + 1]):
        last += 1
    while first > 0 and _follows(glyphs[first - 1], glyphs[first]) and glyphs[first].character != "-":
        first -= 1
    # A sign stands before a number; a bar behind it is part of a word.
    while last > first and glyphs[last].character == "-":
        last -= 1
    return _by_dots(strip, glyphs[first : last + 1])


def _of_dots(digits: list[Glyph]) -> bool:
    """Whether a row is of a dot matrix: half of its digits are told by dots, or one is that bars take for another."""
    told = [g for g in digits if g.dots]
    return 2 * len(told) >= len(digits) > 0 or any(g.dots != g.bars for g in told)


def _by_dots(strip: Strip, glyphs: list[Glyph]) -> list[Glyph]:
    """The row with its sign and its ones told by the distance of dots in the wide digits: a one's foot is wider."""
    wide = [g.right - g.left for g in glyphs if g.dots]
    if not wide:
        return glyphs
    pitch = float(np.median(wide)) / 5
    return [g if g.dots else _by_pitch(strip, g, pitch) for g in glyphs]


def _by_pitch(strip: Strip, glyph: Glyph, pitch: float) -> Glyph:
    columns = (glyph.right - glyph.left) / pitch
    if glyph.character == "-":
        return replace(glyph, dots="-" if 2.5 < columns < 5.5 else None)
    found = digit_of_dots(strip.band, glyph.left, glyph.right, pitch)
    if found is None or found.digit != glyph.character:
        return glyph
    return replace(glyph, right=max(glyph.right, glyph.left + found.columns * pitch), dots=found.digit)


def _glyph(strip: Strip, span: tuple[float, float], chances: Plane) -> Glyph:
    found = digit_of_dots(strip.band, *span)
    dots = found.digit if found is not None and found.columns == 5 else None
    best = int(np.argmax(chances)) if dots is None else DIGITS.index(dots)
    character = DIGITS[best]
    # A ring or a dot at half height is no sign.
    if character == "-" and not dash(strip.band, *span):
        character = ""
    return Glyph(character, float(chances[best]), *span, seven_segment(strip.band, *span), dots)


def _follows(one: Glyph, two: Glyph) -> bool:
    return bool(one.character and two.character) and two.left - one.right < tuning.DIGIT_DISTANCE * TALL


def _spans(strip: Strip) -> list[tuple[float, float]]:
    """Columns that hold strokes of one glyph; the lowest part is left out, where points stand."""
    band = strip.band[: round(0.84 * TALL)]
    lit = (band > tuning.LIT).sum(axis=0) >= 0.05 * TALL
    edges = np.flatnonzero(np.diff(np.concatenate(([0], lit.astype(np.int8), [0]))))
    spans: list[tuple[float, float]] = []
    for left, right in edges.reshape(-1, 2):
        if spans and left - spans[-1][1] < tuning.CREVICE * TALL and right - spans[-1][0] < tuning.JOINED_WIDTH * TALL:
            spans[-1] = (spans[-1][0], float(right))
        else:
            spans.append((float(left), float(right)))
    return spans


def _spelled(strip: Strip, glyphs: list[Glyph]) -> tuple[str, str, float]:
    """The number with its point, what is in doubt about it, and the share by which that lowers the confidence."""
    text, doubt, share = glyphs[0].character, "", 1.0
    pairs = list(pairwise(glyphs))
    dots = [_dots(strip, one, two) for one, two in pairs]
    for (one, two), dot in zip(pairs, dots, strict=True):
        area, above = _between(strip, one, two)
        if above > tuning.SPECK_AREA:
            doubt, share = "display-between", 0.4
        elif dot or (area >= tuning.POINT_AREA and not any(dots)):
            text += "."
        elif area > tuning.SPECK_AREA and not any(dots):
            doubt, share = "display-point-unclear", 0.5
        text += two.character
    if text.count(".") > 1 or text.startswith("-."):
        doubt, share = "display-points", 0.3
    if text.lstrip("-").startswith("0") and text.lstrip("-")[1:2].isdigit():
        doubt, share = "display-leading-zero", 0.4
    if "-" in text[1:]:
        doubt, share = "display-bar-between", 0.3
    return text, doubt, share


def _dots(strip: Strip, one: Glyph, two: Glyph) -> int:
    """Round spots at the foot of the row between two digits."""
    left, right = round(one.right - 0.1 * TALL), round(two.left + 0.1 * TALL)
    foot = SIDE + round(0.72 * TALL)
    part = _above_ground(strip)[foot : SIDE + TALL + round(0.18 * TALL), max(0, left) : max(left + 1, right)]
    _, _, stats, middles = cv2.connectedComponentsWithStats(part, connectivity=8)
    count = 0
    for (x, y, w, h, area), (across, down) in zip(stats[1:], middles[1:], strict=True):
        inside = x > 0 and x + w < part.shape[1] and y > 0
        between = 0.04 * TALL < across < part.shape[1] - 0.04 * TALL and foot + down > SIDE + 0.8 * TALL
        compact = min(w, h) > 0.05 * TALL and max(w, h) < min(0.28 * TALL, 2.2 * min(w, h)) and area > 0.5 * w * h
        count += bool(inside and between and compact)
    return count


def _above_ground(strip: Strip) -> NDArray[np.uint8]:
    """What is lit, without a word that begins at the digits' foot: its letters are no points."""
    lit = (strip.light > tuning.LIT).astype(np.uint8)
    joined = cv2.dilate(lit, np.ones((1, TALL // 9), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    below = (stats[:, 1] > SIDE + 0.95 * TALL) & (stats[:, 2] > 0.4 * TALL)
    return np.where(below[labels], 0, lit).astype(np.uint8)


def _between(strip: Strip, one: Glyph, two: Glyph) -> tuple[float, float]:
    """Lit area between two digits at the foot of the row, and further up, in squared heights."""
    left, right = round(one.right), round(two.left)
    lit = _above_ground(strip)[SIDE : SIDE + TALL + round(0.16 * TALL), max(0, left) : max(left + 1, right)]
    foot = round(0.76 * TALL)
    return float(lit[foot:].sum()) / TALL**2, float(lit[round(0.05 * TALL) : round(0.66 * TALL)].sum()) / TALL**2


def _cut_off(strip: Strip, glyphs: list[Glyph]) -> bool:
    edge = 0.1 * TALL
    left, right = int(max(0, glyphs[0].left - edge)), int(glyphs[-1].right + edge)
    return not bool(strip.inside[left : right + 1].all())


def _with_marks(shown: DisplayedNumber, strip: Strip) -> DisplayedNumber:
    """Unit and marks beside the digits; in doubt where something there could be one more digit or a sign."""
    glyphs = _chain(strip)
    left, right = glyphs[0].left, glyphs[-1].right
    found = words(strip, left, right)
    if unread_mark_beside(strip, left, right, found):
        shown = replace(shown, confidence=min(shown.confidence, 0.5), doubt=shown.doubt or "display-one-more")
    if hidden(strip, left, right, _pitch(glyphs)):
        shown = replace(shown, confidence=min(shown.confidence, 0.5), doubt=shown.doubt or "display-covered")
    texts = {word.text for word in found}
    return replace(shown, unit=unit_of(found), stable="ring" in texts, hold="hold" in texts)


# The display as evidence: its part of the photo, small enough to keep with a record and to print.

_WIDEST: Final = 640
"""Pixels across, enough to read every bar of a digit again."""

_QUALITY: Final = (cv2.IMWRITE_JPEG_QUALITY, 88)
"""JPEG quality, of 100; chosen."""


def cut_out(photo: NDArray[np.uint8], shown: DisplayedNumber) -> bytes:
    """The display, upright, as JPEG."""
    points = np.array([*shown.row.top, *shown.row.bottom])
    pad = 1.2 * shown.row.height
    low = np.maximum(points.min(axis=0) - np.array([2.5 * pad, pad]), 0).astype(int)
    high = (points.max(axis=0) + np.array([1.5 * pad, pad])).astype(int)
    part = photo[low[1] : high[1], low[0] : high[0]]
    scale = min(1.0, _WIDEST / part.shape[1])
    small = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), _QUALITY)[1])
