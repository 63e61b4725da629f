"""The first page drawn: title, verdict, boxes, identification; and the authorisation at its foot."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.model import Authorisation, Box, Cover, Field, OpenClause
from inspect_kit.certificate.pages.flow import Piece, columns_piece, fact_rows, labelled, tall
from inspect_kit.certificate.pages.page import (  # fmt: skip
    BODY_HEIGHT,
    BOTTOM,
    HAIR,
    HAIRLINE,
    HEAVY_RULE,
    INK,
    LEFT,
    MM,
    PAPER,
    RIGHT,
    SEAL,
    WASH,
    WIDTH,
    draw_modules,
    draw_rule,
    draw_sign,
)
from inspect_kit.certificate.pages.styles import (  # fmt: skip
    BODY,
    BODY_STRONG,
    LABEL,
    REPORT_TITLE,
    REPORT_VERDICT,
    REVERSED_VERDICT,
    SMALL,
    SMALL_INK,
    SUBJECT,
    TABLE,
    TABLE_STRONG,
    TITLE,
    VERDICT,
)
from inspect_kit.certificate.pages.tags import Element, marked
from inspect_kit.certificate.pages.text import (
    Style,
    height_of,
    measured,
    put,
    put_block,
    put_right,
    settled,
    shrunk,
)

LABELS: Final = 44 * MM
"""Width of the column of labels, in points."""
CLOSE_LABELS: Final = 36 * MM
"""The same on a page that is set close."""
AUTHORISATION: Final = 35 * MM
"""Height of the block at the foot of the first page."""

FIRST_HEIGHT: Final = BODY_HEIGHT - AUTHORISATION
"""What it leaves for the rest of that page."""

_PAD: Final = 4.4 * MM
"""White between the frame of the verdict and its text, in points."""
_BOX_FRAME: Final = 18 * MM
"""What a box takes without any entry."""

_HALF: Final = LEFT + 96 * MM
"""Where the right one of two facts on a line begins, in points from the page's left edge."""
_HALF_LABEL: Final = 31 * MM
"""Width of the right one's label, in points."""
_LEFT_TEXT: Final = _HALF - LEFT - CLOSE_LABELS - 4 * MM
"""Width that the text of the left one may take, in points."""
_RIGHT_TEXT: Final = RIGHT - _HALF - _HALF_LABEL
_TALLY: Final = 34 * MM
"""Width of the counts beside the verdict, in points."""
_QR: Final = 27 * MM
"""Side of the QR code, in points."""
_LOGO: Final = (45 * MM, 20 * MM)
"""Room for the issuer's logo."""


def front_pieces(cover: Cover, *, good: bool, close: bool, logo: bytes | None = None) -> Iterator[Piece]:
    """From the title down to the identification; `close` leaves room for more."""
    above = [_title(cover, logo, good=good), _panel(cover)]
    below = list(_identification(cover.identification, close=close))
    yield from above
    yield from _boxes(cover, FIRST_HEIGHT - tall((*above, *below)))
    yield from below


def _identification(fields: Sequence[Field], *, close: bool) -> Iterator[Piece]:
    """One field a line; where the room is needed, two short ones beside each other."""
    space, labels = (3.4 * MM, CLOSE_LABELS) if close else (7 * MM, LABELS)
    for group in _pairs(fields) if close else ((field,) for field in fields):
        rows = fact_rows(group[0], labels) if len(group) == 1 else (_pair(group),)
        for piece in rows:
            yield replace(piece, space=space)
            space = 0.0
    yield Piece(0.4, lambda canvas, top: draw_rule(canvas, top, HAIR, HAIRLINE))


def _pairs(fields: Sequence[Field]) -> Iterator[tuple[Field, ...]]:
    """Each short field with the next short one, wherever that stands."""
    waiting = list(fields)
    while waiting:
        first = waiting.pop(0)
        fits = _short(first, _LEFT_TEXT)
        partner = next((field for field in waiting if _short(field, _RIGHT_TEXT)), None) if fits else None
        if partner is None:
            yield (first,)
        else:
            waiting.remove(partner)
            yield (first, partner)


def _short(field: Field, room: float) -> bool:
    return measured(field.text, BODY) < room and measured(field.label, LABEL) < _HALF_LABEL


def _pair(fields: Sequence[Field]) -> Piece:
    left, right = fields
    columns = (
        (LEFT, left.label, LABEL), (LEFT + CLOSE_LABELS, left.text, BODY),
        (_HALF, right.label, LABEL), (_HALF + _HALF_LABEL, right.text, BODY),
    )  # fmt: skip
    tags = [tag for _ in fields for tag in labelled(Element("L"))]
    return columns_piece(tuple((x, (text,), style) for x, text, style in columns), rule=True, tags=tags)


