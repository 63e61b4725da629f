"""Drawn displays of known reading: seven-segment and dot-matrix, LCD, negative LCD and LED, as a camera sees them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]
Picture = NDArray[np.uint8]

SEGMENTS: Final = {
    "0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc", "5": "afgcd", "6": "afgedc", "7": "abc",
    "8": "abcdefg", "9": "abcdfg", "-": "g", " ": "",
}  # fmt: skip
SPELLINGS: Final = {"6": "fgedc", "7": "abcf", "9": "abcfg"}
"""How some displays write them: six without its roof, seven with a hook, nine without its floor."""
DOTS: Final = {
    "0": (14, 17, 19, 21, 25, 17, 14), "1": (4, 12, 4, 4, 4, 4, 14), "2": (14, 17, 1, 2, 4, 8, 31),
    "3": (31, 2, 4, 2, 1, 17, 14), "4": (2, 6, 10, 18, 31, 2, 2), "5": (31, 16, 30, 1, 1, 17, 14),
    "6": (6, 8, 16, 30, 17, 17, 14), "7": (31, 1, 2, 4, 8, 8, 8), "8": (14, 17, 17, 14, 17, 17, 14),
    "9": (14, 17, 17, 15, 1, 2, 12), "-": (0, 0, 0, 31, 0, 0, 0), " ": (0,) * 7,
}  # fmt: skip
"""Rows of the usual five by seven dots, the leftmost dot the highest bit."""
TALL: Final = 96
"""Pixels of a drawn digit's height."""


@dataclass(frozen=True)
class Style:
    """How one make of display draws its digits; lengths in heights of a digit."""

    width: float = 0.55
    thick: float = 0.12
    gap: float = 0.012
    bevel: float = 0.5
    pitch: float = 0.72
    slant: float = 0.1
    ghost: float = 0.0
    """How visible a segment is that is off."""
    point: float = 0.11
    round_point: bool = True
    own_cell: bool = False
    """Whether the point widens the step to the next digit, or sits in the gap."""
    dots: bool = False
    spelled: frozenset[str] = frozenset()


def any_style(rng: np.random.Generator, dots: float = 0.15) -> Style:
    """A display as some maker might have made it."""
    width, thick = rng.uniform(0.42, 0.66), rng.uniform(0.075, 0.17)
    return Style(
        width, thick, rng.uniform(0.0, 0.028), rng.uniform(0, 1), width + rng.uniform(0.1, 0.3),
        rng.uniform(-0.02, 0.26), float(rng.choice([0, 0, rng.uniform(0, 0.22)])), rng.uniform(0.07, 0.15),
        bool(rng.random() < 0.6), bool(rng.random() < 0.3), bool(rng.random() < dots),
        frozenset(c for c in SPELLINGS if rng.random() < 0.3),
    )  # fmt: skip


def _bars(style: Style) -> dict[str, NDArray[np.float64]]:
    """The seven segments as polygons, in heights of a digit, the origin at the upper left."""
    w, t, g, b = style.width, style.thick, style.gap, style.bevel * style.thick / 2

    def across(y: float) -> NDArray[np.float64]:
        left, right = t / 2 + g, w - t / 2 - g
        return np.array([[left, y], [left + b, y - t / 2], [right - b, y - t / 2], [right, y], [right - b, y + t / 2],
                         [left + b, y + t / 2]])  # fmt: skip

    def upright(x: float, top: float, end: float) -> NDArray[np.float64]:
        return np.array([[x, top + g], [x + t / 2, top + g + b], [x + t / 2, end - g - b], [x, end - g],
                         [x - t / 2, end - g - b], [x - t / 2, top + g + b]])  # fmt: skip

    low, mid, high = t / 2, 0.5, 1 - t / 2
    return {
        "a": across(low), "g": across(mid), "d": across(high), "f": upright(t / 2, low, mid),
        "b": upright(w - t / 2, low, mid), "e": upright(t / 2, mid, high), "c": upright(w - t / 2, mid, high),
    }  # fmt: skip


def _place(points: NDArray[np.float64], x: float, style: Style) -> NDArray[np.int32]:
    """Pixels of a point given in heights, leaning; sixteenths for a smooth edge."""
    leaning = points[:, 0] + x + style.slant * (1 - points[:, 1])
    return np.round(np.stack([leaning, points[:, 1]], axis=1) * TALL * 16).astype(np.int32)


