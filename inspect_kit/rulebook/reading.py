"""From a sheet's TOML to clauses and items, with every fault of the file found in one pass."""

import re
from decimal import Decimal
from typing import Final

from inspect_kit.errors import InspectKitError, notice
from inspect_kit.rulebook.clause import (  # fmt: skip
    CONFIDENCE,
    Bounds,
    Clause,
    Condition,
    Force,
    Instances,
    Kind,
    WordMeaning,
    as_printed,
)
from inspect_kit.rulebook.sheet import CheckAgain, Choice, Derived, Item, LeftOut, Pieces
from inspect_kit.tomlfile import TomlTable
from inspect_kit.values.formula import parse_formula
from inspect_kit.values.plausible import Plausible
from inspect_kit.values.quantity import Quantity, parse_strict, scaled

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*")
_ITEM: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_MAX_INSTANCES: Final = 10_000
"""Instances of a characteristic that a sheet may ask for by number."""

_WANTED: Final[dict[Kind, tuple[frozenset[str], ...]]] = {
    Kind.RANGE: (frozenset({"lower", "upper"}),),
    Kind.MIN: (frozenset({"lower"}),),
    Kind.MAX: (frozenset({"upper"}),),
    Kind.NOMINAL_WITH_TOLERANCE: (frozenset({"nominal", "tolerance"}), frozenset({"nominal", "lower", "upper"})),
    Kind.NOMINAL_WITHOUT_TOLERANCE: (frozenset({"nominal"}),),
    Kind.COUNT: (frozenset({"nominal"}), frozenset({"lower", "upper"}), frozenset({"upper"}), frozenset({"lower"})),
    Kind.MATERIAL: (frozenset(),),
    Kind.VISUAL: (frozenset(),),
    Kind.FUNCTIONAL: (frozenset(), frozenset({"lower"}), frozenset({"upper"}), frozenset({"lower", "upper"})),
    Kind.RELATION: (
        frozenset(), frozenset({"lower"}), frozenset({"upper"}), frozenset({"lower", "upper"}), frozenset({"nominal"}),
    ),
}  # fmt: skip
"""Which limits each kind of requirement states."""


def characteristic_name(table: TomlTable, key: str = "characteristic") -> str:
    """A dotted name in small letters."""
    name = table.text(key)
    if name and not _NAME.fullmatch(name):
        table.fault(key, "characteristic-misnamed", name=name[:40])
    return name


def read_item(table: TomlTable) -> Item:
    """One `[[item]]`."""
    name = table.text("id")
    if name and not _ITEM.fullmatch(name):
        table.fault("id", "item-misnamed", name=name[:40])
    again = tuple(_check_again(entry) for entry in table.tables("check_again"))
    pieces = tuple(_pieces(entry) for entry in table.tables("pieces"))
    item = Item(name, table.text("name"), again, table.flag("piece", False), pieces)
    table.done()
    return item


def _pieces(table: TomlTable) -> Pieces:
    counted = table.texts("counted_by")
    if not counted:
        table.fault("counted_by", "counted-by-missing")
    pieces = Pieces(table.text("item"), counted)
    table.done()
    return pieces


def read_choice(table: TomlTable) -> Choice:
    """One `[[choice]]`: the words by which it is told which clauses apply."""
    words = table.texts("words")
    if len(words) < 2:
        table.fault("words", "expected-least-two-words")
    choice = Choice(characteristic_name(table), table.text("item"), table.text("asks"), words)
    table.done()
    return choice


def read_left_out(table: TomlTable) -> LeftOut:
    """One `[[left_out]]`: a sentence of the text without a clause, and why."""
    entry = LeftOut(table.text("clause"), table.text("says"), table.text("because"))
    table.done()
    return entry


def read_ranges(table: TomlTable) -> dict[str, Plausible]:
    """One `[[range]]` of a file of plausible ranges: what it holds for, its two ends, and why."""
    names = table.texts("characteristics")
    found = read_plausible(table, "because")
    if found is None or not found.because:
        table.fault("because" if found else "plausible", "is-missing")
    table.done()
    return dict.fromkeys(names, found) if found else {}


def read_plausible(table: TomlTable, reason: str = "plausible_because") -> Plausible | None:
    """`plausible = ["30 mm", "50 mm"]`, and beside it why the range is drawn so."""
    because = table.text(reason, "")
    ends = table.texts("plausible")
    if "plausible" in table.missing:
        return None
    try:
        lower, upper = (parse_strict(end) for end in ends)
        return Plausible(lower, upper, because)
    except (InspectKitError, ValueError) as problem:
        why = problem.told if isinstance(problem, InspectKitError) else notice("range-upside-down")
        table.fault("plausible", "not-a-range", reason=why)
        return None


