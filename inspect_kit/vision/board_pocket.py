"""Pockets: the edge of a hole in the surface, from the arc of it that is seen, whatever is lit or black inside.

The arc towards the board's corner is left out: there the frame ends the view, not the hole. A metal or rubber rim
shows as a ring of one colour between two concentric edges; since all pockets of a board are made alike, whether there
is one is decided for the four together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board_holes import EVEN, HIGH, LOW, MIDDLE, Hole, best_circles, edges_across, find_hole
from inspect_kit.vision.board_marks import Absent, Trace, correlation
from inspect_kit.vision.board_profile import Shot
from inspect_kit.vision.board_rim import BINS, Settled, Walls, Way, free_arc, lines_around, settle

_CLEAR: Final = 0.1
"""mm: scatter of an edge below which it is seen clearly."""
_RAGGED: Final = 0.2
"""mm: scatter beyond which an edge is none."""
_USELESS: Final = 0.8
"""mm: standard uncertainty of a rim beyond which nothing is said about a pocket."""
_ALIKE: Final = 0.15
"""mm by which the rims of one board differ."""
_SMOOTH: Final = 13
"""Lines averaged around the hole, so that the meshes of a net do not count as edges."""


def trace_pockets(shot: Shot, corners: Mapping[str, tuple[Floats, Walls]]) -> dict[str, Trace | Absent]:
    """The pockets near their guesses, each between its two walls."""
    holes = {name: find_hole(shot, centre, walls) for name, (centre, walls) in corners.items()}
    found = [hole for hole in holes.values() if isinstance(hole, Hole)]
    rimmed = 2 * sum(hole.inner is not None for hole in found) >= max(1, len(found))
    edges = {name: hole if isinstance(hole, Absent) else _edge(shot, hole, corners[name][1], rimmed)
             for name, hole in holes.items()}  # fmt: skip
    width = _common_width(edges) if rimmed else 0.0
    for name, edge in edges.items():
        if width > 0 and (isinstance(edge, Absent) or edge.outer.scatter > _CLEAR):
            again = _by_width(shot, corners[name], width)
            edges[name] = again if isinstance(edge, Absent) or _clearer(again, edge) else edge
        elif isinstance(edge, _Edge) and width > 0 and not edge.agrees(width):
            again = _by_width(shot, corners[name], width)
            # Without a ring of its own inside, what was found may be the hole itself, its rim further out.
            further = isinstance(again, _Edge) and again.outer.circle[2] > edge.outer.circle[2] + 0.6 * width
            edges[name] = again if further else edge
    edges = _doubting(edges, width)
    return {name: edge if isinstance(edge, Absent) else _traced(shot, edge, width) for name, edge in edges.items()}


def _clearer(one: _Edge | Absent, other: _Edge) -> bool:
    return isinstance(one, _Edge) and one.outer.scatter < other.outer.scatter


def _doubting(edges: Mapping[str, _Edge | Absent], width: float) -> dict[str, _Edge | Absent]:
    """A pocket whose own rim was not seen, and which fits the others better without one, may be its hole already."""
    sure = [edge.outer.circle[2] - width for edge in edges.values() if isinstance(edge, _Edge) and edge.agrees(width)]
    if width <= 0 or len(sure) < 2:
        return dict(edges)
    usual = float(np.median(sure))

    def doubted(edge: _Edge) -> bool:
        radius = float(edge.outer.circle[2])
        return not edge.agrees(width) and abs(radius - width - usual) > abs(radius - usual)

    return {name: replace(edge, doubt=width / np.sqrt(3)) if isinstance(edge, _Edge) and doubted(edge) else edge
            for name, edge in edges.items()}  # fmt: skip


def _traced(shot: Shot, edge: _Edge, width: float) -> Trace | Absent:
    """Nothing where lines agree so badly that the circle is chance: a quarter round cut into a corner, a net's edge."""
    found = _trace(shot, edge, width)
    ragged = edge.outer.scatter > max(_RAGGED, 0.3 * edge.outer.lines.blur(shot)) or found.u_width > _USELESS
    return Absent("not one clean circle") if ragged else found


@dataclass(frozen=True)
class _Edge:
    """The settled outer edge of a pocket, and that of the hole inside its rim (None: has none, or is not seen)."""

    outer: Settled
    inner: Settled | None
    doubt: float

    @property
    def width(self) -> float:
        """Of the rim."""
        return float("nan") if self.inner is None else float(self.outer.circle[2] - self.inner.circle[2])

    def agrees(self, width: float) -> bool:
        """Whether this rim is as wide as the others."""
        return self.inner is not None and abs(self.width - width) < _ALIKE


def _edge(shot: Shot, hole: Hole, walls: Walls, rimmed: bool) -> _Edge | Absent:
    outer = settle(shot, hole.outer, walls, Way(narrow=rimmed))
    if outer is None:
        return Absent("missing")
    if outer.usable.sum() < 0.25 * BINS:
        return Absent("hidden or out of the picture")
    inner = None
    if rimmed and hole.inner is not None:
        inner = settle(shot, hole.inner, walls, Way(around=_SMOOTH))
    apart = 0.0 if hole.inner is None else float(hole.outer[2] - hole.inner[2])
    return _Edge(outer, inner, apart / np.sqrt(3) if not rimmed and hole.even < EVEN else 0.0)


def _common_width(edges: Mapping[str, _Edge | Absent]) -> float:
    """All rims of a board are alike: the median of their widths, of those seen clearly if there are several."""
    inner = [edge for edge in edges.values() if isinstance(edge, _Edge) and edge.inner is not None]
    clear = [edge.width for edge in inner if edge.inner is not None and edge.inner.scatter < _CLEAR]
    widths = clear if len(clear) > 1 else [edge.width for edge in inner]
    return float(np.median(widths)) if widths else 0.0


def _by_width(shot: Shot, corner: tuple[Floats, Walls], width: float) -> _Edge | Absent:
    """A pocket whose rim was not seen clearly: looked for again as two circles that are as far apart as the others'."""
    centre, walls = corner
    lines = lines_around(shot, centre, MIDDLE, (LOW, HIGH))
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2))) & free_arc(lines, walls)
    circles = best_circles(lines, edges_across(shot, lines, usable, walls), 0.2, width)
    outer = settle(shot, circles[0], walls, Way(narrow=True)) if circles else None
    if outer is None or outer.scatter > 2 * _CLEAR:
        return Absent("its rim and its hole cannot be told apart")
    inner = settle(shot, outer.circle - np.array([0.0, 0.0, width]), walls, Way(around=_SMOOTH))
    return _Edge(outer, inner, 0.0)


def _trace(shot: Shot, edge: _Edge, width: float) -> Trace:
    """The hole's edge: a rim's is seen best all around, and the hole begins its width further in."""
    found, inwards, u_rim = edge.outer, 0.0, 0.04
    if width > 0:
        inwards, u_rim = (edge.width, 0.12) if edge.agrees(width) else (width, 0.18)
    if found.scatter > max(_CLEAR, 0.0 if width > 0 else 0.3 * found.lines.blur(shot)):
        u_rim = float(np.hypot(u_rim, (4 if width > 0 else 3) * found.scatter))
    good, residuals = found.good, found.residuals[found.good]
    points = found.lines.feet + (found.places - inwards)[:, None] * found.lines.normals
    pixels = shot.view.pixels(np.column_stack([points[good], np.zeros(int(good.sum()))]))
    share = float(good.sum() / max(int(found.usable.sum()), 1))
    return Trace(
        shot.index, pixels, found.scatter, correlation(residuals), 0.0, float(np.hypot(u_rim, 2 * edge.doubt)), share
    )
