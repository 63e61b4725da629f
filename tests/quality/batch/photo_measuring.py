"""A small measuring function for tests and benchmarks of `batch`: the bright disc in a tiny picture."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from inspect_kit.errors import BadInput


def measure(kind: str, path: Path, options: Mapping[str, str]) -> dict[str, Any]:
    """The diameter of the disc; `scale` is mm a pixel, `work` how often it is fitted anew, to have something to do."""
    content = _content(path)
    _misbehaved(content)
    try:
        with Image.open(path) as image:
            grey = np.asarray(image.convert("L"), dtype=np.float64)
    except (UnidentifiedImageError, OSError):
        raise BadInput("is not a photo", where=str(path)) from None
    diameter = 0.0
    for _ in range(int(options.get("thickness", "1"))):
        share = np.clip((grey - grey.min()) / (grey.max() - grey.min()), 0, 1)
        diameter = 2 * float(np.sqrt(np.sort(share, axis=None).sum() / np.pi))
    scale = float(options.get("print_scale", "0.5"))
    found = {"characteristic": f"{kind}.diameter", "instance": "1", "value": round(diameter * scale, 4), "unit": "mm"}
    return {
        "format": 1,
        "photos": [{"file": path.name, "sha256": hashlib.sha256(content).hexdigest()}],
        "measurements": [{**found, "u": 0.01}],
        "warnings": [],
    }


def _misbehaved(content: bytes) -> None:
    """Files that bring their process or who started it down, never come to an end, or want more memory than there is."""
    if content.startswith(b"deadly"):
        os._exit(1)
    if content.startswith(b"murderous"):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)
    if content.startswith(b"hanging"):
        time.sleep(600)
    if content.startswith(b"greedy"):
        np.ones(10**9)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise BadInput(f"cannot be read: {problem.strerror}", where=str(path)) from None


def draw_photos(folder: Path, count: int, side: int = 48) -> list[Path]:
    """Tiny pictures of discs of slowly growing size."""
    folder.mkdir(parents=True, exist_ok=True)
    down, across = np.mgrid[0:side, 0:side]
    distance = np.hypot(down - side / 2, across - side / 2)
    paths = []
    for number in range(count):
        radius = side / 4 + 3 * number / count
        pixels = (np.clip(radius - distance, 0, 1) * 200 + 20).astype(np.uint8)
        paths.append(folder / f"tray-{number:05}.png")
        Image.fromarray(pixels).save(paths[-1], compress_level=1)
    return paths
