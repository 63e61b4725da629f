"""What a person must be told and what can go wrong: codes with facts, put into words only at the edge."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Self

from inspect_kit.places import shipped

LANGUAGES: Final = ("en", "de", "cs", "it")
"""What certificates, pages and terminals speak."""
ENGLISH: Final = "en"
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_FIGURE: Final = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_POINT: Final = re.compile(r"(?<=\d)\.(?=\d)")
_ISO_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
Day = Callable[[str], str]
"""A day, as 2026-11-16, in words."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A code with its facts; `where` is the file or thing it is about. Facts are texts, or notices of their own."""

    code: str
    facts: tuple[tuple[str, str | Notice | tuple[Notice, ...]], ...] = ()
    where: str = ""

    def as_data(self) -> dict[str, object]:
        """The form that files hold."""
        data: dict[str, object] = {"code": self.code, "facts": {name: _as_data(fact) for name, fact in self.facts}}
        return data | ({"where": self.where} if self.where else {})


def notice(code: str, where: str = "", /, **facts: object) -> Notice:
    """A notice with its facts by name."""
    return Notice(code, tuple((name, _fact(value)) for name, value in facts.items()), where)


def _fact(value: object) -> str | Notice | tuple[Notice, ...]:
    if isinstance(value, Notice):
        return value
    if isinstance(value, tuple) and all(isinstance(each, Notice) for each in value):
        return value
    return str(value)


def _as_data(fact: str | Notice | tuple[Notice, ...]) -> object:
    if isinstance(fact, Notice):
        return fact.as_data()
    return fact if isinstance(fact, str) else [each.as_data() for each in fact]


# Into words.


def sentence(told: Notice, language: str = ENGLISH, *, printed: Day | None = None) -> str:
    """The notice in words. `printed`: how a certificate writes a day; it also says what else is printed there in its
    own way, for options of a command line mean nothing on it."""
    words = _wording(language)
    template = (
        (printed and words["printed"].get(told.code)) or words["said"].get(told.code) or _error(told, language)[0]
    )
    text = template.format_map(_gaps(told, language, printed))
    return f"{told.where}: {text}" if told.where else text


def advice_on(told: Notice, language: str = ENGLISH) -> str:
    """What to do about an error, where its code knows a way out."""
    template = _error(told, language)[1]
    return template.format_map(_gaps(told, language, None))


def _gaps(told: Notice, language: str, printed: Day | None) -> dict[str, str]:
    """What a sentence's gaps are filled with; another place that it names is said in its language too."""
    return {
        name: place(fact, language) if name == "place" and isinstance(fact, str) else _gap(fact, language, printed)
        for name, fact in told.facts
    }


def place(where: str, language: str) -> str:
    """A place in a language: `coins.csv: line 7` names a line of ours after a file of theirs."""
    return where if language == ENGLISH else ": ".join(_place(part, language) for part in where.split(": "))


def _place(part: str, language: str) -> str:
    """A word of ours, alone or before what it names: `line 7`, `clause 4a, striker.mass`."""
    head, space, named = part.partition(" ")
    known = _known(part, language)
    return known if known is not None else f"{_wording(language)['word'].get(head, head)}{space}{named}"


def sentences(told: Iterable[Notice], language: str = ENGLISH) -> tuple[str, ...]:
    """Each in words."""
    return tuple(sentence(each, language) for each in told)


def worded(texts: Iterable[str], told: Iterable[Notice], language: str, *, printed: Day | None = None) -> list[str]:
    """Sentences of a file or record in a language: those that are known as notices anew, all others as they stand."""
    known = {sentence(each): each for each in told}
    return [sentence(known[text], language, printed=printed) if text in known else text for text in texts]


def error_codes() -> tuple[str, ...]:
    """Every error's code."""
    return tuple(_errors(ENGLISH))


def codes() -> tuple[str, ...]:
    """Every code there is."""
    return tuple(_wording(ENGLISH)["said"])


def fact_names(code: str) -> frozenset[str]:
    """The facts that a code takes."""
    template = _wording(ENGLISH)["said"].get(code) or "".join(_errors(ENGLISH)[code])
    return frozenset(re.findall(r"{(\w+)(?:!r)?}", template.replace("{{", "")))


