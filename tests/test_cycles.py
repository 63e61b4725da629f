"""What the Cycles scenes say is true of them follows from what they draw; none of it needs Blender."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.cycles.camera import calibration_file, framing, looking_down, phone
from benchmarks.cycles.layout import PER_MM, places, random_layout, values
from benchmarks.cycles.prints import Prints
from benchmarks.cycles.shapes import Base, Ink, disc_profile

SIZE = (4032, 3024)
SQUARE = np.array([(x, y, 0.0) for x in (-100, 100) for y in (-100, 100)])
FROM_ABOVE = (np.array([0.2, 0.1, 1.0]), np.array([0.0, 1.0, 0.0]))


def test_a_disc_is_as_wide_and_thick_as_stated_whatever_is_turned_into_its_face() -> None:
    profile = disc_profile(31.2, 8.1, 0.7, [(11.0, 1.2, 0.4), (6.0, 0.8, 0.3)], barrel=0.06)
    assert 2 * profile[:, 0].max() == pytest.approx(31.2, abs=0.01)
    assert (profile[:, 1].min(), profile[:, 1].max()) == (0, pytest.approx(8.1))


@pytest.mark.parametrize("edge", ["sharp", "cut", "rounded"])
def test_a_base_is_widest_where_it_says_and_ends_in_its_upper_face(edge: str) -> None:
    base = Base(7.0, 20.0, 3.0, 13.0, 16.0, 2.2, 2.0, 0.9, edge, 0.5)
    profile = base.profile()
    widest = profile[profile[:, 0].argmax()]
    assert widest == pytest.approx([10.0, 3.0], abs=1e-6)
    assert profile[:, 1].max() == pytest.approx(7.0)
    assert (np.diff(profile[profile[:, 0] > 0][:, 1]) >= -1e-9).all()
    assert 12.0 < base.top_diameter() < 20.0


def test_a_sharp_upper_face_ends_at_its_corner() -> None:
    assert Base(7.0, 20.0, 3.0, 13.0, 16.0, 2.2, 2.0, 0.9, "sharp", 0.5).top_diameter() == pytest.approx(16.0)


def test_ink_covers_the_area_of_what_is_drawn() -> None:
    ink = Ink(60, PER_MM)
    ink.disc(np.array([3.3, -2.7]), 31.8)
    ink.disc(np.array([3.3, -2.7]), 25.4, 0)
    ring = ink.mask.sum() / PER_MM**2
    assert ring == pytest.approx(np.pi / 4 * (31.8**2 - 25.4**2), rel=1e-3)
    stroke = Ink(60, PER_MM)
    stroke.strip(np.array([-20.0, -11.0]), np.array([13.0, 17.0]), 1.37)
    assert stroke.mask.sum() / PER_MM**2 == pytest.approx(1.37 * np.hypot(33, 28), rel=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_a_boards_lengths_agree_with_one_another(seed: int) -> None:
    layout = random_layout(np.random.default_rng(seed))
    true, where = values(layout), places(layout)
    assert sum(true["surface.angle"].values()) == pytest.approx(360)
    assert true["surface.side"]["n"] == pytest.approx(np.hypot(*(where["foot.ne"] - where["foot.nw"])))
    over = np.hypot(*(where["circle.s.e"] - where["circle.s.w"])) + true["basecircle.diameter"]["s.e"]
    assert true["baseline.length"]["s"] == pytest.approx(over)
    for corner, tip in true["arrow.tip"].items():
        along = tip + true["arrow.length"][corner] + true["pocket.diameter"][corner] / 2
        assert along == pytest.approx(np.hypot(*(where[f"pocket.{corner}"] - where[f"tail.{corner}"])), abs=0.02)
        assert sum(true["arrow.angle"][corner]) == pytest.approx(true["surface.angle"][corner])
    assert len(true["basecircle.inner"]) == 8


def test_the_camera_stands_as_near_as_the_subject_fits() -> None:
    camera = framing(phone(np.random.default_rng(5), SIZE), SIZE, SQUARE, FROM_ABOVE, 0.9)
    pixels = camera.project(SQUARE)
    share = np.ptp(pixels, axis=0) / SIZE
    assert share.max() == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("wanted", [3.0, 12.0, 25.0])
def test_a_figures_camera_looks_down_by_what_was_asked(wanted: float) -> None:
    backdrop = np.array([(x, y, z) for x in (-76, 76) for y in (23, -12) for z in (-1, 107)], float)
    view = wanted, 0.1, np.array([0.02, 0, 1])
    camera = looking_down((phone(np.random.default_rng(5), SIZE), SIZE), backdrop, view, 0.6)
    assert camera.above == pytest.approx(wanted, abs=0.05)
    assert (camera.project(backdrop) > 0).all()


def test_a_calibration_file_states_a_covariance_that_agrees_with_its_u() -> None:
    camera = framing(phone(np.random.default_rng(5), SIZE), SIZE, SQUARE, FROM_ABOVE, 0.9)
    written = calibration_file(camera)
    covariance = np.array(written["covariance"])
    assert (np.linalg.eigvalsh(covariance) > 0).all()
    assert list(written["u"].values()) == pytest.approx(np.sqrt(np.diag(covariance)))
    assert 0.05 < written["u"]["fx"] < 5


def test_what_a_scene_prints_first_finds_its_folder(tmp_path: Path) -> None:
    """A board paints its surface before it asks for any sheet."""
    masks = Prints(tmp_path / "not" / "yet", "python").file("board-masks.png")
    assert masks.parent.is_dir()
