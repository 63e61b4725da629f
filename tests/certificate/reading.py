"""What a reader finds in a PDF: its text, page by page."""

from __future__ import annotations

import pypdfium2


def spaced(text: str) -> str:
    """With every kind of space as one space."""
    return " ".join(text.split())


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page, in the order of drawing."""
    return [spaced(page.get_textpage().get_text_range()) for page in pypdfium2.PdfDocument(pdf)]


def text_of(pdf: bytes) -> str:
    """All text."""
    return spaced(" ".join(pages_of(pdf)))
