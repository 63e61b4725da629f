"""The measures of the page, and the few colours, line widths and type sizes of a certificate, each with one job."""

from dataclasses import dataclass
from typing import Final

from inspect_kit.certificate.pages.fonts import BOLD, SANS, SERIF

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


@dataclass(frozen=True, slots=True)
class Style:
    """Font, size, distance of lines and colour."""

    font: str
    size: float
    leading: float
    colour: Colour = INK


TITLE: Final = Style(SERIF, 26, 31, SEAL)
"""Title of a certificate: 26 points on lines of 31, as the numbers of all styles here."""
REPORT_TITLE: Final = Style(SERIF, 26, 31, INK)
"""Title of a report, which has no colour."""
SUBJECT: Final = Style(SANS, 13, 16.5, INK)
"""What was inspected, below the title."""
VERDICT: Final = Style(SERIF, 19, 24, SEAL)
"""Verdict on the first page of a certificate."""
REPORT_VERDICT: Final = Style(SERIF, 19, 24, INK)
"""Verdict on the first page of a report that is undecided."""
REVERSED_VERDICT: Final = Style(SERIF, 19, 24, PAPER)
"""Verdict that something fails, white on black."""
HEADING: Final = Style(SERIF, 12.5, 16, SEAL)
"""Heading of a section of a certificate."""
REPORT_HEADING: Final = Style(SERIF, 12.5, 16, INK)
"""Heading of a section of a report."""
IN_COLUMN: Final = Style(SERIF, 11, 14, SEAL)
"""Heading within a column of a certificate."""
REPORT_IN_COLUMN: Final = Style(SERIF, 11, 14, INK)
"""Heading within a column of a report."""
BODY: Final = Style(SANS, 9.2, 11.8, INK)
"""Facts on the first page."""
BODY_STRONG: Final = Style(BOLD, 9.2, 11.8, INK)
"""Facts on the first page that stand out."""
LABEL: Final = Style(SANS, 8.4, 11.8, QUIET)
"""Labels of facts on the first page, on lines as high as the facts'."""
FINE: Final = Style(SANS, 8.2, 10.3, INK)
"""Running text of the sections."""
FINE_LABEL: Final = Style(SANS, 8.2, 10.3, QUIET)
"""Labels of facts in the sections."""
TABLE: Final = Style(SANS, 8.6, 10.8, INK)
"""Cells of the results table."""
TABLE_STRONG: Final = Style(BOLD, 8.6, 10.8, INK)
"""Names and verdicts in the results table."""
TABLE_QUIET: Final = Style(SANS, 8.6, 10.8, QUIET)
"""Verdicts in the results table that decide nothing."""
REVERSED: Final = Style(BOLD, 8.6, 10.8, PAPER)
"""What fails in the results table, white on black."""
SMALL: Final = Style(SANS, 7.3, 9.1, QUIET)
"""Remarks below a cell, and captions."""
SMALL_INK: Final = Style(SANS, 7.3, 9.1, INK)
"""Cells of the smaller tables."""
HEAD: Final = Style(BOLD, 7.6, 9.6, QUIET)
"""Heads of columns."""
RUNNING: Final = Style(SANS, 7.6, 9.6, QUIET)
"""Running head and foot."""
RUNNING_STRONG: Final = Style(BOLD, 9.4, 11.6, INK)
"""The certificate's number in the running head."""
BAND: Final = Style(BOLD, 12.5, 15, PAPER)
"""What is no certificate says so, in a dark band at the head of each page."""
END: Final = Style(SANS, 8.2, 11, FAINT)
"""The line after the last section."""
NOTE_MARK: Final = Style(SANS, 6.0, 6.0, QUIET)
"""Raised marks of notes."""
