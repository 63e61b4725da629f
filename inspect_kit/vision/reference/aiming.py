"""What to do with a camera that is held over the mat, from one small picture: closer, straighter, still, or now."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.optics.camera import guessed
from inspect_kit.vision.optics.quality import FULL, check_condition
from inspect_kit.vision.reference import tuning
from inspect_kit.vision.reference.find import Placed, corners_of, glimpse
from inspect_kit.vision.reference.sheets import Area, PrintedSheet, SheetKind


class Aim(StrEnum):
    """The one thing to do next; `GOOD` is to take the photo."""

    NO_SHEET = "no_sheet"
    NOT_WHOLE = "not_whole"
    LIGHT = "light"
    GLARE = "glare"
    STILL = "still"
    STRAIGHTER = "straighter"
    CLOSER = "closer"
    GOOD = "good"


@dataclass(frozen=True, slots=True)
class Framing:
    """What to do, and the printed pattern's four corners as shares of the picture's width and height."""

    aim: Aim
    outline: tuple[tuple[float, float], ...] = ()


_CONDITIONS: Final = {"photo-blurred": Aim.STILL}
"""What cures a photo that would not be measured; everything else is cured by light."""


def aimed(pixels: Pixels) -> Framing:
    """How the mat lies in this picture. A good one is no promise: the photo itself is checked when it is measured."""
    height, width = pixels.shape[:2]
    try:
        placed = glimpse(pixels, guessed(width, height, None))
    except BadInput:
        placed = None
    if placed is None or placed.sheet is None or placed.sheet.kind is not SheetKind.MAT:
        return Framing(_without_sheet(pixels))
    corners = _outline(placed, placed.sheet)
    shares = corners / (width, height)
    return Framing(
        _aim(pixels, placed, placed.sheet, shares), tuple((round(x, 4), round(y, 4)) for x, y in shares.tolist())
    )


def _outline(placed: Placed, sheet: PrintedSheet) -> Floats:
    down = sheet.rows * sheet.square
    area = corners_of(Area(sheet.left, sheet.upper - down, -2 * sheet.left, down))
    return placed.view.pixels(np.column_stack([area, np.zeros(4)]))


def _aim(pixels: Pixels, placed: Placed, sheet: PrintedSheet, shares: Floats) -> Aim:
    if shares.min() < 0 or shares.max() > 1:
        return Aim.NOT_WHOLE
    try:
        check_condition(pixels, placed.known, "")
    except BadInput as problem:
        return _CONDITIONS.get(problem.told.code, Aim.LIGHT)
    if _glaring(pixels, placed, sheet):
        return Aim.GLARE
    if placed.view.tilt > tuning.STEEPEST_AIM:
        return Aim.STRAIGHTER
    covered = cv2.contourArea(shares.astype(np.float32))
    return Aim.CLOSER if covered < tuning.LEAST_COVERED else Aim.GOOD


def _glaring(pixels: Pixels, placed: Placed, sheet: PrintedSheet) -> bool:
    """Whether black squares, or much of the toned middle, are as bright as can be: more than one white piece is."""
    black = [(area.left + area.width / 2, area.bottom + area.height / 2) for area in sheet.black()]
    return (
        _lit(pixels, placed, np.array(black)) > tuning.GLARING_SQUARES
        or _lit(pixels, placed, _middle(sheet)) > tuning.GLARING_MIDDLE
    )


def _middle(sheet: PrintedSheet) -> Floats:
    """Points all over the free middle, 4 mm apart."""
    area = sheet.middle
    if area is None:
        return np.zeros((0, 2))
    across, up = np.meshgrid(np.arange(2.0, area.width, 4), np.arange(2.0, area.height, 4))
    return np.column_stack([area.left + across.ravel(), area.bottom + up.ravel()])


def _lit(pixels: Pixels, placed: Placed, points: Floats) -> float:
    """Share of these points of the sheet at which the picture is as bright as can be."""
    at = np.round(placed.view.pixels(np.column_stack([points, np.zeros(len(points))]))).astype(int)
    x, y = (np.clip(at[:, axis], 0, pixels.shape[1 - axis] - 1) for axis in (0, 1))
    return float((pixels[y, x] >= FULL).all(axis=1).mean()) if len(points) else 0.0


def _without_sheet(pixels: Pixels) -> Aim:
    """Where no mat is read: too dark for one, nothing sharp anywhere, or none there."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    dark, bright = np.percentile(grey, [5, 95])
    if bright < tuning.DARK_PICTURE:
        return Aim.LIGHT
    steepest = float(np.percentile(np.abs(np.diff(grey, axis=1)), 99.5))
    return Aim.STILL if steepest < tuning.SOFT_PICTURE * max(bright - dark, 1.0) else Aim.NO_SHEET
