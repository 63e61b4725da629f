"""What a scene is made of: camera, sheet, pieces, light. Lengths in mm, angles in radians, light linear.

Nothing here shares code with the package under test: the camera, the solids and the light are written out anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Lens:
    width: int
    height: int
    focal: float
    centre: tuple[float, float]
    bend: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    """k1, k2, p1, p2, k3."""


@dataclass(frozen=True)
class Stand:
    """Where the camera is: looking at `aim` on the sheet from `distance`, leaning by `tilt` towards `azimuth`."""

    distance: float
    tilt: float = 0.0
    azimuth: float = 0.0
    roll: float = 0.0
    aim: tuple[float, float] = (0.0, 0.0)

    def place(self) -> np.ndarray:
        way = np.array([math.sin(self.tilt) * math.cos(self.azimuth), math.sin(self.tilt) * math.sin(self.azimuth),
                        math.cos(self.tilt)])  # fmt: skip
        return np.array([*self.aim, 0.0]) + self.distance * way

    def rotation(self) -> np.ndarray:
        """Rows are the camera's axes (right, down, ahead) in the sheet's frame."""
        ahead = np.array([*self.aim, 0.0]) - self.place()
        ahead /= np.linalg.norm(ahead)
        up = np.array([-math.sin(self.roll), math.cos(self.roll), 0.0])
        right = np.cross(ahead, up)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(ahead, right), ahead])


@dataclass(frozen=True)
class Piece:
    x: float
    y: float
    diameter: float
    thickness: float
    rim: float
    colour: tuple[float, float, float]
    name: str = ""
    rings: tuple[tuple[float, float, float], ...] = ()
    """Grooves on the face: inner and outer share of the radius, and the factor on the colour."""
    metal: tuple[float, float] | None = None
    """A metal ring from one share of the radius to another."""
    gloss: float = 0.0


@dataclass(frozen=True)
class Lamp:
    """One lamp from a direction, light from everywhere, and how uneven both are over the picture."""

    way: tuple[float, float, float] = (0.35, 0.3, 0.89)
    strength: float = 0.55
    everywhere: float = 0.4
    softness: float = 0.12
    slope: tuple[float, float] = (0.0, 0.0)
    vignette: float = 0.0
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Sensor:
    blur: float = 0.8
    noise: float = 0.004
    read_noise: float = 0.0015
    jpeg: int = 92


@dataclass(frozen=True)
class Scene:
    lens: Lens
    stand: Stand
    pieces: tuple[Piece, ...] = ()
    lamp: Lamp = field(default_factory=Lamp)
    sensor: Sensor = field(default_factory=Sensor)
    print_scale: float = 1.0
    seed: int = 0


def phone(megapixels: float = 12.0, field_width: float = 1.34, bend: tuple[float, ...] = (0.0,) * 5) -> Lens:
    """A phone's main camera, 4 : 3; `field_width` is the picture's width over the focal length."""
    width = round(math.sqrt(megapixels * 1e6 * 4 / 3) / 8) * 8
    height = width * 3 // 4
    return Lens(width, height, width / field_width, (width / 2 - 0.5 + 0.004 * width, height / 2 - 0.5 - 0.006 * width),
                tuple(bend))  # type: ignore[arg-type]  # fmt: skip
