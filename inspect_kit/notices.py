"""What a person must be told: a code with facts, put into words at the edge, in the language of whoever reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from inspect_kit.errors import BadInput
from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml

ENGLISH: Final = "en"
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_ISO_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_CODE: Final = re.compile(r"[a-z][a-z0-9-]{0,60}")
_MOST_FACTS: Final = 20
_LONGEST_FACT: Final = 500
_DEEPEST: Final = 3
"""Notices within notices."""

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


def notice(code: str, where: str = "", **facts: object) -> Notice:
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
    template = (printed and words["printed"].get(told.code)) or words["said"][told.code]
    text = template.format_map({name: _worded(fact, language, printed) for name, fact in told.facts})
    return f"{told.where}: {text}" if told.where else text


def sentences(told: Iterable[Notice], language: str = ENGLISH) -> tuple[str, ...]:
    """Each in words."""
    return tuple(sentence(each, language) for each in told)


def worded(texts: Iterable[str], told: Iterable[Notice], language: str, *, printed: Day | None = None) -> list[str]:
    """Sentences of a file or record in a language: those that are known as notices anew, all others as they stand."""
    known = {sentence(each): each for each in told}
    return [sentence(known[text], language, printed=printed) if text in known else text for text in texts]


def codes() -> tuple[str, ...]:
    """Every code there is."""
    return tuple(_wording(ENGLISH)["said"])


def fact_names(code: str) -> frozenset[str]:
    """The facts that a code takes."""
    return frozenset(re.findall(r"{(\w+)}", _wording(ENGLISH)["said"][code]))


def _worded(fact: str | Notice | tuple[Notice, ...], language: str, printed: Day | None) -> str:
    if isinstance(fact, Notice):
        return sentence(fact, language, printed=printed)
    if isinstance(fact, tuple):
        apart = "; " if any(each.code.startswith("type-") for each in fact) else ", "
        return apart.join(sentence(each, language, printed=printed) for each in fact)
    return printed(fact) if printed and _ISO_DAY.fullmatch(fact) else _word(fact, language)


def _word(fact: str, language: str) -> str:
    """A number or day as the language writes it; a word of ours in that language; a name as it is."""
    words = _wording(language)
    if _ISO_DAY.fullmatch(fact):
        return _day(fact, words["sign"])
    numbers = _NUMBER.findall(fact)
    known = words["word"].get(_NUMBER.sub("#", fact))
    if known is not None:
        for number in numbers:
            known = known.replace("#", _decimal(number, words["sign"]), 1)
        return known
    return _decimal(fact, words["sign"]) if _NUMBER.fullmatch(fact) else fact


def _decimal(number: str, signs: Mapping[str, str]) -> str:
    return number.replace(".", signs["decimal"])


def _day(iso: str, signs: Mapping[str, str]) -> str:
    year, month, day = iso.split("-")
    return signs["day"].format(day=int(day), month=int(month), year=year, iso=iso)


@cache
def _wording(language: str) -> Mapping[str, Mapping[str, str]]:
    tables = read_toml(shipped("reports") / "wording" / language / "notices.toml")
    return {name: table for name, table in tables.items() if isinstance(table, dict)}


# From a file that somebody else may have written.


def notices_in(data: object, where: str) -> tuple[Notice, ...]:
    """The notices of a file; codes that this version does not know are left to their sentences."""
    if not isinstance(data, Sequence) or isinstance(data, str) or len(data) > 10_000:
        raise BadInput("expected a list of notices", where=where)
    found = (_notice_in(entry, f"{where}[{number}]", 0) for number, entry in enumerate(data))
    return tuple(each for each in found if _known(each))


def _known(told: Notice) -> bool:
    """A code of ours with all the facts that its words need."""
    inner = [each for _, fact in told.facts if not isinstance(fact, str)
             for each in (fact if isinstance(fact, tuple) else (fact,))]  # fmt: skip
    named = {name for name, _ in told.facts}
    return told.code in codes() and fact_names(told.code) <= named and all(map(_known, inner))


def _notice_in(entry: Any, where: str, depth: int) -> Notice:
    if not isinstance(entry, Mapping) or depth > _DEEPEST:
        raise BadInput("expected {code, facts}", where=where)
    code, facts = entry.get("code"), entry.get("facts", {})
    if not isinstance(code, str) or not _CODE.fullmatch(code) or not isinstance(facts, Mapping):
        raise BadInput("expected {code, facts}", where=where)
    if len(facts) > _MOST_FACTS:
        raise BadInput(f"has more than {_MOST_FACTS} facts", where=where)
    read = tuple((str(name)[:40], _fact_in(fact, f"{where}.{name}"[:200], depth)) for name, fact in facts.items())
    return Notice(code, read, str(entry.get("where", ""))[:_LONGEST_FACT])


def _fact_in(fact: Any, where: str, depth: int) -> str | Notice | tuple[Notice, ...]:
    if isinstance(fact, Mapping):
        return _notice_in(fact, where, depth + 1)
    if isinstance(fact, list):
        return tuple(_notice_in(each, where, depth + 1) for each in fact[:_MOST_FACTS])
    return str(fact)[:_LONGEST_FACT]
