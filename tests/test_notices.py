"""What a person must be told: every notice in every language, with every word that can stand in its gaps."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from decimal import Decimal
from pathlib import Path

import pytest

from inspect_kit.capture.measurement_file import MeasurementFile, as_json, measurements_in
from inspect_kit.errors import (
    LANGUAGES,
    BadInput,
    Notice,
    codes,
    error_codes,
    fact_names,
    in_figures_of,
    notice,
    sentence,
    worded,
)
from inspect_kit.measure import figure
from inspect_kit.stored_notices import notices_in
from inspect_kit.values.measurement import Reading
from inspect_kit.values.value import Contribution
from inspect_kit.vision.feature import Feature
from tests.source import calls

ROOT = Path(__file__).parent.parent
OTHERS = tuple(language for language in LANGUAGES if language != "en")
MEASURING = ("vision", "measure", "inspection", "quality", "capture", "certificate", "cli")


def _tables(language: str) -> dict[str, dict[str, str]]:
    told, terminal = (_file(language, name) for name in ("notices.toml", "terminal.toml"))
    return {section: {**texts, **terminal.get(section, {})} for section, texts in told.items()}


def _file(language: str, name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((ROOT / "reports" / "wording" / language / name).read_text(encoding="utf-8"))


def _calls(name: str) -> list[ast.Call]:
    return [
        each.node
        for each in calls()
        if each.name == name and isinstance(each.node.func, ast.Name) and each.path.split("/")[0] in MEASURING
    ]


def _texts(node: ast.expr) -> list[str]:
    """The texts an argument can be; `#` for a number in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return _texts(node.body) + _texts(node.orelse)
    if isinstance(node, ast.JoinedStr):
        text = "".join(
            str(part.value) if isinstance(part, ast.Constant) else "#%" if "%" in ast.unparse(part) else "#"
            for part in node.values
        )
        return [text]
    return []


def _facts(code: str) -> dict[str, str]:
    return dict.fromkeys(fact_names(code), "7.25")


@pytest.mark.parametrize("language", OTHERS)
def test_every_notice_is_worded_in_every_language_with_the_same_gaps(language: str) -> None:
    english, other = _tables("en"), _tables(language)
    for section in ("said", "printed", "word", "sign"):
        assert set(english[section]) == set(other[section]), section
    for section in ("said", "printed"):
        for code, text in english[section].items():
            gaps = set(re.findall(r"{(\w+)}", text))
            assert set(re.findall(r"{(\w+)}", other[section][code])) == gaps, (section, code)
            letters = re.sub(r"{\w+}|[^a-z]", "", text.lower())
            assert other[section][code] != text or not letters, (section, code)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_notice_can_be_said_and_printed(language: str) -> None:
    for code in codes():
        for day in (None, str):
            text = sentence(Notice(code, tuple(_facts(code).items()), "IMG_7.jpg"), language, printed=day)
            assert text.startswith("IMG_7.jpg: ")
            assert "{" not in text
            assert ("7.25" in text) == (language == "en" and bool(_facts(code))) or day is str


def test_every_notice_that_the_program_makes_has_words_for_its_facts() -> None:
    made = _calls("notice")
    assert len(made) > 40
    for call in made:
        for code in _texts(call.args[0]):
            assert code in (*codes(), *error_codes()), code
            given = {keyword.arg for keyword in call.keywords}
            assert None in given or fact_names(code) <= given, code


@pytest.mark.parametrize("saying", ["said", "labelled"])
def test_everything_that_a_command_says_or_draws_has_words_for_its_facts(saying: str) -> None:
    made = _calls(saying)
    assert len(made) > 40
    for call in made:
        for code in _texts(call.args[0]):
            known = [each for each in codes() if re.fullmatch(code.replace("#", ".+"), each)]
            assert known, code
            given = {keyword.arg for keyword in call.keywords}
            assert None in given or "#" in code or fact_names(code) <= given, code


def test_no_code_is_both_an_error_and_a_notice() -> None:
    assert not set(codes()) & set(error_codes())
    assert not set(_file("en", "notices.toml")["said"]) & set(_file("en", "terminal.toml")["said"])


@pytest.mark.parametrize("made", ["Unfit", "Absent", "Refused"])
def test_every_reason_why_something_is_not_measured_is_worded(made: str) -> None:
    reasons = {text for call in _calls(made) for text in _texts(call.args[-1])}
    assert reasons
    for language in LANGUAGES:
        assert {text for text in reasons if " " in text} <= set(_tables(language)["word"]), language


def test_numbers_days_and_words_are_written_as_the_language_does() -> None:
    told = notice("thickness-unstated", value="8", spread="1.5")
    assert "8 ± 1,5 mm" in sentence(told, "de")
    assert sentence(notice("gauge-expired", gauge="caliper-150", day="2026-03-01"), "cs").endswith("1. 3. 2026")
    refused = notice("piece-not-measured", "a.jpg", x="1", y="2", reason="only 40% of its outline is seen")
    assert "je vidět jen 40\u00a0% obrysu" in sentence(refused, "cs")
    assert sentence(refused) == (
        "a.jpg: the piece at pixel (1, 2) only 40% of its outline is seen, so it is not measured"
    )


def test_a_file_keeps_its_notices_beside_their_sentences() -> None:
    told = (notice("figure-type", figures="7", types=(notice("type-fits", names="h0"), notice("type-fits-none"))),)
    said = ("somebody's own remark", *map(sentence, told))
    file = MeasurementFile((Reading("coin.mass", "5.1", "1", "g"),), (), said, told)
    again = measurements_in(json.loads(json.dumps(as_json(file)), parse_float=Decimal), Path("x"))
    assert again.notices == told
    assert worded(again.warnings, again.notices, "it") == [
        "somebody's own remark", "figura 7: dalle dimensioni: corrisponde a h0; non corrisponde con certezza a nessun tipo",
    ]  # fmt: skip


def test_a_code_of_a_later_version_is_left_to_its_sentence() -> None:
    assert notices_in([{"code": "from-the-future", "facts": {}}, {"code": "glare", "facts": {}}], "x") == ()
    deep: dict[str, object] = {"code": "one-view", "facts": {}}
    for _ in range(6):
        deep = {"code": "one-view", "facts": {"more": deep}}
    for bad in ([{"code": 3}], "text", [{"code": "glare", "facts": []}], [deep]):
        with pytest.raises(BadInput):
            notices_in(bad, "x")


def test_figures_drawn_into_a_photo_have_the_readers_decimal_sign() -> None:
    assert in_figures_of("it", "41.12 ± 0.05 mm") == "41,12 ± 0,05 mm"
    assert in_figures_of("en", "41.12 ± 0.05 mm") == "41.12 ± 0.05 mm"


def test_the_words_beside_a_figure_are_in_the_readers_language() -> None:
    base = Feature(7.1, (Contribution("edge", 0.05),), characteristic="fig.base.height", pixel=(0, 0))
    assert figure._words(base, "de") == "Höhe des Sockels 7,10 ± 0,10 mm"


@pytest.mark.parametrize("language", OTHERS)
def test_a_full_disk_is_told_by_the_database_in_the_persons_language(language: str) -> None:
    told = notice("registry-cannot-used", reason="database or disk is full")
    assert "disk is full" in sentence(told)
    assert "disk is full" not in sentence(told, language)
