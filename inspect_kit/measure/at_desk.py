"""One photo of one round piece at the check-in desk: what it tells, as plain values that a form can show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from inspect_kit.errors import BadInput
from inspect_kit.values.measurement import Reading, StatedPart
from inspect_kit.values.quantity import UNITS, parse_number, parse_quantity

if TYPE_CHECKING:
    from inspect_kit.capture.photographs import Photograph
    from inspect_kit.measure.photographed import Estimate
    from inspect_kit.measure.pieces import Piece, Session, Stated
    from inspect_kit.vision.optics.camera import Camera

KIND_OF: Final = {"striker": "striker", "checker": "checkers"}
"""Pieces that come one at a time: the first word of their characteristics, and what `measure` calls them."""
_THICKNESS: Final = (Decimal("0.2"), Decimal(60))
_SCALE: Final = (Decimal("0.9"), Decimal("1.1"))
_POINTS: Final = 48
"""Enough of an outline to be drawn."""


class Told(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Readings, and what was seen; places are shares of the photo's width and height, so that they hold at any size."""

    kind: str
    diameter: str
    expanded: str
    roundness: str
    standard: str
    budget: tuple[tuple[str, str], ...]
    centre: tuple[float, float]
    outline: tuple[tuple[float, float], ...]
    metal: str = ""
    """`none`, `suspected`, or empty where nobody looked."""
    region: tuple[float, float, float, float] | None = None
    """Where metal is suspected: left, top, width, height."""

    @property
    def characteristic(self) -> str:
        """What was measured."""
        return f"{self.kind}.diameter"

    def reading(self, where: str, size: tuple[int, int]) -> Reading:
        """The diameter with its budget; `size` is that of the photo that is kept."""
        pixel = self.centre[0] * size[0], self.centre[1] * size[1]
        return Reading(
            self.characteristic, self.diameter, unit="mm", standard=self.standard, where=where, pixel=pixel,
            budget=tuple(StatedPart(source, size_of) for source, size_of in self.budget),
            outline=tuple((x * size[0], y * size[1]) for x, y in self.outline),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Given:
    """What the desk knows beforehand: thickness in mm, the print's scale (measured ÷ nominal), and the home that
    its calibrated cameras are kept in."""

    thickness: float | None = None
    print_scale: Decimal | None = None
    home: Path | None = None


def given_by(thickness: str, print_scale: str, home: Path | None = None) -> Given:
    """From what was typed; empty is not known."""
    return Given(
        float(_within(parse_quantity(thickness, UNITS["mm"]).to("mm").number, _THICKNESS)) if thickness else None,
        _within(parse_number(print_scale), _SCALE) if print_scale else None,
        home,
    )


def _within(number: Decimal, bounds: tuple[Decimal, Decimal]) -> Decimal:
    if not bounds[0] <= number <= bounds[1]:
        raise BadInput(f"{number:f} is not between {bounds[0]} and {bounds[1]}")
    return number


def kind_among(characteristics: Iterable[str]) -> str:
    """The kind of piece whose diameter is asked for, as `measure` calls it; empty if a photo cannot tell any."""
    asked = set(characteristics)
    return next((name for first, name in KIND_OF.items() if f"{first}.diameter" in asked), "")


def told_by(content: bytes, kind: str, given: Given) -> Told:
    """Measure the one piece on the mat, or say why not."""
    # Loading OpenCV takes a second, which only those with a photo wait for.
    from inspect_kit.capture.photographs import open_photograph
    from inspect_kit.measure.pieces import KINDS, measure_pieces

    photo = open_photograph(content, "photo", where="photo")
    session = measure_pieces([photo], KINDS[kind], _camera(photo, given.home), _stated(given))
    if len(session.pieces) != 1:
        raise BadInput(f"{len(session.pieces)} pieces lie on the sheet", where="photo", hint="photograph one at a time")
    return _told(session, session.pieces[0], (photo.width, photo.height))


def _camera(photo: Photograph, home: Path | None) -> Camera | None:
    from inspect_kit.vision.optics.camera_files import camera_of, kept_cameras, shelf_in

    found = None if home is None else camera_of([photo], kept_cameras(shelf_in(home)))
    return None if found is None else found.stored.camera


def _stated(given: Given) -> Stated:
    from inspect_kit.measure.pieces import Stated, stated_scale

    scale, thickness = given.print_scale, given.thickness
    return Stated(
        thickness=None if thickness is None else (thickness, None),
        print_scale=None if scale is None else stated_scale(scale),
    )


def _told(session: Session, piece: Piece, size: tuple[int, int]) -> Told:
    kind = session.kind
    outline = piece.first.disc.outline
    every = max(1, len(outline) // _POINTS)
    metal = piece.sighting.metal
    region = metal.region if metal is not None and metal.suspected else None
    return Told(
        kind=kind.name,
        diameter=f"{piece.diameter.value:.2f}",
        expanded=f"{2 * piece.diameter.standard:.2f}",
        roundness=f"{piece.roundness.value:.2f}" if kind.roundness else "",
        standard=f"{piece.diameter.standard:.5f}",
        budget=_budget(piece.diameter),
        centre=_share(piece.first.disc.centre, size),
        outline=tuple(_share(point, size) for point in outline[::every]),
        metal="" if metal is None else "suspected" if metal.suspected else "none",
        region=None if region is None else (*_share(region[:2], size), *_share(region[2:], size)),
    )


def _budget(found: Estimate) -> tuple[tuple[str, str], ...]:
    return tuple((part.source, f"{abs(part.standard):.5f}") for part in found.budget)


def _share(place: Iterable[float], size: tuple[int, int]) -> tuple[float, float]:
    x, y = place
    return round(float(x) / size[0], 5), round(float(y) / size[1], 5)
