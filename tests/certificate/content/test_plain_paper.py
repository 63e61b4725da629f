"""No certificate shows what only the program knows: every item of every sheet, in every language, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Final

import pytest

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.certificate.content.cover import content_of
from inspect_kit.certificate.content.model import Issue
from inspect_kit.errors import LANGUAGES
from inspect_kit.inspection.catalogue import all_names
from inspect_kit.inspection.record import Record, Subject, left_out_of
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from tests.silence import DAY, cases

CODES: Final = frozenset(
    {"characteristic", "instance", "verdict", "language", "key", "logo", "document_title", "author"}
)
"""Fields that are never set in type."""

SUBJECT: Final = Subject("12", inspector="R. R.")
ID: Final = re.compile(
    r"(?<![\w.])(" + "|".join(map(re.escape, sorted(all_names(), key=len, reverse=True))) + r")(?![\w])"
)
FORMULA: Final = re.compile(r"==|count\(|max\(|min\(|abs\(|\b[a-z]+_[a-z_]+\b")
HINT: Final = re.compile(r"--[a-z]|inspect-kit (?!0)|`|\brecord(?:ed)? [a-z]+\.[a-z]")
POINT: Final = re.compile(r"\d\.\d")
CITED: Final = ("8.3", "8.2", "0.1.0", "4.0", "1.1")
"""Numbers with points that are no quantities: of a standard's clause, the program's version, a sheet's edition and clause."""

ENGLISH: Final = re.compile(
    r"\b(the|and|with|not|must|should|value|which|than|from|into|each|every|left|seen|yes|no-clock|clock|two|none|"
    r"unknown|measured|sheet|clause|only|inspector)\b"
)
QUOTED: Final = "Mich. R 432.1814 and R 432.1818, 68 IAC 14-3-3 and 14-3-7, S.D. 20:18:19:10, Md. 36.05.02.12"
"""A publisher, as it names itself."""


def texts(part: object) -> Iterator[str]:
    """Every text of a document's content."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple | list):
        for each in part:
            yield from texts(each)
    elif isinstance(part, dict):
        yield from texts(list(part.values()))
    elif is_dataclass(part) and not isinstance(part, type):
        for field in fields(part):
            if field.name not in CODES:
                yield from texts(getattr(part, field.name))


@cache
def records() -> tuple[Record, ...]:
    """Every item twice: complete under each answer to its conditions, and with next to nothing known."""
    made = []
    for case in cases():
        readings = case.readings()
        made.append(record_of(case.judged(readings), SUBJECT))
        task = Task(case.sheet, case.sheet.item(case.item), RuleName.SIMPLE, DAY)
        made.append(record_of(inspect(task, [MeasurementFile(tuple(readings[:1]))]), SUBJECT))
    return tuple(made)


def clauses_of(record: Record) -> list[str]:
    """How the record's rules number their clauses, longest first."""
    found = {line.clause for line in record.lines} | {each.clause for each in left_out_of(record.sheet)}
    found |= {each.clause for each in record.item.check_again}
    return sorted(found, key=len, reverse=True)


@cache
def printed(language: str) -> frozenset[tuple[str, str]]:
    """Every text that stands on some paper, and the same without numbers of clauses."""
    made: set[tuple[str, str]] = set()
    for record in records():
        clauses = clauses_of(record)
        # Full detail prints what the ordinary paper prints, and more.
        for text in set(texts(content_of(record, language, Issue(detail="full")))):
            plain = text.replace("\u00a0", " ").replace(QUOTED, "")
            for clause in clauses:
                plain = plain.replace(clause, "")
            made.add((text, plain))
    return frozenset(made)


def offending(language: str, *patterns: re.Pattern[str]) -> list[str]:
    return sorted(text for text, plain in printed(language) for each in patterns if each.search(plain))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_paper_of_any_item_shows_an_id_a_formula_or_a_hint_for_the_program(language: str) -> None:
    assert not offending(language, ID, FORMULA, HINT)


@pytest.mark.parametrize("language", ["de", "cs", "it"])
def test_no_paper_of_any_item_has_a_decimal_point_where_a_comma_is_written(language: str) -> None:
    cited = re.compile("|".join((r"\b(?:[IVX]+|R) \d+(?:\.\d+)+", *map(re.escape, CITED))))
    assert not [text for text, plain in printed(language) if POINT.search(cited.sub("", plain))]


@pytest.mark.parametrize("language", ["de", "cs", "it"])
def test_no_paper_of_any_item_is_left_in_english(language: str) -> None:
    assert not offending(language, ENGLISH)
