"""One photo, measured: reference, view, pieces, each with the contributions to its diameter's uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import BadInput
from inspect_kit.values.value import LENS, PRINT_SCALE, REFERENCE_SIZE, Value, value_of
from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.disc import tuning
from inspect_kit.vision.disc.coin_reference import (
    FIRST_SHAPE,
    CoinScene,
    SeenCircle,
    circles_in,
    coin_view,
    first_view,
    known_coin,
    no_coin,
    picture_plane,
    which,
)
from inspect_kit.vision.disc.find import Candidate, find_circles
from inspect_kit.vision.disc.fit import Disc, Shape, fit_disc, inside_picture, is_face_only, outline_pixels
from inspect_kit.vision.disc.outer_edge import outermost
from inspect_kit.vision.disc.roundness import Roundness, roundness_of
from inspect_kit.vision.disc.silhouette import fit_silhouette
from inspect_kit.vision.disc.solid import Solid
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.fitting.edge_step import Optics
from inspect_kit.vision.optics.camera import COUNT, Camera, guessed, shaped_by_a_camera
from inspect_kit.vision.optics.pose import View
from inspect_kit.vision.optics.quality import check_condition
from inspect_kit.vision.reference.everyday import KnownCoin
from inspect_kit.vision.reference.find import Placed, place
from inspect_kit.vision.reference.wanted import Reference

# All round pieces of a photo: found, measured, and refused where they are not whole.

_AROUND: Final = np.linspace(0, 2 * np.pi, 90, endpoint=False)
"""Directions in which an outline is checked against the picture's border."""
_HELD: Final = 1e-3
"""mm, standard, of a thickness that is taken as stated."""
_FAINT: Final = "shows its outline too faintly"
"""Why a piece is not measured that is as bright as its ground."""
_INNER: Final = "shows a ring of its face more clearly than its outline"
"""Why a piece is not measured of which only a groove was."""


@dataclass(frozen=True)
class Refused:
    """A piece that is there and cannot be measured: where in the photo, and why."""

    pixel: tuple[float, float]
    reason: str


@dataclass(frozen=True)
class DiscPieces:
    """What a photo shows."""

    discs: tuple[Disc, ...]
    refused: tuple[Refused, ...]


def find_pieces(
    pixels: Pixels,
    placed: Placed,
    shape: Shape,
    diameters: tuple[float, float],
    optics: Optics,
    *,
    printed: bool = True,
) -> DiscPieces:
    """The discs with a diameter within bounds, in reading order; beside something `printed` by the light at their rims,
    whose blur is then known, elsewhere by their silhouettes."""
    view = placed.view
    radii = diameters[0] / 2, diameters[1] / 2
    candidates = find_circles(pixels, view, placed.known.sheet[:, :2], shape.thickness, radii)
    task = _Task(pixels, view, shape, optics, printed)
    discs: list[Disc] = []
    refused: list[Refused] = []
    for candidate in _larger_first(candidates):
        if not _taken(candidate, discs):
            _try(task, candidate, discs, refused)
    # Light from all sides draws a circle of shade around a piece, that ends within half of its height.
    discs, inner = _outermost_only(discs, candidates, shape.thickness / 2 if printed else 0.0)
    refused += [Refused((float(disc.centre[0]), float(disc.centre[1])), _INNER) for disc in inner]
    if printed:
        refused += _unexplained(task, candidates, discs, refused)
    within = [disc for disc in discs if radii[0] - 1 <= disc.solid.radius <= radii[1] + 1]
    return DiscPieces(tuple(reading_order(within)), tuple(refused))


def _outermost_only(
    discs: Sequence[Disc], candidates: Sequence[Candidate], shade: float
) -> tuple[list[Disc], list[Disc]]:
    """The discs, and apart from them those that lie wholly inside a larger circle about the same middle: that circle
    could not be measured, and what was is a groove or a ring of its face. A shadow's circle reaches out on one side
    only, or no further than `shade` mm."""

    def is_inner(disc: Disc) -> bool:
        return any(
            each.support >= tuning.CLEAR
            and each.radius - disc.solid.radius > max(tuning.GUESS_REACH / 2 * disc.solid.radius, shade)
            and np.hypot(each.x - disc.solid.x, each.y - disc.solid.y)
            < min(tuning.GUESS_REACH * each.radius, each.radius - disc.solid.radius)
            for each in candidates
        )

    return [disc for disc in discs if not is_inner(disc)], [disc for disc in discs if is_inner(disc)]


