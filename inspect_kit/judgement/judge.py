"""Clauses × evidence → findings: every clause gets at least one, and what nobody measured says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final, TypeVar

from inspect_kit.judgement.risk import conformance_probability
from inspect_kit.judgement.rules import NEEDS_UNCERTAINTY, RULES, Decision, RuleName
from inspect_kit.judgement.verdict import Finding, Reason, Verdict, overall
from inspect_kit.rulebook.clause import (  # fmt: skip
    CONFIDENCE,
    Bounds,
    Clause,
    Instances,
    Kind,
    WordMeaning,
    answer_to,
    answered_by_looking,
)
from inspect_kit.rulebook.sheet import Item, Pieces, Sheet
from inspect_kit.values.limits import Limits
from inspect_kit.values.measurement import COVERAGE_FACTOR, Measurement, Observation, Ruling
from inspect_kit.values.quantity import EXACT_UNITS

_ANSWERS: Final = {
    WordMeaning.YES: (Verdict.CONFORMS, Reason.OBSERVED_YES),
    WordMeaning.NO: (Verdict.FAILS, Reason.OBSERVED_NO),
    WordMeaning.UNDECIDED: (Verdict.UNDECIDED, Reason.OBSERVED_UNCLEAR),
    WordMeaning.NOT_APPLICABLE: (Verdict.NOT_APPLICABLE, Reason.CONDITION_NOT_MET),
}
_RULED: Final = {True: _ANSWERS[WordMeaning.YES], False: _ANSWERS[WordMeaning.NO]}
_TOLD_AS_IS: Final = frozenset({Verdict.CONFORMS, Verdict.NOT_APPLICABLE})

WIDEST: Final = Decimal("0.1")
"""Share of a nominal by which U may widen the agreement with it at most: with a gauge that knows less than a tenth of
what it measures, agreement would say nothing. Ours, not a federation's."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of the item: measurements, observations, decisions, and why some gauges are not trusted."""

    measurements: Mapping[str, Sequence[Measurement]]
    observations: Mapping[str, Sequence[Observation]]
    distrusted: Mapping[str, Reason] = field(default_factory=dict)
    rulings: Mapping[str, Mapping[str, Ruling]] = field(default_factory=dict)
    """What persons decided, by characteristic and instance; without an instance it is for all of them."""
    unclear: frozenset[str] = frozenset()
    """What could only be worked out from observations that are not sure enough."""

    def ruling(self, characteristic: str, instance: str) -> Ruling | None:
        """A person's decision on this instance, or on all of them."""
        given = self.rulings.get(characteristic, {})
        return given.get(instance) or given.get("")

    @classmethod
    def of(
        cls,
        measurements: Iterable[Measurement],
        observations: Iterable[Observation] = (),
        distrusted: Mapping[str, Reason] | None = None,
    ) -> Evidence:
        """Sort what was found by characteristic."""
        return cls(_by_characteristic(measurements), _by_characteristic(observations), distrusted or {})


_Found = TypeVar("_Found", Measurement, Observation)


def _by_characteristic(found: Iterable[_Found]) -> dict[str, list[_Found]]:
    sorted_out: dict[str, list[_Found]] = {}
    for each in found:
        sorted_out.setdefault(each.characteristic, []).append(each)
    return sorted_out


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
    holds = condition_holds(clause, evidence)
    if holds is None:
        return (Finding(clause, _silent(clause), Reason.CONDITION_UNKNOWN),)
    if not holds:
        return (Finding(clause, Verdict.NOT_APPLICABLE, Reason.CONDITION_NOT_MET),)
    measured = evidence.measurements.get(clause.characteristic, ())
    observed = () if measured else evidence.observations.get(clause.characteristic, ())
    findings = [
        *(_measured(clause, found, rule, evidence) for found in measured),
        *(_observed(clause, observation, evidence) for observation in observed),
    ]
    if not findings:
        findings = list(_ruled_alone(clause, evidence))
    return (*findings, *_missing(clause, findings, evidence))


def condition_holds(clause: Clause, evidence: Evidence) -> bool | None:
    """Whether the clause's condition is met; `None` where nobody answered it, or not surely enough."""
    condition = clause.when
    if condition is None:
        return True
    seen = evidence.observations.get(condition.characteristic, ())
    words = [each.value for each in seen if _sure(each, CONFIDENCE)]
    if not words:
        return None
    return any(word in condition.words for word in words) is condition.wanted


