"""Characteristics worked out from others, with the uncertainty carried through the formula (GUM 5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from typing import Final

from inspect_kit.values.formula import BadFormula, Dual, Formula, Series, Source
from inspect_kit.values.measurement import Budget, Component, Measurement, Observation, Reading, combined, effective_dof
from inspect_kit.values.quantity import PRECISION

_CONTEXT: Final = Context(prec=PRECISION)


def propagate_budget(gradient: Mapping[Source, Decimal], budgets: Mapping[Source, Budget]) -> Budget:
    """The budget of a derived characteristic, largest contribution first.

    Components with the same `shared` label are one effect: their contributions add with their signs, and so cancel in a
    difference. All others are independent; those of one kind over the instances of a characteristic make one line.
    The signs end here: derive from what was measured, not from what was derived already.
    """
    with localcontext(_CONTEXT):
        parts = [(key, slope, part) for key, slope in gradient.items() for part in budgets[key]]
        lines = (*_shared_lines(parts), *_own_lines(parts))
        return tuple(sorted((line for line in lines if line.standard), key=lambda line: -line.standard))


_Part = tuple[Source, Decimal, Component]


def _shared_lines(parts: Sequence[_Part]) -> Iterable[Component]:
    effects: dict[str, list[_Part]] = {}
    for part in parts:
        if label := part[2].shared:
            effects.setdefault(label, []).append(part)
    for label, members in effects.items():
        total = sum((slope * component.standard for _, slope, component in members), Decimal(0))
        dofs = [component.dof for _, _, component in members if component.dof is not None]
        yield Component(members[0][2].source, abs(total), min(dofs, default=None), label)


def _own_lines(parts: Sequence[_Part]) -> Iterable[Component]:
    kinds: dict[tuple[str, str], dict[str, list[Component]]] = {}
    for (characteristic, instance), slope, component in parts:
        if not component.shared:
            weighted = Component(component.source, abs(slope) * component.standard, component.dof)
            instances = kinds.setdefault((characteristic, component.source), {})
            instances.setdefault(instance, []).append(weighted)
    for (characteristic, source), instances in kinds.items():
        where = " ".join((characteristic, *instances)) if len(instances) == 1 else characteristic
        members = tuple(component for many in instances.values() for component in many)
        # Merged by Welch–Satterthwaite, so that the whole budget keeps its effective degrees of freedom.
        yield Component(f"{where.strip()}: {source}", combined(members), effective_dof(members))


Inputs = dict[str, dict[str, Decimal | str]]
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
