"""Teaches the network of `vision/dice` on drawn scenes alone: `python -m benchmarks.dice_training examples|teach …`.

`examples OUT.npz FIRST COUNT` draws scenes and keeps what the reader would look at in them; `teach OUT.onnx SECONDS
HELD.npz TAUGHT.npz…` needs torch and onnx, which nothing else here does. No photograph takes part in it.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.dice_scenes import DrawnFace, Floats, Picture, Random, scene
from inspect_kit.vision.dice.body import layers_of
from inspect_kit.vision.dice.network import LOGO, SIDE, Place, halved, squares
from inspect_kit.vision.dice.patterns import spots_of
from inspect_kit.vision.dice.pips import find_pips
from inspect_kit.vision.dice.read import candidates, lone_frames

Labelled = tuple[Place, int]
_MOST_FALSE: Final = 60
"""Places without a face kept of one scene."""
_LONE: Final = 25
"""Lone spots of a scene that are looked at."""
_FLATTEST: Final = 0.35
"""Foreshortening, short over long, beyond which a side's number is nobody's to read."""
_CENTRAL, _BESIDE = 0.1, 0.22
"""Edges from the middle of a face within which it is shown whole, and beyond which it is another place."""
_HELD: Final = 4000
"""Squares by which progress is shown."""
_UNCLEAR: Final = -1
"""What is nearly a face in the middle of its square, which nothing should be taught by."""


def labelled(random: Random, picture: Picture, faces: list[DrawnFace]) -> Iterator[Labelled]:
    """What the reader would look at in a picture, and what it is."""
    colours = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2LAB))
    spots = spots_of(find_pips(picture, colours, None))
    for pattern in candidates(spots, layers_of(colours)):
        yield (pattern.centre, pattern.frame), _label(faces, pattern.centre, pattern.frame)
    for index in np.argsort(-spots.contrast * spots.sizes)[:_LONE].tolist():
        for frame in lone_frames(spots.shapes[index]):
            turned = frame @ _turn(random.uniform(0, 2 * np.pi))
            yield (spots.centres[index], turned), _label(faces, spots.centres[index], frame)
    for face in faces:
        yield from _beside(random, face, faces)


def _turn(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _beside(random: Random, face: DrawnFace, faces: list[DrawnFace]) -> Iterator[Labelled]:
    """A face as it is, and places beside it and at other sizes."""
    half = np.column_stack([face.corners[1] - face.corners[0], face.corners[3] - face.corners[0]])
    lone = face.number in (1, LOGO)
    for off, size in ((0.03, 1.0), (0.03, 1.0), (0.4, 1.0), (0.05, random.choice([0.5, 1.9]))):
        unit = (random.uniform(0.19, 0.32) if lone else face.pitch * random.uniform(0.9, 1.1)) * size
        frame = half * unit @ _turn(random.uniform(0, 2 * np.pi) if lone else random.normal(0, 0.05))
        centre = face.centre + half @ random.normal(0, off, 2)
        yield (centre, frame), _label(faces, centre, frame)


def _label(faces: list[DrawnFace], centre: Floats, frame: Floats) -> int:
    """The face in the middle of a square, 0 for none."""
    x, y = centre.tolist()
    for face in faces:
        away = math.hypot(face.centre[0] - x, face.centre[1] - y) / face.edge
        if away < _BESIDE:
            return _shown_at(face, away, math.sqrt(abs(cv2.determinant(frame))) / face.edge)
    return 0


def _shown_at(face: DrawnFace, away: float, ratio: float) -> int:
    """What a square shows in whose middle a face is nearly, its unit being such a share of the edge."""
    low, high = (0.175, 0.36) if face.number in (1, LOGO) else (0.78 * face.pitch, 1.28 * face.pitch)
    if not 0.8 * low < ratio < 1.25 * high:
        return 0
    clear = face.whole and face.flatness > _FLATTEST and away < _CENTRAL and low < ratio < high
    return face.number if clear else _UNCLEAR


def of_scene(seed: int) -> tuple[NDArray[np.float16], NDArray[np.int64]]:
    """Squares and what they show."""
    random = np.random.default_rng(seed)
    picture, faces = scene(random)
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.1), dtype=np.uint8)
    found = list(labelled(random, picture, faces))
    labels = np.array([label for _, label in found], np.int64)
    kept = np.concatenate([np.nonzero(labels > 0)[0], random.permutation(np.nonzero(labels == 0)[0])[:_MOST_FALSE]])
    shown = squares(halved(picture), [found[k][0] for k in kept.tolist()])
    return shown.astype(np.float16), labels[kept]


def examples(out: Path, first: int, count: int) -> None:
    """Squares of so many scenes."""
    cv2.setNumThreads(1)
    parts = [of_scene(seed) for seed in range(first, first + count)]
    labels = np.concatenate([part[1] for part in parts])
    np.savez(out, squares=np.concatenate([part[0] for part in parts]), labels=labels)
    print(np.bincount(labels, minlength=LOGO + 1))


def _network() -> Any:
    from torch import nn

    def block(into: int, out: int, stride: int, size: int = 3) -> list[nn.Module]:
        return [nn.Conv2d(into, out, size, stride, size // 2, bias=False), nn.BatchNorm2d(out), nn.ReLU()]

    return nn.Sequential(
        *block(3, 16, 2, 5), *block(16, 32, 2), *block(32, 32, 1), *block(32, 64, 2), *block(64, 64, 1),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(64 * (SIDE // 8) ** 2, 48), nn.ReLU(), nn.Linear(48, LOGO + 1),
    )  # fmt: skip


def _varied(images: Any, random: Random) -> Any:
    """Turned by quarters and a little more, mirrored, stretched, shifted, lighter or darker, of other tints."""
    import torch
    from torch import nn

    count = len(images)
    angle = random.integers(0, 4, count) * np.pi / 2 + random.normal(0, 0.07, count)
    stretch = random.uniform(0.9, 1.11, (count, 2)) * random.uniform(0.93, 1.08, (count, 1))
    flip = random.choice([-1.0, 1.0], count)
    shift = random.uniform(-0.04, 0.04, (count, 2))
    across, down = np.cos(angle), np.sin(angle)
    first = np.stack([across * stretch[:, 0] * flip, -down * stretch[:, 1], shift[:, 0]], axis=1)
    second = np.stack([down * stretch[:, 0] * flip, across * stretch[:, 1], shift[:, 1]], axis=1)
    theta = torch.from_numpy(np.stack([first, second], axis=1).astype(np.float32))
    grid = nn.functional.affine_grid(theta, list(images.shape), align_corners=False)
    images = nn.functional.grid_sample(images, grid, padding_mode="border", align_corners=False)
    gain = torch.from_numpy(random.uniform(0.7, 1.4, (count, 3, 1, 1)).astype(np.float32))
    sign = torch.from_numpy(random.choice([-1.0, 1.0], (count, 1, 1, 1), p=[0.3, 0.7]).astype(np.float32))
    return images * gain * sign + 0.06 * torch.randn_like(images)


def teach(out: Path, seconds: float, held: Path, taught: list[Path]) -> None:
    """For so many seconds of one core; shows how it does on squares that it was not taught with."""
    import torch
    from torch import nn

    torch.manual_seed(1)
    torch.set_num_threads(1)
    parts, random = [np.load(path) for path in taught], np.random.default_rng(1)
    images, labels = (np.concatenate([part[key] for part in parts]) for key in ("squares", "labels"))
    faces, others = np.nonzero(labels)[0], np.nonzero(labels == 0)[0]
    network, began, step = _network(), time.process_time(), 0
    optimiser: Any = torch.optim.AdamW(network.parameters(), 3e-3, weight_decay=0.02)
    while (spent := (time.process_time() - began) / seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * 0.5 * (1 + np.cos(np.pi * spent)) + 1e-5
        chosen = np.concatenate([random.choice(faces, 96), random.choice(others, 96)])
        shown = _varied(torch.from_numpy(images[chosen].astype(np.float32)), random)
        loss = nn.functional.cross_entropy(
            network.train()(shown), torch.from_numpy(labels[chosen]), label_smoothing=0.01
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step += 1
        if step % 250 == 0:
            print(step, f"{spent:.0%} loss {loss.item():.3f}", _shown(network, held), flush=True)
    print(_shown(network, held))
    torch.onnx.export(network.eval(), (torch.zeros(64, 3, SIDE, SIDE),), str(out), dynamo=False, opset_version=13)


def _shown(network: Any, held: Path) -> str:
    """Shares of faces read right, by number, of others taken for one, and of faces taken for another one for sure."""
    import torch

    known = np.load(held)
    with torch.no_grad():
        parts = torch.from_numpy(known["squares"][:_HELD].astype(np.float32)).split(512)
        odds = torch.cat([torch.softmax(network.eval()(part), 1) for part in parts]).numpy()
    labels, said = known["labels"][:_HELD], odds.argmax(axis=1)
    right = [round(float((said[labels == number] == number).mean()), 3) for number in range(1, LOGO + 1)]
    taken = float((odds[labels == 0][:, 1:LOGO].max(axis=1) > 0.8).mean())
    wrong = float(((odds.max(axis=1) > 0.8) & (said != labels) & (said > 0))[labels > 0].mean())
    return f"{right}, taken for a face {taken:.4f}, for another {wrong:.4f}"


def main(words: list[str]) -> None:
    """One of the two."""
    if words[0] == "examples":
        examples(Path(words[1]), int(words[2]), int(words[3]))
    else:
        teach(Path(words[1]), float(words[2]), Path(words[3]), [Path(word) for word in words[4:]])


if __name__ == "__main__":
    main(sys.argv[1:])