def _check_again(table: TomlTable) -> CheckAgain:
    entry = CheckAgain(table.text("clause"), table.text("when"))
    table.done()
    return entry


def read_derived(table: TomlTable) -> Derived | None:
    """One `[[derived]]`."""
    name = characteristic_name(table)
    formula = table.parsed("formula", parse_formula)
    if "formula" in table.missing:
        table.fault("formula", "formula-missing")
    table.done()
    return Derived(name, formula) if name and formula else None


def read_clause(table: TomlTable, source: str) -> Clause:
    """One `[[clause]]`, complete in itself."""
    kind = table.word("kind", Kind, Kind.VISUAL)
    force = table.word("force", Force, Force.MUST)
    bounds, answers = read_bounds(table.table("limits"), kind), table.table("answers")
    clause = Clause(
        characteristic=characteristic_name(table),
        number=table.text("clause"),
        item=table.text("item"),
        kind=kind,
        force=force,
        bounds=bounds,
        printed=table.text("printed", "") or as_printed(bounds),
        requires=table.text("requires", ""),
        how=table.text("how"),
        note=table.text("note", ""),
        name=table.text("name", ""),
        because=table.text("because", ""),
        source=source,
        instances=_instances(table),
        binding=table.flag("binding", force is not Force.MAY),
        suspect=table.flag("suspect", False),
        answers={word: answers.word(word, WordMeaning, WordMeaning.UNDECIDED) for word in answers.left()},
        when=_condition(table),
        confidence=table.decimal("confidence", CONFIDENCE),
        plausible=read_plausible(table),
    )
    if "limits" in table.missing and not clause.requires:
        table.fault("requires", "requires-missing")
    if clause.suspect and not clause.note:
        table.fault("note", "note-missing")
    table.done()
    return clause


def read_bounds(table: TomlTable, kind: Kind) -> Bounds:
    """`limits = { lower, upper }` or `{ nominal, tolerance }`, in the unit the text prints."""
    stated = frozenset(table.left())
    given = {key: table.parsed(key, parse_strict) for key in ("nominal", "tolerance", "lower", "upper")}
    table.done()
    if any(fault.where.startswith(table.place) for fault in table.faults):
        return Bounds()
    if stated not in _WANTED[kind]:
        wanted = " or ".join("{" + ", ".join(sorted(keys)) + "}" for keys in _WANTED[kind])
        table.fault("", "kind-states", kind=kind, wanted=wanted, stated="{" + ", ".join(sorted(stated)) + "}")
        return Bounds()
    bases = {quantity.unit.base for quantity in given.values() if quantity}
    if len(bases) > 1:
        table.fault("", "units-do-not-go-together", bases=", ".join(sorted(bases)))
        return Bounds()
    return _complete(table, Bounds(**given), kind)


def _complete(table: TomlTable, bounds: Bounds, kind: Kind) -> Bounds:
    nominal, tolerance = bounds.nominal, bounds.tolerance
    if nominal and tolerance:
        if tolerance.number < 0:
            table.fault("tolerance", "tolerance-negative")
            return Bounds()
        spread = scaled(tolerance.number, tolerance.unit.factor / nominal.unit.factor)
        bounds = Bounds(nominal, tolerance, _moved(nominal, -spread), _moved(nominal, spread))
    elif nominal and kind is Kind.COUNT:
        bounds = Bounds(nominal, None, nominal, nominal)
    lower, upper = bounds.lower, bounds.upper
    if lower and upper and lower.in_base > upper.in_base:
        table.fault("lower", "above-upper-limit", lower=lower, upper=upper)
        return Bounds()
    return bounds


def _moved(nominal: Quantity, by: Decimal) -> Quantity:
    return Quantity(nominal.number + by, nominal.unit)


def _instances(table: TomlTable) -> Instances:
    each = table.table("each")
    if each.left():
        counted = Instances(counted_by=characteristic_name(each, "of"), parts=each.texts("parts"))
        each.done()
        return counted
    value = table.either("instances")
    if value is None:
        return Instances()
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MAX_INSTANCES:
        return Instances((), value)
    if isinstance(value, list) and value and all(isinstance(name, str) and name.strip() for name in value):
        names = tuple(dict.fromkeys(value))
        if len(names) == len(value):
            return Instances(names, len(names))
    table.fault("instances", "instances-unclear", value=f"{value!r:.40}")
    return Instances()


def _condition(table: TomlTable) -> Condition | None:
    entry = table.table("when")
    if not entry.left():
        return None
    wanted, unwanted = entry.texts("is"), entry.texts("is_not")
    name = characteristic_name(entry)
    if bool(wanted) == bool(unwanted):
        entry.fault("", "is-or-is-not")
    entry.done()
    return Condition(name, wanted or unwanted, bool(wanted))
