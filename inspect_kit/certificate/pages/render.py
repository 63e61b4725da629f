"""From content to the pages of a PDF: the flow of pieces, and what stands at the head and foot of each page."""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import groupby
from typing import Any, Final

import msgspec
from reportlab import rl_config
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content import model
from inspect_kit.certificate.content.cover import content_of, reference_of
from inspect_kit.certificate.content.wording import bound, wording_for
from inspect_kit.certificate.pages import flow, styles
from inspect_kit.certificate.pages.board_plan import plan_pieces
from inspect_kit.certificate.pages.flow import Page, Piece
from inspect_kit.certificate.pages.fonts import SANS, check_printable, drawing_alone, font
from inspect_kit.certificate.pages.front import FIRST_HEIGHT, draw_authorisation, front_pieces
from inspect_kit.certificate.pages.pdfa import Drawn, Label, archived
from inspect_kit.certificate.pages.photos import digest_of, picture_pieces
from inspect_kit.certificate.pages.results_table import result_pieces
from inspect_kit.certificate.pages.shapes import draw_rule
from inspect_kit.certificate.pages.styles import BODY_HEIGHT, BOTTOM, LEFT, MM, PAGE_HEIGHT, PAGE_WIDTH, RIGHT, TOP
from inspect_kit.certificate.pages.tags import Element, TaggedCanvas, marked
from inspect_kit.certificate.pages.text import measured, put, put_centred, put_right, wrapped
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record, about_of

Photos = Mapping[str, bytes]
LaidOut = tuple[model.Content, Sequence[Page]]
"""What is said in one language, and how it falls onto pages."""
_FRAME: Final = 7 * MM
"""Distance from the page's edge of the frame around what is no certificate, in points."""
_BAND: Final = 8 * MM
"""Height of the dark band that says so, in points."""
_FILLED: Final = 0.6
"""Share of a page that is not called half empty."""
_CLOSER: Final = (1.0, 0.75, 0.5)
"""How much of the white between pieces is kept; the first that needs the fewest pages is taken."""

_START: Final = 45 * MM
"""With less room than this on the first page, the results begin on the second."""

rl_config.useA85 = 0  # Streams as bytes, not as text: a quarter smaller.


@drawing_alone
def draw_pages(contents: Sequence[model.Content], photos: Photos) -> Drawn:
    """The whole document, once in each language, not yet fit for the archive."""
    font(SANS)
    return drawn([_laid_out(bound(content, content.language), photos) for content in contents])


def _laid_out(content: model.Content, photos: Photos) -> LaidOut:
    """The pages of one language, with no page left half empty if that can be had; closer if that saves a page."""
    flows = [tuple(_pieces(each, photos)) for each in _orders(content)]
    closer = ([replace(piece, space=by * piece.space) for piece in each] for by in _CLOSER for each in flows)
    laid = [flow.paginate(pieces, BODY_HEIGHT, FIRST_HEIGHT) for pieces in closer]
    filled = [pages for pages in laid if all(map(_is_filled, pages[1:-1]))]
    return content, min(filled or laid, key=len)


def _orders(content: model.Content) -> Iterator[model.Content]:
    """A large drawing may stand behind any section: where it leaves no page half empty."""
    large = [section for section in content.sections if isinstance(section.blocks[0], model.BoardPlan)]
    others = [section for section in content.sections if section not in large]
    for place in range(1, len(others)) if large else (0,):
        yield replace(content, sections=(*others[:place], *large, *others[place:]))


def _is_filled(page: Page) -> bool:
    return page[-1].offset + page[-1].piece.height > _FILLED * BODY_HEIGHT


def drawn(parts: Sequence[LaidOut]) -> Drawn:
    """All pages, numbered through, each with its tags."""
    buffer, root = io.BytesIO(), Element("Document")
    canvas = TaggedCanvas(
        buffer, pagesize=(PAGE_WIDTH, PAGE_HEIGHT), pageCompression=1, invariant=1, initialFontName=SANS,
        lang=parts[0][0].language,
    )  # fmt: skip
    count = sum(len(pages) for _, pages in parts)
    for content, pages in parts:
        section = root.child("Sect", lang=content.language)
        for page in pages:
            canvas.begin(section)
            _draw_page(canvas, content, page, count, first=page is pages[0])
            canvas.end()
            canvas.showPage()
    canvas.save()
    return Drawn(buffer.getvalue(), root)


def _draw_page(canvas: TaggedCanvas, content: model.Content, page: Page, count: int, *, first: bool) -> None:
    """One page: what was flowed onto it, and what runs around every page."""
    number = int(canvas.getPageNumber())
    if not content.is_certificate:
        _draw_band(canvas, content.band)
    _draw_running(canvas, content, number, count)
    for placed in page:
        placed.piece.draw(canvas, TOP - placed.offset)
    if first:
        draw_authorisation(canvas, content.cover.authorisation)


