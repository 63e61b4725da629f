"""The first page drawn: title, verdict, boxes, identification; and the authorisation at its foot."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.model import Authorisation, Box, Cover, Field, OpenClause
from inspect_kit.certificate.pages import styles
from inspect_kit.certificate.pages.flow import Piece, columns_piece, fact_rows, labelled, tall
from inspect_kit.certificate.pages.shapes import draw_modules, draw_rule, draw_sign, qr_modules
from inspect_kit.certificate.pages.styles import BODY_HEIGHT, BOTTOM, LEFT, MM, RIGHT, WIDTH
from inspect_kit.certificate.pages.tags import Element, marked
from inspect_kit.certificate.pages.text import height_of, measured, put, put_block, put_right, settled, shrunk

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
    yield Piece(0.4, lambda canvas, top: draw_rule(canvas, top, styles.HAIR, styles.HAIRLINE))


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
    return measured(field.text, styles.BODY) < room and measured(field.label, styles.LABEL) < _HALF_LABEL


def _pair(fields: Sequence[Field]) -> Piece:
    left, right = fields
    columns = (
        (LEFT, left.label, styles.LABEL), (LEFT + CLOSE_LABELS, left.text, styles.BODY),
        (_HALF, right.label, styles.LABEL), (_HALF + _HALF_LABEL, right.text, styles.BODY),
    )  # fmt: skip
    tags = [tag for _ in fields for tag in labelled(Element("L"))]
    return columns_piece(tuple((x, (text,), style) for x, text, style in columns), rule=True, tags=tags)


def _title(cover: Cover, logo: bytes | None, *, good: bool) -> Piece:
    width = WIDTH - (_LOGO[0] + 4 * MM if logo else 0)
    style = shrunk(cover.title, styles.TITLE if good else styles.REPORT_TITLE, width, 16)
    subject = f"{cover.item}: {cover.subject}"

    def draw(canvas: Canvas, top: float) -> None:
        if logo:
            _draw_logo(canvas, logo, top)
        put(canvas, LEFT - 0.6, top - 9.4 * MM, cover.title, style, "H1")
        put_block(canvas, LEFT, top - 12.6 * MM, subject, styles.SUBJECT, width, "P")

    return Piece(max(13.2 * MM + height_of(subject, styles.SUBJECT, width), _LOGO[1] if logo else 0), draw)


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
    statement = settled(cover.statement, styles.BODY, text_width)
    verdict_style = {"conforms": styles.VERDICT, "fails": styles.REVERSED_VERDICT}.get(
        cover.verdict, styles.REPORT_VERDICT
    )
    text = 11 * MM + len(statement) * styles.BODY.leading
    height = max(text, 5 * MM + len(cover.tally) * 4.5 * MM) + 2 * _PAD - 3 * MM

    def draw(canvas: Canvas, top: float) -> None:
        _draw_panel(canvas, cover.verdict, top, height)
        put(canvas, LEFT + _PAD, top - _PAD - 4.6 * MM, cover.verdict_word, verdict_style, "P")
        below, style = top - _PAD - 8.4 * MM, _on(cover.verdict, styles.BODY)
        put_block(canvas, LEFT + _PAD, below, "\n".join(statement), style, text_width, "P")
        _draw_tally(canvas, cover, RIGHT - _PAD, top - _PAD)

    return Piece(height, draw, space=4 * MM)


def _on(verdict: str, style: styles.Style) -> styles.Style:
    """The style in white where the panel is black."""
    return replace(style, colour=styles.PAPER) if verdict == "fails" else style


def _draw_panel(canvas: Canvas, verdict: str, top: float, height: float) -> None:
    canvas.setFillColor({"fails": styles.INK, "conforms": styles.WASH}.get(verdict, styles.PAPER))
    canvas.rect(LEFT, top - height, WIDTH, height, stroke=0, fill=1)
    if verdict == "conforms":
        canvas.setFillColor(styles.SEAL)
        canvas.rect(LEFT, top - height, 1.4 * MM, height, stroke=0, fill=1)
    elif verdict != "fails":
        canvas.setStrokeColor(styles.INK)
        canvas.setLineWidth(2.2)
        canvas.rect(LEFT + 1.1, top - height + 1.1, WIDTH - 2.2, height - 2.2, stroke=1, fill=0)


def _draw_tally(canvas: Canvas, cover: Cover, right: float, top: float) -> None:
    left = right - _TALLY
    put(canvas, left, top - 2.6 * MM, cover.tally_heading, _on(cover.verdict, styles.LABEL), "P")
    draw_rule(canvas, top - 4.2 * MM, _on(cover.verdict, styles.BODY).colour, styles.HAIRLINE, left=left, right=right)
    y = top - 8 * MM
    for word, count in cover.tally:
        with marked(canvas, "P"):
            put(canvas, left, y, word, _on(cover.verdict, styles.TABLE))
            put_right(canvas, right, y, str(count), _on(cover.verdict, styles.TABLE_STRONG))
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
        draw_rule(canvas, top, styles.INK, styles.HEAVY_RULE)
        put(canvas, LEFT + 3 * MM, top - 5 * MM, box.heading, styles.Style(styles.BODY_STRONG.font, 11, 14), "H2")

    return Piece(height, draw, space=4 * MM, keep=True)


def _draw_sides(canvas: Canvas, top: float, height: float) -> None:
    canvas.setStrokeColor(styles.INK)
    canvas.setLineWidth(styles.HEAVY_RULE)
    canvas.line(LEFT, top, LEFT, top - height)
    canvas.line(RIGHT, top, RIGHT, top - height)


def _entry(entry: OpenClause, verdict: str) -> Piece:
    middle, width = LEFT + 72 * MM, RIGHT - LEFT - 75 * MM
    name_width = 50 * MM
    named = height_of(entry.name, styles.TABLE_STRONG, name_width)
    head = named + height_of(entry.requirement, styles.SMALL, name_width)
    height = max(head, height_of(entry.text, styles.TABLE, width)) + 1.8 * MM

    def draw(canvas: Canvas, top: float) -> None:
        _draw_sides(canvas, top, height)
        y = top - 0.6 * MM
        draw_sign(canvas, verdict, LEFT + 4.6 * MM, y - styles.TABLE.leading / 2, 1.4 * MM)
        with marked(canvas, "P"):
            put_block(canvas, LEFT + 8 * MM, y, entry.clause, styles.TABLE, 11 * MM)
            put_block(canvas, LEFT + 20 * MM, y, entry.name, styles.TABLE_STRONG, name_width)
            put_block(canvas, LEFT + 20 * MM, y - named, entry.requirement, styles.SMALL, name_width)
            put_block(canvas, middle, y, entry.text, styles.TABLE, width)

    return Piece(height, draw, keep=True)


def _box_end(more: str) -> Piece:
    height = 5.5 * MM if more else 1.5 * MM

    def draw(canvas: Canvas, top: float) -> None:
        _draw_sides(canvas, top, height)
        canvas.line(LEFT - 0.8, top - height, RIGHT + 0.8, top - height)
        if more:
            put(canvas, LEFT + 20 * MM, top - 3.2 * MM, more, styles.SMALL_INK, "P")

    return Piece(height, draw)


# Authorisation


def draw_authorisation(canvas: Canvas, block: Authorisation) -> None:
    """At the foot of the first page: place and date, name, function and signature, the QR code."""
    right = RIGHT - (_QR + 6 * MM if block.qr_text else 0)
    middle = LEFT + (right - LEFT) * 0.5
    with marked(canvas, "P"):
        _draw_line(canvas, LEFT, middle - 6 * MM, block.place_date, block.labels["place_date"])
    with marked(canvas, "P"):
        _draw_signer(canvas, block, middle, right)
    if block.qr_text:
        with marked(canvas, Element("Figure", alt=block.labels["scan"])):
            draw_qr(canvas, block.qr_text, (RIGHT - _QR * 0.945, BOTTOM + 7.6 * MM), _QR, block.qr_words)
        with marked(canvas, "P"):
            put_right(canvas, RIGHT, BOTTOM + 6.2 * MM, block.labels["scan"], styles.SMALL)


def _draw_signer(canvas: Canvas, block: Authorisation, left: float, right: float) -> None:
    """From below: the line, how it is signed, the name with its function, on as many lines as they need."""
    room = right - left
    _draw_line(canvas, left, right, "", block.labels["signature"])
    named = ", ".join(part for part in (block.name, block.function) if part)
    y = BOTTOM + 11.2 * MM + max(height_of(block.signed_by, styles.SMALL_INK, room), 5 * MM)
    put_block(canvas, left, y, block.signed_by, styles.SMALL_INK, room)
    style = styles.BODY_STRONG
    if height_of(named, style, room) > 26:
        style = replace(style, size=7.6, leading=9.4)
    y += height_of(named, style, room) + 0.6 * MM
    put_block(canvas, left, y, named, style, room)
    put(canvas, left, y + 0.8 * MM, block.labels["heading"], styles.LABEL)


def _draw_line(canvas: Canvas, left: float, right: float, text: str, label: str) -> None:
    draw_rule(canvas, BOTTOM + 10 * MM, left=left, right=right)
    room = right - left
    put_block(canvas, left, BOTTOM + 10.8 * MM + height_of(text, styles.BODY, room), text, styles.BODY, room)
    put(canvas, left, BOTTOM + 6.2 * MM, label, styles.SMALL)


_FINEST_MODULE: Final = 0.36 * MM
"""Side of a square of the code that a photo of 150 dots an inch still shows; with less the words are left out."""


def draw_qr(canvas: Canvas, text: str, corner: tuple[float, float], size: float, before: str = "") -> None:
    """A QR code of error level M; the quiet zone of four modules lies inside `size`."""
    from segno.consts import MODE_ALPHANUMERIC, MODE_BYTE

    # Each part in the way that takes the least room: words as bytes, the signed text as letters and digits.
    parts: Any = [(f"{before} ", MODE_BYTE, "utf-8"), (text, MODE_ALPHANUMERIC)] if before else text
    rows = qr_modules(parts, "m", border=4)
    module = size / len(rows)
    if before and module < _FINEST_MODULE:
        draw_qr(canvas, text, corner, size)
    else:
        draw_modules(canvas, rows, corner, module)