class _Gap(str):
    """A fact in words; quoted (`!r`) it stands as somebody typed it."""

    __slots__ = ("given",)
    given: str

    def __repr__(self) -> str:
        return repr(self.given)


def _gap(fact: str | Notice | tuple[Notice, ...], language: str, printed: Day | None) -> _Gap:
    gap = _Gap(worded_fact(fact, language, printed))
    gap.given = fact if isinstance(fact, str) else str(gap)
    return gap


def in_figures_of(language: str, text: str) -> str:
    """A text of numbers and signs with the language's decimal sign."""
    return _POINT.sub(_wording(language)["sign"]["decimal"], text)


def worded_fact(fact: str | Notice | tuple[Notice, ...], language: str = ENGLISH, printed: Day | None = None) -> str:
    """What stands in a gap, in words."""
    if isinstance(fact, Notice):
        return sentence(fact, language, printed=printed)
    if isinstance(fact, tuple):
        apart = "; " if any(each.code.startswith("type-") for each in fact) else ", "
        return apart.join(sentence(each, language, printed=printed) for each in fact)
    return printed(fact) if printed and _ISO_DAY.fullmatch(fact) else _word(fact, language)


def _word(fact: str, language: str) -> str:
    """A number or day as the language writes it; a word of ours in that language; a name as it is."""
    signs = _wording(language)["sign"]
    if _ISO_DAY.fullmatch(fact):
        return _day(fact, signs)
    if _THOUSANDS.fullmatch(fact):
        return fact.replace(",", signs["thousands"])
    known = _known(fact, language)
    if known is not None:
        return known
    return _decimal(fact, signs) if _FIGURE.fullmatch(fact) else fact


def _known(fact: str, language: str) -> str | None:
    """A word of ours in a language, with the numbers that stand in it."""
    words = _wording(language)
    known = words["word"].get(_NUMBER.sub("#", fact))
    for number in _NUMBER.findall(fact) if known is not None else ():
        known = known.replace("#", _decimal(number, words["sign"]), 1) if known else known
    return known


def _decimal(number: str, signs: Mapping[str, str]) -> str:
    return number.replace(".", signs["decimal"])


def _day(iso: str, signs: Mapping[str, str]) -> str:
    year, month, day = iso.split("-")
    return signs["day"].format(day=int(day), month=int(month), year=year, iso=iso)


@cache
def _wording(language: str) -> Mapping[str, Mapping[str, str]]:
    tables = tomllib.loads(_file(language, "notices.toml"))
    terminal = tomllib.loads(_file(language, "terminal.toml"))
    return {name: {**table, **terminal.get(name, {})} for name, table in tables.items()}


@cache
def _errors(language: str) -> Mapping[str, tuple[str, str]]:
    """What is wrong and what to do about it, by code."""
    said = tomllib.loads(_file(language, "errors.toml"))
    return {code: (text, "") if isinstance(text, str) else (text[0], text[1]) for code, text in said.items()}


def _error(told: Notice, language: str) -> tuple[str, str]:
    """A sentence that is no code of ours, such as one in the person's language already, stands as it is."""
    literal = told.code.replace("{", "{{").replace("}", "}}")
    return _errors(language).get(told.code) or _errors(ENGLISH).get(told.code, (literal, ""))


def _file(language: str, name: str) -> str:
    return (shipped("reports") / "wording" / language / name).read_text(encoding="utf-8")


# What can go wrong: a code with facts, where it stands and what to do about it.


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in a file or an entry: its place, what it is, and a way out where one is known."""

    where: str
    told: Notice
    advice: str | Notice = ""
    """A way out that this place knows; else the code's own, if it has one."""
    also: Notice | None = None
    """Where in the file that is, for instance."""

    @property
    def why(self) -> str:
        """What is wrong, in English."""
        return sentence(self.told)

    @property
    def hint(self) -> str:
        """A way out, in English."""
        return self.way_out()

    def way_out(self, language: str = ENGLISH) -> str:
        """What to do about it, or nothing."""
        told = sentence(self.advice, language) if isinstance(self.advice, Notice) else self.advice
        parts = (told or advice_on(self.told, language), sentence(self.also, language) if self.also else "")
        return "; ".join(part for part in parts if part)

    def said(self, language: str = ENGLISH) -> str:
        """The whole of it in a sentence."""
        why, hint = sentence(self.told, language), self.way_out(language)
        said = f"{place(self.where, language)}: {why}" if self.where else why
        return f"{said} ({hint})" if hint else said

    def __str__(self) -> str:
        return self.said()