def _draw_band(canvas: Canvas, text: str) -> None:
    """A heavy frame and a black band on every page of a report."""
    canvas.setStrokeColor(styles.INK)
    canvas.setFillColor(styles.INK)
    canvas.setLineWidth(2.4)
    canvas.rect(_FRAME, _FRAME, PAGE_WIDTH - 2 * _FRAME, PAGE_HEIGHT - 2 * _FRAME, stroke=1, fill=0)
    top = PAGE_HEIGHT - _FRAME
    canvas.rect(_FRAME, top - _BAND, PAGE_WIDTH - 2 * _FRAME, _BAND, stroke=0, fill=1)
    put_centred(canvas, PAGE_WIDTH / 2, top - _BAND + 2.4 * MM, text, styles.BAND)


def _draw_running(canvas: Canvas, content: model.Content, number: int, count: int) -> None:
    y = PAGE_HEIGHT - 22.9 * MM
    above = f"{content.cover.title} · {content.reference_label}" if number > 1 else content.reference_label
    put_right(canvas, RIGHT, y, content.reference, styles.RUNNING_STRONG)
    put_right(canvas, RIGHT, y + 4.2 * MM, above, styles.RUNNING)
    taken = max(measured(content.reference, styles.RUNNING_STRONG), measured(above, styles.RUNNING))
    _draw_issuer(canvas, content.issuer, y, RIGHT - LEFT - taken - 8 * MM)
    colour = styles.SEAL if content.is_certificate else styles.INK
    draw_rule(canvas, PAGE_HEIGHT - 24.9 * MM, colour, styles.HEAVY_RULE if number == 1 else styles.THIN_RULE)
    y = BOTTOM - 8.5 * MM
    draw_rule(canvas, y + 4 * MM, styles.HAIR, styles.HAIRLINE)
    put(canvas, LEFT, y, content.digest, styles.RUNNING)
    put_right(canvas, RIGHT, y, content.page.format(page=number, pages=count), styles.RUNNING)


def _draw_issuer(canvas: Canvas, name: str, y: float, room: float) -> None:
    """The whole name, its last line at `y`: on one line if it can be, else smaller and on as many as it needs."""
    sizes = (styles.RUNNING_STRONG.size, 8.4, 7.6, 7.0)
    tried = [replace(styles.RUNNING_STRONG, size=size, leading=size * 1.18) for size in sizes]
    lines = [wrapped(name, style.font, style.size, room) for style in tried]
    most = next((count for count in (1, 2) if any(len(each) <= count for each in lines)), None)
    fits = (place for place, each in enumerate(lines) if most is not None and len(each) <= most)
    place = next(fits, len(tried) - 1)
    for above, line in enumerate(reversed(lines[place])):
        put(canvas, LEFT, y + above * tried[place].leading, line, tried[place])


# The flow


def _pieces(content: model.Content, photos: Photos) -> Iterator[Piece]:
    """The front, below it the results as far as they find room there, then the rest, down to the mark at the end."""
    good = content.is_certificate
    first, *others = _all_sections(content, photos)
    front_of = partial(front_pieces, content.cover, good=good, logo=photos.get(content.cover.logo))
    close = tuple(front_of(close=True))
    starts = FIRST_HEIGHT - flow.tall(close) >= _START
    front = close if starts else tuple(front_of(close=not good))
    first[0] = replace(first[0], new_page=not starts)
    *rest, last = [*first, *(piece for section in others for piece in section)]
    yield from (*front, *rest, replace(last, keep=True), end_piece(content.end_mark))


def _all_sections(content: model.Content, photos: Photos) -> Iterator[list[Piece]]:
    """Each section below its heading; those of running text alone flow together in two columns."""
    running = groupby(enumerate(content.sections, 1), key=lambda each: isinstance(each[1].blocks[0], model.Columned))
    for together, members in running:
        if together:
            yield list(_annex_pieces(tuple(members), content, photos))
        else:
            for number, section in members:
                yield section_pieces(number, section, photos, good=content.is_certificate)


def _annex_pieces(
    sections: Sequence[tuple[int, model.Section]], content: model.Content, photos: Photos
) -> Iterator[Piece]:
    texts = [(number, section.heading, block) for number, section in sections for block in section.blocks
             if isinstance(block, model.Columned)]  # fmt: skip
    yield replace(
        flow.chaptered_piece(texts, styles.IN_COLUMN if content.is_certificate else styles.REPORT_IN_COLUMN), keep=True
    )
    below = (block for _, section in sections for block in section.blocks if not isinstance(block, model.Columned))
    yield from (replace(piece, keep=True) for block in below for piece in _block_pieces(block, photos))


def section_pieces(number: int, section: model.Section, photos: Photos, *, good: bool) -> list[Piece]:
    """A heading in the colour of a certificate or report, with its blocks; a paragraph that introduces something else
    stays with it."""
    heading = flow.heading_piece(number, section.heading, styles.HEADING if good else styles.REPORT_HEADING)
    pieces = [replace(heading, new_page=section.new_page)]
    for block, following in zip(section.blocks, (*section.blocks[1:], None), strict=True):
        introduces = isinstance(block, model.Paragraph) and not isinstance(following, model.Paragraph | None)
        pieces += [replace(piece, keep=True) if introduces else piece for piece in _block_pieces(block, photos)]
    return pieces


