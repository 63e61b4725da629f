"""Light along lines across a disc's outline, from the rim's cross-rim: what a surface sends back, what it mirrors.

A matt share by the light that reaches each normal (sky, lamps, ground), a mirrored share by Fresnel's law; the ground
behind by what of sky and lamps the piece hides from it. All in linear light, every line with its own lamp and view.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.disc.solid import Solid
from tests.scenes.scene import Stand

Random = np.random.Generator
Array = NDArray[np.float64]
LUMA = np.array([0.2126, 0.7152, 0.0722])
"""Weights of red, green and blue in brightness (ITU-R BT.709)."""
MAT = np.array([0.105, 0.205, 0.361])
"""Reflectance of the mat's plain middle."""
GROUNDS = np.array([MAT, MAT, MAT, MAT, (0.8, 0.79, 0.75), (0.8, 0.79, 0.75), (0.35, 0.2, 0.1), (0.5, 0.42, 0.3),
                    (0.6, 0.6, 0.6)])  # fmt: skip
PIECES = np.array([
    (0.75, 0.7, 0.58), (0.02, 0.02, 0.02), (0.42, 0.03, 0.03), (0.28, 0.28, 0.28), (0.1, 0.11, 0.13),
    (0.17, 0.08, 0.04),
    (0.68, 0.47, 0.05), (0.2, 0.43, 0.65), (0.04, 0.24, 0.08), (0.8, 0.78, 0.7), (0.02, 0.03, 0.15), (0.45, 0.28, 0.13),
    (0.7, 0.25, 0.04), (0.2, 0.2, 0.2),
])  # fmt: skip
ENV = np.linspace(-math.pi / 2, math.pi / 2, 181)
"""Elevations at which the surroundings are told."""


@dataclass(frozen=True)
class Lamp:
    """A lamp or window far away."""

    way: Array
    power: Array
    """Irradiance of a surface that faces it, three colours."""
    size: float
    """Radians, half its width."""


@dataclass(frozen=True)
class Material:
    """What the piece is made of."""

    colour: Array
    matt: float
    """Share of light sent back evenly: 1, or 0 for metals."""
    mirror: Array
    """Reflectance straight on, three colours; 0 for surfaces without gloss."""
    roughness: float


@dataclass(frozen=True)
class Room:
    """Where light comes from."""

    sky: Array
    gradient: float
    """How much lighter the sky is above than at the horizon, from -1 to 1."""
    lamps: tuple[Lamp, ...]
    bounce: float
    """Share of the ground's light that reaches the rim from below."""
    tinted: bool
    """Whether it comes in the ground's colour, or grey as in flat drawings."""

    @property
    def level(self) -> Array:
        """Light on open ground."""
        return self.sky + sum((lamp.power * lamp.way[2] for lamp in self.lamps), np.zeros(3))


@dataclass(frozen=True)
class Rim:
    """What the lines of one disc look across: thickness and rim in mm, the normal's rise at the outline (radians) and
    the outward azimuth of each line."""

    thickness: float
    radius: float
    rise: Array
    azimuths: Array


def any_disc(random: Random, focal: float) -> tuple[Solid, Stand]:
    """A piece of usual size and a camera above it; thin ones are coins."""
    coin = random.random() < 0.15
    thickness = random.uniform(1.5, 2.6) if coin else random.uniform(2, 10)
    per_mm = math.exp(random.uniform(2.0, 3.05) if coin else random.uniform(1.2, 2.65))
    rim = random.uniform(0.05, 0.45) if coin else min(random.uniform(0.05, 2.0), 0.45 * thickness)
    tilt = min(math.radians(abs(random.normal(0, 15))), 0.7)
    stand = Stand(focal / per_mm, tilt, random.uniform(0, 2 * math.pi))
    return Solid(0.0, 0.0, random.uniform(10, 20), thickness, rim), stand


def any_ground(random: Random) -> Array:
    """The mat, paper or a table."""
    return np.asarray(np.clip(GROUNDS[random.integers(len(GROUNDS))] * random.normal(1, 0.12), 0.01, 0.9))


def any_material(random: Random, ground: Array) -> Material:
    """Matt, plastic, varnished or metal, of any colour."""
    usual = PIECES[random.integers(len(PIECES))]
    colour = np.clip(usual * random.normal(1, 0.2) * random.normal(1, 0.06, 3), 0.008, 0.9)
    if random.random() < 0.3:
        # As bright as the ground, or nearly.
        colour = np.clip(colour * ground.mean() / colour.mean() * random.uniform(0.6, 1.8), 0.008, 0.9)
    look = random.choice(["matt", "plastic", "varnish", "metal"], p=[0.38, 0.3, 0.26, 0.06])
    if look == "matt":
        return Material(colour, 1.0, np.zeros(3), 1.0)
    if look == "metal":
        tone = np.array([(0.95, 0.75, 0.4), (0.9, 0.6, 0.5), (0.85, 0.85, 0.85), (0.6, 0.6, 0.6)][random.integers(4)])
        return Material(colour, 0.0, tone, random.uniform(0.15, 0.5))
    rough = random.uniform(0.03, 0.15) if look == "varnish" else random.uniform(0.05, 0.5)
    return Material(colour, 1.0, np.full(3, random.uniform(0.03, 0.06)), rough)


