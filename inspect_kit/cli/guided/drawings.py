"""Where to measure, drawn with letters: `reports/layout/drawings.toml`."""

from __future__ import annotations

from functools import cache
from typing import Any

from inspect_kit.inspection.catalogue import WORD
from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml


def drawing_of(characteristic: str, unit: str) -> str:
    """By how it is measured where that tells most, else by the thing."""
    shown, otherwise = _drawings(), "eye" if unit == WORD else "rule"
    name = "scale" if unit == "g" else shown["thing"].get(characteristic.partition(".")[0], otherwise)
    return str(shown["drawing"][name]).strip("\n")


@cache
def _drawings() -> dict[str, Any]:
    return read_toml(shipped("reports") / "layout" / "drawings.toml")
