"""One disc measured: the outline of a solid fitted to sub-pixel edges, with everything its uncertainty is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.disc import tuning
from inspect_kit.vision.disc.rim_network import further, looks
from inspect_kit.vision.disc.rim_shading import shading
from inspect_kit.vision.disc.solid import Solid, elevations, outline, solid_of, surface_slopes
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.fitting.edge_peaks import peaks_of, significant, steepness
from inspect_kit.vision.fitting.edge_shading import Shading
from inspect_kit.vision.fitting.edge_step import TOGETHER, Edges, Optics, Profiles, averaged, fit_edges, profiles
from inspect_kit.vision.fitting.least_squares import inverse, robust_deviation
from inspect_kit.vision.optics.camera import COUNT
from inspect_kit.vision.optics.pose import View, view_slopes

_ROUNDS: Final = 3
"""Times the lines are laid anew across the outline last fitted."""
_SETTLED: Final = 0.8
"""Pixels by which the outline still may move before the last step."""


@dataclass(frozen=True)
class Shape:
    """What is known of the pieces beforehand: thickness and rim radius with their standard uncertainties, mm."""

    thickness: float
    u_thickness: float
    rim: float
    u_rim: float


@dataclass(frozen=True)
class Disc:
    """A fitted disc. Contributions to the radius are standard uncertainties with their signs, in mm.

    `by_view` are the derivatives of the radius by camera and pose; `resolution` is pixels a mm at the piece.
    """

    solid: Solid
    edge: float
    by_thickness: float
    by_rim: float
    by_view: Floats
    resolution: float
    contrast: float
    azimuths: Floats
    deviations: Floats
    """Radial deviations of the edge from the fitted solid, mm, NaN where no edge was seen."""
    scatter: float
    outline: Floats
    centre: Floats
    relief: float = 0.0
    """mm by which milling stands out of the mean outline; the radius includes it."""
    near_seen: float = 1.0
    """The share of the half towards the camera, where the outline is the foot, that has an edge on it."""

    @property
    def outer_reading(self) -> float:
        """mm by which edges outside of the fitted outline outweigh those inside, where the contrast hardly tells; at
        least a share of the rim, which is darker than the face or mirrors the ground, and somewhere as bright as that;
        and half the rim where no foot is seen: then the outline may be the upper face's."""
        return max(self._fainter, tuning.FACE_OR_RIM * self.solid.rim if self.near_seen < tuning.NO_FOOT else 0.0)

    @property
    def _fainter(self) -> float:
        low, high = tuning.TWO_OUTLINES
        doubt = float(np.clip((high - self.contrast) / (high - low), 0.0, 1.0))
        inwards, outwards = np.nanpercentile(self.deviations, [10, 90])
        return doubt * max(float(inwards + outwards), tuning.RIM_AS_GROUND * self.solid.rim)


@dataclass(frozen=True)
class RimLines:
    """Lines across the outline in the photo, and how the outline moves across them: with the solid's five
    numbers, and with camera and pose."""

    azimuths: Floats
    feet: Floats
    normals: Floats
    slopes: Floats
    by_view: Floats
    shading: Shading
    rise: Floats
    """Of the surface's normal where the outline lies, radians."""
    near: Mask
    """Lines on the side towards the camera, where the outline is the piece's foot."""


def outline_pixels(view: View, solid: Solid, azimuths: Floats) -> Floats:
    """The solid's outline in the photo."""
    return view.pixels(outline(solid, view.centre, azimuths))


def fit_disc(pixels: Pixels, view: View, guess: Solid, shape: Shape, optics: Optics) -> Disc | Unfit:
    """The disc whose outline is seen near the guess; `Unfit` says why there is none to be measured."""
    solid = guess
    for _ in range(_ROUNDS):
        before = solid
        lines = lines_across(view, solid)
        edges, _ = _edges(pixels, view, solid, lines, optics)
        weights = line_weights(lines, edges, solid, shape, tuning.ROUGH)
        if (weights > 0.005).mean() < 0.25:
            return Unfit("its outline is not seen clearly enough")
        solid, _ = _step(lines, edges.offset, weights, solid, shape)
        if _apart(solid, guess) > 4:
            return Unfit("its edge is not the edge of a disc")
        if _apart(solid, before) * view.resolution(solid.centre) < _SETTLED:
            break
    return _described(pixels, view, solid, shape, optics)


