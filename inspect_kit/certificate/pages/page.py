"""The page: its measures in points, its few colours, its type sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reportlab.pdfgen.canvas import Canvas

MM: Final = 72 / 25.4
"""Points in a millimetre: 72 to the inch."""
PAGE_WIDTH: Final = 210 * MM
"""A4, in points."""
PAGE_HEIGHT: Final = 297 * MM
"""A4, in points."""
LEFT: Final = 20 * MM
"""Left edge of the text, in points from the page's left edge."""
RIGHT: Final = PAGE_WIDTH - 18 * MM
"""Right edge of the text, in points from the page's left edge."""
WIDTH: Final = RIGHT - LEFT
TOP: Final = PAGE_HEIGHT - 28.5 * MM
"""Upper edge of the text, in points from the page's foot; the running head is above it."""
BOTTOM: Final = 19 * MM
"""Lower edge of the text, in points from the page's foot; the running foot is below it."""
BODY_HEIGHT: Final = TOP - BOTTOM

Colour = tuple[float, float, float]


def _rgb(code: int) -> Colour:
    return (code >> 16 & 255) / 255, (code >> 8 & 255) / 255, (code & 255) / 255


INK: Final = _rgb(0x111111)
"""Text: nearly black."""
QUIET: Final = _rgb(0x555555)
"""Labels and heads of columns: dark grey."""
FAINT: Final = _rgb(0x9A9A9A)
"""What may be overlooked: mid grey."""
HAIR: Final = _rgb(0xC4C4C4)
"""Hairlines: light grey."""
WASH: Final = _rgb(0xF1F1EF)
"""Ground behind what belongs together: nearly white."""
PAPER: Final = _rgb(0xFFFFFF)
"""White, on dark ground."""
SEAL: Final = _rgb(0x14375E)
"""The one colour of a certificate: a dark blue that prints as dark grey."""

HAIRLINE: Final = 0.35
"""Width in points of lines between rows."""
THIN_RULE: Final = 0.6
"""Width in points of rules and frames."""
HEAVY_RULE: Final = 1.6
"""Width in points of the rule at the head of the first page."""


def draw_rule(
    canvas: Canvas,
    y: float,
    colour: Colour = INK,
    width: float = THIN_RULE,
    *,
    left: float = LEFT,
    right: float = RIGHT,
) -> None:
    """A level line, over the width of the text if nothing else is said."""
    canvas.setStrokeColor(colour)
    canvas.setLineWidth(width)
    canvas.line(left, y, right, y)


def draw_modules(
    canvas: Canvas, rows: Sequence[Sequence[int]], corner: tuple[float, float], module: float, colour: Colour = INK
) -> None:
    """The dark modules of a QR code as one path, so that no seam shows; `corner` is the lower left one."""
    size = len(rows) * module
    path = canvas.beginPath()
    for line, row in enumerate(rows):
        for column, dark in enumerate(row):
            if dark:
                path.rect(corner[0] + column * module, corner[1] + size - (line + 1) * module, module, module)
    canvas.setFillColor(colour)
    canvas.drawPath(path, stroke=0, fill=1)


# Signs for what fails and what is open, the same everywhere and clear without colour.


def draw_sign(canvas: Canvas, verdict: str, x: float, y: float, size: float) -> None:
    """A white cross on a black disc for what fails, a black ring with a dot for what is open."""
    failed = verdict == "fails"
    canvas.saveState()
    canvas.setStrokeColor(INK)
    canvas.setFillColor(INK if failed else PAPER)
    canvas.setLineWidth(0.32 * size)
    canvas.circle(x, y, size, stroke=not failed, fill=1)
    if failed:
        canvas.setStrokeColor(PAPER)
        arm = 0.45 * size
        canvas.line(x - arm, y - arm, x + arm, y + arm)
        canvas.line(x - arm, y + arm, x + arm, y - arm)
    else:
        canvas.setFillColor(INK)
        canvas.circle(x, y, 0.26 * size, stroke=0, fill=1)
    canvas.restoreState()
