"""What can go wrong is a code with facts: every one of them can be said in every language, and no other text is raised."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from inspect_kit.errors import (
    ENGLISH,
    LANGUAGES,
    BadInput,
    InspectKitError,
    UsageError,
    codes,
    error_codes,
    fact_names,
    fault,
    notice,
    sentence,
)
from inspect_kit.inspection.record import open_record
from inspect_kit.tomlfile import read_toml
from tests.source import calls, trees

ROOT = Path(__file__).parent.parent
OTHERS = tuple(language for language in LANGUAGES if language != ENGLISH)
ERRORS = {
    "BadInput",
    "BadParameter",
    "ClickException",
    "UsageError",
    "BrokenSeal",
    "AlreadyIssued",
    "LabelTaken",
    "BadFormula",
    "system_errors_as",
}
ELSEWHERE = {"words", "say"}
"""Functions whose texts are in the person's language already: those of the station and of the guided way."""


def _table(language: str) -> dict[str, list[str]]:
    text = (ROOT / "reports" / "wording" / language / "errors.toml").read_text(encoding="utf-8")
    return {code: [said] if isinstance(said, str) else said for code, said in tomllib.loads(text).items()}


@cache
def _calls() -> tuple[tuple[str, ast.Module, ast.expr, ast.Call], ...]:
    """Where each error and fault is made, and the argument that is its code."""
    found = []
    for path, name, node in calls():
        if name in ERRORS and node.args and path != "errors.py":
            found.append((path, trees()[path], node.args[0], node))
        elif name == "fault" and len(node.args) > 1 and ast.unparse(node.args[1]) != "code":
            found.append((path, trees()[path], node.args[1], node))
    return tuple(found)


def _codes(argument: ast.expr, tree: ast.Module) -> list[str]:
    """The codes an argument can be; a text with gaps is all codes of that shape."""
    match argument:
        case ast.Constant(str() as code):
            return [code]
        case ast.IfExp():
            return _codes(argument.body, tree) + _codes(argument.orelse, tree)
        case ast.BoolOp():
            return [code for value in argument.values for code in _codes(value, tree)]
        case ast.JoinedStr(values=parts):
            shape = "".join(str(part.value) if isinstance(part, ast.Constant) else "[a-z-]*" for part in parts)
            return [code for code in error_codes() if re.fullmatch(shape, code)] or [f"{shape} is no code"]
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return _assigned(
                getattr(argument, "id", getattr(argument, "attr", "")) or ast.unparse(argument.value), tree
            )
    return [f"{ast.unparse(argument)} is no code"]


def _assigned(name: str, tree: ast.Module) -> list[str]:
    """The texts that a name is given anywhere in its module."""
    found = []
    for node in ast.walk(tree):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        named = any(getattr(target, "id", getattr(target, "attr", "")) == name for target in targets)
        if named and node.value is not None:  # type: ignore[attr-defined]
            found += [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant) and part.value]  # type: ignore[attr-defined]
    said = [text for text in found if isinstance(text, str) and ("-" in text or " " in text)]
    return said or [f"{name} is no code"]


def _worded_already(argument: ast.expr) -> bool:
    name = argument.func if isinstance(argument, ast.Call) else None
    return getattr(name, "attr", getattr(name, "id", "")) in ELSEWHERE


def test_every_error_of_the_program_is_a_code_with_all_its_facts() -> None:
    found = _calls()
    assert len(found) > 600
    for path, tree, argument, call in found:
        if _worded_already(argument):
            continue
        for code in _codes(argument, tree):
            assert code in error_codes(), (path, call.lineno, code)
            given = {keyword.arg for keyword in call.keywords}
            given |= {"reason"} if ast.unparse(call.func) == "system_errors_as" else set()
            # A name is given one code or another, perhaps for another error: which facts it needs is not told here.
            told = (
                isinstance(argument, ast.Name | ast.JoinedStr | ast.IfExp) or None in given or fact_names(code) <= given
            )
            assert told, (path, call.lineno, code)


def test_no_error_gives_advice_in_a_language() -> None:
    """Advice is part of the code's wording, or a notice of its own."""
    for path, _, _, call in _calls():
        advice = [keyword.value for keyword in call.keywords if keyword.arg == "hint"] + call.args[2:]
        for value in advice:
            texts = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
            said = [text for text in texts if isinstance(text, str) and not text.startswith("inspect-kit ")]
            assert not [text for text in said if " " in text.strip(", |/")], (path, call.lineno)


LIBRARIES_SPEAK = {"cannot-find", "cannot-loaded", "no-cluster-answers", "not-made"}
"""Codes with a library's own sentence: for whoever programs a batch, and what the database says, which is worded."""


