from __future__ import annotations

import pytest

from inspect_kit.certificate.content.findings import (  # fmt: skip
    GRID_FROM,
    groups_of,
    mark_of,
    omitted_of,
    percent,
    requirement,
    result_of,
    shown_unit,
)
from inspect_kit.certificate.content.wording import LANGUAGES, wording_for
from inspect_kit.errors import BadInput
from tests.certificate.records import coins, failing_coins, figure, line, record, seen, striker

EN = wording_for("en")


def said(text: str) -> str:
    return text.replace("\u202f", " ").replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"lower": "735", "upper": "740"}, "735 mm to 740 mm"),
        ({"nominal": "44.5", "lower": "43.0", "upper": "46.0"}, "44.5 mm ± 1.5 mm"),
        ({"nominal": "44.5", "lower": "44.0", "upper": "46.0"}, "44.5 mm (44.0 mm to 46.0 mm)"),
        ({"upper": "15"}, "≤ 15 mm"),
        ({"lower": "8"}, "≥ 8 mm"),
        ({"nominal": "101.5"}, "nominal 101.5 mm"),
        ({}, ""),
    ],
)
def test_limits_are_said_as_people_write_them(limits: dict[str, str], text: str) -> None:
    assert said(requirement(line("x", "1", **limits), EN)) == text


def test_a_count_is_exact_and_has_no_unit() -> None:
    counted = line("x", "4", nominal="4", lower="4", upper="4", unit="count", u=None)
    assert requirement(counted, EN) == "exactly 4"
    assert result_of(counted, striker(), EN).text == "4"


def test_lengths_are_shown_in_mm_and_areas_in_the_printed_unit() -> None:
    assert shown_unit(line("x", printed_unit="cm")) == "mm"
    assert shown_unit(line("x", unit="mm2", printed_unit="cm2")) == "cm2"
    assert shown_unit(line("x", unit="s/point", printed_unit="min/point")) == "min/point"
    assert shown_unit(line("x", unit="mm2", printed_unit="g")) == "mm2"


@pytest.mark.parametrize(
    ("share", "text"), [(0.842, "84 %"), (0.9999, "> 99 %"), (1.0, "> 99 %"), (0.004, "< 1 %"), (0.5, "50 %")]
)
def test_nothing_is_called_certain(share: float, text: str) -> None:
    assert said(percent(share, EN)) == text


def test_the_probability_is_told_only_where_the_verdict_is_conditional() -> None:
    open_line = line("x", "1", reason="conditional-fail", verdict="undecided", probability=0.3)
    assert "30" in mark_of(open_line, EN).reason
    assert "30" not in mark_of(line("x", "1", probability=0.3), EN).reason


def test_a_number_without_uncertainty_says_so_unless_it_was_counted() -> None:
    assert "not stated" in mark_of(line("x", "1", u=None), EN).reason
    assert "not stated" not in mark_of(line("x", "1", u=None, unit="count"), EN).reason
    unknown = mark_of(line("x", "1", u=None, reason="uncertainty-unknown", verdict="undecided"), EN).reason
    assert unknown == EN.say("reason.uncertainty-unknown")


def test_what_is_missing_is_counted() -> None:
    assert "19" in mark_of(line("coin.mass", missing=19, verdict="undecided", reason="not-measured"), EN).reason


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_observed_is_said_in_words(language: str) -> None:
    words = wording_for(language)
    assert result_of(seen("x"), striker(), words).text == words.say("observed.yes")
    assert result_of(seen("x", "white"), striker(), words).text == words.names["word"]["white"]
    assert result_of(seen("x", "mauve"), striker(), words).text == "mauve"


def test_lines_of_one_clause_and_characteristic_stand_together() -> None:
    groups = groups_of(coins(), EN)
    assert [len(group.rows) for group in groups] == [19, 19, 19]
    assert all(len(group.rows) >= GRID_FROM and "0.040" in group.spread for group in groups)


def test_uncertainties_that_differ_are_told_as_a_range() -> None:
    lines = [line("x", "1", instance=str(number), u=f"0.0{number}") for number in range(1, 8)]
    (group,) = groups_of(record(lines), EN)
    assert said(group.spread) == "𝑈 from 0.020 mm to 0.14 mm"


def test_a_note_that_several_clauses_share_is_numbered_once() -> None:
    lines = (line("a", "1", note="N"), line("b", "1", note="M"), line("c", "1", note="N"))
    assert [group.notes for group in groups_of(record(lines), EN)] == [(1,), (2,), (1,)]


def test_what_does_not_apply_is_grouped_by_reason_with_each_clause_once() -> None:
    outside = {"verdict": "not-applicable", "reason": "condition-not-met"}
    lines = (
        line("fig.mass", clause="VI 1", **outside),
        line("fig.height", clause="VI 1", **outside),
        line("fig.shape", clause="VI 2", **outside),
        line("fig.shape", clause="VI 2", instance="2", **outside),
        line("fig.parts", clause="VI 3", **{**outside, "reason": "not-measured"}),
        line("fig.type", "1", upper="2"),
    )
    assert [(field.label, said(field.text)) for field in omitted_of(record(lines), EN)] == [
        ("condition of the clause not met", "VI 1 Figure, mass; Figure, total height; VI 2 Figure, form"),
        ("not measured", "VI 3 Figure, parts"),
    ]
    assert [group.characteristic for group in groups_of(record(lines), EN)] == ["fig.type"]


def test_a_suspect_print_and_a_foreign_sheet_are_told() -> None:
    details = [said("; ".join(group.details)) for group in groups_of(figure(), EN)]
    assert "sheet house" in details[0]
    assert "printed: 4.1 cm; print suspect" in details[1]


def test_a_verdict_is_never_changed_on_the_way_to_the_paper() -> None:
    found = failing_coins()
    rows = [row for group in groups_of(found, EN) for row in group.rows]
    assert [row.mark.verdict for row in rows] == [entry.verdict for entry in found.lines]


def test_a_record_with_words_for_numbers_is_refused() -> None:
    with pytest.raises(BadInput, match=r"striker\.mass"):
        groups_of(record([line("striker.mass", "heavy", upper="15")]), EN)
