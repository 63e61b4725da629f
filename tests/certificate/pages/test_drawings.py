from __future__ import annotations

import io

import pypdfium2
import pytest
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.cover import content_of
from inspect_kit.certificate.content.model import BoardPlan, Issue, Scale, Tag
from inspect_kit.certificate.content.sections import board_layout
from inspect_kit.certificate.pages.board_plan import CORNERS, SIDES, _place, everywhere, rows_at
from inspect_kit.certificate.pages.fonts import SANS, font
from inspect_kit.certificate.pages.front import draw_qr
from inspect_kit.certificate.pages.scale_bar import Axis, _range, draw_gauge
from tests.certificate.records import board

numbers = st.floats(-1000, 1000, allow_nan=False)
spans = st.floats(0.001, 100)


def canvas() -> Canvas:
    font(SANS)
    return Canvas(io.BytesIO(), initialFontName=SANS)


@given(numbers, spans, numbers, st.floats(0, 50))
def test_both_limits_always_have_a_place_on_the_axis(lower: float, width: float, value: float, expanded: float) -> None:
    scale = Scale(value, expanded, lower, lower + width, None, True)
    axis = Axis(*_range([scale]), 0, 100)
    assert axis.holds(lower)
    assert axis.holds(lower + width)
    assert 0 <= axis.at(value) <= 100


@given(numbers, numbers, st.floats(0, 50), st.sampled_from(["lower", "upper", "nominal"]))
def test_a_single_bound_and_the_value_are_both_on_the_axis(
    bound: float, value: float, expanded: float, which: str
) -> None:
    bounds = {name: bound if name == which else None for name in ("lower", "upper", "nominal")}
    scale = Scale(value, expanded, **bounds, guarded=True)
    axis = Axis(*_range([scale]), 0, 100)
    assert axis.holds(bound)
    assert axis.holds(value)


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("value", [0.0, 5.0, 10.0, 1e6, -1e6])
def test_every_gauge_can_be_drawn(value: float, guarded: bool) -> None:
    for lower, upper, nominal in ((0, 10, 5), (0, None, None), (None, 10, None), (None, None, 5)):
        draw_gauge(canvas(), [Scale(value, 0.5, lower, upper, nominal, guarded)], 0, 0, 60)
        draw_gauge(canvas(), [Scale(value, 0.0, lower, upper, nominal, guarded)] * 19, 0, 0, 60)


def the_plan() -> BoardPlan:
    blocks = [block for section in content_of(board(), "en", Issue()).sections for block in section.blocks]
    return next(block for block in blocks if isinstance(block, BoardPlan))


def test_every_value_of_the_drawing_stands_in_a_table_or_in_the_middle() -> None:
    plan = everywhere(the_plan())
    tabled = [tag for place in (*SIDES, *CORNERS) for _, tag in rows_at(plan, place)]
    left = {tag.characteristic for tag in plan.tags if tag not in tabled}
    assert left == {"centre.diameter", "outer.diameter"}


@pytest.mark.parametrize("characteristic", board_layout()["marks"])
def test_every_mark_lies_on_the_board(characteristic: str) -> None:
    for instance in ("", *SIDES, *CORNERS, "n.w", "s.e"):
        x, y = _place(Tag(characteristic, instance, "1", "fails"))
        assert max(abs(x), abs(y)) <= 736.6 / 2 + 70


def test_marks_of_one_side_do_not_cover_each_other() -> None:
    at_side = [name for name in board_layout()["marks"] if name.startswith(("surface.side", "baseline", "frame"))]
    places = [_place(Tag(name, "n", "1", "fails")) for name in at_side]
    gaps = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for i, a in enumerate(places) for b in places[:i]]
    assert min(gaps) > 25


def test_one_value_for_all_pockets_is_shown_at_each() -> None:
    plan = BoardPlan((Tag("pocket.diameter", "", "44.5", "conforms"),), {"pocket": "Pocket"})
    assert [next(iter(rows_at(everywhere(plan), corner)))[1].text for corner in CORNERS] == ["44.5"] * 4


def test_a_qr_code_can_be_read_back() -> None:
    buffer = io.BytesIO()
    font(SANS)
    page = Canvas(buffer, pagesize=(120, 120), initialFontName=SANS)
    draw_qr(page, "IK1:CCA-2026-00017:7F3A91C204BD77E1", (10, 10), 100)
    page.save()
    picture = pypdfium2.PdfDocument(buffer.getvalue())[0].render(scale=4).to_pil().convert("L")
    (found,) = zxingcpp.read_barcodes(picture)
    assert found.text == "IK1:CCA-2026-00017:7F3A91C204BD77E1"