def is_face_only(pixels: Pixels, view: View, disc: Disc, optics: Optics) -> bool:
    """Whether edges outside of a fitted outline show that it is the upper face's: beyond its own outline, on the side
    away from the camera, a disc has none. A glossy rim mirrors the mat and looks like it; or the face mirrors the sky,
    is seen all around, and the rim is dark."""
    further = [share * disc.solid.rim for share in tuning.RIM_SHARES if share * disc.solid.rim > tuning.FACE_APART]
    wider = (replace(disc.solid, radius=disc.solid.radius + each) for each in further)
    return any(_far_share(pixels, view, solid, optics) > tuning.SECOND_OUTLINE for solid in wider)


def _far_share(pixels: Pixels, view: View, solid: Solid, optics: Optics) -> float:
    """The share of the far half of an outline that has an edge on it."""
    lines = lines_across(view, solid)
    edges, _ = _edges(pixels, view, solid, lines, optics)
    on = (edges.contrast > 0.015) & (np.abs(edges.offset) < max(0.15 * view.resolution(solid.centre), 1.2))
    return float(on[~lines.near].mean()) if (~lines.near).any() else 0.0


def _apart(one: Solid, other: Solid) -> float:
    """How far the outlines lie apart at most, mm."""
    return float(np.hypot(one.x - other.x, one.y - other.y) + abs(one.radius - other.radius))


def lines_across(view: View, solid: Solid) -> RimLines:
    """Lines across the solid's outline, a few pixels apart."""
    rough = outline_pixels(view, solid, np.linspace(0, 2 * np.pi, 72, endpoint=False))
    length = float(np.linalg.norm(np.roll(rough, -1, axis=0) - rough, axis=1).sum())
    count = int(np.clip(length / 4.5, tuning.LEAST_LINES, tuning.MOST_LINES))
    azimuths = np.linspace(0, 2 * np.pi, count, endpoint=False)
    feet, normals = _across(view, solid, azimuths)
    shade = shading(view, solid, azimuths, feet, normals)
    table = _line_slopes(view, solid, azimuths, normals)
    return RimLines(azimuths, feet, normals, *table, shade, *elevations(solid, view.centre, azimuths))