def fault(where: str, code: str, hint: str | Notice = "", /, **facts: object) -> Fault:
    """A fault with its facts by name."""
    return Fault(where, notice(code, **facts), hint)


class InspectKitError(Exception):
    """Root of the errors a user can meet, as `reports/wording/<language>/errors.toml` words them; `exit_code` is what
    the command line leaves with."""

    exit_code = 4

    def __init__(self, code: str, /, *, where: str = "", hint: str | Notice = "", **facts: object) -> None:
        self.fault = Fault(where, notice(code, **facts), hint)
        super().__init__(code)

    @classmethod
    def of(cls, fault: Fault, **changed: str | Notice) -> Self:
        """An error of this kind that says what another one said, at another place or with other advice."""
        error = cls.__new__(cls)
        InspectKitError.__init__(error, fault.told.code)
        error.fault = replace(fault, **changed)  # type: ignore[arg-type]
        return error

    @classmethod
    @contextmanager
    def located(cls, where: str) -> Iterator[None]:
        """What goes wrong within the block, as an error of this kind at a place that the block does not know."""
        try:
            yield
        except InspectKitError as problem:
            raise cls.of(problem.fault, where=where) from None

    def said(self, language: str = ENGLISH) -> str:
        """The error in a language."""
        return self.fault.said(language)

    def __str__(self) -> str:
        return self.said()

    def notices(self) -> tuple[Notice, ...]:
        """What is wrong and where, as notices within another one."""
        return tuple(replace(fault.told, where=fault.where) for fault in getattr(self, "faults", (self.fault,)))

    @property
    def told(self) -> Notice:
        """What is wrong: its code and facts."""
        return self.fault.told

    @property
    def where(self) -> str:
        """The file, line or option it is about; empty where that is plain."""
        return self.fault.where

    @property
    def why(self) -> str:
        """What is wrong, in English."""
        return self.fault.why

    @property
    def hint(self) -> str:
        """A way out, where one is known, in English."""
        return self.fault.hint


class UsageError(InspectKitError):
    """The command was called with something that does not exist or does not fit."""

    exit_code = 2


class BadInput(InspectKitError):
    """A file, photo or entry that cannot be used."""


@contextmanager
def system_errors_as(code: str, where: Path | str) -> Iterator[None]:
    """What the system refuses within the block, as an error of ours with its reason."""
    try:
        yield
    except OSError as problem:
        raise BadInput(code, where=str(where), reason=problem.strerror or problem) from None


def refuse_special_file(path: Path) -> None:
    """Refuse a pipe or a device: opening one may wait for ever, and reading one may never end."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise BadInput("device-or-pipe", where=str(path))


class BadSheet(InspectKitError):
    """A sheet with faults: all of them at once, each with its place."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        if not faults:
            raise ValueError("a bad sheet needs at least one fault")
        self.faults = faults
        super().__init__(faults[0].told.code)
        self.fault = faults[0]

    def said(self, language: str = ENGLISH) -> str:
        """All of them, a line each."""
        return "\n".join(fault.said(language) for fault in self.faults)


class BrokenSeal(InspectKitError):
    """A digest, signature or chain that does not hold."""

    exit_code = 5


# The name somebody probably meant.


def nearest(wrong: str, names: Iterable[str]) -> str | Notice:
    """A hint such as `did you mean "coin.mass"?`, or nothing where no name comes close."""
    from difflib import get_close_matches

    found = get_close_matches(wrong[:80], list(names), n=1, cutoff=0.6)
    return notice("did-you-mean", name=found[0]) if found else ""