def _unexplained(
    task: _Task, candidates: Sequence[Candidate], discs: Sequence[Disc], refused: Sequence[Refused]
) -> list[Refused]:
    """Whole circles, as clear as any piece's, in which nothing could be measured: a piece as bright as the mat."""
    found: list[Refused] = []
    for each in _larger_first(candidates):
        guess = Solid(each.x, each.y, each.radius, task.shape.thickness, task.shape.rim)
        known = _taken(each, discs) or _near_refused(task.view, guess, [*refused, *found])
        if each.support >= tuning.WHOLE and not known:
            found.append(Refused(_pixel(task.view, guess), _FAINT))
    return found


def _larger_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those seen clearly, the larger first, so that a groove is never taken for the piece around it; then the rest."""
    clear = sorted((each for each in candidates if each.support >= tuning.CLEAR), key=lambda each: -each.radius)
    faint = sorted(
        (each for each in candidates if tuning.CANDIDATE_FAINT <= each.support < tuning.CLEAR),
        key=lambda each: -each.support,
    )
    return [*clear, *faint]


def _taken(candidate: Candidate | Solid, discs: Sequence[Disc]) -> bool:
    """Whether the candidate lies in a piece that is already known."""
    return any(
        np.hypot(candidate.x - disc.solid.x, candidate.y - disc.solid.y)
        < max(
            0.9 * max(disc.solid.radius, candidate.radius),
            disc.solid.radius + candidate.radius - max(3.0, 0.1 * candidate.radius),
        )
        for disc in discs
    )


@dataclass(frozen=True)
class _Task:
    pixels: Pixels
    view: View
    shape: Shape
    optics: Optics
    printed: bool


def _try(task: _Task, candidate: Candidate, discs: list[Disc], refused: list[Refused]) -> None:
    guess = Solid(candidate.x, candidate.y, candidate.radius, task.shape.thickness, task.shape.rim)
    seen = outline_pixels(task.view, guess, _AROUND)
    if not inside_picture(seen, task.pixels, tuning.BORDER).all():
        if candidate.support >= tuning.CLEAR and not _near_refused(task.view, guess, refused):
            refused.append(Refused(_pixel(task.view, guess), "is cut off by the picture's edge"))
        return
    if not task.printed:
        plain = _plain_or_silhouette(task, guess)
        if not isinstance(plain, Unfit) and not _taken(plain.solid, discs):
            discs.append(plain)
        return
    outer = outermost(task.pixels, task.view, guess)
    if isinstance(outer, Unfit) or _taken(outer, discs):
        return
    disc = fit_disc(task.pixels, task.view, outer, task.shape, task.optics)
    if (
        isinstance(disc, Unfit)
        and candidate.support >= tuning.CLEAR
        and abs(outer.radius - guess.radius) < tuning.SHADOW
    ):
        # A soft shadow all around may be the outermost circle of all, and no disc; then the circle first seen is.
        disc = fit_disc(task.pixels, task.view, guess, task.shape, task.optics)
    if isinstance(disc, Unfit) or _taken(disc.solid, discs):
        return
    if not is_face_only(task.pixels, task.view, disc, task.optics):
        discs.append(disc)
    elif not _near_refused(task.view, disc.solid, refused):
        refused.append(
            Refused(
                _pixel(task.view, disc.solid),
                "shows two outlines (its upper face's, and its own, whose rim mirrors the mat; "
                "light from another side tells them apart)",
            )
        )


def _plain_or_silhouette(task: _Task, guess: Solid) -> Disc | Unfit:
    """A plain piece by the light at its rim, as beside a printed sheet; one that this does not explain, such as a coin
    with its milling and gleams, by its silhouette. Where both can be read, u reaches from the one to the other."""
    silhouette = fit_silhouette(task.pixels, task.view, guess, task.shape)
    outer = outermost(task.pixels, task.view, guess)
    if isinstance(outer, Unfit):
        return silhouette
    # On any ground a shadow's end passes for the foot, so that the foot does not tell how thick a piece is.
    held = replace(task.shape, u_thickness=_HELD)
    plain = fit_disc(task.pixels, task.view, outer, held, task.optics)
    if isinstance(plain, Unfit) or plain.scatter > tuning.EXPLAINED:
        return silhouette
    plain = replace(plain, by_thickness=plain.by_thickness * task.shape.u_thickness / _HELD)
    if isinstance(silhouette, Unfit):
        return plain
    apart = abs(silhouette.solid.radius - plain.solid.radius)
    return replace(plain, edge=float(np.hypot(plain.edge, apart / 2)))


def _near_refused(view: View, guess: Solid, refused: Sequence[Refused]) -> bool:
    x, y = _pixel(view, guess)
    reach = guess.radius * view.resolution(guess.centre)
    return any(np.hypot(x - other.pixel[0], y - other.pixel[1]) < reach for other in refused)


def _pixel(view: View, guess: Solid) -> tuple[float, float]:
    x, y = view.pixels(guess.centre[None])[0]
    return float(x), float(y)


def reading_order(discs: Sequence[Disc]) -> list[Disc]:
    """Row by row from the upper left, as the photo shows them; pieces of one row overlap in height."""
    left = sorted(discs, key=lambda disc: float(disc.centre[1]))
    rows: list[list[Disc]] = []
    for disc in left:
        height = disc.solid.radius * disc.resolution
        if rows and abs(disc.centre[1] - _level(rows[-1])) < height:
            rows[-1].append(disc)
        else:
            rows.append([disc])
    return [disc for row in rows for disc in sorted(row, key=lambda each: float(each.centre[0]))]


def _level(row: Sequence[Disc]) -> Floats:
    return np.asarray(np.mean([disc.centre[1] for disc in row]))


MODEL_ERROR: Final = 0.07
"""Pixels by which light and shadow at an edge move it in a way that neighbouring lines share."""
MODEL_SHADE: Final = 0.006
"""mm, the part of that which does not shrink with the pixels: shading of a rim, a dark gap at the foot."""
FLATNESS: Final = 0.15
"""mm by which paper on a table lies higher or lower."""
STEEPEST: Final = 50.0
"""Degrees of tilt beyond which nothing is measured."""


@dataclass(frozen=True)
class Spotted:
    """One piece in one photo."""

    disc: Disc
    diameter: Value
    roundness: Roundness
    place: tuple[float, float]


@dataclass(frozen=True)
class DiscLook:
    """What one photo gave."""

    photo: Photograph
    placed: Placed
    pieces: DiscPieces
    spotted: tuple[Spotted, ...]
    calibrated: bool


def camera_for(photo: Photograph, calibrated: Camera | None) -> Camera:
    """The calibrated camera turned and scaled to this photo, or what the photo's own notes tell."""
    if calibrated is None:
        return guessed(photo.width, photo.height, photo.focal)
    turned = calibrated.turned(photo.quarters)
    if (photo.width > photo.height) != (turned.width > turned.height):
        # Stored upright without a note: which way it was turned is not known, but matters little.
        turned = turned.turned(1)
    if abs(photo.width / photo.height - turned.width / turned.height) > 0.01:
        raise BadInput(
            "unlike-calibration",
            where=photo.file,
            width=photo.width,
            height=photo.height,
            width2=calibrated.width,
            height2=calibrated.height,
        )
    return turned.scaled(photo.width, photo.height).with_focus_drift()


