"""What the `qa` commands share: the drawing, limits typed by hand or taken from a sheet, and numbers that are typed."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Final

import click

from inspect_kit.cli.language import heard, said
from inspect_kit.cli.output import write_whole
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.nearest import nearest
from inspect_kit.quality.drawing import USUAL_SIZE, Draw, format_of, rendered
from inspect_kit.quality.table import Table, lengthened, read_table
from inspect_kit.rulebook.clause import Clause
from inspect_kit.rulebook.library import load
from inspect_kit.values.limits import Limits, limits_from
from inspect_kit.values.quantity import UNITS, parse_number, parse_quantity

file_argument = click.argument("file", type=click.Path(path_type=Path))
_BARE: Final = UNITS["count"]
"""Stands for "no unit": its factor is 1."""


def plot_target(ctx: click.Context) -> Path | None:
    """Where to draw: the command's own `--plot`, or the one before the command's name."""
    outer = ctx.parent.params.get("plot") if ctx.parent else None
    path = ctx.params.get("plot") or outer
    if path is not None:
        format_of(path)
    return path


def save_plot(path: Path | None, draw: Draw, size: tuple[float, float] = USUAL_SIZE) -> None:
    """Write the drawing, if one is wanted."""
    if path is not None:
        write_whole(path, rendered(draw, format_of(path), size, heard()))
        click.echo(said("drawn", file=path), err=True)


def typed_number(text: str | None, option: str) -> Decimal | None:
    """A number from the command line, with or without unit, in base units."""
    if text is None:
        return None
    try:
        return parse_quantity(text, _BARE).in_base
    except BadInput as problem:
        raise UsageError.of(problem.fault, where=option) from None


def plain_number(text: str, option: str) -> Decimal:
    """A number that has no unit."""
    try:
        return parse_number(text)
    except BadInput as problem:
        raise UsageError.of(problem.fault, where=option) from None


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


def table_of(path: Path, characteristic: str | None = None) -> Table:
    """The file's rows; of a file with several characteristics, those of the one that is asked for."""
    table = _chosen(lengthened(read_table(path), characteristic), path, characteristic)
    return table.measured("value") if table.has("value") else table


def _chosen(table: Table, path: Path, characteristic: str | None) -> Table:
    if not table.has("characteristic"):
        return table
    names = tuple(dict.fromkeys(table.texts("characteristic")))
    if characteristic is None and len(names) > 1:
        raise BadInput("several-characteristics", where=str(path), names=names[0])
    return table.where_is("characteristic", characteristic or names[0])