def test_no_error_passes_on_the_english_of_a_library() -> None:
    """A parser's own sentence is in nobody's language but English: the code says where, not what the parser thinks."""
    for path, _, argument, call in _calls():
        told = {ast.unparse(keyword.value) for keyword in call.keywords}
        passed_on = told & {"problem", "str(problem)"} or {each for each in told if each.startswith("str(problem)")}
        assert not passed_on or ast.literal_eval(argument) in LIBRARIES_SPEAK, (path, call.lineno)


def test_every_code_is_used() -> None:
    """In the program's own text, or as the fact of another one."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "inspect_kit").rglob("*.py"))
    made = {
        code
        for _, tree, argument, _ in _calls()
        if any(isinstance(part, ast.JoinedStr) for part in ast.walk(argument))
        for code in _codes(argument, tree)
    }
    assert not [code for code in error_codes() if f'"{code}"' not in text and code not in made]


@pytest.mark.parametrize("language", OTHERS)
def test_every_error_is_worded_in_every_language_with_the_same_gaps(language: str) -> None:
    english, other = _table(ENGLISH), _table(language)
    assert set(english) == set(other)
    for code, said in english.items():
        assert len(other[code]) == len(said), code
        for mine, theirs in zip(said, other[code], strict=True):
            gaps = re.compile(r"{\w+(?:!r)?}")
            assert set(gaps.findall(mine)) == set(gaps.findall(theirs)), (language, code)


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_of_an_error_is_left_in_english(language: str) -> None:
    english, other = _table(ENGLISH), _table(language)
    same = [
        (code, text)
        for code, said in english.items()
        for text, theirs in zip(said, other[code], strict=False)
        if text == theirs and len(re.findall(r"(?<![-./`{\w])[a-z]{3,}(?![-./}=\w])", text)) > 1
    ]
    commands = [text for _, text in same if not text.startswith(("inspect-kit ", "pip install ", "--"))]
    assert not commands


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_can_be_said(language: str) -> None:
    for code in error_codes():
        assert code not in codes(), code
        problem = BadInput(code, where="coins.csv: line 7", **dict.fromkeys(fact_names(code), "x7"))
        said = problem.said(language)
        assert said.startswith("coins.csv: ")
        assert ("line 7" in said) == (language == ENGLISH)
        assert str(problem) == problem.said(ENGLISH)


def test_an_error_says_its_facts_as_the_language_writes_them_and_quotes_what_was_typed() -> None:
    problem = BadInput("more-than-rows", where="a.csv", max_rows="10,000")
    assert str(problem) == "a.csv: has more than 10,000 rows"
    assert "10\u202f000" in problem.said("de")
    assert "'8.1'" in BadInput("expected-number-got", text="8.1").said("de")


def test_an_error_can_be_said_again_at_another_place() -> None:
    problem = BadInput("is-folder", where="here")
    again = UsageError.of(problem.fault, where="--out")
    assert isinstance(again, UsageError)
    assert (again.where, again.why, again.hint) == ("--out", problem.why, problem.hint)
    assert isinstance(again, InspectKitError)


def test_a_reason_within_an_error_is_in_the_same_language() -> None:
    outer = fault("x.toml", "not-a-range", reason=notice("expected-number-got", text="a"))
    assert sentence(notice("expected-number-got", text="a"), "de") in outer.said("de")


def test_a_second_place_that_an_error_names_is_said_in_the_language() -> None:
    twice = BadInput("stands-twice-in-files", where="a.csv: line 8", what="striker.mass", place="a.csv: line 4")
    assert "a.csv: Zeile 4" in twice.said("de")
    assert "line" not in twice.said("cs")


@pytest.mark.parametrize(
    ("text", "said"),
    [("a = = 1", "ist kein TOML: in Zeile 1, Spalte 5 stimmt etwas nicht"), ("a = [1,", "ist kein TOML")],
)
def test_a_sheet_that_is_no_toml_is_told_without_the_parsers_english(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as refusal:
        read_toml(path)
    assert refusal.value.said("de") == f"{path}: {said}"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"format": 1', "ist keine Aufzeichnung: bei $ passt etwas nicht"),
        (b'{"format": 1}', "ist keine Aufzeichnung: bei $.sheet passt etwas nicht"),
        (b'{"format": "x"}', "ist keine Aufzeichnung: bei $.format passt etwas nicht"),
    ],
)
def test_a_record_that_does_not_fit_is_told_with_the_place(content: bytes, said: str) -> None:
    with pytest.raises(BadInput) as refusal:
        open_record(content)
    assert refusal.value.said("de").endswith(said)
