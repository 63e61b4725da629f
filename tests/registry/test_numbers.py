from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.errors import UsageError
from inspect_kit.registry.numbers import LETTERS, Number, check_code, code_for, number_of

NUMBERS = st.builds(
    Number,
    issuer=st.text(LETTERS, min_size=2, max_size=6),
    year=st.integers(2000, 2255),
    serial=st.integers(1, 999_999_999),
    report=st.booleans(),
)
US = "1234567890"
CZECH = "+ěščřžýáíé"
FRENCH = "&é\"'(-è_çà"


def test_a_number_can_be_read_out() -> None:
    assert str(Number("PCK", 2026, 123)) == "PCK-2026-000123-D"
    assert str(Number("PCK", 2026, 123, report=True)).startswith("PCK-2026-R000123-")


@given(NUMBERS)
def test_a_number_comes_back_from_its_text(number: Number) -> None:
    assert number_of(str(number)) == number


@given(NUMBERS)
def test_separators_case_and_spaces_do_not_matter(number: Number) -> None:
    assert number_of(str(number).replace("-", "").lower()) == number
    assert number_of(f"  {str(number).replace('-', ' ')} ") == number
    assert number_of(str(number).replace("-", "–")) == number


@given(NUMBERS)
def test_a_number_holds_no_sign_that_a_keyboard_layout_moves(number: Number) -> None:
    assert not set(str(number)) & set("AMQWYZIO")


@pytest.mark.parametrize(("row", "hyphen"), [(CZECH, "="), (FRENCH, ")")])
@given(number=NUMBERS)
def test_a_number_scanned_through_a_foreign_layout_is_read_for_what_it_was(
    number: Number, row: str, hyphen: str
) -> None:
    typed = str(number).replace("-", hyphen).translate(str.maketrans(US, row))
    assert number_of(typed) == number


@given(NUMBERS, st.data())
def test_any_one_wrong_character_is_noticed(number: Number, data: st.DataObject) -> None:
    text = str(number)
    place = data.draw(st.sampled_from([place for place, sign in enumerate(text) if sign not in "-R"]))
    kind = "0123456789" if text[place].isdigit() else LETTERS
    wrong = data.draw(st.sampled_from([sign for sign in kind if sign != text[place]]))
    with pytest.raises(UsageError):
        number_of(text[:place] + wrong + text[place + 1 :])


@given(NUMBERS, st.data())
def test_any_two_swapped_neighbours_are_noticed(number: Number, data: st.DataObject) -> None:
    text = str(number).replace("-", "")
    places = [
        place
        for place in range(len(text) - 1)
        if text[place] != text[place + 1] and text[place].isdigit() == text[place + 1].isdigit()
    ]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    swapped = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    with pytest.raises(UsageError):
        number_of(swapped)


@pytest.mark.parametrize(
    "text", ["", "x", "PCK-2026", "PCK-2026-000123", "'; DROP TABLE", "9" * 10_000, "\x00", "🙂" * 20]
)
def test_what_is_no_number_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="PCK|PCC|number") as caught:
        number_of(text)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Prague Carrom Club", "PCC"),
        ("Pražský carrom klub", "PCK"),
        ("Deutscher Sportverein", "DS"),
        ("Carrom", "CRR"),
        ("Ama", ""),
    ],
)
def test_an_issuers_code_comes_from_its_name(name: str, code: str) -> None:
    assert code_for(name) == code


def test_every_number_in_the_documentation_is_a_right_one(repository: Path) -> None:
    pages = [repository / "docs" / "registry.md", *(repository / "inspect_kit" / "cli").glob("*.py")]
    shown = {
        number for page in pages for number in re.findall(r"\b[A-Z]{2,6}-20\d\d-R?\d{6}-[A-Z]\b", page.read_text())
    }
    assert len(shown) >= 3
    for number in shown:
        assert str(number_of(number)) == number


@pytest.mark.parametrize("code", ["", "P", "pck", "PCKKKKK", "ABC", "P K", "PČK"])
def test_a_code_that_people_could_mistype_is_refused(code: str) -> None:
    with pytest.raises(UsageError):
        check_code(code)
