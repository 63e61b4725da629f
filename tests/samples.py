"""The golden samples in reports/samples, one of each kind, and the picture in docs: `python -m tests.samples`."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pypdfium2
from PIL import Image, ImageOps

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.certificate.pages.lot_render import make_lot_certificate
from inspect_kit.certificate.pages.render import make_certificate
from inspect_kit.inspection.record import Record, Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.quality.lot.column import ReadingDefaults
from inspect_kit.quality.lot.file import WantedCharacteristics, read_lot
from inspect_kit.quality.lot.judge import SamplingAgreement, clauses_for, judge_pieces, plan_for
from inspect_kit.quality.lot.record import ChartSettings, LotRecord, lot_record_of
from inspect_kit.rulebook.library import load

REPOSITORY: Final = Path(__file__).resolve().parent.parent
SAMPLES: Final = REPOSITORY / "reports" / "samples"
PICTURE: Final = REPOSITORY / "docs" / "certificate.png"
_EXAMPLES: Final = REPOSITORY / "reports" / "examples"
_SHOWN: Final = (("striker-42.csv", 0), ("board-3.csv", 1))
"""What the picture shows, in English: a first page with its results, and the drawing of a board."""

_PAGE: Final = 772
_MARGIN: Final = 18
_DESK: Final = (228, 228, 226)


def samples() -> Iterator[tuple[str, bytes]]:
    """Every example of the demonstration and every lot, as a certificate or a report, by its file name.

    What is measured in a photo is left out: its last digits and the picture's bytes are those of the libraries.
    """
    for walk in _script()["walk"]:
        if "photo" in walk:
            continue
        record = _record(walk)
        kind = "certificate" if record.verdict == "conforms" else "report"
        name = f"{Path(walk['files'][0]).stem}-{kind}-{walk['language']}.pdf"
        yield name, make_certificate(record, language=walk["language"])
    for walk in _script("lots.toml")["lot"]:
        lot = lot_of(walk)
        kind = "certificate" if lot.verdict == "conforms" else "report"
        yield (
            f"{Path(walk['file']).stem}-{kind}-{walk['language']}.pdf",
            make_lot_certificate(lot, language=walk["language"]),
        )


def lots() -> Iterator[LotRecord]:
    """The lots among the examples."""
    return (lot_of(walk) for walk in _script("lots.toml")["lot"])


def lot_of(walk: dict[str, Any]) -> LotRecord:
    """One lot, judged and recorded."""
    sheet, on = load(walk["spec"]), _script("lots.toml")["inspected_on"]
    task = Task(sheet, sheet.item(walk["item"]), RuleName.GUARDED, on, (_EXAMPLES / "instruments",))
    names = tuple(clause.characteristic for clause in clauses_for(task, ()))
    file = read_lot(_EXAMPLES / walk["file"], WantedCharacteristics(names, needed=False))
    aql = walk.get("aql")
    agreed = SamplingAgreement(None if aql is None else Decimal(aql), walk.get("level", ""))
    outcome = judge_pieces(task, file, plan_for(walk.get("size", len(file.pieces)), agreed), ReadingDefaults())
    about = {key: walk[key] for key in ("owner", "place", "inspector", "issuer")}
    return lot_record_of(
        outcome, Subject(walk["subject"], **about), ChartSettings(walk.get("subgroup", ""), "1", "stated")
    )


def _script(name: str = "demo.toml") -> dict[str, Any]:
    return tomllib.loads((_EXAMPLES / name).read_text(encoding="utf-8"))


def example(name: str) -> Record:
    """The record of one example, by its file's name."""
    return next(_record(walk) for walk in _script()["walk"] if Path(walk["files"][0]).stem == name)


def _record(walk: dict[str, Any]) -> Record:
    sheet, on = load(walk["spec"]), _script()["inspected_on"]
    task = Task(sheet, sheet.item(walk["item"]), RuleName.GUARDED, on, (_EXAMPLES / "instruments",))
    outcome = inspect(task, [read_measurements(_EXAMPLES / name) for name in walk["files"]])
    about = ("subject", "owner", "event", "place", "inspector", "issuer")
    return record_of(outcome, Subject(*(walk[key] for key in about)))


def picture() -> bytes:
    """Two pages side by side, small enough for a README."""
    walks = {walk["files"][0]: walk for walk in _script()["walk"]}
    pages = [_page(make_certificate(_record(walks[name]), language="en"), number) for name, number in _SHOWN]
    width = sum(page.width for page in pages) + (len(pages) + 1) * _MARGIN
    sheet = Image.new("RGB", (width, pages[0].height + 2 * _MARGIN), _DESK)
    for number, page in enumerate(pages):
        sheet.paste(page, (_MARGIN + number * (page.width + _MARGIN), _MARGIN))
    buffer = io.BytesIO()
    sheet.quantize(160, kmeans=1, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _page(pdf: bytes, number: int) -> Image.Image:
    page = pypdfium2.PdfDocument(pdf)[number]
    image = page.render(scale=2 * _PAGE / page.get_width()).to_pil().convert("RGB")
    size = (_PAGE, round(_PAGE * image.height / image.width))
    return ImageOps.expand(image.resize(size, Image.Resampling.LANCZOS), 1, (200, 200, 198))


def main() -> None:
    """Remake the samples and the picture."""
    made = dict(samples())
    SAMPLES.mkdir(parents=True, exist_ok=True)
    for old in set(SAMPLES.glob("*.pdf")) - {SAMPLES / name for name in made}:
        old.unlink()
    for name, content in made.items():
        (SAMPLES / name).write_bytes(content)
    PICTURE.write_bytes(picture())


if __name__ == "__main__":
    main()
