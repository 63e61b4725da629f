"""What `verify` says, in four languages: every sentence that its code holds has its translation."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from inspect_kit.certificate.content.check_words import check_in
from inspect_kit.places import shipped

ROOM: Final = Path(__file__).parents[3] / "inspect_kit" / "certificate" / "issue"
TRANSLATED: Final = ("de", "cs", "it")
FILL: Final = "X7"
NOT_SAID: Final = frozenset({
    "is not a PDF", "the attached record", "%Y-%m-%d %H:%M", f"{FILL} {FILL}", "1 witness", f"{FILL} witnesses",
    f"{FILL}'s key ended on {FILL}, and no registry, witness or timestamp here proves",
    f"{FILL} that this was signed before", f"{FILL}'s key was {FILL} on {FILL}",
    f"{FILL}, and no witness or timestamp proves that this was signed before",
    f"{FILL} {FILL}: {FILL}", f"{FILL}, {FILL},", f"not one {FILL} is attached, but {FILL} files",
    f"seen by {FILL} up to {FILL} UTC", "a certificate without a number",
})  # fmt: skip
"""Parts of sentences that are checked whole below, and what is an error of its own."""

WHOLE: Final = (
    "R. Řeháčková's key ended on 2027-01-01, and no registry, witness or timestamp here proves that this was signed before",
    "R. Řeháčková's key was compromised on 2027-01-01, and no witness or timestamp proves that this was signed before",
    "the registry does not know a certificate without a number",
    "not one record.json is attached, but 3 files",
    "in the log, seen by 2 witnesses up to 2026-11-16 10:00 UTC, timestamped by tsa.example on 2026-11-16 09:00 UTC",
    "proven to be in the log, which no witness has seen with it yet",
    "the registry is not to be believed: 2 entries are gone that this computer has seen: it is cut off, or an older copy",
    "the registry is not to be believed: entry 7 is not the one that this computer has seen: the chain was written anew",
    "the registry is not to be believed: another registry, or an empty one, lies where this computer has seen one",
    "the registry is not to be believed: entry 7 was changed, or does not follow the one before",
    "the registry is not to be believed: its tables say something else of PCC-2026-000123-J than its entries",
    "the registry is not to be believed: its signature is not that of Jana",
    "the log is not the one of 7 entries that was witnessed",
    "signed by Jana for Prague Carrom Club, before that key was retired on 2027-01-01",
)


def sentences() -> Iterator[str]:
    """Every text in the code that a check could say, its gaps filled."""
    for name in ("verify.py", "log_checks.py"):
        tree = ast.parse((ROOM / name).read_text(encoding="utf-8"))
        inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else FILL for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner | docs:
                yield node.value


def said() -> list[str]:
    spoken = {text for text in sentences() if re.match(r"[a-zX].* ", text) and "\n" not in text}
    return sorted(spoken - NOT_SAID)


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_that_a_check_can_say_is_translated(language: str) -> None:
    assert len(said()) > 35
    assert not [text for text in (*said(), *WHOLE) if check_in(text, language) == text]


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_fills_the_gaps_is_translated_too_and_no_word_of_english_is_left(language: str) -> None:
    for text in WHOLE:
        assert not re.search(r"\b(the|signed|before|seen|which|key|proven|by|log, which)\b", check_in(text, language))


def test_a_sentence_that_nobody_has_translated_stays_and_english_is_itself() -> None:
    assert check_in("quite unheard of", "de") == "quite unheard of"
    assert check_in("not revoked", "en") == "not revoked"


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_have_the_gaps_of_their_sentences(language: str) -> None:
    table = tomllib.loads((shipped("reports") / "wording" / language / "checks.toml").read_text(encoding="utf-8"))
    for english, text in table.items():
        assert sorted(re.findall(r"{\w+}", english)) == sorted(re.findall(r"{\w+}", text))
