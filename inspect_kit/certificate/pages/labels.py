"""Stickers for the back of a striker or board: the QR code, the number, and what it is good for."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import segno
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.wording import Wording, wording_for
from inspect_kit.certificate.pages.fonts import BOLD, SANS, check_printable, drawing_alone
from inspect_kit.certificate.pages.page import MM, Colour
from inspect_kit.certificate.pages.text import Style, clipped, measured, put, shrunk, wrapped
from inspect_kit.errors import UsageError
from inspect_kit.registry.search import CertificateStatus

_BLACK: Final[Colour] = (0, 0, 0)
"""Label printers know no grey: they would dot it."""

_NUMBER: Final = Style(BOLD, 9.5, 11, _BLACK)
_SUBJECT: Final = Style(BOLD, 8, 9.2, _BLACK)
_DETAIL: Final = Style(SANS, 7, 8.2, _BLACK)
_LEAST: Final = 5.5
_GAP: Final = 1.0 * MM


@dataclass(frozen=True, slots=True)
class Stock:
    """Labels as they are sold, in millimetres: how many on a page, their size, the first one's corner, the pitch."""

    page: tuple[float, float]
    across: int
    down: int
    size: tuple[float, float]
    corner: tuple[float, float] = (0, 0)
    pitch: tuple[float, float] = (0, 0)

    @property
    def on_a_page(self) -> int:
        """How many there are."""
        return self.across * self.down


STOCKS: Final = {
    "62x29": Stock((62, 29), 1, 1, (62, 29)),
    "a4-21": Stock((210, 297), 3, 7, (63.5, 38.1), (7.2, 15.15), (66.0, 38.1)),
    "a4-24": Stock((210, 297), 3, 8, (70, 37), (0, 0.5), (70, 37)),
}
"""A single sticker for a label printer; A4 sheets of 3 × 7 labels of 63.5 × 38.1 mm and of 3 × 8 of 70 × 37 mm."""


@dataclass(frozen=True, slots=True)
class Sticker:
    """What one label says."""

    number: str
    qr: str
    subject: str
    details: tuple[str, ...]


def sticker_of(standing: CertificateStatus, issuer: str, language: str) -> Sticker:
    """The label of a certificate, in a language."""
    words = wording_for(language, {})
    details = (standing.owner, standing.sheet, _validity(standing, words), issuer)
    for text in (standing.subject, *details):
        check_printable(text, where=standing.number)
    return Sticker(standing.number, standing.qr, standing.subject, tuple(text for text in details if text))


def _validity(standing: CertificateStatus, words: Wording) -> str:
    if standing.valid_until:
        return f"{words.say('field.valid_until')} {words.day(standing.valid_until, where='valid_until')}"
    if standing.valid_for:
        return f"{words.say('field.valid_for')} {standing.valid_for}"
    return words.day(standing.issued_on, where="issued_on")


@drawing_alone
def draw_labels(stickers: Sequence[Sticker], stock: Stock, skip: int = 0) -> bytes:
    """The labels as PDF, to be printed at 100 %; `skip` leaves out places of the first sheet that are used up."""
    if not 0 <= skip < stock.on_a_page:
        raise UsageError(f"the sheet has {stock.on_a_page} labels", where="--skip")
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=tuple(side * MM for side in stock.page), pageCompression=1, invariant=1)
    canvas.setTitle("Labels")
    canvas.setCreator("inspect-kit")
    canvas.setViewerPreference("PrintScaling", "None")
    for place, sticker in enumerate(stickers, start=skip):
        if place % stock.on_a_page == 0 and place > skip:
            canvas.showPage()
        _draw_at(canvas, sticker, stock, place % stock.on_a_page)
    canvas.save()
    return buffer.getvalue()


def _draw_at(canvas: Canvas, sticker: Sticker, stock: Stock, place: int) -> None:
    row, column = divmod(place, stock.across)
    left = stock.corner[0] + column * stock.pitch[0]
    top = stock.page[1] - stock.corner[1] - row * stock.pitch[1]
    canvas.saveState()
    canvas.translate(left * MM, (top - stock.size[1]) * MM)
    _draw(canvas, sticker, (stock.size[0] * MM, stock.size[1] * MM))
    canvas.restoreState()


def _draw(canvas: Canvas, sticker: Sticker, size: tuple[float, float]) -> None:
    width, height = size
    code = min(height - 2 * _GAP, 31 * MM)
    _draw_code(canvas, sticker.qr, (_GAP, (height - code) / 2), code)
    left = code + _GAP
    room = width - left - 2 * _GAP
    lines = _lines(sticker, room, height - 3 * MM)
    y = (height + sum(style.leading for _, style in lines)) / 2
    for text, style in lines:
        y -= style.leading
        put(canvas, left, y + style.leading * 0.25, text, style)


def _lines(sticker: Sticker, room: float, height: float) -> list[tuple[str, Style]]:
    """Number, at most two lines of the subject, and as many details as find room, the last line being the least."""
    number = shrunk(sticker.number, _NUMBER, room, _LEAST)
    lines = [(sticker.number, Style(number.font, number.size, _NUMBER.leading, number.colour))]
    subject = wrapped(sticker.subject, _SUBJECT.font, _SUBJECT.size, room)
    shown = subject if len(subject) <= 2 else (subject[0], clipped(" ".join(subject[1:]), _SUBJECT, room))
    lines += [(line, _SUBJECT) for line in shown]
    for text in sticker.details:
        style = shrunk(text, _DETAIL, room, _LEAST)
        fitted = Style(style.font, style.size, _DETAIL.leading, style.colour)
        lines.append((text if measured(text, fitted) <= room else clipped(text, fitted, room), fitted))
    while sum(style.leading for _, style in lines) > height:
        lines.pop()
    return lines


def _draw_code(canvas: Canvas, text: str, corner: tuple[float, float], size: float) -> None:
    """All dark modules as one path, so that no seam shows; the quiet zone of four modules lies inside."""
    rows = [list(row) for row in segno.make_qr(text, error="m", boost_error=False).matrix_iter(border=4)]
    module = size / len(rows)
    path = canvas.beginPath()
    for line, row in enumerate(rows):
        for column, dark in enumerate(row):
            if dark:
                path.rect(corner[0] + column * module, corner[1] + size - (line + 1) * module, module, module)
    canvas.setFillColor(_BLACK)
    canvas.drawPath(path, stroke=0, fill=1)
