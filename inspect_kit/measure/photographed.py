"""Values from photos with their budgets, and several photos of the same pieces combined."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from inspect_kit.errors import Notice, notice
from inspect_kit.measure.stated import MEASURED_PRINT, UNKNOWN_SHARE, Stated
from inspect_kit.values.value import LENS, PRINT_SCALE, REFERENCE_SIZE, Contribution, Value, ordered

Floats = NDArray[np.float64]

SHARED: Final = frozenset({
    PRINT_SCALE, LENS, REFERENCE_SIZE, "piece height", "rim shape", "hidden wall", "standoff", "form of the base",
    "form of the edge",
})  # fmt: skip
"""Effects that are the same in every photo of the same pieces on the same sheet with the same camera."""
DISAGREE: Final = "photos disagree"
UNCALIBRATED: Final = notice("lens-estimated")
_OF_EVERYDAY_THINGS: Final = frozenset({REFERENCE_SIZE, LENS, "camera pose", "sheet flatness"})
"""What a printed mat, pressed flat and full of corners, leaves next to nothing of."""

_Line = tuple[str, str]
"""A source and its shared label: lines of several photos that are the same line of their budget."""


def combine(results: Sequence[Value]) -> Value:
    """The best mean of several photos of one piece: what they share stays, what is their own averages out."""
    if len(results) == 1:
        return results[0]
    lines = tuple(dict.fromkeys((part.source, part.shared) for result in results for part in result.budget))
    table = {line: np.array([_part(result, line) for result in results]) for line in lines}
    weights = _weights(table)
    value = float(weights @ [result.value for result in results])
    parts = [
        Contribution(source, float(weights @ signed), shared)
        if source in SHARED
        else Contribution(source, float(np.sqrt(((weights * signed) ** 2).sum())), shared)
        for (source, shared), signed in table.items()
    ]
    parts.append(Contribution(DISAGREE, _disagreement(results, table, weights, value)))
    return Value(value, ordered(parts), results[0].unit)


def _part(result: Value, line: _Line) -> float:
    return math.fsum(part.standard for part in result.budget if (part.source, part.shared) == line)


def _weights(table: Mapping[_Line, Floats]) -> Floats:
    """Generalised least squares; no photo counts negatively, whatever the correlations say."""
    count = len(next(iter(table.values())))
    covariance = 1e-10 * np.eye(count)
    for (source, _), signed in table.items():
        covariance += np.outer(signed, signed) if source in SHARED else np.diag(signed**2)
    weights = np.maximum(np.linalg.solve(covariance, np.ones(count)), 0)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _disagreement(results: Sequence[Value], table: Mapping[_Line, Floats], weights: Floats, value: float) -> float:
    """What the photos differ by beyond their own uncertainties (Birge's ratio, never below one)."""
    own = np.maximum(sum(signed**2 for (source, _), signed in table.items() if source not in SHARED), 1e-8)
    away = np.array([result.value - value for result in results])
    ratio2 = float((away**2 / own).sum() / (len(results) - 1))
    return math.sqrt(float((weights**2 * own).sum()) * (ratio2 - 1)) if ratio2 > 1 else 0.0


def of_the_reference(values: Sequence[Value], stated: Stated, bar: str) -> list[Notice]:
    """What could be better about it: the scale of a print that nobody measured, or a print instead of a plain thing."""
    if not stated.reference.printed:
        return _on_the_mat(max(values, key=lambda value: value.standard)) if values else []
    unstated = stated.print_scale is None
    return [notice("print-scale-unstated", bar=bar, share=UNKNOWN_SHARE)] if unstated else []


def _on_the_mat(worst: Value) -> list[Notice]:
    """What U would be on a printed mat whose check bar was measured, all else as it is, where that is a gain."""
    kept = (part.standard for part in worst.budget if part.source not in _OF_EVERYDAY_THINGS)
    reached = f"{2 * math.hypot(*kept, MEASURED_PRINT * worst.value):.2f}"
    expanded = f"{2 * worst.standard:.2f}"
    return [notice("mat-would-gain", expanded=expanded, reached=reached)] if float(reached) < float(expanded) else []


def best_distance(result: Value, distance: float) -> tuple[float, float]:
    """The distance of the camera (mm) at which U would be smallest, and that U.

    What comes from the piece's height and rim shrinks with the distance; what comes from pixels grows with it.
    """
    near = frozenset({"piece height", "rim shape", "sheet flatness"})
    far = frozenset({"edge", "light and shadow at the edge", "camera pose"})

    def expanded(factor: float) -> float:
        return 2 * math.sqrt(math.fsum(
            (p.standard * (1 / factor if p.source in near else factor if p.source in far else 1)) ** 2
            for p in result.budget
        ))  # fmt: skip

    factor = min((0.5 + 0.1 * step for step in range(31)), key=expanded)
    return factor * distance, expanded(factor)
