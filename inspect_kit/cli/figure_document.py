"""What photos of a figure gave, as the measurement file that `judge` reads, as a table, and as marks on the photo."""

from __future__ import annotations

import numpy as np

from inspect_kit.cli.photo_document import photo_entries
from inspect_kit.measure.figure import FigureSession, FigureValue
from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.figure.measure import Measured
from inspect_kit.vision.optics.overlay import Mark, Tone

FORMAT = 1
MOST_POINTS = 400
"""Of an outline, so that the evidence stays small."""


def figure_document(session: FigureSession, instance: str) -> dict[str, object]:
    """The JSON of a measurement file."""
    return {
        "format": FORMAT,
        "photos": photo_entries(session.photos),
        "measurements": [_measurement(session, value, instance) for value in session.values],
        "observations": [{
            "characteristic": "fig.base.colour", "instance": instance, "value": session.colour.name,
            "confidence": round(session.colour.confidence, 3),
        }],
        "warnings": list(session.warnings),
    }  # fmt: skip


def _measurement(session: FigureSession, value: FigureValue, instance: str) -> dict[str, object]:
    found = value.estimate
    return {
        "characteristic": value.characteristic, "instance": instance, "value": round(found.value, 4),
        "unit": value.unit, "u": round(found.standard, 5),
        "pixel": [round(place, 2) for place in value.seen.pixel],
        "budget": [{"source": part.source, "u": round(abs(part.standard), 5)} for part in found.budget],
        "photo": session.photos[value.photo].file,
        "outline": [[round(float(x), 1), round(float(y), 1)] for x, y in _thinned(value.seen.outline)],
    }  # fmt: skip


def _thinned(outline: Floats) -> Floats:
    return outline[:: -(-len(outline) // MOST_POINTS)]


def figure_rows(session: FigureSession) -> list[tuple[str, ...]]:
    """A table for people: value, U and what dominates it."""
    rows = [("characteristic", "value", "U", "mostly from")]
    for value in session.values:
        found = value.estimate
        largest = found.budget[0]
        share = (largest.standard / found.standard) ** 2
        rows.append((
            value.characteristic, f"{found.value:.2f} {value.unit}", f"± {2 * found.standard:.2f} {value.unit}",
            f"{largest.source}, {share:.0%}",
        ))  # fmt: skip
    return [*rows, ("fig.base.colour", session.colour.name, "", f"{session.colour.confidence:.0%} sure")]


def figure_marks(session: FigureSession) -> list[Mark]:
    """Marks for the first photo: the base with its diameter, its upper face and largest circle, the top."""
    seen = {each.characteristic: each for each in session.views[0].measured}
    diameter = seen["fig.base.diameter"]
    names = ("fig.base.diameter", "fig.base.top_diameter", "fig.base.dmax_depth", "fig.height")
    marks = [Mark(seen[name].outline, ()) for name in names if name in seen]
    # The words stand beside the figure, where they hide nothing.
    words = tuple(_words(each) for each in session.views[0].measured)
    wide = float(np.ptp(diameter.outline[:, 0]))
    beside = [diameter.pixel[0] + 1.6 * wide, _level(session)]
    marks.append(Mark(np.array([beside]), words, room=1.9 * wide))
    if "fig.height" not in seen:
        marks.append(Mark(np.array([diameter.pixel]), ("top not measured",), Tone.DOUBT))
    return marks


def _words(measured: Measured) -> str:
    return f"{measured.characteristic[4:]} {measured.value:.2f} ± {2 * measured.standard:.2f} mm"


def _level(session: FigureSession) -> float:
    """The middle between foot and head in the first photo."""
    heights = np.concatenate([each.outline[:, 1] for each in session.views[0].measured])
    return float((heights.min() + heights.max()) / 2)