def _sure(observation: Observation, needed: Decimal) -> bool:
    """What a person saw is sure; what a program saw is as sure as it says."""
    return observation.confidence is None or observation.confidence >= needed


def _measured(clause: Clause, found: Measurement, rule: RuleName, evidence: Evidence) -> Finding:
    limits = None if clause.kind is Kind.NOMINAL_WITHOUT_TOLERANCE else clause.limits
    if limits is None:
        return _against_nominal(clause, found, rule, evidence)
    standard = found.standard_uncertainty
    verdict, reason = _decided(found, standard, limits, rule, evidence.distrusted)
    probability = None if standard is None else conformance_probability(found.value, standard, limits, found.dof)
    return Finding(clause, _unless_binding(clause, verdict), reason, found.instance, found, probability=probability)


def _decided(
    found: Measurement, standard: Decimal | None, limits: Limits, rule: RuleName, distrusted: Mapping[str, Reason]
) -> Decision:
    """A gauge that cannot be trusted comes before an uncertainty that is not known, and both before the rule."""
    doubt = _doubt(found, rule, distrusted)
    if doubt is not None:
        return Verdict.UNDECIDED, doubt
    return RULES[rule](found.value, COVERAGE_FACTOR * (standard or 0), limits)


def _doubt(found: Measurement, rule: RuleName, distrusted: Mapping[str, Reason]) -> Reason | None:
    """Why a value decides nothing, whatever it is."""
    gauge = next((distrusted[gauge] for gauge in found.instruments if gauge in distrusted), None)
    unknown = found.standard_uncertainty is None and rule in NEEDS_UNCERTAINTY
    return gauge or (Reason.UNCERTAINTY_UNKNOWN if unknown else None)


def _against_nominal(clause: Clause, found: Measurement, rule: RuleName, evidence: Evidence) -> Finding:
    """A printed figure without a tolerance: agreement conforms, and anything else waits for a person."""
    if clause.kind is Kind.RELATION and not clause.binding:
        return Finding(clause, Verdict.REPORTED, Reason.NO_TOLERANCE, found.instance, found)
    ruling = evidence.ruling(clause.characteristic, found.instance)
    doubt = _doubt(found, rule, evidence.distrusted)
    if doubt is not None:
        return Finding(clause, _silent(clause), doubt, found.instance, found, ruling=ruling)
    if _agrees(clause.bounds, found) and (ruling is None or ruling.accepted):
        return Finding(clause, Verdict.CONFORMS, Reason.AS_PRINTED, found.instance, found)
    if ruling is not None:
        verdict, reason = _RULED[ruling.accepted]
        return Finding(clause, _unless_binding(clause, verdict), reason, found.instance, found, ruling=ruling)
    open_reason = Reason.PERSON_DECIDES if clause.binding else Reason.NO_TOLERANCE
    return Finding(clause, _silent(clause), open_reason, found.instance, found)


def _agrees(bounds: Bounds, found: Measurement) -> bool:
    """Within half of the last printed digit, widened by U; but no gauge is so poor that everything agrees with it."""
    nominal = bounds.nominal_in_base
    assert nominal is not None
    widened = min(found.expanded_uncertainty or Decimal(0), abs(nominal) * WIDEST)
    return abs(found.value - nominal) <= bounds.half_digit + widened


def _observed(clause: Clause, observation: Observation, evidence: Evidence) -> Finding:
    ruling = evidence.ruling(clause.characteristic, observation.instance)
    if ruling is not None:
        verdict, reason = _RULED[ruling.accepted]
    elif not _sure(observation, clause.confidence):
        verdict, reason = Verdict.UNDECIDED, Reason.OBSERVED_UNCLEAR
    else:
        verdict, reason = _ANSWERS[answer_to(clause, observation.value) or WordMeaning.UNDECIDED]
    return Finding(
        clause, _unless_binding(clause, verdict), reason, observation.instance, observation=observation, ruling=ruling
    )


def _ruled_alone(clause: Clause, evidence: Evidence) -> Iterator[Finding]:
    """A decision with nothing beside it answers what is looked at; what is measured still needs its value."""
    for instance, ruling in evidence.rulings.get(clause.characteristic, {}).items():
        if answered_by_looking(clause) or not ruling.accepted:
            verdict, reason = _RULED[ruling.accepted]
            yield Finding(clause, _unless_binding(clause, verdict), reason, instance, ruling=ruling)


