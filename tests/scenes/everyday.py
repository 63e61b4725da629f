"""Grounds with everyday things of known size: sheets of paper and cards on tables of several looks, seeded and exact."""

from __future__ import annotations

import cv2
import numpy as np

from tests.scenes.grounds import wood
from tests.scenes.render import Ground

PER_MM = 5.0
TABLES = ("wood", "dark", "cloth", "stone")


def table(look: str, size: tuple[float, float], seed: int) -> np.ndarray:
    """A table's top in linear light."""
    random = np.random.default_rng(seed)
    rows, columns = round(size[1] * PER_MM), round(size[0] * PER_MM)
    if look == "wood":
        return wood(size, seed, PER_MM)
    grain = random.standard_normal((rows, columns)).astype(np.float32)
    if look == "dark":
        soft = cv2.GaussianBlur(grain, (0, 0), 2)
        return (0.05 * (1 + 0.1 * soft / soft.std()))[:, :, None] * np.array([1, 1, 1.1], np.float32)
    if look == "cloth":
        y, x = np.indices((rows, columns), dtype=np.float32) / PER_MM
        checks = 0.5 + 0.25 * np.sign(np.sin(x / 4.0)) + 0.25 * np.sign(np.sin(y / 4.0))
        return checks[:, :, None] * np.array([0.45, 0.08, 0.07], np.float32) + 0.03
    soft = cv2.GaussianBlur(grain, (0, 0), 6)
    return np.clip(0.22 + 0.06 * soft / soft.std(), 0.08, 0.45)[:, :, None] * np.array([1, 0.97, 0.9], np.float32)


def _cover(
    shape: tuple[int, int], size: tuple[float, float], centre: tuple[float, float], turn: float, corner: float
) -> np.ndarray:
    """How much of each pixel a rounded rectangle covers, by the distance from its outline."""
    y, x = np.indices(shape, dtype=np.float32)
    x = (x + 0.5 - shape[1] / 2) / PER_MM - centre[0]
    y = (shape[0] / 2 - y - 0.5) / PER_MM - centre[1]
    u, v = np.cos(turn) * x + np.sin(turn) * y, -np.sin(turn) * x + np.cos(turn) * y
    p, q = np.abs(u) - (size[0] / 2 - corner), np.abs(v) - (size[1] / 2 - corner)
    outside = np.hypot(np.maximum(p, 0), np.maximum(q, 0)) + np.minimum(np.maximum(p, q), 0) - corner
    return np.clip(0.5 - outside * PER_MM, 0, 1)[:, :, None].astype(np.float32)


def paper_on(look: str, size: tuple[float, float], turn: float = 0.0, seed: int = 1, shade: float = 0.0) -> Ground:
    """A white sheet in the middle of a table; `shade` is how much of the light a soft shadow over one corner takes."""
    whole = (480.0, 480.0)
    ground = table(look, whole, seed)
    cover = _cover(ground.shape[:2], size, (0.0, 0.0), turn, 0.0)
    light = ground * (1 - cover) + np.float32(0.78) * cover
    if shade:
        y, x = np.indices(ground.shape[:2], dtype=np.float32) / (whole[0] * PER_MM)
        light = light * (1 - shade / (1 + np.exp((x + y - 0.72) * 30)))[:, :, None].astype(np.float32)
    return light, whole


def card_on(
    look: str,
    colour: tuple[float, float, float],
    place: tuple[float, float],
    turn: float,
    seed: int,
    shadow: tuple[float, float] = (0.0, 0.0),
) -> Ground:
    """A bank card with a stripe, a chip and lines of writing, beside the middle of a table; `shadow` is how far its own
    falls, mm."""
    whole = (360.0, 300.0)
    ground = table(look, whole, seed)
    shape = ground.shape[:2]
    face = np.ones_like(ground) * np.array(colour, np.float32)
    way = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])

    def laid(
        size: tuple[float, float], at: tuple[float, float], light: tuple[float, float, float], corner: float
    ) -> None:
        centre = np.array(place) + at[0] * way[0] + at[1] * way[1]
        part = _cover(shape, size, (float(centre[0]), float(centre[1])), turn, corner)
        face[:] = face * (1 - part) + part * np.array(light, np.float32)

    laid((12.0, 9.5), (-26.0, 4.0), (0.6, 0.5, 0.2), 1.5)
    laid((70.0, 8.0), (0.0, 20.0), (0.04, 0.04, 0.05), 0.0)
    laid((55.0, 2.5), (-8.0, -10.0), (0.8, 0.8, 0.8), 0.5)
    laid((30.0, 2.0), (-20.0, -18.0), (0.1, 0.1, 0.1), 0.5)
    cover = _cover(shape, (85.60, 53.98), place, turn, 3.18)
    if any(shadow):
        shaded = _cover(shape, (85.60, 53.98), (place[0] + shadow[0], place[1] + shadow[1]), turn, 3.18)
        ground = ground * (1 - np.float32(0.75) * cv2.GaussianBlur(shaded, (0, 0), 0.1 * PER_MM)[:, :, None])
    return ground * (1 - cover) + face * cover, whole
