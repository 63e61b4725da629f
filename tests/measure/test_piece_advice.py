"""What would make U of a round piece smaller, and what no photo does."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from inspect_kit.errors import Notice
from inspect_kit.measure.pieces import _advice
from inspect_kit.values.value import value_of
from inspect_kit.vision.disc.solid import Solid


def _advised(parts: Mapping[str, float]) -> list[Notice]:
    """For one piece seen from 400 mm."""
    first = SimpleNamespace(disc=SimpleNamespace(solid=Solid(0, 0, 15, 8, 0.5)))
    piece: Any = SimpleNamespace(diameter=value_of(30.0, parts), photo=0, first=first)
    look: Any = SimpleNamespace(placed=SimpleNamespace(view=SimpleNamespace(centre=(0.0, 0.0, 400.0))))
    return _advice([look], [piece])


def test_where_a_wall_that_is_not_seen_carries_most_of_u_a_caliper_is_advised() -> None:
    (told,) = _advised({"hidden wall": 0.06, "edge": 0.02, "rim shape": 0.01})
    assert (told.code, dict(told.facts)) == ("wall-unseen", {"expanded": "0.13", "wall": "0.12"})


def test_no_distance_is_said_to_show_a_wall_below_its_rim() -> None:
    assert [each.code for each in _advised({"hidden wall": 0.06, "edge": 0.1})] == ["better-distance"]
    assert not _advised({"hidden wall": 0.03, "edge": 0.01})
