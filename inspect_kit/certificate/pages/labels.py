"""Stickers for the back of a striker or board: the QR code, the number, and what it is good for."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.wording import Wording, wording_for
from inspect_kit.certificate.pages.fonts import BOLD, SANS, check_printable, drawing_alone
from inspect_kit.certificate.pages.shapes import draw_modules, qr_modules
from inspect_kit.certificate.pages.styles import MM, Colour, Style
from inspect_kit.certificate.pages.text import clipped, measured, put, shrunk, wrapped
from inspect_kit.errors import UsageError
from inspect_kit.registry.search import CertificateStatus

_BLACK: Final[Colour] = (0, 0, 0)
"""Label printers know no grey: they would dot it."""

_NUMBER: Final = Style(BOLD, 9.5, 11, _BLACK)
"""The certificate's number: size and distance of lines in points."""
_SUBJECT: Final = Style(BOLD, 8, 9.2, _BLACK)
"""What the certificate is of, in two lines at most."""
_DETAIL: Final = Style(SANS, 7, 8.2, _BLACK)
"""The details below, as many as find room."""
_LEAST: Final = 5.5
"""Points to which a line may shrink before it is cut."""
_GAP: Final = 1.0 * MM
"""White around the QR code on a square-cut label, in points."""
_MODULE: Final = 3 * 72 / 300
"""Points: three dots of a printer of 300 dpi, 0.254 mm."""
_LEAST_ROUND: Final = 3.6
"""Points to which a line may shrink on a round label, where there is less room."""


@dataclass(frozen=True, slots=True)
class Stock:
    """Labels as they are sold, in millimetres: how many on a page, their size, the first one's corner, the pitch."""

    page: tuple[float, float]
    across: int
    down: int
    size: tuple[float, float]
    corner: tuple[float, float] = (0, 0)
    pitch: tuple[float, float] = (0, 0)
    round: bool = False

    @property
    def on_a_page(self) -> int:
        """How many there are."""
        return self.across * self.down


STOCKS: Final = {
    "62x29": Stock((62, 29), 1, 1, (62, 29)),
    "round-24": Stock((24, 24), 1, 1, (24, 24), round=True),
    "a4-21": Stock((210, 297), 3, 7, (63.5, 38.1), (7.2, 15.15), (66.0, 38.1)),
    "a4-24": Stock((210, 297), 3, 8, (70, 37), (0, 0.5), (70, 37)),
    "avery-l7159": Stock((210, 297), 3, 8, (63.5, 33.9), (7.2, 12.9), (66.0, 33.9)),
    "avery-l7651": Stock((210, 297), 5, 13, (38.1, 21.2), (4.75, 10.7), (40.6, 21.2)),
    "avery-5160": Stock((215.9, 279.4), 3, 10, (66.675, 25.4), (4.7625, 12.7), (69.85, 25.4)),
    "avery-5163": Stock((215.9, 279.4), 2, 5, (101.6, 50.8), (3.96875, 12.7), (106.3625, 50.8)),
}
"""A sticker for a label printer, a round one for a striker; A4 sheets (21, 24, 24, 65), US Letter sheets (30, 10)."""

SAME: Final = {
    "brother-dk-11209": "62x29", "brother-dk-11218": "round-24", "avery-l7160": "a4-21", "avery-3474": "a4-24",
}  # fmt: skip
"""What makers call them."""


@dataclass(frozen=True, slots=True)
class Sticker:
    """What one label says."""

    number: str
    qr: str
    subject: str
    details: tuple[str, ...]
    verdict: str = ""
    validity: str = ""


def stock_of(name: str) -> Stock:
    """A stock by our name for it, or its maker's."""
    return STOCKS[SAME.get(name, name)]


def sticker_of(standing: CertificateStatus, issuer: str, language: str) -> Sticker:
    """The label of a certificate, in a language."""
    words = wording_for(language, {})
    verdict, validity = words.say(f"overall.{standing.verdict}"), _validity(standing, words)
    details = (verdict, validity, standing.owner, standing.sheet, issuer)
    for text in (standing.subject, *details):
        check_printable(text, where=standing.number)
    told = tuple(text for text in details if text)
    until = words.say("label.until", day=standing.valid_until) if standing.valid_until else standing.valid_for
    return Sticker(standing.number, standing.qr, standing.subject, told, verdict, until or standing.issued_on)