def _line_slopes(view: View, solid: Solid, azimuths: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """How the outline moves across the lines with the solid's five numbers, and with camera and pose.

    A point of the outline that slides on the surface stays in the plane that touches it, so in the photo it moves along
    the outline: what counts is how each point of the surface moves, wherever on it the outline then lies.
    """
    by_view = np.einsum("nij,ni->nj", view_slopes(view.vector, outline(solid, view.centre, azimuths)), normals)
    by_place = by_view[:, COUNT + 3 :] @ view.rotation
    return np.einsum("nj,njk->nk", by_place, surface_slopes(solid, view.centre, azimuths)), by_view


def _across(view: View, solid: Solid, azimuths: Floats) -> tuple[Floats, Floats]:
    """Points of the outline in the photo and the outward normals there."""
    turn = 1e-3
    around = np.concatenate([azimuths, azimuths + turn, azimuths - turn])
    feet, ahead, behind = np.split(outline_pixels(view, solid, around), 3)
    along = ahead - behind
    normals = np.column_stack([-along[:, 1], along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    return feet, normals * np.sign(((feet - feet.mean(axis=0)) * normals).sum(axis=1))[:, None]


def _edges(pixels: Pixels, view: View, solid: Solid, lines: RimLines, optics: Optics) -> tuple[Edges, Profiles]:
    """The edges, and the picture they were found in: each line is the mean of a few beside one another."""
    gap = 2 * np.pi / len(lines.azimuths) / TOGETHER
    dense = (lines.azimuths[:, None] + gap * (np.arange(TOGETHER) - (TOGETHER - 1) / 2)[None, :]).ravel()
    resolution = view.resolution(solid.centre)
    profile = averaged(profiles(pixels, *_across(view, solid, dense), shown_reach(resolution, optics)))
    return edges_in(profile, lines, solid, resolution, optics), profile


def _half(optics: Optics) -> float:
    """Pixels to both sides of an edge that are explained."""
    return 4.0 if optics.blur is None else float(np.clip(3.0 * optics.blur, 3.0, 9.0))


def _reach(resolution: float) -> float:
    return max(tuning.REACH * resolution, 1.5)


def shown_reach(resolution: float, optics: Optics) -> float:
    """Pixels to both sides of the outline that are looked at."""
    return _reach(resolution) + 1.6 * _half(optics) + 1.0


def edges_in(profile: Profiles, lines: RimLines, solid: Solid, resolution: float, optics: Optics) -> Edges:
    """Around the outermost significant edge near the outline."""
    reach, half = _reach(resolution), _half(optics)
    slope = steepness(profile)
    peak = (
        peaks_of(slope) & (slope > significant(profile, slope, 0.5 * half)) & (np.abs(profile.steps) <= reach)[None, :]
    )
    start = np.where(peak, profile.steps[None, :], -np.inf).max(axis=1)
    seen = np.isfinite(start)
    width = float(np.clip(tuning.SEAM * solid.thickness, 0.3, 1.5)) * resolution
    edges = fit_edges(profile, np.where(seen, start, 0.0), half, lines.shading, replace(optics, seam=width))
    return replace(edges, contrast=np.where(seen, edges.contrast, 0.0))


def line_weights(lines: RimLines, edges: Edges, solid: Solid, shape: Shape, least: float) -> Floats:
    """Tukey's biweight around the fit: lines that met a shadow, a neighbour or a glint do not count.

    Nothing stands out of a disc, but notches and milling go into it, and its diameter is the largest one: inwards the
    bound is narrower, and the scatter is that of the outer half.
    """
    usable = (edges.contrast > max(0.015, 0.15 * float(np.median(edges.contrast)))) & (edges.misfit < 0.35)
    usual = max(tuning.LINE_SCATTER**2, float(np.median(edges.variance[usable])) if usable.any() else 0.0)
    trust = (
        usable.astype(np.float64)
        * np.minimum(1.0, 2 * usual / (usual + edges.variance))
        * np.where(lines.near, tuning.NEAR_TRUST, 1.0)
    )
    weights = trust
    for _ in range(8):
        if (weights > 0).sum() < 16:
            return weights
        _, residuals = _step(lines, edges.offset, weights, solid, shape)
        spread = max(robust_deviation(residuals[usable & (residuals > 0)]), least)
        u = residuals / (spread * np.where(residuals < 0, tuning.INWARDS, tuning.OUTWARDS))
        weights = np.where(np.abs(u) < 1, trust * (1 - u**2) ** 2, 0.0)
    return weights


def _normal_equations(lines: RimLines, weights: Floats, variance: float, shape: Shape) -> Floats:
    known = np.diag([0, 0, 0, 1 / max(shape.u_thickness, 1e-4) ** 2, 1 / max(shape.u_rim, 1e-4) ** 2])
    kept = (lines.slopes * weights[:, None]).T @ lines.slopes / variance
    return np.asarray(kept + known + 1e-9 * np.eye(5), dtype=np.float64)


def _step(lines: RimLines, offset: Floats, weights: Floats, solid: Solid, shape: Shape) -> tuple[Solid, Floats]:
    """The most probable solid after one linear step, and what is left over on each line."""
    variance = tuning.SYSTEMATIC * 0.15**2
    normal = _normal_equations(lines, weights, variance, shape)
    right = (lines.slopes * weights[:, None]).T @ offset / variance
    right[3] += (shape.thickness - solid.thickness) / max(shape.u_thickness, 1e-4) ** 2
    right[4] += (shape.rim - solid.rim) / max(shape.u_rim, 1e-4) ** 2
    move = np.linalg.solve(normal, right)
    new = solid.vector + move
    new[3] = max(new[3], 0.2)
    new[4] = float(np.clip(new[4], 0.0, new[3] / 2))
    residuals = offset - lines.slopes @ (new - solid.vector)
    return solid_of(new), residuals


def _described(pixels: Pixels, view: View, solid: Solid, shape: Shape, optics: Optics) -> Disc | Unfit:
    """The last step to a settled solid, with everything its uncertainty is made of."""
    lines = lines_across(view, solid)
    edges, profile = _edges(pixels, view, solid, lines, optics)
    weights = line_weights(lines, edges, solid, shape, tuning.CLOSE)
    good = weights > 0.005
    solid, residuals = _step(lines, edges.offset, weights, solid, shape)
    near = (edges.contrast > 0) & (np.abs(residuals) < max(0.15 * view.resolution(solid.centre), 1.2))
    cover = float(near.mean())
    # A wall in its own shadow may look like the ground; the far side is then all that is seen, and it is enough.
    whole = cover >= tuning.LEAST_COVER or (
        cover >= tuning.LEAST_HALF and float(near[~lines.near].mean()) >= tuning.FAR_COVER
    )
    scatter = robust_deviation(residuals[good])
    if not whole or good.mean() < 0.3 or scatter > max(tuning.MOST_SCATTER * view.resolution(solid.centre), 0.5):
        return Unfit(f"only {cover:.0%} of its outline is seen")
    alike = _correlation(np.where(good, residuals, 0.0))
    variance = max(tuning.SYSTEMATIC * 0.15**2, alike * scatter**2)
    normal = _normal_equations(lines, weights, variance, shape)
    gain = inverse(normal)
    spread = gain @ (lines.slopes.T * weights) / variance
    resolution = view.resolution(solid.centre)
    outward = float(spread[2] @ _further(profile, edges, lines, solid, resolution))
    relief = _relief(scatter, float(np.median(edges.variance[good])), resolution)
    radial = np.where(lines.slopes[:, 2] > 0.2 * resolution, lines.slopes[:, 2], np.nan)
    return Disc(
        solid=replace(solid, radius=solid.radius + outward + relief),
        edge=float(np.sqrt(alike) * scatter * np.sqrt((spread[2] ** 2).sum())),
        by_thickness=float(gain[2, 3] / max(shape.u_thickness, 1e-4)),
        by_rim=float(gain[2, 4] / max(shape.u_rim, 1e-4)),
        by_view=-spread[2] @ lines.by_view,
        resolution=resolution,
        contrast=float(np.median(edges.contrast[good])),
        azimuths=lines.azimuths,
        deviations=np.where(good, residuals / radial, np.nan),
        scatter=scatter,
        outline=lines.feet,
        centre=view.pixels(solid.centre[None])[0],
        relief=relief,
        near_seen=float(near[lines.near].mean()) if lines.near.any() else 1.0,
    )


def _further(profile: Profiles, edges: Edges, lines: RimLines, solid: Solid, resolution: float) -> Floats:
    """Pixels by which light has moved each edge inwards: a rim that turns away from the sky takes on the light of the
    ground, and passes for it. On the near side the outline is the foot, of which nothing is known."""
    if edges.lighter < tuning.LIGHTER:
        return np.zeros(len(edges.offset))
    said = further(looks(profile, edges, lines.rise, (solid.rim, resolution)))
    return np.where(lines.near, 0.0, np.clip(said, -tuning.MOST_MOVED, tuning.MOST_MOVED))


def _relief(scatter: float, variance: float, resolution: float) -> float:
    """Milling and notches of a rim, where the picture is fine enough to tell them from noise (mm).

    The largest diameter goes over their tops; a wave's top is one and a half of its deviations above its middle.
    """
    if resolution < tuning.FINE:
        return 0.0
    excess = scatter**2 - 9 * variance - 0.25**2
    return float(1.5 * np.sqrt(max(excess, 0.0)) / resolution)


def _correlation(residuals: Floats) -> float:
    """How many neighbouring lines count as one: 1 + 2 Σ of their correlations up to the first that is not positive."""
    power = np.abs(np.fft.rfft(residuals)) ** 2
    alike = np.fft.irfft(power, n=len(residuals))
    total = 1.0
    for lag in range(1, len(residuals) // 6):
        share = float(alike[lag] / max(alike[0], 1e-12))
        if share <= 0.02:
            break
        total += 2 * share
    return total


def inside_picture(points: Floats, pixels: Pixels, margin: float) -> Mask:
    """Which points lie in the picture, not too near its border."""
    limit = np.array([pixels.shape[1], pixels.shape[0]]) - 1 - margin
    return np.asarray(np.all((points > margin) & (points < limit), axis=1))
