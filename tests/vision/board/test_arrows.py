"""Tips and starts of arrows, told from inked strips of which every millimetre is known and which no rule here drew."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from inspect_kit.vision.board.arrows import Head, Inked, arc_stroke, fit_head, run_ends, wood_along

TIP = 20.0
FINE = 40
"""Dots a mm of the polygons that are filled and then averaged into samples."""
ACROSS = np.arange(-6, 6.06, 0.12)
ALONG = np.arange(0, 26, 0.25)

Points = list[tuple[float, float]]


def _strip(*polygons: Points, blur: float = 0.25) -> Inked:
    """Ink of polygons (mm across, mm along), blurred by so many mm, a little noisy."""
    sheet = np.zeros((26 * FINE, 12 * FINE), np.float32)
    for points in polygons:
        dots = np.array([((x + 6) * FINE, y * FINE) for x, y in points])
        cv2.fillPoly(sheet, [np.round(dots).astype(np.int32)], 1.0)
    soft = cv2.GaussianBlur(sheet, (0, 0), blur * FINE)
    rows, columns = (ALONG * FINE).astype(int), np.clip((ACROSS + 6) * FINE, 0, 12 * FINE - 1).astype(int)
    noise = np.random.default_rng(3).normal(0, 0.03, (len(ALONG), len(ACROSS)))
    return Inked(ACROSS, ALONG, soft[np.ix_(rows, columns)] + cv2.GaussianBlur(noise, (0, 0), 1), blur)


def _head(seen: Inked, shaft: float = 1.4) -> Head:
    level = seen.ink[:, np.abs(seen.across) < shaft / 2 + 0.12].mean(axis=1)
    found = fit_head(seen, int(np.nonzero(level > 0.45)[0][-1]), shaft)
    assert found is not None
    return found


def _shaft(end: float, width: float = 1.4) -> Points:
    return [(-width / 2, 0.0), (width / 2, 0.0), (width / 2, end), (-width / 2, end)]


WEDGE: Points = [(0.0, TIP), (2.5, TIP - 7), (-2.5, TIP - 7)]
BARBED: Points = [(0.0, TIP), (2.5, TIP - 7), (0.0, TIP - 5.5), (-2.5, TIP - 7)]
CUT: Points = [(0.4, TIP), (2.5, TIP - 6), (-2.5, TIP - 6), (-0.4, TIP)]
ROUND: Points = [(0.6 * np.sin(turn), TIP - 0.6 + 0.6 * np.cos(turn)) for turn in np.linspace(-1.2, 1.2, 20)]
BROAD: Points = [*ROUND, (2.6, TIP - 6), (-2.6, TIP - 6)]


@pytest.mark.parametrize(
    "drawn",
    [(_shaft(TIP - 3), WEDGE), (_shaft(TIP - 1), WEDGE), (_shaft(TIP - 0.3), WEDGE), (_shaft(TIP - 4), BARBED),
     (_shaft(TIP - 3), CUT), (_shaft(TIP - 3), BROAD)],
    ids=["pointed", "the shaft ends 1 mm before the tip", "and 0.3 mm", "barbed", "cut off", "rounded"],
)  # fmt: skip
def test_a_tip_of_any_make_is_where_its_ink_ends_and_its_u_covers_it(drawn: tuple[Points, ...]) -> None:
    found = _head(_strip(*drawn))
    assert abs(found.place - TIP) < 0.25
    assert abs(found.place - TIP) < 2 * found.u < 1.0


def _unusual() -> dict[str, tuple[Points, ...]]:
    """Heads of makers' own forms, 14 mm long and slim, on a shaft of 1.2 mm."""
    bulging = [(0.0, TIP), (1.8, TIP - 2.8), (2.7, TIP - 7), (3.0, TIP - 14)]
    drawn_in = [(0.0, TIP), (0.8, TIP - 5), (3.0, TIP - 14)]
    return {
        "bulging": (_shaft(TIP - 7, 1.2), bulging + [(-x, y) for x, y in bulging[::-1]]),
        "drawn in": (_shaft(TIP - 7, 1.2), drawn_in + [(-x, y) for x, y in drawn_in[::-1]]),
        "open, rounded": (_shaft(TIP - 1, 1.2),
                          *([(0.0, TIP), (side * 0.9, TIP - 0.6), (side * 3.5, TIP - 14), (side * 2.3, TIP - 14)]
                            for side in (1, -1))),
    }  # fmt: skip


@pytest.mark.parametrize("name", _unusual())
def test_a_head_of_a_makers_own_form_is_told_within_its_u(name: str) -> None:
    found = _head(_strip(*_unusual()[name], blur=0.7), 1.2)
    assert abs(found.place - TIP) < 2.5 * found.u


def test_an_arc_across_the_start_is_told_with_its_stroke() -> None:
    arc = _strip(_shaft(26), [(-6, 8.0), (6, 8.0), (6, 9.2), (-6, 9.2)])
    assert arc_stroke(arc, int(8 / 0.25), 1.4) == pytest.approx(1.2, abs=0.15)
    assert arc_stroke(_strip(_shaft(26)), int(8 / 0.25), 1.4) == 0.0


def test_something_drawn_on_one_side_of_the_start_is_no_arc() -> None:
    assert arc_stroke(_strip(_shaft(26), [(0, 8.0), (6, 8.0), (6, 9.2), (0, 9.2)]), int(8 / 0.25), 1.4) == 0.0


def test_ink_may_end_at_a_worn_place_at_the_tip_and_at_grain_beyond_it() -> None:
    inked = np.ones(100, dtype=bool)
    inked[40:50] = inked[70:90] = inked[91:] = False
    assert run_ends(np.arange(100) + 1000, inked) == [1039, 1069, 1090]


def test_a_hair_of_missing_ink_does_not_end_an_arrow() -> None:
    inked = np.arange(100) < 60
    inked[30:34] = False
    assert run_ends(np.arange(100), inked) == [59]


def test_a_star_drawn_on_the_shaft_is_not_taken_for_the_wood_beside_it() -> None:
    wood, star = np.array([0.5, 0.35, 0.2]), np.array([0.3, 0.02, 0.02])
    beside = np.tile(wood, (800, 1))
    beside[300:400] = star
    beside[600:610] = np.nan
    told = wood_along(beside)
    assert np.nanmax(np.abs(told - wood)) < 1e-9
    assert np.isnan(told[600:610]).all()
