"""What commands say: the language of whoever sits at the terminal, and one JSON document, or lines for people."""

import gettext
import locale
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Final

import click

from inspect_kit.errors import ENGLISH, LANGUAGES, in_figures_of, notice, sentence
from inspect_kit.places import shipped

VARIABLE: Final = "INSPECT_KIT_LANG"
_OPTION: Final = "--lang"
_SYSTEM: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Where POSIX systems keep it; Windows answers by itself."""
_CATALOGUE: Final = "click"
"""The sentences of the library that reads the command line, in `reports/wording/<language>/LC_MESSAGES`."""
_LANG: Final = ContextVar("lang", default=ENGLISH)
"""The language in which the command that runs speaks."""


def terminal_language(arguments: Sequence[str] = ()) -> str:
    """The language in which this person is told what went wrong: `--lang`, INSPECT_KIT_LANG, else the system's own."""
    wishes = (_asked_for(arguments), os.environ.get(VARIABLE, ""), *map(os.environ.get, _SYSTEM), _windows())
    known = (wish[:2].lower() for wish in wishes if wish)
    # The first wish counts, even where nobody has worded it: English then.
    return next((wish if wish in LANGUAGES else ENGLISH for wish in known), ENGLISH)


def _asked_for(arguments: Sequence[str]) -> str:
    for index, argument in enumerate(arguments):
        if argument == _OPTION:
            return next(iter(arguments[index + 1 :]), "")
        if argument.startswith(f"{_OPTION}="):
            return argument.partition("=")[2]
    return ""


def _windows() -> str:
    with suppress(ValueError, AttributeError):
        return (locale.getlocale()[0] or "") if os.name == "nt" else ""
    return ""


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak that language, and let the library that reads the command line do so too, by its own means."""
    before = os.environ.get("LANGUAGE")
    gettext.bindtextdomain(_CATALOGUE, str(shipped("reports") / "wording"))
    gettext.textdomain(_CATALOGUE)
    os.environ["LANGUAGE"] = language
    lang_before = _LANG.set(language)
    try:
        yield
    finally:
        _LANG.reset(lang_before)
        os.environ.pop("LANGUAGE")
        if before is not None:
            os.environ["LANGUAGE"] = before


def lang() -> str:
    """The language of the person whose command runs."""
    return _LANG.get()


def said(code: str, /, **facts: object) -> str:
    """A notice in words, in that person's language."""
    return sentence(notice(code, **facts), lang())


def said_of(section: str, key: str) -> str:
    """A word that scripts know, such as a state, in that person's language; in English as scripts know it."""
    return key if lang() == ENGLISH else said(f"{section}-{key}")


def in_figures(quantity: object) -> str:
    """A quantity with that person's decimal sign."""
    return in_figures_of(lang(), str(quantity))


def percent(share: float) -> str:
    """A share in hundredths; only English writes the sign without a space."""
    return f"{share:.0%}" if lang() == ENGLISH else f"{100 * share:.0f}\u00a0%"


# One JSON document, or lines for people.

EXIT_CODES: Final = {"conforms": 0, "fails": 1, "undecided": 3}
"""What a verdict over an item leaves the command with."""
_COLOURS: Final = {"conforms": "green", "fails": "red", "undecided": "yellow"}


def wants_json() -> bool:
    """Whether the command was asked for the document that scripts read."""
    return bool(click.get_current_context().meta.get("as_json"))


def print_result(data: object, *lines: str) -> None:
    """On standard output: one document for scripts if `--json` asks for it, else the same in lines for people."""
    if wants_json():
        import json

        lines = (json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False),)
    for line in lines:
        click.echo(line)


def styled(verdict: str, text: str) -> str:
    """The verdict's colour, for those who see it; the words say the same."""
    colour = _COLOURS.get(verdict)
    return click.style(text, fg=colour, bold=verdict == "fails") if colour else text


def warn(*sentences: str) -> None:
    """Hints that are not errors, on standard error."""
    for each in sentences:
        click.echo(f"{said('warning')}: {each}", err=True)


def columns(rows: Iterable[tuple[str, ...]], gap: str = "  ") -> Iterable[str]:
    """Rows of cells as aligned lines."""
    table = list(rows)
    widths = [max(len(click.unstyle(cell)) for cell in column) for column in zip(*table, strict=True)]
    for row in table:
        cells = (cell + " " * (width - len(click.unstyle(cell))) for cell, width in zip(row, widths, strict=True))
        yield gap.join(cells).rstrip()


def within(rows: Iterable[tuple[str, ...]], width: int, gap: int = 2) -> list[tuple[str, ...]]:
    """Rows of which the last two columns are cut so that every line fits the width."""
    table = list(rows)
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    room = max(width - sum(widths[:-2]) - gap * (len(widths) - 1), 12)
    last = min(widths[-1], max(room // 2, room - widths[-2]))
    return [(*row[:-2], _cut(row[-2], room - last), _cut(row[-1], last)) for row in table]


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - 1, 1)].rstrip() + "…"
