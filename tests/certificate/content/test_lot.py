"""Lot certificates: what they say in every language, and that they say the same every time."""

from __future__ import annotations

import io
import re
import string
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import pikepdf
import pypdfium2
import pytest

from inspect_kit.certificate.content.lot_sections import MOST_PIECES, _by_percentiles
from inspect_kit.certificate.content.model import Issue
from inspect_kit.certificate.content.wording import lot_wording_for, lot_words, wording_for
from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate
from inspect_kit.certificate.issue.keys import Founding, found, unlock
from inspect_kit.certificate.pages.lot_render import make_lot_certificate
from inspect_kit.certificate.pages.pdfa import with_dcc
from inspect_kit.errors import LANGUAGES, BadInput
from inspect_kit.inspection.record import PhotoRef
from inspect_kit.quality.drawing import MOST_STROKES, stride_of
from inspect_kit.quality.lot.judge import SamplingAgreement, plan_for
from inspect_kit.quality.lot.record import ChartSettings, LotRecord, lot_record_of, open_lot_record
from inspect_kit.quality.lot.study import studies_of
from inspect_kit.quality.process.run_rules import NELSON, WESTERN_ELECTRIC
from inspect_kit.registry.opening import open_registry
from tests.certificate.reading import pages_of, spaced, text_of
from tests.certificate.records import striker
from tests.quality.lot.lots import DIAMETER, SUBJECT, accepted, diameters, judged, refused, wide


def made(record: LotRecord, language: str = "en", **more: Issue) -> bytes:
    return make_lot_certificate(record, language=language, **more)


