"""What was measured in photos as the measurement file that scripts and `judge` read, and as marks on the photo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from inspect_kit.capture.photographs import Photograph
from inspect_kit.measure.photographed import PRINT, Contribution, Estimate
from inspect_kit.measure.pieces import Piece, Session
from inspect_kit.vision.optics.overlay import Mark, Tone

FORMAT = 1


def document(session: Session) -> dict[str, object]:
    """The JSON of a measurement file."""
    return {
        "format": FORMAT,
        "photos": photo_entries(look.photo for look in session.looks),
        "measurements": [entry for piece in session.pieces for entry in _measurements(session, piece)],
        "observations": [entry for piece in session.pieces for entry in _observations(session, piece)],
        "warnings": list(session.warnings),
    }


def photo_entries(photos: Iterable[Photograph]) -> list[dict[str, object]]:
    """The photos of a measurement file, each known by its digest."""
    return [
        {"file": photo.file, "sha256": photo.sha256, "width": photo.width, "height": photo.height} for photo in photos
    ]


def _measurements(session: Session, piece: Piece) -> Iterator[dict[str, object]]:
    yield _measurement(session, piece, "diameter", piece.diameter)
    if session.kind.roundness:
        yield _measurement(session, piece, "roundness", piece.roundness)


def _measurement(session: Session, piece: Piece, what: str, found: Estimate) -> dict[str, object]:
    outline = piece.first.disc.outline
    every = max(1, len(outline) // 36)
    entry: dict[str, object] = {
        "characteristic": f"{session.kind.name}.{what}", "instance": piece.instance,
        "value": round(found.value, 4), "unit": "mm", "u": round(found.standard, 5),
        "pixel": [round(float(value), 2) for value in piece.first.disc.centre],
        "budget": [_part(session, part) for part in found.budget],
        "photo": session.looks[piece.photo].photo.file,
    }  # fmt: skip
    if what == "diameter":
        entry["outline"] = [[round(float(x), 1), round(float(y), 1)] for x, y in outline[::every]]
    return entry


def _part(session: Session, part: Contribution) -> dict[str, object]:
    """The print's scale is one and the same error for everything that was measured on it."""
    line: dict[str, object] = {"source": part.source, "u": round(abs(part.standard), 5)}
    if part.source == PRINT:
        line["shared"] = f"print {session.looks[0].photo.sha256[:16]}"
    return line


def _observations(session: Session, piece: Piece) -> Iterator[dict[str, object]]:
    if session.kind.name == "coin":
        colour = piece.sighting.colour
        yield {
            "characteristic": "coin.colour", "instance": piece.instance, "value": colour.name,
            "confidence": round(colour.confidence, 3),
        }  # fmt: skip
    metal = piece.sighting.metal
    if metal is not None:
        entry: dict[str, object] = {
            "characteristic": "striker.visible_metal", "instance": piece.instance,
            "value": "suspected" if metal.suspected else "none", "confidence": round(metal.confidence, 3),
        }  # fmt: skip
        if metal.region is not None:
            entry["region"] = [round(value, 1) for value in metal.region]
        yield entry


def overlay_marks(session: Session) -> list[Mark]:
    """Marks for the first photo: pieces with their values, refused ones in amber."""
    marks = [_mark(session, piece) for piece in session.pieces if piece.photo == 0]
    for refused in session.looks[0].pieces.refused:
        marks.append(Mark(np.array([refused.pixel]), ("not measured",), Tone.DOUBT))
    return marks


def _mark(session: Session, piece: Piece) -> Mark:
    metal = piece.sighting.metal
    lines = [piece.instance, f"{piece.diameter.value:.2f}", f"± {2 * piece.diameter.standard:.2f} mm"]
    if session.kind.name == "coin":
        lines.append(piece.sighting.colour.name)
    suspected = metal is not None and metal.suspected
    if suspected:
        lines.append("metal?")
    return Mark(piece.first.disc.outline, tuple(line for line in lines if line), Tone.DOUBT if suspected else Tone.GOOD)
