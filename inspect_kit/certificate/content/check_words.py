"""What `verify` found, in the reader's language: `reports/wording/<language>/checks.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from inspect_kit.notices import Notice, fact_names, notice, sentence
from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml

_GAP: Final = re.compile(r"{(\w+)}")
_DAY: Final = r"\S+(?: [\d:]{5})?"
"""A day, with its time if there is one."""


_ERRORS: Final = (
    "another-registry-here", "chain-broken", "entries-gone", "entry-written-anew", "rows-differ",
    "file-damaged-rewritten-after-signing", "log-not-one-entries-witnessed", "seal-not-of",
    "seal-of-nobody", "seal-of-unknown-key",
)  # fmt: skip
"""Errors that a check says too."""


def _gapped(code: str) -> Notice:
    """An error whose facts are still gaps."""
    return notice(code, **{name: f"{{{name}}}" for name in fact_names(code)})


def check_in(sentence: str, language: str) -> str:
    """A sentence of a check in a language; what fills its gaps too. One that nobody has translated stays in English."""
    for pattern, template in _templates(language):
        found = pattern.fullmatch(sentence)
        if found:
            return template.format_map({name: check_in(text, language) for name, text in found.groupdict().items()})
    return sentence


@cache
def _templates(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """English sentences as patterns, those with the fewest gaps and the most words first."""
    path = shipped("reports") / "wording" / language / "checks.toml"
    known = {str(said): str(text) for said, text in read_toml(path).items()} if path.is_file() else {}
    known |= {sentence(told): sentence(told, language) for told in map(_gapped, _ERRORS)}
    ordered = sorted(known, key=lambda said: (len(_GAP.findall(said)), -len(said)))
    return tuple((re.compile("".join(_pattern(said))), known[said]) for said in ordered)


def _pattern(said: str) -> Iterator[str]:
    parts = _GAP.split(said)
    for number, part in enumerate(parts):
        yield f"(?P<{part}>{_DAY if part == 'day' else '.+?'})" if number % 2 else re.escape(part)
