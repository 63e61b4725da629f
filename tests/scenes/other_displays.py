"""Drawn displays with another look, by other code than those the reader was taught and tuned on: strokes with round ends,
shadows under the segments, whole gauges around the window, window panes mirrored in the glass, JPEG; verniers and dials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Canvas = NDArray[np.float32]
Photo = NDArray[np.uint8]

_H: Final = 200
"""Pixels of a digit's height on the canvas."""
_ENDS: Final = {
    "a": ((0, 0), (1, 0)), "b": ((1, 0), (1, 0.5)), "c": ((1, 0.5), (1, 1)), "d": ((0, 1), (1, 1)),
    "e": ((0, 0.5), (0, 1)), "f": ((0, 0), (0, 0.5)), "g": ((0, 0.5), (1, 0.5)),
}  # fmt: skip
"""Ends of each bar's middle line, in the digit's own width and height."""
_BARS: Final = ("abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg")
_DOTTED: Final = (
    "01110100011000110001100011000101110", "00100011000010000100001000010001110", "01110100010000100110010001000011111",
    "01110100010000100110000011000101110", "00010001100101010010111110001000010", "11111100001111000001000011000101110",
    "01110100001000011110100011000101110", "11111000010001000100010000100001000", "01110100011000101110100011000101110",
    "01110100011000101111000010000101110",
)  # fmt: skip
"""Five by seven dots, row by row: another maker's letters than the teaching ones."""


@dataclass(frozen=True)
class OtherScene:
    """A photo with what is true of it."""

    reading: str
    unit: str
    dotted: bool
    photo: Photo


def other_scene(rng: np.random.Generator, *, dotted: bool = False) -> OtherScene:
    """Some gauge in some light."""
    unit = str(rng.choice(["g", "mm", "kg", "ct"]))
    places = {"g": int(rng.integers(1, 4)), "mm": 2, "kg": 3, "ct": 2}[unit]
    reading = f"{rng.uniform(0, 10 ** rng.integers(1, 4)):.{places}f}"
    if rng.random() < 0.12:
        reading = f"-{reading}"
    light, dark = _colours(rng)
    window = _window(reading, unit, rng, light, dark, dotted=dotted)
    return OtherScene(reading, unit, dotted, _taken(_mounted(window, rng), rng))


def _colours(rng: np.random.Generator) -> tuple[Canvas, Canvas]:
    """Of what is lit and of the ground."""
    pairs = [((20, 22, 18), (168, 178, 150)), ((28, 24, 22), (205, 205, 200)), ((90, 45, 20), (230, 160, 110)),
             ((240, 240, 235), (60, 35, 20)), ((40, 40, 250), (12, 10, 22)), ((80, 230, 120), (14, 24, 12)),
             ((40, 190, 255), (15, 20, 25)), ((30, 60, 30), (90, 200, 150))]  # fmt: skip
    ink, ground = pairs[int(rng.integers(len(pairs)))]
    return np.array(ink, np.float32), np.array(ground, np.float32)


