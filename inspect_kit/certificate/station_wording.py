"""What the check-in desk says in each language: `reports/wording/<language>/station.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml


@cache
def station_words(language: str) -> Mapping[str, str]:
    """Every text by section and key: `desk.player`."""
    tables = read_toml(shipped("reports") / "wording" / language / "station.toml")
    return {
        f"{section}.{key}": str(text)
        for section, table in tables.items()
        if isinstance(table, dict)
        for key, text in table.items()
    }
