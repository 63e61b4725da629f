"""Which edge along each wall is the foot: told apart from the wall's top edge, shadows and the dark gap along it.

Going outwards across a wall the light passes the surface (perhaps shadow or powder on it), perhaps a dark gap, the
wall's face, its top edge and the frame's top. Which of the edges is the foot is decided for the four walls together,
since one frame has one height and so each view predicts how far the top edge stands off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board_walls import Wall, stand_off

HEIGHT: Final = 22.2
HEIGHT_U: Final = 1.85
"""mm: the laws' 19 to 25.4, all alike."""
GAP: Final = 2.6
"""mm: no gap is wider."""
POWDER: Final = 3.0
"""mm: no powder lies further from the wall."""
_LEAST: Final = 1.0
"""Score below which an edge is no foot: dark on both sides, or neither surface nor wall beside it."""
_LIGHTER: Final = 1.15
"""Times by which a wall is lighter than the gap before it, at least."""


def _like_surface(strip: Floats) -> bool:
    """The surface's own tint, lit or in shadow; or powder, which is lighter."""
    bright = float(strip.mean())
    if bright > 1.08:
        return True
    tint = strip / max(bright, 1e-6)
    return bright > 0.12 and float(np.abs(tint - 1).max()) < 0.16


def _powder(wall: Wall, index: int) -> bool:
    """Whether the strip outside of an edge is powder swept against the wall: narrow, nowhere darker than before it."""
    if index + 1 >= len(wall.edges) or wall.edges[index + 1].offset - wall.edges[index].offset > POWDER:
        return False
    before, own, after = wall.strips[index : index + 3]
    return bool((own > 1.05 * before).all() and (after < 0.5 * own).all())


def after_gap(wall: Wall, index: int) -> bool:
    """Whether a narrow strip darker than both its neighbours lies just inside of an edge and is not the wall."""
    if index == 0:
        return False
    before, edge = wall.edges[index - 1], wall.edges[index]
    inside, outside = wall.strips[index], wall.strips[index + 1]
    tight = edge.offset - before.offset < min(GAP, 0.6 * stand_off(wall, before.offset, HEIGHT))
    return (
        tight
        and edge.support > 0.5
        and inside.mean() < min(outside.mean() / _LIGHTER, 0.35)
        and _like_surface(wall.strips[index - 1])
    )


def _score(wall: Wall, index: int) -> float:
    """How much an edge looks like the foot, by what lies on both sides of it."""
    edge, inside, outside = wall.edges[index], wall.strips[index], wall.strips[index + 1]
    score = edge.support
    if after_gap(wall, index):
        score += 0.8
    elif not _like_surface(inside):
        score -= 1.0
    if not _like_surface(outside) and not _powder(wall, index):
        score += 1.0
    if index + 1 < len(wall.edges) and after_gap(wall, index + 1):
        score -= 1.0
    drop = float(np.abs(outside - inside).mean())
    score += 0.5 * min(drop / 0.3, 1.0)
    return score - 0.02 * abs(edge.offset)


def choose_feet(walls: Mapping[str, Wall]) -> dict[str, int]:
    """The edges that are the feet of all walls of one photo, by a common height; walls that show none are left out."""
    best, chosen = -np.inf, dict[str, int]()
    bases = {side: [_score(wall, index) for index in range(len(wall.edges))] for side, wall in walls.items()}
    for height in np.arange(16.0, 29.1, 0.5):
        total, picks = -0.5 * ((height - HEIGHT) / 4) ** 2 * 0.2, {}
        for side, wall in walls.items():
            scores = [base + _pair(wall, index, float(height)) for index, base in enumerate(bases[side])]
            picks[side] = int(np.argmax(scores))
            total += max(scores)
        if total > best:
            best, chosen = total, picks
    return {side: index for side, index in chosen.items() if bases[side][index] > _LEAST}


def _pair(wall: Wall, index: int, height: float) -> float:
    """Whether the top edge is seen where this height puts it."""
    foot = wall.edges[index].offset
    shift = stand_off(wall, foot, height)
    if shift < 1.5:
        return 0.0
    near = [edge.support for edge in wall.edges if abs(edge.offset - foot - shift) < 0.25 + 0.03 * shift]
    return 0.6 * max(near, default=0.0)
