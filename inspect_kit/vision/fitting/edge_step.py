"""Sub-pixel edges: the picture across an outline, explained by a step of light that was blurred, coded and stored.

Light adds up linearly, so the step is blurred in linear light, and then coded as the picture codes it. Luma and
colour are compared with the picture each for itself: the brightness of a piece falls off towards a rounded rim, its
colour does not; but JPEG and HEIC store colour at half the resolution, and that is part of the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Light, Mask, Pixels
from inspect_kit.vision.fitting import tuning
from inspect_kit.vision.fitting.edge_shading import Shading, blurred
from inspect_kit.vision.fitting.normal import normal_share
from inspect_kit.vision.optics.light import decoded, encoded, window_of

STEP: Final = 0.5
"""Pixels between the samples of a profile."""
TOGETHER: Final = 3
"""Neighbouring lines that are averaged into one."""
_LUMA: Final = np.array([0.299, 0.587, 0.114])
"""Weights of red, green and blue in a JPEG's brightness (ITU-R BT.601, as JFIF has it)."""
_TO_YCC: Final = np.array([_LUMA, (np.array([1.0, 0, 0]) - _LUMA) / 1.402, (np.array([0, 0, 1.0]) - _LUMA) / 1.772])
"""From red, green and blue to a JPEG's brightness and colour (JFIF)."""
_FROM_YCC: Final = np.linalg.inv(_TO_YCC)
_NEUTRAL: Final = np.array([0, 128 / 255, 128 / 255])
"""The code of no colour in JFIF."""
PARTS: Final = 6
"""Parts that a profile is the sum of: ground, its slope, the seam, piece, fall and turn of its light."""
_DIAGONAL: Final = np.arange(PARTS + 1)
"""Where an equation's own unknown stands."""
_TABLE: Final = 0.125
"""Pixels between the places at which blurred parts are tabled."""
_ROUNDS: Final = 4
"""Steps of Gauss–Newton."""


@dataclass(frozen=True)
class Optics:
    """The photo's blur in pixels where it is known, by how many pixels its format spreads colour, and how wide the dark
    seam at a piece's foot is."""

    blur: float | None = None
    colour_spread: float = 0.0
    seam: float = 3.0


@dataclass(frozen=True)
class Profiles:
    """Luma and two colour differences along lines across an outline: lines × steps × 3, from 0 to 1 as the picture
    codes them; steps are pixels from the outline, outwards."""

    steps: Floats
    codes: Floats


@dataclass(frozen=True)
class Edges:
    """Where the edge lies on each line (pixels outwards from the guess), its contrast and how well the step fits."""

    offset: Floats
    contrast: Floats
    misfit: Floats
    """Deviation of the picture from the model, as a share of the contrast."""
    variance: Floats
    """Of the offset by noise alone, pixels squared: large where shading and place cannot be told apart."""
    blur: float
    lighter: float = 0.0
    """By how much the piece is lighter than its ground, in codes of luma from 0 to 1; the median of the lines."""


