"""Patterns on a control chart that chance rarely makes: Nelson's eight rules and the four of Western Electric.

Counting convention: runs, trends and alternations count points, not moves (six rising points are five moves). A pattern
is reported at the point that completes it, and at every further point that prolongs it. A point on the centre line
belongs to neither side and ends a run; a point on a limit is not beyond it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from inspect_kit.errors import UsageError
from inspect_kit.quality.process.capability import d2
from inspect_kit.quality.sample import Floats

Flags = NDArray[np.bool_]
_TIE: Final = 1e-9
"""Standard deviations within which a point counts as lying on a line: room for the last digits of a double."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern; `find` gets the standardised points and marks those at which it is complete."""

    number: int
    code: str
    """By which certificates word it."""
    text: str
    find: Callable[[Floats], Flags]


@dataclass(frozen=True, slots=True)
class Signal:
    """A rule that was broken, and the points, counted from 1, at which."""

    rule: int
    text: str
    points: tuple[int, ...]
    code: str = ""


def signals(points: Floats, rules: tuple[Rule, ...]) -> tuple[Signal, ...]:
    """What the rules find in points given as distances from the centre in standard deviations."""
    found = ((rule, np.flatnonzero(rule.find(points)) + 1) for rule in rules)
    return tuple(Signal(rule.number, rule.text, tuple(map(int, at)), rule.code) for rule, at in found if len(at))


def _beyond(limit: float, length: int = 1) -> Callable[[Floats], Flags]:
    return lambda points: _run(np.abs(points) > limit + _TIE, length)


def _same_side(length: int) -> Callable[[Floats], Flags]:
    return lambda points: _run(points > _TIE, length) | _run(points < -_TIE, length)


def _trend(length: int) -> Callable[[Floats], Flags]:
    def find(points: Floats) -> Flags:
        moves = np.diff(points, prepend=points[:1])
        return _run(moves > _TIE, length - 1) | _run(moves < -_TIE, length - 1)

    return find


def _alternating(length: int) -> Callable[[Floats], Flags]:
    def find(points: Floats) -> Flags:
        moves = np.diff(points, prepend=points[:1])
        signs = np.where(np.abs(moves) > _TIE, np.sign(moves), 0)
        turns = np.concatenate([[False], signs[1:] * signs[:-1] < 0])
        return _run(turns, length - 2)

    return find


def _most_of(needed: int, window: int, limit: float) -> Callable[[Floats], Flags]:
    """`needed` of `window` points beyond the limit on one side; the last of them is the point reported."""

    def one_side(far: Flags) -> Flags:
        counts = np.convolve(far, np.ones(window, dtype=int))[: len(far)]
        return far & (counts >= needed)

    return lambda points: one_side(points > limit + _TIE) | one_side(points < -limit - _TIE)


def _run(flags: Flags, length: int) -> Flags:
    """Where at least `length` true values in a row end or go on."""
    places = np.arange(len(flags))
    last_false = np.maximum.accumulate(np.where(flags, -1, places))
    return np.asarray(places - last_false >= length, dtype=np.bool_)


NELSON: Final = (
    Rule(1, "beyond_3", "one point beyond 3 sigma", _beyond(3)),
    Rule(2, "side_9", "nine points in a row on one side of the centre", _same_side(9)),
    Rule(3, "trend_6", "six points in a row steadily rising or falling", _trend(6)),
    Rule(4, "alternating_14", "fourteen points in a row alternating up and down", _alternating(14)),
    Rule(5, "two_of_three", "two of three points beyond 2 sigma on one side", _most_of(2, 3, 2)),
    Rule(6, "four_of_five", "four of five points beyond 1 sigma on one side", _most_of(4, 5, 1)),
    Rule(7, "within_15", "fifteen points in a row within 1 sigma", lambda points: _run(np.abs(points) < 1 - _TIE, 15)),
    Rule(8, "outside_8", "eight points in a row with none within 1 sigma", _beyond(1, 8)),
)
"""Nelson's eight rules, with their numbers of points and sigmas."""
WESTERN_ELECTRIC: Final = (
    Rule(1, "beyond_3", "one point beyond 3 sigma", _beyond(3)),
    Rule(2, "two_of_three", "two of three points beyond 2 sigma on one side", _most_of(2, 3, 2)),
    Rule(3, "four_of_five", "four of five points beyond 1 sigma on one side", _most_of(4, 5, 1)),
    Rule(4, "side_8", "eight points in a row on one side of the centre", _same_side(8)),
)
"""The four rules of Western Electric's handbook, with their numbers of points and sigmas."""
RULE_SETS: Final[Mapping[str, tuple[Rule, ...]]] = {"nelson": NELSON, "western-electric": WESTERN_ELECTRIC}
FEW: Final = "1"
"""The usual choice: one point beyond three sigma, Shewhart's own. Every further rule adds false alarms."""


def rules_named(choice: str) -> tuple[Rule, ...]:
    """A whole set by its name, or some of Nelson's rules by their numbers: `1,2,5`."""
    if choice in RULE_SETS:
        return RULE_SETS[choice]
    by_number = {str(rule.number): rule for rule in NELSON}
    names = [name.strip() for name in choice.split(",")]
    if not names or any(name not in by_number for name in names):
        raise UsageError("names-no-run-rules", where="--rules", choice=choice[:40])
    return tuple(by_number[name] for name in sorted(dict.fromkeys(names)))


# How often rules point at something where nothing is.

_LOTS: Final = 1_000
"""Lots drawn to count false alarms: the rate is good to about one percent."""
_LONGEST: Final = 400
"""Points of a drawn chart; a longer one has as many more chances."""
_SEED: Final = 20_261_116
"""Fixed, so that the same chart always has the same rate; otherwise arbitrary."""


@lru_cache(64)
def false_alarm_rate(points: int, rules: tuple[Rule, ...], size: int = 1) -> float:
    """The share of charts of a steady process on which these rules see something.

    Charts of so many points, single pieces or means of `size`, with centre and limits worked out from the same pieces.
    """
    drawn = min(points, _LONGEST)
    source = np.random.Generator(np.random.PCG64(_SEED))
    alarms = sum(bool(signals(_steady(source, drawn, size), rules)) for _ in range(_LOTS))
    share = alarms / _LOTS
    return float(share if points == drawn else 1 - (1 - share) ** (points / drawn))


def _steady(source: np.random.Generator, points: int, size: int) -> Floats:
    """The points of one steady process, standardised as a chart does it."""
    if size == 1:
        values = source.standard_normal(points)
        sigma = float(np.abs(np.diff(values)).mean()) / d2(2)
        return np.asarray((values - values.mean()) / sigma, dtype=np.float64)
    groups = source.standard_normal((points, size))
    means = groups.mean(axis=1)
    sigma = float(np.ptp(groups, axis=1).mean()) / d2(size) / np.sqrt(size)
    return np.asarray((means - means.mean()) / sigma, dtype=np.float64)
