"""The commands by name, each loaded only when it is called, so that the desk does not wait for what it does not use."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

import click

from inspect_kit import __version__
from inspect_kit.cli.border import run

_COMMANDS: Final = {
    "batch": "inspect_kit.cli.batching",
    "camera": "inspect_kit.cli.camera",
    "certify": "inspect_kit.cli.certifying",
    "demo": "inspect_kit.cli.demonstration",
    "dice": "inspect_kit.cli.rolls",
    "inspect": "inspect_kit.cli.guided",
    "instruments": "inspect_kit.cli.instruments",
    "judge": "inspect_kit.cli.judging",
    "keys": "inspect_kit.cli.keyring",
    "label": "inspect_kit.cli.labelling",
    "measure": "inspect_kit.cli.measuring",
    "qa": "inspect_kit.cli.quality",
    "read": "inspect_kit.cli.reading",
    "registry": "inspect_kit.cli.registering",
    "specs": "inspect_kit.cli.sheets",
    "station": "inspect_kit.cli.stationing",
    "target": "inspect_kit.cli.targets",
    "verify": "inspect_kit.cli.verification",
}


class _Commands(click.Group):
    """A group that imports a command's module when it is asked for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`--home` holds for all commands, so it may stand before or behind the command's name."""
        return super().parse_args(ctx, _home_first(args))

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name]).command
        return command


def _home_first(arguments: list[str]) -> list[str]:
    """The arguments with `--home DIR` brought to the front; what follows `--` is left alone."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for index, argument in enumerate(arguments[:end]):
        width = 2 if argument == "--home" else 1 if argument.startswith("--home=") else 0
        if width:
            found = arguments[index : index + width]
            return [*found, *arguments[:index], *arguments[index + width :]]
    return arguments


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="inspect-kit")
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="INSPECT_KIT_HOME",
    help="Where your own instruments live (default: the user's data directory).",
)
@click.pass_context
def app(ctx: click.Context, home: Path | None) -> None:
    """Check table sports equipment against a federation's rules, from a reading to a certificate.

    \b
    Example:
      inspect-kit judge striker.csv --spec icf-2001-it --item striker
      inspect-kit certify striker.csv --spec icf-2001-it --item striker --subject "Striker 7" -o striker.pdf
    """
    ctx.obj = home


def main(arguments: Sequence[str] | None = None) -> None:
    """Where `inspect-kit` starts."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(run(app, arguments))
