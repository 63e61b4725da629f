"""A figure from one or several photos: what each view tells, combined; thickness, symmetry and tilt from views all around."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import BadInput
from inspect_kit.measure.photographed import Estimate, combine, estimate
from inspect_kit.measure.pieces import UNKNOWN_PRINT
from inspect_kit.vision.camera import Camera
from inspect_kit.vision.figure import STANDOFF_USUAL, FigureView, Measured, measure_view
from inspect_kit.vision.photo import camera_for
from inspect_kit.vision.references import Reference, place

MOST_VIEWS: Final = 12
STATED_STANDOFF: Final = 0.5
"""Standard uncertainty (mm) of a standoff that was stated without one."""
_ALIKE: Final = (
    "fig.height", "fig.base.height", "fig.base.diameter", "fig.base.dmax_depth", "fig.base.top_diameter",
)  # fmt: skip
"""What is the same from every side."""
_WIDTH, _THICKNESS = "fig.top.width", "fig.top.thickness"


@dataclass(frozen=True)
class StatedFigure:
    """What the user stated of the photos: each a value and a standard uncertainty, or nothing."""

    standoff: tuple[float, float | None] | None = None
    print_scale: tuple[float, float] | None = None
    reference: Reference = field(default_factory=Reference)


@dataclass(frozen=True)
class FigureValue:
    """One characteristic with its budget; `pixel` is its place in the photo of that number."""

    characteristic: str
    estimate: Estimate
    pixel: tuple[float, float]
    photo: int


@dataclass(frozen=True)
class Roundabout:
    """From several views of one figure: spread of the base's diameters and whether it is more than the photos' own
    uncertainty (mm), and the largest tilt of the base (degrees, standard uncertainty)."""

    run_out: float
    symmetric: bool
    tilt: tuple[float, float]


@dataclass(frozen=True)
class FigureSession:
    """What a set of photos of one figure gave."""

    photos: tuple[Photograph, ...]
    views: tuple[FigureView, ...]
    values: tuple[FigureValue, ...]
    roundabout: Roundabout | None
    warnings: tuple[str, ...]


def measure_figure(photos: Sequence[Photograph], camera: Camera | None, stated: StatedFigure) -> FigureSession:
    """Measure one figure in every photo and combine what the views say."""
    if not 1 <= len(photos) <= MOST_VIEWS:
        raise BadInput(f"{len(photos)} photos", hint=f"give one to {MOST_VIEWS} photos of one figure")
    views = tuple(_view(photo, camera, stated) for photo in photos)
    values = [_combined(name, views) for name in _ALIKE]
    values += _across(views)
    found = tuple(value for value in values if value is not None)
    return FigureSession(
        tuple(photos), views, found, _roundabout(views), tuple(_warnings(photos, views, camera, stated))
    )


def _view(photo: Photograph, camera: Camera | None, stated: StatedFigure) -> FigureView:
    try:
        placed = place(photo.pixels, camera_for(photo, camera), stated.reference)
        return measure_view(photo.pixels, placed, _standoff(stated), stated.print_scale or (1.0, UNKNOWN_PRINT))
    except BadInput as problem:
        if problem.fault.where:
            raise
        raise BadInput(problem.fault.why, where=photo.file, hint=problem.fault.hint) from None


def _standoff(stated: StatedFigure) -> tuple[float, float]:
    if stated.standoff is None:
        return STANDOFF_USUAL
    value, standard = stated.standoff
    return value, STATED_STANDOFF if standard is None else standard


def _measured(view: FigureView, name: str) -> Measured | None:
    return next((each for each in view.measured if each.characteristic == name), None)


def _estimate(measured: Measured) -> Estimate:
    return estimate(measured.value, dict(measured.budget))


def _combined(name: str, views: Sequence[FigureView]) -> FigureValue | None:
    found = [(number, each) for number, view in enumerate(views) if (each := _measured(view, name)) is not None]
    if not found:
        return None
    result = combine([_estimate(each) for _, each in found])
    if name == "fig.base.dmax_depth":
        result = replace(result, value=max(result.value, 0.0))
    return FigureValue(name, result, found[0][1].pixel, found[0][0])


def _across(views: Sequence[FigureView]) -> list[FigureValue]:
    """The widest view shows the width; the narrowest of several shows the thickness."""
    seen = [(number, each) for number, view in enumerate(views) if (each := _measured(view, _WIDTH)) is not None]
    if not seen:
        return []
    order = sorted(seen, key=lambda pair: pair[1].value)
    photo, widest = order[-1]
    values = [FigureValue(_WIDTH, _estimate(widest), widest.pixel, photo)]
    photo, narrowest = order[0]
    if len(order) > 1 and widest.value - narrowest.value > 2 * float(np.hypot(widest.standard, narrowest.standard)):
        values.append(FigureValue(_THICKNESS, _estimate(narrowest), narrowest.pixel, photo))
    return values


def _roundabout(views: Sequence[FigureView]) -> Roundabout | None:
    if len(views) < 2:
        return None
    found = [each for view in views if (each := _measured(view, "fig.base.diameter")) is not None]
    sizes = np.array([each.value for each in found])
    own = np.array([np.sqrt(sum(part**2 for source, part in each.budget if source not in ("lens", "scale (print)")))
                    for each in found])  # fmt: skip
    run_out = float(np.ptp(sizes))
    tilts = sorted((view.tilt for view in views), key=lambda each: -abs(each[0]))
    return Roundabout(run_out, bool(run_out < 2 * float(np.sqrt(2) * own.max())), tilts[0])


def _warnings(
    photos: Sequence[Photograph], views: Sequence[FigureView], camera: Camera | None, stated: StatedFigure
) -> list[str]:
    said = [f"{photo.file}: {text}" for photo, view in zip(photos, views, strict=True) for text in view.warnings]
    if stated.print_scale is None:
        said.append("the print's scale was not stated: measure the backdrop's check bar with a caliper and give "
                    "--print-scale, measured ÷ nominal; until then the scale carries 0.3 %")  # fmt: skip
    if camera is None:
        said.append("the camera is not calibrated: its lens was estimated from the photo itself "
                    "(inspect-kit camera calibrate makes it better)")  # fmt: skip
    if stated.standoff is None:
        value, spread = STANDOFF_USUAL
        said.append(f"the standoff was not stated: {value:g} ± {spread:g} mm was assumed (--standoff)")
    round_view = _roundabout(views)
    if round_view is not None and not round_view.symmetric:
        said.append(
            f"the base's diameter differs by {round_view.run_out:.2f} mm between the views: it may not be round"
        )
    if round_view is not None and abs(round_view.tilt[0]) > max(1.0, 3 * round_view.tilt[1]):
        said.append(f"the base stands tilted by {abs(round_view.tilt[0]):.1f} degrees")
    if len(views) == 1:
        said.append(
            "one view: the width is that of this side; the thickness needs a photo of the figure turned by 90 degrees"
        )
    return said
