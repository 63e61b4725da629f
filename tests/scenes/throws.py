"""Throws laid out by chance: dice of all kinds on all kinds of ground, some touching, seen from above or obliquely."""

from __future__ import annotations

import math

import numpy as np

from tests.scenes.dice import PATTERNED, PLAIN, Body, Die, Roll, small_lens
from tests.scenes.scene import Lamp, Lens, Scene, Sensor, Stand, phone
from tests.scenes.table import BEND

BODIES = {
    "white": (0.82, 0.81, 0.77), "ivory": (0.75, 0.68, 0.5), "black": (0.02, 0.02, 0.022), "red": (0.5, 0.03, 0.03),
    "blue": (0.03, 0.08, 0.4), "green": (0.03, 0.3, 0.09), "yellow": (0.75, 0.55, 0.05), "orange": (0.75, 0.25, 0.03),
    "purple": (0.2, 0.05, 0.3), "wood": (0.5, 0.32, 0.17), "grey": (0.3, 0.3, 0.31), "pink": (0.7, 0.25, 0.35),
}  # fmt: skip
LIGHT, DARK = (0.85, 0.85, 0.82), (0.02, 0.02, 0.02)
GROUNDS = ((0.02, 0.02, 0.022), (0.4, 0.32, 0.22), (0.6, 0.5, 0.38), (0.03, 0.15, 0.06), (0.85, 0.84, 0.82),
           (0.25, 0.26, 0.28), (0.12, 0.04, 0.03), (0.1, 0.15, 0.4))  # fmt: skip


def thrown(
    seed: int,
    *,
    lens: Lens | None = None,
    tilt: tuple[float, float] = (0.0, 45.0),
    grounds: tuple[str, ...] = PLAIN + PATTERNED,
    kinds: tuple[str, ...] = tuple(BODIES),
    count: tuple[int, int] = (1, 6),
    clear: float = 0.15,
) -> Roll:
    """A throw of one set of dice; up is up in the picture, as people hold a camera."""
    random = np.random.default_rng(seed)
    ground = str(random.choice(grounds))
    tone = GROUNDS[int(random.integers(len(GROUNDS)))]
    body = _body(random, kinds, tone if ground != "mat" else (0.2, 0.2, 0.2), clear)
    edge = random.uniform(10, 20)
    dice = _laid(random, body, edge, int(random.integers(count[0], count[1] + 1)))
    lens = lens or small_lens(int(random.choice([1280, 1600, 2000])), random.uniform(0.75, 1.4))
    stand = _stand(random, dice, lens, math.radians(random.uniform(*tilt)), edge, on_mat=ground == "mat")
    return Roll(Scene(lens, stand, (), lamp_by_chance(random), sensor_by_chance(random), seed=seed), dice, ground, tone)


def _body(random: np.random.Generator, kinds: tuple[str, ...], tone: tuple[float, ...], clear: float) -> Body:
    while True:
        kind = str(random.choice(kinds))
        colour = np.array(BODIES[kind]) * random.uniform(0.85, 1.1)
        if (
            np.abs(np.log(colour.mean() / np.mean(tone))) > 0.35
            or np.abs(colour / colour.sum() - np.array(tone) / sum(tone)).max() > 0.15
        ):
            break
    paint = LIGHT if colour.mean() < 0.25 else DARK
    if kind in ("yellow", "orange", "pink", "grey", "green") and random.random() < 0.5:
        paint = LIGHT if colour.mean() < 0.4 else DARK
    spread = random.uniform(0.22, 0.29)
    sharp = random.random() < 0.3
    return Body(
        random.uniform(0.05, 0.25) if sharp else random.uniform(0.3, 1.8),
        0.0 if sharp or random.random() < 0.5 else random.uniform(1.36, 1.55),
        tuple(np.minimum(colour, 0.9).tolist()), paint, random.uniform(0.07, min(0.115, 0.43 * spread)), spread,
        random.uniform(0, 0.6), random.uniform(0, 0.25),
        random.uniform(0.3, 0.75) if random.random() < clear and kind not in ("white", "ivory", "wood") else 0.0,
        1.0 if random.random() < 0.8 else random.uniform(1.1, 1.7),
    )  # fmt: skip


def _laid(random: np.random.Generator, body: Body, edge: float, count: int) -> tuple[Die, ...]:
    dice: list[Die] = []
    touching = random.random() < 0.4
    for _ in range(3000):
        if len(dice) == count:
            break
        size = tuple(edge + random.normal(0, 0.04, 3))
        up = int(random.integers(1, 7))
        front = int(random.choice([n for n in range(1, 7) if n not in (up, 7 - up)]))
        if touching and dice and random.random() < 0.6:
            die = _beside(random, dice[int(random.integers(len(dice)))], size, up, front)
        else:
            reach = 2.2 * edge + 12 * math.sqrt(count)
            die = Die(
                random.uniform(-reach, reach),
                random.uniform(-reach, reach),
                size,
                random.uniform(0, 2 * math.pi),
                up,
                front,
                body,
            )
        if all(_free(die, other) for other in dice):
            dice.append(die)
    return tuple(dice)


