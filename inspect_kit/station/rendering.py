"""Pages: templates that escape everything, the words of a language, and what every page shows."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from inspect_kit.certificate.content.wording import Wording, station_words, wording_for
from inspect_kit.errors import LANGUAGES, InspectKitError, Notice, sentence, worded_fact
from inspect_kit.inspection.screens import BadAnswer
from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml

_HERE: Final = Path(__file__).resolve().parent
STATIC: Final = _HERE / "static"
_LETTERS: Final = re.compile("[^\u00a0\u2009\u202f]+")
_BEFORE_SPREAD: Final = re.compile(r"\s±")
LANGUAGE_NAMES: Final = {"en": "English", "de": "Deutsch", "cs": "Čeština", "it": "Italiano"}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    environment.filters["plain"] = plain
    environment.globals["version"] = static_version()
    environment.globals["languages"] = LANGUAGE_NAMES
    return environment


@cache
def static_version() -> str:
    """Changes with the static files, so that browsers may keep them."""
    content = b"".join(path.read_bytes() for path in sorted(STATIC.iterdir()) if path.is_file())
    return hashlib.sha256(content).hexdigest()[:12]


@lru_cache(maxsize=2000)
def plain(text: str) -> str:
    """Words of a certificate for a screen: italics of formulas as ordinary letters, fixed spaces as they are."""
    ordinary = _LETTERS.sub(lambda part: unicodedata.normalize("NFKC", part[0]), text)
    # On a phone a line may end before the uncertainty.
    return _BEFORE_SPREAD.sub(" ±", ordinary)


@cache
def _at_the_desk() -> Mapping[str, object]:
    """What the desk says of an error in words of its own: the sentence's key, by the error's code."""
    return read_toml(shipped("reports") / "wording" / "at-the-desk.toml")


class Words:
    """The words of the station in one language, beside those of certificates."""

    def __init__(self, language: str, own: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self.language = language
        self.certificate: Wording = wording_for(language, own)
        self._texts = station_words(language)

    def __call__(self, key: str, **values: object) -> str:
        """A text of the station, with its gaps filled."""
        return self._texts[key].format_map(values)

    def told(self, problem: InspectKitError) -> str:
        """What is wrong, in this language: in the desk's own words where it has some."""
        if isinstance(problem, BadAnswer):
            return self(f"bad.{problem.wording}", **{name: self._fact(fact) for name, fact in problem.facts.items()})
        key = _at_the_desk().get(problem.told.code)
        facts = {name: worded_fact(fact, self.language) for name, fact in problem.told.facts}
        return self(str(key), where=problem.where, **facts) if key else problem.said(self.language)

    def notice(self, told: Notice, *, as_printed: bool = False) -> str:
        """What is to be told of one photo, which needs no name here; as on paper, where a command line's words would
        mean nothing."""
        said = sentence(replace(told, where=""), self.language, printed=self.certificate.day if as_printed else None)
        return said[:1].upper() + said[1:]

    def _fact(self, fact: object) -> str:
        text = str(fact)
        return text if self.language == "en" or isinstance(fact, str) else self.certificate.localised(text)

    def frame(self, key: str) -> str:
        """A text of certificates, for the screen."""
        return plain(self.certificate.say(key))

    def item(self, name: str) -> str:
        """The name of an item."""
        return self.certificate.name("item", name)

    def number(self, digits: str) -> str:
        """Digits with the decimal sign of the language."""
        return digits if self.language == "en" else digits.replace(".", ",")

    def day(self, iso: str) -> str:
        """A date in words."""
        return self.certificate.day(iso) if iso else ""

    def clock(self, iso: str) -> str:
        """The hour of an entry, on the clock of this place."""
        return datetime.fromisoformat(iso).astimezone().strftime("%H:%M") if iso else ""

    def time(self, iso: str) -> str:
        """A time of an entry, on the clock of this place."""
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M") if iso else ""


@cache
def words_of(language: str) -> Words:
    """The words of a language without those of a sheet."""
    return Words(language)


def language_from(wanted: str, header: str) -> str:
    """The language that was chosen, or the first one that the browser asks for and we speak."""
    if wanted in LANGUAGES:
        return wanted
    for part in header[:200].split(","):
        code = part.strip()[:2].lower()
        if code in LANGUAGES:
            return code
    return LANGUAGES[0]


def drawn(template: str, context: Mapping[str, Any]) -> str:
    """A page's text."""
    return _environment().get_template(template).render(context)


def safe(svg: str) -> Markup:
    """A drawing of our own, which is put into the page as it is."""
    return Markup(svg)  # noqa: S704
