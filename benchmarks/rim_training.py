"""Teaches the network of `vision/disc` on computed rims alone: `python -m benchmarks.rim_training lines|teach …`.

`lines OUT.npz FIRST COUNT` computes discs lighter than their ground, develops them as cameras and phones do and fits
their edges; `teach OUT.onnx SECONDS HELD.npz TAUGHT.npz…` needs torch and onnx. No picture takes part in it.
"""

from __future__ import annotations

import copy
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.rim_light import LUMA, Random, Rim, any_disc, any_ground, any_material, any_room, light_across
from inspect_kit.vision.disc.fit import (
    RimLines,
    Shape,
    edges_in,
    line_weights,
    lines_across,
    outline_pixels,
    shown_reach,
)
from inspect_kit.vision.disc.rim_network import looks
from inspect_kit.vision.disc.solid import Solid, elevations
from inspect_kit.vision.fitting.edge_step import STEP, Optics, Profiles
from inspect_kit.vision.optics import tuning
from inspect_kit.vision.optics.camera import COUNT, Camera
from inspect_kit.vision.optics.light import decoded, encoded
from inspect_kit.vision.optics.pose import View
from inspect_kit.vision.optics.quality import width_of
from tests.scenes.scene import Stand

Floats = NDArray[np.float64]
Light = NDArray[np.float32]
Example = tuple[Light, Light, Light]
"""What is shown of each line of a disc, by how many pixels its edge was fitted too far in, and how much it counts."""

FOCAL: Final = 3000.0
"""Pixels, of a camera that looks straight at the disc."""
STRIP, SQUARE, BORDER = 1.2, 12.0, 1.6
"""mm: the mat's white strips, the black squares beside them and the markers' black border, which tell the blur."""
FINE: Final = 0.125
"""Pixels between the places at which light is computed."""
BETWEEN: Final = 0.27
"""Pixels of blur that lines laid between pixels add: as it is seen on pictures."""
FURTHEST: Final = 2.5
"""Pixels: a disc whose edge was fitted further off was not fitted at all, and teaches nothing."""
LINES: Final = 60
"""Lines of each disc that are shown at once: no disc has fewer."""


@dataclass(frozen=True)
class Developing:
    """From light to codes: blur and gain in light, then a tone curve, smoothing and sharpening in codes."""

    blur: float
    gain: float
    bend: float
    smoothing: float
    sharpening: float
    radius: float
    colour: float
    noise: float


def any_developing(random: Random, brightest: float) -> Developing:
    """As a plain camera does it, or a phone."""
    blur, gain, noise = random.uniform(0.35, 1.3), random.uniform(0.45, 0.95) / brightest, random.uniform(0.001, 0.008)
    if random.random() < 0.35:
        return Developing(blur, gain, 0.0, 0.0, 0.0, 1.0, 1.0, noise)
    smoothing = random.uniform(0.02, 0.18) if random.random() < 0.7 else 0.0
    colour = math.hypot(1.0, random.uniform(0.5, 2.2))
    return Developing(blur, gain, random.uniform(-0.15, 0.3), smoothing, random.uniform(0, 1.2),
                      random.uniform(0.6, 1.8), colour, noise)  # fmt: skip


def coded(light: Floats, how: Developing, random: Random) -> Light:
    """Luma and colour differences of light along lines, as the picture codes them."""
    codes = encoded(np.clip(_soft(light, math.hypot(how.blur, 0.29)) * how.gain, 0, 1)).astype(np.float32)
    codes = codes + how.bend * codes * (1 - codes) * (codes - 0.35)
    ycc = np.asarray(cv2.cvtColor(np.ascontiguousarray(codes, np.float32), cv2.COLOR_RGB2YCrCb), dtype=np.float32)
    ycc[:, :, 1:] = _soft(ycc[:, :, 1:], how.colour)
    luma = _smoothed(ycc[:, :, :1], how.smoothing) if how.smoothing else ycc[:, :, :1]
    ycc[:, :, :1] = luma + how.sharpening * (luma - _soft(luma, how.radius))
    grain = random.standard_normal(ycc.shape) * how.noise / math.sqrt(FINE)
    return np.clip(_soft(ycc + _soft(grain, 0.3), BETWEEN), 0, 1)


def _soft(values: Any, width: float) -> Light:
    """Blurred along the lines, pixels."""
    reach = int(3.5 * width / FINE) + 1
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * FINE / width) ** 2)
    rows = values.transpose(0, 2, 1).reshape(-1, values.shape[1]).astype(np.float32)
    soft = cv2.sepFilter2D(rows, -1, kernel / kernel.sum(), np.ones(1), borderType=cv2.BORDER_REPLICATE)
    return np.asarray(soft.reshape(values.shape[0], values.shape[2], -1).transpose(0, 2, 1), dtype=np.float32)


