"""Which piece of one photo is which of another: by their places on the sheet."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from inspect_kit.vision.disc.measure import DiscLook, Spotted

_NEAR: Final = 3.0
"""mm on the sheet up to which two places are taken for the same piece's."""
_ALIKE: Final = 1.5
"""mm up to which two diameters are taken for the same piece's."""
Point = tuple[float, float]
Move = tuple[int, float, float]
"""Quarters of a turn, then a shift: what an unmarked checkerboard leaves open."""


def matched(looks: Sequence[DiscLook]) -> list[dict[int, Spotted]]:
    """Groups of sightings of one piece, by number of the photo; in the order of the first photo."""
    groups: list[dict[int, Spotted]] = [{0: spotted} for spotted in looks[0].spotted]
    for number, look in enumerate(looks[1:], 1):
        move = _move(looks[0], look)
        for spotted in look.spotted:
            group = _nearest(groups, _moved(spotted.place, move), spotted.diameter.value, number)
            if group is None:
                groups.append({number: spotted})
            else:
                group[number] = spotted
    return groups


def _nearest(
    groups: Iterable[dict[int, Spotted]], place: Point, diameter: float, number: int
) -> dict[int, Spotted] | None:
    open_groups = [group for group in groups if number not in group and 0 in group]
    near = [
        (math.dist(group[0].place, place), index)
        for index, group in enumerate(open_groups)
        if math.dist(group[0].place, place) < _NEAR and abs(group[0].diameter.value - diameter) < _ALIKE
    ]
    return open_groups[min(near)[1]] if near else None


def _moved(place: Point, move: Move) -> Point:
    x, y = place
    for _ in range(move[0]):
        x, y = -y, x
    return x + move[1], y + move[2]


def _move(first: DiscLook, other: DiscLook) -> Move:
    """None for sheets with ids; else the turn and shift under which most pieces find a partner."""
    stay: Move = (0, 0.0, 0.0)
    if first.placed.carries_ids and other.placed.carries_ids:
        return stay
    trials = [stay]
    for quarters in range(4):
        for a in first.spotted:
            for b in other.spotted:
                if abs(a.diameter.value - b.diameter.value) < _ALIKE:
                    x, y = _moved(b.place, (quarters, 0.0, 0.0))
                    trials.append((quarters, a.place[0] - x, a.place[1] - y))
    return max(trials, key=lambda move: _partners(first, other, move))


def _partners(first: DiscLook, other: DiscLook, move: Move) -> int:
    places = [_moved(spotted.place, move) for spotted in other.spotted]
    return sum(any(math.dist(a.place, place) < _NEAR for place in places) for a in first.spotted)
