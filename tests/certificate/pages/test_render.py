from __future__ import annotations

import hashlib
import io
import re
import subprocess
import sys

import msgspec
import pikepdf
import pypdfium2
import pytest
from PIL import Image

from inspect_kit.certificate.content.model import Issue
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.pages.render import make_certificate
from inspect_kit.errors import LANGUAGES, BadInput, UsageError
from inspect_kit.inspection.record import Record, Subject, open_record
from tests.certificate.reading import spaced, text_of
from tests.certificate.records import ALL, board, dice, failing_striker, figure, striker, with_photo

ISSUE = Issue(
    number="CCA-2026-00017", qr_text="IK1:CCA-2026-00017:7F3A", issued_on="2026-11-17", valid_until="2027-11-16",
    replaces="CCA-2026-00011", replaced_because="wrong owner", signed_by="Signed electronically with key A1.",
)  # fmt: skip


def made(record: Record, language: str = "en", **more: object) -> bytes:
    return make_certificate(record, language=language, **more)  # type: ignore[arg-type]


def with_subject(record: Record, **changes: str) -> Record:
    return msgspec.structs.replace(record, subject=msgspec.structs.replace(record.subject, **changes))


# What it says


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ALL)
def test_every_kind_of_record_becomes_a_document_in_every_language(name: str, language: str) -> None:
    record = ALL[name]
    words = wording_for(language)
    text = text_of(made(record, language))
    kind = "certificate" if record.verdict == "conforms" else "report"
    assert words.say(f"document.{kind}") in text
    assert words.say(f"overall.{record.verdict}") in text
    assert words.say(f"document.end_{kind}") in text
    assert "Růžena Řeháčková" in text
    assert spaced(words.day("2026-11-16")) in text
    assert record.digest in text.replace(" ", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_states_what_the_standards_for_reports_ask_for(language: str) -> None:
    words = wording_for(language)
    text = text_of(made(striker(), language)).replace("- ", "-")
    for fact in ("Czech Carrom Association", "Zátopkova 100/2", "Prague Open 2026", "Praha", "Jiří Dvořák", "A17-0042"):
        assert fact in text
    for key in ("statements.relates", "statements.whole", "statements.accreditation", "decision.guarded_risk"):
        assert plain(words.frame[key]) in plain(text)


def plain(text: str) -> str:
    """Letters only, symbols of quantities as they are extracted."""
    return re.sub(r"\W", "", text.translate({0x1D448: "U", 0x1D462: "u", 0x1D458: "k", 0x1D464: "w"}))


def test_value_and_uncertainty_are_rounded_together_in_the_language() -> None:
    assert "41,020 ± 0,040 mm" in text_of(made(striker(), "de"))
    assert "14.820 ± 0.016 g" in text_of(made(striker(), "en"))


def test_every_page_has_its_number_the_reference_and_the_digest() -> None:
    record = board()
    pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(made(record))]
    short = " ".join(re.findall("....", record.digest[:16].upper()))
    for number, text in enumerate(pages, 1):
        assert f"Page {number} of {len(pages)}" in text
        assert text.count(short) >= 2


def test_an_issue_brings_number_dates_and_what_is_replaced() -> None:
    text = text_of(made(striker(), issue=ISSUE))
    for fact in ("CCA-2026-00017", "17 November 2026", "16 November 2027", "CCA-2026-00011", "wrong owner", "key A1"):
        assert fact in text
    assert "Record reference" not in text


def test_a_conditional_verdict_comes_with_its_probability() -> None:
    assert "84 %" in text_of(made(failing_striker()))


def test_a_house_rule_prints_its_reason_and_a_suspect_print_its_reading() -> None:
    text = text_of(made(figure()))
    for fact in (
        "Our own gauge.",
        "One hall, one rule.",
        "Not the federation's.",
        "print suspect",
        "Printed as a length.",
    ):
        assert fact in text


def test_areas_are_shown_in_the_printed_unit() -> None:
    assert "4.000 ± 0.040 cm²" in text_of(made(figure()))


def test_simple_acceptance_tells_its_risk_and_few_degrees_of_freedom_are_told() -> None:
    text = text_of(made(dice()))
    assert "simple acceptance" in text
    assert "50 %" in text
    assert "degrees of freedom is 6" in text


def test_a_sheets_own_wording_goes_first() -> None:
    record = striker(wording={"de": {"striker.mass": "Puckmasse", "Striker": "Puck"}})
    text = text_of(made(record, "de"))
    assert "Puckmasse" in text
    assert "Puck: Striker 7" in text


# Certificate or report


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_report_says_on_every_page_that_it_is_no_certificate(language: str) -> None:
    words = wording_for(language)
    document = pypdfium2.PdfDocument(made(failing_striker(), language))
    assert all(words.say("document.band") in page.get_textpage().get_text_range() for page in document)
    text = text_of(made(failing_striker(), language))
    assert words.say("box.fails") in text
    assert words.say("box.undecided") in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_certificate_never_bears_the_band(language: str) -> None:
    assert wording_for(language).say("document.band") not in text_of(made(striker(), language))


