"""The page: its measures in points, its few colours, its type sizes."""

from __future__ import annotations

from typing import Final

from reportlab.pdfgen.canvas import Canvas

MM: Final = 72 / 25.4
PAGE_WIDTH: Final = 210 * MM
PAGE_HEIGHT: Final = 297 * MM
LEFT: Final = 20 * MM
RIGHT: Final = PAGE_WIDTH - 18 * MM
WIDTH: Final = RIGHT - LEFT
TOP: Final = PAGE_HEIGHT - 28.5 * MM
BOTTOM: Final = 19 * MM
BODY_HEIGHT: Final = TOP - BOTTOM

Colour = tuple[float, float, float]


def _rgb(code: int) -> Colour:
    return (code >> 16 & 255) / 255, (code >> 8 & 255) / 255, (code & 255) / 255


INK: Final = _rgb(0x111111)
QUIET: Final = _rgb(0x555555)
FAINT: Final = _rgb(0x9A9A9A)
HAIR: Final = _rgb(0xC4C4C4)
WASH: Final = _rgb(0xF1F1EF)
PAPER: Final = _rgb(0xFFFFFF)
SEAL: Final = _rgb(0x14375E)
"""The one colour of a certificate: a dark blue that prints as dark grey."""

HAIRLINE: Final = 0.35
THIN_RULE: Final = 0.6
HEAVY_RULE: Final = 1.6


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
