"""What is known of a thing before anybody asks: a measurement file, or photos of it measured at the desk."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from inspect_kit.capture.measurement_file import MeasurementFile, Photo, read_measurements
from inspect_kit.checkin.photo_reading import EvidencePhoto, TypedBeside, evidence_photo, measured_together, resized
from inspect_kit.errors import BadInput, InspectKitError
from inspect_kit.inspection.guided import GuidedEntry
from inspect_kit.rulebook.sheet import Sheet

_KINDS: Final = {"surface": "board", "coin": "coins", "checker": "checkers", "die": "dice", "striker": "striker",
          "fig": "figure"}  # fmt: skip
"""By the first word of what is asked: what `measure` calls it."""


def kind_for(sheet: Sheet, item: str) -> str:
    """What photos of an item are measured as; empty if photos cannot tell anything of it."""
    asked = {question.characteristic for question in GuidedEntry(sheet, item).questions()}
    measurable = {name.partition(".")[0] for name in asked if name.endswith((".diameter", ".side", ".edge"))}
    return next((kind for first, kind in _KINDS.items() if first in measurable), "")


def read_file(content: bytes) -> MeasurementFile:
    """A measurement file as it was sent: CSV, JSON, .xlsx or .ods; its faults name no place on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "measured"
        path.write_bytes(content)
        try:
            return read_measurements(path)
        except InspectKitError as problem:
            raise BadInput.of(problem.fault, where=problem.where.replace(f"{folder}/", "")) from None


def measured_photos(
    contents: Sequence[bytes], kind: str, given: TypedBeside, home: Path
) -> tuple[MeasurementFile, list[EvidencePhoto]]:
    """All photos of one thing measured together, and each as it is kept."""
    kept = [evidence_photo(content) for content in contents]
    photos = {each.name: content for content, each in zip(contents, kept, strict=True)}
    return measured_together(photos, kind, given, home), kept


def on_kept_photos(file: MeasurementFile, kept: Sequence[EvidencePhoto]) -> MeasurementFile:
    """The same with the places in the smaller photos that are kept as evidence."""
    by_name = {each.name: each for each in kept}
    scales = {photo.file: (by_name[photo.file].width / photo.width, by_name[photo.file].height / photo.height)
              for photo in file.photos if photo.file in by_name}  # fmt: skip
    readings = tuple(resized(each, *scales.get(each.photo, (1.0, 1.0)), each.photo) for each in file.readings)
    photos = tuple(Photo(each.name, each.sha256, each.width, each.height) for each in kept)
    return replace(file, readings=readings, photos=photos)
