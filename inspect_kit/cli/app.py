"""The commands by name, each loaded only when it is called, so that the desk does not wait for what it does not use."""

import errno
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from inspect_kit import __version__
from inspect_kit.cli.lazy import Lazy, LazyGroup
from inspect_kit.cli.options import FOLDER
from inspect_kit.cli.terminal import speaking, terminal_language
from inspect_kit.errors import ENGLISH, LANGUAGES, BadSheet, InspectKitError, notice, sentence, worded_fact

# The one border between what can go wrong inside and the sentence and exit code a person gets.

_COLLECTED: Final = 50_000
"""New objects after which Python looks for cycles; at its own 700 it does so a hundred times while a command loads."""
EXIT_USAGE = 2
"""Exit code: the command was called wrongly."""
EXIT_BAD_INPUT = 4
"""Exit code: what was given to the command cannot be used."""
EXIT_INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells give it: 128 and the signal's number, 2."""
PROGRAM = "inspect-kit"


def run(app: click.Group, arguments: Sequence[str] | None) -> int:
    """Run a command and give its exit code; no error leaves as a traceback, and each in the person's language."""
    language = terminal_language(sys.argv[1:] if arguments is None else arguments)
    with speaking(language):
        return _run(app, arguments, language)


def _run(app: click.Group, arguments: Sequence[str] | None, language: str) -> int:
    try:
        code = app.main(args=arguments, prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as problem:
        click.echo(problem.format_message(), err=True)
        return EXIT_USAGE
    except click.UsageError as problem:
        _name_as_in_help(problem, language)
        where = problem.ctx.command_path if problem.ctx else PROGRAM
        help_there = sentence(notice("see-help", command=f"{where} --help"), language)
        return _say(f"{where}: {problem.format_message()} ({help_there})", EXIT_USAGE)
    except click.ClickException as problem:
        return _say(f"{PROGRAM}: {problem.format_message()}", EXIT_BAD_INPUT)
    except (click.Abort, KeyboardInterrupt):
        return _say("", EXIT_INTERRUPTED)
    except BadSheet as problem:
        return _say(problem.said(language), problem.exit_code)
    except InspectKitError as problem:
        return _say(f"{PROGRAM}: {problem.said(language)}", problem.exit_code)
    except OSError as problem:
        return _system_trouble(problem, language)
    except Exception as problem:
        return _unforeseen(problem, language)
    return code if isinstance(code, int) else 0


def _name_as_in_help(problem: click.UsageError, language: str) -> None:
    """What is missing or wrong is called as the page of help calls it."""
    from inspect_kit.cli.lazy import spoken_parameter

    if isinstance(problem, click.BadParameter) and problem.param is not None and language != ENGLISH:
        problem.param = spoken_parameter(problem.param, language)


def _say(sentence: str, code: int) -> int:
    # A file's name or content must not steer the terminal: escape sequences are shown, not sent.
    plain = "".join(sign if sign.isprintable() or sign == "\n" else f"\\x{ord(sign):02x}" for sign in sentence)
    click.echo(plain, err=True)
    return code


def _system_trouble(problem: OSError, language: str) -> int:
    if problem.errno == errno.EPIPE:
        # The reader went away (`| head`): nothing to say, and nothing more may be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    where = f"{problem.filename}: " if problem.filename else ""
    return _say(f"{PROGRAM}: {where}{worded_fact(problem.strerror or str(problem), language)}", EXIT_BAD_INPUT)


def _unforeseen(problem: Exception, language: str) -> int:
    """A fault of ours: one sentence, and the whole story only for those who ask for it."""
    if os.environ.get("INSPECT_KIT_DEBUG"):
        import traceback

        traceback.print_exception(problem)
    text = " ".join(str(problem).split())[:200]
    told = notice("fault-in-program", kind=type(problem).__name__, text=text)
    return _say(f"{PROGRAM}: {sentence(told, language)}", EXIT_BAD_INPUT)


_COMMANDS: Final = {
    "batch": Lazy("batch", "Measure many photos."),
    "camera": Lazy("photo.camera", "Calibrate a camera with photos of the mat or the charuco sheet."),
    "certify": Lazy(
        "certify", "Judge measurements, register the result and issue a signed certificate with the record inside."
    ),
    "demo": Lazy(
        "certify:demo",
        "Inspect shipped examples and write their signed certificates: a striker, coins, a board, a figure, dice.",
    ),
    "dice": Lazy("photo.dice_log", "Read rolls of dice from photos."),
    "inspect": Lazy("guided.command", "Walk through an item clause by clause and write a measurement file."),
    "instruments": Lazy(
        "instruments.commands",
        "The desk's calipers and scales: which there are, what they say, and whether they can be trusted today.",
    ),
    "judge": Lazy("judge", "Judge measurements by a federation's sheet."),
    "keys": Lazy("trust.keys", "The keys that certificates are signed with, and those of the issuers you trust."),
    "label": Lazy(
        "trust.label", "Stickers for certified things, to be printed at 100 %: 62 × 29 mm, or A4 sheets of labels."
    ),
    "measure": Lazy("photo.measure", "Measure pieces in photos taken on a printed sheet, or on a plain one."),
    "qa": Lazy("qa.group", "Quality assurance for makers: is the process good enough, and are the gauges?"),
    "read": Lazy(
        "instruments.read", "One stable reading: from a scale or caliper on a port, or from the photo of a display."
    ),
    "registry": Lazy("trust.registry", "What was certified, and what became of it."),
    "serve": Lazy("serve", "The maker's service: a page with trends, and a JSON interface for other programs."),
    "specs": Lazy("specs", "The sheets: what each federation asks for, clause by clause."),
    "station": Lazy("station", "The check-in desk and the event, in the browser; without the internet."),
    "target": Lazy("photo.target", 'Reference sheets as PDF, to be printed at 100 % (no "fit to page").'),
    "verify": Lazy(
        "trust.verify", "Check a certificate: its signature, signer, record, registry, revocation and expiry."
    ),
}


class _Commands(LazyGroup):
    """All commands; `--home` holds for each of them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`--home` holds for all commands, so it may stand before or behind the command's name."""
        return super().parse_args(ctx, _home_first(args))


def _home_first(arguments: list[str]) -> list[str]:
    """The arguments with `--home DIR` brought to the front; what follows `--` is left alone."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for index, argument in enumerate(arguments[:end]):
        width = 2 if argument == "--home" else 1 if argument.startswith("--home=") else 0
        if width:
            found = arguments[index : index + width]
            return [*found, *arguments[:index], *arguments[index + width :]]
    return arguments


@click.group(
    cls=_Commands, lazy=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="inspect-kit")
@click.option("--home", type=FOLDER, envvar="INSPECT_KIT_HOME",
              help="Where your own instruments live (default: the user's data directory).")  # fmt: skip
@click.option("--lang", type=click.Choice(LANGUAGES), expose_value=False, help="Language of the words.")
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
    gc.set_threshold(_COLLECTED)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(run(app, arguments))
