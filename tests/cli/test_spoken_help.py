"""`--help` speaks the language of the terminal: every text of every command, and nothing that no command says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from inspect_kit.cli.app import app, run
from inspect_kit.cli.lazy import paragraphs, sentence_in

WORDING = Path(__file__).parent.parent.parent / "reports" / "wording"
OTHERS = ("de", "cs", "it")
TYPED = re.compile(r"--[a-z-]+|`[^`]+`|\b[A-Z_]{4,}\b(?!:)|\d+(?:\.\d+)?mm|/dev/\w+")
"""What somebody may copy out of a text: options, code, variables, quantities."""
ENGLISH = re.compile(
    r"\b(the|is|are|what|which|with|and|of|for|where|how|by|its|whose|it was|usage|options|commands)\b", re.I
)


def _commands(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command, parent, name)
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from _commands(below, each, context)


@cache
def _texts() -> frozenset[str]:
    """Every text that somebody can be helped with."""
    found = {"Example:"}
    for command in _commands(app, "inspect-kit"):
        found.update(paragraphs(command.help or ""))
        for each in command.params:
            if isinstance(each, click.Option):
                found.update(" ".join(text.split()) for text in (each.help, each.show_default) if isinstance(text, str))
        found.update(lazy.help for lazy in getattr(command, "lazy", {}).values())
    return frozenset(found - {""})


def _worded(language: str) -> dict[str, str]:
    return tomllib.loads((WORDING / language / "help.toml").read_text(encoding="utf-8"))["help"]


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_of_help_is_worded_in_every_language(language: str) -> None:
    assert len(_texts()) > 400
    assert [text for text in sorted(_texts()) if sentence_in(text, language) == text] == []


@pytest.mark.parametrize("language", OTHERS)
def test_no_words_are_kept_for_texts_that_are_gone(language: str) -> None:
    heads = {text.partition(": ")[0] for text in _texts()}
    assert set(_worded(language)) - _texts() - heads == set()


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_typed_is_the_same_in_every_language(language: str) -> None:
    for english, other in _worded(language).items():
        assert sorted(set(TYPED.findall(english))) == sorted(set(TYPED.findall(other))), english


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(
    "asked", [(), ("registry",), ("qa", "lot"), ("verify",), ("instruments", "check"), ("measure",)]
)
def test_a_page_of_help_holds_no_english(
    asked: tuple[str, ...], language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_KIT_LANG", language)
    assert run(app, [*asked, "--help"]) == 0
    page = capsys.readouterr().out
    told = "\n".join(line for line in page.splitlines() if "inspect-kit" not in line)
    # Options and the names of protocols, of which one is called "and", are the same in every language.
    assert not ENGLISH.findall(re.sub(r"--[a-z-]+|`[^`]+`|\S*=\S*|\band,", "", told)), told


def test_english_help_is_english_again_after_another_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for language, usage in (("de", "Aufruf:"), ("en", "Usage:"), ("cs", "Použití:")):
        monkeypatch.setenv("INSPECT_KIT_LANG", language)
        run(app, ["keys", "trust", "--help"])
        page = capsys.readouterr().out
        assert page.startswith(usage)
        assert ("Show this message and exit." in page) == (language == "en")


@pytest.mark.parametrize(("language", "file", "photos", "day"), [
    ("de", "DATEI", "[FOTOS]...", "JJJJ-MM-TT"), ("cs", "SOUBOR", "[FOTKY]...", "RRRR-MM-DD"), ("it", "FILE", "[FOTO]...", "AAAA-MM-GG"),
])  # fmt: skip
def test_what_is_to_be_typed_has_a_name_in_the_language(
    language: str, file: str, photos: str, day: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_KIT_LANG", language)
    assert run(app, ["measure", "striker", "--help"]) == run(app, ["qa", "lot", "--help"]) == 0
    page = capsys.readouterr().out
    assert f"] {photos}\n" in page
    assert f"] {file}\n" in page
    assert f"\n  {file} " in page, "the text calls the argument as the call does"
    assert day in page
    assert run(app, ["qa", "lot"]) == 2
    assert f"'{file}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "is no day"), ("de", "ist kein Tag"), ("cs", "není den"), ("it", "non è un giorno")],
)
@pytest.mark.parametrize("typed", ["3.11.2026", "2026-02-30", "%Y-%m-%d"])
def test_what_is_no_day_is_refused_in_words(
    typed: str, language: str, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_KIT_LANG", language)
    assert run(app, ["registry", "list", "--since", typed]) == 2
    told = capsys.readouterr().err
    assert f"'{typed}' {words}" in told
    assert "2026-11-03" in told
