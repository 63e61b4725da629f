"""A figure from one or several photos: what each view tells, combined; thickness, run-out and tilt from several."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import Final

import numpy as np

from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import BadInput, Notice, in_figures_of, notice, sentence
from inspect_kit.measure.document import photo_file, reading_of, seen, thinned
from inspect_kit.measure.photographed import UNCALIBRATED, combine
from inspect_kit.measure.photos import PhotoSession, Verdicts
from inspect_kit.measure.stated import UNKNOWN_SHARE, Stated, with_spread
from inspect_kit.values.value import Contribution, Value, ordered, value_of
from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.disc.measure import camera_for
from inspect_kit.vision.feature import Feature
from inspect_kit.vision.figure.measure import STANDOFF_USUAL, FigureView, measure_view
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.colour import Colour
from inspect_kit.vision.optics.overlay import Mark, Tone, draw_overlay
from inspect_kit.vision.reference.find import Placed, place

MOST_VIEWS: Final = 12
"""Photos of one figure."""
MOST_POINTS: Final = 400
"""Of an outline, so that the evidence stays small."""
STATED_STANDOFF: Final = 0.5
"""Standard uncertainty (mm) of a standoff that was stated without one."""
_ALIKE: Final = (
    "fig.height", "fig.base.height", "fig.base.diameter", "fig.base.dmax_depth", "fig.base.top_diameter",
)  # fmt: skip
"""What is the same from every side."""
_WIDTH, _THICKNESS = "fig.top.width", "fig.top.thickness"
_TURN: Final = 0.06
"""Radians by which a side view is not one: the figure turned by hand, the camera beside its place."""
_ODDS: Final = np.array([NormalDist().inv_cdf((part + 0.5) / 50) for part in range(50)])
"""A standard normal distribution in fifty equal parts."""
_WIDE_SHOWS: Final = (0.5, 0.25)
"""How much of the width shows beside the thickness, as a share of what a box would show; and its spread."""
_STOUT: Final = 0.6
"""Thickness over width from which the narrowest view is not surely one from the side."""
_DIAMETER, _RUN_OUT, _TILT = "fig.base.diameter", "fig.base.run_out", "fig.tilt"
_RANGES: Final = dict(enumerate((2.77, 3.31, 3.63, 3.86, 4.03, 4.17, 4.29, 4.39, 4.47, 4.55, 4.62), start=2))
"""Range, in standard deviations, that so many views of a round base exceed once in twenty times (studentized range)."""
_OWN: Final = ("edge", "standoff", "table", "backdrop's lean", "figure's tilt", "form of the edge")
"""Sources that differ from photo to photo, since the figure is put down anew for each."""


@dataclass(frozen=True)
class FigureSession:
    """What a set of photos of one figure gave; `corners` are the reference's in the first photo."""

    photos: tuple[Photograph, ...]
    views: tuple[FigureView, ...]
    values: tuple[Feature, ...]
    colour: Colour
    corners: Floats
    notices: tuple[Notice, ...]

    def value(self, characteristic: str) -> Feature | None:
        """What was found of a characteristic."""
        return next((each for each in self.values if each.characteristic == characteristic), None)


def photo_session(kind: str, photos: Sequence[Photograph], camera: Camera | None, stated: Stated) -> PhotoSession:
    """Measure one figure in all of its photos."""
    del kind
    session = measure_figure(photos, camera, stated)
    colour = seen("fig.base.colour", session.colour.name, stated.instance, session.colour.confidence)
    readings = (
        reading_of(each.characteristic, each, photos, instance=stated.instance, photo=each.photo, pixel=each.pixel,
                   outline=thinned(each.outline, MOST_POINTS))
        for each in session.values
    )  # fmt: skip
    return PhotoSession(photo_file(photos, (*readings, colour), session.notices), partial(_drawn, session))


