"""From a lot's content to the pages of its PDF, with the parts that every certificate is drawn with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
from matplotlib.backend_bases import FigureCanvasBase, RendererBase
from matplotlib.path import Path
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.lot_cover import lot_content
from inspect_kit.certificate.content.lot_sections import MOST_PIECES
from inspect_kit.certificate.content.model import Content, Issue, Plot
from inspect_kit.certificate.content.wording import bound, lot_wording_for
from inspect_kit.certificate.pages import render
from inspect_kit.certificate.pages.flow import Piece, as_figure, paginate, text_piece
from inspect_kit.certificate.pages.fonts import SANS, drawing_alone, font
from inspect_kit.certificate.pages.front import FIRST_HEIGHT, front_pieces
from inspect_kit.certificate.pages.pdfa import Drawn, with_dcc
from inspect_kit.certificate.pages.styles import BODY_HEIGHT, INK, LEFT, MM, SMALL, SMALL_INK, WIDTH
from inspect_kit.certificate.pages.text import measured, put, settled
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record
from inspect_kit.quality.drawing import STYLE, drawn
from inspect_kit.quality.exchange.dcc import dcc_lines
from inspect_kit.quality.lot.record import LotRecord
from inspect_kit.quality.lot.study import LotStudy, studies_of


@drawing_alone
def draw_lot_pages(content: Content) -> Drawn:
    """The whole document, not yet fit for the archive."""
    font(SANS)
    content = bound(content, content.language)
    return render.drawn([(content, paginate(_lot_pieces(content), BODY_HEIGHT, FIRST_HEIGHT))])


def _lot_pieces(content: Content) -> Iterator[Piece]:
    """The first page, then the sections from the second on."""
    good = content.is_certificate
    yield from front_pieces(content.cover, good=good, close=not good)
    numbered = enumerate(content.sections, 1)
    *rest, last = [each for number, part in numbered for each in render.section_pieces(number, part, {}, good=good)]
    yield from (*rest, replace(last, keep=True), render.end_piece(content.end_mark))


# One door for lots: a lot's record in, a finished PDF out.

_NO_FILES: Final[Mapping[str, bytes]] = {}
_NOT_ISSUED: Final = Issue()


@dataclass(frozen=True)
class LotDrawing:
    """The pages of a lot as a desk wants them drawn; studies that are known already are not made while others wait."""

    studies: tuple[LotStudy, ...] | None = None
    dcc: bool = False

    def __call__(
        self, record: Record, *, language: str, photos: Mapping[str, bytes] = _NO_FILES, issue: Issue = _NOT_ISSUED
    ) -> bytes:
        """A certificate if the lot is accepted, else a report, not yet signed: PDF/A-3b with the record attached.

        Photographs of trays are named by their digests and not printed. The same arguments give the same bytes.
        """
        del photos
        if not isinstance(record, LotRecord):
            raise BadInput("no-lot-record", where="record")
        render.refuse_unprintable(_printed_texts(record), issue)
        words = lot_wording_for(language, record.wording)
        content = lot_content(record, self.studies or studies_of(record), words, issue)
        pdf = render.finished(draw_lot_pages(content), record, content, issue)
        return with_dcc(pdf, b"".join(dcc_lines(record))) if self.dcc else pdf


make_lot_certificate: Final = LotDrawing()


def _printed_texts(record: LotRecord) -> Iterator[tuple[str, str]]:
    """Every text of a record that may be printed, with its path; of the pieces only few are."""
    for name in record.__struct_fields__:
        part = getattr(record, name)
        if name != "lot" and part is not msgspec.UNSET:
            yield from render.texts_in(msgspec.to_builtins(part), name)
    yield from (("piece", piece.piece) for piece in record.lot.nonconforming[:MOST_PIECES])


# Drawings of quality assurance on a page: matplotlib's lines and letters, put down with the page's own typefaces.


if TYPE_CHECKING:
    from matplotlib.backend_bases import GraphicsContextBase
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

_INCH: Final = 72.0
"""Points."""
_PAGE_STYLE: Final = {
    **STYLE,
    "font.size": SMALL_INK.size,
    "axes.titlesize": SMALL_INK.size,
    "axes.linewidth": 0.5,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "figure.dpi": _INCH,
    "text.color": INK,
    "axes.labelcolor": INK,
    "path.simplify": False,
}
"""As everywhere, but with the sizes, in points, and the black of a certificate's small text."""
_CAP: Final = 0.66
"""Height of capitals and digits, as a share of the type's size."""
_BELOW: Final = 0.2
"""How far letters reach below their line, as a share of the type's size."""


