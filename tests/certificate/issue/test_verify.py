from __future__ import annotations

import hashlib
import io
import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pikepdf
import pytest

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.certificate.issue.keys import Founding, add, found, own_keyring, retire, unlock
from inspect_kit.certificate.issue.qr import ALPHABET, read
from inspect_kit.certificate.issue.seals import Witnessed
from inspect_kit.certificate.issue.time_server import Timestamp
from inspect_kit.certificate.issue.verify import (
    TrustContext,
    Verification,
    VerificationCheck,
    compare,
    verify_pdf,
    verify_qr,
)
from inspect_kit.errors import BadInput, notice, sentence
from inspect_kit.inspection.record import Record, open_record
from inspect_kit.registry.amendments import revoke
from inspect_kit.registry.opening import open_registry

Issue = Callable[..., Issued]


def _against(seen: Verification) -> str:
    return "; ".join(check.said() for check in seen.checks if check.holds is False)


@pytest.fixture
def offline(counter: TrustContext) -> TrustContext:
    """A referee who has the issuer's public keys and no registry."""
    return replace(counter, registry=None, own="")


def test_an_honest_certificate_holds(desk: Desk, issue: Issue, counter: TrustContext) -> None:
    issued = issue(desk, valid="2027-06-30")
    seen = verify_pdf(issued.pdf.read_bytes(), counter)
    assert seen.holds
    assert (seen.number, seen.verdict, seen.subject) == (issued.number, "conforms", "Striker 42")
    names = ["signature", "unchanged", "record", "signer", "registry", "log", "revoked", "expired"]
    assert [check.name for check in seen.checks] == names
    assert all(check.holds for check in seen.checks if check.name != "log")
    assert any("117" in sentence for sentence in seen.again)


MOMENT = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
SAID = (
    notice("check-registry-not-believed", why=notice("entries-gone", lost=2)),
    notice("check-proven", seen=Witnessed().told),
    Witnessed(2, MOMENT, MOMENT, Timestamp(MOMENT, "tsa.example", True)).told,
    notice("check-signed-before-end", said=notice("check-signed-by", name="Jana", issuer="PCC"), day=MOMENT.date()),
    BadInput("not-record", where="the attached record", place="$.format"),
)


@pytest.mark.parametrize("language", ["de", "cs", "it"])
def test_what_was_found_is_said_in_every_language_and_so_is_what_stands_in_it(language: str) -> None:
    for told in SAID:
        said = VerificationCheck("log", None, told).said(language)
        assert not re.search(r"\b(the|signed|before|seen|which|key|proven|by|record|gone)\b", said)


def test_witnesses_and_timestamps_are_told_in_one_sentence() -> None:
    assert sentence(SAID[2]) == (
        "in the log, seen by 2 witnesses up to 2026-11-16 10:00 UTC, timestamped by tsa.example on 2026-11-16 10:00 UTC"
    )
    assert sentence(Witnessed().told) == "in the log, which no witness has seen with it yet"


def test_an_honest_qr_text_holds(desk: Desk, issue: Issue, counter: TrustContext) -> None:
    issued = issue(desk, valid="2027-06-30")
    assert verify_qr(issued.qr, counter).holds
    assert verify_qr(issued.qr.lower(), counter).holds
    assert verify_qr(f" {issued.qr[:50]} {issued.qr[50:]}\n", counter).holds


def test_without_the_registry_it_says_that_revocation_cannot_be_seen(
    desk: Desk, issue: Issue, offline: TrustContext
) -> None:
    issued = issue(desk)
    for seen in (verify_pdf(issued.pdf.read_bytes(), offline), verify_qr(issued.qr, offline)):
        assert seen.holds
        (unknown,) = [check for check in seen.checks if check.holds is None]
        assert "revocation cannot be seen" in unknown.said()


def test_a_report_is_genuine_and_says_that_the_thing_fails(
    desk: Desk, issue: Issue, counter: TrustContext, failing_record: Record
) -> None:
    issued = issue(desk, "Striker 43", base=failing_record)
    seen = verify_pdf(issued.pdf.read_bytes(), counter)
    assert (seen.holds, seen.verdict) == (True, "fails")


# Tampering with the file


def test_one_byte_flipped_anywhere_is_caught_even_without_the_registry(
    desk: Desk, issue: Issue, offline: TrustContext
) -> None:
    honest = issue(desk).pdf.read_bytes()
    chance = random.Random(1)
    start = honest.rindex(b"/Contents <") + len("/Contents ")
    end = honest.index(b">", start) + 1
    signature = range(start, start + 2 * 1400)
    places = {
        *chance.sample(range(len(honest)), 60),
        *chance.sample(signature, 60),
        *chance.sample(range(start, end), 15),
        start, end - 1, end - 2, 0, 5, len(honest) - 1, len(honest) - 2,
    }  # fmt: skip
    for place in sorted(places):
        forged = bytearray(honest)
        forged[place] ^= 1 << chance.randrange(8)
        assert not verify_pdf(bytes(forged), offline).holds, f"byte {place} of {len(honest)}"