def _polygon(plane: Picture, points: NDArray[np.int32], level: float) -> None:
    cv2.fillPoly(plane, [points], int(level * 255), cv2.LINE_AA, 4)


def _digit(plane: Picture, character: str, x: float, style: Style) -> None:
    if style.dots:
        _dotted(plane, character, x, style)
        return
    lit = SPELLINGS[character] if character in style.spelled else SEGMENTS[character]
    bars = _bars(style)
    for name in sorted(bars, key=lambda name: name in lit):
        if name in lit or style.ghost:
            _polygon(plane, _place(bars[name], x, style), 1.0 if name in lit else style.ghost)


def _dotted(plane: Picture, character: str, x: float, style: Style) -> None:
    step_x, step_y = style.width / 5, 1 / 7
    for row, bits in enumerate(DOTS[character]):
        for column in range(5):
            if bits >> (4 - column) & 1:
                centre = np.array([[(column + 0.5) * step_x, (row + 0.5) * step_y]])
                half = (
                    np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array([step_x, step_y]) * (0.5 - style.gap * 2)
                )
                _polygon(plane, _place(centre + half, x, replace(style, slant=0.0)), 1.0)


def _point(plane: Picture, x: float, style: Style) -> None:
    centre = np.array([[x, 1 - style.point / 2]])
    if style.round_point:
        middle = _place(centre, 0, style)[0]
        cv2.circle(plane, (int(middle[0]), int(middle[1])), int(style.point / 2 * TALL * 16), 255, -1, cv2.LINE_AA, 4)
    else:
        half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * style.point / 2
        _polygon(plane, _place(centre + half, 0, style), 1.0)


def lettering(text: str, style: Style) -> tuple[Plane, list[tuple[float, float]]]:
    """The reading as light 0…1, a digit `TALL` high, and where each character's lit part begins and ends, in pixels."""
    length = sum(1 for c in text if c != ".") * style.pitch + text.count(".") * style.point * 1.5 + 0.6
    plane: Picture = np.zeros((TALL, int(length * TALL)), np.uint8)
    x, extents = 0.05, []
    for character in text:
        if character == ".":
            step = style.point * 1.4 if style.own_cell or style.dots else 0.0
            gap = style.pitch - style.width
            _point(plane, x - gap / 2 + step / 2 - (0 if step else style.slant * 0.1), style)
            x += step
            continue
        alone: Picture = np.zeros_like(plane)
        _digit(alone, character, x, replace(style, ghost=0.0))
        _digit(plane, character, x, style)
        columns = np.flatnonzero(alone.max(axis=0) > 100)
        extents.append((float(columns[0]), float(columns[-1] + 1)) if columns.size else (x * TALL, x * TALL))
        x += style.pitch
    return plane.astype(np.float32) / 255, extents


@dataclass(frozen=True)
class Scene:
    """A whole photograph of a display."""

    reading: str
    unit: str = "g"
    style: Style = field(default_factory=Style)
    ink: tuple[int, int, int] = (30, 30, 30)
    """Colour of what is lit, as blue, green, red."""
    ground: tuple[int, int, int] = (150, 175, 165)
    case: tuple[int, int, int] = (70, 70, 75)
    size: tuple[int, int] = (640, 480)
    digit: float = 90.0
    """Pixels of a digit's height in the photo."""
    turn: float = 0.0
    """Degrees in the picture's plane."""
    lean: float = 0.0
    """How much smaller the far side is than the near one, as a part."""
    blur: float = 0.8
    noise: float = 3.0
    glare: float = 0.0
    marks: tuple[str, ...] = ()
    seed: int = 1


KINDS: Final = {
    "lcd": ((35, 40, 40), (150, 175, 165)), "bluish": ((60, 30, 20), (255, 190, 170)),
    "negative": ((235, 225, 215), (45, 30, 25)), "led": ((60, 50, 255), (25, 15, 35)),
    "vacuum": ((250, 200, 110), (40, 35, 30)), "green": ((70, 240, 90), (25, 35, 20)),
}  # fmt: skip


