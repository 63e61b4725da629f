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
_CHUNK: Final = 50_000
"""Readings taken at a time: a million different ones need no million objects."""


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
        """The same from the digits as they were written: readings of a display repeat, and each is taken once."""
        offsets = np.empty(len(values))
        with localcontext(_EXACT):
            origin = Decimal(values[0])
            for start in range(0, len(values), _CHUNK):
                part = values[start : start + _CHUNK]
                known = {text: float(Decimal(text) - origin) for text in set(part)}
                offsets[start : start + len(part)] = np.fromiter(map(known.__getitem__, part), np.float64, len(part))
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
