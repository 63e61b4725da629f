from __future__ import annotations

from inspect_kit.certificate.pages.flow import Piece, paginate


def piece(height: float, **changes: object) -> Piece:
    return Piece(height, lambda _canvas, _top: None, **changes)  # type: ignore[arg-type]


def test_pieces_fill_a_page_before_the_next_begins() -> None:
    pages = paginate([piece(40), piece(40), piece(40)], 100)
    assert [len(page) for page in pages] == [2, 1]


def test_a_heading_is_never_left_alone_at_the_foot_of_a_page() -> None:
    pages = paginate([piece(80), piece(15, keep=True), piece(30)], 100)
    assert [len(page) for page in pages] == [1, 2]


def test_white_space_above_is_dropped_at_the_head_of_a_page() -> None:
    pages = paginate([piece(90), piece(20, space=30)], 100)
    assert pages[1][0].offset == 0


def test_a_table_head_is_repeated_where_a_row_starts_a_page() -> None:
    head = piece(5)
    pages = paginate([head, *(piece(30, head=head) for _ in range(5))], 100)
    assert [placed.piece is head for placed in (page[0] for page in pages)] == [True, True]
    assert pages[1][1].offset == 5


def test_a_piece_taller_than_a_page_still_gets_one() -> None:
    assert len(paginate([piece(50), piece(300), piece(50)], 100)) == 3


def test_the_first_page_may_have_another_height() -> None:
    pages = paginate([piece(40) for _ in range(5)], 100, 60)
    assert [len(page) for page in pages] == [1, 2, 2]
