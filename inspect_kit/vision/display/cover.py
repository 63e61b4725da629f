"""What may hide a digit: light or shadow over the row, or where the next digit would stand, told by the ground."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.display import tuning
from inspect_kit.vision.display.networks import Plane
from inspect_kit.vision.display.strip import SIDE, TALL, Strip

_PART: Final = tuning.PART_AREA * TALL**2
"""Pixels of the strip that could be part of a digit."""


def hidden(strip: Strip, left: float, right: float, cell: float) -> bool:
    """Whether light or shadow lies over digits between two columns, or over a place where one more could stand.

    Within a cell of the row it must be plain that the display ends; farther before it, where a sign may stand, that
    it goes on, for a frame is usual there.
    """
    away = _from_ground(strip, left, right)
    off = away > tuning.FAINT
    first, last = max(0, round(left)), round(right)
    before, behind = off[:, :first][:, ::-1], off[:, last : last + round(cell)]
    # Between digits there is no frame: half as much tells.
    if (away[:, first:last] > tuning.FAINT / 2).sum() > _PART:
        return True
    for part, end, side in ((before, first, -1), (behind, last, 1)):
        reached = np.flatnonzero(np.cumsum(part.sum(axis=0)) > _PART)
        if reached.size:
            at = int(reached[0])
            goes_on = _goes_on(strip, end, end + side * at, side)
            if goes_on or (goes_on is None and at < cell):
                return True
    return False


def _from_ground(strip: Strip, left: float, right: float) -> Plane:
    """How much lighter or darker the band is than the ground of the row, which may grow lighter along it."""
    band = strip.ground[SIDE : SIDE + TALL]
    columns = np.arange(max(0, round(left)), round(right))
    level = np.median(band[:, columns], axis=0)
    line = np.polyfit(columns, level, 1)
    # Once more by the half that lies next to it: what lies over the rest must not turn the line.
    near = np.argsort(np.abs(level - np.polyval(line, columns)))[: len(columns) // 2 + 1]
    ground = np.polyval(np.polyfit(columns[near], level[near], 1), np.arange(band.shape[1]))
    return np.asarray(np.where(strip.inside, np.abs(band - ground) / strip.contrast, 0), np.float32)


def _goes_on(strip: Strip, end: int, at: int, side: int) -> bool | None:
    """Whether the display goes on where its ground looks otherwise: its upper or lower edge is seen there too.

    White hides everything; nothing where neither edge is in sight.
    """
    own, there = (_profile(strip, end, -side), _profile(strip, at, side))
    if np.median(there[SIDE : SIDE + TALL]) > tuning.WHITE:
        return True
    upper, lower = np.arange(SIDE, 0, -1), np.arange(SIDE + TALL, TALL + 2 * SIDE)
    edges = [edge for rows in (upper, lower) if (edge := _edge(own, rows, strip.contrast)) is not None]
    seen = [abs(_step(there, edge)) > tuning.FAINT * abs(_step(own, edge)) for edge in edges]
    return any(seen) if seen else None


def _profile(strip: Strip, at: int, side: int) -> Plane:
    """The ground from above the digits to below them, beside a column."""
    columns = sorted((at, at + side * TALL // 2))
    return np.asarray(np.median(strip.ground[:, max(0, columns[0]) : max(1, columns[1])], axis=1), np.float32)


def _edge(profile: Plane, rows: NDArray[np.int_], contrast: float) -> int | None:
    """The first row beyond the digits, going outwards, that is no longer the display's ground."""
    off = np.flatnonzero(np.abs(profile[rows] - profile[rows[0]]) > tuning.FAINT * contrast)
    return int(rows[off[0]]) if off.size else None


def _step(profile: Plane, edge: int) -> float:
    reach = TALL // 12
    return float(profile[max(0, edge - reach)] - profile[min(len(profile) - 1, edge + reach)])
