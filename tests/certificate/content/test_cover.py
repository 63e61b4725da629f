from __future__ import annotations

import re
import tomllib

import msgspec
import pytest

from inspect_kit.certificate.content.cover import content_of, reference_of
from inspect_kit.certificate.content.model import BoardPlan, Columned, Facts, Field, Issue, Listing, Paragraph, Results
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.pages.front import _pairs
from inspect_kit.errors import LANGUAGES, BadInput, Notice, fact_names, sentence
from inspect_kit.inspection.record import BudgetSource, Line, RawReading, Record, Unjudged
from inspect_kit.places import shipped
from inspect_kit.rulebook.library import load
from tests.certificate.records import (
    ALL,
    UNDATED,
    board,
    coins,
    failing_coins,
    failing_striker,
    figure,
    line,
    record,
    striker,
)


def test_the_reference_is_letters_and_digits_in_groups_and_the_start_of_the_digest() -> None:
    reference = reference_of(striker())
    assert re.fullmatch(r"[0-9A-F]{4}( [0-9A-F]{4}){3}", reference)
    assert striker().digest.startswith(reference.replace(" ", "").lower())


def test_a_number_takes_the_place_of_the_reference() -> None:
    running = content_of(striker(), "en", Issue(number="N-1"))
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
    plans = [block for section in content.sections for block in section.blocks if isinstance(block, BoardPlan)]
    assert bool(plans) is name.endswith("board")


@pytest.mark.parametrize("language", LANGUAGES)
def test_sections_without_anything_to_say_are_left_out(language: str) -> None:
    words = wording_for(language)
    headings = [section.heading for section in content_of(striker(), language, Issue()).sections]
    assert words.say("heading.house") not in headings
    assert words.say("heading.house") in [s.heading for s in content_of(figure(), language, Issue()).sections]
    assert headings[0] == words.say("heading.results")
    assert headings[-1] == words.say("heading.decision")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_programs_own_warnings_are_worded_in_the_language(language: str) -> None:
    sections = content_of(striker(), language, Issue()).sections
    words = wording_for(language)
    remarks = next(section for section in sections if section.heading == words.say("heading.remarks"))
    assert remarks.blocks == (Paragraph(sentence(UNDATED, language, printed=words.day)),)


@pytest.mark.parametrize("language", ["de", "cs", "it"])
def test_no_english_sentence_of_the_program_reaches_a_certificate_in_another_language(language: str) -> None:
    # Of the codes there are, a record keeps notices; the lines and headings of a terminal stay on the terminal.
    notices = tomllib.loads((shipped("reports") / "wording" / "en" / "notices.toml").read_text(encoding="utf-8"))
    said = [code for code in notices["said"] if not code.startswith("head-")]
    told = [Notice(code, tuple((name, "7.25") for name in sorted(fact_names(code)))) for code in said]
    spoken = [each for each in told if re.sub(r"[^a-z]", "", sentence(each))]
    full = striker(warnings=tuple(map(sentence, told)), notices=tuple(each.as_data() for each in told))
    text = "\n".join(
        block.text
        for section in content_of(full, language, Issue()).sections
        for block in section.blocks
        if isinstance(block, Paragraph)
    )
    for each in spoken:
        assert sentence(each) not in text, each.code
    assert text.count("7,25") > 40


def test_what_a_person_wrote_is_printed_as_it_was_written() -> None:
    sections = content_of(striker(warnings=("Chipped at the rim.",)), "de", Issue()).sections
    assert Paragraph("Chipped at the rim.") in [block for section in sections for block in section.blocks]


def test_a_replaced_document_is_named_in_the_statements() -> None:
    statements = content_of(striker(), "en", Issue(replaces="N-0")).sections[-1]
    assert any("N-0" in text for block in statements.blocks if isinstance(block, Columned) for text in block.paragraphs)


@pytest.mark.parametrize("field", ["issued_on", "valid_until"])
def test_a_date_that_is_none_is_refused_by_name(field: str) -> None:
    with pytest.raises(BadInput, match=field):
        content_of(striker(), "en", Issue(**{field: "tomorrow"}))


# What does not apply, what instruments sent, how it was measured


def foreign(characteristic: str, reason: str = "condition-not-met", **changes: object) -> Line:
    return line(characteristic, verdict="not-applicable", reason=reason, note="Only for others.", **changes)