def _title(cover: Cover, logo: bytes | None, *, good: bool) -> Piece:
    width = WIDTH - (_LOGO[0] + 4 * MM if logo else 0)
    style = shrunk(cover.title, TITLE if good else REPORT_TITLE, width, 16)
    subject = f"{cover.item}: {cover.subject}"

    def draw(canvas: Canvas, top: float) -> None:
        if logo:
            _draw_logo(canvas, logo, top)
        with marked(canvas, "H1"):
            put(canvas, LEFT - 0.6, top - 9.4 * MM, cover.title, style)
        with marked(canvas, "P"):
            put_block(canvas, LEFT, top - 12.6 * MM, subject, SUBJECT, width)

    return Piece(max(13.2 * MM + height_of(subject, SUBJECT, width), _LOGO[1] if logo else 0), draw)


def _draw_logo(canvas: Canvas, logo: bytes, top: float) -> None:
    """At the right of the title, as large as it may be; it says nothing that the issuer's name does not."""
    from inspect_kit.certificate.pages.photos import jpeg, readable

    image = readable("logo", logo)
    factor = min(_LOGO[0] / image.width, _LOGO[1] / image.height)
    wide, tall_ = image.width * factor, image.height * factor
    canvas.drawImage(ImageReader(io.BytesIO(jpeg(image))), RIGHT - wide, top - tall_, wide, tall_)


# The verdict


def _panel(cover: Cover) -> Piece:
    text_width = WIDTH - 2 * _PAD - _TALLY - 6 * MM
    statement = settled(cover.statement, BODY, text_width)
    verdict_style = {"conforms": VERDICT, "fails": REVERSED_VERDICT}.get(cover.verdict, REPORT_VERDICT)
    text = 11 * MM + len(statement) * BODY.leading
    height = max(text, 5 * MM + len(cover.tally) * 4.5 * MM) + 2 * _PAD - 3 * MM

    def draw(canvas: Canvas, top: float) -> None:
        _draw_panel(canvas, cover.verdict, top, height)
        with marked(canvas, "P"):
            put(canvas, LEFT + _PAD, top - _PAD - 4.6 * MM, cover.verdict_word, verdict_style)
        below, style = top - _PAD - 8.4 * MM, _on(cover.verdict, BODY)
        with marked(canvas, "P"):
            put_block(canvas, LEFT + _PAD, below, "\n".join(statement), style, text_width)
        _draw_tally(canvas, cover, RIGHT - _PAD, top - _PAD)

    return Piece(height, draw, space=4 * MM)


def _on(verdict: str, style: Style) -> Style:
    """The style in white where the panel is black."""
    return replace(style, colour=PAPER) if verdict == "fails" else style


def _draw_panel(canvas: Canvas, verdict: str, top: float, height: float) -> None:
    canvas.setFillColor({"fails": INK, "conforms": WASH}.get(verdict, PAPER))
    canvas.rect(LEFT, top - height, WIDTH, height, stroke=0, fill=1)
    if verdict == "conforms":
        canvas.setFillColor(SEAL)
        canvas.rect(LEFT, top - height, 1.4 * MM, height, stroke=0, fill=1)
    elif verdict != "fails":
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(2.2)
        canvas.rect(LEFT + 1.1, top - height + 1.1, WIDTH - 2.2, height - 2.2, stroke=1, fill=0)


def _draw_tally(canvas: Canvas, cover: Cover, right: float, top: float) -> None:
    left = right - _TALLY
    with marked(canvas, "P"):
        put(canvas, left, top - 2.6 * MM, cover.tally_heading, _on(cover.verdict, LABEL))
    draw_rule(canvas, top - 4.2 * MM, _on(cover.verdict, BODY).colour, HAIRLINE, left=left, right=right)
    y = top - 8 * MM
    for word, count in cover.tally:
        with marked(canvas, "P"):
            put(canvas, left, y, word, _on(cover.verdict, TABLE))
            put_right(canvas, right, y, str(count), _on(cover.verdict, TABLE_STRONG))
        y -= 4.5 * MM


# What does not conform, what is open


def _boxes(cover: Cover, room: float) -> Iterator[Piece]:
    """The boxes as far as they find room on the first page; the rest is counted and pointed to."""
    room -= len(cover.boxes) * _BOX_FRAME
    for box in cover.boxes:
        shown: list[Piece] = []
        for entry in box.entries:
            piece = _entry(entry, box.verdict)
            if room < piece.height:
                break
            room -= piece.height
            shown.append(piece)
        left = len(box.entries) - len(shown)
        yield _box_heading(box)
        yield from shown
        yield _box_end(cover.more.format(number=left) if left else "")


def _box_heading(box: Box) -> Piece:
    height = 7 * MM

    def draw(canvas: Canvas, top: float) -> None:
        _draw_sides(canvas, top, height)
        draw_rule(canvas, top, INK, HEAVY_RULE)
        with marked(canvas, "H2"):
            put(canvas, LEFT + 3 * MM, top - 5 * MM, box.heading, Style(BODY_STRONG.font, 11, 14))

    return Piece(height, draw, space=4 * MM, keep=True)


