"""Characteristics worked out from others, with the uncertainty carried through the formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from inspect_kit.measure.propagation import propagate_budget
from inspect_kit.values.formula import BadFormula, Dual, Formula
from inspect_kit.values.measurement import Measurement, Observation, Reading

Inputs = dict[str, dict[str, Decimal | str]]
Sources = dict[tuple[str, str], Measurement]


def derive(
    formulas: Iterable[tuple[str, Formula]],
    units: Mapping[str, str],
    measurements: Iterable[Measurement],
    observations: Iterable[Observation],
) -> tuple[Measurement, ...]:
    """All that the formulas give, in their order, so that one may build on another.

    What was measured itself is not derived again; a formula whose inputs are missing gives nothing.
    """
    sources: Sources = {(found.characteristic, found.instance): found for found in measurements}
    inputs: Inputs = {}
    for (characteristic, instance), found in sources.items():
        inputs.setdefault(characteristic, {})[instance] = found.value
    for seen in observations:
        inputs.setdefault(seen.characteristic, {})[seen.instance] = seen.value
    derived: list[Measurement] = []
    for characteristic, formula in formulas:
        if characteristic in inputs:
            continue
        for found in _evaluated(characteristic, formula, units.get(characteristic, ""), inputs, sources):
            derived.append(found)
            sources[characteristic, found.instance] = found
            inputs.setdefault(characteristic, {})[found.instance] = found.value
    return tuple(derived)


def _evaluated(
    characteristic: str, formula: Formula, unit: str, inputs: Inputs, sources: Sources
) -> tuple[Measurement, ...]:
    try:
        series = formula.evaluate(inputs)
    except BadFormula:
        return ()
    return tuple(
        _measurement(characteristic, instance, formula, unit, dual, sources) for instance, dual in series.items()
    )


def _measurement(
    characteristic: str, instance: str, formula: Formula, unit: str, dual: Dual, sources: Sources
) -> Measurement:
    used = [sources[source] for source in dual.gradient]
    budgets = {source: sources[source].budget for source in dual.gradient}
    known = {source: budget for source, budget in budgets.items() if budget is not None}
    complete = len(known) == len(budgets)
    readings: dict[Reading, None] = dict.fromkeys(reading for found in used for reading in found.readings)
    return Measurement(
        characteristic=characteristic,
        value=dual.value,
        unit=unit or (used[0].unit if used else "count"),
        budget=propagate_budget(dual.gradient, known) if complete else None,
        instance=instance,
        instruments=tuple(dict.fromkeys(name for found in used for name in found.instruments)),
        formula=formula.text,
        readings=tuple(readings),
    )
