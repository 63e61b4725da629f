"""Formulas for derived characteristics, as sheets write them: `pitch.length - pitch.width`, `spread(surface.side)`.

A formula is arithmetic over characteristics and nothing else: no attribute access, no calls but the functions below,
so that a sheet from a stranger can do no harm. Evaluation carries the derivatives along, for the uncertainty.

A bare name stands for all instances of a characteristic (`surface.side` is four lengths) and arithmetic goes instance
by instance; `surface.diagonal["nw-se"]` picks one; the functions turn many into one.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, localcontext
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Final

from inspect_kit.errors import BadInput
from inspect_kit.values.quantity import PRECISION

Source = tuple[str, str]
"""Characteristic and instance."""

MAX_LENGTH: Final = 400
"""Characters of a formula."""
MAX_DEPTH: Final = 24
"""Operations of a formula within one another."""


class BadFormula(BadInput):
    """A formula that cannot be read, or not be evaluated on these values."""


class MissingInput(BadFormula):
    """A characteristic that the formula needs was not given."""

    def __init__(self, characteristic: str) -> None:
        self.characteristic = characteristic
        super().__init__("input-not-given", characteristic=characteristic)


@dataclass(frozen=True, slots=True)
class Dual:
    """A number with its derivatives by the inputs."""

    value: Decimal
    gradient: Mapping[Source, Decimal]


Series = Mapping[str, Dual]
Inputs = Mapping[str, Mapping[str, Decimal | str]]
"""Characteristic → instance → number (in base units) or observed word."""


def _linear(value: Decimal, *terms: tuple[Decimal, Dual]) -> Dual:
    gradient: dict[Source, Decimal] = {}
    for factor, dual in terms:
        for source, slope in dual.gradient.items():
            gradient[source] = gradient.get(source, Decimal(0)) + factor * slope
    return Dual(value, gradient)


def _divide(left: Dual, right: Dual) -> Dual:
    quotient = left.value / right.value
    return _linear(quotient, (1 / right.value, left), (-quotient / right.value, right))


_VALUE: Final = attrgetter("value")
_ONE: Final = Decimal(1)
"""What a sum changes by when one of its terms does."""
_BINARY: Final[dict[type[ast.operator], Callable[[Dual, Dual], Dual]]] = {
    ast.Add: lambda left, right: _linear(left.value + right.value, (_ONE, left), (_ONE, right)),
    ast.Sub: lambda left, right: _linear(left.value - right.value, (_ONE, left), (-_ONE, right)),
    ast.Mult: lambda left, right: _linear(left.value * right.value, (right.value, left), (left.value, right)),
    ast.Div: _divide,
}


def _total(values: tuple[Dual, ...]) -> Decimal:
    return sum((dual.value for dual in values), Decimal(0))


def _spread(values: tuple[Dual, ...]) -> Dual:
    """Largest minus smallest, always of two different values, so that equal ones still have an uncertainty."""
    if len(values) < 2:
        raise BadFormula("spread-needs-least-two-values")
    ordered = sorted(values, key=_VALUE)
    return _BINARY[ast.Sub](ordered[-1], ordered[0])


_REDUCERS: Final[dict[str, Callable[[tuple[Dual, ...]], Dual]]] = {
    "min": lambda values: min(values, key=_VALUE),
    "max": lambda values: max(values, key=_VALUE),
    "sum": lambda values: _linear(_total(values), *((_ONE, dual) for dual in values)),
    "mean": lambda values: _linear(_total(values) / len(values), *((_ONE / len(values), dual) for dual in values)),
    "spread": _spread,
    "count": lambda values: Dual(_total(values), {}),
}
"""From all instances of a characteristic to one number."""


def _root(dual: Dual) -> Dual:
    root = dual.value.sqrt()
    return _linear(root, (1 / (2 * root), dual)) if root else Dual(root, {})


_ELEMENTWISE: Final[dict[str, Callable[[Dual], Dual]]] = {
    "abs": lambda dual: _linear(abs(dual.value), (_ONE if dual.value >= 0 else -_ONE, dual)),
    "sqrt": _root,
}
"""Of each value by itself."""
_EACH: Final = "spread_each"
"""Spread within each piece, where instances are written `piece.part`: edges 1.a 1.b 2.a of dice 1 and 2."""
FUNCTIONS: Final = tuple(sorted((*_REDUCERS, *_ELEMENTWISE, _EACH)))


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that has been read and found to be arithmetic over characteristics."""

    text: str
    names: tuple[str, ...]
    tree: ast.expr

    def __str__(self) -> str:
        return self.text

    @property
    def instances(self) -> Mapping[str, tuple[str, ...]]:
        """The instances that it picks by name, by characteristic."""
        return _places_in(self)

    def evaluate(self, inputs: Inputs) -> Series:
        """The value for each instance, with derivatives; raises `MissingInput` or `BadFormula`."""
        with localcontext(Context(prec=PRECISION, traps=[DivisionByZero, InvalidOperation])):
            try:
                return _evaluate(self.tree, inputs)
            except (DivisionByZero, InvalidOperation) as problem:
                raise BadFormula("formula-without-value", text=self.text) from problem


@lru_cache(maxsize=1000)
def _places_in(formula: Formula) -> Mapping[str, tuple[str, ...]]:
    """Found out once: every piece that is judged asks for it."""
    found: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(formula.tree):
        match node:
            case ast.Subscript(value, ast.Constant(str(instance))):
                name = _dotted(value) or ""
                found[name] = (*found.get(name, ()), instance)
    return MappingProxyType(found)


