"""Rules, signs and QR codes, drawn the same everywhere."""

from collections.abc import Sequence
from typing import Any

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.pages.styles import INK, LEFT, PAPER, RIGHT, THIN_RULE, Colour


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


def qr_modules(text: Any, error: str, border: int = 0) -> list[list[int]]:
    """The dark and light modules of a QR code, with so many light ones around it."""
    import segno

    return [list(row) for row in segno.make_qr(text, error=error, boost_error=False).matrix_iter(border=border)]


# Signs for what fails and what is open, the same everywhere and clear without colour.


def draw_verdict_box(canvas: Canvas, verdict: str, box: tuple[float, float, float, float], line: float) -> None:
    """Behind a text: black where it fails, an empty frame where it is open; `box` is left, bottom, width, height."""
    failed = verdict == "fails"
    canvas.setFillColor(INK)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(line)
    canvas.rect(*box, stroke=not failed, fill=failed)


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
