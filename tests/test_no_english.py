"""No English sentence reaches a terminal, a page or a drawing but by the wording files: the source is walked for them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.source import called, trees

ROOT: Final = Path(__file__).parent.parent
SENTENCE: Final = re.compile(r"[A-Za-z]{2,}[,;:]? (?:[A-Za-z'’]+[,;:]? )+[A-Za-z]{2,}")
"""Three words or more."""
WORD: Final = re.compile(r"[A-Za-z]{3,}")
SAYING: Final = frozenset({"echo", "secho", "prompt", "confirm", "warn", "write_text"})
DRAWING: Final = frozenset({"set_title", "set_xlabel", "set_ylabel", "suptitle", "annotate"})
NAMED: Final = frozenset({"label", "title", "prompt"})
"""Arguments by name that people read: of progress bars, legends and lines."""
FAULTS: Final = frozenset(
    {"ValueError", "TypeError", "AssertionError", "AttributeError", "LookupError", "RuntimeError"}
)
"""Errors of whoever programs, never of a user."""
SAME_EVERYWHERE: Final = re.compile(
    r"inspect-kit [\w -]*| --[a-z]+ |Cpk|Ppk|Cpm|Cgk|GRR|ndc|kappa|UCL|LCL|data|axes|fraction|offset|points|center|left|top|bottom"
)
"""Commands, symbols of the field, and matplotlib's names of places and alignments."""
ELSEWHERE: Final = {
    "api/": "for programmers, in English",
    "__init__.py": "for programmers, in English",
    "certificate/issue/issue.py": "the signature's reason, in four languages beside each other",
    "certificate/pages/pdfa.py": "XML that no person reads",
    "cli/instruments/read.py": "help, worded in help.toml",
    "cli/photo/measure.py": "help, worded in help.toml",
    "capture/devices/": "makers in the table of protocols",
    "capture/protocols/": "makers in the table of protocols",
    "judgement/risk.py": "for programmers: how a risk shows itself",
    "quality/exchange/": "files of other standards, in English as those",
    "quality/gauge/sheet.py": "a remark in an instrument sheet; sheets are English",
    "quality/lot/study.py": "an assertion",
    "registry/migrations/": "SQL",
    "registry/roles.py": "SQL",
    "registry/opening.py": "SQL, and sentences of SQLite by which trouble is known",
    "registry/checkin/accounts.py": "what is hashed where nobody has a PIN",
    "checkin/roster.py": "headings of others' lists, in four languages",
    "registry/auditing.py": "SQL, and the mark by which its guards are known",
    "station/service/": "a JSON interface for programs, in English",
    "station/web/guard.py": "headers of HTTP",
    "vision/fitting/": "errors of whoever programs",
    "vision/reference/everyday.py": "marks of coins in a table",
}
"""Where sentences may stand that are not worded, and why."""


def _texts(node: ast.AST) -> Iterator[ast.Constant]:
    return (each for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str))


def _handed_over(node: ast.expr) -> Iterator[str]:
    """The words of an argument as they would be read: of texts, parts of texts and choices, not of calls within."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr | ast.Tuple | ast.List):
        for part in node.values if isinstance(node, ast.JoinedStr) else node.elts:
            yield from _handed_over(part)
    elif isinstance(node, ast.FormattedValue):
        yield from _handed_over(node.value)
    elif isinstance(node, ast.IfExp):
        yield from (*_handed_over(node.body), *_handed_over(node.orelse))
    elif isinstance(node, ast.BinOp):
        yield from (*_handed_over(node.left), *_handed_over(node.right))


def _shown(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = called(call)
        said = [each.value for each in call.keywords if each.arg in NAMED]
        said += call.args[:1] if name in SAYING | DRAWING else []
        for text in (text for each in said for text in _handed_over(each)):
            yield call.lineno, text


@pytest.mark.parametrize("room", ["cli", "quality", "measure", "vision"])
def test_what_is_printed_asked_or_drawn_comes_from_the_wording(room: str) -> None:
    english = [
        f"{path}:{line}: {text}"
        for path, tree in trees().items()
        if path.startswith(f"{room}/")
        for line, text in _shown(tree)
        if WORD.search(SAME_EVERYWHERE.sub("", text)) and not re.fullmatch(r"[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)+", text)
    ]
    assert english == []


def _never_read(tree: ast.Module) -> set[int]:
    """Docstrings, help (which `help.toml` words), and errors of whoever programs."""
    aside: list[ast.AST] = []
    for node in ast.walk(tree):
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        helping = isinstance(node, ast.keyword) and node.arg == "help"
        programming = isinstance(node, ast.Call) and called(node) in FAULTS | {"Lazy", "debug", "warning"}
        if alone or helping or programming:
            aside.append(node)
    return {id(text) for each in aside for text in _texts(each)}


def _worded() -> set[str]:
    """What the wording files word by its English."""
    found: set[str] = set()
    for name in ("notices", "terminal", "names", "sentences", "help"):
        tables = tomllib.loads((ROOT / "reports" / "wording" / "de" / f"{name}.toml").read_text(encoding="utf-8"))
        found.update(tables, *(table for table in tables.values() if isinstance(table, dict)))
    return found


def test_every_sentence_in_the_source_is_worded_or_has_a_reason() -> None:
    words = _worded()
    words |= {part.lstrip("%") for text in words for part in text.split("#")}
    english = []
    for path, tree in trees().items():
        if path.startswith(tuple(ELSEWHERE)):
            continue
        aside = _never_read(tree)
        for text in _texts(tree):
            said = str(text.value)
            known = said in words or re.sub(r"\d+(?:\.\d+)?", "#", said) in words or said.startswith("inspect-kit ")
            if id(text) not in aside and SENTENCE.search(said) and not known:
                english.append(f"{path}:{text.lineno}: {said[:80]}")
    assert english == []


def test_every_exception_is_needed() -> None:
    assert [place for place in ELSEWHERE if not any(path.startswith(place) for path in trees())] == []


@pytest.mark.parametrize("source", [
    'click.echo(f"{count} photos measured")', 'warn(("not encrypted",))', 'axes.set_title("faults found")',
    'bar(paths, label="reading")', 'click.echo("accepted" if good else "refused")',
])  # fmt: skip
def test_english_would_be_found(source: str) -> None:
    assert any(WORD.search(text) for _, text in _shown(ast.parse(source)))