def parse_formula(text: str) -> Formula:
    """Read a formula; every part that is not arithmetic over characteristics is refused by name."""
    if len(text) > MAX_LENGTH:
        raise BadFormula("formula-most-characters", max_length=MAX_LENGTH)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise BadFormula("cannot-read-formula", text=text[:60]) from problem
    names: dict[str, None] = {}
    _check(tree, names, 0)
    return Formula(text.strip(), tuple(names), tree)


def _check(node: ast.expr, names: dict[str, None], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise BadFormula("formula-nested-too-deeply")
    dotted = _dotted(node)
    if dotted is not None:
        names[dotted] = None
        return
    for child in _parts(node):
        _check(child, names, depth + 1)


def _parts(node: ast.expr) -> tuple[ast.expr, ...]:
    """The sub-formulas of an allowed node; anything else is an error."""
    match node:
        case ast.BinOp(left, operator, right) if type(operator) in _BINARY:
            return (left, right)
        case ast.UnaryOp(ast.USub(), operand):
            return (operand,)
        case ast.Call(ast.Name(name), [argument], []) if name in FUNCTIONS:
            return (argument,)
        case ast.Subscript(value, ast.Constant(str())) if _dotted(value):
            return (value,)
        case ast.Compare(left, [ast.Eq()], [ast.Constant(str())]) if _dotted(left):
            return (left,)
        case ast.Constant(int() | float()) if not isinstance(node.value, bool):
            return ()
    raise BadFormula(
        "not-allowed-in-formula", unparse=ast.unparse(node)[:60], functions=", ".join(f"{name}()" for name in FUNCTIONS)
    )


def _dotted(node: ast.expr) -> str | None:
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, attribute):
            stem = _dotted(value)
            return None if stem is None else f"{stem}.{attribute}"
    return None


def _evaluate(node: ast.expr, inputs: Inputs) -> Series:
    dotted = _dotted(node)
    if dotted is not None:
        return _numbers(dotted, _given(dotted, inputs))
    match node:
        case ast.BinOp(left, operator, right):
            return _aligned(_BINARY[type(operator)], _evaluate(left, inputs), _evaluate(right, inputs))
        case ast.UnaryOp(_, operand):
            return {key: _linear(-dual.value, (-_ONE, dual)) for key, dual in _evaluate(operand, inputs).items()}
        case ast.Call(ast.Name(name), [argument], _):
            return _called(name, argument, inputs)
        case ast.Subscript(value, ast.Constant(instance)):
            return {"": _picked(_dotted(value) or "", str(instance), inputs)}
        case ast.Compare(left, _, [ast.Constant(word)]):
            seen = _given(_dotted(left) or "", inputs)
            return {key: Dual(Decimal(int(value == word)), {}) for key, value in seen.items()}
        case ast.Constant(number):
            return {"": Dual(Decimal(str(number)), {})}
    raise BadFormula("not-formula")


def _called(name: str, argument: ast.expr, inputs: Inputs) -> Series:
    dotted = _dotted(argument)
    if name == "count" and dotted is not None:
        return {"": Dual(Decimal(len(_given(dotted, inputs))), {})}
    series = _evaluate(argument, inputs)
    if name in _ELEMENTWISE:
        return {key: _ELEMENTWISE[name](dual) for key, dual in series.items()}
    if name == _EACH:
        return {piece: _spread(duals) for piece, duals in _by_piece(series).items()}
    return {"": _REDUCERS[name](tuple(series.values()))}


def _by_piece(series: Series) -> dict[str, tuple[Dual, ...]]:
    """The parts of each piece together; an instance without a dot is a part of the one unnamed piece."""
    pieces: dict[str, tuple[Dual, ...]] = {}
    for instance, dual in series.items():
        piece = instance.partition(".")[0] if "." in instance else ""
        pieces[piece] = (*pieces.get(piece, ()), dual)
    return pieces


def _given(characteristic: str, inputs: Inputs) -> Mapping[str, Decimal | str]:
    found = inputs.get(characteristic)
    if not found:
        raise MissingInput(characteristic)
    return found


def _numbers(characteristic: str, given: Mapping[str, Decimal | str]) -> Series:
    series: dict[str, Dual] = {}
    for instance, value in given.items():
        if isinstance(value, str):
            raise BadFormula("observation-not-number", characteristic=characteristic)
        series[instance] = Dual(value, {(characteristic, instance): _ONE})
    return series


def _picked(characteristic: str, instance: str, inputs: Inputs) -> Dual:
    series = _numbers(characteristic, _given(characteristic, inputs))
    if instance not in series:
        raise MissingInput(f"{characteristic} {instance}")
    return series[instance]


def _aligned(combine: Callable[[Dual, Dual], Dual], left: Series, right: Series) -> Series:
    """Instance by instance; a value without an instance goes with every instance of the other side."""
    if set(left) == {""}:
        return {key: combine(left[""], dual) for key, dual in right.items()}
    if set(right) == {""}:
        return {key: combine(dual, right[""]) for key, dual in left.items()}
    common = [key for key in left if key in right]
    if not common:
        raise BadFormula("two-sides-no-instance-common")
    return {key: combine(left[key], right[key]) for key in common}
