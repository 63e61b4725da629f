"""Clauses × evidence → findings: every clause gets at least one, and what nobody measured says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from inspect_kit.judgement.probability import conformance_probability
from inspect_kit.judgement.rules import NEEDS_UNCERTAINTY, RULES, Decision, RuleName
from inspect_kit.judgement.verdict import Finding, Reason, Verdict, overall
from inspect_kit.rulebook.clause import Clause, Force, Kind, WordMeaning
from inspect_kit.values.limits import Limits
from inspect_kit.values.measurement import COVERAGE_FACTOR, Measurement, Observation

_ANSWERS = {
    WordMeaning.YES: (Verdict.CONFORMS, Reason.OBSERVED_YES),
    WordMeaning.NO: (Verdict.FAILS, Reason.OBSERVED_NO),
    WordMeaning.UNDECIDED: (Verdict.UNDECIDED, Reason.OBSERVED_UNCLEAR),
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of the item: measurements, observations, and why some instruments cannot be trusted today."""

    measurements: Mapping[str, Sequence[Measurement]]
    observations: Mapping[str, Sequence[Observation]]
    distrusted: Mapping[str, Reason] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        measurements: Iterable[Measurement],
        observations: Iterable[Observation] = (),
        distrusted: Mapping[str, Reason] | None = None,
    ) -> Evidence:
        """Sort what was found by characteristic."""
        measured: dict[str, list[Measurement]] = {}
        for measurement in measurements:
            measured.setdefault(measurement.characteristic, []).append(measurement)
        observed: dict[str, list[Observation]] = {}
        for observation in observations:
            observed.setdefault(observation.characteristic, []).append(observation)
        return cls(measured, observed, distrusted or {})


@dataclass(frozen=True, slots=True)
class Judgement:
    """All findings for one item under one rule."""

    rule: RuleName
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict over all."""
        return overall(finding.verdict for finding in self.findings)


def judge(clauses: Iterable[Clause], evidence: Evidence, rule: RuleName = RuleName.GUARDED) -> Judgement:
    """Walk the clauses in the order of the sheet."""
    findings = tuple(finding for clause in clauses for finding in judge_clause(clause, evidence, rule))
    return Judgement(rule, findings)


def judge_clause(clause: Clause, evidence: Evidence, rule: RuleName) -> tuple[Finding, ...]:
    """The findings of one clause, one an instance; what is missing comes last."""
    measured = evidence.measurements.get(clause.characteristic, ())
    observed = () if measured else evidence.observations.get(clause.characteristic, ())
    direct = bool(observed) or any(not found.formula for found in measured)
    if not _applies(clause, evidence, direct=direct):
        return (Finding(clause, Verdict.NOT_APPLICABLE, Reason.CONDITION_NOT_MET),)
    findings = [
        *_measured(clause, measured, rule, evidence.distrusted),
        *(_observed(clause, observation) for observation in observed),
    ]
    return (*findings, *_missing(clause, [finding.instance for finding in findings]))


def _applies(clause: Clause, evidence: Evidence, *, direct: bool) -> bool:
    """Whether the clause's condition is met; where nobody looked, direct evidence shows that it is meant."""
    condition = clause.when
    if condition is None:
        return True
    seen = [observation.value for observation in evidence.observations.get(condition.characteristic, ())]
    if not seen:
        return direct or not condition.wanted
    return any(word in condition.words for word in seen) is condition.wanted


def _measured(
    clause: Clause, measured: Iterable[Measurement], rule: RuleName, distrusted: Mapping[str, Reason]
) -> Iterator[Finding]:
    limits = None if clause.kind is Kind.NOMINAL_WITHOUT_TOLERANCE else clause.limits
    for found in measured:
        if limits is None:
            yield Finding(clause, Verdict.REPORTED, Reason.NO_TOLERANCE, found.instance, found)
            continue
        standard = found.standard_uncertainty
        verdict, reason = _decided(found, standard, limits, rule, distrusted)
        probability = None if standard is None else conformance_probability(found.value, standard, limits, found.dof)
        yield Finding(clause, _unless_binding(clause, verdict), reason, found.instance, found, probability=probability)


def _decided(
    found: Measurement, standard: Decimal | None, limits: Limits, rule: RuleName, distrusted: Mapping[str, Reason]
) -> Decision:
    """A gauge that cannot be trusted comes before an uncertainty that is not known, and both before the rule."""
    doubt = next((distrusted[gauge] for gauge in found.instruments if gauge in distrusted), None)
    if doubt is not None:
        return Verdict.UNDECIDED, doubt
    if standard is None and rule in NEEDS_UNCERTAINTY:
        return Verdict.UNDECIDED, Reason.UNCERTAINTY_UNKNOWN
    return RULES[rule](found.value, COVERAGE_FACTOR * (standard or 0), limits)


def _observed(clause: Clause, observation: Observation) -> Finding:
    if clause.kind is Kind.NOMINAL_WITHOUT_TOLERANCE:
        return Finding(clause, Verdict.REPORTED, Reason.NO_TOLERANCE, observation.instance, observation=observation)
    verdict, reason = _ANSWERS[answer_to(clause, observation.value) or WordMeaning.UNDECIDED]
    return Finding(clause, _unless_binding(clause, verdict), reason, observation.instance, observation=observation)


def answer_to(clause: Clause, word: str) -> WordMeaning | None:
    """What an observed word means for a clause; `None` if the sheet does not know the word."""
    if word in (WordMeaning.YES, WordMeaning.NO):
        return WordMeaning(word)
    return clause.answers.get(word)


def _unless_binding(clause: Clause, verdict: Verdict) -> Verdict:
    """A recommendation that is not met is told, and fails nobody."""
    return verdict if clause.binding or verdict is Verdict.CONFORMS else Verdict.REPORTED


def _missing(clause: Clause, found: list[str]) -> tuple[Finding, ...]:
    """Findings for what was not measured; one value without an instance speaks for all of them.

    A permission that nobody made use of, or looked at, does not hold up the verdict.
    """
    if "" in found:
        return ()
    needed = clause.binding and clause.force is not Force.MAY
    silent = Verdict.UNDECIDED if needed else Verdict.NOT_APPLICABLE
    named = clause.instances.names
    lacking = [name for name in named if name not in found]
    if lacking and len(lacking) < len(named):
        return tuple(Finding(clause, silent, Reason.NOT_MEASURED, name) for name in lacking)
    short = clause.instances.number - len(found)
    if short <= 0:
        return ()
    return (Finding(clause, silent, Reason.NOT_MEASURED, missing=short if found else clause.instances.number),)
