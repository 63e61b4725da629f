from __future__ import annotations

import pytest

from inspect_kit.certificate.content.cover import content_of
from inspect_kit.certificate.content.findings import (  # fmt: skip
    groups_of,
    mark_of,
    omitted_of,
    percent,
    requirement,
    result_of,
    shown_unit,
)
from inspect_kit.certificate.content.model import Issue
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.errors import LANGUAGES, BadInput
from inspect_kit.inspection.record import RawReading
from tests.certificate.records import coins, failing_coins, figure, line, record, seen, striker

EN = wording_for("en")


def said(text: str) -> str:
    return text.replace("\u202f", " ").replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"lower": "735", "upper": "740"}, "735 to 740 mm"),
        ({"nominal": "44.5", "lower": "43.0", "upper": "46.0"}, "44.5 ± 1.5 mm"),
        ({"nominal": "44.5", "lower": "44.0", "upper": "46.0"}, "44.5 mm (44.0 to 46.0 mm)"),
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
    assert all("0.040" in group.spread for group in groups)


def test_uncertainties_that_differ_stand_with_each_value() -> None:
    lines = [line("x", "1", instance=str(number), u=f"0.0{number}") for number in range(1, 8)]
    (group,) = groups_of(record(lines), EN)
    assert group.spread == ""
    assert all("±" in row.result.expanded for row in group.rows)


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
        ("Does not apply to this item", "VI 1 Figure, mass; Figure, total height; VI 2 Figure, form"),
        ("Not looked at (not binding)", "VI 3 Figure, parts"),
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


# By what a value was found


def test_each_value_names_its_instrument_and_whether_it_was_sent_or_typed() -> None:
    lines = (line("striker.diameter", "41.02"), line("striker.mass", "14.82", unit="g"), seen("striker.shape"))
    sent = RawReading("striker.mass", "14.82", unit="g", raw="S S 14.82 g", instrument="caliper-150")
    groups = groups_of(record(lines, readings=(sent,)), EN)
    assert [group.rows[0].means for group in groups] == ["A", "A*", "seen"]


def test_a_photograph_and_a_calculation_are_called_what_they_are() -> None:
    lines = (line("striker.diameter", "41", photographed=True), line("coin.spread", "0.1", formula="max(x) - min(x)"))
    groups = groups_of(record(lines), wording_for("de"))
    assert [group.rows[0].means for group in groups] == ["Foto", "ber."]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_formula_and_no_sheets_suggestion_of_a_method_is_printed(language: str) -> None:
    text = str(
        content_of(striker(lines=(line("coin.spread", "0.1", formula="max(a.b) - min(a.b)"),)), language, Issue())
    )
    assert "max(" not in text
    assert "Caliper across it." not in text


# Names of pieces and grammar


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ["white 1", "black 7", "queen"]), ("de", ["weiß 1", "schwarz 7", "Königin"]),
        ("cs", ["bílý 1", "černý 7", "královna"]), ("it", ["bianca 1", "nera 7", "regina"]),
    ],
)  # fmt: skip
def test_marks_of_pieces_are_words_of_the_reader(language: str, labels: list[str]) -> None:
    assert [wording_for(language).instance(code) for code in ("w1", "b7", "queen")] == labels


@pytest.mark.parametrize(
    ("number", "said_in_czech"), [("1", "1 přejezd"), ("4", "4 přejezdy"), ("5", "5 přejezdů"), ("3,5", "3,5 přejezdů")]
)
def test_counted_things_stand_in_their_grammatical_number(number: str, said_in_czech: str) -> None:
    assert said(wording_for("cs").quantity(number, "runs")) == said_in_czech


def test_what_is_nominal_of_a_mass_is_no_measure_in_german() -> None:
    assert said(requirement(line("x", "15", nominal="15", unit="g"), wording_for("de"))) == "Nennwert 15 g"


def test_a_quoted_print_has_the_decimal_sign_of_the_reader() -> None:
    (group,) = groups_of(record([line("x", "1", printed="4.1 cm", suspect=True)]), wording_for("it"))
    assert "4,1 cm" in group.details[0]
