"""Paths and days that commands take, and several options as one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from inspect_kit.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])

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


def day_option(name: str, help: str, **more: Any) -> Callable[[Command], Command]:  # noqa: A002  as click calls it
    """An option that takes a day."""
    return click.option(name, type=DAY, metavar="YYYY-MM-DD", help=help, **more)


def stacked(*options: Callable[..., Any]) -> Callable[[Command], Command]:
    """Several options as one, listed by help in this order."""

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated
