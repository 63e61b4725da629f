from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.certificate.pages.fonts import (
    BOLD,
    FALLBACK,
    ITALIC,
    SANS,
    SERIF,
    check_printable,
    font,
    runs,
    width_of,
)
from inspect_kit.certificate.pages.text import Style, clipped, measured, prepared, settled, shrunk, wrapped
from inspect_kit.errors import BadInput

BODY = Style(SANS, 9, 12)


@pytest.mark.parametrize("name", [SANS, BOLD, SERIF, FALLBACK])
def test_digits_and_signs_of_calculation_are_equally_wide(name: str) -> None:
    assert len({width_of(digit, name, 10) for digit in "0123456789"}) == 1


@pytest.mark.parametrize("name", [SANS, BOLD, SERIF])
def test_the_main_fonts_have_what_four_languages_and_metrology_need(name: str) -> None:
    needed = "ěščřžýáíéúůťďňóĚŠČŘŽÝÁÍÉÚŮŤĎŇÓäöüßÄÖÜàèéìòùÀÈÉÌÒÙ≤≥±−×Ø°µ²³·–—„“”‚‘’«»…½✓\u00a0\u2009\u202f"
    assert not [sign for sign in needed if ord(sign) not in font(name).face.charToGlyph]


def test_symbols_of_quantities_are_set_in_italics() -> None:
    assert runs("2𝑈 = 4𝑢", SANS) == [(SANS, "2"), (ITALIC, "U"), (SANS, " = 4"), (ITALIC, "u")]


def test_a_character_the_main_font_lacks_comes_from_the_fallback() -> None:
    assert runs("Ø ☎", SANS) == [(SANS, "Ø "), (FALLBACK, "☎")]
    assert runs("שלום", BOLD)[0][0] == FALLBACK


@pytest.mark.parametrize("text", ["न", "漢", "a\u202eb", "\x07", "\ue000"])
def test_a_character_that_cannot_be_printed_is_named_with_its_field(text: str) -> None:
    with pytest.raises(BadInput, match=rf"subject\.owner: .*U\+{ord(text[len(text) // 2]):04X}"):
        check_printable(text, where="subject.owner")


def test_arabic_letters_are_joined() -> None:
    assert prepared("محمد") != "محمد"
    assert prepared("Müller") == "Müller"


def test_a_soft_hyphen_shows_only_where_a_word_is_broken() -> None:
    word = "Konformitäts\u00adwahrscheinlichkeit"
    assert wrapped(word, SANS, 9, 400) == ("Konformitätswahrscheinlichkeit",)
    assert wrapped(word, SANS, 9, 80) == ("Konformitäts-", "wahrscheinlichkeit")


def test_a_number_stays_with_its_unit() -> None:
    lines = wrapped("at least 30,2\u202fmm or 31,8\u202fmm", SANS, 9, 55)
    assert not any(line.startswith("mm") or line.endswith((",", "30", "31")) for line in lines)


def test_a_stray_last_word_is_avoided_without_another_line() -> None:
    text = "A record is a list of all that was seen on the day, and no more than that is said of it"
    pairs = [(wrapped(text, BODY.font, BODY.size, width), settled(text, BODY, width)) for width in range(90, 400)]
    stray = [better for lines, better in pairs if lines[-1] == "it"]
    assert stray
    assert all(" ".join(better) == text and len(better) == len(lines) for lines, better in pairs)
    assert all(better[-1] != "it" for better in stray)


@given(st.text(st.characters(codec="latin-1", exclude_categories=("Cc", "Cf")), max_size=200), st.floats(20, 300))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: float) -> None:
    lines = wrapped(text, SANS, 9, width)
    assert all(width_of(line, SANS, 9) <= width for line in lines if len(line) > 1)
    assert "".join("".join(lines).split()) == "".join(prepared(text).split())


def test_an_endless_word_is_broken_into_lines_that_fit() -> None:
    word = "x" * 200_000
    lines = wrapped(word, SANS, 9, 100)
    assert "".join(lines) == word
    assert max(width_of(line, SANS, 9) for line in lines) <= 100


def test_long_text_shrinks_down_to_a_bound_and_is_then_clipped() -> None:
    assert shrunk("short", BODY, 200, 5) == BODY
    small = shrunk("W" * 100, BODY, 100, 6)
    assert small.size == 6
    assert clipped("W" * 100, small, 100).endswith("…")
    assert measured(clipped("W" * 100, small, 100), small) <= 100
