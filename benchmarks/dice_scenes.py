"""Drawn photos of dice to teach by: many bodies, pips, grounds, lights, and things that are none; every face known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Picture = NDArray[np.uint8]
Random = np.random.Generator
Projection = Callable[[Floats], Floats]
Place = tuple[float, float]

LOGO = 7
"""What a face with a maker's mark in place of its number is called."""
_FACE = 96
"""Pixels of a face's texture."""
_LAYOUT = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
_CORNERS = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
_AXIS = (np.arange(_FACE) + 0.5) / _FACE - 0.5
_X, _Y = np.meshgrid(_AXIS, _AXIS)


@dataclass(frozen=True)
class DrawnFace:
    """A visible face: number, corners in pixels, its pips' spacing over its edge, whether on top, whether whole."""

    number: int
    corners: Floats
    pitch: float
    on_top: bool
    whole: bool = True

    @cached_property
    def centre(self) -> Floats:
        """Where its diagonals meet, nearly."""
        return np.asarray(self.corners.mean(axis=0))

    @cached_property
    def edge(self) -> float:
        """Pixels, foreshortening averaged."""
        return float(np.sqrt(abs(cv2.contourArea(self.corners.astype(np.float32)))))

    @cached_property
    def flatness(self) -> float:
        """Area over that of a square of its longest edge."""
        longest = np.linalg.norm(self.corners - np.roll(self.corners, 1, axis=0), axis=1).max()
        return float((self.edge / longest) ** 2)


@dataclass(frozen=True)
class Make:
    """What the dice of one make share."""

    body: Floats
    body2: Floats
    pip: Floats
    ace: Floats
    style: str
    pitch: float
    radius: float
    ace_size: float
    columns: float
    corner: float
    logo: int
    serial: bool
    ring: bool
    seed: int


def _noise(random: Random, shape: tuple[int, int], scale: float, stretch: float = 1.0) -> Floats:
    """Smooth noise of about unit spread; larger scale is coarser."""
    small = random.normal(size=(max(2, int(shape[0] / scale)), max(2, int(shape[1] / scale / stretch))))
    return np.asarray(cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC))


def _colour(random: Random) -> Floats:
    """Any colour, white, black and strong ones more often."""
    kind = random.random()
    if kind < 0.25:
        return np.clip(random.normal([238, 236, 228], 12), 0, 255)
    if kind < 0.4:
        return np.clip(random.normal([28, 28, 30], 12), 0, 255)
    hsv = np.array([[[random.integers(180), random.integers(70, 256), random.integers(60, 256)]]], dtype=np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0].astype(float))


def make(random: Random) -> Make:
    """The dice of a maker."""
    body = _colour(random)
    pip = _colour(random) if random.random() < 0.25 else np.full(3, 245.0 if body.mean() < 145 else 22.0)
    while np.linalg.norm(pip - body) < 90:
        pip = _colour(random)
    body2 = np.clip(body + random.normal(0, random.uniform(25, 80)) + random.normal(0, 35, 3), 0, 255)
    pitch = random.uniform(0.19, 0.31)
    columns = float(random.choice([1.0, random.uniform(0.5, 1.0)]))
    radius = min(random.uniform(0.055, 0.13), pitch * columns / 1.25, pitch / 2.15)
    ace = np.array([190.0, 30, 35]) if random.random() < 0.2 and body.mean() > 150 else pip
    style = str(random.choice(["plain", "plain", "marbled", "marbled", "clear", "speckled", "worn"]))
    return Make(
        body, body2, pip, ace, style, pitch, radius, float(random.choice([1.0, random.uniform(1.0, 2.4)])), columns,
        random.uniform(0.03, 0.42), int(random.choice([0, 0, 1, 6])), bool(random.random() < 0.15),
        bool(random.random() < 0.12), int(random.integers(1 << 30)),
    )  # fmt: skip


