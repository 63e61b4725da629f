"""Which of several edges is the outline: grooves and bevels lie inside it, so the outermost that goes round."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inspect_kit.vision.arrays import Floats, Light, Pixels, Whole
from inspect_kit.vision.disc import tuning
from inspect_kit.vision.disc.solid import Solid, outline
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.fitting.edge_peaks import peaks_of, significant, steepness
from inspect_kit.vision.fitting.edge_step import profiles
from inspect_kit.vision.optics.pose import View


def outermost(pixels: Pixels, view: View, guess: Solid) -> Solid | Unfit:
    """The solid around the guess whose outline is the outermost edge that goes round far enough."""
    azimuths = np.linspace(0, 2 * np.pi, tuning.OUTER_EDGE_LINES, endpoint=False)
    feet = view.pixels(outline(guess, view.centre, azimuths))
    outer = view.pixels(outline(replace(guess, radius=guess.radius + 0.5), view.centre, azimuths))
    scale = np.maximum(np.linalg.norm(outer - feet, axis=1) * 2, 1e-6)
    normals = (outer - feet) * 2 / scale[:, None]
    places, heights = _peaks(pixels, feet, normals, float(np.median(scale)))
    offsets = np.where(heights > 0, places / scale[:, None], np.nan)
    # On the near side the face's edge shows inside the outline; where the wall looks like the ground, it alone is seen.
    faces = view.pixels(_face_edge(guess, azimuths))
    inside = np.maximum(((feet - faces) * normals).sum(axis=1), 0) / scale
    offsets = np.concatenate([offsets, np.where(inside[:, None] > 0.15, offsets + inside[:, None], np.nan)], axis=1)
    # A shadow's edge is fainter than a piece's: edges count by their steepness within the line.
    counts = np.tile(np.sqrt(heights / np.maximum(heights.max(axis=1, keepdims=True), 1e-9)), 2)
    design = np.column_stack([np.cos(azimuths), np.sin(azimuths), np.ones(tuning.OUTER_EDGE_LINES)])
    tolerance = max(tuning.OUTER_EDGE_TOLERANCE, 1.0 / float(np.median(scale)))
    move = _best_move(offsets, counts, design, tolerance)
    if move is None:
        return Unfit("no edge goes round it")
    move, support = _polished(offsets, design, move, tolerance)
    if support < tuning.OUTER_EDGE_LEAST_SUPPORT:
        return Unfit(f"only {support:.0%} of its outline is seen")
    return replace(guess, x=guess.x + float(move[0]), y=guess.y + float(move[1]), radius=guess.radius + float(move[2]))


def _peaks(pixels: Pixels, feet: Floats, normals: Floats, scale: float) -> tuple[Floats, Floats]:
    """Places of the steepest light along each line (pixels, a fixed number a line), and how steep; 0 for no edge."""
    profile = profiles(pixels, feet, normals, tuning.OUTER_EDGE_REACH * scale, smooth=0.03 * scale)
    slope = steepness(profile, max(0.8, 0.05 * scale))
    height = np.where(peaks_of(slope) & (slope > significant(profile, slope, 0.6 * scale)), slope, 0)
    best = np.argsort(-height, axis=1)[:, : tuning.OUTER_EDGE_PEAKS]
    return profile.steps[best], np.take_along_axis(height, best, axis=1)


def _face_edge(solid: Solid, azimuths: Floats) -> Floats:
    reach = solid.radius - 0.4 * min(solid.rim, solid.thickness / 2)
    return np.column_stack(
        [
            solid.x + reach * np.cos(azimuths),
            solid.y + reach * np.sin(azimuths),
            np.full(len(azimuths), solid.thickness),
        ]
    )


def _best_move(offsets: Floats, counts: Floats, design: Floats, tolerance: float) -> Floats | None:
    """Circles through three edges each: the one with many edges on it and few outside of it."""
    outlines = offsets[:, : tuning.OUTER_EDGE_PEAKS]
    random = np.random.default_rng(len(offsets))
    rows = np.nonzero(np.isfinite(outlines).any(axis=1))[0].astype(np.intp)
    if len(rows) < 0.3 * len(offsets):
        return None
    moves = _trial_moves(outlines, design, rows, random)
    if not len(moves):
        return None
    moves = _settled(moves, offsets, design, tolerance)
    apart = _apart(moves, offsets, design)
    weight = counts.T.astype(np.float32)[:, None, :]
    on = ((np.abs(apart) < tolerance) * weight).max(axis=0).mean(axis=1)
    outside = apart[: tuning.OUTER_EDGE_PEAKS]
    far = (outside > 2 * tolerance) & (outside < tuning.OUTER_EDGE_OUTSIDE)
    beyond = (far * weight[: tuning.OUTER_EDGE_PEAKS]).max(axis=0).mean(axis=1)
    score = on - 0.6 * beyond + 0.02 * moves[:, 2]
    score = np.where(on >= 0.6 * on.max(), score, -1.0)
    return np.asarray(moves[int(score.argmax())], dtype=np.float64)


def _apart(moves: Floats, offsets: Floats, design: Floats) -> Light:
    """How far outside of every trial each edge of a line lies: edges × moves × lines."""
    return (offsets.T[:, None, :] - (moves @ design.T)[None]).astype(np.float32)


def _trial_moves(offsets: Floats, design: Floats, rows: Whole, random: np.random.Generator) -> Floats:
    """Moves of the guess (x, y, radius) that lead through three edges far apart."""
    count = len(rows)
    first = random.integers(0, count, tuning.OUTER_EDGE_TRIALS)
    spread = random.integers(count // 5, count // 2, (tuning.OUTER_EDGE_TRIALS, 2))
    chosen = rows[np.stack([first, (first + spread[:, 0]) % count, (first + spread.sum(axis=1)) % count], axis=1)]
    # The outermost edge of a line is the likeliest one, the next one half as likely, and so on.
    rank = np.minimum(
        random.geometric(0.5, (tuning.OUTER_EDGE_TRIALS, 3)) - 1, np.isfinite(offsets[chosen]).sum(axis=2) - 1
    )
    outwards = -np.sort(-np.nan_to_num(offsets[chosen], nan=-np.inf), axis=2)
    values = np.take_along_axis(outwards, rank[:, :, None], axis=2)[:, :, 0]
    systems = design[chosen]
    good = (np.abs(np.linalg.det(systems)) > 0.3) & np.isfinite(values).all(axis=1)
    moves = np.linalg.solve(systems[good], values[good][:, :, None])[:, :, 0]
    return np.asarray(
        moves[(np.hypot(moves[:, 0], moves[:, 1]) < 2.0) & (np.abs(moves[:, 2]) < tuning.OUTER_EDGE_REACH)]
    )


def _settled(moves: Floats, offsets: Floats, design: Floats, tolerance: float) -> Floats:
    """Each trial after one step of least squares: three edges alone lead past many that belong to the same circle."""
    apart = np.nan_to_num(_apart(moves, offsets, design), nan=np.inf)
    nearest = np.take_along_axis(apart, np.abs(apart).argmin(axis=0)[None], axis=0)[0].astype(np.float64)
    on = np.abs(nearest) < 2 * tolerance
    squares = (design[:, :, None] * design[:, None, :]).reshape(len(design), 9)
    normal = (on.astype(np.float64) @ squares).reshape(-1, 3, 3) + 1e-6 * np.eye(3)
    right = np.where(on, nearest, 0.0) @ design
    return np.asarray(moves + np.linalg.solve(normal, right[:, :, None])[:, :, 0])


def _polished(offsets: Floats, design: Floats, move: Floats, tolerance: float) -> tuple[Floats, float]:
    """Least squares on the edges that agree, a few times."""
    support = 0.0
    for _ in range(4):
        apart = np.abs(offsets - (design @ move)[:, None])
        apart = np.where(np.isfinite(apart), apart, np.inf)
        rows = np.nonzero(apart.min(axis=1) < tolerance)[0]
        support = len(rows) / len(offsets)
        if len(rows) < 8:
            break
        values = offsets[rows, apart[rows].argmin(axis=1)]
        move = np.linalg.lstsq(design[rows], values, rcond=None)[0]
    return move, support
