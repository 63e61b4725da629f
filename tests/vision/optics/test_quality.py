"""Photos that are too dark, too flat or blurred, and glare at an outline."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.errors import BadInput
from inspect_kit.vision.optics.pose import Known
from inspect_kit.vision.optics.quality import blur_of, check_condition, glaring


def _checkered(black: int, white: int, blur: float = 0.0) -> tuple[np.ndarray, Known]:
    """Squares of 40 pixels, 10 mm."""
    import cv2

    y, x = np.mgrid[0:600, 0:800]
    codes = np.where((x // 40 + y // 40) % 2, white, black).astype(np.uint8)
    if blur:
        codes = cv2.GaussianBlur(codes, (0, 0), blur)
    at = np.array([[40.0 * i - 0.5, 40.0 * j - 0.5] for i in range(1, 20) for j in range(1, 15)])
    sheet = np.column_stack([at / 4, np.zeros(len(at))])
    return np.repeat(codes[:, :, None], 3, axis=2), Known(sheet, at, 10.0)


def test_a_sharp_photo_in_good_light_passes() -> None:
    check_condition(*_checkered(20, 220, 0.8), "a.jpg")


@pytest.mark.parametrize(
    ("scene", "why"),
    [((5, 30), "too dark"), ((200, 218), "too little contrast"), ((20, 220, 6.0), "blurred")],
)
def test_what_is_wrong_is_said_with_what_to_do(scene: tuple[float, ...], why: str) -> None:
    with pytest.raises(BadInput, match=why) as caught:
        check_condition(*_checkered(*scene), "a.jpg")
    assert caught.value.fault.hint


def test_glare_is_full_light_on_both_sides_of_an_outline_not_inside_it() -> None:
    angles = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    outline = np.column_stack([200 + 80 * np.cos(angles), 150 + 80 * np.sin(angles)])
    pixels = np.full((300, 400, 3), 90, np.uint8)
    pixels[130:170, 180:220] = 255
    assert not glaring(pixels, outline)
    pixels[100:200, 250:330] = 255
    assert glaring(pixels, outline)


def _framed_obliquely(blur: float) -> tuple[np.ndarray, Known]:
    """Black squares beside white ones in which a black one stands behind a strip of 1.2 mm, seen at a slant."""
    import cv2

    fine, cell, strip = 8, 12.0, 1.2
    y, x = np.mgrid[0 : 8 * 96, 0 : 10 * 96] / 8
    inside = (np.abs(x % cell - cell / 2) < cell / 2 - strip) & (np.abs(y % cell - cell / 2) < cell / 2 - strip)
    light = np.where((x // cell + y // cell) % 2, np.where(inside, 0.03, 0.8), 0.03)
    corners = np.array([[0, 0], [120, 0], [120, 96], [0, 96]], np.float64)
    seen = np.array([[180, 60], [1020, 140], [1120, 820], [60, 900]], np.float64)
    to_photo, _ = cv2.findHomography(corners, seen)
    to_fine = np.array([[2, 0, 0.5], [0, 2, 0.5], [0, 0, 1]]) @ to_photo @ np.diag([1 / fine, 1 / fine, 1])
    large = cv2.warpPerspective(light.astype(np.float32), to_fine, (2400, 2000), flags=cv2.INTER_AREA)
    small = cv2.resize(cv2.GaussianBlur(large, (0, 0), 2 * blur), (1200, 1000), interpolation=cv2.INTER_AREA)
    codes = (
        255 * np.where(small < 0.0031308, 12.92 * small, 1.055 * np.maximum(small, 1e-6) ** (1 / 2.4) - 0.055)
    ).round()
    crossings = np.array([[cell * i, cell * j] for i in range(1, 10) for j in range(1, 8)])
    at = cv2.perspectiveTransform(crossings[:, None], to_photo)[:, 0]
    pixels = np.repeat(codes.astype(np.uint8)[:, :, None], 3, axis=2)
    return pixels, Known(np.column_stack([crossings, np.zeros(len(crossings))]), at, cell, strip)


@pytest.mark.parametrize("blur", [0.6, 1.0])
def test_a_slanted_sheet_whose_strips_differ_in_width_tells_the_blur_to_a_twelfth(blur: float) -> None:
    # A pixel's own area and the line between pixels widen every edge alike, the pieces' too.
    widened = float(np.sqrt(blur**2 + 1 / 12 + 1 / 6))
    assert blur_of(*_framed_obliquely(blur)) == pytest.approx(0.95 * widened, rel=0.08)