# Wording


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things_about_a_lot(language: str) -> None:
    assert lot_words(language).keys() == lot_words("en").keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_has_the_same_gaps_in_every_language(language: str) -> None:
    def gaps(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    english = lot_words("en")
    assert {key for key, text in lot_words(language).items() if gaps(text) != gaps(english[key])} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_apostrophes_and_quotation_marks_are_the_printers(language: str) -> None:
    assert {text for text in lot_words(language).values() if "'" in text or '"' in text} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_wording_of_lots_lies_over_that_of_every_certificate(language: str) -> None:
    words = lot_wording_for(language)
    assert words.frame.keys() >= wording_for(language).frame.keys()
    assert words.say("document.certificate") != wording_for(language).say("document.certificate")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_run_rule_has_words(language: str) -> None:
    words = lot_wording_for(language)
    assert all(words.frame[f"signal.{rule.code}"] for rule in (*NELSON, *WESTERN_ELECTRIC))


# What it says


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_accepted_lot_gets_a_certificate_in_every_language(tmp_path: Path, language: str) -> None:
    words = lot_wording_for(language)
    record = accepted(tmp_path, subgroup="tray")
    text = text_of(made(record, language))
    for key in (
        "document.certificate",
        "overall.conforms",
        "heading.sampling",
        "heading.results",
        "document.end_certificate",
    ):
        assert words.say(key) in text
    for fact in (
        "Lot 2026-11-A",
        "Drechslerei Müller & Söhne",
        "Růžena Řeháčková",
        "A-041",
        record.digest,
        "Ac = 2, Re = 3",
    ):
        assert fact.replace(" ", "") in text.replace(" ", "")
    assert words.say("document.band") not in text


def test_a_lot_that_was_inspected_long_before_says_so(tmp_path: Path) -> None:
    record = accepted(tmp_path)
    late = (date.fromisoformat(record.inspected_on) + timedelta(days=40)).isoformat()
    assert "40 days before" in spaced(text_of(made(record, issue=Issue(issued_on=late))))
    assert "days before" not in spaced(text_of(made(record, issue=Issue(issued_on=record.inspected_on))))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refused_lot_gets_a_report_that_is_no_certificate_on_any_page(tmp_path: Path, language: str) -> None:
    words = lot_wording_for(language)
    pages = pages_of(made(refused(tmp_path), language))
    assert words.say("overall.fails") in pages[0]
    assert all(words.say("document.band") in page for page in pages)
    assert words.say("document.report") in pages[0]


def test_single_pieces_that_do_not_conform_are_listed_with_their_values(tmp_path: Path) -> None:
    text = text_of(made(refused(tmp_path)))
    assert "A-003 Coin, diameter 30.2 to 31.8 mm 31.950 ± 0.020 mm fails: above the upper limit" in text
    assert "A-017 Coin, diameter 30.2 to 31.8 mm 30.050 ± 0.020 mm fails: below the lower limit" in text
    assert re.search(r"A-020 .* undecided: inside the limits, but closer .* probability of conformity 84 %", text)


def test_the_plan_its_risk_and_its_outcome_are_stated(tmp_path: Path) -> None:
    text = text_of(made(accepted(tmp_path)))
    for fact in (
        "Code letter J",
        "Sample size 80",
        "1.0 % nonconforming pieces",
        "nonconforming pieces: 1; not decided: 0",
    ):
        assert fact in text
    assert "Of lots with 1.0 % nonconforming pieces the plan accepts 95 in 100; of lots with 6.5 %, 10 in 100." in text


def test_capability_has_its_confidence_limits_and_the_chart_its_signals(tmp_path: Path) -> None:
    text = text_of(made(accepted(tmp_path, subgroup="tray")))
    assert re.search(r"Ppk, actual, overall 1\.\d\d 1\.\d\d to 1\.\d\d", text)
    assert "range outside its control limits (at 9)" in text
    assert "mean range of the subgroups" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_indices_by_percentiles_name_their_distribution_in_words(tmp_path: Path, language: str) -> None:
    record, words = accepted(tmp_path), lot_wording_for(language)
    named = [studied for study in studies_of(record) if (studied := study.percentiles)]
    rows = [row for each in named for row in _by_percentiles(each, words)]
    assert rows
    assert {row[-1] for row in rows} == {words.say(f"distribution.{each.chosen.name}") for each in named}


def test_results_state_the_expanded_uncertainty_or_that_there_is_none(tmp_path: Path) -> None:
    def line(u: tuple[str | None, ...]) -> str:
        record = accepted(tmp_path)
        series = msgspec.structs.replace(record.lot.series[0], u=u)
        lot = msgspec.structs.replace(record.lot, series=(series,))
        found = re.search(
            r"B Coin, diameter 30.2 to 31.8 mm 80 (.*?) 79 / 1 / 0",
            text_of(made(msgspec.structs.replace(record, lot=lot))),
        )
        assert found is not None
        return found.group(1).rpartition("0.199 ")[2]

    assert line(("0.01",)) == "0.020"
    assert line(("0.01",) * 79 + ("0.0256",)) == "≤ 0.051"
    assert line((None,)) == line(("0.01",) * 79 + (None,)) == "–"


def test_a_process_with_signals_is_not_called_capable_without_a_word(tmp_path: Path) -> None:
    text = text_of(made(accepted(tmp_path, subgroup="tray")))
    assert "The indices describe a process that is in control." in text
    assert "speak against" not in text


def test_what_only_one_limit_allows_is_all_that_is_said(tmp_path: Path) -> None:
    record = accepted(tmp_path)
    series = msgspec.structs.replace(record.lot.series[1], lower=None, upper="9")
    lot = msgspec.structs.replace(record.lot, series=(series,), nonconforming=())
    text = text_of(made(msgspec.structs.replace(record, lot=lot)))
    assert "Confidence limits of Cpk and Ppk by Bissell’s formula." in text
    assert "Cp, potential" not in text
    assert "< 0.01 per million" in text


def test_limits_and_control_limits_stand_at_their_lines(tmp_path: Path) -> None:
    text = text_of(made(accepted(tmp_path)))
    for label in ("lower limit 30.2", "upper limit 31.8", "UCL ", "LCL 0"):
        assert label in text


def test_numbers_have_the_languages_decimal_sign(tmp_path: Path) -> None:
    text = text_of(made(accepted(tmp_path), "de"))
    assert "30,2 bis 31,8 mm" in text
    assert not re.search(r"\d\.\d\d", text.replace("ISO 2859-1", ""))


def test_a_lot_of_equal_values_is_certified_without_capability(tmp_path: Path) -> None:
    outcome = judged(wide(tmp_path / "lot.csv", [(n, 31.0, 5.3) for n in range(6)]))
    assert "there is no capability to state" in text_of(made(lot_record_of(outcome, SUBJECT)))


def test_a_lot_of_one_piece_is_certified(tmp_path: Path) -> None:
    outcome = judged(wide(tmp_path / "lot.csv", [(1, 31.0, 5.3)]))
    assert "Lot accepted" in text_of(made(lot_record_of(outcome, SUBJECT)))


def test_a_plan_by_variables_states_estimate_and_limit(tmp_path: Path) -> None:
    agreed = SamplingAgreement(Decimal("1.0"), by_variables=True, sigma=0.16)
    size = plan_for(500, agreed).sample
    path = wide(tmp_path / "lot.csv", [(n, v, 5.3) for n, v in enumerate(diameters(size))])
    text = text_of(made(lot_record_of(judged(path, size=500, agreed=agreed), SUBJECT)))
    assert "σ known (0.1600), ANSI/ASQ Z1.9" in text
    assert re.search(r"Coin, diameter: estimated \S+ % nonconforming, allowed \S+ %: accepted", text)


def test_a_long_list_of_pieces_is_cut_and_points_to_the_record(tmp_path: Path) -> None:
    rows = [(f"P{n:04}", 33.0 if n % 2 else 31.0 + n % 7 / 100, 5.3) for n in range(2 * MOST_PIECES + 40)]
    record = lot_record_of(judged(wide(tmp_path / "lot.csv", rows)), SUBJECT)
    text = text_of(made(record))
    assert f"The first {MOST_PIECES} of {MOST_PIECES + 20} entries" in text
    assert len(record.lot.nonconforming) == MOST_PIECES + 20


def test_a_number_and_dates_of_issue_are_printed(tmp_path: Path) -> None:
    issue = Issue(number="CCA-2026-00017", issued_on="2026-11-17", qr_text="IK1:X", signed_by="Signed with key A1.")
    text = text_of(made(accepted(tmp_path), issue=issue))
    for fact in ("CCA-2026-00017", "17 November 2026", "Signed with key A1."):
        assert fact in text


def test_thousands_of_photographs_are_counted_and_not_listed(tmp_path: Path) -> None:
    record = accepted(tmp_path)
    few = tuple(PhotoRef(f"tray-{n}.jpg", f"{n:064x}") for n in range(3))
    assert "tray-2.jpg" in text_of(made(msgspec.structs.replace(record, photos=few)))
    many = tuple(PhotoRef(f"tray-{n}.jpg", f"{n:064x}") for n in range(2_000))
    pages = pages_of(made(msgspec.structs.replace(record, photos=many)))
    assert "Photographs of trays: 2000" in " ".join(pages)
    assert len(pages) <= len(pages_of(made(record))) + 1


# The file


def test_a_lot_is_issued_signed_and_registered_like_any_other_record(tmp_path: Path) -> None:
    now = datetime(2026, 11, 17, 9, 30, tzinfo=UTC)
    found(tmp_path, Founding("Pražský carrom klub", "PCK", "Řehoř Áron"), None, now)
    registry = open_registry(tmp_path)
    desk = Desk(tmp_path, registry, unlock(tmp_path, "", None), now, draw=make_lot_certificate)
    issued = issue_certificate(desk, Request(accepted(tmp_path), tmp_path / "lot.pdf"))
    registry.engine.dispose()
    text = text_of((tmp_path / "lot.pdf").read_bytes())
    assert issued.number in text
    assert "Signed electronically by Řehoř Áron" in text
    assert issued.verdict == "conforms"


def test_the_same_record_gives_the_same_bytes(tmp_path: Path) -> None:
    record = accepted(tmp_path)
    assert made(record) == made(open_lot_record(record.canonical()))


def test_the_record_is_inside_and_opens_again(tmp_path: Path) -> None:
    record = accepted(tmp_path)
    with pikepdf.open(io.BytesIO(made(record))) as pdf:
        content = pdf.attachments["record.json"].get_file().read_bytes()
    assert open_lot_record(content) == record


def test_a_further_attachment_goes_along_and_changes_nothing_else(tmp_path: Path) -> None:
    pdf = made(accepted(tmp_path))
    more = with_dcc(pdf, b"<x/>")
    assert more == with_dcc(pdf, b"<x/>")
    assert text_of(more) == text_of(pdf)
    with pikepdf.open(io.BytesIO(more)) as document:
        assert sorted(document.attachments) == ["dcc.xml", "record.json"]
        assert len(document.Root.AF) == 2
        assert document.attachments["dcc.xml"].get_file().read_bytes() == b"<x/>"


def test_a_record_of_something_else_is_refused() -> None:
    with pytest.raises(BadInput, match="is not the record of a lot"):
        make_lot_certificate(striker(), language="en")


def test_a_name_that_cannot_be_printed_is_refused_with_its_place(tmp_path: Path) -> None:
    record = accepted(tmp_path)
    subject = msgspec.structs.replace(record.subject, owner="\u4e2d\u6587")
    with pytest.raises(BadInput, match="owner"):
        made(msgspec.structs.replace(record, subject=subject))


def test_texts_of_strangers_stay_texts(tmp_path: Path) -> None:
    record = accepted(tmp_path)
    subject = msgspec.structs.replace(record.subject, text="<b>Lot</b> & {rules} %s")
    assert "<b>Lot</b> & {rules} %s" in text_of(made(msgspec.structs.replace(record, subject=subject)))


# Drawings


def test_a_long_lot_is_drawn_with_a_bounded_number_of_strokes(tmp_path: Path) -> None:
    def size(count: int) -> int:
        rows = [(n, v, 5.3) for n, v in enumerate(diameters(count))]
        record = lot_record_of(judged(wide(tmp_path / f"{count}.csv", rows)), SUBJECT, ChartSettings(order="stated"))
        pdf = made(record)
        assert "neighbouring points" in text_of(pdf)
        with pikepdf.open(io.BytesIO(pdf)) as document:
            return max(len(page.Contents.read_bytes()) for page in document.pages)

    assert size(8_000) < 1.2 * size(2 * MOST_STROKES)
    assert stride_of(MOST_STROKES) == 1
    assert stride_of(100_000) == 200


def test_the_drawings_are_lines_and_not_pictures(tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(made(accepted(tmp_path)))) as pdf:
        assert not any(page.get_images() for page in pdf.pages)


def test_the_page_of_a_process_reads_in_black_and_white(tmp_path: Path) -> None:
    page = pypdfium2.PdfDocument(made(refused(tmp_path)))[2]
    picture = page.render(scale=0.8).to_pil().convert("RGB")
    assert all(max(pixel) - min(pixel) < 30 for _, pixel in picture.getcolors(10**6))


def test_the_first_page_names_the_first_pieces_and_counts_the_others(tmp_path: Path) -> None:
    rows = [(f"P{n}", 33.0, 5.3) for n in range(9)]
    first = pages_of(made(lot_record_of(judged(wide(tmp_path / "lot.csv", rows)), SUBJECT)))[0]
    assert spaced("P0: 33.000 ± 0.020 mm") in first
    assert "(+5)" in first


def test_the_characteristic_is_named_as_the_sheet_names_it(tmp_path: Path) -> None:
    assert wording_for("cs").names["characteristic"][DIAMETER] in text_of(made(accepted(tmp_path), "cs"))
