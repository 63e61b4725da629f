"""Readings for statistics: kept as exact differences from one of them, so that no digit drowns in a large mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_EXACT: Final = Context(prec=80)
"""Decimal digits of differences: so many that none is rounded."""


@dataclass(frozen=True)
class Sample:
    """Readings as `origin + offsets`.

    The differences are taken in decimal: 10000000.2 − 10000000.1 is 0.1 to all digits, which it is not in binary.
    """

    origin: Decimal
    offsets: Floats

    @classmethod
    def of(cls, values: Sequence[Decimal]) -> Sample:
        """The readings with the first one as origin."""
        with localcontext(_EXACT):
            origin = values[0]
            return cls(origin, np.array([float(value - origin) for value in values]))

    @classmethod
    def of_texts(cls, values: Sequence[str]) -> Sample:
        """The same from the digits as they were written, one at a time: a million numbers need no million objects."""
        with localcontext(_EXACT):
            origin = Decimal(values[0])
            offsets = np.fromiter((float(Decimal(value) - origin) for value in values), np.float64, len(values))
            return cls(origin, offsets)

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def mean(self) -> float:
        """The arithmetic mean."""
        return self.absolute(float(self.offsets.mean()))

    @property
    def deviation(self) -> float:
        """The standard deviation s with n − 1."""
        return float(self.offsets.std(ddof=1))

    @property
    def values(self) -> Floats:
        """The readings themselves."""
        return float(self.origin) + self.offsets

    def absolute(self, offset: float) -> float:
        """A place on the readings' own scale."""
        with localcontext(_EXACT):
            return float(self.origin + Decimal(offset))

    def offset(self, value: Decimal | float) -> float:
        """Where a limit lies, seen from the origin."""
        with localcontext(_EXACT):
            return float(Decimal(value) - self.origin)


def as_sample(values: Sequence[float | Decimal]) -> Sample:
    """Numbers as readings; floats are taken by their shortest decimal, the way they were typed."""
    return Sample.of([value if isinstance(value, Decimal) else Decimal(repr(float(value))) for value in values])
