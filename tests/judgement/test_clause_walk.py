"""Every clause of every shipped sheet: one passes it, one fails it, and one leaves it undecided."""

from __future__ import annotations

from decimal import Decimal

import pytest

from inspect_kit.judgement.judge import Evidence, judge_clause
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.rulebook.clause import Clause, Kind, WordMeaning
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.values.limits import lower_of, upper_of
from inspect_kit.values.measurement import Component, Measurement, Observation

SHEETS = {name: load(name) for name in sheet_ids()}
CLAUSES = [pytest.param(c, id=f"{name}:{c.item}:{c.characteristic}") for name, s in SHEETS.items() for c in s.clauses]
DECIDED_BY_NUMBER = [p for p in CLAUSES if p.values[0].limits is not None]  # type: ignore[attr-defined]
OBSERVED = [p for p in CLAUSES if not p.values[0].numeric]  # type: ignore[attr-defined]
NOMINAL = [p for p in CLAUSES if p.values[0].numeric and p.values[0].limits is None]  # type: ignore[attr-defined]
SMALL = Decimal("1e-6")


def _condition(clause: Clause) -> list[Observation]:
    """An answer by which the clause applies."""
    if clause.when is None:
        return []
    word = clause.when.words[0] if clause.when.wanted else "something else"
    return [Observation(clause.when.characteristic, word)]


def _instances(clause: Clause) -> tuple[str, ...]:
    """Every piece or place that the clause asks for."""
    instances = clause.instances
    if instances.parts:
        return tuple(f"1.{part}" for part in instances.parts)
    return instances.names or tuple(str(n) for n in range(instances.number)) if instances.several else ("",)


def _judged(clause: Clause, value: Decimal, u: Decimal | None, rule: RuleName = RuleName.GUARDED) -> Finding:
    """The finding for the same value at every place, which has to be the same everywhere."""
    assert clause.unit is not None
    budget = None if u is None else (Component("stated", u),)
    found = [Measurement(clause.characteristic, value, clause.unit.base, budget, name) for name in _instances(clause)]
    findings = judge_clause(clause, Evidence.of(found, _condition(clause)), rule)
    assert len(findings) == len(found)
    assert len({(finding.verdict, finding.reason) for finding in findings}) == 1
    return findings[0]


def _finding(clause: Clause, value: Decimal, u: Decimal = SMALL) -> Finding:
    return _judged(clause, value, u)


def _seen(clause: Clause, word: str) -> Finding:
    observed = [Observation(clause.characteristic, word), *_condition(clause)]
    (finding,) = judge_clause(clause, Evidence.of([], observed), RuleName.GUARDED)
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


@pytest.mark.parametrize("clause", NOMINAL)
def test_a_nominal_without_a_tolerance_conforms_where_it_agrees_and_else_waits_for_a_person(clause: Clause) -> None:
    nominal = clause.bounds.nominal_in_base
    assert nominal is not None
    if clause.kind is Kind.RELATION and not clause.binding:
        assert (found := _finding(clause, nominal)).verdict is Verdict.REPORTED, found
        return
    edge = clause.bounds.half_digit
    for value, agrees in ((nominal, True), (nominal + edge, True), (nominal - edge - Decimal("0.001"), False)):
        finding = _finding(clause, value)
        if agrees:
            assert (finding.verdict, finding.reason) == (Verdict.CONFORMS, Reason.AS_PRINTED)
        elif clause.binding:
            assert (finding.verdict, finding.reason) == (Verdict.UNDECIDED, Reason.PERSON_DECIDES)
        else:
            assert (finding.verdict, finding.reason) == (Verdict.REPORTED, Reason.NO_TOLERANCE)


@pytest.mark.parametrize("clause", NOMINAL)
def test_a_gauge_that_knows_next_to_nothing_agrees_with_nothing(clause: Clause) -> None:
    nominal = clause.bounds.nominal_in_base
    assert nominal is not None
    finding = _finding(clause, nominal * 2 + 2, Decimal(1_000_000))
    assert finding.verdict is (Verdict.UNDECIDED if clause.binding else Verdict.REPORTED)


@pytest.mark.parametrize("clause", OBSERVED)
def test_an_observation_passes_fails_or_leaves_open(clause: Clause) -> None:
    assert _seen(clause, "yes").verdict is Verdict.CONFORMS
    assert _seen(clause, "no").verdict is (Verdict.FAILS if clause.binding else Verdict.REPORTED)
    for word, answer in clause.answers.items():
        assert (_seen(clause, word).verdict is Verdict.CONFORMS) is (answer is WordMeaning.YES)


@pytest.mark.parametrize("clause", CLAUSES)
def test_nothing_conforms_by_silence(clause: Clause) -> None:
    """What is not answered is undecided, or only reported; and nothing is said not to apply for want of an answer."""
    expected = Verdict.UNDECIDED if clause.binding else Verdict.REPORTED
    unanswered = judge_clause(clause, Evidence.of([]), RuleName.SIMPLE)
    applies = judge_clause(clause, Evidence.of([], _condition(clause)), RuleName.SIMPLE)
    assert {finding.verdict for finding in (*unanswered, *applies)} == {expected}
    assert {finding.reason for finding in applies} == {Reason.NOT_MEASURED}
    if clause.when is not None:
        assert {finding.reason for finding in unanswered} == {Reason.CONDITION_UNKNOWN}


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
    strict, plain = (_judged(clause, value, None, rule) for rule in (RuleName.GUARDED, RuleName.SIMPLE))
    assert strict.reason is Reason.UNCERTAINTY_UNKNOWN
    assert strict.verdict is (Verdict.UNDECIDED if clause.binding else Verdict.REPORTED)
    assert plain.verdict is Verdict.CONFORMS
