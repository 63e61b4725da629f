"""Paths and days that commands take."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.errors import UsageError

PATH: Final = click.Path(path_type=Path)
FILE: Final = click.Path(path_type=Path, dir_okay=False)
FOLDER: Final = click.Path(path_type=Path, file_okay=False)


class Day(click.DateTime):
    """A day as 2026-11-03; what is none is refused in words instead of by a pattern."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The day's beginning."""
        try:
            return datetime.fromisoformat(str(super().convert(value, param, ctx)))
        except click.BadParameter:
            where = param.opts[0] if param else ""
            raise UsageError("not-a-day", where=where, text=str(value)[:40]) from None


DAY: Final = Day()
