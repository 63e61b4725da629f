"""A clause: one requirement of one edition, with its number as printed and its limits in the printed unit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final

from inspect_kit.values.limits import Limits, limits_from
from inspect_kit.values.plausible import Plausible
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
    NOT_APPLICABLE = "not-applicable"
    """There is no such thing here, and the text allows that."""


CONFIDENCE: Final = Decimal("0.8")
"""From which confidence on an observation that a program made decides, where the clause states none of its own."""

ABSENT: Final = "none"
"""The word by which a permission is answered that nobody made use of."""


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
    def half_digit(self) -> Decimal:
        """Half of the last digit in which the nominal is printed, in its base unit: 0.05 mm for 10.15 cm."""
        if self.nominal is None:
            return Decimal(0)
        last = Decimal(1).scaleb(int(self.nominal.number.as_tuple().exponent))
        return Quantity(last / 2, self.nominal.unit).in_base

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
    """Which pieces a clause speaks of: named places (`n e s w`), a number of them, or just one thing.

    Where only counting tells how many pieces there are, `counted_by` names that count; `parts` are what is measured of
    each piece (`1.a 1.b 1.c` of the first die).
    """

    names: tuple[str, ...] = ()
    number: int = 1
    counted_by: str = ""
    parts: tuple[str, ...] = ()

    @property
    def several(self) -> bool:
        """Whether the clause asks for more than one value."""
        return self.number > 1 or bool(self.counted_by)


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
    confidence: Decimal = CONFIDENCE
    """What an observation has to state at least, if it states a confidence, to decide anything here."""
    plausible: Plausible | None = None

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


_OBSERVABLE: Final = frozenset({Kind.FUNCTIONAL, Kind.RELATION})
"""Kinds that may state a number and may be answered by looking all the same."""


def answered_by_looking(clause: Clause) -> bool:
    """Whether `yes` and `no` answer the clause; what has a number is measured or counted, not asserted."""
    return not clause.numeric or clause.kind in _OBSERVABLE


def answer_to(clause: Clause, word: str) -> WordMeaning | None:
    """What an observed word means for a clause; `None` if the sheet does not know the word."""
    if word in clause.answers:
        return clause.answers[word]
    if not answered_by_looking(clause):
        return None
    if word in (WordMeaning.YES, WordMeaning.NO):
        return WordMeaning(word)
    unused = word == ABSENT and clause.force is Force.MAY and not clause.binding
    return WordMeaning.NOT_APPLICABLE if unused else None


def words_for(clause: Clause) -> tuple[str, ...]:
    """The words that answer a clause."""
    words = ("yes", "no", *clause.answers) if answered_by_looking(clause) else tuple(clause.answers)
    return (*words, ABSENT) if answer_to(clause, ABSENT) and ABSENT not in words else words


def words_to_choose(clause: Clause) -> tuple[str, ...]:
    """The answers that a person is offered; words that leave it open are for programs."""
    meant = {word: answer_to(clause, word) for word in ("yes", "no", ABSENT)}
    return tuple(word for word, meaning in meant.items() if meaning not in (None, WordMeaning.UNDECIDED))


def limits_as_asked(clause: Clause) -> str:
    """The requirement in the unit in which a value is asked for, with the print behind it where that is another."""
    other = clause.unit is not None and clause.unit.symbol != clause.unit.base
    return f"{in_base_unit(clause.bounds)} ({clause.printed})" if other else clause.printed


def in_base_unit(bounds: Bounds) -> str:
    """The requirement in the unit in which a bare number is taken: `≤ 41.3 mm` where the text prints 4.13 cm."""
    parts = (bounds.nominal, bounds.tolerance, bounds.lower, bounds.upper)
    return as_printed(Bounds(*(part.to(part.unit.base) if part else None for part in parts)))


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