def with_foreign_lines() -> Record:
    lines = (*striker().lines, foreign("rel.striker_pocket", "not-measured", clause="A.3"), foreign("fig.mass"))
    return striker(lines=lines)


def test_what_does_not_apply_is_listed_after_the_table_and_still_counted() -> None:
    content = content_of(with_foreign_lines(), "en", Issue())
    results = content.sections[0].blocks
    assert isinstance(results[0], Results)
    assert [group.characteristic for group in results[0].groups] == [entry.characteristic for entry in striker().lines]
    assert isinstance(results[1], Facts)
    assert results[1].title == "What was not judged"
    assert dict(content.cover.tally)["not applicable"] == 2


def test_neither_notes_nor_method_speak_of_what_does_not_apply() -> None:
    plain, longer = (content_of(made, "en", Issue()).sections for made in (striker(), with_foreign_lines()))
    digests = plain[-1], longer[-1]
    assert plain[1:-1] == longer[1:-1]
    assert digests[0] != digests[1]


def test_a_record_of_nothing_that_applies_has_no_empty_table() -> None:
    sections = content_of(record([foreign("fig.mass")], verdict="undecided"), "en", Issue()).sections
    assert not any(isinstance(block, Results) for section in sections for block in section.blocks)


def listings(made: Record, heading: str) -> list[Listing]:
    full = content_of(made, "en", Issue(detail="full" if heading == wording_for("en").say("heading.method") else ""))
    sections = [section for section in full.sections if section.heading == heading]
    return [block for section in sections for block in section.blocks if isinstance(block, Listing)]


def test_readings_are_printed_where_an_instrument_sent_a_line_or_the_result_is_not_the_reading() -> None:
    sent = RawReading("striker.mass", "14.82", unit="g", raw="ST,GS,+0014.82 g\r\n", instrument="scale")
    heading = wording_for("en").say("heading.readings")
    for raw in ("", "14.82", "14.82 g", "14.82g"):
        typed = RawReading("striker.mass", "14.82", unit="g", raw=raw)
        assert listings(striker(readings=(typed,)), heading) == []
    (averaged,) = listings(striker(readings=(typed, msgspec.structs.replace(typed, value="14.86"))), heading)
    assert [row[2] for row in averaged.rows] == ["14.82\u202fg", "14.86\u202fg"]
    (listing,) = listings(striker(readings=(sent,)), heading)
    assert [row[-1] for row in listing.rows] == ["ST,GS,+0014.82 g"]


def test_a_line_of_an_instrument_prints_its_control_characters_as_codes() -> None:
    odd = RawReading("striker.mass", "14.82", raw="\x02 14.82\x1b\u6f22")
    (listing,) = listings(striker(readings=(odd,)), wording_for("en").say("heading.readings"))
    assert listing.rows[0][-1] == "\\x02 14.82\\x1b\\u6f22"


def test_characteristics_measured_alike_and_equally_well_share_a_row_of_the_method() -> None:
    same = [line(name, "20", upper="30") for name in ("fig.base.diameter", "fig.base.height")]
    other = line("fig.height", "20", upper="30", u="0.5")
    (listing,) = listings(record([*same, other]), wording_for("en").say("heading.method"))
    assert [row[0].replace("\u00a0", " ") for row in listing.rows] == [
        "C Figure base, diameter; Figure base, height",
        "C Figure, total height",
    ]


def test_components_of_a_derived_value_are_added_up_by_their_kind() -> None:
    parts = (
        BudgetSource("a: handling", "0.03"),
        BudgetSource("b n: handling", "0.04"),
        BudgetSource("calibration", "0.025"),
    )
    (listing,) = listings(record([line("x", "1", upper="2", budget=parts)]), wording_for("en").say("heading.method"))
    assert listing.rows[0][-1].split(", ") == ["handling\u00a080\u202f%", "calibration\u00a020\u202f%"]


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


# What is said of the rules


def said(record: Record, language: str = "en") -> str:
    return " ".join(
        f"{field.label}: {field.text}" for field in content_of(record, language, Issue()).cover.identification
    )


def test_a_model_sheets_disclaimer_stands_on_the_first_page() -> None:
    assert "Not the federation's." in said(figure())


def test_an_edition_that_was_superseded_says_so_on_the_first_page() -> None:
    sheet = msgspec.structs.replace(striker().sheet, superseded="Later editions of the rules have been published.")
    assert "Spätere Ausgaben der Regeln sind erschienen." in said(striker(sheet=sheet), "de")


