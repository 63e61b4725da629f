"""Pieces of a known height, and how they fall onto pages: heads repeated, headings never left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas, float], None]
"""Draws below a given top edge."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that is never broken. `space` is white above it, dropped at the head of a page.

    `keep` holds it on one page with what follows; `head` is drawn again above it where it starts a page.
    """

    height: float
    draw: Draw
    space: float = 0.0
    keep: bool = False
    head: Piece | None = None
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece and the distance of its top edge from the top of the page's body."""

    piece: Piece
    offset: float


Page = tuple[Placed, ...]


def paginate(pieces: Iterable[Piece], height: float, first: float | None = None) -> tuple[Page, ...]:
    """Fill pages of that height from top to bottom; the first may have another."""
    pages: list[list[Placed]] = [[]]
    used = 0.0
    room = height if first is None else first
    for bundle in _bundles(pieces):
        if pages[-1] and (used + tall(bundle) > room or bundle[0].new_page):
            pages.append([])
            used, room = 0.0, height
        for piece in bundle:
            if pages[-1] and used + piece.space + piece.height > room + 0.01:
                pages.append([])
                used, room = 0.0, height
            used = _place(piece, pages[-1], used)
    return tuple(tuple(page) for page in pages if page)


def _place(piece: Piece, page: list[Placed], used: float) -> float:
    if not page and piece.head is not None:
        page.append(Placed(piece.head, 0.0))
        used = piece.head.height
    top = used + (piece.space if page else 0.0)
    page.append(Placed(piece, top))
    return top + piece.height


def _bundles(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces that belong together: each keeps hold of the next."""
    bundle: list[Piece] = []
    for piece in pieces:
        bundle.append(piece)
        if not piece.keep:
            yield bundle
            bundle = []
    if bundle:
        yield bundle


def tall(pieces: Iterable[Piece]) -> float:
    """What pieces take below each other."""
    return sum(piece.space + piece.height for piece in pieces)


def stacked(pieces: Sequence[Piece]) -> Piece:
    """Several pieces as one."""
    offsets = [0.0]
    for before, piece in pairwise(pieces):
        offsets.append(offsets[-1] + before.height + piece.space)

    def draw(canvas: Canvas, top: float) -> None:
        for offset, piece in zip(offsets, pieces, strict=True):
            piece.draw(canvas, top - offset)

    return Piece(offsets[-1] + pieces[-1].height, draw)