def _chart_pieces(block: model.Plot) -> Iterable[Piece]:
    """Loaded only for lots: matplotlib takes a while."""
    from inspect_kit.certificate.pages.lot_render import drawing_pieces

    return drawing_pieces(block)


_PIECES: Final[Mapping[type[model.Block], Callable[[Any], Iterable[Piece]]]] = {
    model.Paragraph: flow.paragraph_pieces, model.Columned: flow.columned_pieces, model.Facts: flow.fact_pieces,
    model.Listing: flow.listing_pieces, model.Results: result_pieces, model.BoardPlan: plan_pieces,
    model.Plot: _chart_pieces,
}  # fmt: skip


def _block_pieces(block: model.Block, photos: Photos) -> Iterable[Piece]:
    """A block of the content as pieces that fit on pages."""
    return picture_pieces(block, photos) if isinstance(block, model.Pictures) else _PIECES[type(block)](block)


def end_piece(text: str) -> Piece:
    """The mark below which nothing follows."""

    def draw(canvas: Canvas, top: float) -> None:
        middle, wide = (LEFT + RIGHT) / 2, measured(text, styles.END) / 2 + 3 * MM
        draw_rule(canvas, top - 3 * MM, left=middle - wide - 22 * MM, right=middle - wide)
        canvas.line(middle + wide, top - 3 * MM, middle + wide + 22 * MM, top - 3 * MM)
        with marked(canvas, "P"):
            put_centred(canvas, middle, top - 4 * MM, text, replace(styles.END, colour=styles.INK))

    return Piece(4.4 * MM, draw, space=3 * MM)


# One door to the room: a record in, a finished PDF out.

_NO_PHOTOS: Mapping[str, bytes] = {}
_UNPRINTED = frozenset({"raw"})
_PLAIN = model.Issue()


def make_certificate(
    record: Record, *, language: str, photos: Mapping[str, bytes] = _NO_PHOTOS, issue: model.Issue = _PLAIN
) -> bytes:
    """A certificate if the record conforms, else a report: PDF/A-3b with the record attached.

    `language` may be two, `it,en`: the pages stand once in each, under one number and one signature.
    `photos` are JPEG or PNG files by their SHA-256 or file name as in the record, or by a name of their own; with the
    measurements drawn in, by `OVERLAY` and their SHA-256. The same arguments give the same bytes.
    """
    refuse_unprintable(texts_in(msgspec.to_builtins(record), ""), issue)
    contents = [_content(record, each, issue, photos) for each in language.split(",")]
    return finished(draw_pages(contents, photos), record, contents[0], issue)


def finished(pages: Drawn, record: Record, content: model.Content, issue: model.Issue) -> bytes:
    """The pages as a file for the archive, with the record attached."""
    label = Label(
        content.document_title, content.author, content.language, content.day, record.software or "inspect-kit",
        issue.number or reference_of(record),
    )  # fmt: skip
    return archived(pages, record.canonical(), label)


def _content(record: Record, language: str, issue: model.Issue, photos: Photos) -> model.Content:
    words = wording_for(language)
    named = {name: words.say(f"photos.{name}") for name in ("overlay", "item", "display")}
    return content_of(record, language, issue, tuple(_pictures(record, photos, named)))


def _pictures(record: Record, photos: Mapping[str, bytes], named: Mapping[str, str]) -> Iterator[model.Picture]:
    """What was given, each checked against the record if the record knows it; drawn over rather than bare."""
    names = {photo.sha256: photo.file for photo in record.photos}
    digests = {photo.file: photo.sha256 for photo in record.photos}
    about = about_of(record)
    for key, content in photos.items():
        if model.OVERLAY + key in photos or key == about.logo:
            continue
        if key == about.picture:
            yield model.Picture(key, f"{named['item']} · SHA-256 {key}")
            continue
        if key.startswith(model.OVERLAY):
            digest = key.removeprefix(model.OVERLAY)
            yield model.Picture(key, f"{named['overlay']} · {names.get(digest, '')} · SHA-256 {digest}")
            continue
        digest = digest_of(content)
        if digests.get(key, digest) != digest or (key in names and key != digest):
            raise BadInput("not-record-photo", where=names.get(key, key))
        display = names.get(key, "").startswith("display-")
        name = named["display"] if display else names.get(key, key)
        yield model.Picture(key, f"{name} · SHA-256 {digest}", small=display)


def refuse_unprintable(texts: Iterable[tuple[str, str]], issue: model.Issue) -> None:
    """Say early, and with its place, which character cannot be printed."""
    for where, text in texts:
        check_printable(text, where=where)
    for field in fields(issue):
        check_printable(getattr(issue, field.name), where=f"issue.{field.name}")


def texts_in(value: object, where: str) -> Iterator[tuple[str, str]]:
    """Every text of a record with its path."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in _UNPRINTED:
                yield from texts_in(part, f"{where}.{key}" if where else key)
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from texts_in(part, f"{where}[{number}]")