def drawing_pieces(block: Plot) -> Iterator[Piece]:
    """A drawing with its caption below, on one page."""

    def draw(canvas: Canvas, top: float) -> None:
        size = (WIDTH / _INCH, block.millimetres * MM / _INCH)
        with drawn(block.draw, size, block.language, _PAGE_STYLE) as figure:
            renderer = _PageRenderer(canvas, LEFT, top - block.millimetres * MM)
            _PageCanvas(figure, renderer)
            figure.draw(renderer)

    yield as_figure(Piece(block.millimetres * MM, draw, space=3 * MM, keep=True), block.caption)
    caption = "\n".join(settled(block.caption, SMALL, WIDTH))
    yield replace(text_piece(caption, SMALL, WIDTH * 2), space=1 * MM)


class _PageCanvas(FigureCanvasBase):
    """What matplotlib asks for when it wants to know how wide a text will be."""

    def __init__(self, figure: Figure, renderer: _PageRenderer) -> None:
        super().__init__(figure)
        self._renderer = renderer

    def get_renderer(self) -> _PageRenderer:
        """Who measures and draws."""
        return self._renderer


class _PageRenderer(RendererBase):
    """Draws on a page from a lower left corner on; a unit is a point."""

    def __init__(self, canvas: Canvas, left: float, floor: float) -> None:
        super().__init__()
        self._canvas, self._left, self._floor = canvas, left, floor

    def draw_path(self, gc: GraphicsContextBase, path: Path, transform: Any, rgbFace: Any = None) -> None:  # noqa: N803
        """Lines and curves, stroked, filled or both."""
        canvas, outline = self._canvas, self._canvas.beginPath()
        filled = rgbFace is not None and (len(rgbFace) < 4 or rgbFace[3] > 0)
        for vertices, code in path.iter_segments(transform, simplify=False, curves=True):
            _add(outline, int(code), [float(each) for each in vertices])
        canvas.saveState()
        canvas.translate(self._left, self._floor)
        clip = gc.get_clip_rectangle()
        if clip is not None:
            around = canvas.beginPath()
            around.rect(*clip.bounds)
            canvas.clipPath(around, stroke=0, fill=0)
        self._take_pen(gc, rgbFace)
        canvas.drawPath(outline, stroke=int(gc.get_linewidth() > 0), fill=int(filled))
        canvas.restoreState()

    def _take_pen(self, gc: GraphicsContextBase, face: Any) -> None:
        self._canvas.setStrokeColorRGB(*gc.get_rgb()[:3])
        self._canvas.setLineWidth(gc.get_linewidth())
        offset, dashes = gc.get_dashes()
        if dashes is not None:
            self._canvas.setDash(np.asarray(dashes, dtype=float).tolist(), offset)
        if face is not None:
            self._canvas.setFillColorRGB(*face[:3])

    def draw_text(
        self, gc: GraphicsContextBase, x: float, y: float, s: str, prop: FontProperties, *more: Any, **_: Any
    ) -> None:
        """One line of text, turned by an angle."""
        red, green, blue = gc.get_rgb()[:3]
        style = replace(SMALL_INK, size=prop.get_size_in_points(), colour=(red, green, blue))
        self._canvas.saveState()
        self._canvas.translate(self._left + x, self._floor + y)
        self._canvas.rotate(more[0])
        put(self._canvas, 0, 0, s, style)
        self._canvas.restoreState()

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> tuple[float, float, float]:
        """How much room a line of text takes, and how much of it below its foot."""
        del ismath
        size = prop.get_size_in_points()
        return measured(s, replace(SMALL_INK, size=size)), (_CAP + _BELOW) * size, _BELOW * size

    def flipy(self) -> bool:
        """A page counts upwards."""
        return False

    def get_canvas_width_height(self) -> tuple[float, float]:
        """Only where a picture is mirrored would it matter."""
        return WIDTH, 0.0

    def points_to_pixels(self, points: Any) -> Any:
        """A unit is a point."""
        return points


def _add(outline: Any, code: int, at: list[float]) -> None:
    """One step of an outline; matplotlib's marks have no curves but cubic ones."""
    if code == Path.MOVETO:
        outline.moveTo(*at)
    elif code == Path.LINETO:
        outline.lineTo(*at)
    elif code == Path.CURVE4:
        outline.curveTo(*at)
    elif code == Path.CLOSEPOLY:
        outline.close()
