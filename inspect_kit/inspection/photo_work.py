"""Photos measured, and of a board judged for the colours of its picture: what a process of its own does.

Nothing of the command line is loaded here: such a process starts with every photo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.measure.photos import kept_camera, photo_session

if TYPE_CHECKING:
    from inspect_kit.capture.photographs import Photograph
    from inspect_kit.measure.photos import Verdicts
    from inspect_kit.measure.stated import Stated
    from inspect_kit.vision.optics.camera import Camera


@dataclass(frozen=True, slots=True)
class PhotoWork:
    """What is to be measured: photos of one kind, what is stated of them, and which camera took them."""

    kind: str
    paths: tuple[Path, ...]
    stated: Stated
    camera: Path | None
    home: Path
    spec: str = ""
    drawn: bool = False
    language: str = "en"


@dataclass(frozen=True, slots=True)
class PhotoResult:
    """What was measured, the picture of it if there is to be one, and the camera that is kept for such photos."""

    file: MeasurementFile
    picture: bytes
    kept: str


def measured(work: PhotoWork) -> PhotoResult:
    """Open the photos and measure them; OpenCV is loaded here."""
    from inspect_kit.capture.photographs import read_photograph

    photos = [read_photograph(path) for path in work.paths]
    camera, kept = chosen_camera(work, photos)
    session = photo_session(work.kind, photos, camera, work.stated)
    if not work.drawn:
        return PhotoResult(session.file, b"", kept)
    colours = verdicts_of(session.file, work.spec) if work.spec else None
    return PhotoResult(session.file, session.overlay(colours, work.spec, work.language), kept)


def verdicts_of(file: MeasurementFile, spec: str) -> Verdicts:
    """What a sheet says about every dimension of a board, for the overlay's colours only."""
    from inspect_kit.inspection.walk import Task, inspect
    from inspect_kit.judgement.rules import RuleName
    from inspect_kit.rulebook.library import load

    sheet = load(spec)
    # A strange value is shown in its colour here; whoever judges by it is asked to look at it again.
    measured = tuple(replace(reading, confirmed=True) for reading in file.readings if reading.unit)
    if not measured:
        return {}
    task = Task(sheet, sheet.item("board"), RuleName("guarded"), datetime.now(UTC).astimezone().date())
    judged = inspect(task, (MeasurementFile(measured),)).judgement
    return {(each.clause.characteristic, each.instance): each.verdict.value for each in judged.findings}


def chosen_camera(work: PhotoWork, photos: Sequence[Photograph]) -> tuple[Camera | None, str]:
    """The camera of `--camera`, or the kept one with its name; without either the lens is estimated."""
    from inspect_kit.vision.optics.camera_files import read_camera

    if work.camera is not None:
        return read_camera(work.camera).camera, ""
    kept = kept_camera(work.home, photos)
    return (kept.stored.camera, f"{kept.stored.model} ({kept.name})") if kept else (None, "")
