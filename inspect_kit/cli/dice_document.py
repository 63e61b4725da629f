"""What photos of dice gave, as the measurement file that `judge` reads, as a table, and as marks on the photo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from inspect_kit.cli.output import columns, print_json, warn, write_whole
from inspect_kit.cli.photo_document import photo_entries
from inspect_kit.measure.dice import DicePhoto, DiceSession, Rolled, of_the_face
from inspect_kit.measure.photographed import Estimate
from inspect_kit.vision.optics.overlay import Mark, Tone, draw_overlay

FORMAT = 1
AXES = ("a", "b")


def show_dice(session: DiceSession, overlay: Path | None, *, as_json: bool) -> None:
    """Print the document or the table, and write the overlay of the first photo."""
    if overlay is not None:
        first = session.photos[0]
        corners = first.placed.known.image if first.placed is not None else None
        write_whole(overlay, draw_overlay(first.photo.pixels, dice_marks(first), corners))
    if as_json:
        print_json(dice_document(session))
        return
    warn(session.warnings)
    for line in columns(_rows(session)):
        click.echo(line)


def dice_document(session: DiceSession) -> dict[str, object]:
    """The JSON of a measurement file."""
    pairs = [(look, rolled) for look in session.photos for rolled in look.dice]
    return {
        "format": FORMAT,
        "photos": photo_entries(look.photo for look in session.photos),
        "measurements": [entry for look, rolled in pairs for entry in _measurements(look, rolled)],
        "observations": [*(_face(look, rolled) for look, rolled in pairs), *_spotting(session)],
        "warnings": list(session.warnings),
    }


def _measurements(look: DicePhoto, rolled: Rolled) -> Iterator[dict[str, object]]:
    if rolled.edges is None:
        return
    for axis, edge in zip(AXES, rolled.edges, strict=True):
        yield {
            "characteristic": "die.edge", "instance": f"{rolled.instance}.{axis}", "value": round(edge.value, 4),
            "unit": "mm", "u": round(edge.standard, 5), "pixel": _pixel(rolled), "budget": _budget(edge),
            "photo": look.photo.file,
            "outline": [[round(float(x), 1), round(float(y), 1)] for x, y in rolled.die.outline],
        }  # fmt: skip
    yield from _of_the_face(look, rolled)


def _of_the_face(look: DicePhoto, rolled: Rolled) -> Iterator[dict[str, object]]:
    """Squareness of the face and its pips: nobody limits them, a maker watches them."""
    for characteristic, value, unit, standard in of_the_face(rolled.die):
        yield {
            "characteristic": characteristic, "instance": rolled.instance, "value": round(value, 4), "unit": unit,
            "u": round(standard, 5), "pixel": _pixel(rolled), "photo": look.photo.file,
        }  # fmt: skip


def _budget(edge: Estimate) -> list[dict[str, object]]:
    return [{"source": part.source, "u": round(abs(part.standard), 5)} for part in edge.budget]


def _pixel(rolled: Rolled) -> list[float]:
    return [round(value, 2) for value in rolled.die.pixel]


def _face(look: DicePhoto, rolled: Rolled) -> dict[str, object]:
    return {
        "characteristic": "die.face", "instance": rolled.instance, "value": str(rolled.die.number),
        "confidence": round(rolled.die.confidence, 3), "pixel": _pixel(rolled), "photo": look.photo.file,
    }  # fmt: skip


def _spotting(session: DiceSession) -> Iterator[dict[str, object]]:
    """Six photos of one die: the two clauses on its numbers."""
    found = session.spotting
    if found is None:
        return
    for characteristic, holds in (("die.numbers", found.numbers), ("die.opposite", found.opposite)):
        if holds is not None:
            yield {"characteristic": characteristic, "instance": "1", "value": "yes" if holds else "no"}


def dice_marks(look: DicePhoto) -> list[Mark]:
    """Dice with their numbers and edges; those that cannot be read or measured in amber."""
    marks = [mark for rolled in look.dice for mark in _marks(look, rolled)]
    return marks + [Mark(np.array([place]), ("?",), Tone.DOUBT) for place in look.look.unread]


def _marks(look: DicePhoto, rolled: Rolled) -> Iterator[Mark]:
    """The outline, and below it the text, so that the pips stay visible."""
    tone = Tone.DOUBT if look.placed is not None and rolled.edges is None else Tone.GOOD
    yield Mark(rolled.die.outline, (), tone)
    lines = [f"{rolled.instance}: {rolled.die.number}"]
    if rolled.edges is not None:
        lines.append(" x ".join(f"{edge.value:.2f}" for edge in rolled.edges))
    low, high = rolled.die.outline.min(axis=0), rolled.die.outline.max(axis=0)
    below = np.array([[(low[0] + high[0]) / 2, high[1] + 0.5 * (high[1] - low[1])]])
    yield Mark(below, tuple(lines), tone)


def _rows(session: DiceSession) -> list[tuple[str, ...]]:
    head = ("die", "face", "sure", "edge a", "edge b", "U", "mostly from", "photo")
    return [head, *(_row(look, rolled) for look in session.photos for rolled in look.dice)]


def _row(look: DicePhoto, rolled: Rolled) -> tuple[str, ...]:
    sure = f"{rolled.die.confidence:.0%}"
    if rolled.edges is None:
        return (rolled.instance, str(rolled.die.number), sure, "", "", "", "", look.photo.file)
    first, second = rolled.edges
    largest = first.budget[0]
    share = (largest.standard / first.standard) ** 2
    return (
        rolled.instance, str(rolled.die.number), sure, f"{first.value:.2f} mm", f"{second.value:.2f} mm",
        f"± {2 * max(first.standard, second.standard):.2f} mm", f"{largest.source}, {share:.0%}", look.photo.file,
    )  # fmt: skip
