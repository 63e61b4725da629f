"""Fairness of a die from its rolls: chi-square, the exact multinomial test, and an e-value to watch roll by roll."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp, lgamma, log
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri, chndtr, gammaln

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.sample import Floats
from inspect_kit.quality.table import Table

FACES: Final = 6
"""Faces of a die."""
DOF: Final = FACES - 1
"""Degrees of freedom of chi-square over the faces."""
MAX_EXACT: Final = 500
"""Rolls up to which all outcomes are gone through: about a second on an old laptop."""
_LN_FACTORIAL: Final = gammaln(np.arange(MAX_EXACT + 1) + 1.0)
"""ln n! for n up to the most rolls that are gone through."""
MAX_WEIGHT: Final = 1e9
"""Largest weight of the prior, in rolls; chosen."""
SMALLEST_BIAS: Final = 1e-6
"""Smallest bias to look for; chosen."""
_TOGETHER: Final = 0.95
"""Confidence of the intervals of all faces together."""
LARGEST_BIAS: Final = 2.0
"""At which the two faces come up all the time."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """What the rolls say. `exact_p` is ordered by chi-square; `None` where there are too many rolls to go through."""

    counts: tuple[int, ...]
    chi2: float
    p_value: float
    exact_p: float | None
    ln_e_value: float
    ln_e_largest: float | None = None
    """The largest e-value on the way, if the order of the rolls is known; it may be taken as the result."""

    @property
    def rolls(self) -> int:
        """How many."""
        return sum(self.counts)

    @property
    def e_value(self) -> float:
        """Evidence against fairness: bets that break even on a fair die would have grown this much."""
        return bounded_exp(self.ln_e_value)


def fairness(counts: Sequence[int], prior_weight: float = 100.0, order: Sequence[int] = ()) -> Fairness:
    """All three tests; `order` is the faces (1…6) in the order they came up, if known."""
    if len(counts) != FACES or min(counts) < 0:
        raise BadInput("die-six-faces")
    total = sum(counts)
    if total < 1:
        raise BadInput("not-single-roll")
    if not 0 < prior_weight <= MAX_WEIGHT:
        raise UsageError("prior-weight-lies-between-0", max_weight=f"{MAX_WEIGHT:g}", prior_weight=f"{prior_weight:g}")
    chi2 = (FACES * sum(count**2 for count in counts) - total**2) / total
    now = ln_e(counts, prior_weight)
    largest = max(now, float(e_path(order, prior_weight).max())) if order else None
    p_value = float(chdtrc(DOF, chi2))
    return Fairness(tuple(counts), chi2, p_value, exact_p(counts), now, largest)


@dataclass(frozen=True, slots=True)
class DieFairness:
    """One of several dice: its tests, its p-value for the family of all of them, and an interval for each face."""

    name: str
    result: Fairness
    p_adjusted: float
    intervals: tuple[tuple[float, float], ...]


def each_die(rolls: Mapping[str, Sequence[int]], prior_weight: float = 100.0) -> tuple[DieFairness, ...]:
    """Every die by itself: two dice that are biased in opposite ways look fair when they are counted together.

    The p-values are Holm's: the chance that any of several fair dice is called biased stays at the level chosen.
    """
    results = {name: fairness(counts, prior_weight) for name, counts in rolls.items()}
    adjusted = holm([result.p_value for result in results.values()])
    return tuple(
        DieFairness(name, result, p, simultaneous_intervals(result.counts))
        for (name, result), p in zip(results.items(), adjusted, strict=True)
    )


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjustment."""
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values)[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return tuple(float(p) for p in adjusted)


def simultaneous_intervals(counts: Sequence[int]) -> tuple[tuple[float, float], ...]:
    """Intervals of the six shares that hold together in 95 of 100 cases (Goodman 1965)."""
    total = sum(counts)
    critical = float(chdtri(1, (1 - _TOGETHER) / len(counts)))
    shares = np.asarray(counts) / total
    middle, half = 2 * total * shares + critical, np.sqrt(critical**2 + 4 * total * critical * shares * (1 - shares))
    low, high = (middle - half) / (2 * (critical + total)), (middle + half) / (2 * (critical + total))
    return tuple((float(below), float(above)) for below, above in zip(low, high, strict=True))


@dataclass(frozen=True)
class Unread:
    """Rolls whose face nobody could read: what the tests could say at best and at worst, had they been read."""

    rolls: int
    p_values: tuple[float, float]
    ln_e_values: tuple[float, float]

    def could_turn(self, alpha: float, strong: float) -> bool:
        """Whether some faces of the unread rolls make a fair die unfair, or an unfair one fair."""
        low, high = self.p_values
        least, most = self.ln_e_values
        return low < alpha <= high or least < log(strong) <= most


def with_unread(counts: Sequence[int], rolls: int, prior_weight: float = 100.0) -> Unread:
    """The most even and the most uneven faces that the unread rolls can have had: both tests grow with unevenness."""
    even = list(counts)
    for _ in range(rolls):
        even[even.index(min(even))] += 1
    uneven = max(
        ([count + rolls * (face == chosen) for face, count in enumerate(counts)] for chosen in range(FACES)),
        key=lambda found: sum(count**2 for count in found),
    )
    both = [fairness(found, prior_weight) for found in (uneven, even)]
    p_values = (both[0].p_value, both[1].p_value)
    return Unread(rolls, p_values, (both[1].ln_e_value, both[0].ln_e_value))


def ln_e(counts: Sequence[int], prior_weight: float) -> float:
    """Logarithm of the Dirichlet-mixture e-value: ln B(α + n) − ln B(α) + n ln 6 with α = weight ÷ 6 for each face."""
    share, total = prior_weight / FACES, sum(counts)
    faces = sum(lgamma(share + count) - lgamma(share) for count in counts)
    return faces - (lgamma(prior_weight + total) - lgamma(prior_weight)) + total * log(FACES)


def e_path(order: Sequence[int], prior_weight: float) -> Floats:
    """The logarithm of the e-value after each roll, which multiplies it by 6 × the mixture's forecast of its face."""
    faces = np.asarray(order) - 1
    seen = np.zeros(len(faces))
    for face in range(FACES):
        here = faces == face
        seen[here] = np.arange(np.count_nonzero(here))
    forecast = (prior_weight / FACES + seen) / (prior_weight + np.arange(len(faces)))
    return np.cumsum(np.log(FACES * forecast))


def bounded_exp(logarithm: float) -> float:
    """e to that power, at most the largest number there is."""
    return exp(logarithm) if logarithm < log(sys.float_info.max) else sys.float_info.max


def exact_p(counts: Sequence[int]) -> float | None:
    """Probability that a fair die shows a chi-square at least as large, over all outcomes.

    Chi-square depends on the sum of squared counts alone. That sum is put together from two halves of three faces
    each, so that a million million outcomes need not be listed one by one.
    """
    total = sum(counts)
    if total > MAX_EXACT:
        return None
    observed = sum(count**2 for count in counts)
    some = _LN_FACTORIAL[: total + 1]
    split = _LN_FACTORIAL[total] - some - some[::-1]
    shares = np.exp(split - total * log(2))
    middle = total // 2
    value = 0.0
    for first in range(middle + 1):
        both = _both_reach(_squares(first), _squares(total - first), observed)
        value += float(shares[first]) * both * (1 if 2 * first == total else 2)
    return min(1.0, value)


def _squares(rolls: int) -> Floats:
    """Distribution of the sum of squared counts of three equally likely faces: entry q is the probability of q."""
    a: NDArray[np.int64] = np.repeat(np.arange(rolls + 1), np.arange(rolls + 1, 0, -1))
    b: NDArray[np.int64] = np.concatenate([np.arange(rolls + 1 - first) for first in range(rolls + 1)])
    c = rolls - a - b
    chance = _LN_FACTORIAL[rolls] - _LN_FACTORIAL[a] - _LN_FACTORIAL[b] - _LN_FACTORIAL[c] - rolls * log(3)
    summed: Floats = np.bincount(a * a + b * b + c * c, weights=np.exp(chance)).astype(np.float64)
    return summed


def _both_reach(left: Floats, right: Floats, wanted: int) -> float:
    """Probability that the two sums together are at least `wanted`."""
    tail = np.concatenate([np.cumsum(right[::-1])[::-1], [0.0]])
    needed = np.clip(wanted - np.arange(len(left)), 0, len(right))
    return float(np.dot(left, tail[needed]))


def rolls_needed(bias: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Rolls after which chi-square sees two opposite faces that come up more often by the share `bias`.

    The other four faces come up less often by half of it: the noncentrality is n · bias²/2.
    """
    if not (SMALLEST_BIAS <= bias <= LARGEST_BIAS):
        bounds = {"smallest_bias": f"{SMALLEST_BIAS:f}", "largest_bias": f"{LARGEST_BIAS:g}"}
        raise UsageError("bias-lies-between-not", bias=f"{bias:g}", **bounds)
    if not (0 < alpha < 1 and 0 < power < 1 and alpha < power):
        raise UsageError("alpha-power-lie-between-0")
    return ceil(2 * noncentrality(alpha, power) / bias**2)


def noncentrality(alpha: float, power: float) -> float:
    """The noncentrality at which a chi-square test of six faces has this power."""
    from scipy.optimize import brentq

    critical = float(chdtri(DOF, alpha))
    return float(brentq(lambda shift: 1 - chndtr(critical, DOF, shift) - power, 0, 10_000, xtol=1e-10))


MOST_DICE: Final = 100
"""Dice in one file."""


def rolls_of(table: Table) -> tuple[list[int], tuple[int, ...]]:
    """How often each face came up, and the order if the file has one roll a row."""
    faces = table.counts("face")
    for face, line in zip(faces, table.lines, strict=True):
        if not 1 <= face <= FACES:
            raise BadInput("die-no-face", where=f"{table.where}: line {line}", face=face)
    if not table.has("count"):
        return [int(count) for count in np.bincount(faces, minlength=FACES + 1)[1:]], faces
    counts = [0] * FACES
    for face, count in zip(faces, table.counts("count"), strict=True):
        counts[face - 1] += count
    return counts, ()


def dice_of(table: Table, prior_weight: float) -> tuple[DieFairness, ...]:
    """Each die of a log with a column `die`."""
    if not table.has("die"):
        return ()
    names = tuple(dict.fromkeys(table.texts("die")))
    if len(names) > MOST_DICE:
        raise BadInput("too-many-dice", where=table.where, count=f"{len(names):,}")
    return each_die({name: rolls_of(table.where_is("die", name))[0] for name in names}, prior_weight)


def family_data(dice: tuple[DieFairness, ...]) -> dict[str, object]:
    """Several dice together: their chi-squares and their evidence add up, their rolls do not."""
    if not dice:
        return {}
    listed = [
        {"die": die.name, "n": die.result.rolls, "chi2": die.result.chi2, "p_value": die.result.p_value,
         "p_adjusted": die.p_adjusted, "e_value": die.result.e_value,
         "faces": [{"face": face, "count": count, "interval": list(interval)}
                   for face, (count, interval) in enumerate(zip(die.result.counts, die.intervals, strict=True), 1)]}
        for die in dice
    ]  # fmt: skip
    if len(dice) == 1:
        return {"dice": listed}
    chi2, dof = sum(die.result.chi2 for die in dice), DOF * len(dice)
    ln_e_value = sum(die.result.ln_e_value for die in dice)
    return {
        "dice": listed, "chi2": chi2, "dof": dof, "p_value": float(chdtrc(dof, chi2)), "exact_p": None,
        "ln_e_value": ln_e_value, "e_value": bounded_exp(ln_e_value), "e_value_largest": None,
    }  # fmt: skip


def fairness_data(result: Fairness, prior_weight: float) -> dict[str, object]:
    """One die in the form that scripts rely on."""
    largest = result.ln_e_largest
    return {
        "n": result.rolls, "chi2": result.chi2, "dof": DOF, "p_value": result.p_value, "exact_p": result.exact_p,
        "e_value": result.e_value, "ln_e_value": result.ln_e_value, "prior_weight": prior_weight,
        "e_value_largest": None if largest is None else bounded_exp(largest),
        "counts": list(result.counts), "exact_order": "chi-square",
    }  # fmt: skip
