"""Where a value may lie: at least, at most, or between. A missing limit is a type, not a very large number."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class AtLeast:
    """No upper limit."""

    lower: Decimal


@dataclass(frozen=True, slots=True)
class AtMost:
    """No lower limit."""

    upper: Decimal


@dataclass(frozen=True, slots=True)
class Between:
    """Both limits; they may be equal, as for a count."""

    lower: Decimal
    upper: Decimal

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError(f"the lower limit {self.lower} is above the upper limit {self.upper}")


Limits = AtLeast | AtMost | Between


def lower_of(limits: Limits) -> Decimal | None:
    """The lower limit, if there is one."""
    return None if isinstance(limits, AtMost) else limits.lower


def upper_of(limits: Limits) -> Decimal | None:
    """The upper limit, if there is one."""
    return None if isinstance(limits, AtLeast) else limits.upper


def limits_from(lower: Decimal | None, upper: Decimal | None) -> Limits | None:
    """The limits that two optional numbers describe; `None` where there is neither."""
    if lower is None:
        return None if upper is None else AtMost(upper)
    return AtLeast(lower) if upper is None else Between(lower, upper)
