"""A carrom board's drawing as one maker prints it: places, strokes, ink, and every length that is true of it, in mm."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.cycles.shapes import Ink

Array = NDArray[np.float64]
Rng = np.random.Generator

PER_MM = 8.0
"""Pixels a mm of the ink's masks."""
CORNERS = {"nw": (-1, 1), "ne": (1, 1), "se": (1, -1), "sw": (-1, -1)}
SIDES = {"n": (0.0, 1.0), "e": (1.0, 0.0), "s": (0.0, -1.0), "w": (-1.0, 0.0)}
HEADS = ("triangle", "barbed", "open", "swallow", "round")


@dataclass(frozen=True)
class Line:
    """A side's pair of base lines and its two circles; centres in board coordinates, by the corner they lie at."""

    lower_thickness: float
    upper_thickness: float
    spacing: float
    near: float
    circle: float
    disc: float
    centres: dict[str, Array]
    along: Array
    out: Array


@dataclass(frozen=True)
class Layout:
    """The feet of the walls (by corner), the pockets, and what is printed."""

    feet: dict[str, Array]
    pockets: dict[str, tuple[Array, float]]
    lines: dict[str, Line]
    outline: float
    disc_outline: float
    arrows: dict[str, tuple[Array, Array]]
    shaft: float
    head: str
    head_size: float
    arc: float
    centre: float
    outer: float
    outer_stroke: float
    middle: Array
    small_circle: float
    star: bool
    lettering: bool
    filled_centre: bool


def random_layout(rng: Rng) -> Layout:
    """A board whose walls are not quite square and whose print is not quite in the middle."""
    side = rng.uniform(735, 745)
    feet = {c: np.array(s) * side / 2 + rng.normal(0, 0.35, 2) for c, s in CORNERS.items()}
    hole, stand = rng.uniform(43, 46), rng.uniform(0, 1.2)
    pockets = {}
    for corner, signs in CORNERS.items():
        diameter = float(hole + rng.normal(0, 0.1))
        pockets[corner] = (feet[corner] - np.array(signs) * (diameter / 2 + stand), diameter)
    turn, shift = np.radians(rng.normal(0, 0.03)), rng.normal(0, 0.4, 2)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    half = side / 2
    near, spacing, length = 101.5 + rng.normal(0, 0.5), 31.8 + rng.normal(0, 0.3), side - 266.6 + rng.normal(0, 0.6)
    lower, upper, disc = rng.uniform(5, 6.5), rng.uniform(0.9, 2.4), 25.4 + rng.normal(0, 0.2)
    lines = {}
    for name, out in SIDES.items():
        o = spin @ np.array(out)
        a = np.array([-o[1], o[0]])
        n, sp, ln = near + rng.normal(0, 0.1), spacing + rng.normal(0, 0.06), length + rng.normal(0, 0.12)
        ends = [c for c in CORNERS if name in c]
        depth = half - n - sp / 2
        centres = {c: shift + o * depth + a * float(np.sign(np.array(CORNERS[c]) @ a)) * (ln - sp) / 2 for c in ends}
        lines[name] = Line(lower, upper, sp, half - n, sp, disc + rng.normal(0, 0.05), centres, a, o)
    tip, reach, shaft = 50 + rng.normal(0, 1), rng.uniform(235, 267), rng.uniform(1.0, 1.5)
    arrows = {}
    for corner, signs in CORNERS.items():
        toward = np.array(signs) / np.sqrt(2)
        angle = np.radians(rng.normal(0, 0.1))
        toward = spin @ np.array(
            [
                np.cos(angle) * toward[0] - np.sin(angle) * toward[1],
                np.sin(angle) * toward[0] + np.cos(angle) * toward[1],
            ]
        )
        middle, diameter = pockets[corner]
        end = middle - toward * (diameter / 2 + tip + rng.normal(0, 0.2))
        end = shift + (end - shift) @ toward * toward
        arrows[corner] = (end, end - toward * (reach + rng.normal(0, 0.2)))
    return Layout(
        feet=feet, pockets=pockets, lines=lines, outline=float(rng.uniform(0.6, 1.6)),
        disc_outline=float(rng.choice([0.0, rng.uniform(0.3, 0.7)])), arrows=arrows, shaft=float(shaft),
        head=str(rng.choice(HEADS)), head_size=float(rng.uniform(3.5, 7)), arc=float(rng.choice([0.0, 63.5, 53.5])),
        centre=float(31.8 + rng.normal(0, 0.5)), outer=float(170 + rng.normal(0, 1)),
        outer_stroke=float(rng.uniform(0.8, 3.0)), middle=shift, small_circle=float(rng.choice([0.0, 12.0])),
        star=bool(rng.random() < 0.4), lettering=bool(rng.random() < 0.4), filled_centre=bool(rng.random() < 0.6),
    )  # fmt: skip