def any_room(random: Random) -> Room:
    """Lamps and windows, high or low, small or wide; none under an overcast sky."""
    lamps = []
    count = int(random.choice([0, 1, 2, 3], p=[0.1, 0.5, 0.25, 0.15]))
    for _ in range(count):
        angle, lean = random.uniform(0, 2 * math.pi), random.uniform(0.1, 1.25)
        way = np.array([math.sin(lean) * math.cos(angle), math.sin(lean) * math.sin(angle), math.cos(lean)])
        lamps.append(Lamp(way, _tint(random) * random.uniform(0.3, 1.2) / count, random.uniform(0.02, 0.35)))
    sky = _tint(random) * (random.uniform(0.15, 0.6) if count else 1.0)
    tinted = bool(random.random() > 0.38)
    bounce = 0.8 if tinted else random.uniform(0.05, 0.4)
    return Room(sky, random.uniform(-0.5, 0.8), tuple(lamps), bounce, tinted)


def _tint(random: Random) -> Array:
    warm = random.uniform(-0.25, 0.25)
    return np.array([1 + warm, 1.0, 1 - warm])


def light_across(rim: Rim, material: Material, ground: Array, room: Room, depths: Array) -> Array:
    """Linear light at depths across the outline, mm outwards as the camera sees them: lines × depths × 3."""
    rise, radius = np.clip(rim.rise, 0, None)[:, None], max(rim.radius, 1e-3)
    inside = -depths[None, :]
    turn = np.arccos(np.clip(1 - inside / radius, -1, 1))
    face = math.pi / 2
    angle = np.where(inside >= 0, np.minimum(rise + turn, face), face)
    on = _surface(rim, material, ground, room, angle, rise)
    height = rim.thickness - radius + radius * np.sin(rise)
    away = height * np.tan(rise) + np.maximum(depths[None, :], 0) / np.cos(rise)
    behind = _ground(rim, material, ground, room, away)
    return np.where((depths >= 0)[None, :, None], behind, on)


def _lamp_plane(rim: Rim, lamp: Lamp) -> tuple[Array, Array, float]:
    """A lamp's direction by line: outward, along the outline, up."""
    c, s = np.cos(rim.azimuths)[:, None], np.sin(rim.azimuths)[:, None]
    return lamp.way[0] * c + lamp.way[1] * s, -lamp.way[0] * s + lamp.way[1] * c, float(lamp.way[2])


def _ground(rim: Rim, material: Material, ground: Array, room: Room, away: Array) -> Array:
    """Light of the ground at distances from the piece's wall."""
    hidden = (1 - np.cos(np.arctan2(rim.thickness, away + 1e-3))) / 2
    # The wall itself is lit by about half the sky.
    wall = 0.4 * material.colour * room.sky * max(material.matt, 0.3)
    light = room.sky * (1 - hidden[..., None]) + wall * hidden[..., None]
    for lamp in room.lamps:
        out, _, up = _lamp_plane(rim, lamp)
        reach = rim.thickness * np.maximum(-out, 0) / up
        width = 0.05 + 2 * lamp.size * reach / np.maximum(np.hypot(out, up), 0.3)
        lit = np.where(out < 0, np.clip(0.5 + (away - reach) / width, 0, 1), 1.0)
        light = light + lit[..., None] * lamp.power * up
    return ground * light


def _surface(rim: Rim, material: Material, ground: Array, room: Room, angle: Array, rise: Array) -> Array:
    up, out = np.sin(angle), np.cos(angle)
    near = _ground(rim, material, ground, room, np.full((len(rise), 1), 0.6 * rim.thickness))
    below = room.bounce * (near if room.tinted else near.mean(axis=2, keepdims=True))
    sky = room.sky * (1 + room.gradient * up / 2)[..., None]
    light = ((1 + up) / 2)[..., None] * sky + ((1 - up) / 2)[..., None] * below
    for lamp in room.lamps:
        way, _, high = _lamp_plane(rim, lamp)
        light = light + np.maximum(out * way + up * high, 0)[..., None] * lamp.power
    sent = material.matt * material.colour * light
    if not material.mirror.any():
        return sent
    facing = np.clip(np.sin(angle - rise), 0, 1)
    grazing = (1 - facing) ** 5 * math.exp(-1.5 * material.roughness)
    share = material.mirror + (1 - material.mirror) * grazing[..., None]
    seen = _mirrored(rim, material, room, near, 2 * angle - math.pi / 2 - rise)
    return (1 - share) * sent + share * seen


def _mirrored(rim: Rim, material: Material, room: Room, near: Array, elevation: Array) -> Array:
    """The surroundings in a direction, as blurred as the surface is rough."""
    sky = room.sky * (1 + room.gradient * np.sin(np.maximum(ENV, 0)))[:, None]
    env = np.where((ENV > 0)[None, :, None], sky[None], near)
    for lamp in room.lamps:
        out, along, up = _lamp_plane(rim, lamp)
        height, aside = np.arctan2(up, out), np.arctan2(np.abs(along), np.hypot(out, up))
        # An elevation beyond the zenith is behind: only what lies outwards is mirrored by a rim.
        wide = math.hypot(lamp.size, material.roughness)
        peak = math.pi * lamp.power / (2 * math.pi * wide**2)
        lobe = np.exp(-0.5 * ((ENV[None, :] - height) ** 2 + aside**2) / wide**2)
        env = env + lobe[..., None] * peak
    width = max(1.0, material.roughness / (ENV[1] - ENV[0]) * 0.7)
    reach = int(3 * width)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    kernel /= kernel.sum()
    padded = np.pad(env, ((0, 0), (reach, reach), (0, 0)), mode="edge")
    soft = np.apply_along_axis(lambda row: np.convolve(row, kernel, "valid"), 1, padded)
    at = np.clip((elevation - ENV[0]) / (ENV[1] - ENV[0]), 0, len(ENV) - 1.001)
    index = at.astype(int)
    part = (at - index)[..., None]
    rows = np.arange(len(soft))[:, None]
    return np.asarray(soft[rows, index] * (1 - part) + soft[rows, index + 1] * part)
