"""Readings for statistics, kept as exact differences from one of them; and numbers as people give them to a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Final

import numpy as np
from numpy.typing import NDArray

from inspect_kit.errors import UsageError, nearest
from inspect_kit.rulebook.clause import Clause
from inspect_kit.rulebook.library import load
from inspect_kit.values.limits import Limits, limits_from
from inspect_kit.values.quantity import UNITS, parse_number, parse_quantity

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
    def of(cls, values: Sequence[Decimal | str]) -> Sample:
        """Readings as numbers or as the digits that were written, seen from the first; equal ones are taken once."""
        offsets = np.empty(len(values))
        with localcontext(_EXACT):
            origin = Decimal(values[0])
            for start in range(0, len(values), _CHUNK):
                part = values[start : start + _CHUNK]
                known = {value: float(Decimal(value) - origin) for value in set(part)}
                offsets[start : start + len(part)] = [known[value] for value in part]
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


# Numbers and limits as people give them to a study: with or without unit, or taken from a sheet.


_BARE: Final = UNITS["count"]
"""Stands for "no unit": its factor is 1."""


def typed_number(text: str | None, option: str) -> Decimal | None:
    """A number, with or without unit, in base units."""
    if text is None:
        return None
    with UsageError.located(option):
        return parse_quantity(text, _BARE).in_base


def plain_number(text: str, option: str) -> Decimal:
    """A number that has no unit."""
    with UsageError.located(option):
        return parse_number(text)


def positive_number(text: str | None, option: str) -> float | None:
    """A number above 0."""
    value = typed_number(text, option)
    if value is not None and value <= 0:
        raise UsageError("number-above-0-not", option=option, value=value)
    return None if value is None else float(value)


def limits_given(params: Mapping[str, str | None]) -> Limits | None:
    """The limits from `--lower` and `--upper`, or from `--spec` and `--characteristic`."""
    lower, upper = typed_number(params["lower"], "--lower"), typed_number(params["upper"], "--upper")
    spec = params.get("spec")
    if spec is not None:
        if lower is not None or upper is not None:
            raise UsageError("give-limits-either-numbers-spec")
        return _limits_of_sheet(spec, params["characteristic"], params["item"])
    if lower is not None and upper is not None and lower >= upper:
        raise UsageError("lower-limit-not-below-upper", lower=lower, upper=upper)
    return limits_from(lower, upper)


def _limits_of_sheet(spec: str, characteristic: str | None, item: str | None) -> Limits:
    if not characteristic:
        raise UsageError("spec-needs-characteristic")
    sheet = load(spec)
    clauses = sheet.clauses_of(sheet.item(item).id) if item else sheet.clauses
    found = [clause for clause in clauses if clause.characteristic == characteristic]
    if not found:
        names = [clause.characteristic for clause in clauses]
        raise UsageError(
            "sheet-no-clause", hint=nearest(characteristic, names), sheet=sheet.id, characteristic=characteristic[:40]
        )
    return _one_pair(found, characteristic)


def _one_pair(clauses: list[Clause], characteristic: str) -> Limits:
    limits = {clause.limits for clause in clauses if clause.limits is not None}
    if len(limits) == 1:
        return limits.pop()
    if limits:
        items = ", ".join(clause.item for clause in clauses)
        raise UsageError("different-limits", characteristic=characteristic, items=items)
    raise UsageError("sheet-prints-no-limits", characteristic=characteristic)