def _smoothed(luma: Light, least: float) -> Light:
    """Averaged where light changes little."""
    total, weight = luma.copy(), np.ones_like(luma)
    for step in range(-20, 21, 4):
        other = np.roll(luma, step, axis=1)
        share = np.exp(-0.5 * ((other - luma) / least) ** 2 - 0.5 * (step * FINE / 1.4) ** 2)
        total, weight = total + share * other, weight + share
    return total / weight


def strip_blur(how: Developing, per_mm: float, level: Floats, random: Random) -> float:
    """The blur as the mat's black and white edges tell it."""
    side, strip = SQUARE * per_mm, STRIP * per_mm
    reach = min(max(tuning.DARK_REACH * side, strip + tuning.LIGHT_REACH * side), 24.0)
    at = np.arange(-reach - 8, reach + 8, FINE)
    white = ((at > 0) & (at < strip)) | (at > strip + BORDER * per_mm)
    light = np.where(white, random.uniform(0.72, 0.86), random.uniform(0.02, 0.06))[None, :, None] * level
    luma = coded(np.repeat(light, 3, axis=0), how, random)[:, :, 0]
    steps = np.arange(-reach, reach + 0.01, STEP)
    steps = steps[(steps > -tuning.DARK_REACH * side) & (steps < strip + tuning.LIGHT_REACH * side)]
    widths = [width_of(steps, decoded(np.interp(steps + random.uniform(-0.25, 0.25), at, row)), strip) for row in luma]
    return tuning.SAMPLING * float(np.exp(np.mean(np.log(widths))))


def view_of(stand: Stand) -> View:
    """A camera at a place, known exactly."""
    rotation = stand.rotation()
    numbers = np.array([FOCAL, FOCAL, 400, 400, 0, 0, 0, 0, 0.0])
    vector = np.concatenate([numbers, cv2.Rodrigues(rotation)[0].ravel(), -rotation @ stand.place()])
    exact = np.eye(COUNT + 6) * 1e-12
    return View(Camera(801, 801, numbers, exact[:COUNT, :COUNT]), vector, exact, exact[:6, :6], 0.1, 10, 10)


def of_disc(random: Random) -> Example | None:
    """The lines of one disc; none where it is not seen well enough."""
    solid, stand = any_disc(random, FOCAL)
    view, ground, room = view_of(stand), any_ground(random), any_room(random)
    material = any_material(random, ground)
    while material.matt and material.colour @ LUMA < 0.8 * ground @ LUMA:
        material = any_material(random, ground)
    per_mm, level = view.resolution(solid.centre), room.level
    how = any_developing(random, float((0.8 * level).max()))
    optics = Optics(strip_blur(how, per_mm, level, random), 1.0)
    guess = _guess(random, solid, per_mm)
    lines = lines_across(view, guess)
    away = _away(view, solid, lines)
    reach = math.ceil(shown_reach(per_mm, optics) / STEP) * STEP
    at = np.arange(-reach - 6, reach + 6, FINE)
    rise, near = elevations(solid, view.centre, lines.azimuths)
    light = light_across(Rim(solid.thickness, solid.rim, rise, lines.azimuths), material, ground, room, at / per_mm)
    profile = _sampled(coded(light, how, random), at, np.arange(-reach, reach + 0.01, STEP), away)
    edges = edges_in(profile, lines, guess, per_mm, optics)
    shape = Shape(guess.thickness, 0.1, guess.rim, 0.1)
    weights = line_weights(lines, edges, guess, shape, 0.05) * ~near
    if edges.lighter < 0.02 or (weights > 0.005).mean() < 0.25:
        return None
    shown = looks(profile, edges, lines.rise, (guess.rim, per_mm))
    return shown, (away - edges.offset).astype(np.float32), weights.astype(np.float32)


def _guess(random: Random, solid: Solid, per_mm: float) -> Solid:
    """The disc as it is known before: stated by hand, mostly to a twentieth of a mm, placed to part of a pixel."""
    unsure = 0.3 if random.random() < 0.2 else 0.06
    thickness = max(solid.thickness + random.normal(0, unsure), 0.5)
    rim = float(np.clip(solid.rim + random.normal(0, unsure), 0, thickness / 2))
    x, y = random.normal(0, 0.15 / per_mm, 2)
    return Solid(x, y, solid.radius + random.normal(0, 0.25) / per_mm, thickness, rim)


def _away(view: View, solid: Solid, lines: RimLines) -> Floats:
    """How far outside of each line's foot the true outline lies, pixels."""
    outline = outline_pixels(view, solid, np.linspace(0, 2 * np.pi, 1440, endpoint=False)).astype(np.float32)
    return np.array([cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in lines.feet])


def _sampled(codes: Light, at: Floats, steps: Floats, away: Floats) -> Profiles:
    rows = [[np.interp(steps - off, at, row[:, c]) for c in range(3)] for row, off in zip(codes, away, strict=True)]
    return Profiles(steps, np.array(rows).transpose(0, 2, 1))