def test_the_spelling_of_a_digit_in_the_signature_is_caught(desk: Desk, issue: Issue, offline: TrustContext) -> None:
    """The signature cannot cover itself: upper and lower case, and the padding, must be looked at."""
    honest = issue(desk).pdf.read_bytes()
    start = honest.rindex(b"/Contents <") + len("/Contents <")
    letter = next(place for place in range(start, len(honest)) if honest[place : place + 1] in b"ABCDEF")
    forged = bytearray(honest)
    forged[letter] |= 0x20
    assert not verify_pdf(bytes(forged), offline).holds
    padding = bytearray(honest)
    padding[honest.index(b">", start) - 1] = ord("1")
    assert not verify_pdf(bytes(padding), offline).holds


def test_an_added_page_is_caught_and_named(desk: Desk, issue: Issue, offline: TrustContext, tmp_path: Path) -> None:
    from pyhanko.pdf_utils import generic
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.pdf_utils.writer import PageObject

    writer = IncrementalPdfFileWriter(io.BytesIO(issue(desk).pdf.read_bytes()))
    content = writer.add_object(generic.StreamObject(stream_data=b"0 0 100 100 re f"))
    writer.insert_page(
        PageObject(contents=content, media_box=generic.ArrayObject([generic.NumberObject(n) for n in (0, 0, 200, 200)]))
    )
    forged = io.BytesIO()
    writer.write(forged)
    seen = verify_pdf(forged.getvalue(), offline)
    assert not seen.holds
    assert "added to the file after signing" in _against(seen)


def test_bytes_behind_the_end_are_caught(desk: Desk, issue: Issue, offline: TrustContext) -> None:
    honest = issue(desk).pdf.read_bytes()
    for tail in (b"\n", b"% a note", b"%PDF-1.7\n" + honest):
        assert not verify_pdf(honest + tail, offline).holds


def test_a_re_saved_copy_is_caught(desk: Desk, issue: Issue, offline: TrustContext, tmp_path: Path) -> None:
    copy = io.BytesIO()
    with pikepdf.open(issue(desk).pdf) as pdf:
        pdf.save(copy)
    seen = verify_pdf(copy.getvalue(), offline)
    assert not seen.holds
    assert "changed after signing" in _against(seen) or "damaged or rewritten" in _against(seen)


def test_a_swapped_attachment_is_caught_and_named(
    desk: Desk, issue: Issue, offline: TrustContext, failing_record: Record
) -> None:
    copy = io.BytesIO()
    with pikepdf.open(issue(desk).pdf) as pdf:
        other = pikepdf.AttachedFileSpec(pdf, failing_record.canonical(), filename="record.json")
        pdf.attachments["record.json"] = other
        pdf.save(copy)
    told = _against(verify_pdf(copy.getvalue(), offline))
    assert "the attached record is not the one printed on page 1" in told


def test_a_swapped_attachment_is_named_even_if_the_inspector_signed_it(
    desk: Desk, issue: Issue, offline: TrustContext, failing_record: Record
) -> None:
    """An inspector's own key signs a file whose pages and record do not belong together."""
    from inspect_kit.certificate.issue.pdf_signature import sign
    from inspect_kit.certificate.pages.render import make_certificate

    issued = issue(desk)
    pages = make_certificate(failing_record, language="en")
    buffer = io.BytesIO()
    with pikepdf.open(issued.pdf) as honest, pikepdf.open(io.BytesIO(pages)) as drawn:
        content = honest.attachments["record.json"].get_file().read_bytes()
        drawn.attachments["record.json"] = pikepdf.AttachedFileSpec(drawn, content, filename="record.json")
        drawn.save(buffer)
    forged = sign(buffer.getvalue(), desk.key, issued.number, issued.qr)
    seen = verify_pdf(forged, offline)
    assert not seen.holds
    assert _against(seen) == "the attached record is not the one printed on page 1"


