"""What a phone makes of light: exposure, local tone mapping, colour noise smoothed, sharpening, JPEG."""

from __future__ import annotations

import io
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image

from tests.scenes.render import to_codes


@dataclass(frozen=True)
class Processing:
    exposure: float = 0.82
    """Where the lightest two hundredths of the picture end up."""
    local: float = 0.1
    """How far wide shadows are lifted: the exponent on the light around a place."""
    smoothing: float = 1.5
    """Pixels over which colour, not brightness, is averaged."""
    denoising: float = 0.12
    """Change of brightness, of 1, below which neighbours are averaged as noise."""
    sharpening: float = 0.5
    radius: float = 1.2
    noise: float = 0.004
    jpeg: int = 90


def any_processing(random: np.random.Generator) -> Processing:
    return Processing(random.uniform(0.7, 0.95), random.uniform(0, 0.18), random.uniform(0.8, 2.5),
                      random.uniform(0.08, 0.2), random.uniform(0, 0.9),
                      random.uniform(0.8, 1.6), random.uniform(0.002, 0.008), int(random.integers(82, 95)))  # fmt: skip


def developed(light: np.ndarray, how: Processing, seed: int = 0) -> bytes:
    """Light → JPEG file."""
    random = np.random.default_rng(seed)
    value = light / max(float(np.quantile(light.max(axis=2), 0.98)), 1e-6) * how.exposure
    value = value + random.standard_normal(value.shape).astype(np.float32) * how.noise * np.sqrt(
        np.maximum(value, 0.01)
    )
    value = np.clip(value, 0, None)
    around = cv2.GaussianBlur(value.mean(axis=2), (0, 0), light.shape[1] / 30)
    value = value * ((around + 0.02) / (float(around.mean()) + 0.02))[:, :, None] ** -how.local
    codes = to_codes(value).astype(np.float32)
    luma = cv2.cvtColor(np.clip(codes / 255, 0, 1), cv2.COLOR_RGB2YCrCb)
    luma[:, :, 1:] = cv2.GaussianBlur(luma[:, :, 1:], (0, 0), how.smoothing)
    luma[:, :, 0] = cv2.bilateralFilter(luma[:, :, 0], 7, how.denoising, 1.5)
    luma[:, :, 0] += how.sharpening * (luma[:, :, 0] - cv2.GaussianBlur(luma[:, :, 0], (0, 0), how.radius))
    rgb = np.clip(cv2.cvtColor(np.clip(luma, 0, 1), cv2.COLOR_YCrCb2RGB) * 255 + 0.5, 0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "JPEG", quality=how.jpeg, subsampling=2)
    return file.getvalue()
