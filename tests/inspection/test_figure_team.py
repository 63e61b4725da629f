"""A team is checked by what was measured of its figures; what they leave open stays open."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pytest

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Outcome, Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.rulebook.library import load
from inspect_kit.values.measurement import Reading

FIELD = tuple(str(number) for number in range(1, 11))
H0 = ("19.5", "29.5")
FLAT = ("17.5", "37.0")


def _figure(instance: str, sizes: tuple[str, str] = H0, colour: str = "blue", confidence: str = "") -> list[Reading]:
    where = f"{instance}.json"
    return [
        Reading("fig.base.diameter", sizes[0], instance, "mm", "0.02", where=where),
        Reading("fig.height", sizes[1], instance, "mm", "0.02", where=where),
        Reading("fig.base.colour", colour, instance, confidence=confidence, where=where),
    ]


def _team(spare: str = "red", count: int = 10) -> list[Reading]:
    field = [reading for number in range(1, count + 1) for reading in _figure(str(number))]
    return [*field, *_figure("spare", colour=spare)]


def _stated(kind: str = "h0") -> list[Reading]:
    return [Reading("fig.type", kind, name, where="desk") for name in (*FIELD, "spare")]


def _outcome(readings: list[Reading], item: str = "team", spec: str = "fistf-4.0") -> Outcome:
    sheet = load(spec)
    chosen = next(each for each in sheet.items if each.id == item)
    return inspect(Task(sheet, chosen, RuleName.GUARDED, date(2026, 5, 1)), [MeasurementFile(tuple(readings))])


def _verdicts(outcome: Outcome) -> Mapping[str, Verdict]:
    return {finding.clause.characteristic: finding.verdict for finding in outcome.judgement.findings}


@pytest.mark.parametrize("spec", ["fistf-4.0", "dstfb-4.0"])
def test_ten_alike_and_a_spare_of_another_colour_conform(spec: str) -> None:
    counted = [Reading("team.outfield", "10", where="desk"), Reading("team.spare", "1", where="desk")]
    found = _verdicts(_outcome([*_team(), *_stated(), *counted], spec=spec))
    names = ("team.outfield", "team.outfield.max", "team.spare", "team.same_type", "team.base_colour",
             "team.spare_colour")  # fmt: skip
    assert {found[name] for name in names} == {Verdict.CONFORMS}


def test_eleven_field_figures_are_too_many_whatever_was_counted() -> None:
    assert _verdicts(_outcome(_team(count=11)))["team.outfield.max"] is Verdict.FAILS
    claimed = [*_team(count=11), Reading("team.outfield", "10", where="desk")]
    assert _verdicts(_outcome(claimed))["team.outfield.max"] is Verdict.FAILS


@pytest.mark.parametrize("count", [8, 10])
def test_figures_that_were_measured_do_not_tell_how_many_there_are(count: int) -> None:
    found = {f.clause.characteristic: f.reason for f in _outcome(_team(count=count)).judgement.findings}
    assert found["team.outfield.max"] is Reason.NOT_MEASURED


def test_fewer_than_ten_colours_say_nothing_of_the_others() -> None:
    found = {f.clause.characteristic: f.reason for f in _outcome(_team(count=8)).judgement.findings}
    assert found["team.base_colour"] is Reason.NOT_MEASURED


def test_a_spare_keeper_in_the_field_figures_colour_fails() -> None:
    assert _verdicts(_outcome(_team(spare="blue")))["team.spare_colour"] is Verdict.FAILS


def test_two_base_colours_in_the_field_fail() -> None:
    readings = [*_team(count=9), *_figure("10", colour="green")]
    assert _verdicts(_outcome(readings))["team.base_colour"] is Verdict.FAILS


def test_a_colour_that_the_photo_hardly_tells_decides_nothing() -> None:
    readings = [*_team(count=9), *_figure("10", colour="green", confidence="0.6")]
    found = _verdicts(_outcome(readings))
    assert found["team.base_colour"] is Verdict.UNDECIDED
    assert found["team.spare_colour"] is Verdict.UNDECIDED


def test_a_flat_figure_among_h0_ones_is_another_type() -> None:
    readings = [*_team(count=9), *_figure("10", FLAT)]
    assert _verdicts(_outcome(readings))["team.same_type"] is Verdict.FAILS


def test_figures_that_differ_little_and_fit_no_common_type_are_left_to_the_inspector() -> None:
    readings = [*_figure("1", ("19.5", "30.6")), *_figure("2", ("19.5", "31.2"))]
    assert _verdicts(_outcome(readings))["team.same_type"] is Verdict.UNDECIDED


def test_types_that_were_stated_come_before_dimensions() -> None:
    stated = _stated()
    assert _verdicts(_outcome([*_team(), *stated]))["team.same_type"] is Verdict.CONFORMS
    other = [*stated[:-1], Reading("fig.type", "zeugo", "spare", where="desk")]
    assert _verdicts(_outcome([*_team(), *other]))["team.same_type"] is Verdict.FAILS


def test_what_the_inspector_wrote_down_stands_unless_the_figures_deny_it() -> None:
    open_colours = [*_team(count=9), *_figure("10", colour="green", confidence="0.6")]
    claim = Reading("team.spare_colour", "yes", where="desk")
    assert _verdicts(_outcome([*open_colours, claim]))["team.spare_colour"] is Verdict.CONFORMS
    denied = _outcome([*_team(spare="blue"), claim])
    assert _verdicts(denied)["team.spare_colour"] is Verdict.FAILS
    assert "team.spare_colour: answered yes, but the figures say no" in denied.warnings


def test_figures_whose_dimensions_fit_one_type_need_not_be_of_it() -> None:
    assert _verdicts(_outcome(_team()))["team.same_type"] is Verdict.UNDECIDED


def test_one_odd_figure_does_not_pass_as_uniform_whatever_is_claimed() -> None:
    odd = [*_team(count=9), *_figure("10", FLAT), Reading("team.same_type", "yes", where="desk")]
    assert _verdicts(_outcome(odd))["team.same_type"] is Verdict.FAILS


def test_a_team_is_judged_figure_by_figure() -> None:
    wide = [reading for name in FIELD for reading in _figure(name, ("30", "60"))]
    outcome = _outcome([*wide, *_figure("spare", ("30", "60"), "red")])
    failed = {(f.clause.characteristic, f.instance) for f in outcome.judgement.findings if f.verdict is Verdict.FAILS}
    names = ("fig.base.diameter", "fig.height")
    assert {(name, figure) for name in names for figure in (*FIELD, "spare")} <= failed
    assert outcome.judgement.verdict is Verdict.FAILS


def test_figures_that_nobody_measured_are_counted_as_missing() -> None:
    claims = ("team.same_type", "team.same_paint", "team.base_colour", "team.spare_colour")
    readings = [Reading(name, "yes") for name in claims]
    readings += [Reading("team.outfield", "10"), Reading("team.spare", "1"), Reading("team.gk", "1")]
    findings = _outcome(readings).judgement.findings
    assert {f.missing for f in findings if f.clause.characteristic == "fig.base.diameter"} == {11}
    assert {f.missing for f in findings if f.clause.characteristic == "gk.height"} == {1}
    assert _outcome(readings).judgement.verdict is Verdict.UNDECIDED


def test_figures_alike_are_named_together_also_in_the_record() -> None:
    outcome = _outcome([*_team(count=2), *_figure("3", FLAT)])
    assert outcome.remarks == (
        "figures 1, 2, spare: by their dimensions, fits h0; no dimensions are printed for profibase, zeugo",
        "figure 3: by its dimensions, fits flat; no dimensions are printed for profibase, zeugo",
    )
    assert set(outcome.remarks) <= set(record_of(outcome, Subject("a team")).warnings)


def test_one_unnamed_figure_is_named_and_makes_no_team() -> None:
    assert _outcome(_figure(""), "figure").remarks[0].startswith("figure: by its dimensions, fits h0")
    assert _verdicts(_outcome(_figure("")))["team.same_type"] is Verdict.UNDECIDED


def test_other_items_know_no_figures() -> None:
    assert _outcome([Reading("coin.mass", "5.2", "1", "g", where="desk")], "coin-set", "icf-cs").figures == ()


def test_what_every_file_of_a_team_says_is_said_once() -> None:
    sheet = load("fistf-4.0")
    files = [
        MeasurementFile(tuple(_figure(str(number))), warnings=("the camera is not calibrated",))
        for number in range(1, 11)
    ]
    outcome = inspect(Task(sheet, sheet.item("team"), RuleName.GUARDED, date(2026, 5, 1)), files)
    assert outcome.warnings.count("the camera is not calibrated") == 1
