"""Certificates per second, beside bare reportlab pages of the same length."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from datetime import date

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.certificate.pages.render import make_certificate
from inspect_kit.inspection.record import Record, Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.places import shipped
from inspect_kit.rulebook.library import load

EXAMPLES = shipped("reports") / "examples"
ROUNDS = 5


def _record(file: str, spec: str, item: str) -> Record:
    sheet = load(spec)
    task = Task(sheet, sheet.item(item), RuleName.GUARDED, date(2026, 11, 14), (EXAMPLES / "instruments",))
    return record_of(inspect(task, [read_measurements(EXAMPLES / file)]), Subject("Example"))


def _bare(pages: int, words: int) -> bytes:
    """The same amount of text with nothing done to it."""
    style = getSampleStyleSheet()["BodyText"]
    story: list[object] = []
    for _ in range(pages):
        story += [Paragraph("word " * max(1, words // pages), style), PageBreak()]
    stream = io.BytesIO()
    SimpleDocTemplate(stream, pagesize=A4).build(story)
    return stream.getvalue()


def _seconds(work: Callable[[], object]) -> float:
    work()
    start = time.perf_counter()
    for _ in range(ROUNDS):
        work()
    return (time.perf_counter() - start) / ROUNDS


def main() -> None:
    """Print seconds a certificate and the ratio."""
    import pypdfium2

    for name, spec, item in (("striker-42.csv", "icf-2001-it", "striker"), ("coin-set-12.csv", "icf-cs", "coin-set"),
                             ("board-3.csv", "icf-1991-de", "board")):  # fmt: skip
        record = _record(name, spec, item)
        document = pypdfium2.PdfDocument(make_certificate(record, language="en"))
        pages = len(document)
        words = sum(len(page.get_textpage().get_text_range().split()) for page in document)
        ours = _seconds(lambda record=record: make_certificate(record, language="en"))  # type: ignore[misc]
        bare = _seconds(lambda pages=pages, words=words: _bare(pages, words))  # type: ignore[misc]
        print(f"{item:<10} {pages:2} pages  {ours:6.3f} s  {1 / ours:5.1f} a second", end="   ")
        print(f"bare {bare:6.3f} s   ratio {ours / bare:5.1f}")


if __name__ == "__main__":
    main()