def test_a_self_signed_impostor_of_the_same_name_is_caught_and_named(
    desk: Desk, issue: Issue, counter: TrustContext, tmp_path: Path
) -> None:
    home = tmp_path / "impostor"
    found(home, Founding("Pražský carrom klub", "PCK", "Řehoř Áron"), None, desk.now)
    impostor = Desk(home, open_registry(home), unlock(home, "", None), desk.now)
    forged = issue(impostor, out=tmp_path / "forged.pdf")
    seen = verify_pdf(forged.pdf.read_bytes(), counter)
    assert not seen.holds
    assert "signed by 'Řehoř Áron', for whom no issuer that is trusted here vouches" in _against(seen)
    told = _against(verify_qr(forged.qr, counter))
    assert "is not known here" in told


def test_an_issuer_cannot_sign_for_another_ones_numbers(
    desk: Desk, issue: Issue, counter: TrustContext, tmp_path: Path
) -> None:
    from inspect_kit.certificate.content.model import Issue as IssueFields
    from inspect_kit.certificate.issue.pdf_signature import sign
    from inspect_kit.certificate.pages.render import make_certificate

    other = tmp_path / "other"
    found(other, Founding("Brno Carrom", "BRC", "Jan"), None, desk.now)
    honest = issue(desk)
    pages = make_certificate(_striker(honest), language="en", issue=IssueFields(honest.number, honest.qr))
    forged = sign(pages, unlock(other, "", None), honest.number, honest.qr)
    both = replace(counter, keyrings=(*counter.keyrings, own_keyring(other)))
    assert "Brno Carrom gives no numbers like PCK-2026-000001" in _against(verify_pdf(forged, both))


def test_a_pdf_without_a_signature_does_not_hold(counter: TrustContext, record: Record) -> None:
    from inspect_kit.certificate.pages.render import make_certificate

    seen = verify_pdf(make_certificate(record, language="en"), counter)
    assert _against(seen) == "the file bears no signature"


@pytest.mark.parametrize("content", [b"", b"hello", b"\x00" * 5000, b"PK\x03\x04", b"\x89PNG"])
def test_what_is_no_pdf_is_refused_in_a_sentence(counter: TrustContext, content: bytes) -> None:
    with pytest.raises(BadInput, match="is not a PDF"):
        verify_pdf(content, counter)


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7\n", b"%PDF-1.7\nstartxref\n0\n%%EOF", b"%PDF-1.7\n/ByteRange [0 1 2 3]" + b"<" * 9999]
)
def test_a_broken_pdf_does_not_hold_and_does_not_crash(counter: TrustContext, content: bytes) -> None:
    assert not verify_pdf(content, counter).holds


# What the registry knows


def test_a_signed_file_that_the_registry_does_not_know_is_caught(
    desk: Desk, issue: Issue, counter: TrustContext, tmp_path: Path
) -> None:
    stolen = tmp_path / "stolen"
    import shutil

    shutil.copytree(desk.home / "keys", stolen / "keys")
    thief = Desk(stolen, open_registry(stolen), unlock(stolen, "", None), desk.now)
    forged = issue(thief, "Striker 99", out=tmp_path / "forged.pdf")
    assert "the registry does not know PCK-2026-000001" in _against(verify_pdf(forged.pdf.read_bytes(), counter))
    issue(desk, "Striker 1", out=tmp_path / "honest.pdf")
    assert "the registry has another file for PCK-2026-000001" in _against(verify_pdf(forged.pdf.read_bytes(), counter))
    assert "the registry has another text for PCK-2026-000001" in _against(verify_qr(forged.qr, counter))


def test_a_revoked_certificate_does_not_hold_and_says_why(desk: Desk, issue: Issue, counter: TrustContext) -> None:
    issued = issue(desk)
    revoke(desk.registry, issued.number, "the scale was out of calibration", "desk 1", desk.now)
    for seen in (verify_pdf(issued.pdf.read_bytes(), counter), verify_qr(issued.qr, counter)):
        assert _against(seen) == "it was revoked on 2026-11-16: the scale was out of calibration"


@pytest.mark.parametrize("known", [True, False], ids=["with registry", "offline"])
def test_a_replayed_qr_of_yesterday_has_expired(
    desk: Desk, issue: Issue, counter: TrustContext, offline: TrustContext, known: bool
) -> None:
    issued = issue(desk, valid="day")
    at = counter if known else offline
    assert verify_qr(issued.qr, at).holds
    tomorrow = replace(at, on=date(2026, 11, 17))
    assert _against(verify_qr(issued.qr, tomorrow)) == "it expired on 2026-11-16"
    assert _against(verify_pdf(issued.pdf.read_bytes(), tomorrow)) == "it expired on 2026-11-16"


def test_a_replayed_qr_of_a_replaced_certificate_is_caught(
    desk: Desk, issue: Issue, counter: TrustContext, tmp_path: Path
) -> None:
    first, second = (issue(desk, out=tmp_path / f"{place}.pdf") for place in range(2))
    assert _against(verify_qr(first.qr, counter)) == f"it was replaced by {second.number}"
    assert verify_qr(second.qr, counter).holds


