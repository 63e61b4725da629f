"""What a sound sheet may still lack: clauses that silence could satisfy, ranges, places and answers nobody gives."""

from collections.abc import Iterator

from inspect_kit.errors import Fault, fault
from inspect_kit.inspection.catalogue import measured_names
from inspect_kit.judgement.judge import Evidence, judge_clause
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.rulebook.clause import Clause, words_for
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.values.quantity import EXACT_UNITS


def warnings_on(sheet: Sheet) -> tuple[Fault, ...]:
    """Everything that a person who writes a sheet should look at again; none of it keeps the sheet from being used."""
    checks = (_silence, _never_failing, _implausible, _unknown_instances, _unanswered_conditions)
    return tuple(fault for check in checks for fault in check(sheet))


def _silence(sheet: Sheet) -> Iterator[Fault]:
    """Judged on nothing at all, a binding clause has to be left open."""
    for clause in sheet.clauses:
        findings = judge_clause(clause, Evidence.of(()), RuleName.SIMPLE)
        if clause.binding and any(finding.verdict is not Verdict.UNDECIDED for finding in findings):
            yield _of(clause, "binding-satisfied-by-silence")


def _never_failing(sheet: Sheet) -> Iterator[Fault]:
    for item in sheet.items:
        if not item.pieces and not any(clause.binding for clause in sheet.clauses_of(item.id)):
            yield fault(f"item {item.id}", "no-binding-clause")


def measured_without_range(sheet: Sheet) -> tuple[str, ...]:
    """What is measured, and could be mistyped by a factor of ten without anyone noticing."""
    derived = {entry.characteristic for entry in sheet.derived}
    asked = {c.characteristic: c.unit.base for c in sheet.clauses if c.unit and c.characteristic not in derived}
    inputs = {name for entry in sheet.derived for name in entry.formula.names if name not in derived}
    inside = {name: unit for name, unit in measured_names().items() if name in inputs and unit != "word"}
    measured = (name for name, unit in {**inside, **asked}.items() if unit not in EXACT_UNITS)
    return tuple(name for name in measured if name not in sheet.plausible)


def _implausible(sheet: Sheet) -> Iterator[Fault]:
    for name in measured_without_range(sheet):
        yield fault(name, "no-plausible-range")


def _unknown_instances(sheet: Sheet) -> Iterator[Fault]:
    """Places that a formula picks and no clause asks for."""
    asked = {c.characteristic: c.instances.names for c in sheet.clauses if c.instances.names}
    for entry in sheet.derived:
        for name, places in entry.formula.instances.items():
            for place in places:
                if name in asked and place not in asked[name]:
                    yield fault(entry.characteristic, "picks-unasked", name=name, place=place)


def _unanswered_conditions(sheet: Sheet) -> Iterator[Fault]:
    """Conditions on what nobody asks, and words that nobody can answer."""
    asked = {clause.characteristic: words_for(clause) for clause in sheet.clauses}
    answers = {**{choice.characteristic: choice.words for choice in sheet.choices}, **asked}
    for clause in sheet.clauses:
        if clause.when is None:
            continue
        name = clause.when.characteristic
        if name not in answers:
            yield _of(clause, "hangs-on-unasked", name=name)
        elif unknown := [word for word in clause.when.words if word not in answers[name]]:
            yield _of(clause, "hangs-on-no-answer", name=name, words=", ".join(unknown))


def _of(clause: Clause, code: str, **facts: str) -> Fault:
    return fault(f"clause {clause.number}, {clause.characteristic}", code, **facts)
