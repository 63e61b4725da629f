"""Teaches the networks of `vision/display` on drawn glyphs alone: `python -m benchmarks.display_training OUT`.

Needs torch and onnx, which nothing else here does. No photograph of a display takes part in it.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from inspect_kit.places import shipped
from inspect_kit.vision.display.networks import DIGIT_SIZE, DIGITS, MARGIN, WORD_SIZE, WORDS, evened
from tests.scenes.display import TALL, any_style, lettering

Plane = NDArray[np.float32]
_JUNK: Final = len(DIGITS) - 1
_TEXTS: Final = {"ring": ("o", "O"), "hold": ("HOLD", "Hold", "H")}
_OTHERS: Final = (
    "oz", "ABC", "SCALE", "MODE", "ON", "OFF", "TARE", "ZERO", "UNIT", "max", "d=", "e=", "r", "s", "a", "e", "q", "9",
    "8", "6", "A&D", "PRINT", "CAL", "y", "p", "12", "0.01", "500", "TL", "GN", "dwt", "ozt", "PT", "NET", "G", "x",
    "OK", "LO", "HI", "abs", "SET", "max 500", "min", "u", "h", "f", "W", "R", "E", "B", "C", "Z", "?", "V", "mA", "Hz",
)  # fmt: skip


def digit_samples(rng: np.random.Generator, texts: int) -> tuple[Plane, NDArray[np.int64]]:
    """Windows around drawn digits, and around what is none."""
    windows, labels = [], []
    for _ in range(texts):
        style = any_style(rng)
        text = "".join(rng.choice(list("0123456789"), 5))
        if rng.random() < 0.25:
            text = "-" + text[1:]
        place = int(rng.integers(1, 5))
        text = text[:place] + ("." if rng.random() < 0.8 else "") + text[place:]
        if rng.random() < 0.3:
            text = text.replace(text[1], " ", 1)
        light, extents = lettering(text, style)
        characters = text.replace(".", "")
        for index, character in enumerate(characters):
            centre = sum(extents[index]) / 2
            if character != " ":
                windows.append(_seen(_window(light, centre, rng), rng))
                labels.append(DIGITS.index(character))
            if rng.random() < 0.25:
                shift = style.pitch * rng.uniform(0.4, 0.6) * TALL
                windows.append(_seen(_window(light, centre + shift, rng), rng))
                labels.append(_JUNK)
            if rng.random() < 0.12:
                windows.append(_seen(_window(light, centre, rng, float(rng.choice([0.5, 0.6, 1.6, 2.0]))), rng))
                labels.append(_JUNK)
            if rng.random() < 0.08:
                up = float(rng.choice([-1, 1]) * rng.uniform(0.25, 0.6))
                windows.append(_seen(_window(light, centre, rng, 1.0, up), rng))
                labels.append(_JUNK)
        if rng.random() < 0.7:
            printed = written("".join(rng.choice(list("0123456789ABCDEFGHKLMNOPRSTUVWXYZabdeghmnrt&+%"), 3)), 90, rng)
            windows.append(_seen(_window(printed, printed.shape[1] * rng.uniform(0.2, 0.8), rng), rng))
            labels.append(_JUNK)
    return np.stack(windows), np.array(labels, np.int64)


def _window(light: Plane, centre: float, rng: np.random.Generator, zoom: float = 1.0, up: float = 0.0) -> Plane:
    """What stands around a place, as a reader cuts it out: a little off in place, size and angle."""
    width, height = DIGIT_SIZE
    scale = height / (TALL * (1 + 2 * MARGIN)) * rng.uniform(0.92, 1.08) * zoom
    angle = np.radians(rng.normal(0, 2))
    lean = rng.normal(0, 0.04)
    turn = np.array([[np.cos(angle), -np.sin(angle) + lean], [np.sin(angle), np.cos(angle)]]) * scale
    middle = np.array([centre, light.shape[0] / 2]) + rng.normal(0, 0.03, 2) * TALL + np.array([0, up * TALL])
    offset = np.array([width, height]) / 2 - turn @ middle
    move = np.hstack([turn, offset[:, None]])
    soft = cv2.GaussianBlur(light, (0, 0), 0.5 / scale)
    return cv2.warpAffine(soft, move, (width, height), flags=cv2.INTER_LINEAR).astype(np.float32)


def _seen(window: Plane, rng: np.random.Generator) -> Plane:
    """A camera's blur, noise, light that falls off, and a bit of frame; then evened as the reader evens it."""
    height, width = window.shape
    soft = cv2.GaussianBlur(window, (0, 0), rng.uniform(0.2, 1.3))
    ramp = np.linspace(-1, 1, width)[None, :] * rng.uniform(-0.2, 0.2) + np.linspace(-1, 1, height)[
        :, None
    ] * rng.uniform(-0.2, 0.2)
    noisy = soft * rng.uniform(0.5, 1) + ramp * 0.5 + rng.normal(0, rng.uniform(0.005, 0.07), soft.shape)
    if rng.random() < 0.05:
        noisy[: int(rng.integers(1, 3))] += rng.uniform(0.2, 1)
    return evened(noisy.astype(np.float32))


