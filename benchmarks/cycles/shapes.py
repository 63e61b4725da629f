"""Outlines of turned pieces and of ink: fillets, profiles and coverage by signed distance, in mm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def filleted(corners: list[tuple[float, float, float]], steps: int = 10) -> Array:
    """A polyline whose inner corners (x, y, radius) are rounded; the first and last stay as they are."""
    points = np.array([corner[:2] for corner in corners])
    out = [points[0]]
    for before, at, after, radius in zip(points, points[1:], points[2:], [c[2] for c in corners[1:]], strict=False):
        a, b = (before - at) / np.linalg.norm(before - at), (after - at) / np.linalg.norm(after - at)
        half = np.arccos(np.clip(a @ b, -1, 1)) / 2
        if radius <= 0 or half > 1.57:
            out.append(at)
            continue
        reach, middle = radius / np.tan(half), at + (a + b) / np.linalg.norm(a + b) * radius / np.sin(half)
        start, end = at + a * reach - middle, at + b * reach - middle
        turn = np.arctan2(start[0] * end[1] - start[1] * end[0], start @ end)
        for angle in np.linspace(0, turn, steps + 1):
            c, s = np.cos(angle), np.sin(angle)
            out.append(middle + np.array([c * start[0] - s * start[1], s * start[0] + c * start[1]]))
    return np.array([*out, points[-1]])


def disc_profile(
    diameter: float, thickness: float, rim: float, grooves: list[tuple[float, float, float]], barrel: float = 0.0
) -> Array:
    """From the axis below to the axis above (radius, height); a groove is (radius, width, depth), outermost first."""
    r = diameter / 2
    corners = [(0.0, 0.0, 0.0), (r - barrel, 0.0, rim)]
    if barrel:
        corners.append((r, thickness / 2, 4 * thickness))
    corners.append((r - barrel, thickness, rim))
    for at, width, depth in grooves:
        soft = 0.3 * min(width, depth)
        corners += [(at + width / 2, thickness, soft), (at + width / 5, thickness - depth, soft),
                    (at - width / 5, thickness - depth, soft), (at - width / 2, thickness, soft)]  # fmt: skip
    return filleted([*corners, (0.0, thickness, 0.0)])


@dataclass(frozen=True)
class Base:
    """A figure's base: widest between foot and upper face, each part a superellipse cut off."""

    height: float
    diameter: float
    widest_at: float
    foot_diameter: float
    shoulder_diameter: float
    lower_power: float
    upper_power: float
    fullness: float
    edge: str
    edge_size: float

    def profile(self) -> Array:
        """(radius, height) from the foot up to the axis of the upper face."""
        z = self.widest_at * (1 - np.cos(np.linspace(0, np.pi / 2, 40)))
        lower = self._part(z, self.widest_at, self.foot_diameter / 2, self.lower_power)
        rise = self.height - self.widest_at
        z_up = rise * np.sin(np.linspace(0, np.pi / 2, 80))
        upper = self._part(rise - z_up, rise, self.shoulder_diameter / 2, self.upper_power)
        side = np.vstack([np.column_stack([lower, z]), np.column_stack([upper, self.widest_at + z_up])[1:]])
        return self._finished(side)

    def _part(self, z: Array, rise: float, end: float, power: float) -> Array:
        """Radius at a height z above the narrow end, which lies `rise` from the widest place."""
        full = self.diameter / 2
        fall = 1 - (1 - (self.fullness * (1 - z / rise)) ** power) ** (1 / power)
        return full - (full - end) * fall / (1 - (1 - self.fullness**power) ** (1 / power))

    def _finished(self, side: Array) -> Array:
        top = self.height
        if self.edge == "sharp":
            return np.vstack([side, [[0.0, top]]])
        keep = side[side[:, 1] < top - self.edge_size]
        last, before = keep[-1], keep[-2]
        corner_r = float(last[0] + (last[0] - before[0]) / (last[1] - before[1]) * (top - last[1]))
        if self.edge == "cut":
            return np.vstack([keep, [[corner_r - self.edge_size, top], [0.0, top]]])
        reach = float(np.hypot(corner_r - last[0], top - last[1]))
        inner = np.arccos(np.clip((last - [corner_r, top]) @ [-1.0, 0.0] / reach, -1, 1)) / 2
        arc = filleted([(*before, 0.0), (corner_r, top, 0.98 * reach * np.tan(inner)), (0.0, top, 0.0)], 24)
        return np.vstack([keep[:-1], arc[1:]])

    def top_diameter(self) -> float:
        """Of the upper face: to its corner, or, of a rounded edge, to where it has fallen by 0.05 mm."""
        profile = self.profile()
        if self.edge in ("sharp", "cut"):
            return float(2 * profile[-2, 0])
        below = profile[profile[:, 1] >= self.widest_at]
        return float(2 * np.interp(self.height - 0.05, below[:, 1], below[:, 0]))


