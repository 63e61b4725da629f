"""The commands by name, each loaded only when it is called, so that the desk does not wait for what it does not use."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

import click

from inspect_kit import __version__
from inspect_kit.errors import BadSheet, InspectKitError

# The one border between what can go wrong inside and the sentence and exit code a person gets.

EXIT_USAGE = 2
EXIT_BAD_INPUT = 4
EXIT_INTERRUPTED = 130
PROGRAM = "inspect-kit"


def run(app: click.Group, arguments: Sequence[str] | None) -> int:
    """Run a command and give its exit code; no error leaves as a traceback."""
    try:
        code = app.main(args=arguments, prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as problem:
        click.echo(problem.format_message(), err=True)
        return EXIT_USAGE
    except click.UsageError as problem:
        where = problem.ctx.command_path if problem.ctx else PROGRAM
        return _say(f"{where}: {problem.format_message()} (see {where} --help)", EXIT_USAGE)
    except click.ClickException as problem:
        return _say(f"{PROGRAM}: {problem.format_message()}", EXIT_BAD_INPUT)
    except (click.Abort, KeyboardInterrupt):
        return _say("", EXIT_INTERRUPTED)
    except BadSheet as problem:
        return _say(str(problem), problem.exit_code)
    except InspectKitError as problem:
        return _say(f"{PROGRAM}: {problem}", problem.exit_code)
    except OSError as problem:
        return _system_trouble(problem)
    except Exception as problem:
        return _unforeseen(problem)
    return code if isinstance(code, int) else 0


def _say(sentence: str, code: int) -> int:
    click.echo(sentence, err=True)
    return code


def _system_trouble(problem: OSError) -> int:
    if problem.errno == errno.EPIPE:
        # The reader went away (`| head`): nothing to say, and nothing more may be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    where = f"{problem.filename}: " if problem.filename else ""
    return _say(f"{PROGRAM}: {where}{problem.strerror or problem}", EXIT_BAD_INPUT)


def _unforeseen(problem: Exception) -> int:
    """A fault of ours: one sentence, and the whole story only for those who ask for it."""
    if os.environ.get("INSPECT_KIT_DEBUG"):
        traceback.print_exception(problem)
    text = " ".join(str(problem).split())[:200]
    return _say(
        f"{PROGRAM}: a fault in the program, {type(problem).__name__}: {text} (set INSPECT_KIT_DEBUG=1 to see more)",
        EXIT_BAD_INPUT,
    )


_COMMANDS: Final = {
    "batch": "inspect_kit.cli.batch",
    "camera": "inspect_kit.cli.camera",
    "certify": "inspect_kit.cli.certify",
    "demo": "inspect_kit.cli.demo",
    "dice": "inspect_kit.cli.dice_log",
    "inspect": "inspect_kit.cli.inspect",
    "instruments": "inspect_kit.cli.instruments.commands",
    "judge": "inspect_kit.cli.judge",
    "keys": "inspect_kit.cli.keys",
    "label": "inspect_kit.cli.label",
    "measure": "inspect_kit.cli.measuring",
    "qa": "inspect_kit.cli.qa.group",
    "read": "inspect_kit.cli.instruments.read",
    "registry": "inspect_kit.cli.registry",
    "specs": "inspect_kit.cli.specs",
    "station": "inspect_kit.cli.station",
    "target": "inspect_kit.cli.target",
    "verify": "inspect_kit.cli.verify",
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
