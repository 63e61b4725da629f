"""Attribute agreement: do those who judge by eye agree with themselves, with each other, and with a standard?"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import bdtri, ndtri

from inspect_kit.errors import BadInput
from inspect_kit.quality.process.capability import CONFIDENCE, Interval
from inspect_kit.quality.sample import Floats

GOOD_KAPPA, POOR_KAPPA = 0.75, 0.40
"""AIAG: above 0.75 good to excellent agreement, below 0.40 poor."""


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance: 1 is perfect, 0 what chance gives; with its standard error and 95 % limits."""

    value: float
    error: float
    observed: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many parts, with exact 95 % limits."""

    matched: int
    parts: int
    interval: Interval


@dataclass(frozen=True)
class Agreement:
    """An attribute study: each appraiser with himself and against the standard, and all with each other."""

    within: Mapping[str, Share]
    against: Mapping[str, Share]
    kappa_against: Mapping[str, Kappa]
    kappa_pairs: Mapping[tuple[str, str], Kappa]
    fleiss: float
    all_agree: Share
    missed: Mapping[str, float]
    """Share of decisions by which an appraiser let a bad part pass."""
    false_alarms: Mapping[str, float]
    """Share of decisions by which an appraiser refused a good part."""


Ratings = Mapping[tuple[str, str], Sequence[str]]
"""What an appraiser said of a part, in each trial: (part, appraiser) → words."""


def agreement(ratings: Ratings, standard: Mapping[str, str], where: str = "") -> Agreement:
    """The study; every appraiser must have judged every part, though not equally often."""
    parts = tuple(dict.fromkeys(part for part, _ in ratings))
    people = tuple(dict.fromkeys(person for _, person in ratings))
    if len(parts) < 2:
        raise BadInput("agreement-study-needs-two-parts", where=where)
    for part in parts:
        for person in people:
            if not ratings.get((part, person)):
                raise BadInput("part-not-judged", where=where, part=part[:30], person=person[:30])
    firm = {key: words[0] if len(set(words)) == 1 else None for key, words in ratings.items()}
    agreed = sum(len({firm[part, person] for person in people} - {None}) == 1 and
                 all(firm[part, person] is not None for person in people) for part in parts)  # fmt: skip
    return Agreement(
        within={person: _share(sum(firm[part, person] is not None for part in parts), len(parts)) for person in people},
        against=_against(firm, standard, parts, people),
        kappa_against={p: _kappa_against(ratings, standard, parts, p) for p in people} if standard else {},
        kappa_pairs={
            (one, two): _kappa_of(ratings, parts, one, two)
            for place, one in enumerate(people) for two in people[place + 1 :]
        },
        fleiss=fleiss_kappa(_table(ratings, parts)),
        all_agree=_share(agreed, len(parts)),
        missed=_errors(ratings, standard, people, bad=True),
        false_alarms=_errors(ratings, standard, people, bad=False),
    )  # fmt: skip


def _share(matched: int, parts: int) -> Share:
    """Clopper and Pearson's limits."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if matched == 0 else float(bdtri(matched - 1, parts, 1 - tail))
    high = 1.0 if matched == parts else float(bdtri(matched, parts, tail))
    return Share(matched, parts, (low, high))


def _against(
    firm: Mapping[tuple[str, str], str | None], standard: Mapping[str, str], parts: Sequence[str], people: Sequence[str]
) -> dict[str, Share]:
    if not standard:
        return {}
    return {who: _share(sum(firm[part, who] == standard[part] for part in parts), len(parts)) for who in people}


def _kappa_against(ratings: Ratings, standard: Mapping[str, str], parts: Sequence[str], person: str) -> Kappa:
    return cohen_kappa((word, standard[part]) for part in parts for word in ratings[part, person])


def _kappa_of(ratings: Ratings, parts: Sequence[str], one: str, two: str) -> Kappa:
    """Two appraisers, trial by trial as far as both have one."""
    return cohen_kappa(pair for part in parts for pair in zip(ratings[part, one], ratings[part, two], strict=False))


def cohen_kappa(pairs: Iterable[tuple[str, str]]) -> Kappa:
    """Cohen's kappa with the standard error of Fleiss, Cohen and Everitt (1969)."""
    counts = Counter(pairs)
    words = sorted({word for pair in counts for word in pair})
    table = np.array([[counts[one, two] for two in words] for one in words])
    shares = table / table.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, chance = float(np.trace(shares)), float(rows @ columns)
    if chance == 1:
        return Kappa(1.0, 0.0, 1.0, (1.0, 1.0))
    value = (observed - chance) / (1 - chance)
    error = sqrt(_kappa_variance(shares, rows, columns, value, chance) / counts.total())
    half = float(ndtri((1 + CONFIDENCE) / 2)) * error
    return Kappa(value, error, observed, (value - half, min(1.0, value + half)))


def _kappa_variance(shares: Floats, rows: Floats, columns: Floats, value: float, chance: float) -> float:
    diagonal = np.diag(shares) * (1 - (rows + columns) * (1 - value)) ** 2
    aside = shares * (columns[:, None] + rows[None, :]) ** 2
    off = (1 - value) ** 2 * (aside.sum() - np.diag(aside).sum())
    return max(0.0, float(diagonal.sum() + off - (value - chance * (1 - value)) ** 2) / (1 - chance) ** 2)


def _table(ratings: Ratings, parts: Sequence[str]) -> Floats:
    counts = Counter((part, word) for (part, _), said in ratings.items() for word in said)
    words = sorted({word for _, word in counts})
    return np.array([[float(counts[part, word]) for word in words] for part in parts])


def fleiss_kappa(table: Floats) -> float:
    """Fleiss' kappa of parts × words; parts judged unequally often weigh by their pairs."""
    totals = table.sum(axis=1)
    usable = totals > 1
    pairs = (table[usable] * (table[usable] - 1)).sum() / (totals[usable] * (totals[usable] - 1)).sum()
    shares = table.sum(axis=0) / table.sum()
    chance = float((shares**2).sum())
    return 1.0 if chance == 1 else (float(pairs) - chance) / (1 - chance)


def _errors(ratings: Ratings, standard: Mapping[str, str], people: Sequence[str], *, bad: bool) -> dict[str, float]:
    """Decisions against the standard, among those on bad or on good parts; only where answers are yes and no."""
    if not standard or set(standard.values()) - {"yes", "no"}:
        return {}
    truth = "no" if bad else "yes"
    found: dict[str, float] = {}
    for person in people:
        said = [word for (part, who), words in ratings.items() if who == person and standard[part] == truth
                for word in words]  # fmt: skip
        if said:
            found[person] = sum(word != truth for word in said) / len(said)
    return found