def profiles(pixels: Pixels, feet: Floats, normals: Floats, reach: float, smooth: float = 0.0) -> Profiles:
    """The picture along the normals, `reach` pixels to both sides, after a blur of so many pixels."""
    part, origin = window_of(pixels, feet, reach + 3)
    plain: AnyArray = cv2.cvtColor(part, cv2.COLOR_RGB2YCrCb).astype(np.float32) / 255
    codes: AnyArray = cv2.GaussianBlur(plain, (0, 0), smooth) if smooth > 0.4 else plain
    steps = np.arange(-np.ceil(reach / STEP), np.ceil(reach / STEP) + 1) * STEP
    points = (feet - origin)[:, None, :] + steps[None, :, None] * normals[:, None, :]
    wanted = points.astype(np.float32)
    values = cv2.remap(codes, wanted[:, :, 0], wanted[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return Profiles(steps, np.asarray(values, dtype=np.float64))


def averaged(profile: Profiles) -> Profiles:
    """Every few neighbouring lines as one."""
    lines, steps, colours = profile.codes.shape
    return Profiles(profile.steps, profile.codes.reshape(lines // TOGETHER, TOGETHER, steps, colours).mean(axis=1))


def fit_edges(profile: Profiles, start: Floats, half: float, normals: Shading, optics: Optics) -> Edges:
    """The step on every line. Without a given blur it is the one with which all lines together fit best."""
    inner, outer = _levels(profile, start, half)
    widths = tuning.WIDTHS if optics.blur is None else (optics.blur,)
    models = (_Model(inner, outer, normals, width, optics.colour_spread, optics.seam) for width in widths)
    return min(
        (_fitted(profile, start, half, model) for model in models), key=lambda edges: float(np.median(edges.misfit))
    )


def _levels(profile: Profiles, centre: Floats, half: float) -> tuple[Floats, Floats]:
    """Linear light of the piece and of its ground beside the edge, averaged over neighbouring lines."""
    place = profile.steps[None, :] - centre[:, None]
    inner = _around(_mean(profile.codes, (place < -0.8 * half) & (place > -1.6 * half)))
    outer = _around(_mean(profile.codes, (place > 0.8 * half) & (place < 1.6 * half)))
    return np.maximum(light_of(inner), 1e-4), np.maximum(light_of(outer), 1e-4)


def light_of(codes: Floats) -> Floats:
    """Luma and colour differences (full range, as JPEG has them) → linear red, green and blue."""
    return decoded((codes - _NEUTRAL) @ _FROM_YCC.T)


def _mean(codes: Floats, chosen: Mask) -> Floats:
    count = np.maximum(chosen.sum(axis=1), 1)
    return np.asarray(np.einsum("nmc,nm->nc", codes, chosen.astype(np.float64)) / count[:, None])


def _around(values: Floats) -> Floats:
    """Averaged over neighbouring lines of a closed outline."""
    total = np.zeros_like(values)
    for shift in range(-(tuning.SMOOTHING // 2), tuning.SMOOTHING // 2 + 1):
        total += np.roll(values, shift, axis=0)
    return total / tuning.SMOOTHING


@dataclass(frozen=True)
class _Model:
    """Light of piece and ground, the surface's normals, the blur, and the spread of colour."""

    inner: Floats
    outer: Floats
    normals: Shading
    blur: float
    spread: float
    seam: float
    """Width of the dark seam at the foot, pixels."""

    @property
    def noise(self) -> Floats:
        """Standard deviations of luma and the two colour differences."""
        colour = tuning.COLOUR_NOISE if self.spread > 0 else tuning.NOISE
        return np.array([tuning.NOISE, colour, colour])


def _fitted(profile: Profiles, start: Floats, half: float, model: _Model) -> Edges:
    """Gauss–Newton on all lines at once: ground, its slope, piece, its two shadings, and the place of the edge."""
    profile = _middle(profile, float(np.abs(start).max()) + half + 1.5)
    tables = _Tables(model, half, len(start))
    spreading = _spreading(profile.steps, model.spread)
    seen = profile.codes.astype(np.float32)
    expected, firmness = _expected()
    found, place = np.tile(expected, (len(start), 1)), start.copy()
    contrast = np.linalg.norm(encoded(model.inner) - encoded(model.outer), axis=1) / np.sqrt(3)
    for _ in range(_ROUNDS):
        away = (profile.steps[None, :] - place[:, None]).astype(np.float32)
        window = np.clip(half + 0.5 - np.abs(away), 0, 0.5) * 2
        codes, slopes = _predicted(tables, found, away, spreading)
        scale = (window[:, :, None] / model.noise).astype(np.float32)
        left = (seen - codes) * scale
        slopes *= scale[:, :, :, None]
        table = slopes.reshape(len(start), -1, PARTS + 1)
        turned = table.transpose(0, 2, 1)
        normal = (turned @ table).astype(np.float64)
        right = (turned @ left.reshape(len(start), -1, 1))[:, :, 0].astype(np.float64)
        normal[:, _DIAGONAL, _DIAGONAL] += np.append(firmness, [1e-6])
        right[:, :PARTS] += firmness * (expected - found)
        step = np.linalg.solve(normal, right[:, :, None])[:, :, 0]
        found = found + np.clip(step[:, :PARTS], -0.5, 0.5)
        place = np.clip(place + np.clip(step[:, PARTS], -1.0, 1.0), start - half, start + half)
    variance = np.asarray(np.linalg.inv(normal)[:, PARTS, PARTS], dtype=np.float64)
    misfit = np.sqrt((left[:, :, 0] ** 2).sum(axis=1) / np.maximum(window.sum(axis=1), 1)) * tuning.NOISE
    lighter = float(np.median((encoded(model.inner) - encoded(model.outer)) @ _LUMA))
    return Edges(place, contrast, misfit / np.maximum(contrast, 1e-3), variance, model.blur, lighter)


class _Tables:
    """The blurred parts of the model by distance from the edge, in single precision: there are many of them.

    Ground, its slope and the dark seam at the piece's foot; piece, 1 − n_z and n_r inside it.
    """

    def __init__(self, model: _Model, half: float, lines: int) -> None:
        self.places = np.arange(-half - 4, half + 4.01, _TABLE)
        self.colours = np.stack([*[model.outer] * 3, *[model.inner] * 3], axis=1).astype(np.float32)
        # A code's derivative by each level: how its colour, weighted by the coding, mixes into luma and differences.
        mixing = _TO_YCC.T[None, :, :, None] * self.colours.transpose(0, 2, 1)[:, :, None, :]
        self.mixing = mixing.reshape(lines, 3, 3 * PARTS).astype(np.float32)
        u = self.places / model.blur
        ramp = self.places * normal_share(u) + model.blur * np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi)
        seam = np.exp(-model.normals.depths / max(model.seam, 1.0))[None, :]
        dark = blurred(seam, model.normals.depths, model.blur, -self.places)[0]
        self.values = np.empty((lines, len(u), 2 * PARTS), np.float32)
        for index, part in enumerate((normal_share(u), ramp, dark, normal_share(-u))):
            self._set(index, part.astype(np.float32)[None])
        for index, amount in enumerate((model.normals.fallen, model.normals.outward), start=4):
            self._set(index, blurred(amount, model.normals.depths, model.blur, self.places).astype(np.float32))

    def _set(self, index: int, part: Light) -> None:
        """One part and its derivative, of every line its own or of all the same."""
        self.values[:, :, index] = part
        self.values[:, :, PARTS + index] = np.gradient(part, np.float32(_TABLE), axis=1)

    def at(self, away: Light) -> tuple[Light, Light]:
        """The parts and their derivatives, lines × steps × 6 each."""
        at = np.clip((away - np.float32(self.places[0])) / np.float32(_TABLE), 0, len(self.places) - 1.01)
        index = at.astype(np.intp)
        share = (at - index)[:, :, None]
        rows = np.arange(len(self.values))[:, None]
        low = self.values[rows, index]
        value = low + (self.values[rows, index + 1] - low) * share
        return value[:, :, :PARTS], value[:, :, PARTS:]


def _predicted(tables: _Tables, found: Floats, away: Light, spreading: Light | None) -> tuple[Light, Light]:
    """Codes on each line, and their derivatives by the six levels and the place: lines × steps × colours × 7."""
    parts, leans = tables.at(away)
    levels = found[:, :, None].astype(np.float32) * tables.colours
    light = np.maximum(parts @ levels, np.float32(1e-4))
    plain = encoded(light).astype(np.float32)
    # The code's derivative, with the power that is already known.
    coding = np.where(light <= 0.0031308, np.float32(12.92), (plain + np.float32(0.055)) / (np.float32(2.4) * light))
    slopes = np.empty((*away.shape, 3, PARTS + 1), np.float32)
    by_level = (coding @ tables.mixing).reshape(*away.shape, 3, PARTS)
    np.multiply(by_level, parts[:, :, None, :], out=slopes[..., :PARTS])
    slopes[..., PARTS] = -(coding * (leans @ levels)) @ _TO_YCC.T.astype(np.float32)
    codes = plain @ _TO_YCC.T.astype(np.float32) + _NEUTRAL.astype(np.float32)
    if spreading is not None:
        codes[:, :, 1:] = spreading @ codes[:, :, 1:]
        coarse = slopes[:, :, 1:].reshape(len(found), away.shape[1], -1)
        slopes[:, :, 1:] = (spreading @ coarse).reshape(slopes[:, :, 1:].shape)
    return codes, slopes


def _middle(profile: Profiles, reach: float) -> Profiles:
    """The samples near the edge; those farther out have told the levels."""
    chosen = np.abs(profile.steps) <= reach
    return Profiles(profile.steps[chosen], profile.codes[:, chosen])


def _spreading(steps: Floats, spread: float) -> Light | None:
    """Each sample of colour as a mean over its neighbours."""
    if spread <= 0:
        return None
    weights = np.exp(-0.5 * ((steps[:, None] - steps[None, :]) / spread) ** 2)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float32)


def _expected() -> tuple[Floats, Floats]:
    """Levels of ground, slope, seam, piece and two shadings as they are likely, and how firmly (inverse variances)."""
    mean = np.array([1.0, 0.0, tuning.SEAM[0], 1.0, -tuning.FALL[0], 0.0])
    spread = np.array([tuning.LEVEL, tuning.SLOPE, tuning.SEAM[1], tuning.LEVEL, tuning.FALL[1], tuning.TURN])
    return mean, 1 / spread**2