def foot_distance(layout: Layout, side: str, point: Array) -> float:
    """From a point on the surface to the straight foot of a wall."""
    a, b = (layout.feet[c] for c in CORNERS if side in c)
    along = (b - a) / np.linalg.norm(b - a)
    gap = point - a
    return float(abs(gap[0] * along[1] - gap[1] * along[0]))


def places(layout: Layout) -> dict[str, Array]:
    """Where feet, pockets, arrows, circles and the centre are."""
    out = {f"foot.{c}": p for c, p in layout.feet.items()} | {f"pocket.{c}": p for c, (p, _) in layout.pockets.items()}
    for corner, (tip, tail) in layout.arrows.items():
        out |= {f"tip.{corner}": tip, f"tail.{corner}": tail}
    for side, line in layout.lines.items():
        out |= {f"circle.{side}.{c.replace(side, '')}": p for c, p in line.centres.items()}
    return out | {"centre": layout.middle}


def values(layout: Layout) -> dict[str, dict[str, float | list[float]]]:
    """Every characteristic that `measure board` gives, by instance; an arrow's angle against either side beside it."""
    feet, out = layout.feet, {}
    ends = {side: [feet[c] for c in CORNERS if side in c] for side in SIDES}
    out["surface.side"] = {s: _gap(a, b) for s, (a, b) in ends.items()}
    out["surface.diagonal"] = {"nw-se": _gap(feet["nw"], feet["se"]), "ne-sw": _gap(feet["ne"], feet["sw"])}
    ring = list(CORNERS)
    out["surface.angle"] = {
        c: _angle(feet[ring[i - 1]] - feet[c], feet[ring[(i + 1) % 4]] - feet[c]) for i, c in enumerate(ring)
    }
    out["pocket.diameter"] = {c: d for c, (_, d) in layout.pockets.items()}
    lines = layout.lines.items()
    out["baseline.length"] = {s: _gap(*line.centres.values()) + line.circle for s, line in lines}
    out["baseline.lower.thickness"] = {s: line.lower_thickness for s, line in lines}
    out["baseline.spacing"] = {s: line.spacing for s, line in lines}
    out["baseline.lower.distance"] = {
        s: foot_distance(layout, s, sum(line.centres.values()) / 2 + line.out * line.spacing / 2) for s, line in lines
    }
    out["basecircle.diameter"] = {f"{s}.{c.replace(s, '')}": line.circle for s, line in lines for c in line.centres}
    out["basecircle.inner"] = {f"{s}.{c.replace(s, '')}": line.disc for s, line in lines for c in line.centres}
    out["basecircle.gap"] = {}
    for c in CORNERS:
        one, two = (line for _, line in lines if c in line.centres)
        out["basecircle.gap"][c] = _gap(one.centres[c], two.centres[c]) - (one.circle + two.circle) / 2
    out["arrow.thickness"] = dict.fromkeys(CORNERS, layout.shaft)
    out["arrow.length"] = {c: _gap(*layout.arrows[c]) for c in CORNERS}
    out["arrow.tip"] = {c: _gap(layout.pockets[c][0], layout.arrows[c][0]) - layout.pockets[c][1] / 2 for c in CORNERS}
    out["arrow.angle"] = {
        c: [_acute(layout.arrows[c][0] - layout.arrows[c][1], ends[s][1] - ends[s][0]) for s in c] for c in CORNERS
    }
    out["centre.diameter"], out["outer.diameter"] = {"": layout.centre}, {"": layout.outer}
    return out


def _gap(a: Array, b: Array) -> float:
    return float(np.hypot(*(np.asarray(a) - b)))


def _angle(a: Array, b: Array) -> float:
    return float(np.degrees(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))))


def _acute(a: Array, b: Array) -> float:
    return min(_angle(a, b), 180 - _angle(a, b))