def _drawn(session: FigureSession, verdicts: Verdicts, sheet: str, language: str) -> bytes:
    """The first photo: the base with its diameter, its upper face and largest circle, the top."""
    del verdicts, sheet
    first = {each.characteristic: each for each in session.views[0].measured}
    diameter = first[_DIAMETER]
    names = (_DIAMETER, "fig.base.top_diameter", "fig.base.dmax_depth", "fig.height")
    marks = [Mark(first[name].outline, ()) for name in names if name in first]
    # The words stand beside the figure, where they hide nothing.
    wide = float(np.ptp(diameter.outline[:, 0]))
    heights = np.concatenate([each.outline[:, 1] for each in first.values()])
    beside = [diameter.pixel[0] + 1.6 * wide, float((heights.min() + heights.max()) / 2)]
    marks.append(
        Mark(
            np.array([beside]),
            tuple(_words(each, language) for each in first.values() if each.characteristic in _DRAWN),
            room=1.9 * wide,
        )
    )
    if "fig.height" not in first:
        marks.append(
            Mark(np.array([diameter.pixel]), (sentence(notice("drawn-top-not-measured"), language),), Tone.DOUBT)
        )
    return draw_overlay(session.photos[0].pixels, marks, session.corners)


_DRAWN: Final = {
    "fig.height": "drawn-figure-height",
    "fig.base.height": "drawn-base-height",
    "fig.base.diameter": "drawn-base-diameter",
    "fig.base.dmax_depth": "drawn-widest-depth",
    "fig.base.top_diameter": "drawn-top-diameter",
    "fig.top.width": "drawn-top-width",
    "fig.top.thickness": "drawn-top-thickness",
}
"""What is written beside a figure for each length."""


def _words(found: Feature, language: str) -> str:
    size = in_figures_of(language, f"{found.value:.2f} ± {2 * found.standard:.2f} mm")
    return f"{sentence(notice(_DRAWN[found.characteristic]), language)} {size}"


_COARSE: Final = 75
"""Quality of a JPEG below which its blocks of 8 pixels are the likeliest reason why a base is not made out: phones
store at 85 and more, messengers at 60 to 75."""
_TOO_COARSE: Final = 50
"""Quality below which blocks pass for hands, whatever else is seen: at 40, widths were up to 1.2 mm too large (6 u)."""
_NOT_SEEN: Final = frozenset({"too-little-base", "base-not-made-out", "base-like-background", "base-impossible"})
"""Refusals of a base whose edges were not found."""


def measure_figure(photos: Sequence[Photograph], camera: Camera | None, stated: Stated) -> FigureSession:
    """Measure one figure in every photo and combine what the views say."""
    if not 1 <= len(photos) <= MOST_VIEWS:
        raise BadInput("figure-photos", count=len(photos), most_views=MOST_VIEWS)
    looks = [_look(photo, camera, stated) for photo in photos]
    views = tuple(view for _, view in looks)
    values = [*(_combined(name, views) for name in _ALIKE), *_across(views), *_all_around(views)]
    found = tuple(value for value in values if value is not None)
    said = [*_seen(photos, views), *_around_warnings(found, len(views)), *_unstated(camera, stated, len(views))]
    colour = max((view.colour for view in views), key=lambda each: each.confidence)
    return FigureSession(tuple(photos), views, found, colour, looks[0][0].known.image, tuple(said))


def _look(photo: Photograph, camera: Camera | None, stated: Stated) -> tuple[Placed, FigureView]:
    standoff = with_spread(stated.standoff or STANDOFF_USUAL, STATED_STANDOFF)
    if (photo.jpeg_quality or 100) < _TOO_COARSE:
        raise BadInput("stored-too-coarsely", where=photo.file, quality=photo.jpeg_quality)
    try:
        placed = place(photo.pixels, camera_for(photo, camera), stated.reference)
        return placed, measure_view(photo.pixels, placed, standoff, stated.scale)
    except BadInput as problem:
        if problem.fault.where:
            raise
        if problem.told.code in _NOT_SEEN and (photo.jpeg_quality or 100) < _COARSE:
            raise BadInput("stored-too-coarsely", where=photo.file, quality=photo.jpeg_quality) from None
        raise BadInput.of(problem.fault, where=photo.file) from None


def _measured(view: FigureView, name: str) -> Feature | None:
    return next((each for each in view.measured if each.characteristic == name), None)


def _shown_in(seen: tuple[int, Feature], value: Value, name: str = "") -> Feature:
    """The value, shown where a view shows it."""
    photo, feature = seen
    return replace(
        feature, value=value.value, budget=value.budget, unit=value.unit, photo=photo,
        characteristic=name or feature.characteristic,
    )  # fmt: skip


def _combined(name: str, views: Sequence[FigureView]) -> Feature | None:
    found = [(number, each) for number, view in enumerate(views) if (each := _measured(view, name)) is not None]
    if not found:
        return None
    return _shown_in(found[0], combine([each for _, each in found]))


