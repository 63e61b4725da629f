"""Groups that know their commands' names and one-line help, and import a command only when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from gettext import gettext
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from inspect_kit.cli.spoken_help import HelpContext, sentence_in, with_spoken_help
from inspect_kit.cli.terminal import lang

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Lazy(NamedTuple):
    """Where in this room a command is, and what the list of commands says of it (the first sentence of its help)."""

    place: str
    help: str

    def load(self) -> click.Command:
        """The command itself; this imports what it needs."""
        module, _, name = self.place.partition(":")
        command: click.Command = getattr(import_module(f"inspect_kit.cli.{module}"), name or "command")
        return with_spoken_help(command)


class LazyGroup(click.Group):
    """A group whose listed commands are imported when they are called, not when they are listed."""

    context_class = HelpContext

    def __init__(self, *args: Any, lazy: Mapping[str, Lazy], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted."""
        return sorted({*super().list_commands(ctx), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        return self.lazy[cmd_name].load() if cmd_name in self.lazy else super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, of which none is imported for it."""
        rows = [(name, self._listed(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section(gettext("Commands")):
            formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names for the Tab key, of which none is imported for it."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=self._listed(ctx, name)) for name in names]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def _listed(self, ctx: click.Context, name: str) -> str:
        if name in self.lazy:
            return sentence_in(self.lazy[name].help, lang())
        command = super().get_command(ctx, name)
        return command.get_short_help_str(limit=100) if command else ""
