"""The package as it is written, for tests that read its source: parsed and walked once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import inspect_kit

PACKAGE: Final = Path(inspect_kit.__file__).parent


class Call(NamedTuple):
    """A call of something by its last name."""

    path: str
    name: str
    node: ast.Call


@cache
def trees() -> dict[str, ast.Module]:
    """Every module by its path from the package."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def calls() -> tuple[Call, ...]:
    """Every call in the package."""
    nodes = ((path, node) for path, tree in trees().items() for node in ast.walk(tree) if isinstance(node, ast.Call))
    return tuple(Call(path, called(node), node) for path, node in nodes)


def called(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