def lines(out: Path, first: int, count: int) -> None:
    """Lines of so many discs."""
    cv2.setNumThreads(1)
    every = ((of_disc(np.random.default_rng([seed, 3])), seed) for seed in range(first, first + count))
    found, owners = zip(*((each, seed) for each, seed in every if each is not None), strict=True)
    shows, true, weights = (np.concatenate(part) for part in zip(*found, strict=True))
    np.savez(out, shows=shows, true=true, weights=weights, owner=np.repeat(owners, [len(each[0]) for each in found]))
    print(_judged(None, discs_of(out)))


def discs_of(path: Path) -> list[Example]:
    """The lines again, disc by disc."""
    kept = np.load(path)
    ends = np.nonzero(np.diff(kept["owner"]))[0] + 1
    parts = (np.split(kept[name], ends) for name in ("shows", "true", "weights"))
    return [each for each in zip(*parts, strict=True) if abs(np.average(each[1], weights=each[2] + 1e-6)) < FURTHEST]


def _network(inputs: int) -> Any:
    from torch import nn

    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 1))


def teach(out: Path, seconds: float, held: Path, taught: list[Path]) -> None:
    """For so many seconds of one core; shows how it does on discs that it was not taught with."""
    import torch

    torch.manual_seed(1)
    torch.set_num_threads(1)
    random, tests = np.random.default_rng(1), discs_of(held)
    discs = [each for path in taught for each in discs_of(path)]
    every = np.concatenate([each[0] for each in discs])
    mean, spread = every.mean(axis=0), every.std(axis=0) + 0.05
    network, began, step = _network(every.shape[1]), time.process_time(), 0
    optimiser: Any = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=0.05)
    print(f"{len(discs)} discs; before:", _judged(None, tests))
    while (spent := (time.process_time() - began) / seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * 0.5 * (1 + np.cos(np.pi * spent)) + 1e-5
        chosen = [discs[k] for k in random.integers(len(discs), size=48)]
        picks = [random.choice(len(each[0]), LINES, replace=False) for each in chosen]
        shown, true, weights = (
            torch.from_numpy(np.stack([each[part][pick] for each, pick in zip(chosen, picks, strict=True)]))
            for part in range(3)
        )
        shown = (shown - torch.from_numpy(mean)) / torch.from_numpy(spread)
        loss = _loss(network.train()(shown + 0.1 * torch.randn_like(shown))[..., 0], true, weights)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step += 1
        if step % 500 == 0:
            print(step, f"{spent:.0%} loss {loss:.4f}", _judged(_whole(network, mean, spread), tests), flush=True)
    whole = _whole(network, mean, spread)
    print(_judged(whole, tests))
    torch.onnx.export(whole, (torch.zeros(1, every.shape[1]),), str(out), dynamo=False, opset_version=13,
                      input_names=["shown"], dynamic_axes={"shown": {0: "lines"}})  # fmt: skip


def _loss(said: Any, true: Any, weights: Any) -> Any:
    """Lines each for itself, and the disc as a whole: the mean of its lines is what moves its diameter."""
    from torch.nn.functional import huber_loss

    shares = (weights + 1e-3) / (weights + 1e-3).sum(dim=1, keepdim=True)
    each = (shares * huber_loss(said, true, delta=0.3, reduction="none")).sum(dim=1).mean()
    return each + 4 * huber_loss((shares * said).sum(dim=1), (shares * true).sum(dim=1), delta=0.15)


def _whole(network: Any, mean: Light, spread: Light) -> Any:
    """The network that takes what is shown as it is."""
    import torch

    whole = copy.deepcopy(network).eval()
    with torch.no_grad():
        whole[0].weight /= torch.from_numpy(spread)
        whole[0].bias -= whole[0].weight @ torch.from_numpy(mean)
    return whole


def _judged(network: Any, discs: list[Example]) -> str:
    """Mean error of the discs in pixels of the radius, and its size."""
    off = []
    for shown, true, weights in discs:
        said = np.zeros(len(shown)) if network is None else _said(network, shown)
        off.append(np.average(true - said, weights=weights + 1e-6))
    return f"mean {np.mean(off):+.3f} size {np.abs(off).mean():.3f} median {np.median(np.abs(off)):.3f} of {len(off)}"


def _said(network: Any, shown: Light) -> Floats:
    import torch

    return np.asarray(network(torch.from_numpy(shown)).detach().numpy()[:, 0], dtype=np.float64)


def main(words: list[str]) -> None:
    """One of the two."""
    if words[0] == "lines":
        lines(Path(words[1]), int(words[2]), int(words[3]))
    else:
        teach(Path(words[1]), float(words[2]), Path(words[3]), [Path(word) for word in words[4:]])


if __name__ == "__main__":
    main(sys.argv[1:])
