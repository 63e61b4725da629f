from __future__ import annotations

from datetime import date

import pytest
import segno
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.certificate.issue.qr import ALPHABET, PREFIX, Claim, compose, looks_like_qr, read, shortened
from inspect_kit.errors import BadInput
from inspect_kit.registry.numbers import LETTERS, Number

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
NUMBERS = st.builds(
    Number, st.text(LETTERS, min_size=2, max_size=6), st.integers(2000, 2255), st.integers(1, 10**9 - 1), st.booleans()
)
DAYS = st.dates(date(2000, 1, 2), date(2179, 1, 1)).map(date.isoformat)
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=80)


def _claims(number: Number) -> st.SearchStrategy[Claim]:
    return st.builds(
        Claim, st.just(str(number)), st.sampled_from(["conforms", "fails", "undecided"]), DAYS, DAYS | st.just(""),
        WORDS, WORDS, WORDS, WORDS, st.binary(min_size=6, max_size=32).map(bytes.hex),
    )  # fmt: skip


@given(NUMBERS, st.data())
def test_a_claim_comes_back_from_its_text(number: Number, data: st.DataObject) -> None:
    claim = data.draw(_claims(number))
    signed = read(compose(number, claim, "A1B2C3", KEY.sign))
    assert signed.signer == "A1B2C3"
    assert (signed.claim.number, signed.claim.verdict) == (claim.number, claim.verdict)
    assert (signed.claim.issued_on, signed.claim.valid_until) == (claim.issued_on, claim.valid_until)
    assert signed.claim.digest == claim.digest[:12]
    for name in ("sheet", "item", "subject", "event"):
        assert getattr(signed.claim, name) == shortened(name, getattr(claim, name))
    KEY.public_key().verify(signed.signature, signed.message)


@given(NUMBERS, st.data())
def test_the_text_has_only_signs_that_every_keyboard_leaves_in_place(number: Number, data: st.DataObject) -> None:
    text = compose(number, data.draw(_claims(number)), "A1B2C3", KEY.sign)
    assert set(text) <= set(ALPHABET)
    assert not set(text) & set("AMQWYZ")
    assert segno.make_qr(text, error="m", boost_error=False).mode == "alphanumeric"


def _text(subject: str = "Striker 42", event: str = "Prague Open") -> str:
    number = Number("PCK", 2026, 123)
    claim = Claim(
        str(number), "conforms", "2026-11-16", "2027-06-30", "icf-2001-it", "striker", subject, event, "ab" * 32
    )
    return compose(number, claim, "A1B2C3", KEY.sign)


def test_the_code_stays_small_enough_to_print() -> None:
    assert segno.make_qr(_text(), error="m", boost_error=False).version <= 9
    longest = _text("ř" * 300, "š" * 300)
    assert segno.make_qr(longest, error="m", boost_error=False).version <= 10


@pytest.mark.parametrize("row", ["+ěščřžýáíé", "&é\"'(-è_çà"], ids=["Czech", "French"])
def test_a_text_that_a_scanner_typed_through_a_foreign_layout_is_read(row: str) -> None:
    typed = _text().translate(str.maketrans("1234567890", row))
    assert read(typed) == read(_text())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "KIT",
        "KIT0",
        PREFIX + "0" * 300,
        "KIT" + "X" * 5000,
        "http://example.org/",
        "KIT" + "B" * 200,
        "\x00" * 200,
        "🙂" * 200,
    ],
)
def test_what_is_no_such_text_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BadInput, match="not a certificate's QR text"):
        read(text)


def test_there_is_one_spelling_only() -> None:
    with pytest.raises(BadInput):
        read(PREFIX + "0" + _text().removeprefix(PREFIX))


def test_a_scanned_text_is_told_from_a_files_name() -> None:
    assert looks_like_qr(_text())
    assert looks_like_qr(_text().lower())
    assert not looks_like_qr("kit.pdf")
    assert not looks_like_qr("KIT-2026.pdf")
