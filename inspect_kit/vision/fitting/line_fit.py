"""A form that is moved along many lines at once until it fits: the one fitter of steps and stripes.

Each round solves what a line's light is the sum of, exactly, and moves the form by what the solution says of its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inspect_kit.vision.arrays import Floats


@dataclass(frozen=True)
class Equations:
    """What the lines' samples are the sum of, with the form at its present place: lines × samples × parts; the samples,
    and how much each counts: lines × samples."""

    design: Floats
    values: Floats
    window: Floats


@dataclass(frozen=True)
class Expectation:
    """What each part is likely to be, and how firmly (inverse variances): a little keeps the unseen in its place."""

    firmness: Floats
    mean: Floats | float = 0.0


@dataclass(frozen=True)
class Moves:
    """How a form may move: from where, how far from there, how far in a round, in how many rounds; and when nine lines
    of ten move by less than `settled`, it is enough."""

    start: Floats
    half: float
    stride: float
    rounds: int
    settled: float = 0.0


@dataclass(frozen=True)
class LineFits:
    """Where the form lies on each line, its parts there, and the deviation that is left of the samples."""

    place: Floats
    parts: Floats
    misfit: Floats


def fit_lines(
    moves: Moves,
    expectation: Expectation,
    equations: Callable[[Floats, Floats], Equations],
    shift: Callable[[Floats], Floats],
) -> LineFits:
    """`equations` of a place and the parts before, which are the likely ones at first; `shift` from the parts found."""
    low, high = moves.start - moves.half, moves.start + moves.half
    firm = expectation.firmness
    likely = np.broadcast_to(np.asarray(expectation.mean, dtype=np.float64), firm.shape)
    place, parts = moves.start, np.tile(likely, (len(moves.start), 1))
    misfit: Floats = np.ones(len(moves.start))
    for _ in range(moves.rounds):
        now = equations(place, parts)
        design, values = now.design * now.window[:, :, None], now.values * now.window
        turned = design.transpose(0, 2, 1)
        right = turned @ values[:, :, None] + (firm * likely)[:, None]
        parts = np.asarray(np.linalg.solve(turned @ design + np.diag(firm), right)[:, :, 0], np.float64)
        left = (design @ parts[:, :, None])[:, :, 0] - values
        misfit = np.asarray(np.sqrt((left**2).sum(axis=1) / np.maximum(now.window.sum(axis=1), 1)), np.float64)
        before, place = place, np.clip(place + np.clip(shift(parts), -moves.stride, moves.stride), low, high)
        if moves.settled and np.percentile(np.abs(place - before), 90) < moves.settled:
            break
    return LineFits(place, parts, misfit)
