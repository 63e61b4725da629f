"""The tables of the sampling standards as printed, from `specs/sampling/`."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from inspect_kit.errors import UsageError
from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml

MIN_LOT: Final = 2
"""Pieces of the smallest lot that the tables know."""
MAX_LOT: Final = 10**12
"""Pieces of the largest lot that is believed; chosen."""


@cache
def printed(standard: str) -> Mapping[str, str]:
    """A standard's tables by name, each a text of rows."""
    return {name: str(text) for name, text in read_toml(shipped("specs") / "sampling" / f"{standard}.toml").items()}


@cache
def aqls(standard: str) -> tuple[str, ...]:
    """Its series of acceptable quality levels, a column each."""
    return tuple(printed(standard)["aqls"].split())


@cache
def rows_of(standard: str, table: str) -> tuple[tuple[str, ...], ...]:
    """A table's rows in cells."""
    return tuple(tuple(line.split()) for line in printed(standard)[table].splitlines())


@cache
def levels_of(standard: str) -> tuple[str, ...]:
    """The inspection levels of its table of code letters."""
    return rows_of(standard, "letters")[0][2:]


def letter_of(standard: str, lot: int, level: str) -> str:
    """The sample size code letter for a lot, at a level of the table."""
    if not MIN_LOT <= lot <= MAX_LOT:
        raise UsageError("lot-too-small", min_lot=MIN_LOT, lot=lot)
    row = next(line for line in rows_of(standard, "letters")[1:] if line[0] == "more" or lot <= int(line[0]))
    return row[1 + levels_of(standard).index(level)]
