"""No text is printed over another, in any language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pypdfium2
import pytest

from inspect_kit.certificate.pages.render import make_certificate
from tests.samples import example

Box = tuple[float, float, float, float]
EXAMPLES = ("striker-42", "striker-43", "coin-set-12", "board-3", "figure-sports", "dice-set-5")
TOUCHING = 1.0
"""Points by which boxes of neighbouring words may share room: italics and marks of notes lean over."""


@pytest.mark.parametrize("language", ["en", "de", "cs", "it"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_text_is_printed_over_another(name: str, language: str) -> None:
    document = pypdfium2.PdfDocument(make_certificate(example(name), language=language))
    assert [found for page in document for found in _overlaps(page)] == []


def _overlaps(page: pypdfium2.PdfPage) -> Iterator[str]:
    text = page.get_textpage()
    boxes = [text.get_rect(number) for number in range(text.count_rects())]
    for first, second in combinations(boxes, 2):
        if _shared(first, second):
            yield f"{text.get_text_bounded(*first)!r} / {text.get_text_bounded(*second)!r}"


def _shared(first: Box, second: Box) -> bool:
    across = min(first[2], second[2]) - max(first[0], second[0])
    along = min(first[3], second[3]) - max(first[1], second[1])
    return across > TOUCHING and along > 2 * TOUCHING
