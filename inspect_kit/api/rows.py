"""Rows of any origin as plain text: dicts, columns, or a data frame by its columns, without knowing its library."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeGuard

from inspect_kit.errors import UsageError

Paths = str | os.PathLike[str]


def is_path(what: object) -> TypeGuard[Paths]:
    """Whether it names a file."""
    return isinstance(what, str | os.PathLike)


def rows_of(what: Any) -> Iterator[dict[str, str]]:
    """One dict of texts a row; a value that is missing (`None`, NaN) is empty."""
    if hasattr(what, "columns") or isinstance(what, Mapping):
        names = list(what.columns if hasattr(what, "columns") else what)
        columns = [list(what[name]) for name in names]
        for cells in zip(*columns, strict=True):
            yield {str(name): as_text(cell) for name, cell in zip(names, cells, strict=True)}
        return
    for row in what:
        if not isinstance(row, Mapping):
            raise UsageError("rows-not-dicts", name=type(row).__name__)
        yield {str(name): as_text(cell) for name, cell in row.items()}


def as_text(cell: Any) -> str:
    """A cell as it would stand in a file; numbers keep the digits that they show."""
    if cell is None or cell != cell:  # noqa: PLR0124  NaN is what differs from itself
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, str | int | Decimal):
        return str(cell)
    try:
        return f"{Decimal(str(float(cell))):f}"
    except (TypeError, ValueError):
        return str(cell)


def paths_of(what: Paths | Iterable[Paths]) -> tuple[Path, ...]:
    """One path or several."""
    if isinstance(what, str | os.PathLike):
        return (Path(what),)
    return tuple(Path(each) for each in what)
