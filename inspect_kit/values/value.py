"""A value with its uncertainty budget, as whoever measures gives it: by source, and with what several values share."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

PRINT_SCALE: Final = "print scale"
KNOWN_LENGTH: Final = "known length"
LENS: Final = "lens"
REFERENCE_SIZE: Final = "size of the reference"
COMMON: Final = frozenset({PRINT_SCALE, KNOWN_LENGTH, REFERENCE_SIZE})
"""Sources that are one and the same relative error in every length of the same photos."""
_NOTHING: Final = 5e-6
"""In the value's unit: what files round to nothing is left out."""


@dataclass(frozen=True)
class Contribution:
    """One line of a budget: a standard uncertainty in the value's unit, with its sign, by the code of its source.

    Lines of several values with the same non-empty `shared` label are one and the same error.
    """

    source: str
    standard: float
    shared: str = ""


@dataclass(frozen=True)
class Value:
    """A number in its unit with its budget, largest contribution first."""

    value: float
    budget: tuple[Contribution, ...]
    unit: str = "mm"

    @property
    def standard(self) -> float:
        """u, the root of the sum of squares."""
        return math.sqrt(math.fsum(part.standard**2 for part in self.budget))

    def part(self, source: str) -> float:
        """What one source contributes, all its lines together."""
        return math.sqrt(math.fsum(part.standard**2 for part in self.budget if part.source == source))


def contributions(parts: Mapping[str, float] | Iterable[tuple[str, float]]) -> tuple[Contribution, ...]:
    """Named contributions as a budget; those of a common source carry it as their label."""
    pairs = parts.items() if isinstance(parts, Mapping) else parts
    return ordered(Contribution(source, size, source if source in COMMON else "") for source, size in pairs)


def ordered(parts: Iterable[Contribution]) -> tuple[Contribution, ...]:
    """Largest first; what is nothing is left out."""
    kept = (part for part in parts if abs(part.standard) > _NOTHING)
    return tuple(sorted(kept, key=lambda part: -abs(part.standard)))


def value_of(number: float, parts: Mapping[str, float] | Iterable[tuple[str, float]], unit: str = "mm") -> Value:
    """A value with named contributions."""
    return Value(number, contributions(parts), unit)
