"""What a phone makes of the light: distortion, noise, smoothing, local tone, sharpening, JPEG."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.cycles.camera import MODEL, Camera

Array = NDArray[np.float32]


def develop(light: Array, camera: Camera, overscan: int, rng: np.random.Generator, out: Path) -> dict[str, Any]:
    """Write the JPEG; tell what was done."""
    done = {"exposure": rng.uniform(0.7, 1.0), "smoothing": rng.uniform(0.02, 0.06), "tone": rng.uniform(0.0, 0.25),
            "sharpening": rng.uniform(0.2, 1.0), "sharpening_sigma": rng.uniform(0.7, 1.6),
            "noise": rng.uniform(0.002, 0.008), "quality": int(rng.integers(85, 96))}  # fmt: skip
    light = np.maximum(_distorted(light, camera, overscan), 0)
    light = light / np.mean(light, (0, 1)) ** 0.5 * np.mean(light) ** 0.5 if rng.random() < 0.8 else light
    light = light * np.float32(done["exposure"] * 0.75 / np.quantile(light[::8, ::8].max(2), 0.97))
    light = _despeckled(light)
    light += rng.standard_normal(light.shape, np.float32) * np.sqrt(light + 0.02) * np.float32(done["noise"])
    base = cv2.GaussianBlur(np.maximum(light.mean(2), 1e-3), (0, 0), camera.size[0] / 40)
    light *= ((base / base.mean()) ** -np.float32(done["tone"]))[..., None]
    shown = _shoulder(np.maximum(light, 0)) ** np.float32(1 / 2.2)
    ycc = cv2.cvtColor(shown, cv2.COLOR_RGB2YCrCb)
    ycc[..., 0] = cv2.bilateralFilter(ycc[..., 0], 5, done["smoothing"], 1.2)
    ycc[..., 1:] = cv2.GaussianBlur(ycc[..., 1:], (0, 0), 1.3)
    soft = cv2.GaussianBlur(ycc[..., 0], (0, 0), done["sharpening_sigma"])
    ycc[..., 0] += np.float32(done["sharpening"]) * (ycc[..., 0] - soft)
    picture = (np.clip(cv2.cvtColor(ycc, cv2.COLOR_YCrCb2RGB), 0, 1) * 255 + 0.5).astype(np.uint8)
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Blender", MODEL
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=done["quality"], subsampling=2, exif=exif)
    out.write_bytes(file.getvalue())
    return done


def _despeckled(light: Array) -> Array:
    """Lone hot or dead pixels taken to their neighbours' range, as sensors' defects are."""
    around = np.ones((3, 3), np.uint8)
    around[1, 1] = 0
    return np.clip(light, cv2.erode(light, around), cv2.dilate(light, around))


def _shoulder(light: Array) -> Array:
    """Highlights rolled off above 0.7 instead of cut."""
    over = np.maximum(light - 0.7, 0)
    return np.minimum(light, 0.7) + 0.3 * (1 - np.exp(-over / 0.3))


def _distorted(light: Array, camera: Camera, overscan: int) -> Array:
    """Take the picture's pixels from the undistorted render."""
    width, height = camera.size
    if not camera.distortion.any():
        return np.ascontiguousarray(light[overscan:-overscan, overscan:-overscan])
    grid = np.dstack(np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)))
    shifted = camera.matrix + np.array([[0, 0, overscan], [0, 0, overscan], [0, 0, 0]])
    stop = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 20, 1e-6)
    source = cv2.undistortPointsIter(grid.reshape(-1, 1, 2), camera.matrix, camera.distortion, None, shifted, stop)
    source = source.reshape(height, width, 2).astype(np.float32)
    return cv2.remap(np.ascontiguousarray(light), source, None, cv2.INTER_CUBIC)