def _window(text: str, unit: str, rng: np.random.Generator, ink: Canvas, ground: Canvas, *, dotted: bool) -> Canvas:
    width, pitch = rng.uniform(0.42, 0.62), 0.0
    pitch = width + rng.uniform(0.2, 0.34)
    draw: Callable[[Photo, str, float], None]
    thick = rng.uniform(0.08, 0.14)
    square = bool(rng.random() < 0.5)
    ghost = float(rng.choice([0, 0, 0.08, 0.16]))
    draw = _dots_of(width, bool(rng.random() < 0.5)) if dotted else _bars_of(width, thick, square, ghost)
    cells = len(text.replace(".", "")) + int(rng.integers(0, 3))
    blank = cells - len(text.replace(".", ""))
    plane: Photo = np.zeros((2 * _H, int((cells * pitch + 2.4) * _H)), np.uint8)
    x = 0.5 + blank * pitch
    if ghost and not dotted:
        for cell in range(blank):
            draw(plane, " ", 0.5 + cell * pitch)
    for character in text:
        if character == ".":
            gap = pitch - width - thick
            at = (int((x - gap / 2 - thick / 2) * _H), int(1.5 * _H - thick * _H * 0.1))
            size = int(_H * rng.uniform(0.05, 0.07))
            if rng.random() < 0.5:
                cv2.circle(plane, at, size, 255, -1, cv2.LINE_AA)
            else:
                cv2.rectangle(plane, (at[0] - size, at[1] - size), (at[0] + size, at[1] + size), 255, -1)
            continue
        draw(plane, character, x)
        x += pitch
    slant = 0.0 if dotted else float(rng.choice([0, rng.uniform(0.05, 0.2)]))
    plane = np.asarray(
        cv2.warpAffine(plane, np.array([[1, -slant, slant * 1.5 * _H], [0, 1, 0]]), plane.shape[::-1]), np.uint8
    )
    _annunciators(plane, unit, x, rng)
    lit = plane.astype(np.float32)[..., None] / 255
    if ink.sum() < ground.sum() and rng.random() < 0.5:
        # A reflective LCD throws its segments' shadow on the mirror behind it.
        move = np.array([[1, 0, rng.uniform(2, 7)], [0, 1, rng.uniform(2, 7)]])
        shade = cv2.GaussianBlur(cv2.warpAffine(plane, move, plane.shape[::-1]), (0, 0), 3).astype(np.float32) / 255
        lit = np.maximum(lit, shade[..., None] * rng.uniform(0.1, 0.3))
    return np.asarray(ground + lit * (ink - ground), np.float32)


def _bars_of(width: float, thick: float, square: bool, ghost: float) -> Callable[[Photo, str, float], None]:
    def one(plane: Photo, name: str, x: float, level: float) -> None:
        (ax, ay), (bx, by) = _ENDS[name]
        a = np.array([x + ax * width, 0.5 + ay]) * _H
        b = np.array([x + bx * width, 0.5 + by]) * _H
        along = (b - a) / np.linalg.norm(b - a)
        gap = thick * _H * (0.2 if square else 0.55)
        a, b = a + along * gap, b - along * gap
        if square:
            side = np.array([-along[1], along[0]]) * thick * _H / 2
            tip = along * thick * _H / 2.2
            shape = [a, a + tip + side, b - tip + side, b, b - tip - side, a + tip - side]
            cv2.fillPoly(plane, [np.round(np.array(shape)).astype(np.int32)], int(level), cv2.LINE_AA)
        else:
            ends = [tuple(int(v) for v in np.round(p)) for p in (a, b)]
            cv2.line(plane, ends[0], ends[1], int(level), int(thick * _H * 0.9), cv2.LINE_AA)  # type: ignore[call-overload]

    def draw(plane: Photo, character: str, x: float) -> None:
        lit = "g" if character == "-" else "" if character == " " else _BARS[int(character)]
        for name in _ENDS:
            if ghost and name not in lit:
                one(plane, name, x, 255 * ghost)
        for name in lit:
            one(plane, name, x, 255)

    return draw