def _draw_sides(canvas: Canvas, top: float, height: float) -> None:
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(HEAVY_RULE)
    canvas.line(LEFT, top, LEFT, top - height)
    canvas.line(RIGHT, top, RIGHT, top - height)


def _entry(entry: OpenClause, verdict: str) -> Piece:
    middle, width = LEFT + 72 * MM, RIGHT - LEFT - 75 * MM
    name_width = 50 * MM
    head = height_of(entry.name, TABLE_STRONG, name_width) + height_of(entry.requirement, SMALL, name_width)
    height = max(head, height_of(entry.text, TABLE, width)) + 1.8 * MM

    def draw(canvas: Canvas, top: float) -> None:
        _draw_sides(canvas, top, height)
        y = top - 0.6 * MM
        draw_sign(canvas, verdict, LEFT + 4.6 * MM, y - TABLE.leading / 2, 1.4 * MM)
        below = y - height_of(entry.name, TABLE_STRONG, name_width)
        with marked(canvas, "P"):
            put_block(canvas, LEFT + 8 * MM, y, entry.clause, TABLE, 11 * MM)
            put_block(canvas, LEFT + 20 * MM, y, entry.name, TABLE_STRONG, name_width)
            put_block(canvas, LEFT + 20 * MM, below, entry.requirement, SMALL, name_width)
            put_block(canvas, middle, y, entry.text, TABLE, width)

    return Piece(height, draw, keep=True)


def _box_end(more: str) -> Piece:
    height = 5.5 * MM if more else 1.5 * MM

    def draw(canvas: Canvas, top: float) -> None:
        _draw_sides(canvas, top, height)
        canvas.line(LEFT - 0.8, top - height, RIGHT + 0.8, top - height)
        if more:
            with marked(canvas, "P"):
                put(canvas, LEFT + 20 * MM, top - 3.2 * MM, more, SMALL_INK)

    return Piece(height, draw)


# Authorisation


def draw_authorisation(canvas: Canvas, block: Authorisation) -> None:
    """At the foot of the first page: place and date, name, function and signature, the QR code."""
    right = RIGHT - (_QR + 6 * MM if block.qr_text else 0)
    middle = LEFT + (right - LEFT) * 0.5
    with marked(canvas, "P"):
        _draw_line(canvas, LEFT, middle - 6 * MM, block.place_date, block.place_date_label)
    with marked(canvas, "P"):
        _draw_signer(canvas, block, middle, right)
    if block.qr_text:
        with marked(canvas, Element("Figure", alt=block.scan_label)):
            draw_qr(canvas, block.qr_text, (RIGHT - _QR * 0.945, BOTTOM + 7.6 * MM), _QR, block.qr_words)
        with marked(canvas, "P"):
            put_right(canvas, RIGHT, BOTTOM + 6.2 * MM, block.scan_label, SMALL)


def _draw_signer(canvas: Canvas, block: Authorisation, left: float, right: float) -> None:
    """From below: the line, how it is signed, the name with its function, on as many lines as they need."""
    room = right - left
    _draw_line(canvas, left, right, "", block.signature_label)
    named = ", ".join(part for part in (block.name, block.function) if part)
    y = BOTTOM + 11.2 * MM + max(height_of(block.signed_by, SMALL_INK, room), 5 * MM)
    put_block(canvas, left, y, block.signed_by, SMALL_INK, room)
    style = replace(BODY_STRONG, size=7.6, leading=9.4) if height_of(named, BODY_STRONG, room) > 26 else BODY_STRONG
    y += height_of(named, style, room) + 0.6 * MM
    put_block(canvas, left, y, named, style, room)
    put(canvas, left, y + 0.8 * MM, block.heading, LABEL)


def _draw_line(canvas: Canvas, left: float, right: float, text: str, label: str) -> None:
    draw_rule(canvas, BOTTOM + 10 * MM, left=left, right=right)
    put_block(canvas, left, BOTTOM + 10.8 * MM + height_of(text, BODY, right - left), text, BODY, right - left)
    put(canvas, left, BOTTOM + 6.2 * MM, label, SMALL)


_FINEST_MODULE: Final = 0.36 * MM
"""Side of a square of the code that a photo of 150 dots an inch still shows; with less the words are left out."""


def draw_qr(canvas: Canvas, text: str, corner: tuple[float, float], size: float, before: str = "") -> None:
    """A QR code of error level M; the quiet zone of four modules lies inside `size`."""
    import segno
    from segno.consts import MODE_ALPHANUMERIC, MODE_BYTE

    # Each part in the way that takes the least room: words as bytes, the signed text as letters and digits.
    parts: Any = [(f"{before} ", MODE_BYTE, "utf-8"), (text, MODE_ALPHANUMERIC)] if before else text
    rows = [list(row) for row in segno.make_qr(parts, error="m", boost_error=False).matrix_iter(border=4)]
    module = size / len(rows)
    if before and module < _FINEST_MODULE:
        draw_qr(canvas, text, corner, size)
    else:
        draw_modules(canvas, rows, corner, module)
