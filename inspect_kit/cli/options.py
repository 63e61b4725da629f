"""Options that many commands share: paths, days, JSON, languages, the home; and several options as one."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from inspect_kit.cli.terminal import lang
from inspect_kit.errors import LANGUAGES, UsageError
from inspect_kit.places import home_at

Command = TypeVar("Command", bound=Callable[..., Any])
Given = Mapping[str, Any]
"""What was typed, by option."""

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


def day_option(name: str, help: str, **more: Any) -> Callable[[Command], Command]:  # noqa: A002  as click calls it
    """An option that takes a day."""
    return click.option(name, type=Day(), metavar="YYYY-MM-DD", help=help, **more)


def stacked(*options: Callable[..., Any]) -> Callable[[Command], Command]:
    """Several options as one, listed by help in this order."""

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def _kept_for_printing(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    """No command asks whether JSON is wanted; what prints does."""
    ctx.meta[str(parameter.name)] = value


json_option = click.option("--json", "as_json", is_flag=True, expose_value=False, callback=_kept_for_printing,
                           help="One JSON document on standard output.")  # fmt: skip
language_option = click.option("--lang", "language", type=click.Choice(LANGUAGES), default=lang,
                               show_default="the terminal's", help="Language of the words.")  # fmt: skip
document_language_option = click.option("--lang", "language", type=click.Choice(LANGUAGES), default="en",
                                        show_default=True, help="Language of the document.")  # fmt: skip
plot_option = click.option("--plot", type=PATH, metavar="OUT.svg|png|pdf", help="Draw what was computed.")
signer_option = click.option("--signer", default="", help="Whose key signs, where there are several.")


def home_folder() -> Path:
    """Where the user's own instruments, keys and embedded registry live."""
    return home_at(click.get_current_context().find_root().obj)


def own_instruments() -> Path:
    """The folder of the user's own instrument sheets."""
    return home_folder() / "instruments"
