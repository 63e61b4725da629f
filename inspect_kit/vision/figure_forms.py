"""A base fitted with each form of its upper edge, round by round from the first guess to the last pixel, and how
probable each form is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.circle import Unfit
from inspect_kit.vision.figure_base import BASE, Fit, gather, knowledge, lines_across, scale_at
from inspect_kit.vision.figure_ground import Ground
from inspect_kit.vision.figure_profile import EDGE, INWARDS, NUMBERS
from inspect_kit.vision.figure_settling import CLOSE, settle

FORMS: Final = ("cut", "round", "sharp")
ODDS: Final = {"cut": 8.0, "round": 20.0, "sharp": 1.0}
"""Of each form before the photo is looked at: a sharp edge is the rare end of both others."""
_SCATTER: Final = 0.15
"""Pixels of scatter up to which the edges' errors are as small as their weights say."""
REACHES: Final = (1.7, 0.6, 0.35)
"""mm around the outline in which its edge is looked for, round by round."""
_LARGE: Final = 0.8
"""mm of a large cut or rounding."""


def shares_of(fits: Sequence[Fit]) -> Floats:
    """How probable each form is: by what it leaves of the edges, by its freedom (Laplace's approximation of the
    evidence: a form that could have had many shapes explains less by having this one), and by the odds beforehand."""
    lenience = max(1.0, min(fit.scatter for fit in fits) / _SCATTER) ** 2
    logs = np.array([np.log(ODDS[fit.form]) - fit.cost / (2 * lenience) + _freedom(fit) for fit in fits])
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum())


def _freedom(fit: Fit) -> float:
    """Logarithm of the share of what was possible beforehand that the photo leaves possible."""
    return float(np.linalg.slogdet(fit.covariance)[1] + np.linalg.slogdet(fit.known.information)[1]) / 2


def fit_forms(
    pixels: Pixels, ground: Ground, standoff: tuple[float, float], start: Floats, reaches: Sequence[float] = REACHES
) -> list[Fit]:
    """The base with each form of its upper edge, the most probable one first; empty where none can be fitted."""
    scale = scale_at(ground)
    vector, form, blur = start, "sharp", None
    fits: list[Fit] = []
    for turn, reach in enumerate(reaches):
        lines = lines_across(vector, form)
        edges = gather(pixels, ground, lines, max(reach * scale, 3.0), blur, sure=turn == 0)
        blur = edges.blur
        last = turn == len(reaches) - 1
        wide = 0.12 * reach * scale
        # Before the table shadows are edges too, so that only the first round looks for far ones there.
        stages = [(wide, wide if turn == 0 else 0.0), *([CLOSE] if last else [])]
        fits = []
        for name in FORMS if last else FORMS[:2]:
            known = knowledge(ground.view, ground, standoff, name)
            tries = [settle(start, name, edges, known, stages) for start in _starts(vector, form, name, last)]
            good = [fit for fit in tries if not isinstance(fit, Unfit)]
            if good:
                fits.append(min(good, key=lambda each: each.cost))
        if not fits:
            return []
        fits.sort(key=lambda each: each.cost)
        vector, form = fits[0].vector, fits[0].form
    return [fits[index] for index in np.argsort(-shares_of(fits), kind="stable")]


def _starts(vector: Floats, form: str, wanted: str, last: bool) -> list[Floats]:
    """Where a form of edge is begun from: the best base so far and, in the end, also a large cut or rounding."""
    near = _started(vector, form, wanted)
    if not last or wanted == "sharp":
        return [near]
    far = near.copy()
    far[BASE + EDGE :] = _LARGE
    return [near, far]


def _started(vector: Floats, form: str, wanted: str) -> Floats:
    """The numbers of one form of edge as a start for another."""
    base = np.array([0.0, 0.0, 0.0, 0.0, 0.3, 0.3])
    base[: len(vector) - BASE] = vector[BASE:]
    if wanted == "round" and form == "cut":
        base[EDGE] = 0.5 * (base[EDGE] + base[INWARDS])
    if wanted == "cut" and form == "round":
        base[[EDGE, INWARDS]] = 0.6 * base[EDGE]
    return np.concatenate([vector[:BASE], base[: NUMBERS[wanted]]])
