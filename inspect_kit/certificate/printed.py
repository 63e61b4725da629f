"""What is printed on a certificate's pages, and the record that is attached to it, read back out of the PDF."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Final

from pikepdf import Array, Dictionary, Name, Object, Page, Pdf, String, parse_content_stream

from inspect_kit.certificate.archive import DCC_NAME, RECORD_NAME
from inspect_kit.errors import BrokenSeal
from inspect_kit.inspection.record import MAX_BYTES

_PAIR: Final = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>")
_RANGE: Final = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(<[0-9A-Fa-f]+>|\[[^\]]*\])")

Table = dict[int, str]


def read_back(pdf: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The attached record, and the letters of every page without spaces."""
    try:
        with Pdf.open(io.BytesIO(pdf)) as opened:
            return _record(opened), tuple(_letters(page) for page in opened.pages)
    except BrokenSeal:
        raise
    except Exception as problem:  # A forged file can break a parser in any way there is.
        raise BrokenSeal(f"its pages cannot be read ({type(problem).__name__})") from None


def _record(pdf: Pdf) -> bytes:
    names = sorted(pdf.attachments.keys())
    if names not in ([RECORD_NAME], [DCC_NAME, RECORD_NAME]):
        raise BrokenSeal(f"not one {RECORD_NAME} is attached, but {len(names)} files")
    content = bytes(pdf.attachments[RECORD_NAME].get_file().read_bytes())
    if len(content) > MAX_BYTES:
        raise BrokenSeal("the attached record is too large")
    return content


def _letters(page: Page) -> str:
    fonts = page.obj.get(Name.Resources, Dictionary()).get(Name.Font, Dictionary())
    tables: dict[str, Table] = {}
    current: Table = {}
    found: list[str] = []
    for step in parse_content_stream(page.obj):
        operator, operands = str(step.operator), list(step.operands)
        if operator == "Tf":
            name = str(operands[0])
            current = tables.setdefault(name, _table(fonts.get(Name(name))))
        elif operator in ("Tj", "TJ", "'", '"'):
            found.extend(_shown(operands[-1], current))
    return "".join("".join(found).split())


def _shown(operand: object, table: Table) -> Iterator[str]:
    for part in operand if isinstance(operand, Array) else (operand,):
        if isinstance(part, String):
            yield from (table.get(code, "") for code in bytes(part))


def _table(font: Object | None) -> Table:
    """A font's map from codes to letters."""
    if font is None or Name.ToUnicode not in font:
        return {}
    stream = font.ToUnicode.read_bytes()
    table: Table = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", stream, re.DOTALL):
        for code, letters in _PAIR.findall(block):
            table[int(code, 16)] = bytes.fromhex(letters.decode()).decode("utf-16-be", "replace")
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", stream, re.DOTALL):
        for low, high, target in _RANGE.findall(block):
            table.update(_spread(int(low, 16), int(high, 16), target))
    return table


def _spread(low: int, high: int, target: bytes) -> Iterator[tuple[int, str]]:
    listed = [bytes.fromhex(code.decode()).decode("utf-16-be", "replace") for code in re.findall(rb"<(\w+)>", target)]
    for place, code in enumerate(range(low, min(high, low + 65535) + 1)):
        if target.startswith(b"["):
            if place < len(listed):
                yield code, listed[place]
        elif listed:
            yield code, listed[0][:-1] + chr(ord(listed[0][-1]) + place)
