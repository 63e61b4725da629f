"""Every clause of every shipped sheet: one passes it, one fails it, and one leaves it undecided."""

from __future__ import annotations

from decimal import Decimal

import pytest

from inspect_kit.judgement.judge import Evidence, judge_clause
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.rulebook.clause import Clause, Force, Kind, WordMeaning
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.values.limits import lower_of, upper_of
from inspect_kit.values.measurement import Component, Measurement, Observation

SHEETS = {name: load(name) for name in sheet_ids()}
CLAUSES = [pytest.param(c, id=f"{name}:{c.item}:{c.characteristic}") for name, s in SHEETS.items() for c in s.clauses]
DECIDED_BY_NUMBER = [p for p in CLAUSES if p.values[0].limits is not None]  # type: ignore[attr-defined]
OBSERVED = [p for p in CLAUSES if not p.values[0].numeric]  # type: ignore[attr-defined]
REPORTED = [p for p in CLAUSES if p.values[0].numeric and p.values[0].limits is None]  # type: ignore[attr-defined]
SMALL = Decimal("1e-6")


def _finding(clause: Clause, value: Decimal, u: Decimal = SMALL) -> Finding:
    assert clause.unit is not None
    found = Measurement(clause.characteristic, value, clause.unit.base, (Component("stated", u),))
    (finding,) = judge_clause(clause, Evidence.of([found]), RuleName.GUARDED)
    return finding


def _seen(clause: Clause, word: str) -> Finding:
    (finding,) = judge_clause(clause, Evidence.of([], [Observation(clause.characteristic, word)]), RuleName.GUARDED)
    return finding


def _inside(clause: Clause) -> tuple[Decimal, Decimal]:
    """A value that conforms, and an uncertainty small enough for it."""
    assert clause.limits is not None
    lower, upper = lower_of(clause.limits), upper_of(clause.limits)
    if lower is not None and upper is not None:
        return (lower + upper) / 2, min(SMALL, (upper - lower) / 8)
    edge = lower if lower is not None else upper
    assert edge is not None
    return (edge + 1 if lower is not None else edge - Decimal("0.005")), SMALL


@pytest.mark.parametrize("clause", DECIDED_BY_NUMBER)
def test_a_value_well_inside_the_limits_passes_the_clause(clause: Clause) -> None:
    value, u = _inside(clause)
    finding = _finding(clause, value, u)
    assert (finding.verdict, finding.reason) == (Verdict.CONFORMS, Reason.WITHIN)
    assert finding.probability == pytest.approx(1.0)


@pytest.mark.parametrize("clause", DECIDED_BY_NUMBER)
def test_a_value_beyond_each_limit_fails_a_binding_clause_and_is_reported_otherwise(clause: Clause) -> None:
    assert clause.limits is not None
    expected = Verdict.FAILS if clause.binding else Verdict.REPORTED
    lower, upper = lower_of(clause.limits), upper_of(clause.limits)
    if lower is not None:
        finding = _finding(clause, lower - Decimal("0.001"))
        assert (finding.verdict, finding.reason) == (expected, Reason.BELOW_LOWER)
    if upper is not None:
        finding = _finding(clause, upper + Decimal("0.001"))
        assert (finding.verdict, finding.reason) == (expected, Reason.ABOVE_UPPER)


@pytest.mark.parametrize("clause", DECIDED_BY_NUMBER)
def test_a_value_nearer_to_a_limit_than_U_leaves_a_binding_clause_undecided(clause: Clause) -> None:
    assert clause.limits is not None
    edge = lower_of(clause.limits)
    edge = edge if edge is not None else upper_of(clause.limits)
    assert edge is not None
    finding = _finding(clause, edge, Decimal("0.01"))
    assert finding.verdict is (Verdict.UNDECIDED if clause.binding else Verdict.REPORTED)
    assert finding.reason is Reason.CONDITIONAL_PASS


@pytest.mark.parametrize("clause", REPORTED)
def test_a_nominal_without_a_tolerance_is_reported_and_fails_nobody(clause: Clause) -> None:
    for value in ("0", "1000000"):
        finding = _finding(clause, Decimal(value))
        assert (finding.verdict, finding.reason) == (Verdict.REPORTED, Reason.NO_TOLERANCE)


@pytest.mark.parametrize("clause", OBSERVED)
def test_an_observation_passes_fails_or_leaves_open(clause: Clause) -> None:
    assert _seen(clause, "yes").verdict is Verdict.CONFORMS
    assert _seen(clause, "no").verdict is (Verdict.FAILS if clause.binding else Verdict.REPORTED)
    for word, answer in clause.answers.items():
        assert (_seen(clause, word).verdict is Verdict.CONFORMS) is (answer is WordMeaning.YES)


@pytest.mark.parametrize("clause", CLAUSES)
def test_nothing_conforms_by_silence(clause: Clause) -> None:
    findings = judge_clause(clause, Evidence.of([]), RuleName.SIMPLE)
    assert findings
    for finding in findings:
        if clause.when is not None and clause.when.wanted:
            assert (finding.verdict, finding.reason) == (Verdict.NOT_APPLICABLE, Reason.CONDITION_NOT_MET)
        else:
            needed = clause.binding and clause.force is not Force.MAY
            assert finding.verdict is (Verdict.UNDECIDED if needed else Verdict.NOT_APPLICABLE)
            assert finding.reason is Reason.NOT_MEASURED


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_says_where_it_stands_and_how_it_is_measured(clause: Clause) -> None:
    assert clause.number
    assert clause.how.endswith(".")
    assert clause.source in SHEETS
    assert clause.numeric or clause.requires.endswith(".")
    if clause.suspect:
        assert clause.note


@pytest.mark.parametrize("clause", DECIDED_BY_NUMBER)
def test_an_unknown_uncertainty_is_undecided_when_guarded_and_decided_when_simple(clause: Clause) -> None:
    if clause.unit is None or clause.kind is Kind.COUNT:
        return
    value, _ = _inside(clause)
    evidence = Evidence.of([Measurement(clause.characteristic, value, clause.unit.base, None)])
    (strict,) = judge_clause(clause, evidence, RuleName.GUARDED)
    (plain,) = judge_clause(clause, evidence, RuleName.SIMPLE)
    assert strict.reason is Reason.UNCERTAINTY_UNKNOWN
    assert strict.verdict is (Verdict.UNDECIDED if clause.binding else Verdict.REPORTED)
    assert plain.verdict is Verdict.CONFORMS
