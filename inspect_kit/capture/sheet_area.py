"""How many cells a spreadsheet spans, told from its XML before anything makes room for them; rather too many."""

import io
import re
from typing import Final
from xml.etree import ElementTree

_FIELDS: Final = rb"""(?:\s+[\w:]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))*\s*"""
_EMPTY: Final = re.compile(rb"<(?:\w+:)?(?:c|row)" + _FIELDS + rb"/>")
_BARE: Final = re.compile(rb"<(?:\w+:)?row" + _FIELDS + rb">\s*</")
"""Cells and rows of `.xlsx` with a format and nothing in them, often down to the last row there is."""
_PLACE: Final = re.compile(rb"""[\s"']r\s*=\s*["']([A-Za-z]*)([0-9]+)""")
"""Where a cell or row is: `r="C4"`, `r="4"`."""
_ROW: Final = re.compile(rb"<(?:\w+:)?row[\s/>]")
_CELL: Final = re.compile(rb"<(?:\w+:)?c[\s/>]")
_MOST_LETTERS: Final = 4
"""Of a column's name; the last column there is has three."""
_DIGITS: Final = 12
"""Of a row's number; the last row there is has seven."""
_LETTERS: Final = 26
"""Of the alphabet that columns are named with."""


def cells_in(part: bytes) -> int:
    """The cells from the first to the farthest one, of one part of an `.xlsx` or `.ods` file."""
    return _by_places(part) + (_by_repeats(part) if b"table-row" in part else 0)


def _by_places(part: bytes) -> int:
    """Cells and rows that do not say where they are come behind those before them."""
    filled = _BARE.sub(b"</", _EMPTY.sub(b"", part))
    rows = _ROW.split(filled)
    deepest = max((int(number[:_DIGITS]) for _, number in _PLACE.findall(filled)), default=0)
    return (deepest + len(rows)) * max(map(_columns, rows))


def _columns(row: bytes) -> int:
    farthest = max((_column(letters[:_MOST_LETTERS]) for letters, _ in _PLACE.findall(row)), default=0)
    cells = len(_CELL.findall(row))
    return farthest + cells if cells else 0


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * _LETTERS + letter - ord("A") + 1
    return number


def _by_repeats(part: bytes) -> int:
    """OpenDocument writes equal cells and rows once, with how often; empty ones at the end span nothing."""
    cells = tallest = widest = rows = 0
    # Entities, the danger of such files, were refused with all declarations before.
    for _, element in ElementTree.iterparse(io.BytesIO(part)):  # noqa: S314
        if _local(element.tag) == "table-row":
            rows, width = rows + _times(element, "number-rows-repeated"), _width(element)
            tallest, widest = (rows if width else tallest), max(widest, width)
            element.clear()
        elif _local(element.tag) == "table":
            cells, tallest, widest, rows = cells + tallest * widest, 0, 0, 0
    return cells + tallest * widest


def _width(row: ElementTree.Element) -> int:
    width = place = 0
    for cell in row:
        place += _times(cell, "number-columns-repeated")
        said = any("value" in name or "formula" in name for name in cell.attrib)
        if said or len(cell) or (cell.text or "").strip():
            width = place
    return width


def _times(element: ElementTree.Element, name: str) -> int:
    """By any prefix: whoever reads the sheet may look at names alone."""
    told = (value for field, value in element.attrib.items() if _local(field) == name)
    return max((int(value[:_DIGITS]) for value in told), default=1)


def _local(name: str) -> str:
    return name.rpartition("}")[2]
