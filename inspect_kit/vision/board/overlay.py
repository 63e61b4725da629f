"""The board seen straight from above with every dimension drawn at its place, for certificates and repainting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from inspect_kit.errors import ENGLISH, BadInput, in_figures_of, notice, sentence
from inspect_kit.places import shipped
from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.board.formulas import BoardFormula, corner, formulas
from inspect_kit.vision.board.layout import CORNERS, HALF
from inspect_kit.vision.board.locate import make_mosaic
from inspect_kit.vision.board.measure import BoardResult
from inspect_kit.vision.board.refusals import unsquare
from inspect_kit.vision.board.shapes import Shapes
from inspect_kit.vision.feature import Feature
from inspect_kit.vision.optics.light import linear

Verdicts = Mapping[tuple[str, str], str]
"""Characteristic and instance → `fails`, `undecided` or anything else, from whoever judged."""

_PER_MM: Final = 1.9
"""Pixels a mm of the picture from above."""
_MARGIN: Final = 42.0
"""mm around the surface that the picture shows."""
_COLOURS: Final = {"fails": (214, 30, 30), "undecided": (200, 120, 0)}
"""Colours of verdicts other than passed."""
_SEEN: Final = 0.25
"""Degrees off a right angle: 3 mm over a side."""
_PLAIN: Final = (0, 70, 150)
"""Colour of what passed or nobody judged."""
_HALO: Final = (255, 255, 255)
"""White around words, to be read on any wood."""
_TEXT: Final = 13
"""Pixels: size of words."""
_INWARDS: Final[Mapping[str, float]] = {
    "pocket.diameter": 30, "basecircle.inner": 11, "centre.diameter": 26, "outer.diameter": 92, "arrow.thickness": -8,
    "arrow.angle": 8,
}  # fmt: skip
"""mm by which a text is moved from its place towards the board's middle."""
_ON_SPAN: Final = frozenset({"baseline.lower.distance", "baseline.spacing"})
"""Their text stands on the middle of the line that is drawn for them."""


def draw_overlay(
    result: BoardResult, verdicts: Verdicts | None = None, sheet: str = "", language: str = ENGLISH
) -> Pixels:
    """The picture; what fails is red, what is undecided orange, all else blue; `sheet` is whose limits these are."""
    scene = result.scene
    image = Image.fromarray(_straight(result))
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype(str(shipped("reports") / "fonts" / "SourceSans3-Regular.ttf"), _TEXT)
    measured = {(each.characteristic, each.instance): each for each in result.measurements}
    told = _with_corners(result, verdicts or {})
    if any(name == "surface.side" for name, _ in measured):
        _draw_surface(draw, scene.shapes)
    for formula in formulas():
        found = measured.get((formula.characteristic, formula.instance))
        if found is not None:
            verdict = told.get((found.characteristic, found.instance), "")
            text = in_figures_of(language, _words(found))
            _draw_one(draw, font, (formula, text), scene.shapes, _COLOURS.get(verdict, _PLAIN))
    _draw_legend(draw, font, sentence(notice("board-drawn", sheet=sheet), language) if sheet else "mm")
    return np.asarray(image, dtype=np.uint8)


def _with_corners(result: BoardResult, verdicts: Verdicts) -> Verdicts:
    """The verdicts, and corners that are certainly no right angles: out if one sees it, though no law says how far."""
    skewed = unsquare(result.measurements) if result.scene.bundle.cards else []
    corners = {(each.characteristic, each.instance): "fails" if abs(each.value - 90) > _SEEN else "undecided"
               for each in skewed}  # fmt: skip
    return {**verdicts, **corners}


def draw_png(result: BoardResult, verdicts: Verdicts | None = None, sheet: str = "", language: str = ENGLISH) -> bytes:
    """The picture as a PNG file; `sheet` is named as the one the colours come from."""
    drawn = draw_overlay(result, verdicts, sheet, language)
    good, encoded = cv2.imencode(".png", cv2.cvtColor(drawn, cv2.COLOR_RGB2BGR))
    if not good:
        raise BadInput("overlay-picture-could-not-written")
    return bytes(encoded.tobytes())