def _veins(random: Random, dice: Make) -> Floats:
    """What share of a face, place by place, has the second paint."""
    shape = (_FACE, _FACE)
    if dice.style == "marbled":
        swirl = _noise(random, shape, random.uniform(12, 45)) + 0.4 * _noise(random, shape, random.uniform(5, 12))
        return np.asarray(1 / (1 + np.exp(-random.uniform(1.5, 6) * (swirl + random.normal(0, 0.5)))))
    if dice.style == "speckled":
        return np.asarray((_noise(random, shape, random.uniform(2, 5)) > random.uniform(0.8, 1.4)).astype(float))
    if dice.style == "worn":
        return np.clip(0.35 * _noise(random, shape, random.uniform(6, 30)), 0, 1)
    return np.zeros(shape)


def _texture(random: Random, dice: Make, number: int, below: Floats) -> tuple[Floats, NDArray[np.float32]]:
    """A face's picture and its mask; a clear one shows some of what is below it."""
    share = _veins(random, dice)[..., None]
    picture = dice.body * (1 - share) + dice.body2 * share
    if dice.style == "clear":
        picture = picture + random.uniform(0, 0.5) * (below - picture)
        far, through = np.roll(_far_pips(random, dice, 7 - number), random.integers(-14, 15, 2), (0, 1)), 0.2
        far = cv2.GaussianBlur(far, (0, 0), random.uniform(0.5, 4))[..., None] * random.uniform(through, 0.6)
        picture = picture * (1 - far) + dice.pip * far
    picture = _logo(random, picture, dice) if number == dice.logo else _pips(random, picture, dice, number)
    if dice.serial and number in (4, 6):
        flat = np.ascontiguousarray(np.clip(picture, 0, 255).astype(np.uint8))
        text, scale = str(random.integers(100, 999)), random.uniform(0.3, 0.5)
        cv2.putText(flat, text, (int(_FACE * 0.36), int(_FACE * 0.55)), 0, scale, dice.pip.tolist(), 1, cv2.LINE_AA)
        picture = flat.astype(float)
    over = np.maximum(np.stack([np.abs(_X), np.abs(_Y)]) - (0.5 - dice.corner), 0)
    mask = np.clip((dice.corner - np.hypot(*over)) * _FACE + 0.5, 0, 1)
    return picture, mask.astype(np.float32)


def _places_of_pips(random: Random, dice: Make, number: int) -> list[tuple[float, float]]:
    narrow = dice.columns if number == 6 else 1.0
    return [
        (across * dice.pitch * narrow + random.normal(0, 0.006), down * dice.pitch + random.normal(0, 0.006))
        for across, down in _LAYOUT[number]
    ]


def _disc(x: float, y: float, radius: float) -> Floats:
    return np.clip((radius - np.hypot(_X - x, _Y - y)) * _FACE + 0.5, 0, 1)


def _far_pips(random: Random, dice: Make, number: int) -> Floats:
    discs = [_disc(x, y, dice.radius) for x, y in _places_of_pips(random, dice, number)]
    return np.asarray(np.max(discs, axis=0))


def _pips(random: Random, picture: Floats, dice: Make, number: int) -> Floats:
    bowl = random.uniform(-0.5, 0.5, 2)
    paint = dice.ace if number == 1 else dice.pip
    radius = dice.radius * (min(dice.ace_size, 0.3 / dice.radius) if number == 1 else 1.0)
    for x, y in _places_of_pips(random, dice, number):
        kept = random.uniform(0.5, 1) if dice.style == "worn" else 1.0
        inside = _disc(x, y, radius)[..., None] * kept
        if dice.ring:
            inside = inside - 0.9 * _disc(x, y, 0.5 * radius)[..., None] * kept
        shade = 1 + ((_X - x) * bowl[0] + (_Y - y) * bowl[1])[..., None] / radius * 0.8
        picture = picture * (1 - inside) + np.clip(paint * shade + 25 * (shade - 1), 0, 255) * inside
    return picture


