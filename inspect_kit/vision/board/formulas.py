"""The characteristics of a board, each a small formula on its shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board.layout import CIRCLES, CORNERS, PAIRS, SIDES, WALLS
from inspect_kit.vision.board.shapes import Key, Shapes, direction

_ENDS: Final = {"n": ("nw", "ne"), "e": ("ne", "se"), "s": ("se", "sw"), "w": ("sw", "nw")}
_OF_SIDE: Final = {"n": ("n.w", "n.e"), "e": ("e.n", "e.s"), "s": ("s.e", "s.w"), "w": ("w.s", "w.n")}


@dataclass(frozen=True)
class BoardFormula:
    """What is measured: its name, the shapes it takes, its value there, and the place it belongs to (board frame)."""

    characteristic: str
    instance: str
    unit: str
    needs: tuple[Key, ...]
    value: Callable[[Shapes], float]
    place: Callable[[Shapes], Floats]
    ends: Callable[[Shapes], tuple[Floats, Floats]] | None = None
    """Where a dimension's line starts and ends, for drawing."""


def corner(shapes: Shapes, name: str) -> Floats:
    """Where the straight feet of two walls meet."""
    rows, levels = [], []
    for side in WALLS[name]:
        out, along = direction(("foot", side))
        level, slope = shapes["foot", side][:2]
        rows.append(out - slope * along)
        levels.append(level)
    return np.asarray(np.linalg.solve(np.array(rows), np.array(levels)), dtype=np.float64)


def at_line(shapes: Shapes, key: Key, along: float, beside: float = 0.0) -> Floats:
    """The point of a line at a place along it, `beside` mm outwards."""
    out, way = direction(key)
    level, slope = shapes[key][:2]
    return np.asarray(way * along + out * (level + slope * along + beside), dtype=np.float64)


def _between(shapes: Shapes, first: tuple[Key, float], second: tuple[Key, float]) -> float:
    """Distance of a point in the middle of the second line from the first, each moved outwards by so much."""
    (key, beside), (other, further) = first, second
    level, slope = shapes[key][:2]
    away = shapes[other][:2]
    return float(
        (level + beside * np.sqrt(1 + slope**2) - away[0] - further * np.sqrt(1 + away[1] ** 2)) / np.sqrt(1 + slope**2)
    )


def _angle(shapes: Shapes, name: str) -> float:
    """At a corner, between the two feet."""
    here = corner(shapes, name)
    ends = [corner(shapes, other) for other in _neighbours(name)]
    first, second = (end - here for end in ends)
    return float(np.degrees(np.arccos(first @ second / np.linalg.norm(first) / np.linalg.norm(second))))


def _neighbours(name: str) -> tuple[str, str]:
    index = CORNERS.index(name)
    return CORNERS[index - 1], CORNERS[(index + 1) % 4]


def _outer_radius(shapes: Shapes, key: Key) -> float:
    _, _, radius, width = shapes[key]
    return float(radius + width / 2)


def _middle(shapes: Shapes, key: Key) -> Floats:
    return shapes[key][:2]


def _feet(*names: str) -> tuple[Key, ...]:
    return tuple(("foot", side) for side in names)


def formulas() -> Iterator[BoardFormula]:
    """Every characteristic with every instance."""
    for side in SIDES:
        yield from _side_formulas(side)
    for first, second in (("nw", "se"), ("ne", "sw")):
        yield _length(
            "surface.diagonal", f"{first}-{second}", _feet(*SIDES), _ends(_corner_at(first), _corner_at(second))
        )
    for name in CORNERS:
        yield from _corner_formulas(name)
    for name in CIRCLES:
        yield _diameter("basecircle.diameter", name, ("circle", name))
        yield _diameter("basecircle.inner", name, ("disc", name))
    yield _diameter("centre.diameter", "", ("centre", ""))
    yield _diameter("outer.diameter", "", ("outer", ""))


Place = Callable[[Shapes], Floats]
Ends = Callable[[Shapes], tuple[Floats, Floats]]


def _corner_at(name: str) -> Place:
    return lambda shapes: corner(shapes, name)


def _ends(first: Place, second: Place) -> Ends:
    return lambda shapes: (first(shapes), second(shapes))


def _length(characteristic: str, instance: str, needs: tuple[Key, ...], ends: Ends) -> BoardFormula:
    """A distance between two points."""

    def value(shapes: Shapes) -> float:
        first, second = ends(shapes)
        return float(np.linalg.norm(second - first))

    def place(shapes: Shapes) -> Floats:
        first, second = ends(shapes)
        return np.asarray((first + second) / 2, dtype=np.float64)

    return BoardFormula(characteristic, instance, "mm", needs, value, place, ends)


def _diameter(characteristic: str, instance: str, key: Key) -> BoardFormula:
    def ends(shapes: Shapes) -> tuple[Floats, Floats]:
        reach = np.array([_outer_radius(shapes, key), 0.0])
        return _middle(shapes, key) - reach, _middle(shapes, key) + reach

    return BoardFormula(characteristic, instance, "mm", (key,), lambda shapes: 2 * _outer_radius(shapes, key),
                   lambda shapes: _middle(shapes, key), ends)  # fmt: skip