def _unless_binding(clause: Clause, verdict: Verdict) -> Verdict:
    """A recommendation that is not met is told, and fails nobody."""
    return verdict if clause.binding or verdict in _TOLD_AS_IS else Verdict.REPORTED


def _silent(clause: Clause) -> Verdict:
    """What is left when an answer is wanting: never conforming, and never "does not apply"."""
    return Verdict.UNDECIDED if clause.binding else Verdict.REPORTED


def _missing(clause: Clause, findings: Sequence[Finding], evidence: Evidence) -> tuple[Finding, ...]:
    """Findings for what was not measured. An answer for all of them speaks for all; one measured value does not."""
    if any(not finding.instance and _speaks_for_all(clause, finding) for finding in findings):
        return ()
    reason = Reason.OBSERVED_UNCLEAR if clause.characteristic in evidence.unclear else Reason.NOT_MEASURED
    found = [finding.instance for finding in findings]
    names, short = _lacking(clause.instances, found, evidence)
    names = names or _unanswered(clause, found, evidence)
    named = tuple(Finding(clause, _silent(clause), reason, name) for name in names)
    return (*named, Finding(clause, _silent(clause), reason, missing=short)) if short > 0 else named


def _speaks_for_all(clause: Clause, finding: Finding) -> bool:
    """Looking and counting cover all pieces at once; a gauge is held to one place."""
    found = finding.measurement
    return found is None or not clause.instances.several or found.unit in EXACT_UNITS


def _lacking(instances: Instances, found: Sequence[str], evidence: Evidence) -> tuple[tuple[str, ...], int]:
    """Which pieces lack a value by name, and how many more there are whose names nobody knows."""
    if instances.parts:
        return _lacking_parts(instances, found, evidence)
    lacking = tuple(name for name in instances.names if name not in found)
    if lacking and len(lacking) < len(instances.names):
        return lacking, 0
    return (), _number(instances, evidence) - len(found)


def _unanswered(clause: Clause, found: Sequence[str], evidence: Evidence) -> tuple[str, ...]:
    """The other pieces that were measured by name, where a question about all was answered for some of them."""
    if clause.instances.several:
        return ()
    kind = clause.characteristic.partition(".")[0] + "."
    measured = (many for name, many in evidence.measurements.items() if name.startswith(kind))
    sets = [[each.instance for each in many if each.instance] for many in measured]
    known = dict.fromkeys(name for names in sets if not set(found).isdisjoint(names) for name in names)
    return tuple(name for name in known if name not in found)


def _lacking_parts(instances: Instances, found: Sequence[str], evidence: Evidence) -> tuple[tuple[str, ...], int]:
    pieces = dict.fromkeys(_piece(name, instances.parts) for name in found)
    wanted = [f"{piece}.{part}" if piece else part for piece in pieces for part in instances.parts]
    short = _number(instances, evidence) - len(pieces)
    return tuple(name for name in wanted if name not in found), short * len(instances.parts)


def _piece(name: str, parts: Sequence[str]) -> str:
    """`1` of `1.a`."""
    piece, dot, part = name.rpartition(".")
    return piece if dot and part in parts else name


def _number(instances: Instances, evidence: Evidence) -> int:
    """How many pieces there are: by the sheet, or as counted; at least one."""
    counted = evidence.measurements.get(instances.counted_by, ()) if instances.counted_by else ()
    return max([instances.number, *(int(count.value) for count in counted)])


# Items that are pieces or are made of pieces: each piece is judged whole, by its own clauses.


def judge_item(sheet: Sheet, item: Item, evidence: Evidence, rule: RuleName) -> Judgement:
    """An item by its own clauses and then by those of the pieces it is made of."""
    clauses = sheet.clauses_of(item.id)
    own = judge_each(clauses, evidence, rule) if item.piece else judge(clauses, evidence, rule).findings
    pieces = (found for part in item.pieces for found in _judge_set(sheet, part, evidence, rule))
    return Judgement(rule, (*own, *pieces))


def _judge_set(sheet: Sheet, part: Pieces, evidence: Evidence, rule: RuleName) -> tuple[Finding, ...]:
    counts = [found.value for name in part.counted_by for found in evidence.measurements.get(name, ())[:1]]
    return judge_each(sheet.clauses_of(part.item), evidence, rule, int(sum(counts)))


