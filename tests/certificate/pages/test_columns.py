from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.certificate.content.model import Columned
from inspect_kit.certificate.pages.flow import _cut, _height, _lines, chaptered_piece, columned_pieces, paginate, tall
from inspect_kit.certificate.pages.styles import BODY_HEIGHT, FINE, HEADING

WORDS = "The uncertainty stated is the expanded uncertainty, multiplied by the coverage factor. "


def test_two_columns_are_about_half_as_tall_as_one() -> None:
    pieces = list(columned_pieces(Columned((WORDS * 4, WORDS * 5, WORDS * 2))))
    whole = _height(list(_lines(Columned((WORDS * 4, WORDS * 5, WORDS * 2)))))
    assert tall(pieces) < whole / 2 + 4 * FINE.leading


def test_a_single_line_stays_in_the_left_column() -> None:
    (piece,) = columned_pieces(Columned(("Short.",)))
    assert piece.height == FINE.leading


def test_a_text_of_many_pages_is_parted_into_pieces_that_fit_one() -> None:
    pages = paginate(columned_pieces(Columned((WORDS * 400,))), BODY_HEIGHT)
    assert len(pages) > 1
    assert all(placed.piece.height <= BODY_HEIGHT for page in pages for placed in page)


def test_a_long_text_fills_its_pages_and_leaves_more_than_a_line_to_the_last() -> None:
    *full, last = paginate(columned_pieces(Columned((WORDS * 3,) * 80)), BODY_HEIGHT)
    assert all(tall(placed.piece for placed in page) > 0.95 * BODY_HEIGHT for page in full)
    assert tall(placed.piece for placed in last) >= 2 * FINE.leading


def test_a_heading_in_a_column_never_stands_at_its_end() -> None:
    chapters = [(number, "Heading", Columned((WORDS * number,))) for number in range(1, 12)]
    first, rest = chaptered_piece(chapters, HEADING).split(180) or (None, None)  # type: ignore[misc]
    assert first is not None
    assert rest is not None
    assert first.height <= 180


@given(st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_no_line_of_a_paragraph_stands_alone_in_a_column(lengths: list[int]) -> None:
    lines = list(_lines(Columned(tuple("\n".join("word" for _ in range(length)) for length in lengths))))
    cut = _cut(lines)
    if cut < len(lines):
        assert lines[cut].before != 1
        assert lines[cut].before == 0 or lines[cut].left != 1