@dataclass(frozen=True)
class DiscRequest:
    """What to look for: reference, print scale (value and relative uncertainty), shape and bounds of the pieces."""

    reference: Reference
    scale: tuple[float, float]
    shape: Shape
    diameters: tuple[float, float]


def look(photo: Photograph, calibrated: Camera | None, request: DiscRequest) -> DiscLook:
    """Measure the pieces of one photo."""
    camera = camera_for(photo, calibrated)
    if calibrated is None and not (photo.as_taken and shaped_by_a_camera(photo.width, photo.height)):
        # What its notes say of the lens was said of the whole picture.
        camera = guessed(photo.width, photo.height, None).with_middle_anywhere()
    coin = request.reference.kind == "coin"
    placed, beside = (
        _beside_coin(photo, camera, request) if coin else (place(photo.pixels, camera, request.reference), None)
    )
    blur = check_condition(photo.pixels, placed.known, photo.file, printed=request.reference.printed)
    optics = Optics(blur, photo.colour_spread)
    tilt = float(np.degrees(placed.view.tilt))
    if tilt > STEEPEST:
        raise BadInput("camera-tilted-to-sheet", where=photo.file, tilt=f"{tilt:.0f}")
    # Lengths on the sheet are nominal until the end; thickness and rim are true, so they shrink with the print.
    scale = request.scale[0]
    given = request.shape
    shape = Shape(given.thickness / scale, given.u_thickness / scale, given.rim / scale, given.u_rim / scale)
    bounds = request.diameters[0] / scale, request.diameters[1] / scale
    pieces = beside or find_pieces(photo.pixels, placed, shape, bounds, optics, printed=request.reference.printed)
    if request.reference.kind == "paper":
        pieces = _on_paper(pieces, placed)
    flatness = FLATNESS + tuning.BENT_INSIDE * placed.bend
    spotted = tuple(_spotted(disc, placed.view, request, flatness) for disc in pieces.discs)
    return DiscLook(photo, placed, pieces, spotted, calibrated is not None)


