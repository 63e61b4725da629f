"""The language of whoever sits at the terminal: what `--lang` says, else INSPECT_KIT_LANG, else the system's own."""

from __future__ import annotations

import gettext
import locale
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Final

from inspect_kit.notices import ENGLISH, LANGUAGES, in_figures_of, notice, sentence
from inspect_kit.places import shipped

VARIABLE: Final = "INSPECT_KIT_LANG"
_OPTION: Final = "--lang"
_SYSTEM: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Where POSIX systems keep it; Windows answers by itself."""
_CATALOGUE: Final = "click"
"""The sentences of the library that reads the command line, in `reports/wording/<language>/LC_MESSAGES`."""
_HEARD: Final = ContextVar("heard", default=ENGLISH)
"""The language in which the command that runs speaks."""


def terminal_language(arguments: Sequence[str] = ()) -> str:
    """The language in which this person is told what went wrong."""
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


def heard() -> str:
    """The language of the person whose command runs."""
    return _HEARD.get()


def said(code: str, /, **facts: object) -> str:
    """A notice in words, in that person's language."""
    return sentence(notice(code, **facts), heard())


def said_of(section: str, key: str) -> str:
    """A word that scripts know, such as a state, in that person's language; in English as scripts know it."""
    return key if heard() == ENGLISH else said(f"{section}-{key}")


def in_figures(quantity: object) -> str:
    """A quantity with that person's decimal sign."""
    return in_figures_of(heard(), str(quantity))


def percent(share: float) -> str:
    """A share in hundredths; only English writes the sign without a space."""
    return f"{share:.0%}" if heard() == ENGLISH else f"{100 * share:.0f}\u00a0%"


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak that language, and let the library that reads the command line do so too, by its own means."""
    before = os.environ.get("LANGUAGE")
    gettext.bindtextdomain(_CATALOGUE, str(shipped("reports") / "wording"))
    gettext.textdomain(_CATALOGUE)
    os.environ["LANGUAGE"] = language
    heard_before = _HEARD.set(language)
    try:
        yield
    finally:
        _HEARD.reset(heard_before)
        os.environ.pop("LANGUAGE")
        if before is not None:
            os.environ["LANGUAGE"] = before
