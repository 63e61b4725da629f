"""Certificates that should not exist: for every shipped sheet and item, one answer is left out or spoiled in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from inspect_kit.errors import BadInput
from inspect_kit.inspection.sheet_review import warnings_on
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.values.measurement import Reading
from tests.silence import REFUSED, Case, cases, outcome_of

CASES = [pytest.param(case, id=str(case)) for case in cases()]
SMALL_IS_SOUND = frozenset({
    "fence.width", "fig.base.dmax_depth", "fig.base.dmax_minus_dtop", "fig.under.concave", "die.edge_spread",
    "die.angle_deviation",
})  # fmt: skip
"""A tenth of a sound value is a sound value too: a thin fence, a flat underside, a perfect die."""


@pytest.mark.parametrize("case", CASES)
def test_an_item_with_every_answer_conforms(case: Case) -> None:
    findings = case.judged(case.readings()).judgement.findings
    assert [f for f in findings if f.verdict in (Verdict.FAILS, Verdict.UNDECIDED)] == []
    assert case.judged(case.readings()).judgement.verdict is Verdict.CONFORMS


@pytest.mark.parametrize("case", CASES)
def test_no_single_answer_can_be_left_out(case: Case) -> None:
    rows = case.readings()
    for number, row in enumerate(rows):
        rest = [*rows[:number], *rows[number + 1 :]]
        if rest:
            assert case.judged(rest).judgement.verdict is not Verdict.CONFORMS, (row.characteristic, row.instance)


@pytest.mark.parametrize("case", CASES)
def test_a_slip_of_the_unit_an_unknown_word_and_a_nominal_far_off_never_conform(case: Case) -> None:
    for clause in case.clauses:
        if clause.characteristic not in SMALL_IS_SOUND:
            assert outcome_of(case, clause, "wrong unit") != Verdict.CONFORMS, clause.characteristic
        assert outcome_of(case, clause, "nominal far off") != Verdict.CONFORMS, clause.characteristic
        if not clause.numeric:
            assert outcome_of(case, clause, "unknown word") == REFUSED, clause.characteristic


@pytest.mark.parametrize("case", [c for c in CASES if c.values[0].answers])  # type: ignore[attr-defined]
def test_an_unknown_word_for_a_condition_is_refused_with_a_suggestion(case: Case) -> None:
    for name, word in case.answers.items():
        rows = [row for row in case.readings() if row.characteristic != name]
        with pytest.raises(BadInput, match=f"{name} is answered by"):
            case.judged([*rows, Reading(name, "foo")])
        with pytest.raises(BadInput, match=f'did you mean "{word}"' if len(word) > 3 else "is answered by"):
            case.judged([*rows, Reading(name, f"{word}x")])


@pytest.mark.parametrize("sheet_id", sheet_ids())
def test_the_shipped_sheets_lack_nothing(sheet_id: str) -> None:
    assert warnings_on(load(sheet_id)) == ()


def _case(sheet_id: str, item: str, **answers: str) -> Case:
    return next(case for case in cases()
                if (case.sheet.id, case.item) == (sheet_id, item)
                and answers.items() <= {k.replace(".", "_"): v for k, v in case.answers.items()}.items())  # fmt: skip


def _findings(case: Case, rows: Sequence[Reading], name: str) -> list[Finding]:
    return [f for f in case.judged(rows).judgement.findings if f.clause.characteristic == name]


def _with(case: Case, *rows: Reading) -> list[Reading]:
    replaced = {row.characteristic for row in rows}
    return [*(row for row in case.readings() if row.characteristic not in replaced), *rows]


def test_a_permission_with_a_condition_is_answered_by_none_where_there_is_nothing() -> None:
    case = _case("icf-1991-de", "striker")
    rows = _with(case, Reading("striker.engraving", "none"))
    assert case.judged(rows).judgement.verdict is Verdict.CONFORMS
    (finding,) = _findings(case, rows, "striker.engraving")
    assert (finding.verdict, finding.reason) == (Verdict.NOT_APPLICABLE, Reason.CONDITION_NOT_MET)
    with pytest.raises(BadInput, match="is answered by yes, no"):
        case.judged(_with(case, Reading("striker.material", "none")))


def test_a_photo_that_sees_no_metal_leaves_it_open_until_a_person_looks() -> None:
    case = _case("icf-cs", "striker")
    seen = Reading("striker.visible_metal", "none", confidence="0.5", photo="1.jpg")
    assert case.judged(_with(case, seen)).judgement.verdict is Verdict.UNDECIDED
    person = Reading("striker.visible_metal", "yes")
    assert case.judged([*_with(case, person), seen]).judgement.verdict is Verdict.CONFORMS


def test_an_observation_below_its_confidence_decides_nothing_not_even_a_failure() -> None:
    case = _case("icf-cs", "board")
    for word in ("yes", "no"):
        rows = _with(case, Reading("baseline.colour", word, confidence="0.79", photo="1.jpg"))
        assert {f.reason for f in _findings(case, rows, "baseline.colour")} == {Reason.OBSERVED_UNCLEAR}


def test_colours_that_a_photo_hardly_tells_do_not_count_a_set() -> None:
    case = _case("icf-cs", "coin-set")
    colours = ["white"] * 9 + ["black"] * 9 + ["red"]
    seen = [Reading("coin.colour", c, str(n), confidence="0.6" if n == 4 else "0.9") for n, c in enumerate(colours)]
    counted = {"coin.count.white", "coin.count.black", "coin.count.red"}
    rows = [*(row for row in case.readings() if row.characteristic not in counted), *seen]
    assert {f.reason for name in counted for f in _findings(case, rows, name)} == {Reason.OBSERVED_UNCLEAR}


def test_a_run_test_with_a_striker_of_the_wrong_mass_waits_for_a_person() -> None:
    case = _case("icf-cs", "board")
    rows = _with(case, Reading("surface.runs.striker_mass", "12 g", standard="0.01"))
    assert [f.reason for f in _findings(case, rows, "surface.runs.striker_mass")] == [Reason.PERSON_DECIDES]
    assert case.judged(rows).judgement.verdict is Verdict.UNDECIDED


def test_one_die_of_four_leaves_a_set_undecided() -> None:
    case = _case("precision-dice", "dice", dice_mode="clock")
    rows = [row for row in case.readings() if not row.instance or row.instance.startswith("1")]
    assert case.judged(rows).judgement.verdict is Verdict.UNDECIDED
    assert {f.missing for f in _findings(case, rows, "die.angle_deviation")} == {0, 3}


@pytest.mark.parametrize(("decision", "verdict"), [("accept", Verdict.CONFORMS), ("reject", Verdict.FAILS)])
def test_a_person_decides_a_nominal_and_says_why(decision: str, verdict: Verdict) -> None:
    case = _case("fistf-4.0", "ball")
    far = Reading("ball.diameter", "23.1 mm", standard="0.01")
    assert case.judged(_with(case, far)).judgement.verdict is Verdict.UNDECIDED
    ruled = Reading("ball.diameter", "", decision=decision, by="A. Referee", because="The maker’s template.")
    rows = [*_with(case, far), ruled]
    assert case.judged(rows).judgement.verdict is verdict
    (finding,) = _findings(case, rows, "ball.diameter")
    assert finding.ruling is not None
    assert (finding.ruling.by, finding.ruling.because) == ("A. Referee", "The maker’s template.")


def test_a_decision_does_not_stand_in_for_a_value_nor_against_a_limit() -> None:
    ball, striker = _case("fistf-4.0", "ball"), _case("icf-cs", "striker")
    ruled = Reading("ball.diameter", "", decision="accept", by="A. Referee", because="Looks right.")
    assert ball.judged(_with(ball, ruled)).judgement.verdict is Verdict.UNDECIDED
    heavy = Reading("striker.mass", "16 g", standard="0.01", decision="accept", by="A. Referee", because="Well.")
    outcome = striker.judged(_with(striker, heavy))
    assert outcome.judgement.verdict is Verdict.FAILS
    assert any("the limits decide" in warning for warning in outcome.warnings)


def test_a_value_outside_what_is_usual_is_taken_once_it_is_confirmed() -> None:
    case = _case("icf-cs", "striker")
    with pytest.raises(BadInput, match="usual is 5 g – 25 g"):
        case.judged(_with(case, Reading("striker.mass", "4.5 g", standard="0.01")))
    rows = _with(case, Reading("striker.mass", "4.5 g", standard="0.01", confirmed=True))
    (finding,) = _findings(case, rows, "striker.mass")
    assert finding.measurement is not None
    assert finding.measurement.confirmed


def test_two_half_measured_strikers_are_not_one_that_conforms() -> None:
    case = _case("icf-cs", "striker")
    rows = _with(case, Reading("striker.mass", "14 g", "1", standard="0.01"),
                 Reading("striker.diameter", "41 mm", "2", standard="0.01"))  # fmt: skip
    assert case.judged(rows).judgement.verdict is Verdict.UNDECIDED


def test_a_value_without_a_name_is_not_hidden_behind_a_named_one() -> None:
    case = _case("icf-cs", "striker")
    rows = [row for row in case.readings() if row.characteristic != "striker.mass"]
    heavy, light = (
        Reading("striker.mass", "16.2 g", standard="0.01"),
        Reading("striker.mass", "14.8 g", "2", "", "0.01"),
    )
    outcome = case.judged([*rows, heavy, light]).judgement
    assert outcome.verdict is Verdict.FAILS
    assert [f.instance for f in outcome.findings if f.verdict is Verdict.FAILS] == [""]


def test_a_no_for_all_pieces_is_not_hidden_behind_a_yes_for_one() -> None:
    case = _case("icf-cs", "striker")
    rows = [row for row in case.readings() if row.characteristic != "striker.shape"]
    no, yes = Reading("striker.shape", "no"), Reading("striker.shape", "yes", "2")
    assert case.judged([*rows, no, yes]).judgement.verdict is Verdict.FAILS
    exception = [replace(no, value="yes"), replace(yes, value="no")]
    assert case.judged([*rows, *exception]).judgement.verdict is Verdict.FAILS


def test_an_answer_for_one_coin_does_not_speak_for_the_others() -> None:
    case = _case("icf-cs", "coin-set")
    named = next(row.instance for row in case.readings() if row.characteristic == "coin.diameter")
    rows = [row if row.characteristic != "coin.shape" else replace(row, instance=named) for row in case.readings()]
    findings = case.judged(rows).judgement.findings
    left = [f.reason for f in findings if f.verdict is Verdict.UNDECIDED]
    assert left == [Reason.NOT_MEASURED] * 18
    each = [replace(row, instance=str(n)) for row in rows if row.characteristic == "coin.shape" for n in range(1, 20)]
    whole = [row for row in rows if row.characteristic != "coin.shape"]
    assert case.judged([*whole, *each]).judgement.verdict is Verdict.CONFORMS


def test_every_plausible_range_holds_its_own_limits() -> None:
    for sheet in map(load, sheet_ids()):
        for clause in sheet.clauses:
            usual = sheet.plausible.get(clause.characteristic)
            stated = clause.bounds.nominal or clause.bounds.upper or clause.bounds.lower
            if usual is not None and stated is not None:
                assert usual.holds(stated.in_base), clause.characteristic
