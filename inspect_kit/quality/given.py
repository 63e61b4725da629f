"""Numbers and limits as people give them to a study: with or without unit, or taken from a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from inspect_kit.errors import UsageError, nearest
from inspect_kit.rulebook.clause import Clause
from inspect_kit.rulebook.library import load
from inspect_kit.values.limits import Limits, limits_from
from inspect_kit.values.quantity import UNITS, parse_number, parse_quantity

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
