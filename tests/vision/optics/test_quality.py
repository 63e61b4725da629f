"""Photos that are too dark, too flat or blurred, and glare at an outline."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.errors import BadInput
from inspect_kit.vision.optics.pose import Known
from inspect_kit.vision.optics.quality import check_condition, glaring


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
