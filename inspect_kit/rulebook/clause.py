"""A clause: one requirement of one edition, with its number as printed and its limits in the printed unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from inspect_kit.values.limits import Limits, limits_from
from inspect_kit.values.quantity import Quantity, Unit


class Kind(StrEnum):
    """How a requirement is stated."""

    RANGE = "range"
    MIN = "min"
    MAX = "max"
    NOMINAL_WITH_TOLERANCE = "nominal-with-tolerance"
    NOMINAL_WITHOUT_TOLERANCE = "nominal-without-tolerance"
    COUNT = "count"
    MATERIAL = "material"
    VISUAL = "visual"
    FUNCTIONAL = "functional"
    RELATION = "relation"


class Force(StrEnum):
    """How strongly the text puts it."""

    MUST = "must"
    SHOULD = "should"
    MAY = "may"


class WordMeaning(StrEnum):
    """What an observed word means for the requirement."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The numbers of a clause as printed; `lower` and `upper` are worked out from a nominal with its tolerance."""

    nominal: Quantity | None = None
    tolerance: Quantity | None = None
    lower: Quantity | None = None
    upper: Quantity | None = None

    @property
    def unit(self) -> Unit | None:
        """The unit the text prints."""
        first = self.nominal or self.lower or self.upper
        return first.unit if first else None

    @property
    def limits(self) -> Limits | None:
        """The limits in base units, or `None` where the text gives none."""
        lower, upper = self.lower, self.upper
        return limits_from(lower.in_base if lower else None, upper.in_base if upper else None)

    @property
    def nominal_in_base(self) -> Decimal | None:
        """The nominal in its base unit."""
        return self.nominal.in_base if self.nominal else None


@dataclass(frozen=True, slots=True)
class Condition:
    """When a clause applies: another characteristic was observed to be one of these words, or none of them."""

    characteristic: str
    words: tuple[str, ...]
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Instances:
    """Which pieces a clause speaks of: named places (`n e s w`), a number of them, or just one thing."""

    names: tuple[str, ...] = ()
    number: int = 1

    @property
    def several(self) -> bool:
        """Whether the clause asks for more than one value."""
        return self.number > 1


@dataclass(frozen=True, slots=True)
class Clause:
    """One requirement. `binding` clauses can fail an item; the others are reported."""

    characteristic: str
    number: str
    item: str
    kind: Kind
    force: Force
    bounds: Bounds = Bounds()
    printed: str = ""
    requires: str = ""
    how: str = ""
    note: str = ""
    name: str = ""
    because: str = ""
    source: str = ""
    instances: Instances = Instances()
    binding: bool = True
    suspect: bool = False
    answers: Mapping[str, WordMeaning] = field(default_factory=dict)
    when: Condition | None = None

    @property
    def limits(self) -> Limits | None:
        """The limits in base units; `None` where the clause is not decided by a number."""
        return self.bounds.limits

    @property
    def unit(self) -> Unit | None:
        """The printed unit; `None` for what is only observed."""
        return self.bounds.unit

    @property
    def numeric(self) -> bool:
        """Whether the clause is about a number at all."""
        return self.bounds.unit is not None


def as_printed(bounds: Bounds) -> str:
    """The requirement in the printed unit: `4.45 cm ± 0.15 cm`, `73.5 cm – 74 cm`; a count is just a number."""
    if bounds.nominal is not None:
        nominal = _shown(bounds.nominal)
        return f"{nominal} ± {_shown(bounds.tolerance)}" if bounds.tolerance else nominal
    if bounds.lower is not None and bounds.upper is not None:
        return f"{_shown(bounds.lower)} – {_shown(bounds.upper)}"
    if bounds.lower is not None:
        return f"≥ {_shown(bounds.lower)}"
    return f"≤ {_shown(bounds.upper)}" if bounds.upper is not None else ""


def _shown(quantity: Quantity) -> str:
    return f"{quantity.number:f}" if quantity.unit.symbol == "count" else str(quantity)
