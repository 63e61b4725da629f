from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.certificate.content.model import Columned
from inspect_kit.certificate.pages.flow import _cut, _height, _lines, columned_pieces, tall
from inspect_kit.certificate.pages.page import BODY_HEIGHT
from inspect_kit.certificate.pages.styles import SMALL_INK

WORDS = "The uncertainty stated is the expanded uncertainty, multiplied by the coverage factor. "


def test_two_columns_are_about_half_as_tall_as_one() -> None:
    pieces = list(columned_pieces(Columned((WORDS * 4, WORDS * 5, WORDS * 2))))
    whole = sum(_height(list(_lines(text, 0))) for text in (WORDS * 4, WORDS * 5, WORDS * 2))
    assert tall(pieces) < whole / 2 + 4 * SMALL_INK.leading


def test_a_single_line_stays_in_the_left_column() -> None:
    (piece,) = columned_pieces(Columned(("Short.",)))
    assert piece.height == SMALL_INK.leading


def test_a_text_of_many_pages_is_parted_into_pieces_that_fit_one() -> None:
    pieces = list(columned_pieces(Columned((WORDS * 400,))))
    assert len(pieces) > 1
    assert all(piece.height < BODY_HEIGHT for piece in pieces)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_no_line_of_a_paragraph_stands_alone_in_a_column(lengths: list[int]) -> None:
    lines = [line for length in lengths for line in _lines("\n".join("word" for _ in range(length)), 0)]
    cut = _cut(lines)
    if cut < len(lines):
        assert lines[cut].before != 1
        assert lines[cut].before == 0 or lines[cut].left != 1