def _across(views: Sequence[FigureView]) -> list[Feature]:
    """The widest view shows the width; the narrowest of several shows the thickness."""
    seen = [(number, each) for number, view in enumerate(views) if (each := _measured(view, _WIDTH)) is not None]
    if not seen:
        return []
    order = sorted(seen, key=lambda pair: pair[1].value)
    photo, widest = order[-1]
    values = [replace(widest, photo=photo)]
    photo, narrowest = order[0]
    if len(order) > 1 and widest.value - narrowest.value > 2 * float(np.hypot(widest.standard, narrowest.standard)):
        thickness = thickness_of(widest.value, narrowest, views[photo].aside)
        # A view from between would pass for one from the side, and a figure fail that is not too thick.
        if thickness.value < _STOUT * widest.value:
            values.append(_shown_in(order[0], thickness, _THICKNESS))
    return values


def thickness_of(width: float, seen: Value, aside: float) -> Value:
    """Of a figure seen from its side, where the camera looked from `aside` and the figure was turned by hand.

    Some of its width then shows: of a thickness t, t + c · (width − t) · |sin| of the angle by which it was no side
    view; c is 1 where it is as thick at its widest place as anywhere, and less for thin arms.
    """
    angles = np.abs(np.sin(aside + _TURN * _ODDS))
    shown = _WIDE_SHOWS[0] * float(angles.mean())
    # Places are taken in a plane parallel to the sheet, which is wider than what is seen from the side.
    value = max((seen.value * np.cos(aside) - width * shown) / (1 - shown), 0.0)
    excess = np.hypot(_WIDE_SHOWS[0] * angles.std(), _WIDE_SHOWS[1] * angles.mean())
    turned = max(width - value, 0.0) * float(excess) / (1 - shown)
    parts = [replace(part, standard=part.standard / (1 - shown)) for part in seen.budget]
    return Value(value, ordered([*parts, Contribution("turn of the figure", turned)]))


def _all_around(views: Sequence[FigureView]) -> list[Feature]:
    """By how much the base's diameter differs between the views, and the largest tilt of its axis."""
    seen = [(number, each) for number, view in enumerate(views) if (each := _measured(view, _DIAMETER)) is not None]
    if len(seen) < 2:
        return []
    widest, narrowest = (by(seen, key=lambda pair: pair[1].value) for by in (max, min))
    apart = {source: float(np.hypot(widest[1].part(source), narrowest[1].part(source))) for source in _OWN}
    run_out = value_of(widest[1].value - narrowest[1].value, apart)
    leaning = max(seen, key=lambda pair: abs(views[pair[0]].tilt[0]))
    tilt, u_tilt = views[leaning[0]].tilt
    tilted = value_of(abs(tilt), {"edge": u_tilt}, "deg")
    return [_shown_in(widest, run_out, _RUN_OUT), _shown_in(leaning, tilted, _TILT)]


def _seen(photos: Sequence[Photograph], views: Sequence[FigureView]) -> list[Notice]:
    both = zip(photos, views, strict=True)
    return [replace(told, where=photo.file) for photo, view in both for told in view.notices]


def _around_warnings(values: Sequence[Feature], views: int) -> list[Notice]:
    """What several views show that a referee should look at."""
    found = {value.characteristic: value for value in values}
    said = []
    if _RUN_OUT in found and found[_RUN_OUT].value > _RANGES[views] / math.sqrt(2) * found[_RUN_OUT].standard:
        said.append(notice("base-not-round", size=f"{found[_RUN_OUT].value:.2f}"))
    if views > 1 and _WIDTH in found and _THICKNESS not in found:
        said.append(notice("no-thickness"))
    if _TILT in found and found[_TILT].value > max(1.0, 3 * found[_TILT].standard):
        said.append(notice("base-tilted", angle=f"{found[_TILT].value:.1f}"))
    return said


def _unstated(camera: Camera | None, stated: Stated, views: int) -> list[Notice]:
    """What the user did not say, and what it costs."""
    said = []
    if stated.print_scale is None:
        said.append(notice("print-scale-unstated", bar="the backdrop's check bar", share=UNKNOWN_SHARE))
    if camera is None:
        said.append(UNCALIBRATED)
    if stated.standoff is None:
        value, spread = (f"{size:g}" for size in STANDOFF_USUAL)
        said.append(notice("standoff-unstated", value=value, spread=spread))
    if views == 1:
        said.append(notice("one-view"))
    return said