def judge_each(clauses: Sequence[Clause], evidence: Evidence, rule: RuleName, number: int = 1) -> tuple[Finding, ...]:
    """Piece by piece: `number` of them are wanted, and every piece that anything is known of is judged whole."""
    labels = labels_of(clauses, evidence)
    if not labels and number <= 1:
        return tuple(found for clause in clauses for found in judge_clause(clause, evidence, rule))
    lone = len(labels) == 1 and number <= 1
    parts = {label: _of_piece(evidence, label, lone=lone) for label in labels}
    return tuple(found for clause in clauses for found in _judge_pieces_clause(clause, parts, evidence, rule, number))


def labels_of(clauses: Sequence[Clause], evidence: Evidence) -> tuple[str, ...]:
    """The pieces that anything is known of, in the order of the files."""
    names = {clause.characteristic for clause in clauses}
    names |= {clause.when.characteristic for clause in clauses if clause.when is not None}
    known: list[Measurement | Observation] = [
        *(each for name, many in evidence.measurements.items() if name in names for each in many),
        *(each for name, many in evidence.observations.items() if name in names for each in many),
    ]
    return tuple(dict.fromkeys(each.instance for each in known if each.instance))


def _judge_pieces_clause(
    clause: Clause, parts: Mapping[str, Evidence], evidence: Evidence, rule: RuleName, number: int
) -> Iterator[Finding]:
    """One clause for all pieces; what was answered for all of them at once is one finding."""
    shared = _of_piece(evidence, "", lone=False)
    at_once = clause.when is None and clause.characteristic in {**shared.observations, **shared.measurements}
    if at_once and not any(_labelled(clause, part) for part in parts.values()):
        yield from judge_clause(clause, shared, rule)
        return
    for label, part in parts.items():
        yield from (replace(found, instance=label) for found in judge_clause(clause, part, rule))
    yield from _judge_unclaimed(clause, evidence, tuple(parts.values()), rule)
    short = number - len(parts)
    if short > 0 and clause.when is None and clause.binding:
        yield Finding(clause, Verdict.UNDECIDED, Reason.NOT_MEASURED, missing=short)


def _judge_unclaimed(
    clause: Clause, evidence: Evidence, parts: Sequence[Evidence], rule: RuleName
) -> Iterator[Finding]:
    """What bears no label while every piece has its own: it was found too, and is not hidden behind theirs."""
    name = clause.characteristic
    measured = _unclaimed(evidence.measurements.get(name, ()), [part.measurements.get(name, ()) for part in parts])
    observed = _unclaimed(evidence.observations.get(name, ()), [part.observations.get(name, ()) for part in parts])
    if measured or observed:
        own = replace(
            evidence,
            measurements={name: measured},
            observations={**_of_piece(evidence, "", lone=False).observations, name: observed},
        )
        found = judge_clause(clause, own, rule)
        # "Met", said of all pieces, gives way to what was said of each.
        yield from (each for each in found if each.measurement or each.verdict is not Verdict.CONFORMS)


def _unclaimed(known: Sequence[_Found], parts: Iterable[Sequence[_Found]]) -> list[_Found]:
    claimed = [each for part in parts for each in part]
    return [each for each in known if not each.instance and each not in claimed]


def _labelled(clause: Clause, part: Evidence) -> bool:
    known: list[Measurement | Observation] = [
        *part.measurements.get(clause.characteristic, ()),
        *part.observations.get(clause.characteristic, ()),
    ]
    return any(each.instance for each in known)


def _of_piece(evidence: Evidence, label: str, *, lone: bool) -> Evidence:
    """What is known of one piece: its own values, and what was answered or counted for all of them."""
    return replace(
        evidence,
        # A count is of all pieces at once; a gauge was held to one of them.
        measurements=_kept(evidence.measurements, label, lambda found: lone or found.unit in EXACT_UNITS),
        observations=_kept(evidence.observations, label, lambda _: True),
    )


def _kept(
    by_name: Mapping[str, Sequence[_Found]], label: str, shared: Callable[[_Found], bool]
) -> dict[str, Sequence[_Found]]:
    """What bears the label; without such, what bears none and is shared."""
    found: dict[str, Sequence[_Found]] = {}
    for name, many in by_name.items():
        own = [each for each in many if label and each.instance == label]
        own = own or [each for each in many if not each.instance and shared(each)]
        if own:
            found[name] = own
    return found