def _side_formulas(side: str) -> Iterator[BoardFormula]:
    start, end = _ENDS[side]
    walls = {"n": ("n", "w", "e"), "e": ("e", "n", "s"), "s": ("s", "e", "w"), "w": ("w", "s", "n")}[side]
    yield _length("surface.side", side, _feet(*walls), _ends(lambda s: corner(s, start), lambda s: corner(s, end)))
    yield _over_circles(side)
    foot, lower, upper = ("foot", side), ("lower", side), ("upper", side)

    def half(shapes: Shapes, key: Key) -> float:
        return float(shapes[key][2] / 2)

    yield BoardFormula("baseline.lower.thickness", side, "mm", (lower,), lambda s: 2 * half(s, lower),
                  lambda s: at_line(s, lower, 0.0),
                  lambda s: (at_line(s, lower, 0, -half(s, lower)), at_line(s, lower, 0, half(s, lower))))  # fmt: skip
    yield BoardFormula("baseline.lower.distance", side, "mm", (foot, lower),
                  lambda s: _between(s, (foot, 0.0), (lower, half(s, lower))), lambda s: at_line(s, lower, 0.0, 50.0),
                  lambda s: (at_line(s, lower, 60, half(s, lower)), at_line(s, foot, 60)))  # fmt: skip
    yield BoardFormula("baseline.spacing", side, "mm", (lower, upper),
                  lambda s: _between(s, (lower, half(s, lower)), (upper, -half(s, upper))),
                  lambda s: at_line(s, lower, 0.0, -15.0),
                  lambda s: (at_line(s, upper, -60, -half(s, upper)),
                             at_line(s, lower, -60, half(s, lower))))  # fmt: skip


def _over_circles(side: str) -> BoardFormula:
    keys = tuple(("circle", name) for name in _OF_SIDE[side])

    def ends(shapes: Shapes) -> tuple[Floats, Floats]:
        first, second = (_middle(shapes, key) for key in keys)
        way = (second - first) / np.linalg.norm(second - first)
        return first - way * _outer_radius(shapes, keys[0]), second + way * _outer_radius(shapes, keys[1])

    return _length("baseline.length", side, keys, ends)


def _corner_formulas(name: str) -> Iterator[BoardFormula]:
    pocket, shaft, tail, tip = ("pocket", name), ("shaft", name), ("tail", name), ("tip", name)
    yield BoardFormula(
        "surface.angle", name, "deg", _feet(*SIDES), lambda s: _angle(s, name), lambda s: corner(s, name)
    )
    yield _diameter("pocket.diameter", name, pocket)
    first, second = (("circle", own) for own in PAIRS[name])

    def gap_ends(shapes: Shapes) -> tuple[Floats, Floats]:
        a, b = _middle(shapes, first), _middle(shapes, second)
        way = (b - a) / np.linalg.norm(b - a)
        return a + way * _outer_radius(shapes, first), b - way * _outer_radius(shapes, second)

    yield _length("basecircle.gap", name, (first, second), gap_ends)
    yield BoardFormula(
        "arrow.thickness", name, "mm", (shaft,), lambda s: float(s[shaft][2]), lambda s: at_line(s, shaft, 380.0)
    )
    yield _length("arrow.length", name, (tail, tip), _ends(lambda s: s[tail], lambda s: s[tip]))
    yield BoardFormula(
        "arrow.angle",
        name,
        "deg",
        (shaft, ("foot", name[0])),
        lambda s: _shaft_angle(s, name),
        lambda s: at_line(s, shaft, 250.0),
    )

    def tip_ends(shapes: Shapes) -> tuple[Floats, Floats]:
        point, middle = shapes[tip], _middle(shapes, pocket)
        way = (point - middle) / np.linalg.norm(point - middle)
        return point, middle + way * _outer_radius(shapes, pocket)

    def to_tip(shapes: Shapes) -> float:
        return float(np.linalg.norm(shapes[tip] - _middle(shapes, pocket))) - _outer_radius(shapes, pocket)

    yield BoardFormula("arrow.tip", name, "mm", (tip, pocket), to_tip, lambda s: s[tip], tip_ends)


def _shaft_angle(shapes: Shapes, name: str) -> float:
    """Between the shaft and the foot of the north or south side."""
    out, along = direction(("shaft", name))
    shaft = along + shapes["shaft", name][1] * out
    out, along = direction(("foot", name[0]))
    foot = along + shapes["foot", name[0]][1] * out
    cosine = abs(float(shaft @ foot)) / float(np.linalg.norm(shaft) * np.linalg.norm(foot))
    return float(np.degrees(np.arccos(cosine)))


def squares(shapes: Shapes) -> tuple[float, float]:
    """Sides of the largest square inside and of the smallest around the four feet, turned as fits best."""
    corners = np.array([corner(shapes, name) for name in CORNERS])
    best_inside, best_around = 0.0, np.inf
    for turn in np.radians(np.arange(-1.0, 1.01, 0.02)):
        c, s = np.cos(turn), np.sin(turn)
        x, y = corners @ [c, s], corners @ [-s, c]
        inside = min(min(x[1], x[2]) - max(x[0], x[3]), min(y[0], y[1]) - max(y[2], y[3]))
        best_inside = max(best_inside, float(inside))
        best_around = min(best_around, float(max(np.ptp(x), np.ptp(y))))
    return best_inside, best_around
