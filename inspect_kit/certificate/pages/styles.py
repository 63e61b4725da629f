"""The type sizes of a certificate: few, and each with one job."""

from __future__ import annotations

from typing import Final

from inspect_kit.certificate.pages.fonts import BOLD, SANS, SERIF
from inspect_kit.certificate.pages.page import FAINT, INK, PAPER, QUIET, SEAL
from inspect_kit.certificate.pages.text import Style

TITLE: Final = Style(SERIF, 26, 31, SEAL)
REPORT_TITLE: Final = Style(SERIF, 26, 31, INK)
SUBJECT: Final = Style(SANS, 13, 16.5, INK)
VERDICT: Final = Style(SERIF, 19, 24, SEAL)
REPORT_VERDICT: Final = Style(SERIF, 19, 24, INK)
REVERSED_VERDICT: Final = Style(SERIF, 19, 24, PAPER)
HEADING: Final = Style(SERIF, 12.5, 16, SEAL)
REPORT_HEADING: Final = Style(SERIF, 12.5, 16, INK)
IN_COLUMN: Final = Style(SERIF, 11, 14, SEAL)
REPORT_IN_COLUMN: Final = Style(SERIF, 11, 14, INK)
BODY: Final = Style(SANS, 9.2, 11.8, INK)
BODY_STRONG: Final = Style(BOLD, 9.2, 11.8, INK)
LABEL: Final = Style(SANS, 8.4, 11.8, QUIET)
FINE: Final = Style(SANS, 8.2, 10.3, INK)
FINE_LABEL: Final = Style(SANS, 8.2, 10.3, QUIET)
TABLE: Final = Style(SANS, 8.6, 10.8, INK)
TABLE_STRONG: Final = Style(BOLD, 8.6, 10.8, INK)
TABLE_QUIET: Final = Style(SANS, 8.6, 10.8, QUIET)
REVERSED: Final = Style(BOLD, 8.6, 10.8, PAPER)
SMALL: Final = Style(SANS, 7.3, 9.1, QUIET)
SMALL_INK: Final = Style(SANS, 7.3, 9.1, INK)
SMALL_STRONG: Final = Style(BOLD, 7.3, 9.1, INK)
HEAD: Final = Style(BOLD, 7.6, 9.6, QUIET)
RUNNING: Final = Style(SANS, 7.6, 9.6, QUIET)
RUNNING_STRONG: Final = Style(BOLD, 9.4, 11.6, INK)
BAND: Final = Style(BOLD, 12.5, 15, PAPER)
END: Final = Style(SANS, 8.2, 11, FAINT)
NOTE_MARK: Final = Style(SANS, 6.0, 6.0, QUIET)
