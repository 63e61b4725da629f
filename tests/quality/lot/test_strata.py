"""Where the pieces of a lot come from, told once."""

from __future__ import annotations

from inspect_kit.quality.lot.study import studies_of
from tests.samples import lots


def test_what_the_chart_shows_as_subgroups_is_not_told_again_as_strata() -> None:
    trays = next(lots())
    assert trays.lot.groups
    assert all(study.strata == () for study in studies_of(trays))
