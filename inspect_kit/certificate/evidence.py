"""Photographs that belong to an inspection, read where they lie."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from inspect_kit.capture.files import read_bytes
from inspect_kit.capture.measurement_file import Photo
from inspect_kit.errors import BrokenSeal
from inspect_kit.inspection.walk import Outcome

MAX_BYTES: Final = 60_000_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """Photos as they were taken, by digest, and drawn over, by `OVERLAY` and digest; and what could not be had."""

    photos: Mapping[str, bytes] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def gathered(outcome: Outcome) -> Evidence:
    """The photographs that lie beside their measurement files, with their overlays."""
    photos, notices = _beside(outcome.photos)
    if photos and any(reading.outline for reading in outcome.readings):
        # OpenCV is loaded only where there is something to draw.
        from inspect_kit.certificate.overlaid import overlays_of

        photos |= overlays_of(outcome, photos)
    return Evidence(photos, notices)


def _beside(stated: Iterable[Photo]) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Photos by digest; one that was changed since is refused, one that is missing is only spoken of."""
    found: dict[str, bytes] = {}
    missing = []
    for photo in stated:
        path = photo.folder / photo.file
        if not path.is_file():
            missing.append(f"{photo.file}: the photo is not beside its measurement file; only its digest is printed")
            continue
        content = read_bytes(path, MAX_BYTES)
        if hashlib.sha256(content).hexdigest() != photo.sha256:
            raise BrokenSeal("is not the photo that was measured: its SHA-256 differs", where=str(path))
        found[photo.sha256] = content
    return found, tuple(missing)