def _beside_coin(photo: Photograph, camera: Camera, request: DiscRequest) -> tuple[Placed, DiscPieces]:
    """The view from a known coin among the pieces, and from the outlines of all of them, and the pieces with it."""
    coin = known_coin(request.reference.name, request.reference.size)
    largest = max(request.diameters[1], coin.diameter * (1 + tuning.COIN_SIZE))
    factor = min(1.0, tuning.COIN_WORKING_SIDE / max(photo.width, photo.height))
    small = np.asarray(cv2.resize(photo.pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
    little = camera.scaled(small.shape[1], small.shape[0])
    for across in tuning.SCALES:
        circles = circles_in(small, little, across, largest)
        index = which(small, circles, coin)
        if index is not None:
            scale = across * coin.diameter / (2 * circles[index].radius)
            return _placed_by_coin(photo, camera, scale, (coin, request, largest))
    raise no_coin()


def _placed_by_coin(
    photo: Photograph, camera: Camera, across: float, known: tuple[KnownCoin, DiscRequest, float]
) -> tuple[Placed, DiscPieces]:
    """The discs looked at again at full size from straight above, where a unit is a millimetre: outlines are told by
    millimetres, and by them which of the discs the coin is."""
    coin, request, largest = known
    start = first_view(camera, across)
    sketch, optics = Placed("", start, picture_plane(camera, start)), Optics(None, photo.colour_spread)
    found = find_pieces(
        photo.pixels, sketch, FIRST_SHAPE, (tuning.SMALLEST_COIN, largest), optics, printed=False
    )  # fmt: skip
    circles = [SeenCircle(each.solid.radius, each.centre, each.outline) for each in found.discs]
    index = which(photo.pixels, circles, coin)
    if index is None:
        raise no_coin()
    height = request.shape.thickness, request.shape.u_thickness
    view, flat, discs = coin_view(camera, CoinScene(start, found.discs, index, coin, height))
    low, high = request.diameters
    within = tuple(each for each in discs if low / 2 - 1 <= each.solid.radius <= high / 2 + 1)
    return Placed(f"coin {coin.name}", view, flat), DiscPieces(within, found.refused)


def _on_paper(pieces: DiscPieces, placed: Placed) -> DiscPieces:
    """Those on the sheet: what looks round on the table beside it is none of the pieces."""
    low, high = placed.known.sheet[:, :2].min(axis=0), placed.known.sheet[:, :2].max(axis=0)

    def lies_on(pixel: Floats) -> bool:
        place = placed.view.on_plane(pixel[None])[0]
        return bool((place > low).all() and (place < high).all())

    discs = tuple(disc for disc in pieces.discs if lies_on(disc.centre))
    return DiscPieces(discs, tuple(each for each in pieces.refused if lies_on(np.array(each.pixel))))


def _spotted(disc: Disc, view: View, request: DiscRequest, flatness: float) -> Spotted:
    scale = request.scale
    diameter = 2 * disc.solid.radius * scale[0]
    pose, lens, reference = _view_parts(disc, view)
    away = float(np.linalg.norm(view.centre - disc.solid.centre))
    shade = _light_part(disc, 1.0 if request.reference.printed else tuning.ANY_GROUND)
    parts = {
        "edge": 2 * disc.edge * scale[0],
        "light and shadow at the edge": shade,
        PRINT_SCALE: diameter * scale[1],
        LENS: 2 * lens * scale[0],
        REFERENCE_SIZE: 2 * reference * scale[0],
        "camera pose": 2 * pose * scale[0],
        "piece height": 2 * disc.by_thickness * scale[0],
        "rim shape": 2 * disc.by_rim * scale[0],
        "hidden wall": tuning.BULGE * disc.solid.thickness * scale[0],
        "sheet flatness": diameter * flatness / max(away, 1.0),
    }
    place = disc.solid.x * scale[0], disc.solid.y * scale[0]
    return Spotted(disc, value_of(diameter, parts), roundness_of(disc, scale[0], shade), place)


def _light_part(disc: Disc, ground: float = 1.0) -> float:
    """Light and shadow move an edge, all of it by a share of what they scatter it by; of a piece as bright as the mat
    two outlines can be read, of which the outer one may be right. On any `ground` but a printed sheet they do so more.
    """
    shift = ground * np.hypot(MODEL_ERROR, tuning.SHARED_SCATTER * disc.scatter) / disc.resolution
    return float(2 * np.linalg.norm([shift, MODEL_SHADE, disc.outer_reading]))


def _view_parts(disc: Disc, view: View) -> tuple[float, float, float]:
    """Contributions of pose, lens and the reference's own size to the radius: the pose as if the lens were known, the
    lens the rest of both."""
    by_pose: Floats = disc.by_view[COUNT:]
    total = max(float(disc.by_view @ view.covariance @ disc.by_view), 0.0)
    own = 0.0 if view.by_reference is None else max(float(disc.by_view @ view.by_reference @ disc.by_view), 0.0)
    pose = min(max(float(by_pose @ view.pose_covariance @ by_pose), 0.0), total)
    return float(np.sqrt(pose)), float(np.sqrt(max(total - pose - own, 0.0))), float(np.sqrt(min(own, total)))