def _dots_of(width: float, round_dots: bool) -> Callable[[Photo, str, float], None]:
    def draw(plane: Photo, character: str, x: float) -> None:
        bits = "0" * 15 + "11111" + "0" * 15 if character == "-" else _DOTTED[int(character)]
        for place, bit in enumerate(bits):
            if bit == "1":
                cx = (x + (place % 5 + 0.5) / 5 * width * 1.15) * _H
                cy = (0.5 + (place // 5 + 0.5) / 7) * _H
                half = 0.44 * _H / 7
                if round_dots:
                    cv2.circle(plane, (int(cx), int(cy)), int(half * 1.1), 255, -1, cv2.LINE_AA)
                else:
                    cv2.rectangle(plane, (int(cx - half), int(cy - half)), (int(cx + half), int(cy + half)), 255, -1)

    return draw


def _annunciators(plane: Photo, unit: str, x: float, rng: np.random.Generator) -> None:
    """The unit behind the digits, and signs around them as makers put them."""
    face = int(rng.choice([cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_SIMPLEX]))
    size = rng.uniform(1.6, 2.6)
    foot = int(_H * rng.choice([1.5, 1.5, 1.02]))
    cv2.putText(plane, unit, (int((x + 0.12) * _H), foot), face, size, 255, int(size * 3), cv2.LINE_AA)
    signs = ["HOLD", "ABS", "NET", "o", "TARE", "12:45", "PCS", "SET"]
    for sign in rng.choice(signs, int(rng.integers(0, 4)), replace=False):
        at = (int(rng.uniform(0.1, 0.7) * plane.shape[1]), int(rng.choice([0.28, 1.85]) * _H))
        cv2.putText(plane, str(sign), at, face, rng.uniform(0.9, 1.5), 255, int(rng.integers(2, 5)), cv2.LINE_AA)
    if rng.random() < 0.4:
        y, left = int(0.12 * _H), plane.shape[1] - int(0.5 * _H)
        cv2.rectangle(plane, (left, y), (left + 60, y + 28), 255, 4)
        cv2.rectangle(plane, (left + 60, y + 8), (left + 66, y + 20), 255, -1)


def _mounted(window: Canvas, rng: np.random.Generator) -> Canvas:
    """The window in its gauge, on a table, with buttons and a maker's name."""
    high, wide = window.shape[:2]
    body = rng.uniform(25, 225, 3).astype(np.float32)
    room = int(_H * rng.uniform(0.6, 1.3))
    scene: Photo = np.full((high + 2 * room, wide + 2 * room, 3), body, np.uint8)
    bezel = int(_H * rng.uniform(0.04, 0.2))
    tone = tuple(float(v) for v in body * rng.uniform(0.4, 0.8))
    low, end = room - bezel, (room + wide + bezel, room + high + bezel)
    cv2.rectangle(scene, (low, low), end, tone, -1)
    scene[room : room + high, room : room + wide] = np.clip(window, 0, 255).astype(np.uint8)
    ink = tuple(float(v) for v in np.where(body > 120, 20, 235))
    name = str(rng.choice(["DIGITAL SCALE", "MAX 500g d=0.01g", "CALIPER 0-150", "PRECISION", "Model 204"]))
    at = (room, int(room - bezel - 0.15 * _H))
    cv2.putText(scene, name, at, cv2.FONT_HERSHEY_TRIPLEX, rng.uniform(1.4, 2.4), ink, 4, cv2.LINE_AA)
    for number, word in enumerate(("ON/OFF", "ZERO", "MODE")):
        spot = (int(room + (0.2 + 0.3 * number) * wide), int(room + high + bezel + 0.3 * _H))
        cv2.circle(scene, spot, int(0.16 * _H), tone, -1, cv2.LINE_AA)
        cv2.putText(scene, word, (spot[0] - 60, spot[1] + 10), cv2.FONT_HERSHEY_SIMPLEX, 1.0, ink, 3, cv2.LINE_AA)
    return scene.astype(np.float32)


def _taken(flat: Canvas, rng: np.random.Generator) -> Photo:
    """By a hand: a table around, a view from the side, a pane of light in the glass, shake, noise, JPEG."""
    high, wide = flat.shape[:2]
    width, height = 1200, 900
    table = rng.uniform(40, 210, 3)
    view = table + cv2.GaussianBlur(rng.normal(0, 30, (height, width)).astype(np.float32), (9, 3), 4)[..., None]
    view = view.astype(np.float32)
    corners = _posed(wide, high, rng) * rng.uniform(0.5, 0.9) * width / wide + np.array([width, height]) / 2
    here = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    warp = cv2.getPerspectiveTransform(here, corners.astype(np.float32))
    soft = cv2.GaussianBlur(flat, (0, 0), max(0.5, 0.35 * wide / width))
    cv2.warpPerspective(soft, warp, (width, height), dst=view, borderMode=cv2.BORDER_TRANSPARENT)
    if rng.random() < 0.35:
        pane = np.zeros((height, width), np.float32)
        x = rng.uniform(0, width)
        shape = [[x, 0], [x + 180, 0], [x + 60, height], [x - 120, height]]
        cv2.fillPoly(pane, [np.array(shape, np.int32)], 1.0, cv2.LINE_AA)
        view = view + pane[..., None] * rng.uniform(10, 60)
    shade = np.linspace(rng.uniform(0.5, 1), rng.uniform(0.8, 1.2), height, dtype=np.float32)[:, None, None]
    view = view * shade
    if rng.random() < 0.4:
        length = int(rng.integers(2, 6))
        kernel = np.eye(length, dtype=np.float32) / length
        view = cv2.filter2D(view, -1, kernel if rng.random() < 0.5 else np.full((1, length), 1 / length, np.float32))
    view = view + rng.normal(0, rng.uniform(1, 7), view.shape)
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(50, 95))]
    coded = cv2.imencode(".jpg", np.clip(view, 0, 255).astype(np.uint8), quality)[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


def _posed(wide: int, high: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The gauge's corners as a camera two widths away sees them, turned by up to 20 degrees about each axis."""
    flat = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array([wide, high]) / 2
    turns = np.radians([rng.uniform(-20, 20), rng.uniform(-20, 20), rng.uniform(-6, 6)])
    rotation = cv2.Rodrigues(np.array([turns[0], turns[1], 0.0]))[0] @ cv2.Rodrigues(np.array([0, 0, turns[2]]))[0]
    points = np.hstack([flat, np.zeros((4, 1))]) @ rotation.T
    return np.asarray(points[:, :2] * (2 * wide / (2 * wide + points[:, 2:])), np.float64)


def vernier(rng: np.random.Generator) -> Photo:
    """A vernier caliper's scales with their figures: no display."""
    flat: Photo = np.full((500, 1500, 3), rng.uniform(160, 215), np.uint8)
    for mark in range(140):
        x, long = 40 + mark * 10, 60 if mark % 10 == 0 else 42 if mark % 5 == 0 else 28
        cv2.line(flat, (x, 240 - long), (x, 240), (30, 30, 30), 2, cv2.LINE_AA)
        if mark % 10 == 0:
            cv2.putText(
                flat, str(mark // 10), (x - 12, 165), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (25, 25, 25), 3, cv2.LINE_AA
            )
    start = rng.uniform(80, 500)
    for mark in range(51):
        x, long = int(start + mark * 9.8), 55 if mark % 5 == 0 else 35
        cv2.line(flat, (x, 242), (x, 242 + long), (30, 30, 30), 2, cv2.LINE_AA)
        if mark % 5 == 0:
            cv2.putText(
                flat, str(mark // 5 % 10), (x - 9, 325), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (25, 25, 25), 2, cv2.LINE_AA
            )
    cv2.putText(flat, "0.02 mm", (1150, 380), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (25, 25, 25), 3, cv2.LINE_AA)
    return _taken(flat.astype(np.float32), rng)


def dial(rng: np.random.Generator) -> Photo:
    """A dial gauge: figures around a circle, and a hand."""
    flat: Photo = np.full((1000, 1000, 3), rng.uniform(190, 245), np.uint8)
    cv2.circle(flat, (500, 500), 460, (40, 40, 40), 16, cv2.LINE_AA)
    for mark in range(100):
        turn = np.radians(mark * 3.6 - 90)
        out = np.array([np.cos(turn), np.sin(turn)])
        a, b = 500 + out * 440, 500 + out * (380 if mark % 10 == 0 else 410)
        cv2.line(flat, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), (20, 20, 20), 5, cv2.LINE_AA)
        if mark % 10 == 0:
            spot = 500 + out * 320
            at = (int(spot[0]) - 35, int(spot[1]) + 22)
            cv2.putText(flat, str(mark), at, cv2.FONT_HERSHEY_DUPLEX, 1.8, (20, 20, 20), 4, cv2.LINE_AA)
    turn = rng.uniform(0, 2 * np.pi)
    tip = (int(500 + 360 * np.cos(turn)), int(500 + 360 * np.sin(turn)))
    cv2.line(flat, (500, 500), tip, (20, 20, 160), 12, cv2.LINE_AA)
    cv2.putText(flat, "0.01 mm", (380, 680), cv2.FONT_HERSHEY_DUPLEX, 1.6, (20, 20, 20), 4, cv2.LINE_AA)
    return _taken(flat.astype(np.float32), rng)
