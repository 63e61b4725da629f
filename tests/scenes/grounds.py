"""Grounds other than our own sheets: printed checkerboards and single markers, on paper, on wood, seeded and exact."""

from __future__ import annotations

import cv2
import numpy as np

from tests.scenes.render import Ground

PAPER, INK = 0.80, 0.045


def plain(size: tuple[float, float], per_mm: float = 10.0, light: float = PAPER) -> np.ndarray:
    """Paper of this size (mm), without anything on it."""
    return np.full((round(size[1] * per_mm), round(size[0] * per_mm), 3), light, np.float32)


def wood(size: tuple[float, float], seed: int = 1, per_mm: float = 10.0) -> np.ndarray:
    """A table's grain: long soft streaks, brown."""
    random = np.random.default_rng(seed)
    width, height = round(size[0] * per_mm / 4), round(size[1] * per_mm / 4)
    streaks = cv2.GaussianBlur(random.standard_normal((height, width)).astype(np.float32), (0, 0), 40, sigmaY=0.7)
    fine = cv2.GaussianBlur(random.standard_normal((height, width)).astype(np.float32), (0, 0), 8, sigmaY=0.6)
    grain = np.clip(1 + 0.16 * streaks / streaks.std() + 0.05 * fine / fine.std(), 0.35, 1.6)
    large = cv2.resize(grain, (round(size[0] * per_mm), round(size[1] * per_mm)), interpolation=cv2.INTER_LINEAR)
    return large[:, :, None] * np.array([0.36, 0.22, 0.12], np.float32)


def _laid(ground: np.ndarray, part: np.ndarray, centre: tuple[float, float], per_mm: float) -> None:
    """Lay a printed part on a ground, its middle at a place given in mm from the ground's middle (x right, y up)."""
    rows, columns = part.shape[:2]
    left = round(ground.shape[1] / 2 + centre[0] * per_mm - columns / 2)
    top = round(ground.shape[0] / 2 - centre[1] * per_mm - rows / 2)
    ground[top : top + rows, left : left + columns] = part


def checkerboard(
    square: float, squares: tuple[int, int], ground: np.ndarray, centre: tuple[float, float], per_mm: float = 10.0
) -> Ground:
    """A checkerboard with a white rim, laid on a ground; whole pixels to a square, so that its size is exact."""
    side = round(square * per_mm)
    assert abs(side - square * per_mm) < 1e-9
    down, across = np.indices((squares[1] * side, squares[0] * side)) // side
    board = np.where(((across + down) % 2 == 0)[:, :, None], INK, PAPER).astype(np.float32).repeat(3, axis=2)
    rim = round(8 * per_mm)
    _laid(
        ground, cv2.copyMakeBorder(board, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=(PAPER,) * 3), centre, per_mm
    )
    return ground, (ground.shape[1] / per_mm, ground.shape[0] / per_mm)


def marker(side: float, ground: np.ndarray, centre: tuple[float, float], per_mm: float = 12.0) -> Ground:
    """A single ArUco marker (DICT_4X4_50, number 7) with a white rim, laid on a ground."""
    cell = round(side * per_mm / 6)
    assert abs(cell - side * per_mm / 6) < 1e-9
    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    image = cv2.resize(words.generateImageMarker(7, 6), None, fx=cell, fy=cell, interpolation=cv2.INTER_NEAREST)
    light = np.where(image[:, :, None] > 0, PAPER, INK).astype(np.float32).repeat(3, axis=2)
    rim = 2 * cell
    _laid(
        ground, cv2.copyMakeBorder(light, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=(PAPER,) * 3), centre, per_mm
    )
    return ground, (ground.shape[1] / per_mm, ground.shape[0] / per_mm)
