"""The reference sheets as data: where every square, marker and corner lies, in millimetres from the sheet's middle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

VERSION: Final = 1
"""Version of the sheets, in their code."""
MARKER_SHARE: Final = 0.8
"""Side of a marker over the side of its square: the rest is the white rim a marker needs to be read."""

MODULES: Final = 6
"""Cells along a marker's side: four of code and a black border."""

Cell = tuple[int, int]
Point = tuple[float, float]


class SheetKind(StrEnum):
    """What a sheet is for."""

    MAT = "mat"
    CARD = "card"
    BACKDROP = "backdrop"
    CHARUCO = "charuco"


class Paper(StrEnum):
    """Sizes of paper that sheets come in."""

    A4 = "a4"
    LETTER = "letter"


PAPER_SIZES: Final[Mapping[Paper, Point]] = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4)}
"""mm: ISO 216 and ANSI."""
CARD_SIZE: Final[Point] = (148.0, 105.0)
"""mm: ISO 216 A6, lying."""
MAX_CARDS: Final = 24
"""Cards that have markers of their own."""


@dataclass(frozen=True)
class Area:
    """A rectangle on a sheet, by its lower left corner and its size."""

    left: float
    bottom: float
    width: float
    height: float


@dataclass(frozen=True)
class PrintedSheet:
    """A checkerboard, whole or a frame, whose white squares carry markers with ids of their own.

    x points right and y up from the middle of the paper, z towards the reader. Squares are counted from the upper left;
    the one at (0, 0) is black. `top` is the distance of the pattern from the upper edge of the paper.
    """

    name: str
    kind: SheetKind
    size: Point
    square: float
    columns: int
    rows: int
    top: float
    first_id: int
    hole: tuple[int, int, int, int] | None = None
    bar: float = 100.0

    @property
    def left(self) -> float:
        """x of the pattern's left edge."""
        return -self.columns * self.square / 2

    @property
    def upper(self) -> float:
        """y of the pattern's upper edge."""
        return self.size[1] / 2 - self.top

    def has(self, cell: Cell) -> bool:
        """Whether this square belongs to the pattern."""
        column, row = cell
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return False
        if self.hole is None:
            return True
        first_column, first_row, last_column, last_row = self.hole
        return not (first_column <= column < last_column and first_row <= row < last_row)

    def _cells(self, parity: int) -> Iterator[Cell]:
        for row in range(self.rows):
            for column in range(self.columns):
                if (column + row) % 2 == parity and self.has((column, row)):
                    yield column, row

    def corner(self, cell: Cell) -> Point:
        """The upper left corner of a square."""
        return self.left + cell[0] * self.square, self.upper - cell[1] * self.square

    def black(self) -> Iterator[Area]:
        """The black squares."""
        for cell in self._cells(0):
            x, y = self.corner(cell)
            yield Area(x, y - self.square, self.square, self.square)

    @cached_property
    def markers(self) -> Mapping[int, Area]:
        """The markers by id."""
        side = self.square * MARKER_SHARE
        rim = (self.square - side) / 2
        places = (self.corner(cell) for cell in self._cells(1))
        return {
            self.first_id + number: Area(x + rim, y - rim - side, side, side) for number, (x, y) in enumerate(places)
        }

    @cached_property
    def crossings(self) -> tuple[Point, ...]:
        """The corners where four squares meet: what the pose is taken from."""
        inner = ((column, row) for row in range(1, self.rows) for column in range(1, self.columns))
        return tuple(
            self.corner((c, r)) for c, r in inner if all(self.has((c - i, r - j)) for i in (0, 1) for j in (0, 1))
        )

    @property
    def middle(self) -> Area | None:
        """The free area for pieces, printed in the middle tone."""
        if self.hole is None:
            return None
        first_column, first_row, last_column, last_row = self.hole
        left, upper = self.corner((first_column, first_row))
        right, lower = self.corner((last_column, last_row))
        if self.kind is SheetKind.BACKDROP:
            # What stands in front of it reaches down to the table, and so must the plain ground.
            lower = -self.size[1] / 2
        return Area(left, lower, right - left, upper - lower)


def mat(paper: Paper) -> PrintedSheet:
    """One sheet with a free middle for small pieces."""
    rows = {Paper.A4: 22, Paper.LETTER: 21}[paper]
    first = {Paper.A4: 100, Paper.LETTER: 180}[paper]
    return PrintedSheet(
        f"mat-{paper}", SheetKind.MAT, PAPER_SIZES[paper], 12.0, 16, rows, 9.0, first, (2, 2, 14, rows - 2), bar=150.0
    )


def charuco(paper: Paper) -> PrintedSheet:
    """A whole board, for calibrating cameras."""
    first = {Paper.A4: 260, Paper.LETTER: 310}[paper]
    columns, rows = {Paper.A4: (8, 11), Paper.LETTER: (8, 10)}[paper]
    return PrintedSheet(
        f"charuco-{paper}", SheetKind.CHARUCO, PAPER_SIZES[paper], 24.0, columns, rows, 9.0, first, bar=150.0
    )


def backdrop() -> PrintedSheet:
    """A sheet to stand upright on its long edge behind a figure: marks at the sides and above, plain in the middle."""
    return PrintedSheet("backdrop", SheetKind.BACKDROP, CARD_SIZE, 10.0, 13, 8, 15.0, 360, (2, 2, 11, 8), bar=100.0)


def card(number: int) -> PrintedSheet:
    """One of the cards to lie on a board, counted from 1."""
    if not 1 <= number <= MAX_CARDS:
        raise ValueError(f"cards are counted from 1 to {MAX_CARDS}")
    return PrintedSheet(
        f"card-{number}", SheetKind.CARD, CARD_SIZE, 21.0, 6, 4, 5.0, 420 + 20 * (number - 1), bar=100.0
    )


def all_sheets() -> tuple[PrintedSheet, ...]:
    """Every sheet of ours, by which markers in a photo are told apart."""
    whole = (*(mat(paper) for paper in Paper), *(charuco(paper) for paper in Paper), backdrop())
    return (*whole, *(card(number) for number in range(1, MAX_CARDS + 1)))


def marker_cells(marker: int) -> tuple[tuple[bool, ...], ...]:
    """Which cells of a marker are black, row by row from the top; the border included."""
    import cv2

    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_1000)
    image = words.generateImageMarker(marker, MODULES, borderBits=1)
    return tuple(tuple(bool(value == 0) for value in row) for row in image)
