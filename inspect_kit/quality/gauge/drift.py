"""The daily checks of a gauge over time: errors at each point as a control chart, and a drift seen before the limit."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

import numpy as np

from inspect_kit.capture.daily_checks import Check, Point
from inspect_kit.quality.process.charts import Chart, Readings, draw_up
from inspect_kit.quality.process.run_rules import rules_named
from inspect_kit.quality.sample import Floats, as_sample

_LEAST: Final = 6
"""Checks from which a slope is told from chance; fewer say nothing."""
_RISK: Final = 0.01
"""Chance that a steady gauge is called drifting."""
_FAR: Final = 3650
"""Days beyond which a limit is not foretold."""


@dataclass(frozen=True, slots=True)
class PointHistory:
    """The errors at one nominal value, in g or mm, in the order in which they were checked."""

    nominal: str
    unit: str
    days: tuple[date, ...]
    errors: tuple[float, ...]
    permitted: float
    chart: Chart | None = None
    drift: float | None = None
    """Change a day, where it is told from chance; none where nothing is."""
    reaches: date | None = None
    """When the error would reach what is permitted if it goes on like this."""


def histories(checks: Iterable[Check]) -> tuple[PointHistory, ...]:
    """One history a nominal value; what was shown as found before an adjustment belongs to the gauge before it."""
    taken = tuple(checks)
    begun = max((n for n, check in enumerate(taken) if check.state == "as-left"), default=0)
    nominals = dict.fromkeys(point.nominal.in_base for check in taken for point in check.points)
    return tuple(_history(taken, taken[begun:], nominal) for nominal in nominals)


def _history(checks: tuple[Check, ...], since: tuple[Check, ...], nominal: Decimal) -> PointHistory:
    found = list(_at(checks, nominal))
    now = list(_at(since, nominal))
    point = found[-1][1]
    errors = np.array([float(p.error.in_base) for _, p in found])
    permitted = float(point.permitted.in_base)
    drift, reaches = _drift([day for day, _ in now], errors[len(found) - len(now) :], permitted)
    days = tuple(day for day, _ in found)
    return PointHistory(
        str(point.nominal), point.permitted.unit.base, days, tuple(float(e) for e in errors), permitted,
        _chart(errors), drift, reaches,
    )  # fmt: skip


def _at(checks: Iterable[Check], nominal: Decimal) -> Iterator[tuple[date, Point]]:
    for check in checks:
        for point in check.points:
            if point.nominal.in_base == nominal:
                yield check.time.date(), point


def _chart(errors: Floats) -> Chart | None:
    """Individuals and moving ranges; none where there are too few, or where nothing ever moved."""
    if len(errors) < _LEAST or np.ptp(errors) == 0:
        return None
    return draw_up("imr", Readings(as_sample(list(errors))), rules=rules_named("western-electric"))


def _drift(days: list[date], errors: Floats, permitted: float) -> tuple[float | None, date | None]:
    """A straight line through the errors since the last adjustment, if its slope is more than chance."""
    if len(days) < _LEAST or days[0] == days[-1] or np.ptp(errors) == 0:
        return None, None
    from scipy.stats import linregress

    at = np.array([(day - days[0]).days for day in days], float)
    line = linregress(at, errors)
    if line.pvalue > _RISK or line.slope == 0:
        return None, None
    wall = permitted if line.slope > 0 else -permitted
    left = (wall - (line.intercept + line.slope * at[-1])) / line.slope
    reaches = days[-1] + timedelta(days=max(0, int(left))) if left < _FAR else None
    return float(line.slope), reaches
