"""The one border between what can go wrong inside and the sentence and exit code a person gets."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence

import click

from inspect_kit.errors import BadSheet, InspectKitError

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
