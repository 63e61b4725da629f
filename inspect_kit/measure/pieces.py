"""Kinds of round pieces and what is usual for them, and their photos turned into measurements and observations."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final

import numpy as np

from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import BadInput, Notice, in_figures_of, notice, sentence, worded_fact
from inspect_kit.measure.document import photo_file, reading_of, seen
from inspect_kit.measure.matching import matched
from inspect_kit.measure.photographed import UNCALIBRATED, best_distance, combine, of_the_reference
from inspect_kit.measure.photos import PhotoSession, Verdicts
from inspect_kit.measure.stated import Stated, with_spread
from inspect_kit.values.measurement import Reading
from inspect_kit.values.value import Value, value_of
from inspect_kit.vision.disc.appearance import Sighting, sightings
from inspect_kit.vision.disc.fit import Shape
from inspect_kit.vision.disc.measure import DiscLook, DiscRequest, Spotted, look
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.overlay import Mark, Tone, draw_overlay
from inspect_kit.vision.optics.quality import glaring


@dataclass(frozen=True)
class PieceKind:
    """A kind of piece: its name in characteristics, the diameters to look for, and its usual thickness and rim (mm)."""

    name: str
    diameters: tuple[float, float]
    thickness: tuple[float, float]
    rim: tuple[float, float]
    roundness: bool = True


KINDS: Final[Mapping[str, PieceKind]] = MappingProxyType(
    {
        "coins": PieceKind("coin", (22.0, 42.0), (8.0, 0.5), (1.0, 0.6)),
        "striker": PieceKind("striker", (28.0, 60.0), (8.0, 1.5), (1.0, 0.6)),
        "checkers": PieceKind("checker", (24.0, 60.0), (8.0, 1.5), (1.0, 0.6), roundness=False),
        "discs": PieceKind("disc", (12.0, 80.0), (2.0, 1.0), (0.4, 0.4)),
    }
)
"""By the name of what is measured, in mm; thickness and rim each with their standard uncertainty if not stated. Discs
of any kind are taken to be about as thick as coins, which mints make 1.5 to 2.8 mm thick."""
_POINTS: Final = 36
"""Points of an outline that a file keeps, about."""
_BENT: Final = 1.5
"""mm by which the border of a sheet of paper may stand up before something is said."""
_LARGE: Final = 0.1
"""Expanded uncertainty (mm) from which advice is given."""


@dataclass(frozen=True)
class MeasuredPiece:
    """One piece over all photos: diameter, roundness, what was seen of it, and where (first photo)."""

    instance: str
    diameter: Value
    roundness: Value
    sighting: Sighting
    first: Spotted
    photo: int


@dataclass(frozen=True)
class Session:
    """What a set of photos of the same pieces gave."""

    kind: PieceKind
    looks: tuple[DiscLook, ...]
    pieces: tuple[MeasuredPiece, ...]
    notices: tuple[Notice, ...]


def photo_session(kind: str, photos: Sequence[Photograph], camera: Camera | None, stated: Stated) -> PhotoSession:
    """Measure round pieces of this kind."""
    session = measure_pieces(photos, KINDS[kind], camera, stated)
    readings = [
        *(reading for piece in session.pieces for reading in _measured(session, piece)),
        *(reading for piece in session.pieces for reading in _observed(session.kind, piece)),
    ]
    return PhotoSession(photo_file(photos, readings, session.notices), partial(_drawn, session))


def _measured(session: Session, piece: MeasuredPiece) -> Iterator[Reading]:
    photos = [look.photo for look in session.looks]
    outline, name = piece.first.disc.outline, session.kind.name
    found = partial(
        reading_of, photos=photos, instance=piece.instance, photo=piece.photo, pixel=piece.first.disc.centre
    )
    yield found(f"{name}.diameter", piece.diameter, outline=outline[:: max(1, len(outline) // _POINTS)])
    if session.kind.roundness:
        yield found(f"{name}.roundness", piece.roundness)


def _observed(kind: PieceKind, piece: MeasuredPiece) -> Iterator[Reading]:
    colour, metal = piece.sighting.colour, piece.sighting.metal
    if kind.name == "coin":
        yield seen("coin.colour", colour.name, piece.instance, colour.confidence)
    if metal is not None:
        word = "suspected" if metal.suspected else "none"
        found = seen("striker.visible_metal", word, piece.instance, metal.confidence)
        yield found if metal.region is None else replace(found, region=_rounded(metal.region))


def _rounded(region: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    left, top, width, height = (round(side, 1) for side in region)
    return left, top, width, height


def _drawn(session: Session, verdicts: Verdicts, sheet: str, language: str) -> bytes:
    """The first photo: pieces with their values, refused ones in amber."""
    del verdicts, sheet
    look = session.looks[0]
    marks = [_mark(session, piece, language) for piece in session.pieces if piece.photo == 0]
    missing = sentence(notice("drawn-not-measured"), language)
    marks += [Mark(np.array([refused.pixel]), (missing,), Tone.DOUBT) for refused in look.pieces.refused]
    return draw_overlay(look.photo.pixels, marks, look.placed.known.image)


def _mark(session: Session, piece: MeasuredPiece, language: str) -> Mark:
    metal = piece.sighting.metal
    size = f"{piece.diameter.value:.2f}", f"± {2 * piece.diameter.standard:.2f} mm"
    lines = [piece.instance, *(in_figures_of(language, text) for text in size)]
    if session.kind.name == "coin":
        lines.append(worded_fact(piece.sighting.colour.name, language))
    suspected = metal is not None and metal.suspected
    if suspected:
        lines.append(sentence(notice("drawn-metal"), language))
    return Mark(piece.first.disc.outline, tuple(line for line in lines if line), Tone.DOUBT if suspected else Tone.GOOD)


def request_for(kind: PieceKind, stated: Stated) -> DiscRequest:
    """The usual values of the kind, where nothing else was stated."""
    thickness, u_thickness = with_spread(stated.thickness or kind.thickness)
    rim, u_rim = with_spread(stated.rim or kind.rim)
    rim = min(rim, thickness / 2)
    return DiscRequest(stated.reference, stated.scale, Shape(thickness, u_thickness, rim, u_rim), kind.diameters)


def measure_pieces(photos: Sequence[Photograph], kind: PieceKind, camera: Camera | None, stated: Stated) -> Session:
    """Measure the pieces in every photo and combine what the photos say about the same piece."""
    request = request_for(kind, stated)
    looks = tuple(look(photo, camera, request) for photo in photos)
    if not any(each.spotted for each in looks):
        low, high = kind.diameters
        cut = [refused.reason for each in looks for refused in each.pieces.refused]
        facts = {"low": f"{low:g}", "high": f"{high:g}", "reason": cut[0] if cut else ""}
        raise BadInput("no-piece-but-one-refused" if cut else "no-piece-measured", where=photos[0].file, **facts)
    groups = matched(looks)
    pieces = tuple(_piece(kind, looks, group, number, len(groups)) for number, group in enumerate(groups, 1))
    return Session(kind, looks, pieces, tuple(_warnings(looks, pieces, stated, kind)))


def _piece(
    kind: PieceKind, looks: Sequence[DiscLook], group: Mapping[int, Spotted], number: int, count: int
) -> MeasuredPiece:
    photo = min(group)
    name = "" if kind.name == "striker" and count == 1 else str(number)
    diameter = combine([each.diameter for each in group.values()])
    roundness = combine([value_of(each.roundness.value, {"edge": each.roundness.standard}) for each in group.values()])
    seen = sightings(looks[photo], group[photo], metal=kind.name == "striker")
    return MeasuredPiece(name, diameter, roundness, seen, group[photo], photo)


def _warnings(
    looks: Sequence[DiscLook], pieces: Sequence[MeasuredPiece], stated: Stated, kind: PieceKind
) -> list[Notice]:
    said = []
    for each in looks:
        for refused in each.pieces.refused:
            x, y = (f"{place:.0f}" for place in refused.pixel)
            said.append(notice("piece-not-measured", each.photo.file, x=x, y=y, reason=refused.reason))
    said += [
        notice("glare", looks[piece.photo].photo.file, piece=piece.instance or "1")
        for piece in pieces
        if glaring(looks[piece.photo].photo.pixels, piece.first.disc.outline)
    ]
    said += [
        notice("outline-in-doubt", looks[piece.photo].photo.file, piece=piece.instance or "1")
        for piece in pieces
        if piece.first.disc.outer_reading > piece.diameter.standard / 4
    ]
    said += of_the_reference([piece.diameter for piece in pieces], stated, "the check bar (or some squares)")
    if not all(each.calibrated for each in looks):
        said.append(UNCALIBRATED)
    if stated.thickness is None:
        value, spread = (f"{size:g}" for size in kind.thickness)
        said.append(notice("thickness-unstated", value=value, spread=spread))
    said += [
        notice("sheet-bent", each.photo.file, bend=f"{each.placed.bend:.1f}")
        for each in looks
        if each.placed.bend > _BENT
    ]
    return said + _advice(looks, pieces)


def _advice(looks: Sequence[DiscLook], pieces: Sequence[MeasuredPiece]) -> list[Notice]:
    """Where another distance would help: how far, and what U would be then; where none does, what no photo shows."""
    worst = max(pieces, key=lambda piece: piece.diameter.standard)
    expanded = 2 * worst.diameter.standard
    centre = looks[worst.photo].placed.view.centre
    distance = math.dist(centre, (worst.first.disc.solid.x, worst.first.disc.solid.y, 0.0))
    better, reached = best_distance(worst.diameter, distance)
    if expanded > _LARGE and reached < 0.8 * expanded:
        places = {"distance": f"{distance / 1000:.1f}", "better": f"{better / 1000:.1f}"}
        return [notice("better-distance", expanded=f"{expanded:.2f}", reached=f"{reached:.2f}", **places)]
    if worst.diameter.budget[0].source == "hidden wall" and expanded > _LARGE:
        wall = f"{2 * worst.diameter.budget[0].standard:.2f}"
        return [notice("wall-unseen", expanded=f"{expanded:.2f}", wall=wall)]
    return []
