"""Groups that import a command only when it is called, and `--help` in the language of the terminal."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Mapping
from copy import copy
from functools import cache
from gettext import gettext
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from inspect_kit.cli.terminal import lang
from inspect_kit.errors import ENGLISH
from inspect_kit.places import shipped

Words = Mapping[str, str]

_PARAGRAPHS: Final = re.compile(r"\n\s*\n")
_VERBATIM: Final = "\b"
"""What click does not wrap begins with it: examples."""
_EXAMPLE: Final = "Example:"
_TOKEN: Final = re.compile(r"[A-Z]{2,}")
_SENTENCE: Final = re.compile(r".+?[.?](?=\s|$)")


class HelpContext(click.Context):
    """A command as it is called, whose help is in the language of the terminal."""

    def get_help(self) -> str:
        """The page of help."""
        return spoken(self.command, lang()).get_help(self)


def with_spoken_help(command: click.Command) -> click.Command:
    """Let a command, and all below it, be helped with in the language of the terminal."""
    command.context_class = HelpContext
    if isinstance(command, click.Group):
        for each in command.commands.values():
            with_spoken_help(each)
    return command


def spoken(command: click.Command, language: str) -> click.Command:
    """A copy of the command that helps in a language."""
    told = copy(command)
    # click keeps the option --help as it was worded when somebody first asked for it.
    told.__dict__["_help_option"] = None
    if language == ENGLISH:
        return told
    told.help = _with_names(help_in(command.help or "", language), command, language)
    told.short_help = _first_sentence(told.help)
    told.params = [spoken_parameter(each, language) for each in command.params]
    told.options_metavar = _placeholder(command.options_metavar or "", language)
    if isinstance(told, click.Group):
        told.subcommand_metavar = _placeholder(told.subcommand_metavar or "", language)
        told.commands = {name: spoken(each, language) for name, each in told.commands.items()}
    return told


def spoken_parameter(parameter: click.Parameter, language: str) -> click.Parameter:
    """A copy of an argument or option that calls what is to be typed by its name in a language."""
    told = copy(parameter)
    if not isinstance(parameter, click.Option) or not isinstance(told, click.Option):
        told.metavar = _placeholder(_name_of(parameter), language)
        return told
    told.help = sentence_in(parameter.help or "", language)
    if isinstance(parameter.show_default, str):
        told.show_default = sentence_in(parameter.show_default, language)
    named = parameter.metavar or ("" if parameter.is_flag or parameter.count else parameter.type.name.upper())
    if named in _words(language, "placeholder") or parameter.metavar:
        told.metavar = _placeholder(named, language)
    return told


def _name_of(argument: click.Parameter) -> str:
    """An argument as a call shows it: `[FILES]...`."""
    name = argument.human_readable_name
    if argument.metavar:
        return name
    return (name if argument.required else f"[{name}]") + ("" if argument.nargs == 1 else "...")


def _with_names(text: str, command: click.Command, language: str) -> str:
    """A command's text, with its arguments named as in its call."""
    names = {each.human_readable_name for each in command.params if isinstance(each, click.Argument)}
    return _TOKEN.sub(lambda found: _placeholder(found[0], language) if found[0] in names else found[0], text)


def help_in(text: str, language: str) -> str:
    """A command's own text, paragraph by paragraph; its examples are the same everywhere."""
    return "\n\n".join(_paragraph(each, language) for each in _PARAGRAPHS.split(inspect.cleandoc(text)))


def _first_sentence(text: str) -> str:
    """What a list of commands says of one."""
    found = _SENTENCE.match(text)
    return found[0] if found else text


def paragraphs(text: str) -> list[str]:
    """What of a command's text is to be worded."""
    split = _PARAGRAPHS.split(inspect.cleandoc(text))
    return [" ".join(each.split()) for each in split if each and not each.startswith(_VERBATIM)]


def _paragraph(text: str, language: str) -> str:
    if text.startswith(_VERBATIM):
        return text.replace(_EXAMPLE, sentence_in(_EXAMPLE, language))
    return sentence_in(" ".join(text.split()), language)


def sentence_in(text: str, language: str) -> str:
    """A text of help; after a colon there may be a list of names, which are the same everywhere."""
    words, plain = _words(language, "help"), " ".join(text.split())
    head, colon, names = plain.partition(": ")
    return words.get(plain) or (f"{words[head]}{colon}{names}" if head in words else text)


def _placeholder(name: str, language: str) -> str:
    words = _words(language, "placeholder")
    return words.get(name) or _TOKEN.sub(lambda found: words.get(found[0], found[0]), name)


def _words(language: str, section: str) -> Words:
    return {} if language == ENGLISH else _wording(language)[section]


@cache
def _wording(language: str) -> Mapping[str, Words]:
    file = shipped("reports") / "wording" / language / "help.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


# Groups that know their commands' names and one-line help, and import a command only when it is called.


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
