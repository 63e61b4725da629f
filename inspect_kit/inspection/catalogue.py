"""Which characteristics there are beyond the sheet in use, so that one measurement file serves several sheets."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from inspect_kit.places import shipped
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.tomlfile import read_toml

COLOUR: Final = "fig.base.colour"
WORD: Final = "word"


def needed_by(sheet: Sheet) -> Mapping[str, str]:
    """The characteristics a sheet asks for or needs for its formulas and conditions, each with its base unit."""
    found: dict[str, str] = {}
    for clause in sheet.clauses:
        found[clause.characteristic] = clause.unit.base if clause.unit else WORD
        if clause.when is not None:
            found.setdefault(clause.when.characteristic, WORD)
    for choice in sheet.choices:
        found.setdefault(choice.characteristic, WORD)
    for derived in sheet.derived:
        for name in derived.formula.names:
            found.setdefault(name, measured_names().get(name, ""))
    return found


@cache
def measured_names() -> Mapping[str, str]:
    """What the program can measure that no clause asks for by name."""
    data = read_toml(shipped("specs") / "measured" / "names.toml")
    return {name: str(unit) for name, unit in data.items()}


@cache
def all_names() -> Mapping[str, str]:
    """Every characteristic of every shipped sheet, and what is measured besides."""
    names = dict(measured_names())
    for sheet_id in sheet_ids():
        names.update((name, unit) for name, unit in needed_by(load(sheet_id)).items() if unit or name not in names)
    return names


def named_instances(sheet: Sheet) -> Mapping[str, tuple[str, ...]]:
    """The places that a sheet knows by name, of what it asks for and of what it works out others from."""
    asked = {c.characteristic: c.instances.names for c in sheet.clauses if c.instances.names}
    single = {name: places for entry in sheet.derived for name, places in entry.formula.instances.items()}
    return {**single, **asked}