def any_scene(rng: np.random.Generator, reading: str, unit: str = "g", kind: str = "") -> Scene:
    """A photo of some display in some light."""
    ink, ground = KINDS[kind or str(rng.choice(list(KINDS)))]
    return Scene(
        reading, unit, any_style(rng), ink, ground, tuple(int(v) for v in rng.integers(30, 220, 3)),  # type: ignore[arg-type]
        (800, 600), rng.uniform(45, 130), rng.uniform(-8, 8), rng.uniform(-0.15, 0.15), rng.uniform(0.4, 1.6),
        rng.uniform(1, 8), float(rng.choice([0, rng.uniform(0, 0.5)])),
        tuple(str(m) for m in rng.choice(["o", "HOLD", "12:45", "SCALE"], rng.integers(0, 3), replace=False)),
        int(rng.integers(1 << 30)),
    )  # fmt: skip


def photograph(scene: Scene) -> Picture:
    """The photo, in blue, green and red."""
    rng = np.random.default_rng(scene.seed)
    panel = _panel(scene)
    high, wide = panel.shape[:2]
    scale = scene.digit / TALL
    width, height = scene.size
    fit = min(1.0, 0.92 * width / (wide * scale), 0.92 * height / (high * scale))
    half = np.array([wide, high]) * scale * fit / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    corners[1:3, 1] *= 1 - scene.lean
    angle = np.radians(scene.turn)
    turned = corners @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    there = (turned + np.array([width, height]) / 2 + rng.uniform(-8, 8, 2)).astype(np.float32)
    here = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    view = np.full((height, width, 3), scene.case, np.float32) * rng.uniform(0.7, 1.2)
    warp = cv2.getPerspectiveTransform(here, there)
    cv2.warpPerspective(panel, warp, (width, height), dst=view, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT)
    return _lit(view, scene, rng)


def _lit(view: Plane, scene: Scene, rng: np.random.Generator) -> Picture:
    height, width = view.shape[:2]
    ramp = np.linspace(-1, 1, width, dtype=np.float32)[None, :, None] * rng.uniform(-0.25, 0.25)
    lit = view * (1 + ramp)
    if scene.glare:
        spot = np.zeros((height, width), np.float32)
        centre = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
        cv2.circle(spot, centre, int(height * 0.25), 1.0, -1)
        lit = lit + cv2.GaussianBlur(spot, (0, 0), height * 0.12)[..., None] * 120 * scene.glare
    blurred = cv2.GaussianBlur(lit, (0, 0), scene.blur)
    noisy = blurred + rng.normal(0, scene.noise, blurred.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def _panel(scene: Scene) -> Plane:
    """The display and its frame, flat, a digit `TALL` high."""
    light, _ = lettering(scene.reading, scene.style)
    unit = _written(scene.unit, TALL * 0.42)
    margin = int(TALL * 0.35)
    height = TALL + 2 * margin
    width = light.shape[1] + unit.shape[1] + 3 * margin
    plane: Plane = np.zeros((height, width), np.float32)
    plane[margin : margin + TALL, margin : margin + light.shape[1]] = light
    bottom = margin + TALL
    plane[bottom - unit.shape[0] : bottom, -margin - unit.shape[1] : -margin] = unit
    x = margin
    for mark in scene.marks:
        word = _written(mark, TALL * 0.2)
        plane[4 : 4 + word.shape[0], x : x + word.shape[1]] = word[:, : max(0, width - x)]
        x += word.shape[1] + margin
    ink, ground = (np.array(colour, np.float32) for colour in (scene.ink, scene.ground))
    window = ground + plane[..., None] * (ink - ground)
    frame = int(TALL * 0.3)
    rim = tuple(float(v) * 0.5 for v in scene.case)
    return cv2.copyMakeBorder(window, frame, frame, frame, frame, cv2.BORDER_CONSTANT, value=rim)


def _written(text: str, high: float) -> Plane:
    """A word in a plain printed letter, its capitals so many pixels high."""
    scale, thick = high / 22, max(1, int(high / 9))
    (width, tall), base = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    plane: Plane = np.zeros((tall + base + 2, width + 4), np.float32)
    drawn = np.zeros(plane.shape, np.uint8)
    cv2.putText(drawn, text, (2, tall), cv2.FONT_HERSHEY_SIMPLEX, scale, 255, thick, cv2.LINE_AA)
    plane[:] = drawn.astype(np.float32) / 255
    return plane
