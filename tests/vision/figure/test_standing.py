"""Whether the figure stands where the backdrop stands: told, and in U, where something speaks against it."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image

from inspect_kit.capture.photographs import Photograph, open_photograph
from inspect_kit.measure.figure import FigureSession, measure_figure
from inspect_kit.measure.stated import Stated
from inspect_kit.vision.figure.base import BASE, BaseEdges, Fit, KnownBase
from inspect_kit.vision.figure.base_fit import BaseReadings
from inspect_kit.vision.figure.standing import foot_share
from inspect_kit.vision.optics.camera import Camera
from tests.scenes.figure import HALF_HEIGHT, photograph
from tests.scenes.figure_poses import posed
from tests.scenes.render import project

FLAT = replace(posed(7002, megapixels=3.0), backdrop_lean=0.0)
HEIGHTS = ("fig.height", "fig.base.height")


@lru_cache
def _photo(thickness: float) -> Photograph:
    return open_photograph(photograph(replace(FLAT, board=(thickness, 6.0))), "figure.jpg")


def _measured(photo: Photograph) -> FigureSession:
    lens = FLAT.lens
    values = np.array([lens.focal, lens.focal, *lens.centre, *lens.bend])
    camera = Camera(lens.width, lens.height, values, np.diag(np.array([2, 2, 1, 1, 2e-3, 4e-3, 1e-4, 1e-4, 1e-6]) ** 2))
    return measure_figure([photo], camera, Stated(standoff=(FLAT.figure.standoff, 0.3), print_scale=(1.0, 0.0002)))


def _errors(session: FigureSession) -> dict[str, tuple[float, float]]:
    truth = FLAT.figure.truth
    return {
        each.characteristic: (abs(each.value - truth[each.characteristic]), each.standard) for each in session.values
    }


def _codes(session: FigureSession) -> set[str]:
    return {told.code for told in session.notices}


def test_a_figure_on_the_backdrops_own_table_is_not_doubted() -> None:
    session = _measured(_photo(0.0))
    assert not _codes(session) & {"figure-off-level", "line-below-backdrop"}
    assert all(error < 2 * u and u < 0.3 for name, (error, u) in _errors(session).items() if name in HEIGHTS)


def test_a_board_under_the_figure_alone_is_told_and_in_the_uncertainty_of_the_heights() -> None:
    """It hides the backdrop's lower edge, so that no line shows it; heights were 1.05 mm too large, eleven times u."""
    session = _measured(_photo(1.0))
    assert "figure-off-level" in _codes(session)
    errors = _errors(session)
    assert all(errors[name][0] < 2 * errors[name][1] for name in HEIGHTS)
    # What does not hang on the level keeps its small uncertainty.
    assert errors["fig.base.diameter"][1] < 0.15


def test_a_line_between_backdrop_and_figure_is_told_and_in_the_uncertainty_of_the_heights() -> None:
    """A cloth's edge, a step, or what a backdrop stands on that does not stand on the table."""
    picture = np.array(Image.open(io.BytesIO(photograph(FLAT))))
    corners = [(-80.0, 8.0), (80.0, 8.0), (80.0, 60.0), (-80.0, 60.0)]
    cloth = project(FLAT.flat, np.array([(x, -HALF_HEIGHT, z) for x, z in corners]))
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(cloth).astype(np.int32), 1)
    # The figure keeps its own light.
    middle = project(FLAT.flat, np.array([[FLAT.figure.x, -HALF_HEIGHT, FLAT.figure.standoff]]))[0]
    mask[:, int(middle[0]) - 140 : int(middle[0]) + 140] = 0
    lighter = np.clip(picture * 1.3, 0, 255).astype(np.uint8)
    photo = replace(_photo(0.0), pixels=np.where(mask[:, :, None] > 0, lighter, picture))
    session = _measured(photo)
    assert "line-below-backdrop" in _codes(session)
    errors = _errors(session)
    assert all(errors[name][1] > 0.3 for name in HEIGHTS)


def _fit(share: float, height: float) -> Fit:
    """A sharp-edged base whose ellipsoid's middle is `share` of its half-axis above the table."""
    vector = np.zeros(BASE + 6)
    vector[BASE:] = 9.5, height, 5.0, share, 5.0 / share, 1.0
    edges = BaseEdges(np.zeros((4, 2)), np.ones(4), np.zeros(4, dtype=bool))
    known = KnownBase(np.zeros(len(vector)), np.eye(len(vector)), ())
    return Fit("sharp", vector, np.eye(len(vector)), known, 1.0, edges, np.zeros(4), np.ones(4))


def test_a_base_whose_underside_closes_stands_on_a_small_foot() -> None:
    assert foot_share(_fit(0.78, 6.0)) > 0.6
    assert foot_share(_fit(0.995, 6.0)) < 0.11


def test_the_reading_at_another_level_counts_as_much_as_the_edges_it_explains() -> None:
    readings = BaseReadings((_fit(0.8, 6.0),), off_level=(_fit(0.8, 5.0),), doubts=("figure-off-level",))
    assert readings.shares().tolist() == [0.5, 0.5]
    assert [fit.base[1] for fit in readings.all] == [6.0, 5.0]
