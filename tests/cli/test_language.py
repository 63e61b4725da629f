"""What goes wrong is said in the language of whoever sits at the terminal."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.cli.app import app, run
from inspect_kit.cli.photo.tables import Rows, Terms, board_rows, dice_rows, figure_rows, piece_rows
from inspect_kit.cli.terminal import columns, terminal_language
from inspect_kit.values.measurement import Reading, StatedPart
from tests.cli.conftest import Kit

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
    assert terminal_language(["judge", "--lang", "de"]) == "de"
    assert terminal_language(["certify", "--lang=de,en"]) == "de"
    assert terminal_language() == "it"
    monkeypatch.delenv("INSPECT_KIT_LANG")
    assert terminal_language() == "cs"
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    assert terminal_language() == "en"


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


# What is printed for people: the tables of `measure`, of `judge`, and what `certify` says at its end.

ENGLISH_WORDS = re.compile(
    r"\b(warning|the|is|are|was|and|of|with|for|from|not|no|mostly|piece|diameter|roundness|seen|value|dimension|sure|edge"
    r"|photo|face|metal|white|print|scale|certificate|report|written|clause|result|verdict|requirement|conforms|fails"
    r"|undecided|missing|inspection|watching|stopped)\b",
    re.IGNORECASE,
)


def _measured(characteristic: str, value: str, instance: str = "", source: str = "print scale") -> Reading:
    return Reading(characteristic, value, instance, "mm", standard="0.02", budget=(StatedPart(source, "0.02"),))


TABLES: dict[str, tuple[Rows, tuple[Reading, ...], str]] = {
    "striker": (piece_rows, (
        _measured("striker.diameter", "41.12"), _measured("striker.roundness", "0.05"),
        Reading("striker.visible_metal", "none"),
    ), "41,12 mm"),
    "coins": (piece_rows, (_measured("coin.diameter", "31.5", "1"), Reading("coin.colour", "white", "1")), "31,50 mm"),
    "board": (board_rows, (_measured("surface.side", "738.2", "n", "frame height"),), "738,20 mm"),
    "figure": (figure_rows, (_measured("fig.height", "31.4", "", "standoff"),), "31,40 mm"),
    "dice": (dice_rows, (
        Reading("die.face", "3", "1", confidence="0.97"), _measured("die.edge", "15.98", "1.a", "edge"),
        _measured("die.edge", "15.99", "1.b", "edge"),
    ), "15,98 mm"),
}  # fmt: skip


@pytest.mark.parametrize("language", ["de", "cs", "it"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_measured_table_holds_no_english_and_the_decimal_sign_of_its_reader(kind: str, language: str) -> None:
    rows, readings, size = TABLES[kind]
    table = "\n".join(columns(rows(MeasurementFile(readings), Terms(wording_for(language)))))
    assert not ENGLISH_WORDS.findall(table), table
    assert size in table
    assert "0,04 mm" in table


def test_the_english_table_is_what_scripts_know() -> None:
    rows, readings, _ = TABLES["striker"]
    head, line = columns(rows(MeasurementFile(readings), Terms(wording_for("en"))))
    assert head.split() == ["piece", "diameter", "U", "mostly", "from", "roundness", "seen"]
    assert line == "1      41.12 mm  ± 0.04 mm  print scale, 100%  0.05 mm    no metal"


@pytest.mark.parametrize("language", ["de", "cs", "it"])
def test_judging_and_certifying_speak_the_language_of_the_terminal(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    file, out = tmp_path / "striker.csv", tmp_path / "s.pdf"
    file.write_text("characteristic,value,unit,u,note\nstriker.diameter,41.1,mm,0.02,\nstriker.mass,14.5,g,0.01,\n")
    kit("keys", "init", "--name", "Halle", "--no-passphrase")
    monkeypatch.setenv("INSPECT_KIT_LANG", language)
    asked = (file, "--spec", "icf-cs", "--item", "striker", "--on", "2026-01-02")
    judged = kit("judge", *asked)
    issued = kit("certify", *asked, "--subject", "7", "-o", out)
    assert (judged.code, issued.code) == (3, 3), issued.err
    for said in (judged, issued):
        text = (said.out + said.err).replace(str(tmp_path), "")
        assert not ENGLISH_WORDS.findall(text), text
    assert "NOT DECIDED" in kit("judge", *asked, "--lang", "en").out


@pytest.mark.parametrize("language", ["de", "cs", "it"])
def test_the_questions_about_a_paper_certificate_are_asked_in_the_language_of_the_terminal(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    kit("instruments", "add", "w1", "--kind", "scale", "--name", "W1")
    monkeypatch.setenv("INSPECT_KIT_LANG", language)
    typed = "K-7\nLab\n2026-03-01\n\n\n0.5 g\n0.501 g\n0.002 g\n\n\n"
    result = kit("instruments", "certificate", "w1", typed=typed)
    assert result.code == 0, result.err
    text = result.err + result.out.splitlines()[0]
    assert not re.findall(r"\b(the|of|it|on|what|number|value|nominal|error|calibrated|stated|warning)\b", text, re.I)
    assert "0,5 g" in result.err


@pytest.mark.parametrize("language", ["de", "cs", "it"])
def test_a_lot_is_told_in_the_language_of_the_terminal(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    file, out = tmp_path / "coins.csv", tmp_path / "coins.dfq"
    rows = "".join(f"{number},{31.5 + number % 3 / 100:.2f}\n" for number in range(1, 50))
    file.write_text(f"piece,coin.diameter\n{rows}50,34.25\n")
    monkeypatch.setenv("INSPECT_KIT_LANG", language)
    asked = (file, "--spec", "icf-cs", "--item", "coin-set", "--characteristic", "coin.diameter", "--u", "0.01mm")
    english = re.compile(r"\b(the|lot of|is|of|every|piece|pieces|inspected|written|mean|conform|fail|fails|open|warning"
                         r"|above|outside|accepted|refused|normal)\b", re.IGNORECASE)  # fmt: skip
    for said in (kit("qa", "lot", *asked), kit("qa", "export", *asked, "-o", out)):
        text = (said.out + said.err).replace(str(tmp_path), "")
        assert said.code in (0, 1), text
        assert not english.findall(text), text
    assert "34,25" in kit("qa", "lot", *asked).out