class Ink:
    """Coverage of a square surface by one ink, drawn without bias: each pixel takes the share that lies inside."""

    def __init__(self, side: float, per_mm: float) -> None:
        self.side, self.per_mm = side, per_mm
        self.mask = np.zeros((round(side * per_mm),) * 2, np.float32)

    def polygon(self, points: Array) -> None:
        """Fill a simple polygon."""
        self._draw(points.min(0), points.max(0), lambda p: _polygon_distance(p, points))

    def strip(self, start: Array, end: Array, width: float) -> None:
        """A straight stroke with square ends."""
        along = (end - start) / np.linalg.norm(end - start)
        across = np.array([-along[1], along[0]]) * width / 2
        self.polygon(np.array([start + across, end + across, end - across, start - across]))

    def disc(self, middle: Array, diameter: float, ink: float = 1.0) -> None:
        """A filled circle; with `ink` 0, one that is wiped clean."""
        reach = diameter / 2
        self._draw(middle - reach, middle + reach, lambda p: np.hypot(*(p - middle).transpose(2, 0, 1)) - reach, ink)

    def ring(self, middle: Array, outer: float, stroke: float, arc: tuple[float, float] | None = None) -> None:
        """An outline of which `outer` is the outer diameter; `arc` (middle, half opening, rad) leaves a part open."""

        def distance(p: Array) -> Array:
            offset = p - middle
            ring = np.abs(np.hypot(offset[..., 0], offset[..., 1]) - (outer - stroke) / 2) - stroke / 2
            if arc is None:
                return ring
            turn = np.arctan2(offset[..., 1], offset[..., 0]) - arc[0]
            return np.where(np.cos(turn) > np.cos(arc[1]), 1.0, ring)

        self._draw(middle - outer / 2, middle + outer / 2, distance)

    def _draw(self, low: Array, high: Array, distance: Callable[[Array], Array], ink: float = 1.0) -> None:
        """x to the right, y up; row 0 is at the top."""
        n = len(self.mask)
        x0, x1 = (int(np.clip((v + self.side / 2) * self.per_mm + e, 0, n)) for v, e in ((low[0], -2), (high[0], 3)))
        y0, y1 = (int(np.clip((self.side / 2 - v) * self.per_mm + e, 0, n)) for v, e in ((high[1], -2), (low[1], 3)))
        x = (np.arange(x0, x1) + 0.5) / self.per_mm - self.side / 2
        y = self.side / 2 - (np.arange(y0, y1) + 0.5) / self.per_mm
        cover = np.clip(0.5 - distance(np.dstack(np.meshgrid(x, y))) * self.per_mm, 0, 1)
        part = self.mask[y0:y1, x0:x1]
        part[:] = np.maximum(part, cover) if ink else part * (1 - cover)


def _polygon_distance(p: Array, corners: Array) -> Array:
    """Signed distance to a polygon, negative inside."""
    nearest, inside = np.full(p.shape[:2], np.inf), np.zeros(p.shape[:2], bool)
    for a, b in zip(corners, np.roll(corners, -1, 0), strict=True):
        edge, offset = b - a, p - a
        t = np.clip(offset @ edge / (edge @ edge), 0, 1)
        nearest = np.minimum(nearest, np.hypot(*(offset - t[..., None] * edge).transpose(2, 0, 1)))
        crosses = (a[1] > p[..., 1]) != (b[1] > p[..., 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            inside ^= crosses & (p[..., 0] < edge[0] * (p[..., 1] - a[1]) / edge[1] + a[0])
    return np.where(inside, -nearest, nearest)
