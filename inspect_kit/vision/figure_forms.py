"""A base fitted with each form of its upper edge, round by round from the first guess to the last pixel."""

from __future__ import annotations

from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.circle import Unfit
from inspect_kit.vision.figure_base import BASE, Fit, gather, knowledge, lines_across, scale_at, settle
from inspect_kit.vision.figure_ground import Ground
from inspect_kit.vision.figure_profile import EDGE, INWARDS, NUMBERS

FORMS: Final = ("cut", "round", "sharp")
_REACHES: Final = (1.7, 0.6, 0.35)
"""mm around the outline in which its edge is looked for, round by round."""


def fit_forms(pixels: Pixels, ground: Ground, standoff: tuple[float, float], start: Floats) -> list[Fit]:
    """The base with each form of its upper edge, the most probable one first; empty where none can be fitted."""
    scale = scale_at(ground)
    vector, form, blur = start, "sharp", None
    fits: list[Fit] = []
    for turn, reach in enumerate(_REACHES):
        lines = lines_across(vector, form)
        edges = gather(pixels, ground, lines, max(reach * scale, 3.0), blur, sure=turn == 0)
        blur = edges.blur
        tried = FORMS[:2] if turn < len(_REACHES) - 1 else FORMS
        fits = []
        for name in tried:
            known = knowledge(ground.view, ground, standoff, name)
            wide = 0.12 * reach * scale if turn == 0 else 0.0
            fit = settle(_started(vector, form, name), name, edges, known, wide)
            if not isinstance(fit, Unfit):
                fits.append(fit)
        if not fits:
            return []
        fits.sort(key=lambda each: each.cost)
        vector, form = fits[0].vector, fits[0].form
    return fits


def _started(vector: Floats, form: str, wanted: str) -> Floats:
    """The numbers of one form of edge as a start for another."""
    base = np.array([0.0, 0.0, 0.0, 0.0, 0.3, 0.3])
    base[: len(vector) - BASE] = vector[BASE:]
    if wanted == "round" and form == "cut":
        base[EDGE] = 0.5 * (base[EDGE] + base[INWARDS])
    if wanted == "cut" and form == "round":
        base[[EDGE, INWARDS]] = 0.6 * base[EDGE]
    return np.concatenate([vector[:BASE], base[: NUMBERS[wanted]]])
