"""A disc as a solid: a short cylinder whose rims are rounded, and the outline it shows to a camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask


@dataclass(frozen=True)
class Solid:
    """A disc lying on the sheet: place of its axis, largest radius, thickness and rim radius, all in mm."""

    x: float
    y: float
    radius: float
    thickness: float
    rim: float

    @property
    def vector(self) -> Floats:
        """The five numbers in a row."""
        return np.array([self.x, self.y, self.radius, self.thickness, self.rim])

    @property
    def centre(self) -> Floats:
        """Middle of the upper face."""
        return np.array([self.x, self.y, self.thickness])


def solid_of(vector: Floats) -> Solid:
    """The disc with these five numbers."""
    return Solid(*(float(value) for value in vector))


def outline(solid: Solid, camera: Floats, azimuths: Floats) -> Floats:
    """Points of the solid that a camera at this place sees as its outline, one for each azimuth of the surface normal.

    A plane through the camera that touches the solid has a unit normal n = (cos β cos ψ, cos β sin ψ, sin β). The solid
    is a thin disc swept by a ball of the rim's radius, so its support is (R − r) cos β + z sin β + r, z the level of
    the upper rim where the normal rises (the far side) and of the lower rim where it falls (the near side, seen only
    where the camera looks at the wall). Touching means that the camera lies on the plane, which gives β in closed form.
    """
    rim = _rim(solid)
    elevation, near = elevations(solid, camera, azimuths)
    level = np.where(near, rim, solid.thickness - rim)
    reach = solid.radius - rim + rim * np.cos(elevation)
    return np.column_stack(
        [solid.x + reach * np.cos(azimuths), solid.y + reach * np.sin(azimuths), level + rim * np.sin(elevation)]
    )


def surface_slopes(solid: Solid, camera: Floats, azimuths: Floats) -> Floats:
    """How the surface moves where the outline lies, with x, y, radius, thickness and rim: points × 3 × 5."""
    elevation, near = elevations(solid, camera, azimuths)
    cos, sin = np.cos(azimuths), np.sin(azimuths)
    inwards = np.cos(elevation) - 1
    table = np.zeros((len(azimuths), 3, 5))
    table[:, 0, 0] = table[:, 1, 1] = 1.0
    table[:, 0, 2], table[:, 1, 2] = cos, sin
    table[:, 2, 3] = np.where(near, 0.0, 1.0)
    table[:, 0, 4], table[:, 1, 4] = inwards * cos, inwards * sin
    table[:, 2, 4] = np.where(near, 1.0, -1.0) + np.sin(elevation)
    return table


def elevations(solid: Solid, camera: Floats, azimuths: Floats) -> tuple[Floats, Mask]:
    """β at each azimuth, and whether the outline is the lower rim there."""
    rim = _rim(solid)
    away = (camera[:2] - np.array([solid.x, solid.y])) @ np.stack([np.cos(azimuths), np.sin(azimuths)])
    away = away - (solid.radius - rim)
    upper = _elevation(away, camera[2] - (solid.thickness - rim), rim)
    lower = _elevation(away, camera[2] - rim, rim)
    near = upper < 0
    return np.where(near, np.minimum(lower, 0.0), upper), np.asarray(near)


def _rim(solid: Solid) -> float:
    return max(min(solid.rim, solid.thickness / 2, solid.radius), 0.0)


def _elevation(away: Floats, above: float, rim: float) -> Floats:
    """β of the tangent plane: away · cos β + above · sin β = rim, on the branch whose normal points outwards."""
    distance = np.hypot(away, above)
    return np.arctan2(above, away) - np.arccos(np.clip(rim / np.maximum(distance, 1e-9), -1, 1))