def painted(layout: Layout, side: float, rng: Rng) -> NDArray[np.uint8]:
    """Coverage by the lines' ink, the red and the decoration's, as channels R, G, B of a picture in OpenCV's order."""
    dark, red, third = (Ink(side, PER_MM) for _ in range(3))
    for name, line in layout.lines.items():
        _base_line(dark, red, layout, line)
        if layout.lettering:
            _letters(third, sum(line.centres.values()) / 2, name, rng)
    for corner in CORNERS:
        _arrow(dark, layout, corner)
        if layout.small_circle:
            one, two = (line.centres[corner] for line in layout.lines.values() if corner in line.centres)
            dark.ring((one + two) / 2, layout.small_circle, 0.7)
    if layout.star:
        _star(third, layout)
    for ink in (third, dark):
        ink.disc(layout.middle, layout.centre, 0)
    dark.ring(layout.middle, layout.centre, layout.outline)
    if layout.filled_centre:
        red.disc(layout.middle, layout.centre - 2 * layout.outline)
    dark.ring(layout.middle, layout.outer, layout.outer_stroke)
    return np.dstack([(ink.mask * 255 + 0.5).astype(np.uint8) for ink in (third, red, dark)])


def _base_line(dark: Ink, red: Ink, layout: Layout, line: Line) -> None:
    middle, straight = sum(line.centres.values()) / 2, _gap(*line.centres.values()) / 2 * line.along
    for edge, width in ((1, line.lower_thickness), (-1, line.upper_thickness)):
        at = middle + edge * line.out * (line.spacing - width) / 2
        dark.strip(at - straight, at + straight, width)
    for at in line.centres.values():
        dark.disc(at, line.circle, 0)
        dark.ring(at, line.circle, layout.outline)
        red.disc(at, line.disc)
        if layout.disc_outline:
            dark.ring(at, line.disc, layout.disc_outline)


def _star(ink: Ink, layout: Layout) -> None:
    ray = np.array([[0, 0], [0.16, 0.3], [0, 0.94], [-0.16, 0.3]]) * (layout.outer / 2 - 8)
    for turn in np.arange(8) * np.pi / 4:
        c, s = np.cos(turn), np.sin(turn)
        ink.polygon(layout.middle + ray @ np.array([[c, s], [-s, c]]))


def _letters(ink: Ink, middle: Array, side: str, rng: Rng) -> None:
    """A maker's name between the lines of a side."""
    words = np.zeros((130, 1000), np.uint8)
    cv2.putText(
        words,
        str(rng.choice(["TOURNAMENT", "CHAMPION", "CLASSIC"])),
        (150, 100),
        cv2.FONT_HERSHEY_TRIPLEX,
        3.4,
        255,
        7,
        cv2.LINE_AA,
    )
    words = np.rot90(words, {"s": 0, "e": 1, "n": 2, "w": 3}[side])
    row, column = int((ink.side / 2 - middle[1]) * ink.per_mm), int((middle[0] + ink.side / 2) * ink.per_mm)
    h, w = words.shape
    part = ink.mask[row - h // 2 : row - h // 2 + h, column - w // 2 : column - w // 2 + w]
    np.maximum(part, words / np.float32(255), out=part)


def _arrow(ink: Ink, layout: Layout, corner: str) -> None:
    tip, tail = layout.arrows[corner]
    along = (tip - tail) / np.linalg.norm(tip - tail)
    across, size, w = np.array([-along[1], along[0]]), layout.head_size, layout.shaft
    neck = {"triangle": 0.5 * size, "swallow": 0.5 * size, "round": 0.3 * size}.get(layout.head, 1.2 * w)
    ink.strip(tail, tip - along * neck, w)
    if layout.head in ("triangle", "swallow"):
        notch = 1.6 if layout.head == "triangle" else 1.1
        ink.polygon(np.array([tip, tip - along * 1.6 * size + across * 0.5 * size, tip - along * notch * size,
                              tip - along * 1.6 * size - across * 0.5 * size]))  # fmt: skip
    elif layout.head == "round":
        ink.disc(tip - along * size * 0.35, size * 0.7)
    else:
        wing = 0.45 if layout.head == "open" else 0.75
        lean = np.arctan(wing)
        for hand in (-1, 1):
            end = tip - along * size + hand * across * size * wing
            down = w / np.sin(lean)
            ink.polygon(np.array([tip, end, end - along * down, tip - along * down]))
    if layout.arc:
        middle = tail + along * layout.arc / 2
        ink.ring(middle, layout.arc + 0.9, 0.9, (float(np.arctan2(along[1], along[0])), np.radians(70)))