def _beside(random: np.random.Generator, other: Die, size: tuple[float, ...], up: int, front: int) -> Die:
    way = other.yaw + math.pi / 2 * int(random.integers(4))
    slide = random.uniform(-0.5, 0.5) * size[0]
    x = other.x + math.cos(way) * (size[0] + 0.1) - math.sin(way) * slide
    y = other.y + math.sin(way) * (size[0] + 0.1) + math.cos(way) * slide
    return Die(x, y, size, other.yaw, up, front, other.body)  # type: ignore[arg-type]


def _free(die: Die, other: Die) -> bool:
    corners = np.array([[a, b] for a in np.linspace(-1, 1, 9) for b in np.linspace(-1, 1, 9)])
    for one, two in ((die, other), (other, die)):
        at = (corners * one.half[:2]) @ one.turn()[:2, :2] + (one.x, one.y)
        if two.apart(at[:, 0], at[:, 1]).min() < 0.02:
            return False
    return True


def _stand(
    random: np.random.Generator, dice: tuple[Die, ...], lens: Lens, tilt: float, edge: float, *, on_mat: bool
) -> Stand:
    middle = np.mean([[die.x, die.y] for die in dice], axis=0)
    reach = max(math.hypot(die.x - middle[0], die.y - middle[1]) for die in dice) + 1.3 * edge
    across = max(2.0 * reach * random.uniform(1.0, 1.5), 4.0 * edge)
    if on_mat:
        across, middle = 330 * random.uniform(1.0, 1.25), np.zeros(2)
    distance = max(across * lens.focal / lens.height, 90.0)
    azimuth = random.uniform(0, 2 * math.pi)
    # Roll so that what is further away is higher in the picture.
    roll = azimuth + math.pi / 2 + random.normal(0, 0.15)
    return Stand(distance, tilt, azimuth, roll, (float(middle[0]), float(middle[1])))


def on_the_mat(seed: int) -> Roll:
    """A throw on the mat as a phone takes it, every other one obliquely."""
    tilt = (0.0, 45.0) if seed % 2 else (0.0, 20.0)
    return thrown(seed, lens=phone(8.0, bend=BEND), grounds=("mat",), count=(3, 5), tilt=tilt, clear=0.1)


def lamp_by_chance(random: np.random.Generator) -> Lamp:
    angle, lean = random.uniform(0, 2 * math.pi), random.uniform(0.1, 0.9)
    warm = random.uniform(-0.15, 0.15)
    way = (math.sin(lean) * math.cos(angle), math.sin(lean) * math.sin(angle), math.cos(lean))
    return Lamp(way, random.uniform(0.2, 0.7), random.uniform(0.2, 0.5), random.uniform(0.03, 0.5),
                tuple(random.uniform(-0.15, 0.15, 2)), random.uniform(0, 0.3), (1 + warm, 1.0, 1 - warm))  # type: ignore[arg-type]  # fmt: skip


def sensor_by_chance(random: np.random.Generator) -> Sensor:
    return Sensor(random.uniform(0.6, 1.4), random.uniform(0.003, 0.015), 0.002, int(random.integers(82, 96)))


def set_out(
    numbers: tuple[int, ...],
    body: Body,
    *,
    ground: str = "plain",
    tone: tuple[float, float, float] = (0.25, 0.26, 0.28),
    edge: float = 16.0,
    tilt: float = 0.1,
    lens: Lens | None = None,
    gap: float = 1.8,
    seed: int = 1,
) -> Roll:
    """Dice in rows of three with these numbers on top, each turned another way; `gap` is their distance in edges."""
    rows = math.ceil(len(numbers) / 3)
    dice = tuple(
        Die(
            gap * edge * (index % 3 - (min(len(numbers), 3) - 1) / 2), gap * edge * ((rows - 1) / 2 - index // 3),
            (edge, edge, edge), 0.0 if gap < 1.2 else 0.4 + 0.9 * index, number, 2 if number not in (2, 5) else 3, body,
        )
        for index, number in enumerate(numbers)
    )  # fmt: skip
    lens = lens or small_lens(720)
    on_mat = ground == "mat"
    across = 300.0 if on_mat else max(gap * edge * (rows + 0.6), 4.2 * edge)
    stand = Stand(across * lens.focal / lens.height, tilt, -math.pi / 2, 0.05, (0.0, 0.0))
    return Roll(Scene(lens, stand, (), Lamp(), Sensor(0.8, 0.006), seed=seed), dice, ground, tone)
