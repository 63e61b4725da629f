"""Strokes of any breadth on a plain ground, as lines and as circles: found in their middle, as broad as they are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from inspect_kit.vision.board.circles import centred, trace_circle
from inspect_kit.vision.board.lines import Absent, Wanted, trace_line
from inspect_kit.vision.fitting.circle import Circle, fit_circle
from inspect_kit.vision.fitting.stripe import Shot
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.pose import View

PIXELS = 3.0
"""A millimetre of the drawn surface, in pixels."""
MIDDLE = np.array([100.0, 80.0])
FINE = 8
"""Each pixel is drawn as so many squared."""
WANTED = Wanted(0.8, 0.15, 3.6, 2.0, 0.006, others=(1.6, 2.4))


def _shot(ink: np.ndarray) -> Shot:
    """A surface of 200 × 160 mm seen from straight above; `ink` is the share of ink in each pixel."""
    blurred = cv2.GaussianBlur(ink, (0, 0), 0.7)
    light = (0.5 - 0.42 * blurred)[:, :, None] * np.array([1.0, 0.8, 0.6])
    height, width = ink.shape
    lens = np.array([3000.0, 3000.0, (width - 1) / 2, (height - 1) / 2, 0, 0, 0, 0, 0])
    pose = np.array([0.0, 0.0, 0.0, -width / 2 / PIXELS, -height / 2 / PIXELS, 3000.0 / PIXELS])
    camera = Camera(width, height, lens, np.zeros((9, 9)))
    view = View(camera, np.concatenate([lens, pose]), np.zeros((15, 15)), np.zeros((6, 6)), 0.1, 40, 40)
    return Shot(0, light.astype(np.float32), view, (), 0.7, 0.1)


@pytest.mark.parametrize("stroke", [0.6, 1.2, 2.2, 3.0])
def test_a_line_is_traced_in_its_middle_however_broad(stroke: float) -> None:
    rows = (np.arange(480 * FINE) + 0.5) / FINE / PIXELS
    drawn = (np.abs(rows - 80.3) < stroke / 2).reshape(480, FINE).mean(axis=1)
    shot = _shot(np.tile(drawn[:, None], (1, 600)).astype(np.float32))
    found = trace_line(shot, np.array([30.0, 81.0]), np.array([170.0, 81.0]), WANTED, None)
    assert not isinstance(found, Absent)
    assert found.width == pytest.approx(stroke, abs=max(0.06, 2 * found.u_width))
    assert shot.view.on_plane(found.pixels)[:, 1] == pytest.approx(80.3, abs=0.2 / PIXELS)


@pytest.mark.parametrize("stroke", [0.6, 1.2, 2.2, 3.0])
def test_the_outline_of_a_circle_is_traced_in_its_middle_however_broad(stroke: float) -> None:
    rows, columns = ((np.arange(count * FINE) + 0.5) / FINE / PIXELS for count in (480, 600))
    radius = np.hypot(columns[None, :] - 100.4, rows[:, None] - 80.2)
    drawn = (np.abs(radius - 40.0) < stroke / 2).reshape(480, FINE, 600, FINE).mean(axis=(1, 3))
    shot = _shot(drawn.astype(np.float32))
    found = trace_circle(shot, MIDDLE, 39.2, WANTED, None, None)
    assert not isinstance(found, Absent)
    fitted = fit_circle(shot.view.on_plane(found.pixels))
    assert isinstance(fitted, Circle)
    assert found.width == pytest.approx(stroke, abs=max(0.06, 2 * found.u_width))
    assert fitted.radius == pytest.approx(40.0, abs=0.2 / PIXELS)


def test_a_thin_outline_seen_in_part_is_found_from_a_guess_nearly_a_millimetre_aside() -> None:
    """A base circle with its disc, among its lines: fits that miss a thin stroke at their start do not come to it."""
    rows, columns = ((np.arange(count * FINE) + 0.5) / FINE / PIXELS for count in (480, 600))
    radius = np.hypot(columns[None, :] - MIDDLE[0], rows[:, None] - MIDDLE[1])
    inked = (np.abs(radius - 15.5) < 0.33) | (radius < 12.6)
    shot = _shot(inked.reshape(480, FINE, 600, FINE).mean(axis=(1, 3)).astype(np.float32))
    touched = np.zeros(360, dtype=bool)
    touched[:40] = touched[125:190] = touched[265:350] = True
    middle, size = centred(shot, MIDDLE + 0.6, 15.5, WANTED, touched)
    found = trace_circle(shot, middle, size, WANTED, touched, None)
    assert not isinstance(found, Absent)
    assert found.cover > 0.9