def test_what_fails_stands_on_the_first_page_before_the_identification() -> None:
    first = pypdfium2.PdfDocument(made(failing_striker()))[0].get_textpage().get_text_range()
    assert first.index("above the upper limit") < first.index("Date of inspection")


def test_a_report_is_drawn_differently_from_a_certificate() -> None:
    def darkness(pdf: bytes) -> float:
        picture = pypdfium2.PdfDocument(pdf)[0].render(scale=0.5).to_pil().convert("L")
        return sum(picture.histogram()[:60]) / (picture.width * picture.height)

    assert darkness(made(failing_striker())) > 3 * darkness(made(striker()))


# What it is made of


@pytest.mark.parametrize("name", ALL)
def test_all_fonts_are_embedded_and_helvetica_is_not_among_them(name: str) -> None:
    with pikepdf.open(io.BytesIO(made(ALL[name], "cs"))) as pdf:
        fonts = [item for item in pdf.objects if isinstance(item, pikepdf.Dictionary) and item.get("/Type") == "/Font"]
        assert fonts
        for item in fonts:
            assert "/FontFile2" in item.FontDescriptor
            assert "Helvetica" not in str(item.BaseFont)


def test_the_record_is_attached_as_it_is() -> None:
    record = striker()
    with pikepdf.open(io.BytesIO(made(record))) as pdf:
        content = pdf.attachments["record.json"].get_file().read_bytes()
        assert pdf.Root.AF[0].AFRelationship == "/Source"
    assert content == record.canonical()
    assert open_record(content) == record


def test_the_file_says_what_it_is() -> None:
    with pikepdf.open(io.BytesIO(made(striker(), "de", issue=ISSUE))) as pdf:
        assert str(pdf.Root.Lang) == "de"
        assert pdf.Root.OutputIntents[0].S == "/GTS_PDFA1"
        with pdf.open_metadata() as meta:
            assert (meta["pdfaid:part"], meta["pdfaid:conformance"]) == ("3", "B")
            assert meta["dc:title"] == "Inspektionszertifikat – Striker – Striker 7"
        assert str(pdf.docinfo.CreationDate).startswith("D:20261117")


@pytest.mark.parametrize("name", ["striker", "failing-board"])
def test_the_same_record_gives_the_same_bytes(name: str) -> None:
    assert made(ALL[name], issue=ISSUE) == made(ALL[name], issue=ISSUE)


