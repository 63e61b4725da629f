"""A measured figure is named by the types whose printed dimensions it meets."""

from __future__ import annotations

from decimal import Decimal

import pytest

from inspect_kit.errors import sentences
from inspect_kit.inspection.figure_team import FitVerdict, TypeFit, fitting_types, named
from inspect_kit.judgement.judge import Evidence
from inspect_kit.judgement.rules import RuleName
from inspect_kit.measure.derived import derive
from inspect_kit.rulebook.library import load
from inspect_kit.values.measurement import Component, Measurement


def _length(name: str, value: str, u: str) -> Measurement:
    return Measurement(name, Decimal(value), "mm", (Component("stated", Decimal(u)),))


def _types(
    base: str, height: str, u: str = "0.02", spec: str = "fistf-4.0", rule: RuleName = RuleName.GUARDED
) -> dict[str, FitVerdict]:
    return {each.type: each.fit for each in _all(spec, rule, _length("fig.base.diameter", base, u),
                                                 _length("fig.height", height, u),
                                                 _length("fig.base.height", "6.0", u))}  # fmt: skip


def _all(spec: str, rule: RuleName, *measured: Measurement) -> tuple[TypeFit, ...]:
    sheet = load(spec)
    units = {clause.characteristic: clause.unit.base for clause in sheet.clauses if clause.unit}
    derived = derive(((entry.characteristic, entry.formula) for entry in sheet.derived), units, measured, ())
    return fitting_types(sheet, Evidence.of((*measured, *derived)), rule)


def test_a_narrow_base_and_a_tall_figure_is_flat() -> None:
    found = _types("17.5", "37.0")
    assert found["flat"] is FitVerdict.FITS
    assert {found["h0"], found["sports"], found["toccer"]} == {FitVerdict.DOES_NOT_FIT}


def test_a_low_figure_on_a_wide_base_is_h0() -> None:
    found = _types("19.5", "29.5")
    assert found["h0"] is FitVerdict.FITS
    assert found["flat"] is FitVerdict.DOES_NOT_FIT


def test_a_nominal_without_tolerance_never_confirms_a_type() -> None:
    found = _types("21.0", "35.5")
    assert found["sports"] is FitVerdict.MAY_FIT
    assert found["toccer"] is FitVerdict.MAY_FIT


def test_far_from_a_nominal_without_tolerance_a_type_is_not_named() -> None:
    assert _types("19.0", "35.5")["sports"] is FitVerdict.DOES_NOT_FIT


def test_near_a_limit_a_type_may_fit_and_the_simple_rule_decides() -> None:
    assert _types("17.97", "37.0", u="0.05")["flat"] is FitVerdict.MAY_FIT
    assert _types("17.97", "37.0", u="0.05", rule=RuleName.SIMPLE)["flat"] is FitVerdict.FITS


def test_the_uncertainty_widens_the_nearness_to_a_nominal() -> None:
    assert _types("20.4", "35.5", u="0.02")["toccer"] is FitVerdict.DOES_NOT_FIT
    assert _types("20.4", "35.5", u="0.10")["toccer"] is FitVerdict.MAY_FIT


def test_a_wooden_top_is_measured_without_its_base() -> None:
    assert _types("19.0", "37.0")["woodentop"] is FitVerdict.FITS
    assert _types("19.0", "33.0")["woodentop"] is FitVerdict.DOES_NOT_FIT


def test_types_without_printed_dimensions_are_neither_confirmed_nor_excluded() -> None:
    found = _types("19.5", "29.5")
    assert found["profibase"] is FitVerdict.NO_DIMENSIONS
    assert found["zeugo"] is FitVerdict.NO_DIMENSIONS


def test_without_measurements_no_type_is_named() -> None:
    assert named(_all("fistf-4.0", RuleName.GUARDED)) == ()


def test_with_one_of_two_dimensions_a_type_may_fit_at_most() -> None:
    found = {each.type: each.fit for each in _all("fistf-4.0", RuleName.GUARDED, _length("fig.height", "29.5", "0.02"))}
    assert found["h0"] is FitVerdict.MAY_FIT
    assert found["flat"] is FitVerdict.DOES_NOT_FIT


def test_the_german_sheet_knows_the_same_types() -> None:
    assert _types("19.5", "29.5", spec="dstfb-4.0") == _types("19.5", "29.5")


def test_a_sheet_without_figures_names_nothing() -> None:
    assert fitting_types(load("icf-cs"), Evidence.of(())) == ()


@pytest.mark.parametrize(
    ("base", "height", "sentence"),
    [
        ("17.5", "37.0", "fits flat, woodentop; no dimensions are printed for profibase, zeugo"),
        ("21.0", "35.5", "fits none of the types for certain; may be sports, toccer; "
         "no dimensions are printed for profibase, zeugo"),
    ],
)  # fmt: skip
def test_the_types_are_named_in_a_sentence(base: str, height: str, sentence: str) -> None:
    measured = [_length("fig.base.diameter", base, "0.02"), _length("fig.height", height, "0.02"),
                _length("fig.base.height", "6.0", "0.02")]  # fmt: skip
    assert "; ".join(sentences(named(_all("fistf-4.0", RuleName.GUARDED, *measured)))) == sentence
