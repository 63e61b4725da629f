"""Readings told apart by where they come from: machine, cavity, shift. Do the strata differ, and how good is each?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.quality.process.capability import Interval, bissell_interval
from inspect_kit.quality.process.subgroups import one_way
from inspect_kit.quality.sample import Floats
from inspect_kit.values.limits import Limits, lower_of, upper_of

MOST_STRATA: Final = 16
"""More groups than these are no strata: a serial number tells every piece apart."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """The readings of one machine, cavity, …; no Ppk where there are too few of them."""

    name: str
    count: int
    mean: float
    deviation: float | None
    ppk: float | None
    ppk_interval: Interval | None


@dataclass(frozen=True, slots=True)
class Stratified:
    """All strata by one column, and the p-value of the test that their means are one (analysis of variance)."""

    by: str
    strata: tuple[Stratum, ...]
    p_value: float | None


def stratified(by: str, values: Floats, labels: Sequence[str], limits: Limits | None) -> Stratified | None:
    """The strata in the order of their first reading; nothing where there is one, or where each reading is its own."""
    names = list(dict.fromkeys(labels))
    if not 2 <= len(names) <= MOST_STRATA:
        return None
    numbers = {name: number for number, name in enumerate(names)}
    told = np.fromiter(map(numbers.__getitem__, labels), np.int8, len(labels))
    groups = {name: values[told == number] for name, number in numbers.items()}
    return Stratified(by, tuple(_stratum(name or "—", group, limits) for name, group in groups.items()), _p(groups))


def _p(groups: Mapping[str, Floats]) -> float | None:
    several = [group for group in groups.values() if len(group) > 1]
    if len(several) < 2:
        return None
    try:
        return one_way(several)[1]
    except BadInput:
        return None


def _stratum(name: str, group: Floats, limits: Limits | None) -> Stratum:
    count, mean = len(group), float(group.mean())
    deviation = float(group.std(ddof=1)) if count > 1 else 0.0
    if not deviation or limits is None:
        return Stratum(name, count, mean, deviation or None, None, None)
    lower, upper = lower_of(limits), upper_of(limits)
    sides = [mean - float(lower)] if lower is not None else []
    sides += [float(upper) - mean] if upper is not None else []
    index = min(sides) / (3 * deviation)
    return Stratum(name, count, mean, deviation, index, bissell_interval(index, count, count - 1))


def stratified_data(found: Stratified) -> dict[str, object]:
    """Strata in the form that scripts rely on."""
    return {
        "by": found.by, "p_value": found.p_value,
        "strata": [
            {"stratum": each.name, "n": each.count, "mean": each.mean, "s": each.deviation, "ppk": each.ppk,
             "ppk_ci": each.ppk_interval}
            for each in found.strata
        ],
    }  # fmt: skip
