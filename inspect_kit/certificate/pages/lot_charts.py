"""Drawings of quality assurance on a page: matplotlib's lines and letters, put down with the page's own typefaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.backend_bases import FigureCanvasBase, RendererBase
from matplotlib.path import Path
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.model import Plot
from inspect_kit.certificate.pages.flow import Piece, as_figure, text_piece
from inspect_kit.certificate.pages.page import LEFT, MM, WIDTH
from inspect_kit.certificate.pages.styles import INK, SMALL, SMALL_INK
from inspect_kit.certificate.pages.text import measured, put, settled
from inspect_kit.quality.drawing import STYLE, drawn

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
