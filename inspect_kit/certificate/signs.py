"""Signs for what fails and what is open, the same everywhere and clear without colour."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.grid import INK, PAPER


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
