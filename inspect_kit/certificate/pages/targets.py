"""The reference sheets as vector PDF pages, to be printed at 100 %."""

import io
import textwrap
from collections.abc import Iterable
from typing import Any, Final

from reportlab.lib.colors import Color
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.wording import Wording, wording_for
from inspect_kit.certificate.pages.fonts import SANS, drawing_alone, font
from inspect_kit.certificate.pages.styles import MM
from inspect_kit.errors import notice, sentence
from inspect_kit.vision.reference.sheets import MODULES, VERSION, Area, PrintedSheet, SheetKind, marker_cells

_BLEED: Final = 3.0
"""mm by which what reaches the lower edge goes on beyond it."""
_BLACK: Final = Color(0, 0, 0)
"""Markers, rulers and text."""
_TONE: Final = Color(0.30, 0.49, 0.66)
"""The free middle: a steel blue that white, black, red and wooden pieces all stand out from, in grey print as well."""


@drawing_alone
def draw_targets(sheets: Iterable[PrintedSheet], language: str = "en") -> bytes:
    """One page a sheet, each page as large as the sheet, with its instructions in a sentence."""
    font(SANS)
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pageCompression=1, invariant=1)
    canvas.setTitle(sentence(notice("targets-title"), language))
    canvas.setCreator("inspect-kit")
    # Viewers that heed it then print the page at its own size.
    canvas.setViewerPreference("PrintScaling", "None")
    for sheet in sheets:
        _draw_page(canvas, sheet, wording_for(language))
    canvas.save()
    return buffer.getvalue()


def _draw_page(canvas: Any, sheet: PrintedSheet, words: Wording) -> None:
    width, height = sheet.size
    canvas.setPageSize((width * MM, height * MM))
    canvas.saveState()
    canvas.scale(MM, MM)
    canvas.translate(width / 2, height / 2)
    if sheet.middle is not None:
        canvas.setFillColor(_TONE)
        _fill(canvas, [_bleeding(sheet.middle, height)])
    canvas.setFillColor(_BLACK)
    _fill(canvas, (*sheet.black(), *_marker_areas(sheet)))
    _draw_words(canvas, sheet, words)
    canvas.restoreState()
    canvas.showPage()


def _bleeding(area: Area, height: float) -> Area:
    """What reaches the page's lower edge goes on beyond it, so that no hair of white is left where it is cut."""
    more = _BLEED if area.bottom <= -height / 2 else 0.0
    return Area(area.left, area.bottom - more, area.width, area.height + more)


def _fill(canvas: Any, areas: Iterable[Area]) -> None:
    """All rectangles as one path: neighbours that share an edge then show no seam."""
    path = canvas.beginPath()
    for area in areas:
        path.rect(area.left, area.bottom, area.width, area.height)
    canvas.drawPath(path, stroke=0, fill=1, fillMode=1)


def _marker_areas(sheet: PrintedSheet) -> Iterable[Area]:
    for marker, area in sheet.markers.items():
        side = area.width / MODULES
        for down, row in enumerate(marker_cells(marker)):
            for across, black in enumerate(row):
                if black:
                    upper = area.bottom + area.height - down * side
                    yield Area(area.left + across * side, upper - side, side, side)


def _draw_words(canvas: Any, sheet: PrintedSheet, words: Wording) -> None:
    """The check bar, the sentence and the sheet's name, in the margin that carries them."""
    top = _strip_top(sheet)
    half = sheet.bar / 2
    ends = [Area(-half, top - 4.0, 0.3, 3.0), Area(half - 0.3, top - 4.0, 0.3, 3.0)]
    _fill(canvas, [Area(-half, top - 2.65, sheet.bar, 0.3), *ends])
    small = sheet.size[0] < 200
    size = 1.9 if small else 2.6
    text = canvas.beginText(-half, top - 4.6 - size)
    text.setFont(SANS, size, leading=size * 1.22)
    for line in _lines(sheet, words, 125 if small else 128):
        text.textLine(line)
    canvas.drawText(text)


def _strip_top(sheet: PrintedSheet) -> float:
    """Below the pattern, or above it where the sheet stands on its lower edge."""
    if sheet.kind is SheetKind.BACKDROP:
        return sheet.size[1] / 2 - 1.5
    return sheet.upper - sheet.rows * sheet.square - 1.0


def _lines(sheet: PrintedSheet, words: Wording, width: int) -> list[str]:
    name = f"inspect-kit {sheet.name}, version {VERSION}, {sheet.size[0]:g} × {sheet.size[1]:g} mm."
    use, bar = words.say(f"target.{sheet.kind.value}"), words.say("target.bar", bar=f"{sheet.bar:g}")
    return textwrap.wrap(f"{use} {bar} {name}", width, break_on_hyphens=False)