@pytest.mark.parametrize(("sheet", "phrase"), [("wbgf-2.1", "English original prevails"), ("fistf-4.0", "unofficial")])
def test_each_sheet_says_which_text_prevails(sheet: str, phrase: str) -> None:
    loaded = load(sheet)
    assert phrase in loaded.prevails
    ref = msgspec.structs.replace(striker().sheet, prevails=loaded.prevails)
    statements = content_of(striker(sheet=ref), "en", Issue()).sections[-1].blocks[0]
    assert loaded.prevails in str(statements)


def test_a_federations_own_overlay_is_not_called_house_rules() -> None:
    over = msgspec.structs.replace(figure().sheet.overlays[0], standing="federation")
    sheet = msgspec.structs.replace(figure().sheet, overlays=(over,))
    assert "House rules:" not in said(msgspec.structs.replace(figure(), sheet=sheet))


def omitted(made: Record, language: str = "en") -> dict[str, str]:
    """What was not judged, by the label it stands under."""
    results = content_of(made, language, Issue()).sections[0]
    (facts,) = [block for block in results.blocks if isinstance(block, Facts)]
    return {field.label: field.text.replace("\u00a0", " ") for field in facts.fields}


def test_not_looked_at_does_not_apply_and_left_out_are_three_different_things() -> None:
    sheet = msgspec.structs.replace(striker().sheet, left_out=(Unjudged("133", "One object only.", "It is conduct."),))
    type_of = {"verdict": "not-applicable", "reason": "condition-not-met", "condition": "fig.type"}
    unseen = line("striker.fit", binding=False, verdict="reported", reason="not-measured", clause="A.3")
    other = line("fig.flat.height", clause="4.3", **type_of)
    answered = (RawReading("fig.type", "sports"),)
    told = omitted(record([*striker().lines, unseen, other], sheet=sheet, readings=answered))
    assert list(told) == ["Not looked at (not binding)", "Does not apply to this item", "Left out of the sheet"]
    assert told["Not looked at (not binding)"].startswith("A.3 ")
    assert told["Does not apply to this item"].startswith("Figure, type = Sports: 4.3 ")
    assert told["Left out of the sheet"].startswith("133. ")


def test_what_is_left_out_and_why_is_printed_in_full_detail() -> None:
    sheet = msgspec.structs.replace(striker().sheet, left_out=(Unjudged("133", "One object only.", "It is conduct."),))
    sections = content_of(striker(sheet=sheet), "en", Issue(detail="full")).sections
    texts = [block.paragraphs for section in sections for block in section.blocks if isinstance(block, Columned)]
    assert any("133\u2002One object only. – It is conduct." in paragraphs for paragraphs in texts)


def means_in(made: Record) -> tuple[list[str], str]:
    """The column that says by what each value was found, and its legend."""
    results = next(block for block in content_of(made, "en", Issue()).sections[0].blocks if isinstance(block, Results))
    return [row.means for group in results.groups for row in group.rows], results.legend


def test_who_read_each_value_is_named_by_initials_where_there_were_several() -> None:
    readings = (
        RawReading("striker.diameter", "41.02", unit="mm", instrument="caliper-150", by="Ota Novák"),
        RawReading("striker.mass", "14.82", unit="g", instrument="caliper-150", by="Olga Nová"),
    )
    means, legend = means_in(striker(readings=readings))
    assert means == ["A ON", "A ON2", "seen JD"]
    assert "taken by ON = Ota Novák, ON2 = Olga Nová, JD = Jiří Dvořák" in legend


def test_one_reader_is_named_once_and_none_is_said_to_be_none() -> None:
    means, legend = means_in(striker())
    assert means == ["A", "A", "seen"]
    assert "taken by Jiří Dvořák." in legend
    nameless = msgspec.structs.replace(striker().subject, inspector="")
    assert "by whom is not stated." in means_in(striker(subject=nameless))[1]


@pytest.mark.parametrize(("issued", "told"), [("2026-11-20", False), ("2026-12-26", True)])
def test_an_inspection_of_long_ago_is_said_on_the_first_page(issued: str, told: bool) -> None:
    fields = content_of(striker(), "en", Issue(issued_on=issued)).cover.identification
    (day,) = [field.text for field in fields if field.label == "Date of inspection"]
    assert ("40 days before the issue" in day) is told
