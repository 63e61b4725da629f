"""Kinds of round pieces and what is usual for them, and their photos turned into measurements and observations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import BadInput
from inspect_kit.measure.matching import matched
from inspect_kit.measure.photographed import UNCALIBRATED, Estimate, best_distance, combine, estimate
from inspect_kit.vision.disc.appearance import Sighting, sightings
from inspect_kit.vision.disc.fit import Shape
from inspect_kit.vision.disc.measure import Look, Request, Spotted, look
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.quality import glaring
from inspect_kit.vision.reference.find import Reference


@dataclass(frozen=True)
class Kind:
    """A kind of piece: its name in characteristics, the diameters to look for, and its usual thickness and rim (mm)."""

    name: str
    diameters: tuple[float, float]
    thickness: tuple[float, float]
    rim: tuple[float, float]
    roundness: bool = True


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "coins": Kind("coin", (22.0, 42.0), (8.0, 0.5), (1.0, 0.6)),
        "striker": Kind("striker", (28.0, 60.0), (8.0, 1.5), (1.0, 0.6)),
        "checkers": Kind("checker", (24.0, 60.0), (8.0, 1.5), (1.0, 0.6), roundness=False),
        "discs": Kind("disc", (12.0, 80.0), (2.5, 1.2), (0.4, 0.4)),
    }
)
GIVEN: Final = 0.1
"""Standard uncertainty (mm) of a thickness or rim radius that was stated without one."""
UNKNOWN_PRINT: Final = 0.003
"""Relative standard uncertainty of a print whose check bar nobody measured."""
_MEASURED_PRINT: Final = 0.0002
_LARGE: Final = 0.1
"""Expanded uncertainty (mm) from which advice is given."""


@dataclass(frozen=True)
class Stated:
    """What the user stated: each a value and a standard uncertainty, or nothing."""

    thickness: tuple[float, float | None] | None = None
    rim: tuple[float, float | None] | None = None
    print_scale: tuple[float, float] | None = None
    reference: Reference = field(default_factory=Reference)


def stated_scale(number: Decimal) -> tuple[float, float]:
    """A print's scale that was typed, and its relative uncertainty: by the caliper, and by half of the last digit, at
    least the third."""
    rounding = 0.5 * 10.0 ** -max(-int(number.as_tuple().exponent), 3) / 3**0.5
    return float(number), (_MEASURED_PRINT**2 + rounding**2) ** 0.5


@dataclass(frozen=True)
class Piece:
    """One piece over all photos: diameter, roundness, what was seen of it, and where (first photo)."""

    instance: str
    diameter: Estimate
    roundness: Estimate
    sighting: Sighting
    first: Spotted
    photo: int


@dataclass(frozen=True)
class Session:
    """What a set of photos of the same pieces gave."""

    kind: Kind
    looks: tuple[Look, ...]
    pieces: tuple[Piece, ...]
    warnings: tuple[str, ...]


def request_for(kind: Kind, stated: Stated) -> Request:
    """The usual values of the kind, where nothing else was stated."""
    thickness, u_thickness = _known(stated.thickness, kind.thickness)
    rim, u_rim = _known(stated.rim, kind.rim)
    rim = min(rim, thickness / 2)
    scale = stated.print_scale or (1.0, UNKNOWN_PRINT)
    return Request(stated.reference, scale, Shape(thickness, u_thickness, rim, u_rim), kind.diameters)


def _known(stated: tuple[float, float | None] | None, usual: tuple[float, float]) -> tuple[float, float]:
    if stated is None:
        return usual
    value, standard = stated
    return value, GIVEN if standard is None else standard


def measure_pieces(photos: Sequence[Photograph], kind: Kind, camera: Camera | None, stated: Stated) -> Session:
    """Measure the pieces in every photo and combine what the photos say about the same piece."""
    request = request_for(kind, stated)
    looks = tuple(look(photo, camera, request) for photo in photos)
    if not any(each.spotted for each in looks):
        low, high = kind.diameters
        cut = [f"one {refused.reason}" for each in looks for refused in each.pieces.refused]
        raise BadInput(
            f"no round piece of {low:g} to {high:g} mm can be measured" + (f" ({cut[0]})" if cut else ""),
            where=photos[0].file,
            hint="lay the pieces on the sheet, whole in the picture and not covering one another",
        )
    groups = matched(looks)
    pieces = tuple(_piece(kind, looks, group, number, len(groups)) for number, group in enumerate(groups, 1))
    return Session(kind, looks, pieces, tuple(_warnings(looks, pieces, stated, kind)))


def _piece(kind: Kind, looks: Sequence[Look], group: Mapping[int, Spotted], number: int, count: int) -> Piece:
    photo = min(group)
    name = "" if kind.name == "striker" and count == 1 else str(number)
    diameter = combine([estimate(each.diameter, each.contributions) for each in group.values()])
    roundness = combine([estimate(each.roundness.value, {"edge": each.roundness.standard}) for each in group.values()])
    seen = sightings(looks[photo], group[photo], metal=kind.name == "striker")
    return Piece(name, diameter, roundness, seen, group[photo], photo)


def _warnings(looks: Sequence[Look], pieces: Sequence[Piece], stated: Stated, kind: Kind) -> list[str]:
    said = []
    for each in looks:
        for refused in each.pieces.refused:
            x, y = refused.pixel
            said.append(
                f"{each.photo.file}: the piece at pixel ({x:.0f}, {y:.0f}) {refused.reason}, so it is not measured"
            )
    said += [
        f"{looks[piece.photo].photo.file}: glare at the edge of piece {piece.instance or '1'}; move the lamp"
        for piece in pieces
        if glaring(looks[piece.photo].photo.pixels, piece.first.disc.outline)
    ]
    if stated.print_scale is None:
        said.append("the print's scale was not stated: measure the check bar (or some squares) with a caliper and give "
                    "--print-scale, measured ÷ nominal; until then the scale carries 0.3 %")  # fmt: skip
    if not all(each.calibrated for each in looks):
        said.append(UNCALIBRATED)
    if stated.thickness is None:
        said.append(
            f"the thickness was not stated: {kind.thickness[0]:g} ± {kind.thickness[1]:g} mm was assumed (--thickness)"
        )
    return said + _advice(looks, pieces)


def _advice(looks: Sequence[Look], pieces: Sequence[Piece]) -> list[str]:
    """Where another distance would help: how far, and what U would be then."""
    worst = max(pieces, key=lambda piece: piece.diameter.standard)
    expanded = 2 * worst.diameter.standard
    centre = looks[worst.photo].placed.view.centre
    distance = math.dist(centre, (worst.first.disc.solid.x, worst.first.disc.solid.y, 0.0))
    better, reached = best_distance(worst.diameter, distance)
    if expanded > _LARGE and reached < 0.8 * expanded:
        return [f"U is up to {expanded:.2f} mm from {distance / 1000:.1f} m; from {better / 1000:.1f} m it would be "
                f"about {reached:.2f} mm"]  # fmt: skip
    return []
