"""The budget of a derived characteristic from those of its inputs: the law of propagation of uncertainty (GUM 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal, localcontext
from typing import Final

from inspect_kit.values.formula import Source
from inspect_kit.values.measurement import Budget, Component, combined, effective_dof
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
