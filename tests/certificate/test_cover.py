from __future__ import annotations

import re

import msgspec
import pytest

from inspect_kit.certificate.content import Field, Paragraph, Plan
from inspect_kit.certificate.cover import content_of, reference_of
from inspect_kit.certificate.front import _pairs
from inspect_kit.certificate.issue import Issue
from inspect_kit.certificate.wording import LANGUAGES, wording_for
from inspect_kit.errors import BadInput
from tests.certificate.records import ALL, board, coins, failing_coins, failing_striker, figure, striker


def test_the_reference_is_letters_and_digits_in_groups_and_the_start_of_the_digest() -> None:
    reference = reference_of(striker())
    assert re.fullmatch(r"[0-9A-F]{4}( [0-9A-F]{4}){3}", reference)
    assert striker().digest.startswith(reference.replace(" ", "").lower())


def test_a_number_takes_the_place_of_the_reference() -> None:
    running = content_of(striker(), "en", Issue(number="N-1")).running
    assert (running.reference_label, running.reference) == ("Number", "N-1")


def test_empty_fields_are_left_out() -> None:
    labels = [field.label for field in content_of(striker(), "en", Issue()).cover.identification]
    assert "Owner" in labels
    assert not {"Valid until", "Replaces", "Date of issue"} & set(labels)


def test_boxes_name_what_fails_first_and_what_is_open_after() -> None:
    boxes = content_of(failing_striker(), "en", Issue()).cover.boxes
    assert [box.verdict for box in boxes] == ["fails", "undecided"]
    assert [len(box.entries) for box in boxes] == [1, 2]
    assert "above the upper limit" in boxes[0].entries[0].text


def test_a_certificate_has_no_boxes() -> None:
    assert content_of(coins(), "en", Issue()).cover.boxes == ()


def test_only_the_piece_that_fails_is_named() -> None:
    entry = content_of(failing_coins(), "en", Issue()).cover.boxes[0].entries[0]
    assert entry.text.startswith("5: 5.710")


def test_the_tally_counts_every_line() -> None:
    record = board()
    cover = content_of(record, "en", Issue()).cover
    assert sum(count for _, count in cover.tally) == len(record.lines)


@pytest.mark.parametrize("name", ALL)
def test_only_a_carrom_board_is_drawn(name: str) -> None:
    content = content_of(ALL[name], "en", Issue())
    plans = [block for section in content.sections for block in section.blocks if isinstance(block, Plan)]
    assert bool(plans) is name.endswith("board")


@pytest.mark.parametrize("language", LANGUAGES)
def test_sections_without_anything_to_say_are_left_out(language: str) -> None:
    words = wording_for(language)
    headings = [section.heading for section in content_of(striker(), language, Issue()).sections]
    assert words.say("heading.house") not in headings
    assert words.say("heading.house") in [s.heading for s in content_of(figure(), language, Issue()).sections]
    assert headings[0] == words.say("heading.results")
    assert headings[-1] == words.say("heading.statements")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_programs_own_warnings_are_worded_in_the_language(language: str) -> None:
    sections = content_of(striker(), language, Issue()).sections
    words = wording_for(language)
    remarks = next(section for section in sections if section.heading == words.say("heading.remarks"))
    assert remarks.blocks == (Paragraph(words.say("remark.uncalibrated", id="caliper-150")),)


def test_a_replaced_document_is_named_in_the_statements() -> None:
    statements = content_of(striker(), "en", Issue(replaces="N-0")).sections[-1]
    assert any("N-0" in block.text for block in statements.blocks if isinstance(block, Paragraph))


@pytest.mark.parametrize("field", ["issued_on", "valid_until"])
def test_a_date_that_is_none_is_refused_by_name(field: str) -> None:
    with pytest.raises(BadInput, match=field):
        content_of(striker(), "en", Issue(**{field: "tomorrow"}))


def test_short_fields_of_a_report_stand_side_by_side_and_none_is_lost() -> None:
    fields = [Field("a", "x" * (100 if number % 3 == 0 else 5)) for number in range(10)]
    pairs = list(_pairs(fields))
    assert sorted(map(id, (field for pair in pairs for field in pair))) == sorted(map(id, fields))
    assert max(map(len, pairs)) == 2


@pytest.mark.parametrize("claimed", ["conforms", "undecided", "splendid"])
def test_a_verdict_that_contradicts_its_lines_gets_no_document(claimed: str) -> None:
    with pytest.raises(BadInput, match="verdict"):
        content_of(msgspec.structs.replace(failing_striker(), verdict=claimed), "en", Issue())


def test_an_unknown_rule_or_line_verdict_is_refused() -> None:
    with pytest.raises(BadInput, match="rule"):
        content_of(striker(rule="lenient"), "en", Issue())
    lines = (msgspec.structs.replace(striker().lines[0], verdict="fine"),)
    with pytest.raises(BadInput, match=r"lines\[0\]"):
        content_of(striker(lines=lines), "en", Issue())
