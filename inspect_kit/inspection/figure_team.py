"""The figures of a team by what was measured of each: their types, their number, the colours of their bases."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Final, TypeVar

from inspect_kit.errors import Notice, notice
from inspect_kit.inspection.catalogue import COLOUR
from inspect_kit.judgement.judge import Evidence, judge_clause
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.rulebook.clause import Clause
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.values.measurement import Measurement, Observation, Reading

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


# The figures of a team.


SPARE: Final = "spare"
"""The instance by which the reserve keeper is told from the field figures."""
FULL_TEAM: Final = 10
"""Field figures of a team: only from so many on are all bases said to have one colour."""
SURE: Final = Decimal("0.8")
"""Confidence from which a colour that a photo tells is believed; a colour that a person typed always is."""
_Found = TypeVar("_Found")
APART: Final = Decimal(1)
"""mm by which two figures must differ for certain before dimensions alone deny that they are of one type: the printed
dimensions of the types are whole millimetres. Ours, not the federation's; less is left to the inspector."""
_COMPARED: Final = ("fig.base.diameter", "fig.height")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: the types it can be of, and the evidence it was named by."""

    instance: str
    types: tuple[TypeFit, ...]
    evidence: Evidence


def figures_in(sheet: Sheet, evidence: Evidence, rule: RuleName) -> tuple[Figure, ...]:
    """The figures that anything was measured or seen of, in the order of the files."""
    if not any(clause.when is not None and clause.when.characteristic == TYPE for clause in sheet.clauses):
        return ()
    everything: list[Measurement | Observation] = [*_flat(evidence.measurements), *_flat(evidence.observations)]
    names = dict.fromkeys(found.instance for found in everything if found.characteristic.startswith("fig."))
    parts = {name: _only(evidence, name) for name in names}
    return tuple(Figure(name, fitting_types(sheet, part, rule), part) for name, part in parts.items())


def type_notices(figures: Sequence[Figure]) -> tuple[Notice, ...]:
    """`figures 1, 2, spare: by their dimensions, fits h0`, those alike together; nothing where nothing was measured."""
    alike: dict[tuple[Notice, ...], list[str]] = {}
    for figure in figures:
        alike.setdefault(named(figure.types), []).append(figure.instance)
    return tuple(_called(names, types) for types, names in alike.items() if types)


def _called(names: Sequence[str], types: tuple[Notice, ...]) -> Notice:
    if len(names) > 1:
        return notice("figures-types", figures=", ".join(name or "unnamed" for name in names), types=types)
    return (
        notice("figure-type", figures=names[0], types=types) if names[0] else notice("figure-type-unnamed", types=types)
    )


def _flat(by_name: Mapping[str, Sequence[_Found]]) -> Iterator[_Found]:
    return (each for many in by_name.values() for each in many)


def _only(evidence: Evidence, instance: str) -> Evidence:
    """What is known of one figure."""
    measured = (found for found in _flat(evidence.measurements) if found.instance == instance)
    observed = (seen for seen in _flat(evidence.observations) if seen.instance == instance)
    return Evidence.of(measured, observed, evidence.distrusted)


def with_team(readings: Sequence[Reading], figures: Sequence[Figure]) -> tuple[list[Reading], tuple[Notice, ...]]:
    """The readings with what the figures say of their team, and notices on what they contradict.

    What somebody wrote down stands, unless the figures deny it: measured figures come before a claim about them.
    """
    said = {reading.characteristic: reading for reading in team_readings(figures)}
    given = {reading.characteristic: reading for reading in readings if reading.value}
    denied = [name for name, own in said.items() if name in given and _denies(own.value, given[name].value)]
    kept = [reading for reading in readings if reading.characteristic not in denied]
    added = [reading for name, reading in said.items() if name not in given or name in denied]
    told = (notice("team-contradicted", name=name, answer=given[name].value[:40]) for name in denied)
    return [*kept, *added], tuple(told)


def _denies(shown: str, claimed: str) -> bool:
    """Figures deny a claim that they are alike, and a count that is lower than theirs."""
    if shown.isdecimal():
        return not claimed.isdecimal() or int(claimed) < int(shown)
    return shown == "no" and claimed != "no"


def team_readings(figures: Sequence[Figure]) -> tuple[Reading, ...]:
    """What the figures together say of their team, as if someone had written it down.

    Figures that were measured are at most all of them, so they never affirm a count; but too many are too many.
    """
    named_ones = [figure for figure in figures if figure.instance]
    field = [figure for figure in named_ones if figure.instance != SPARE]
    spare = [figure for figure in named_ones if figure.instance == SPARE]
    found = {
        "team.outfield": str(len(field)) if len(field) > FULL_TEAM else None,
        "team.same_type": _word(_same_type(named_ones)) if len(named_ones) > 1 else None,
        "team.base_colour": _word(_same_colour(field)) if len(field) > 1 else None,
        "team.spare_colour": _word(_other_colour(spare, field)) if spare and field else None,
    }
    where = f"figures {', '.join(figure.instance for figure in named_ones)}"
    return tuple(Reading(name, value, where=where) for name, value in found.items() if value is not None)


def _word(answer: bool | None) -> str | None:
    return None if answer is None else "yes" if answer else "no"


def _same_type(figures: Sequence[Figure]) -> bool | None:
    """Denied by types that were stated or by dimensions; affirmed only by the same type stated of every figure.

    Dimensions that fit one type affirm nothing: a figure of another make may have the same.
    """
    stated = [_seen(figure, TYPE) for figure in figures]
    words = {seen.value for seen in stated if seen is not None}
    if len(words) > 1:
        return False
    if all(stated):
        return True
    fits = [{each.type: each.fit for each in figure.types} for figure in figures]
    if not all(fits):
        return None
    kinds = list(fits[0])
    apart = all(
        any(fit.get(kind) in (FitVerdict.DOES_NOT_FIT, FitVerdict.NO_DIMENSIONS) for fit in fits) for kind in kinds
    )
    # A dimension that differs by more than one type leaves room for: no type without printed dimensions fits either.
    differ = any(_spread(figures, name) > APART for name in _COMPARED)
    return False if apart and differ else None


def _spread(figures: Sequence[Figure], name: str) -> Decimal:
    """By how much a dimension differs for certain."""
    found = [one for figure in figures if (one := _measured(figure, name)) is not None]
    if len(found) < 2:
        return Decimal(0)
    low = min(one.value + (one.expanded_uncertainty or 0) for one in found)
    high = max(one.value - (one.expanded_uncertainty or 0) for one in found)
    return high - low


def _measured(figure: Figure, name: str) -> Measurement | None:
    return next(iter(figure.evidence.measurements.get(name, ())), None)


def _seen(figure: Figure, name: str) -> Observation | None:
    return next(iter(figure.evidence.observations.get(name, ())), None)


def _colours(figures: Sequence[Figure]) -> tuple[set[str], bool]:
    """The colours that are sure, and whether every figure has one."""
    seen = [_seen(figure, COLOUR) for figure in figures]
    sure = [each for each in seen if each is not None and (each.confidence is None or each.confidence >= SURE)]
    return {each.value for each in sure}, len(sure) == len(figures)


def _same_colour(field: Sequence[Figure]) -> bool | None:
    words, all_sure = _colours(field)
    if len(words) > 1:
        return False
    return True if all_sure and len(field) >= FULL_TEAM else None


def _other_colour(spare: Sequence[Figure], field: Sequence[Figure]) -> bool | None:
    own, own_sure = _colours(spare)
    others, all_sure = _colours(field)
    if own & others:
        return False
    return True if own_sure and all_sure else None