def test_a_qr_glued_to_another_thing_or_shown_at_another_event_is_caught(
    desk: Desk, issue: Issue, counter: TrustContext
) -> None:
    issued = issue(desk, event="Prague Open", valid="event")
    for seen in (verify_qr(issued.qr, counter), verify_pdf(issued.pdf.read_bytes(), counter)):
        assert compare(seen, "Striker 42", "Prague Open").holds
        assert _against(compare(seen, "Striker 50", "")) == "it is for 'Striker 42', not for 'Striker 50'"
        assert _against(compare(seen, "", "Brno Open")) == "it holds for 'Prague Open' only"


def test_long_names_are_compared_as_far_as_the_code_carries_them(
    desk: Desk, issue: Issue, counter: TrustContext
) -> None:
    name = "Striker " + "ř" * 60
    issued = issue(desk, name, event="A very long event's name indeed", valid="event", out=desk.home / "x.pdf")
    seen = verify_qr(issued.qr, counter)
    assert seen.subject.endswith("…")
    assert compare(seen, name, "A very long event's name indeed").holds
    assert not compare(seen, "Striker " + "ž" * 60, "").holds


def test_a_qr_text_with_any_one_sign_changed_is_caught(blank: Desk, issue: Issue, offline: TrustContext) -> None:
    text = issue(blank).qr
    chance = random.Random(2)
    for place in range(3, len(text)):
        other = chance.choice([sign for sign in ALPHABET if sign != text[place]])
        forged = text[:place] + other + text[place + 1 :]
        try:
            assert not verify_qr(forged, offline).holds, place
        except BadInput:
            continue


def test_a_qr_of_an_unknown_issuer_is_not_trusted(blank: Desk, issue: Issue) -> None:
    nobody = TrustContext((), "", None, date(2026, 11, 16))
    told = _against(verify_qr(issue(blank).qr, nobody))
    assert told.endswith("of PCK is not known here")


# Keys that come and go


def test_what_was_signed_before_a_key_was_retired_stays_good(
    desk: Desk, issue: Issue, counter: TrustContext, offline: TrustContext
) -> None:
    issued = issue(desk)
    add(desk.home, "Jan Novák", (None, None), desk.now)
    retire(desk.home, "Řehoř Áron", None, desk.now + timedelta(days=2))
    rings = (own_keyring(desk.home),)
    for at in (counter, offline):
        assert verify_qr(issued.qr, replace(at, keyrings=rings)).holds
    # The PDF states the computer's own time of signing, so the registry's is what counts.
    assert verify_pdf(issued.pdf.read_bytes(), replace(counter, keyrings=rings)).holds


def test_what_a_compromised_key_signed_is_not_believed_on_its_own_word_nor_the_registrys(
    desk: Desk, issue: Issue, counter: TrustContext, offline: TrustContext
) -> None:
    issued = issue(desk)
    add(desk.home, "Jan Novák", (None, None), desk.now)
    retire(desk.home, "Řehoř Áron", None, desk.now + timedelta(hours=1), compromised=True)
    rings = (own_keyring(desk.home),)
    assert not verify_qr(issued.qr, replace(counter, keyrings=rings)).holds
    told = _against(verify_qr(issued.qr, replace(offline, keyrings=rings)))
    assert told.startswith("Řehoř Áron's key was compromised on 2026-11-16, and no witness")
    assert "compromised" in _against(verify_pdf(issued.pdf.read_bytes(), replace(offline, keyrings=rings)))


def test_what_is_signed_after_retirement_does_not_hold(desk: Desk, issue: Issue, counter: TrustContext) -> None:
    add(desk.home, "Jan Novák", (None, None), desk.now)
    retire(desk.home, "Řehoř Áron", None, desk.now - timedelta(days=30))
    issued = issue(desk)
    told = _against(verify_qr(issued.qr, replace(counter, keyrings=(own_keyring(desk.home),))))
    assert told == "Řehoř Áron's key was retired on 2026-10-17"


def test_the_qr_text_binds_the_record(desk: Desk, issue: Issue) -> None:
    issued = issue(desk)
    assert hashlib.sha256(_record_of(issued)).hexdigest().startswith(read(issued.qr).claim.digest)


def _striker(issued: Issued) -> Record:
    return open_record(_record_of(issued))


def _record_of(issued: Issued) -> bytes:
    with pikepdf.open(issued.pdf) as pdf:
        return pdf.attachments["record.json"].get_file().read_bytes()