def _validity(standing: CertificateStatus, words: Wording) -> str:
    if standing.valid_until:
        return words.say("label.valid_until", day=words.day(standing.valid_until, where="valid_until"))
    if standing.valid_for:
        return words.say("label.valid_for", event=standing.valid_for)
    return words.day(standing.issued_on, where="issued_on")


@drawing_alone
def draw_labels(stickers: Sequence[Sticker], stock: Stock, skip: int = 0) -> bytes:
    """The labels as PDF, to be printed at 100 %; `skip` leaves out places of the first sheet that are used up."""
    if not 0 <= skip < stock.on_a_page:
        raise UsageError("sheet-labels", where="--skip", on_a_page=stock.on_a_page)
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
    drawn = _draw_round if stock.round else _draw
    drawn(canvas, sticker, (stock.size[0] * MM, stock.size[1] * MM))
    canvas.restoreState()


def _draw(canvas: Canvas, sticker: Sticker, size: tuple[float, float]) -> None:
    width, height = size
    code = min(height - 2 * _GAP, 31 * MM)
    # The quiet zone of four modules lies inside.
    rows = qr_modules(sticker.qr, "m", border=4)
    draw_modules(canvas, rows, (_GAP, (height - code) / 2), code / len(rows), _BLACK)
    left = code + _GAP
    room = width - left - 2 * _GAP
    lines = _lines(sticker, room, height - 3 * MM)
    y = (height + sum(style.leading for _, style in lines)) / 2
    for text, style in lines:
        y -= style.leading
        put(canvas, left, y + style.leading * 0.25, text, style)


def _draw_round(canvas: Canvas, sticker: Sticker, size: tuple[float, float]) -> None:
    """The code in the middle, its modules three dots of a 300 dpi printer; verdict above, number and validity below.

    The white of the label is the code's quiet zone.
    """
    middle = size[0] / 2
    rows = qr_modules(sticker.qr, "l")
    code = len(rows) * _MODULE
    low = middle - code / 2 - 0.2 * MM
    draw_modules(canvas, rows, (middle - code / 2, low), _MODULE, _BLACK)
    _put_in_circle(canvas, sticker.verdict.upper(), Style(BOLD, 6.4, 7, _BLACK), (middle, low + code + 0.9 * MM))
    _put_in_circle(canvas, sticker.number, Style(BOLD, 5, 5.4, _BLACK), (middle, low - 2.4 * MM))
    _put_in_circle(canvas, sticker.validity, Style(SANS, 4.6, 5, _BLACK), (middle, low - 4.1 * MM))


def _put_in_circle(canvas: Canvas, text: str, style: Style, at: tuple[float, float]) -> None:
    """A line centred in the circle, as wide as the circle is there."""
    middle, y = at
    far = max(abs(y - middle), abs(y + style.size * 0.7 - middle))
    room = 2 * max(middle**2 - far**2, 0.0) ** 0.5 - 1.2 * MM
    fitted = shrunk(text, style, room, _LEAST_ROUND)
    shown = clipped(text, fitted, room)
    put(canvas, middle - measured(shown, fitted) / 2, y, shown, fitted)


def _lines(sticker: Sticker, room: float, height: float) -> list[tuple[str, Style]]:
    """Number, at most two lines of the subject, and as many details as find room, the last line being the least."""
    lines = [(sticker.number, replace(shrunk(sticker.number, _NUMBER, room, _LEAST), leading=_NUMBER.leading))]
    subject = wrapped(sticker.subject, _SUBJECT.font, _SUBJECT.size, room)
    shown = subject if len(subject) <= 2 else (subject[0], clipped(" ".join(subject[1:]), _SUBJECT, room))
    lines += [(line, _SUBJECT) for line in shown]
    for text in sticker.details:
        fitted = replace(shrunk(text, _DETAIL, room, _LEAST), leading=_DETAIL.leading)
        lines.append((clipped(text, fitted, room), fitted))
    while sum(style.leading for _, style in lines) > height:
        lines.pop()
    return lines
