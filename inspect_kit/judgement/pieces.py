"""Items that are pieces or are made of pieces: each piece is judged whole, by its own clauses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from inspect_kit.judgement.judge import Evidence, Judgement, judge, judge_clause
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.rulebook.clause import Clause
from inspect_kit.rulebook.sheet import Item, Pieces, Sheet
from inspect_kit.values.quantity import EXACT_UNITS


class _Instanced(Protocol):
    @property
    def instance(self) -> str: ...


_Kind = TypeVar("_Kind", bound=_Instanced)


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
    shared = _of_piece(evidence, "", lone=False)
    return tuple(found for clause in clauses for found in _judge_clause(clause, parts, shared, rule, number))


def labels_of(clauses: Sequence[Clause], evidence: Evidence) -> tuple[str, ...]:
    """The pieces that anything is known of, in the order of the files."""
    names = {clause.characteristic for clause in clauses}
    names |= {clause.when.characteristic for clause in clauses if clause.when is not None}
    known: list[_Instanced] = [
        *(each for name, many in evidence.measurements.items() if name in names for each in many),
        *(each for name, many in evidence.observations.items() if name in names for each in many),
    ]
    return tuple(dict.fromkeys(each.instance for each in known if each.instance))


def _judge_clause(
    clause: Clause, parts: Mapping[str, Evidence], shared: Evidence, rule: RuleName, number: int
) -> Iterator[Finding]:
    """One clause for all pieces; what was answered for all of them at once is one finding."""
    at_once = clause.when is None and clause.characteristic in {**shared.observations, **shared.measurements}
    if at_once and not any(_labelled(clause, part) for part in parts.values()):
        yield from judge_clause(clause, shared, rule)
        return
    for label, part in parts.items():
        yield from (replace(found, instance=label) for found in judge_clause(clause, part, rule))
    short = number - len(parts)
    if short > 0 and clause.when is None and clause.binding:
        yield Finding(clause, Verdict.UNDECIDED, Reason.NOT_MEASURED, missing=short)


def _labelled(clause: Clause, part: Evidence) -> bool:
    known: list[_Instanced] = [
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
    by_name: Mapping[str, Sequence[_Kind]], label: str, shared: Callable[[_Kind], bool]
) -> dict[str, Sequence[_Kind]]:
    """What bears the label; without such, what bears none and is shared."""
    found: dict[str, Sequence[_Kind]] = {}
    for name, many in by_name.items():
        own = [each for each in many if label and each.instance == label]
        own = own or [each for each in many if not each.instance and shared(each)]
        if own:
            found[name] = own
    return found
