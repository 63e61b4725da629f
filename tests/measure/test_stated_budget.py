"""A budget as a measurement file states it: parts, their sum, and what they share."""

from __future__ import annotations

from decimal import Decimal

import pytest

from inspect_kit.errors import BadInput
from inspect_kit.measure.interpretation import measurement_of
from inspect_kit.values.measurement import Reading, StatedPart
from inspect_kit.values.quantity import UNITS


def _reading(u: str, *parts: StatedPart) -> Reading:
    return Reading("coin.diameter", "31.02", unit="mm", standard=u, budget=parts)


def test_what_the_parts_leave_open_of_the_stated_u_is_a_part_of_its_own() -> None:
    found = measurement_of(
        _reading("0.031", StatedPart("scale", "0.012"), StatedPart("height", "0.025")), UNITS["mm"], None
    )
    assert float(found.standard_uncertainty or 0) == pytest.approx(0.031)
    assert [part.source for part in found.budget or ()] == ["scale", "height", "other effects"]


def test_parts_that_make_up_the_stated_u_need_no_other() -> None:
    found = measurement_of(
        _reading("0.05", StatedPart("scale", "0.03"), StatedPart("height", "0.04")), UNITS["mm"], None
    )
    assert [part.source for part in found.budget or ()] == ["scale", "height"]


def test_parts_larger_than_the_stated_u_are_refused() -> None:
    with pytest.raises(BadInput, match="add up to more"):
        measurement_of(_reading("0.02", StatedPart("scale", "0.03")), UNITS["mm"], None)


def test_a_shared_part_keeps_its_label() -> None:
    found = measurement_of(_reading("", StatedPart("scale", "0.03", "print abc")), UNITS["mm"], None)
    assert [(part.shared, part.standard) for part in found.budget or ()] == [("print abc", Decimal("0.03"))]


@pytest.mark.parametrize("parts", [(), (StatedPart("scale", "0"),)])
def test_no_measurement_is_exact(parts: tuple[StatedPart, ...]) -> None:
    with pytest.raises(BadInput, match="no measurement is exact"):
        measurement_of(_reading("0.00", *parts), UNITS["mm"], None)


def test_a_count_may_be_exact() -> None:
    found = measurement_of(Reading("coin.number", "19", unit="count", standard="0"), UNITS["count"], None)
    assert found.standard_uncertainty == 0