def test_the_same_record_gives_the_same_bytes_in_another_process() -> None:
    script = (
        "import sys, hashlib; sys.path[:0] = sys.argv[1:]; from tests.certificate import records;"
        "from inspect_kit.certificate.pages.render import make_certificate;"
        "print(hashlib.sha256(make_certificate(records.figure(), language='it')).hexdigest())"
    )
    found = subprocess.run([sys.executable, "-c", script, *sys.path], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == hashlib.sha256(made(figure(), "it")).hexdigest()


def test_judging_alone_never_waits_for_reportlab() -> None:
    script = "import sys, inspect_kit.cli.judge as m; print('reportlab' in sys.modules, 'pikepdf' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]


def test_black_ink_stays_inside_the_margins() -> None:
    for page in pypdfium2.PdfDocument(made(board(), "de")):
        picture = page.render(scale=1).to_pil().convert("L")
        width, height = picture.size
        inside = picture.point(lambda value: 255 if value < 128 else 0).getbbox()
        assert inside is not None
        assert inside[0] >= width * 0.09
        assert inside[2] <= width * 0.915
        assert inside[3] <= height * 0.97


# Texts from people


@pytest.mark.parametrize(
    "name",
    [
        "a <b and c>d",
        '<img src="/etc/passwd"/>',
        '<a href="javascript:alert(1)">x</a>',
        "Müller & Söhne &amp; {0} {subject} %s %(x)s",
        "\\(paren) \\n ]]> <!--",
    ],
)
def test_markup_in_a_name_is_printed_and_nothing_else(name: str) -> None:
    pdf = made(with_subject(striker(), owner=name, text=name, issuer=name))
    assert spaced(name) in text_of(pdf)
    assert b"/URI" not in pdf
    with pikepdf.open(io.BytesIO(pdf)) as document:
        assert not any("/Annots" in page for page in document.pages)
        assert not any(isinstance(o, pikepdf.Stream) and o.get("/Subtype") == "/Image" for o in document.objects)


def test_long_names_stay_on_the_page() -> None:
    record = with_subject(striker(), text="W" * 200, issuer="M" * 200, inspector="x" * 200, place="Ž" * 200)
    picture = pypdfium2.PdfDocument(made(record))[0].render(scale=1).to_pil().convert("L")
    box = picture.point(lambda value: 255 if value < 128 else 0).getbbox()
    assert box is not None
    assert box[2] <= picture.width * 0.915


def test_hebrew_and_arabic_names_are_printed_from_right_to_left() -> None:
    text = text_of(made(with_subject(striker(), owner="שלום כהן", inspector="محمد")))
    assert "שלום" in text or "םולש" in text


def test_an_emoticon_is_extracted_as_itself() -> None:
    assert "😀" in text_of(made(with_subject(striker(), event="Open 😀")))


@pytest.mark.parametrize(("field", "letter"), [("owner", "न"), ("text", "漢"), ("inspector", "a\u202eb")])
def test_a_character_no_font_has_is_refused_by_name_and_field(field: str, letter: str) -> None:
    with pytest.raises(BadInput, match=rf"subject\.{field}"):
        made(with_subject(striker(), **{field: letter}))


def test_an_unprintable_character_of_the_issue_is_refused_too() -> None:
    with pytest.raises(BadInput, match=r"issue\.number"):
        made(striker(), issue=Issue(number="漢"))


def test_a_record_with_only_a_subject_is_enough() -> None:
    record = msgspec.structs.replace(striker(), subject=Subject("x"), instruments=(), readings=(), warnings=())
    assert "Issuing body not stated" in text_of(made(record))


def test_an_unknown_language_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        made(striker(), "xx")


# Photographs


def jpeg(width: int = 400, height: int = 300, orientation: int | None = None) -> bytes:
    image = Image.new("RGB", (width, height), "white")
    exif = Image.Exif()
    if orientation:
        exif[0x0112] = orientation
    exif[0x010E] = "SECRET PLACE"
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", exif=exif)
    return buffer.getvalue()


def pictures(pdf: bytes) -> list[tuple[int, int]]:
    with pikepdf.open(io.BytesIO(pdf)) as document:
        streams = [item for item in document.objects if isinstance(item, pikepdf.Stream)]
        return [(int(s.Width), int(s.Height)) for s in streams if s.get("/Subtype") == "/Image"]


@pytest.mark.parametrize("by", ["digest", "name"])
def test_a_photo_of_the_record_is_printed_with_its_name_and_digest(by: str) -> None:
    content = jpeg()
    digest = hashlib.sha256(content).hexdigest()
    pdf = made(with_photo(digest), photos={digest if by == "digest" else "IMG_2041.jpg": content})
    assert "IMG_2041.jpg" in text_of(pdf)
    assert digest in text_of(pdf).replace(" ", "")
    assert pictures(pdf) == [(400, 300)]


def test_a_photo_is_turned_upright_bounded_and_stripped() -> None:
    pdf = made(striker(), photos={"overlay": jpeg(3000, 2000, orientation=6)})
    ((width, height),) = pictures(pdf)
    assert height > width
    assert height <= 1500
    assert b"SECRET" not in pdf


def test_a_photo_that_is_not_given_is_named_by_its_digest() -> None:
    assert "ef" * 32 in text_of(made(with_photo("ef" * 32))).replace(" ", "")


def test_another_photo_under_the_same_name_is_refused() -> None:
    with pytest.raises(BadInput, match=r"IMG_2041\.jpg"):
        made(with_photo("ef" * 32), photos={"IMG_2041.jpg": jpeg()})


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"\xff\xd8\xff\xe0 broken", b"%PDF-1.7"])
def test_what_is_no_photo_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match="overlay"):
        made(striker(), photos={"overlay": content})


def test_transparent_and_grey_pictures_are_taken() -> None:
    for mode in ("RGBA", "L", "P", "LA", "1"):
        buffer = io.BytesIO()
        Image.new(mode, (20, 10)).save(buffer, "PNG")
        assert pictures(made(striker(), photos={"x.png": buffer.getvalue()})) == [(20, 10)]


def test_a_document_in_two_languages_has_one_number_and_all_pages_in_each() -> None:
    both = made(striker(), "it,en", issue=ISSUE)
    text = text_of(both)
    pages = len(pypdfium2.PdfDocument(both))
    assert pages == sum(len(pypdfium2.PdfDocument(made(striker(), each, issue=ISSUE))) for each in ("it", "en"))
    for language in ("it", "en"):
        words = wording_for(language)
        assert words.say("document.certificate") in text
        assert words.say("authorisation.heading") in text
    assert f"Page {pages} of {pages}" in text
    with pikepdf.open(io.BytesIO(both)) as pdf:
        assert [str(part.Lang) for part in pdf.Root.StructTreeRoot.K.K] == ["it", "en"]


@pytest.mark.parametrize("language", ["it,xx", "it,", ""])
def test_a_second_language_that_there_is_not_is_a_usage_error(language: str) -> None:
    with pytest.raises(UsageError):
        made(striker(), language)
