"""A plain rectangle in a photo, a sheet of paper or a card, with nothing printed on it: where it lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import AnyArray, Floats, Pixels
from inspect_kit.vision.optics.camera import GUESS, Camera, alternatives
from inspect_kit.vision.reference import tuning
from inspect_kit.vision.reference.everyday import FlatThing
from inspect_kit.vision.reference.rectangle_sides import SIDES, Sides, lines_across, refined, steepness_across


def find_sides(pixels: Pixels, camera: Camera, thing: FlatThing) -> Iterator[Sides]:
    """Sides that can be those of the thing, the clearest first: a stripe printed across a card makes a rectangle of
    the rest of it. `BadInput` with advice where none is whole in the picture."""
    whole = cut = False
    for corners in _ranked(pixels, camera, thing):
        if _at_border(corners, pixels):
            cut = True
            continue
        sides = refined(pixels, corners, thing)
        if sides is not None:
            whole = True
            yield sides
    if not whole:
        what = "paper" if thing.is_paper else "card"
        raise BadInput(f"{what}-cut-off" if cut else f"no-{what}-found")


def _at_border(corners: Floats, pixels: Pixels) -> bool:
    limit = np.array([pixels.shape[1], pixels.shape[0]]) - 1
    rim = tuning.BORDER_SHARE * float(limit.max())
    return bool((corners < rim).any() or (corners > limit - rim).any())


# ------------------------------------------------------------------------------------------------- four-sided shapes


def _ranked(pixels: Pixels, camera: Camera, thing: FlatThing) -> list[Floats]:
    """Corners of shapes that can be the thing, the clearest first."""
    factor = min(1.0, tuning.RECTANGLE_WORKING_SIDE / max(pixels.shape[:2]))
    small = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else pixels
    small = np.asarray(cv2.medianBlur(small, 5), dtype=np.uint8)
    distinct: list[Floats] = []
    for quad in _quads(small, thing):
        if not any(np.abs(quad - other).max() < tuning.SAME_CORNER for other in distinct):
            distinct.append(quad)
    scored = []
    for quad in distinct:
        laid = _laid((quad + 0.5) / factor - 0.5, camera, thing)
        if laid is not None:
            scored.append((_support(small, (laid + 0.5) * factor - 0.5, thing), laid))
    good = [pair for pair in scored if pair[0] > tuning.LEAST_SIDE_SUPPORT]
    return [laid for _, laid in sorted(good, key=lambda pair: -_merit(*pair))]


def _merit(support: float, corners: Floats) -> float:
    """The clearest first; of those as clear the larger, for things printed on a card are rectangles too."""
    return support + tuning.LARGER * float(np.log(abs(cv2.contourArea(corners.astype(np.float32))) + 1))


def _quads(small: Pixels, thing: FlatThing) -> Iterator[Floats]:
    least = tuning.LEAST_AREA * small.shape[0] * small.shape[1]
    for mask in (*_levels(small, thing), *_outlines(small)):
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:4]:
            quad = _four_sided(contour) if cv2.contourArea(cv2.convexHull(contour)) > least else None
            if quad is not None:
                yield quad


def _levels(small: Pixels, thing: FlatThing) -> Iterator[Pixels]:
    """What is lighter or more colourful than some level, in several channels and at several levels."""
    lab = cv2.cvtColor(small, cv2.COLOR_RGB2LAB)
    away = _unlike_border(lab)
    channels = [small.min(axis=2), cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), away, *cv2.split(lab)[1:]]
    close = np.ones((5, 5), np.uint8)
    for channel in channels:
        plain = np.ascontiguousarray(channel)
        for level in _otsu_levels(plain):
            for sign in (cv2.THRESH_BINARY,) if thing.is_paper and channel is not away else (
                cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV,
            ):  # fmt: skip
                _, mask = cv2.threshold(plain, level, 255, sign)
                yield np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, close), dtype=np.uint8)
                yield np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, close), dtype=np.uint8)


def _unlike_border(lab: AnyArray) -> AnyArray:
    """How unlike the picture's border each pixel is: the table usually reaches around everything."""
    rim = max(3, lab.shape[0] // 40)
    border = np.concatenate([lab[:rim].reshape(-1, 3), lab[-rim:].reshape(-1, 3), lab[:, :rim].reshape(-1, 3)])
    away = np.linalg.norm(lab.astype(np.float32) - np.median(border, axis=0).astype(np.float32), axis=2)
    return np.asarray(np.clip(2 * away, 0, 255), dtype=np.uint8)


def _otsu_levels(channel: Pixels) -> list[float]:
    """Otsu's level, and those of the two parts it makes."""
    first = _otsu(channel.ravel())
    parts = channel[channel > first], channel[channel <= first]
    return [first, *(_otsu(part) for part in parts if part.size > 100)]


def _otsu(values: AnyArray) -> float:
    level, _ = cv2.threshold(np.ascontiguousarray(values).reshape(-1, 1), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    return float(level)


def _outlines(small: Pixels) -> Iterator[Pixels]:
    """Closed outlines of steep light, in each colour together."""
    for low in (20, 45, 90):
        edges = np.zeros(small.shape[:2], np.uint8)
        for colour in cv2.split(small):
            edges |= np.asarray(cv2.Canny(colour, low, 2.5 * low), dtype=np.uint8)
        yield np.asarray(cv2.dilate(edges, np.ones((3, 3), np.uint8)), dtype=np.uint8)


def _four_sided(contour: AnyArray) -> Floats | None:
    """The contour's hull as four corners, clockwise, if it is nearly that."""
    hull = cv2.convexHull(contour)
    length, area = cv2.arcLength(hull, closed=True), cv2.contourArea(hull)
    for share in (0.01, 0.02, 0.03, 0.045, 0.06, 0.08):
        rough = cv2.approxPolyDP(hull, share * length, closed=True)
        if len(rough) == SIDES:
            quad = _with_sides(hull.reshape(-1, 2).astype(np.float64), rough.reshape(4, 2).astype(np.float64))
            if quad is None or not 0.9 < cv2.contourArea(quad.astype(np.float32)) / max(area, 1.0) < 1.15:
                return None
            return quad if cv2.contourArea(quad.astype(np.float32), oriented=True) > 0 else quad[::-1].copy()
    return None


def _with_sides(hull: Floats, rough: Floats) -> Floats | None:
    """Corners where straight lines through the hull's sides meet: rounded corners do not pull them inwards."""
    dense = _dense(hull)
    lines = []
    for start, end in zip(rough, np.roll(rough, -1, axis=0), strict=True):
        along = end - start
        size = float(np.linalg.norm(along))
        unit = along / max(size, 1e-9)
        away = dense - start
        far, off = away @ unit, away @ np.array([-unit[1], unit[0]])
        near = (far > 0.12 * size) & (far < 0.88 * size) & (np.abs(off) < 0.05 * size + 2)
        if near.sum() < 8:
            return None
        lines.append(cv2.fitLine(dense[near].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
    return _met(lines)


def _dense(hull: Floats) -> Floats:
    following = np.roll(hull, -1, axis=0)
    parts = [
        start + (end - start) * np.linspace(0, 1, max(2, int(np.linalg.norm(end - start))), endpoint=False)[:, None]
        for start, end in zip(hull, following, strict=True)
    ]
    return np.concatenate(parts)


def _met(lines: Sequence[AnyArray]) -> Floats | None:
    """Where each line meets the one before it."""
    corners = []
    for (ux, uy, x, y), (vx, vy, p, q) in zip(lines, [lines[-1], *lines[:-1]], strict=True):
        across = float(ux * vy - uy * vx)
        if across == 0:
            return None
        reach = float((p - x) * vy - (q - y) * vx) / across
        corners.append((x + reach * ux, y + reach * uy))
    return np.array(corners, dtype=np.float64)


def _laid(quad: Floats, camera: Camera, thing: FlatThing) -> Floats | None:
    """The corners with the long side first, if a rectangle of these proportions can look like this."""
    trials = [each for each, _ in alternatives(camera)] if camera.source == GUESS else [camera]
    best = min((_misfit(np.roll(quad, turn, axis=0), each, thing), turn) for turn in (0, 1) for each in trials)
    return np.roll(quad, best[1], axis=0) if best[0] < tuning.MISSHAPEN else None


def _misfit(quad: Floats, camera: Camera, thing: FlatThing) -> float:
    """How far the corners lie from those of a rectangle in space, as a share of the shape's size."""
    fx, fy, cx, cy = camera.parameters[:4]
    flat = (quad - [cx, cy]) / [fx, fy]
    found, turns, shifts, _ = cv2.solvePnPGeneric(
        sheet_corners(thing), flat.reshape(-1, 1, 2), np.eye(3), np.zeros(5), flags=cv2.SOLVEPNP_IPPE
    )
    size = float(np.linalg.norm(np.ptp(flat, axis=0)))
    misses = [
        float(
            np.abs(cv2.projectPoints(sheet_corners(thing), turn, shift, np.eye(3), np.zeros(5))[0][:, 0] - flat).max()
        )
        for turn, shift in zip(turns[:found], shifts[:found], strict=True)
    ]
    return min(misses, default=np.inf) / max(size, 1e-9)


def sheet_corners(thing: FlatThing) -> Floats:
    """In mm from the middle, the long side across: upper left, upper right, lower right, lower left."""
    x, y = thing.size[0] / 2, thing.size[1] / 2
    return np.array([[-x, y, 0.0], [x, y, 0.0], [x, -y, 0.0], [-x, -y, 0.0]])


def _support(small: Pixels, corners: Floats, thing: FlatThing) -> float:
    """The share of all sides along which the light changes just there; of a sheet of paper, from light to dark."""
    feet, normals, _ = lines_across(corners, thing, tuning.SUPPORT_POINTS)
    step = steepness_across(small, feet, normals, tuning.SUPPORT_REACH, thing)
    middle = step.shape[1] // 2
    near = step[:, middle - 4 : middle + 5].max(axis=1)
    seen = near > np.maximum(tuning.LEAST_STEP, 2.0 * np.median(np.abs(step), axis=1))
    return float(np.sort(seen.reshape(SIDES, -1).mean(axis=1))[:2].mean())