def _straight(result: BoardResult) -> Pixels:
    """All photos put together, north at the top, a little paler so that text can be read."""
    scene = result.scene
    reach = HALF + _MARGIN
    lights = [linear(photo.pixels) for photo in scene.photos]
    views = [scene.bundle.view(index) for index in range(len(scene.photos))]
    c = scene.placement.to_plane(np.zeros((1, 2)))[0]
    diagonal = reach * 1.4143
    mosaic = make_mosaic(lights, views, (c[0] - diagonal, c[1] - diagonal, c[0] + diagonal, c[1] + diagonal), 1.55)
    size = int(2 * reach * _PER_MM)
    corners = np.array([[-reach, reach], [reach, reach], [-reach, -reach]])
    source = mosaic.pixel(scene.placement.to_plane(corners)).astype(np.float32)
    matrix = cv2.getAffineTransform(source, np.array([[0, 0], [size, 0], [0, size]], np.float32))
    turned = cv2.warpAffine(mosaic.light, matrix, (size, size), flags=cv2.INTER_LINEAR)
    level = max(float(np.percentile(turned, 97)), 1e-3)
    codes = 255 * np.power(np.clip(turned / level * 0.8, 0, 1), 1 / 2.2)
    return np.asarray(codes * 0.75 + 64, dtype=np.uint8)


def _at(point: Floats) -> tuple[float, float]:
    reach = HALF + _MARGIN
    return float((point[0] + reach) * _PER_MM), float((reach - point[1]) * _PER_MM)


def _draw_surface(draw: ImageDraw.ImageDraw, shapes: Shapes) -> None:
    if all(("foot", side) in shapes for side in "nesw"):
        corners = [_at(corner(shapes, name)) for name in CORNERS]
        draw.line([*corners, corners[0]], fill=(0, 150, 90), width=1)


Font = ImageFont.FreeTypeFont


def _draw_one(
    draw: ImageDraw.ImageDraw,
    font: Font,
    both: tuple[BoardFormula, str],
    shapes: Shapes,
    colour: tuple[int, int, int],
) -> None:
    formula, text = both
    if formula.ends is not None and not formula.characteristic.startswith(
        ("basecircle.diameter", "basecircle.inner", "surface.diagonal")
    ):
        _draw_span(draw, *formula.ends(shapes), colour)
    place = formula.place(shapes)
    if formula.ends is not None and formula.characteristic in _ON_SPAN:
        place = np.asarray(np.mean(formula.ends(shapes), axis=0), dtype=np.float64)
    inwards = _INWARDS.get(formula.characteristic, 0.0)
    size = float(np.linalg.norm(place))
    if size > 1:
        place = place * (1 - inwards / size)
    elif inwards:
        place = place + np.array([0.0, -inwards])
    _draw_text(draw, font, text, _at(_spread(formula, place)), colour)


def _spread(formula: BoardFormula, place: Floats) -> Floats:
    """Texts that would lie on each other are set apart along their side."""
    along = {"baseline.lower.thickness": 105.0, "surface.side": -90.0}.get(formula.characteristic)
    if formula.characteristic == "surface.diagonal":
        return np.array([0.0, 105.0 if formula.instance == "nw-se" else 120.0])
    if along is None or not formula.instance:
        return place
    level = formula.instance in ("n", "s")
    return np.asarray(place + (np.array([along, 0.0]) if level else np.array([0.0, along])), dtype=np.float64)


def _draw_span(draw: ImageDraw.ImageDraw, start: Floats, end: Floats, colour: tuple[int, int, int]) -> None:
    a, b = _at(start), _at(end)
    draw.line([a, b], fill=colour, width=1 if colour == _PLAIN else 2)
    way = np.array(b) - np.array(a)
    size = float(np.linalg.norm(way))
    if size < 1:
        return
    tick = np.array([-way[1], way[0]]) / size * 4
    for point in (a, b):
        draw.line([tuple(np.array(point) - tick), tuple(np.array(point) + tick)], fill=colour, width=1)


_SIGNS: Final = {
    "pocket.diameter": "Ø ",
    "centre.diameter": "Ø ",
    "outer.diameter": "Ø ",
    "basecircle.diameter": "Ø ",
    "basecircle.inner": "ø ",
}


def _words(found: Feature) -> str:
    digits = 2 if found.unit == "deg" or found.value < 10 else 1
    unit = "°" if found.unit == "deg" else ""
    return f"{_SIGNS.get(found.characteristic, '')}{found.value:.{digits}f}{unit}"


def _draw_text(
    draw: ImageDraw.ImageDraw, font: Font, text: str, at: tuple[float, float], colour: tuple[int, int, int]
) -> None:
    draw.text(at, text, font=font, fill=colour, anchor="mm", stroke_width=2, stroke_fill=_HALO)


def _draw_legend(draw: ImageDraw.ImageDraw, font: Font, words: str) -> None:
    """What the colours mean, in the lower left of the margin."""
    size = 2 * (HALF + _MARGIN) * _PER_MM
    draw.text((8, size - 8), words, font=font, fill=_PLAIN, anchor="ls", stroke_width=2, stroke_fill=_HALO)
