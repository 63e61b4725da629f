"""Which homologated types of figure a measured one can be, by the dimensions that a sheet prints for each type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from inspect_kit.errors import Notice, notice
from inspect_kit.judgement.judge import Evidence, judge_clause
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.rulebook.clause import Clause
from inspect_kit.rulebook.sheet import Sheet

TYPE: Final = "fig.type"
"""The observation that names a figure's type; clauses of one type apply when it does."""


class FitVerdict(StrEnum):
    """Whether a figure can be of a type."""

    FITS = "fits"
    MAY_FIT = "may-fit"
    DOES_NOT_FIT = "does-not-fit"
    NO_DIMENSIONS = "no-dimensions"


@dataclass(frozen=True, slots=True)
class TypeFit:
    """One type: whether the figure can be of it, and the findings that say so."""

    type: str
    fit: FitVerdict
    findings: tuple[Finding, ...]


def fitting_types(sheet: Sheet, evidence: Evidence, rule: RuleName = RuleName.GUARDED) -> tuple[TypeFit, ...]:
    """Every type of the sheet, in its order. Nothing is said of types whose dimensions were not measured at all.

    A type without printed dimensions cannot be excluded by measuring, nor confirmed.
    """
    found = []
    for name, clauses in _by_type(sheet).items():
        findings = tuple(
            finding for clause in clauses if clause.numeric for finding in _findings(clause, evidence, rule)
        )
        fit = _fit(findings)
        if fit is not None:
            found.append(TypeFit(name, fit, findings))
    return tuple(found)


def named(types: Iterable[TypeFit]) -> tuple[Notice, ...]:
    """The types: fits h0; may also be sports, toccer. Nothing where nothing was measured."""
    by_fit: dict[FitVerdict, list[str]] = {fit: [] for fit in FitVerdict}
    for each in types:
        by_fit[each.fit].append(each.type)
    sure, maybe, silent = by_fit[FitVerdict.FITS], by_fit[FitVerdict.MAY_FIT], by_fit[FitVerdict.NO_DIMENSIONS]
    if not (sure or maybe or by_fit[FitVerdict.DOES_NOT_FIT]):
        return ()
    parts = [notice("type-fits", names=", ".join(sure)) if sure else notice("type-fits-none")]
    if maybe:
        parts.append(notice("type-may-also" if sure else "type-may", names=", ".join(maybe)))
    if silent:
        parts.append(notice("type-no-dimensions", names=", ".join(silent)))
    return tuple(parts)


def _by_type(sheet: Sheet) -> Mapping[str, Sequence[Clause]]:
    """The clauses that speak of one type only, by its name."""
    found: dict[str, list[Clause]] = {}
    for clause in sheet.clauses:
        condition = clause.when
        if condition is not None and condition.characteristic == TYPE and condition.wanted:
            for word in condition.words:
                found.setdefault(word, []).append(clause)
    return found


def _findings(clause: Clause, evidence: Evidence, rule: RuleName) -> tuple[Finding, ...]:
    """Judged as if the figure were of this type."""
    return judge_clause(replace(clause, when=None), replace(evidence, observations={}), rule)


def _fit(findings: Sequence[Finding]) -> FitVerdict | None:
    if not findings:
        return FitVerdict.NO_DIMENSIONS
    if all(finding.reason is Reason.NOT_MEASURED for finding in findings):
        return None
    if any(_excludes(finding) for finding in findings):
        return FitVerdict.DOES_NOT_FIT
    sure = all(finding.verdict is Verdict.CONFORMS and finding.reason is not Reason.AS_PRINTED for finding in findings)
    return FitVerdict.FITS if sure else FitVerdict.MAY_FIT


def _excludes(finding: Finding) -> bool:
    """Outside the limits, whether or not the clause can fail the figure as such; or not what is printed as nominal."""
    away = (Reason.ABOVE_UPPER, Reason.BELOW_LOWER, Reason.PERSON_DECIDES)
    return finding.verdict is Verdict.FAILS or finding.reason in away