@cache
def _font(number: int, size: int) -> ImageFont.FreeTypeFont:
    fonts = sorted((shipped("reports") / "fonts").glob("*.ttf")) + sorted(
        Path("/usr/share/fonts").rglob("DejaVuSans*.ttf")
    )
    return ImageFont.truetype(str(fonts[number % len(fonts)]), size)


def written(text: str, high: float, rng: np.random.Generator) -> Plane:
    """A word in some printed letter."""
    if rng.random() < 0.3:
        face = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX]))
        scale, thick = high / 22, max(1, int(high / rng.uniform(5, 14)))
        (width, tall), base = cv2.getTextSize(text, face, scale, thick)
        drawn = np.zeros((tall + base + 4, width + 6), np.uint8)
        cv2.putText(drawn, text, (3, tall + 1), face, scale, 255, thick, cv2.LINE_AA)
        return drawn.astype(np.float32) / 255
    font = _font(int(rng.integers(1000)), int(high * 1.35))
    left, top, right, bottom = font.getbbox(text)
    image = Image.new("L", (int(right - left) + 6, int(bottom - top) + 6))
    ImageDraw.Draw(image).text((3 - left, 3 - top), text, 255, font=font)
    return np.asarray(image, np.float32) / 255


def word_samples(rng: np.random.Generator, count: int) -> tuple[Plane, NDArray[np.int64]]:
    """Words beside a reading, cut out by their own outline."""
    windows, labels = [], []
    for _ in range(count):
        label = int(rng.integers(len(WORDS)))
        name = WORDS[label]
        text = str(rng.choice(_TEXTS.get(name, (name,)) if name != "junk" else _OTHERS))
        drawn = written(text, 40, rng)
        if name == "junk" and rng.random() < 0.35:
            style = replace(any_style(rng), slant=float(rng.uniform(0, 0.2)))
            drawn = lettering("".join(rng.choice(list("0123456789"), rng.integers(1, 4))), style)[0]
        if name == "ring" and rng.random() < 0.6:
            drawn = np.zeros((60, 60), np.float32)
            cv2.circle(drawn, (30, 30), 22, 1.0, int(rng.integers(4, 11)), cv2.LINE_AA)
        lean = rng.uniform(-0.25, 0.1)
        move = np.array([[rng.uniform(0.8, 1.25), lean, 20 + 10], [rng.normal(0, 0.03), 1, 10]])
        drawn = cv2.warpAffine(drawn, move, (int(drawn.shape[1] * 1.3) + 60, drawn.shape[0] + 24))
        windows.append(_seen(word_window(drawn), rng))
        labels.append(label)
    return np.stack(windows), np.array(labels, np.int64)


def word_window(drawn: Plane) -> Plane:
    """The word's own extent, as high as the window and at its left."""
    ys, xs = np.nonzero(drawn > 0.3)
    cut = drawn[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
    width, height = WORD_SIZE
    scale = min((height - 4) / cut.shape[0], (width - 4) / cut.shape[1])
    small = cv2.resize(cut, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)[: height - 2, : width - 2]
    window: Plane = np.zeros((height, width), np.float32)
    window[2 : 2 + small.shape[0], 2 : 2 + small.shape[1]] = small
    return window


def teach(samples: tuple[Plane, NDArray[np.int64]], classes: int, out: Path, seconds: float) -> float:
    """A network of three layers; returns the share that is right among samples it was not taught with."""
    import time

    import torch
    from torch import nn

    torch.manual_seed(1)
    torch.set_num_threads(1)
    images, labels = torch.from_numpy(samples[0])[:, None], torch.from_numpy(samples[1])
    order = torch.randperm(len(images))
    held, taught = order[: len(order) // 12], order[len(order) // 12 :]
    height, width = images.shape[2:]
    network = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 20, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Conv2d(20, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(32 * (height // 8) * (width // 8), 64), nn.ReLU(), nn.Linear(64, classes),
    )  # fmt: skip
    optimiser: Any = torch.optim.AdamW(network.parameters(), 3e-3, weight_decay=1e-3)
    began, epoch = time.monotonic(), 0
    while (spent := time.monotonic() - began) < seconds:
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * max(0.02, 1 - spent / seconds)
        for batch in taught[torch.randperm(len(taught))].split(256):
            optimiser.zero_grad()
            nn.functional.cross_entropy(network(images[batch]), labels[batch], label_smoothing=0.02).backward()
            optimiser.step()
            if time.monotonic() - began > seconds:
                break
        epoch += 1
        with torch.no_grad():
            right = float((network(images[held]).argmax(1) == labels[held]).float().mean())
        print(out.name, epoch, f"{right:.5f}", flush=True)
    torch.onnx.export(network.eval(), images[:1], str(out), dynamo=False, opset_version=13)
    return right


def main(out: Path, which: str = "digits words", texts: int = 4000, seconds: float = 450) -> None:
    """One network or both."""
    rng = np.random.default_rng(20)
    if "digits" in which:
        teach(digit_samples(rng, texts), len(DIGITS), out / "digits.onnx", seconds)
    if "words" in which:
        teach(word_samples(rng, texts * 3), len(WORDS), out / "words.onnx", seconds / 2)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], *(int(word) for word in sys.argv[3:]))
