"""Photographs that belong to an inspection, read where they lie."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from inspect_kit.capture.files import read_bytes
from inspect_kit.capture.measurement_file import Photo
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.errors import BrokenSeal, Notice, notice
from inspect_kit.inspection.walk import Outcome

MAX_BYTES: Final = 60_000_000
"""Bytes of a photo's file."""


def photos_beside(outcome: Outcome, language: str) -> tuple[dict[str, bytes], tuple[Notice, ...]]:
    """The photos that lie beside their measurement files, by digest, and drawn over, by `OVERLAY` and digest; and what
    could not be had."""
    photos, missing = _files_beside(outcome.photos)
    if photos and any(reading.outline for reading in outcome.readings):
        # OpenCV is loaded only where there is something to draw.
        from inspect_kit.certificate.pages.photo_overlays import overlays_of

        photos |= overlays_of(outcome, photos, wording_for(language, outcome.task.sheet.wording))
    return photos, missing


def _files_beside(stated: Iterable[Photo]) -> tuple[dict[str, bytes], tuple[Notice, ...]]:
    """Photos by digest; one that was changed since is refused, one that is missing is only spoken of."""
    found: dict[str, bytes] = {}
    missing = []
    for photo in stated:
        path = photo.folder / photo.file
        if not path.is_file():
            missing.append(notice("photo-not-beside", photo.file))
            continue
        content = read_bytes(path, MAX_BYTES)
        if hashlib.sha256(content).hexdigest() != photo.sha256:
            raise BrokenSeal("not-measured-photo", where=str(path))
        found[photo.sha256] = content
    return found, tuple(missing)
