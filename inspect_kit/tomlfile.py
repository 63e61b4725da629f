"""Reading a TOML file key by key, so that every fault is found at once and each knows its place."""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from inspect_kit.errors import BadInput, Fault, InspectKitError, Notice, nearest, notice, refuse_special_file
from inspect_kit.strict_json import MOST_DIGITS, bounded

MAX_BYTES = 2_000_000
"""Bytes of a TOML file."""
_MOST_PARTS = 60
"""Parts of one dotted key: a parser takes hours over hundreds of thousands, and a sheet has three."""
_DEEP = re.compile(rf"(?:[\"']?[\w-]{{1,80}}+[\"']?[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}")
_LONG = re.compile(rf"\d[\d_]{{{MOST_DIGITS},}}|0x[\da-fA-F_]{{{MOST_DIGITS},}}")
"""A whole number longer than any that is meant."""
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
"""Where the standard library's parser says that it stopped."""
Parsed = TypeVar("Parsed")
Word = TypeVar("Word", bound=StrEnum)


def read_toml(path: Path) -> dict[str, object]:
    """A TOML file as plain data; what cannot be read is an error with the reason."""
    try:
        refuse_special_file(path)
        if path.stat().st_size > MAX_BYTES:
            raise BadInput("sheet-too-large", where=str(path), max_bytes=MAX_BYTES // 1_000_000)
        text = path.read_text(encoding="utf-8")
        if any(line.count(".") >= _MOST_PARTS and _DEEP.search(line) for line in text.split("\n")):
            raise BadInput("key-too-deep", where=str(path), most_parts=_MOST_PARTS)
        if _LONG.search(text):
            raise BadInput("number-too-long", where=str(path), digits=MOST_DIGITS)
        return tomllib.loads(text, parse_float=bounded)
    except BadInput as problem:
        raise BadInput.of(problem.fault, where=str(path)) from None
    except FileNotFoundError:
        raise BadInput("no-such-file", where=str(path)) from None
    except UnicodeDecodeError as problem:
        raise BadInput("sheet-not-utf-8", where=str(path), start=problem.start) from None
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise _not_toml(path, str(problem)) from None
    except OSError as problem:
        raise BadInput("not-readable", where=str(path), reason=problem.strerror) from None


def _not_toml(path: Path, problem: str) -> BadInput:
    """Where the parser stopped; its own words are English."""
    place = _PLACE.search(problem)
    if place is None:
        return BadInput("not-toml", where=str(path))
    return BadInput("not-toml-at", where=str(path), line=int(place[1]), column=int(place[2]))


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kind) for entry in value)


class TomlTable:
    """One table of a file. Each `take_…` notes a fault instead of raising; `done` names the keys nobody knows."""

    def __init__(self, data: Mapping[str, object], place: str, faults: list[Fault]) -> None:
        self._data = dict(data)
        self._known: list[str] = []
        self.missing: set[str] = set()
        """Keys that were asked for and not there."""
        self.place = place
        self.faults = faults

    def fault(self, key: str, code: str, hint: str | Notice = "", /, **facts: object) -> None:
        """Note that something is wrong at `key`."""
        self.note(key, Fault("", notice(code, **facts), hint))

    def note(self, key: str, fault: Fault) -> None:
        """Note at `key` what somebody else has found there."""
        self.faults.append(replace(fault, where=self._below(key)))

    def _take(self, key: str) -> object:
        self._known.append(key)
        if key not in self._data:
            self.missing.add(key)
        return self._data.pop(key, None)

    def text(self, key: str, default: str | None = None) -> str:
        """A string; without `default` it must be there and not be empty."""
        value = self._take(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            self.fault(key, "is-missing" if value is None else "expected-text-got", value=f"{value!r:.40}")
            return ""
        if not value.strip() and default is None:
            self.fault(key, "is-empty")
        return value.strip()

    def _taken_if(self, key: str, fits: Callable[[Any], bool], code: str, /, **facts: object) -> Any:
        """The value below `key` if it is of the kind that is wanted; else nothing, and a fault if it is there."""
        value = self._take(key)
        if value is None or fits(value):
            return value
        self.fault(key, code, value=f"{value!r:.40}", **facts)
        return None

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._taken_if(key, lambda found: isinstance(found, bool), "expected-true-false-got")
        return default if value is None else bool(value)

    def word(self, key: str, words: type[Word], default: Word, *, optional: bool = False) -> Word:
        """One of an enumeration's words; must be there unless it is `optional`."""
        value = self.text(key, default.value if optional else None)
        if value in {word.value for word in words}:
            return words(value)
        if value:
            names = [word.value for word in words]
            self.fault(key, "not-one-of", nearest(value, names), value=value[:40], names=", ".join(names))
        return default

    def day(self, key: str) -> date | None:
        """A date, or nothing."""
        found: date | None = self._taken_if(key, lambda value: type(value) is date, "expected-day")
        return found

    def decimal(self, key: str, default: Decimal) -> Decimal:
        """A finite number, written plainly or as text."""
        value = self._take(key)
        if value is None:
            return default
        if isinstance(value, int | Decimal | str) and not isinstance(value, bool):
            with contextlib.suppress(InvalidOperation):
                number = Decimal(value)
                if number.is_finite():
                    return number
        self.fault(key, "expected-toml-number", value=f"{value!r:.40}")
        return default

    def parsed(self, key: str, parse: Callable[[str], Parsed]) -> Parsed | None:
        """A string that `parse` understands, or nothing."""
        value = self._taken_if(key, lambda found: isinstance(found, str), "expected-text-got")
        if value is None:
            return None
        try:
            return parse(value)
        except InspectKitError as problem:
            self.note(key, problem.fault)
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; nothing is an empty list."""
        return tuple(self._taken_if(key, lambda found: _is_list_of(found, str), "expected-list-texts-got") or ())

    def either(self, key: str) -> object:
        """The raw value, for keys that take more than one type."""
        return self._take(key)

    def table(self, key: str) -> TomlTable:
        """The table below `key`; empty where there is none."""
        value = self._taken_if(key, lambda found: isinstance(found, dict), "expected-table-got")
        return TomlTable(value or {}, self._below(key), self.faults)

    def tables(self, key: str) -> Iterator[TomlTable]:
        """The tables of the list below `key`, each with its number."""
        value = self._taken_if(key, lambda found: _is_list_of(found, dict), "expected-list-tables-got", key=key)
        for number, entry in enumerate(value or ()):
            yield TomlTable(entry, self._below(f"{key}[{number}]"), self.faults)

    def _below(self, key: str) -> str:
        """The place of a key."""
        return self.place + ("" if self.place.endswith(": ") or not key or key.startswith("[") else ".") + key

    def words(self) -> dict[str, str]:
        """All that is left, as text by key."""
        left, self._data = self._data, {}
        for key, value in left.items():
            if not isinstance(value, str):
                self.fault(key, "expected-text-got", value=f"{value!r:.40}")
        return {key: value for key, value in left.items() if isinstance(value, str)}

    def left(self) -> tuple[str, ...]:
        """What has not been taken yet."""
        return tuple(self._data)

    def done(self) -> None:
        """Unknown keys are faults: a misspelt key must not be silently without effect."""
        for key in self._data:
            self.fault(key, "unknown-key", nearest(key, self._known))
