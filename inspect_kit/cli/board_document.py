"""What photos of a board gave, as the measurement file that `judge` reads, as a table, and judged for the overlay."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from PIL import Image

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.capture.photographs import Photograph
from inspect_kit.cli.options import today
from inspect_kit.cli.photo_document import photo_entries
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.measure.photographed import UNCALIBRATED
from inspect_kit.rulebook.library import load
from inspect_kit.values.measurement import Reading
from inspect_kit.vision.board.measure import BoardMeasurement, BoardResult

FORMAT = 1
_SCALES = frozenset({"print scale", "known length"})


def board_document(result: BoardResult, photos: Sequence[Photograph], *, calibrated: bool) -> dict[str, object]:
    """The JSON of a measurement file."""
    return {
        "format": FORMAT,
        "photos": photo_entries(photos),
        "measurements": [_measurement(each, result) for each in result.measurements],
        "observations": [
            {"characteristic": each.characteristic, "instance": each.instance, "value": each.value,
             "confidence": round(each.confidence, 3)}
            for each in result.observations
        ],
        "warnings": list(warnings_of(result, calibrated=calibrated)),
    }  # fmt: skip


def warnings_of(result: BoardResult, *, calibrated: bool) -> tuple[str, ...]:
    """What the reader should know."""
    return result.warnings if calibrated else (*result.warnings, UNCALIBRATED)


def _measurement(found: BoardMeasurement, result: BoardResult) -> dict[str, object]:
    return {
        "characteristic": found.characteristic,
        "instance": found.instance,
        "value": round(found.value, 4),
        "unit": found.unit,
        "u": round(found.u, 5),
        "pixel": [round(value, 2) for value in found.pixel],
        "budget": [_part(source, part, found, result) for source, part in _largest_first(found)],
        "photo": result.scene.photos[found.photo].name,
    }


def _part(source: str, part: float, found: BoardMeasurement, result: BoardResult) -> dict[str, object]:
    """The scale is one and the same error for every length of the board: it cancels between two diagonals."""
    line: dict[str, object] = {"source": source, "u": round(part, 5)}
    if source in _SCALES and found.unit == "mm":
        line["shared"] = f"{source} {result.scene.photos[0].name}"
    return line


def _largest_first(found: BoardMeasurement) -> list[tuple[str, float]]:
    return sorted(found.budget, key=lambda part: -part[1])


def overlay_entry(path: Path, picture: bytes) -> dict[str, object]:
    """The overlay as evidence, so that `certify` shows it and can tell that it is the same picture."""
    width, height = Image.open(io.BytesIO(picture)).size
    return {"file": path.name, "sha256": hashlib.sha256(picture).hexdigest(), "width": width, "height": height}


def verdicts_of(result: BoardResult, spec: str) -> Mapping[tuple[str, str], str]:
    """What a sheet says about every dimension, for the overlay's colours only."""
    sheet = load(spec)
    readings = tuple(
        Reading(each.characteristic, f"{Decimal(str(round(each.value, 4))):f}", each.instance, each.unit,
                f"{Decimal(str(round(each.u, 5))):f}", where="overlay")
        for each in result.measurements
    )  # fmt: skip
    if not readings:
        return {}
    task = Task(sheet, sheet.item("board"), RuleName("guarded"), today())
    judged = inspect(task, (MeasurementFile(readings),)).judgement
    return {(each.clause.characteristic, each.instance): each.verdict.value for each in judged.findings}


def rows(result: BoardResult) -> Iterator[tuple[str, ...]]:
    """A table for people: value, U, and what dominates it."""
    yield ("dimension", "", "value", "U", "mostly from")
    for each in result.measurements:
        sign = "°" if each.unit == "deg" else " mm"
        source, part = _largest_first(each)[0]
        yield (
            each.characteristic, each.instance, f"{each.value:.2f}{sign}", f"± {2 * each.u:.2f}{sign}",
            f"{source}, {(part / each.u) ** 2:.0%}",
        )  # fmt: skip
