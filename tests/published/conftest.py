"""Published figures by their id, from the JSON files beside this one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Vector:
    """One published example: what goes in, what must come out, and how closely."""

    id: str
    source: str
    inputs: dict[str, Any]
    expected: dict[str, Any]
    tolerance: dict[str, Any]

    def agrees(self, name: str, got: float | Decimal) -> bool:
        return self.close(self.expected[name], got, name)

    def close(self, expected: Decimal, got: float | Decimal, name: str = "*") -> bool:
        allowed = self.tolerance.get(name) or self.tolerance["*"]
        within = allowed["abs"] if "abs" in allowed else allowed["rel"] * abs(expected)
        return bool(abs(Decimal(got) - expected) <= within)


def _vectors() -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    for path in sorted(Path(__file__).parent.glob("*.json")):
        # Decimals, so that a published 0.12 enters as 0.12.
        document = json.loads(path.read_text("utf-8"), parse_float=Decimal, parse_int=Decimal)
        for entry in document.get("vectors", ()) if isinstance(document, dict) else ():
            fields = (entry[key] for key in ("id", "source", "inputs", "expected", "tolerance"))
            assert entry["id"] not in found, f"{entry['id']} is there twice"
            found[entry["id"]] = Vector(*fields)
    return found


@pytest.fixture(scope="session")
def published() -> Callable[[str], Vector]:
    return _vectors().__getitem__
