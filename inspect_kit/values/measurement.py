"""A reading as it came in, and the measurement it became: a value that keeps its uncertainty budget."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from typing import Final

from inspect_kit.values.quantity import PRECISION

COVERAGE_FACTOR: Final = Decimal(2)
"""U = 2u, as every certificate of ours states."""

_CONTEXT: Final = Context(prec=PRECISION)


@dataclass(frozen=True, slots=True)
class StatedPart:
    """One line of a budget as a file states it; `shared` as in `Component`."""

    source: str
    standard: str
    shared: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was typed, imported or sent by an instrument, before anyone interpreted it."""

    characteristic: str
    value: str
    instance: str = ""
    unit: str = ""
    standard: str = ""
    instrument: str = ""
    where: str = ""
    raw: str = ""
    time: str = ""
    serial: str = ""
    confidence: str = ""
    pixel: tuple[float, float] | None = None
    photo: str = ""
    outline: tuple[tuple[float, float], ...] = ()
    """Where it was seen in that photo, for the evidence picture."""
    region: tuple[float, float, float, float] | None = None
    """A part of that photo that a person must look at: left, top, width, height."""
    budget: tuple[StatedPart, ...] = ()
    decision: str = ""
    """`accept` or `reject`: a person's word where a clause leaves it to a person; then `by` and `because` are there."""
    by: str = ""
    because: str = ""
    confirmed: bool = False
    """The value lies outside its plausible range and was looked at again."""
    note: str = ""

    @property
    def from_photo(self) -> bool:
        """Whether a program saw it in a photograph; a person states no confidence."""
        return bool(self.photo or self.confidence or self.outline or self.pixel or self.region)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a person decided where a text gives no tolerance: yes or no, who, and why. All of it is printed."""

    accepted: bool
    by: str
    because: str


@dataclass(frozen=True, slots=True)
class Component:
    """One contribution to the standard uncertainty.

    Contributions with the same non-empty `shared` label are one and the same effect, such as the scale error of one
    tape: they are fully correlated between measurements, and cancel or add up when a difference or a sum is taken.
    """

    source: str
    standard: Decimal
    dof: Decimal | None = None
    shared: str = ""

    def __post_init__(self) -> None:
        if not self.standard.is_finite() or self.standard < 0:
            raise ValueError("a standard uncertainty is a finite number that is not negative")
        if self.dof is not None and self.dof <= 0:
            raise ValueError("degrees of freedom are positive")


Budget = tuple[Component, ...]


def combined(budget: Iterable[Component]) -> Decimal:
    """The root of the sum of squares: the combined standard uncertainty of uncorrelated components."""
    parts = tuple(budget)
    if len(parts) == 1:
        return parts[0].standard
    with localcontext(_CONTEXT):
        return _variance(parts).sqrt()


def _variance(budget: Iterable[Component]) -> Decimal:
    return sum((part.standard * part.standard for part in budget), Decimal(0))


def effective_dof(budget: Budget) -> Decimal | None:
    """Welch–Satterthwaite; `None` means infinitely many. Valid for independent components only (GUM G.4.1)."""
    if all(part.dof is None for part in budget):
        return None
    with localcontext(_CONTEXT):
        denominator = sum((part.standard**4 / part.dof for part in budget if part.dof is not None), Decimal(0))
        return None if denominator == 0 else _variance(budget) ** 2 / denominator


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value in its base unit (mm, g, deg, s, …). `budget` is `None` where nobody stated the uncertainty.

    `formula` is empty for what was measured itself and tells how a derived value was worked out.
    """

    characteristic: str
    value: Decimal
    unit: str
    budget: Budget | None
    instance: str = ""
    instruments: tuple[str, ...] = ()
    formula: str = ""
    readings: tuple[Reading, ...] = field(default=(), repr=False)
    confirmed: bool = False
    """It lies outside its plausible range, and somebody looked again and confirmed it."""

    @property
    def standard_uncertainty(self) -> Decimal | None:
        """u, or `None` where it is unknown."""
        return None if self.budget is None else combined(self.budget)

    @property
    def expanded_uncertainty(self) -> Decimal | None:
        """U = 2u, or `None` where it is unknown."""
        standard = self.standard_uncertainty
        return None if standard is None else COVERAGE_FACTOR * standard

    @property
    def dof(self) -> Decimal | None:
        """Effective degrees of freedom; `None` means infinitely many."""
        return None if self.budget is None else effective_dof(self.budget)


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen and not measured: `yes` or `no` for "the requirement holds", or a word such as a colour."""

    characteristic: str
    value: str
    instance: str = ""
    confidence: Decimal | None = None
    readings: tuple[Reading, ...] = field(default=(), repr=False)
