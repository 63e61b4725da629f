"""Characteristics worked out from others, with the uncertainty carried through the formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal

from inspect_kit.measure.propagation import propagate_budget
from inspect_kit.values.formula import BadFormula, Dual, Formula, Series
from inspect_kit.values.measurement import Measurement, Observation, Reading

Inputs = dict[str, dict[str, Decimal | str]]
Source = tuple[str, str]
Sources = dict[Source, Measurement]
Gradients = dict[Source, Mapping[Source, Decimal]]
"""For each derived value, its derivatives by what was measured."""


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
    inputs = _inputs(sources, observations)
    gradients: Gradients = {}
    derived: list[Measurement] = []
    for characteristic, formula in formulas:
        if characteristic in inputs:
            continue
        for instance, dual in _series(formula, inputs).items():
            gradient = _by_measured(dual.gradient, gradients)
            found = _measurement((characteristic, instance), formula, Dual(dual.value, gradient), sources)
            found = replace(found, unit=units.get(characteristic, found.unit))
            derived.append(found)
            gradients[characteristic, instance] = gradient
            inputs.setdefault(characteristic, {})[instance] = found.value
    return tuple(derived)


def _inputs(sources: Sources, observations: Iterable[Observation]) -> Inputs:
    inputs: Inputs = {}
    for (characteristic, instance), found in sources.items():
        inputs.setdefault(characteristic, {})[instance] = found.value
    for seen in observations:
        inputs.setdefault(seen.characteristic, {})[seen.instance] = seen.value
    return inputs


def _series(formula: Formula, inputs: Inputs) -> Series:
    try:
        return formula.evaluate(inputs)
    except BadFormula:
        return {}


def _by_measured(gradient: Mapping[Source, Decimal], gradients: Gradients) -> dict[Source, Decimal]:
    """The chain rule: derivatives by derived values become derivatives by what those were derived from.

    A derived value shares its inputs with others, so its own budget would hide how they are correlated.
    """
    expanded: dict[Source, Decimal] = {}
    for source, slope in gradient.items():
        for origin, inner in gradients.get(source, {source: Decimal(1)}).items():
            expanded[origin] = expanded.get(origin, Decimal(0)) + slope * inner
    return expanded


def _measurement(name: Source, formula: Formula, dual: Dual, sources: Sources) -> Measurement:
    used = [sources[source] for source in dual.gradient]
    known = {source: budget for source in dual.gradient if (budget := sources[source].budget) is not None}
    readings: dict[Reading, None] = dict.fromkeys(reading for found in used for reading in found.readings)
    return Measurement(
        characteristic=name[0],
        value=dual.value,
        unit=used[0].unit if used else "count",
        budget=propagate_budget(dual.gradient, known) if len(known) == len(used) else None,
        instance=name[1],
        instruments=tuple(dict.fromkeys(gauge for found in used for gauge in found.instruments)),
        formula=formula.text,
        readings=tuple(readings),
    )