def _logo(random: Random, picture: Floats, dice: Make) -> Floats:
    flat = np.ascontiguousarray(np.clip(picture, 0, 255).astype(np.uint8))
    middle, reach = _FACE / 2, _FACE * random.uniform(0.2, 0.38)
    fixed = np.random.default_rng(dice.seed)
    ink, other = dice.pip.tolist(), dice.body.tolist()
    if fixed.random() < 0.35:
        return _skull(fixed, flat, ink, other).astype(float)
    for _ in range(int(fixed.integers(2, 6))):
        points = (middle + fixed.uniform(-reach, reach, (int(fixed.integers(3, 9)), 2))).astype(np.int32)
        if fixed.random() < 0.6:
            cv2.fillPoly(flat, [points], ink, cv2.LINE_AA)
        else:
            width = int(fixed.choice([-1, 2, 4]))
            cv2.circle(flat, points[0].tolist(), int(fixed.uniform(4, reach)), ink, width, cv2.LINE_AA)
    if fixed.random() < 0.4:
        cv2.putText(flat, "ABGRSQ8"[int(fixed.integers(7))], (28, 68), 0, 1.6, ink, 4, cv2.LINE_AA)
    return flat.astype(float)


def _skull(fixed: Random, flat: Picture, ink: list[float], hole: list[float]) -> Picture:
    size = int(fixed.uniform(18, 30))
    cv2.ellipse(flat, (48, 42), (size, int(size * 0.9)), 0, 0, 360, ink, -1, cv2.LINE_AA)
    cv2.rectangle(flat, (48 - size // 2, 44), (48 + size // 2, 44 + size), ink, -1, cv2.LINE_AA)
    for side in (-1, 1):
        cv2.circle(flat, (48 + side * size // 2, 46), max(3, size // 4), hole, -1, cv2.LINE_AA)
    cv2.circle(flat, (48, 46 + size // 2), max(2, size // 8), hole, -1, cv2.LINE_AA)
    return flat


def ground(random: Random, shape: tuple[int, int]) -> Floats:
    """What dice lie on."""
    kinds = ["plain", "wood", "wood", "woven", "carpet", "dotted", "leather", "print", "felt"]
    kind = str(random.choice(kinds))
    base = _colour(random) if random.random() < 0.6 else np.array([random.uniform(30, 240)] * 3)
    other = np.clip(base + random.normal(0, 60, 3), 0, 255)
    picture = base + (other - base) * np.clip(_weave(random, shape, kind), -0.6, 1.4)[..., None]
    if kind == "print":
        picture = _printed(random, picture)
    if random.random() < 0.5:
        picture = picture + 18 * _noise(random, shape, max(shape) / 2.5)[..., None]
    return np.clip(picture, 0, 255)


def _weave(random: Random, shape: tuple[int, int], kind: str) -> Floats:
    share = 0.05 * _noise(random, shape, 3)
    if kind == "wood":
        grain = _noise(random, shape, random.uniform(4, 14), 12)
        share = share + 0.3 * (grain.T if shape[0] == shape[1] else grain) + 0.3 * _noise(random, shape, 90, 3)
    elif kind in ("woven", "dotted"):
        step, turn = random.uniform(9, 40), random.uniform(0, np.pi)
        y, x = np.mgrid[0 : shape[0], 0 : shape[1]] * 2 * np.pi / step
        u, v = x * np.cos(turn) + y * np.sin(turn), -x * np.sin(turn) + y * np.cos(turn)
        wave = np.sin(u) * np.sin(v if kind == "dotted" else v + u / 6)
        share = share + 0.5 * (wave > random.uniform(0, 0.6)) + 0.2 * _noise(random, shape, 5)
    elif kind == "carpet":
        share = share + 0.35 * _noise(random, shape, random.uniform(2, 7)) + 0.15 * _noise(random, shape, 40)
    elif kind == "leather":
        share = share + 0.4 * (np.abs(_noise(random, shape, random.uniform(6, 14))) < 0.25)
    return share


def _printed(random: Random, picture: Floats) -> Floats:
    flat = np.ascontiguousarray(np.clip(picture, 0, 255).astype(np.uint8))
    for _ in range(int(random.integers(10, 60))):
        at = (int(random.integers(picture.shape[1])), int(random.integers(picture.shape[0])))
        ink = tuple(float(v) for v in random.uniform(0, 255, 3))
        if random.random() < 0.5:
            words = "".join(random.choice(list("aeo80B6dpq:;.%"), 8))
            cv2.putText(flat, words, at, 0, random.uniform(0.4, 1.6), ink, int(random.integers(1, 4)), cv2.LINE_AA)
        else:
            cv2.circle(flat, at, int(random.uniform(3, 40)), ink, int(random.choice([-1, 2])), cv2.LINE_AA)
    return flat.astype(float)


def _clutter(random: Random, picture: Floats, edge: float) -> Floats:
    """Things about as large as dice that are none: coins, buttons with holes, rings, dice of other forms, plates."""
    flat = np.ascontiguousarray(np.clip(picture, 0, 255).astype(np.uint8))
    for _ in range(int(random.choice([0, 0, 1, 3, 6]))):
        at = (random.uniform(0, 1, 2) * picture.shape[1::-1]).astype(int)
        paint, ink = _colour(random).tolist(), _colour(random).tolist()
        size = float(edge * random.uniform(0.3, 0.9))
        kind = int(random.integers(5))
        if kind < 3:
            sides, turn = (64, 64, int(random.integers(3, 9)))[kind], random.uniform(0, 6)
            angles = turn + np.arange(sides) * 2 * np.pi / sides
            rim = (at + size * np.column_stack([np.cos(angles), np.sin(angles)])).astype(np.int32)
            cv2.fillPoly(flat, [rim], paint, cv2.LINE_AA)
        if kind == 0:
            _holes(random, flat, at, size, ink)
        elif kind == 1:
            cv2.circle(
                flat,
                at.tolist(),
                int(size * random.uniform(0.3, 0.8)),
                ink,
                int(random.choice([1, 3, -1])),
                cv2.LINE_AA,
            )
        elif kind == 2:
            words = str(random.integers(1, 21))
            cv2.putText(
                flat, words, (at - (size / 3, -size / 3)).astype(int).tolist(), 0, size / 30, ink, 2, cv2.LINE_AA
            )
        elif kind == 3:
            cv2.circle(flat, at.tolist(), int(size / 3), ink, -1, cv2.LINE_AA)
        else:
            cv2.rectangle(
                flat, (at - int(size)).tolist(), (at + int(size / 2)).tolist(), paint, int(random.choice([-1, 2]))
            )
    return flat.astype(float)


def _holes(random: Random, flat: Picture, at: NDArray[np.int_], size: float, ink: list[float]) -> None:
    """Of a button: two or four."""
    count, turn = int(random.choice([2, 4])), random.uniform(0, 6)
    for index in range(count):
        angle = turn + index * 2 * np.pi / count
        hole = at + 0.3 * size * np.array([np.cos(angle), np.sin(angle)])
        cv2.circle(flat, hole.astype(int).tolist(), max(2, int(0.13 * size)), ink, -1, cv2.LINE_AA)


def _turns(random: Random) -> list[int]:
    """Top, and four sides around, of a die whose opposite faces make seven."""
    top = int(random.integers(1, 7))
    sides = [n for n in range(1, 7) if n not in (top, 7 - top)]
    first = int(random.choice(sides))
    second = int(random.choice([n for n in sides if n not in (first, 7 - first)]))
    return [top, first, second, 7 - first, 7 - second]


def scene(random: Random) -> tuple[Picture, list[DrawnFace]]:
    """A drawn photo and its faces."""
    h, w = int(random.integers(380, 600)), int(random.integers(380, 600))
    focal, tilt = random.uniform(0.9, 1.5) * max(h, w), np.radians(min(abs(random.normal(0, 22)), 52))
    edge = float(np.exp(random.uniform(np.log(24), np.log(110))))
    rotation = cv2.Rodrigues(np.array([np.pi - tilt, 0.0, 0.0]))[0]
    rotation = cv2.Rodrigues(np.array([0, 0, random.normal(0, 0.3)]))[0] @ rotation
    shift = np.array([0.0, 0.0, focal / edge])

    def project(points: Floats) -> Floats:
        seen = points @ rotation.T + shift
        return np.asarray(seen[:, :2] / seen[:, 2:] * focal + np.array([w / 2, h / 2]))

    picture = _clutter(random, ground(random, (h, w)), edge)
    makes = [make(random) for _ in range(int(random.choice([1, 1, 2, 3])))]
    light = np.array([*random.uniform(-0.7, 0.7, 2), 1.0])
    light /= np.linalg.norm(light)
    eye = -rotation.T @ shift
    places = _places(random, int(random.integers(3, 18)), min(h, w) / edge)
    order = sorted(places, key=lambda at: -np.linalg.norm(np.array([*at, 0.5]) - eye))
    _shadows(random, picture, project, places, light)
    faces: list[DrawnFace] = []
    for at in order:
        hull, drawn = _die(random, picture, project, at, makes[int(random.integers(len(makes)))], light, eye)
        faces = [_covered(face, hull) for face in faces] + drawn
    return _photographed(random, picture), _inside(faces, (h, w))


def _covered(face: DrawnFace, hull: NDArray[np.float32]) -> DrawnFace:
    """The face, no longer whole where another die stands before it."""
    shrunk = (face.centre + 0.85 * (face.corners - face.centre)).astype(np.float32)
    return replace(face, whole=face.whole and cv2.intersectConvexConvex(cv2.convexHull(shrunk), hull)[0] <= 0)


def _places(random: Random, count: int, reach: float) -> list[Place]:
    kept: list[Place] = []
    for _ in range(count * 6):
        x, y = random.uniform(-0.42, 0.42, 2) * reach
        if len(kept) < count and all(np.hypot(x - o[0], y - o[1]) > random.uniform(1.15, 2.2) for o in kept):
            kept.append((float(x), float(y)))
    return kept


def _shadows(random: Random, picture: Floats, project: Projection, places: list[Place], light: Floats) -> None:
    mask = np.zeros(picture.shape[:2], dtype=np.float32)
    for at in places:
        corners = np.array([[*c, z] for c in _CORNERS * 1.3 for z in (0.0, 0.9)]) + np.array([*at, 0.0])
        flat = corners - corners[:, 2:] * light / light[2]
        cv2.fillConvexPoly(mask, cv2.convexHull(project(flat).astype(np.float32)).astype(np.int32), 1.0)
    picture *= 1 - random.uniform(0.1, 0.65) * cv2.GaussianBlur(mask, (0, 0), random.uniform(1, 7))[..., None]


def _frames() -> list[Floats]:
    """Top and four sides: two directions on the face and its normal."""
    frames = [np.eye(3)]
    for angle in np.arange(4) * np.pi / 2:
        c, s = np.cos(angle), np.sin(angle)
        frames.append(np.array([[-s, 0, c], [c, 0, s], [0, 1.0, 0]]))
    return frames


def _die(random: Random, picture: Floats, project: Projection, at: Place, dice: Make, light: Floats, eye: Floats,
         ) -> tuple[NDArray[np.float32], list[DrawnFace]]:  # fmt: skip
    yaw = random.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1.0]])
    middle, inner = np.array([at[0], at[1], 0.5]), 0.5 - 0.25 * dice.corner
    body = np.array([[x, y, z] for x in (-inner, inner) for y in (-inner, inner) for z in (-inner, inner)])
    hull = cv2.convexHull(project(body @ turn.T + middle).astype(np.float32))
    below = picture[
        tuple(np.clip(project(middle[None])[0][::-1], 0, np.array(picture.shape[:2]) - 1).astype(int))
    ].copy()
    _solid(picture, hull, dice.body * random.uniform(0.5, 0.95))
    drawn: list[DrawnFace] = []
    ambient, numbers = random.uniform(0.35, 0.8), _turns(random)
    for index, straight in ((k, _frames()[k]) for k in (1, 2, 3, 4, 0)):
        frame = turn @ straight
        if (eye - (middle + frame[:, 2] * 0.5)) @ frame[:, 2] <= 0.02:
            continue
        corners = np.column_stack([_CORNERS, np.full(4, 0.5)]) @ frame.T + middle
        seen = project(np.roll(corners, int(random.integers(4)), axis=0))
        texture, mask = _texture(random, dice, numbers[index], below)
        lit = ambient + (1 - ambient) * max(0.0, float(frame[:, 2] @ light))
        _paste(random, picture, texture * (lit / max(0.75, ambient)), mask, seen)
        number = LOGO if numbers[index] == dice.logo else numbers[index]
        drawn.append(DrawnFace(number, seen, dice.pitch, index == 0))
    return hull, drawn


def _solid(picture: Floats, hull: NDArray[np.float32], paint: Floats) -> None:
    """The whole die, of which the rounded edges are seen beside its faces."""
    left, top, width, height = cv2.boundingRect(hull)
    low = np.maximum([left - 3, top - 3], 0)
    part = picture[low[1] : max(top + height + 3, 0), low[0] : max(left + width + 3, 0)]
    if part.size:
        mask = np.zeros(part.shape[:2], dtype=np.float32)
        cv2.fillConvexPoly(mask, (hull - low.astype(np.float32)).astype(np.int32), 1.0, cv2.LINE_AA)
        mask = cv2.GaussianBlur(mask, (0, 0), 0.7)[..., None]
        part[:] = part * (1 - mask) + paint * mask


def _paste(random: Random, picture: Floats, texture: Floats, mask: NDArray[np.float32], corners: Floats) -> None:
    square = np.array([[0, 0], [_FACE, 0], [_FACE, _FACE], [0, _FACE]], dtype=np.float32)
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 2, 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 2, picture.shape[1::-1])
    if np.any(high - low < 3):
        return
    way = cv2.getPerspectiveTransform(square, (corners - low).astype(np.float32))
    if random.random() < 0.4:
        place = (np.stack([_Y, _X], axis=2) + 0.5 - random.uniform(0, 1, 2)) / random.uniform(0.05, 0.3)
        texture = texture + random.uniform(20, 160) * np.exp(-(place**2).sum(axis=2))[..., None]
    size = tuple(int(v) for v in high - low)
    soft = 0.45 * max(1.0, _FACE / max(float(np.ptp(corners[:, 0])), 4.0))
    paint = cv2.GaussianBlur(np.clip(texture, 0, 255).astype(np.float32), (0, 0), soft)
    alpha = cv2.warpPerspective(cv2.GaussianBlur(mask, (0, 0), soft), way, size, flags=cv2.INTER_LINEAR)[..., None]
    paint = cv2.warpPerspective(paint, way, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    part = picture[low[1] : high[1], low[0] : high[0]]
    part[:] = part * (1 - alpha) + paint * alpha


def _photographed(random: Random, picture: Floats) -> Picture:
    """Light, blur, sharpening, noise and JPEG as a phone has them."""
    picture = picture * random.uniform(0.75, 1.15, 3)
    picture = 255 * np.clip(picture / 255, 0, 1) ** random.uniform(0.7, 1.4)
    picture = cv2.GaussianBlur(picture, (0, 0), float(random.choice([0.4, random.uniform(0.4, 2.0)])))
    if random.random() < 0.4:
        picture = picture + random.uniform(0.3, 1.2) * (picture - cv2.GaussianBlur(picture, (0, 0), 1.5))
    picture = picture + random.normal(0, random.uniform(0, 7), picture.shape)
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(40, 96))]
    _, data = cv2.imencode(".jpg", np.clip(picture, 0, 255).astype(np.uint8)[..., ::-1], quality)
    return np.ascontiguousarray(cv2.imdecode(data, cv2.IMREAD_COLOR)[..., ::-1])


def _inside(faces: list[DrawnFace], shape: tuple[int, int]) -> list[DrawnFace]:
    """The faces, of which those that the picture cuts are not whole."""
    limit = np.array([shape[1], shape[0]])
    return [
        replace(face, whole=face.whole and bool(np.all((face.corners > 0) & (face.corners < limit)))) for face in faces
    ]
