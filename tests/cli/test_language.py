"""What goes wrong is said in the language of whoever sits at the terminal."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest

from inspect_kit.cli.app import app, run
from inspect_kit.cli.language import spoken

WORDING = Path(__file__).parent.parent.parent / "reports" / "wording"
MISSING = {"en": "no such file", "de": "diese Datei gibt es nicht", "cs": "takový soubor neexistuje",
           "it": "il file non esiste"}  # fmt: skip
OPTION = {"en": "Missing option", "de": "Es fehlt die Option", "cs": "Chybí volba", "it": "Manca l'opzione"}


@pytest.mark.parametrize("language", MISSING)
def test_an_error_is_said_in_the_language_that_was_asked_for(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["judge", "none.csv", "--spec", "icf-2001-it", "--item", "striker", "--lang", language]
    assert run(app, asked) == 4
    assert MISSING[language] in capsys.readouterr().err


@pytest.mark.parametrize("language", OPTION)
def test_a_command_that_is_typed_wrongly_is_refused_in_the_language_of_the_surroundings(
    language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_KIT_LANG", language)
    assert run(app, ["judge", "none.csv", "--spec", "icf-2001-it"]) == 2
    said = capsys.readouterr().err
    assert OPTION[language] in said
    assert "--item" in said


def test_the_option_goes_before_the_variable_and_the_variable_before_the_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LC_ALL", "cs_CZ.UTF-8")
    monkeypatch.setenv("INSPECT_KIT_LANG", "it")
    assert spoken(["judge", "--lang", "de"]) == "de"
    assert spoken(["certify", "--lang=de,en"]) == "de"
    assert spoken() == "it"
    monkeypatch.delenv("INSPECT_KIT_LANG")
    assert spoken() == "cs"
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    assert spoken() == "en"


@pytest.mark.parametrize("language", ["de", "cs", "it"])
def test_the_compiled_catalogue_says_what_the_readable_one_says(language: str) -> None:
    folder = WORDING / language / "LC_MESSAGES"
    text = (folder / "click.po").read_text(encoding="utf-8")
    with (folder / "click.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    said = dict(re.findall(r'^msgid "(.+)"\nmsgstr "(.+)"$', text, re.MULTILINE))
    assert len(said) > 25
    for english, other in said.items():
        plain, mine = (each.replace("\\n", "\n").replace("\\t", "\t") for each in (english, other))
        assert compiled.gettext(plain) == mine
