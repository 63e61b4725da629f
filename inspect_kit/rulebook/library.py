"""Finding sheets by their id, reading them, and laying overlays over the sheets they change."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from inspect_kit.errors import BadInput, BadSheet, Fault, InspectKitError, UsageError, nearest, notice
from inspect_kit.places import shipped
from inspect_kit.rulebook import reading
from inspect_kit.rulebook.clause import Bounds, Clause, Force, Kind, as_printed
from inspect_kit.rulebook.sheet import Choice, Derived, Item, Overlay, Sheet, SheetAuthority
from inspect_kit.tomlfile import TomlTable, read_toml
from inspect_kit.values.plausible import Plausible

FORMAT: Final = 1
"""Version of a sheet; another one is refused."""
_MAX_DEPTH: Final = 8
"""Sheets that may lie over one another."""
_LONGEST_NAME: Final = 60
"""Characters of a sheet's id: every disk has room for such a file name."""


_INHERITED: Final = ("body", "publisher", "edition", "prevails", "superseded")
"""Texts at the top of a sheet that one lying over it need not repeat."""


def sheet_ids(folder: Path | None = None) -> tuple[str, ...]:
    """The ids of the shipped sheets."""
    return tuple(sorted(path.stem for path in (folder or shipped("specs")).glob("*.toml")))


def load(name: str) -> Sheet:
    """The sheet of that id, or the one in the file of that name."""
    path = Path(name)
    if path.suffix == ".toml" or "/" in name or "\\" in name:
        return load_file(path)
    if name not in sheet_ids():
        ids = sheet_ids()
        hint = nearest(name, ids) or notice("sheets-or-path", names=", ".join(ids))
        raise UsageError("no-sheet-called", hint=hint, name=name[:60])
    return load_file(shipped("specs") / f"{name}.toml")


def load_file(path: Path, _depth: int = 0) -> Sheet:
    """Read one sheet with all that it lies over; raises `BadSheet` with every fault."""
    faults: list[Fault] = []
    data = read_toml(path)
    root = TomlTable(data, f"{_shown(path)}: ", faults)
    base = _base(root, path, _depth)
    sheet = _read_over(root, base) if base else _read_plain(root)
    return _stacked(sheet, base, root, (path, data))


def _stacked(sheet: Sheet, base: Sheet | None, root: TomlTable, source: tuple[Path, dict[str, object]]) -> Sheet:
    """The sheet with what lies below it: its files, and what in them is not as it was shipped."""
    path, data = source
    named = sheet.id in sheet_ids()
    known = path.parent == shipped("specs") or (named and read_toml(shipped("specs") / f"{sheet.id}.toml") == data)
    if named and not known:
        # Its name on a certificate stands for the federation's numbers, not for those of whoever copied the file.
        root.fault("id", "id-of-shipped-sheet", name=sheet.id)
    if root.faults:
        raise BadSheet(_with_lines(root.faults, path))
    own = (sheet.id,) if not known and sheet.standing is SheetAuthority.FEDERATION else ()
    kept = {clause.characteristic for clause in sheet.clauses}
    gone = () if known or base is None else tuple(c for c in base.clauses if c.characteristic not in kept)
    below = (base.texts, base.own, base.dropped) if base else ((), (), ())
    return replace(sheet, texts=(*below[0], path.read_bytes()), own=(*below[1], *own), dropped=(*below[2], *gone))


def with_house_rules(sheet: Sheet, path: Path) -> Sheet:
    """A house's overlay on whatever sheet is in use, whether the file names that sheet or none."""
    faults: list[Fault] = []
    data = read_toml(path)
    root = TomlTable(data, f"{_shown(path)}: ", faults)
    root.text("over", sheet.id)  # The sheet it was written for; the referee lays it over the one in use.
    return _stacked(_read_over(root, sheet), sheet, root, (path, data))


def _shown(path: Path) -> str:
    return f"specs/{path.name}" if path.parent == shipped("specs") else str(path)


def _with_lines(faults: Iterable[Fault], path: Path) -> tuple[Fault, ...]:
    """Add the line on which a faulty clause starts, for people who open the file in an editor."""
    text = path.read_text(encoding="utf-8")
    starts: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        header = line.strip()
        if header.startswith("[[") and header.endswith("]]"):
            starts.setdefault(header.strip("[] "), []).append(number)
    return tuple(_with_line(fault, starts) for fault in faults)


def _with_line(fault: Fault, starts: dict[str, list[int]]) -> Fault:
    place = fault.where.rsplit(": ", 1)[-1]
    key, bracket, rest = place.partition("[")
    index = rest.split("]", 1)[0]
    lines = starts.get(key, [])
    if not bracket or not index.isdigit() or int(index) >= len(lines):
        return fault
    return replace(fault, also=notice("key-on-line", key=key, line=lines[int(index)]))


def _base(root: TomlTable, path: Path, depth: int) -> Sheet | None:
    over = root.text("over", "")
    if not over:
        return None
    if depth >= _MAX_DEPTH:
        raise BadInput("sheets-lie-over-one-another", where=_shown(path))
    beside = path.parent / f"{over}.toml"
    try:
        # A name that is too long for any file is none.
        if len(over) < _LONGEST_NAME and "/" not in over and "\\" not in over and beside.is_file():
            return load_file(beside, depth + 1)
        return load_file(shipped("specs") / f"{over}.toml", depth + 1) if over in sheet_ids() else load(over)
    except UsageError as problem:
        root.note("over", problem.fault)
        raise BadSheet(tuple(root.faults)) from None


def _head(root: TomlTable) -> Sheet:
    """What stands at the top of every sheet."""
    stated = root.either("format")
    if stated != FORMAT:
        root.fault("format", "sheet-format", format=FORMAT, stated=f"{stated!r:.40}")
    standing = root.word("standing", SheetAuthority, SheetAuthority.HOUSE)
    dates = root.table("in_force")
    inherited: dict[str, Any] = {key: root.text(key, "") for key in _INHERITED}
    wording = root.table("wording")
    sheet = Sheet(
        id=root.text("id"),
        title=root.text("title"),
        language=root.text("language", "en"),
        standing=standing,
        disclaimer=root.text("disclaimer", ""),
        **inherited,
        since=dates.day("from"),
        until=dates.day("until"),
        clauses=(),
        items=(),
        choices=tuple(reading.read_choice(table) for table in root.tables("choice")),
        left_out=tuple(reading.read_left_out(table) for table in root.tables("left_out")),
        wording={language: wording.table(language).words() for language in wording.left()},
    )
    dates.done()
    if standing is not SheetAuthority.FEDERATION and not sheet.disclaimer:
        root.fault("disclaimer", "disclaimer-missing")
    return sheet


def _plausible(root: TomlTable, clauses: Iterable[Clause]) -> dict[str, Plausible]:
    """The ranges of the file that the sheet names, and those that its own clauses state."""
    name = root.text("plausible_from", "")
    ranges = _ranges(root, name) if name else {}
    return {**ranges, **{clause.characteristic: clause.plausible for clause in clauses if clause.plausible}}


def _ranges(root: TomlTable, name: str) -> Mapping[str, Plausible]:
    known = [path.stem for path in (shipped("specs") / "plausible").glob("*.toml")]
    if name not in known:
        root.fault("plausible_from", "no-ranges-called", nearest(name, known), name=name[:40])
        return {}
    return plausible_ranges(name)


@cache
def plausible_ranges(name: str) -> Mapping[str, Plausible]:
    """The shipped plausible ranges of a sport, by characteristic."""
    path = shipped("specs") / "plausible" / f"{name}.toml"
    faults: list[Fault] = []
    root = TomlTable(read_toml(path), f"specs/plausible/{path.name}: ", faults)
    found = {key: usual for table in root.tables("range") for key, usual in reading.read_ranges(table).items()}
    root.done()
    if faults:
        raise BadSheet(tuple(faults))
    return found


def _read_plain(root: TomlTable) -> Sheet:
    head = _head(root)
    items = tuple(reading.read_item(table) for table in root.tables("item"))
    derived = tuple(entry for table in root.tables("derived") if (entry := reading.read_derived(table)))
    clauses = tuple(_checked(reading.read_clause(table, head.id), table, items) for table in root.tables("clause"))
    sheet = replace(head, items=items, derived=derived, clauses=clauses, plausible=_plausible(root, clauses))
    _check_whole(root, sheet)
    root.done()
    return sheet


def _checked(clause: Clause, table: TomlTable, items: tuple[Item, ...]) -> Clause:
    names = [item.id for item in items]
    if clause.item and clause.item not in names:
        table.fault("item", "not-item-sheet", nearest(clause.item, names), item=clause.item[:40])
    return clause


def _check_whole(root: TomlTable, sheet: Sheet) -> None:
    if not sheet.clauses:
        root.fault("clause", "no-clause")
    seen: set[tuple[str, str]] = set()
    for number, clause in enumerate(sheet.clauses):
        if (clause.item, clause.characteristic) in seen:
            root.fault(
                f"clause[{number}].characteristic",
                "clause-twice",
                characteristic=clause.characteristic,
                item=clause.item,
            )
        seen.add((clause.item, clause.characteristic))
    for item in sheet.items:
        if not sheet.clauses_of(item.id):
            root.fault("item", "item-without-clause", item=item.id)
    _check_named(root, sheet)


def _check_named(root: TomlTable, sheet: Sheet) -> None:
    """What pieces, choices and counts name has to be there."""
    items = [item.id for item in sheet.items]
    asked = [clause.characteristic for clause in sheet.clauses]
    named = [("choice", choice.item) for choice in sheet.choices]
    named += [("item", part.item) for item in sheet.items for part in item.pieces]
    for key, name in named:
        if name not in items:
            root.fault(key, "not-item-sheet", nearest(name, items), item=name[:40])
    counted = [name for item in sheet.items for part in item.pieces for name in part.counted_by]
    counted += [clause.instances.counted_by for clause in sheet.clauses if clause.instances.counted_by]
    for name in counted:
        if name not in asked:
            root.fault("clause", "nothing-counts", nearest(name, asked), name=name[:40])


def _read_over(root: TomlTable, base: Sheet) -> Sheet:
    """The base with this overlay's changes; every change of a house must say why."""
    head = _head(root)
    because = root.text("because", "")
    if head.standing is not SheetAuthority.FEDERATION and not because:
        root.fault("because", "because-missing")
    without = _without(root, base)
    items = _merged(base.items, tuple(reading.read_item(table) for table in root.tables("item")))
    derived = tuple(entry for table in root.tables("derived") if (entry := reading.read_derived(table)))
    kept = tuple(clause for clause in base.clauses if clause.characteristic not in without)
    clauses = _overlaid(root, head, kept, items)
    used = {clause.item for clause in clauses}
    sheet = replace(
        head,
        **{key: getattr(head, key) or getattr(base, key) for key in _INHERITED},
        clauses=clauses,
        items=tuple(item for item in items if item.id in used),
        derived=_merged(base.derived, derived),
        overlays=(*base.overlays, Overlay(head.id, head.title, because, head.standing)),
        wording={**base.wording, **head.wording},
        choices=tuple(each for each in _merged(base.choices, head.choices) if each.item in used),
        plausible={**base.plausible, **_plausible(root, clauses)},
        left_out=(*base.left_out, *head.left_out),
    )
    _check_whole(root, sheet)
    root.done()
    return sheet


def _without(root: TomlTable, base: Sheet) -> frozenset[str]:
    names = {clause.characteristic for clause in base.clauses}
    without = root.texts("without")
    for name in without:
        if name not in names:
            root.fault("without", "not-in-sheet", nearest(name, names), name=name[:40], base=base.id)
    only = root.texts("only_items")
    known = {item.id for item in base.items}
    for name in only:
        if name not in known:
            root.fault("only_items", "not-item-of-sheet", nearest(name, known), name=name[:40], base=base.id)
    dropped = {clause.characteristic for clause in base.clauses if only and clause.item not in only}
    return frozenset({*without, *dropped})


_Part = TypeVar("_Part", bound=Item | Derived | Choice)


def _merged(base: tuple[_Part, ...], own: tuple[_Part, ...]) -> tuple[_Part, ...]:
    """One's own take the place of those that they name; new ones come behind."""
    mine = {_name_of(each): each for each in own}
    kept = tuple(mine.pop(_name_of(each), each) for each in base)
    return (*kept, *mine.values())


def _name_of(part: Item | Derived | Choice) -> str:
    return part.id if isinstance(part, Item) else part.characteristic


def _overlaid(root: TomlTable, head: Sheet, base: tuple[Clause, ...], items: tuple[Item, ...]) -> tuple[Clause, ...]:
    """Clauses of the overlay take the place of those they name, or come after the others of their item."""
    clauses = list(base)
    for table in root.tables("clause"):
        name = reading.characteristic_name(table)
        place = next((index for index, clause in enumerate(clauses) if clause.characteristic == name), None)
        if place is not None and "kind" not in table.left():
            clauses[place] = _changed(table, clauses[place], head)
            continue
        if place is None and "kind" not in table.left():
            _fault_unknown(table, name, clauses)
            continue
        clause = _checked(reading.read_clause(_named(table, name), head.id), table, items)
        if place is not None:
            clauses[place] = clause
        else:
            clauses.append(clause)
    return tuple(clauses)


def _fault_unknown(table: TomlTable, name: str, clauses: Iterable[Clause]) -> None:
    """A change of a clause that the sheet does not have: one fault, and not one for every key a new clause needs."""
    for key in table.left():
        table.either(key)
    hint = nearest(name, [clause.characteristic for clause in clauses])
    table.fault("characteristic", "no-clause-about", hint or notice("new-clause-kind"), name=name[:60])


def _named(table: TomlTable, name: str) -> TomlTable:
    """The table again, with the name that was looked at already."""
    left = {key: table.either(key) for key in table.left()}
    return TomlTable({"characteristic": name, **left}, table.place, table.faults)


def _changed(table: TomlTable, clause: Clause, head: Sheet) -> Clause:
    """A clause of the base with only what the overlay states: limits, force, note, because, …"""
    bounds, kind = _changed_bounds(table, clause)
    changed = replace(
        clause,
        number=table.text("clause", clause.number),
        kind=kind,
        bounds=bounds,
        printed=table.text("printed", "") or (as_printed(bounds) if bounds is not clause.bounds else clause.printed),
        force=table.word("force", Force, clause.force) if "force" in table.left() else clause.force,
        requires=table.text("requires", clause.requires),
        how=table.text("how", clause.how),
        note=table.text("note", clause.note),
        because=table.text("because", ""),
        binding=table.flag("binding", clause.binding),
        source=head.id,
        plausible=reading.read_plausible(table) or clause.plausible,
    )
    if head.standing is not SheetAuthority.FEDERATION and not changed.because:
        table.fault("because", "printed-because-missing")
    table.done()
    return changed


def _changed_bounds(table: TomlTable, clause: Clause) -> tuple[Bounds, Kind]:
    """New limits; a tolerance alone is laid around the nominal that the text already prints."""
    entry = table.table("limits")
    stated = set(entry.left())
    if not stated:
        return clause.bounds, clause.kind
    if stated == {"tolerance"} and clause.bounds.nominal is not None:
        whole = {"nominal": str(clause.bounds.nominal), "tolerance": entry.either("tolerance")}
        return reading.read_bounds(TomlTable(whole, entry.place, entry.faults), Kind.NOMINAL_WITH_TOLERANCE), (
            Kind.NOMINAL_WITH_TOLERANCE
        )
    kind = _kind_for(frozenset(stated), clause.kind)
    return reading.read_bounds(entry, kind), kind


def _kind_for(stated: frozenset[str], kind: Kind) -> Kind:
    if kind in (Kind.COUNT, Kind.RELATION, Kind.FUNCTIONAL):
        return kind
    by_limits = {
        frozenset({"lower", "upper"}): Kind.RANGE, frozenset({"lower"}): Kind.MIN, frozenset({"upper"}): Kind.MAX,
        frozenset({"nominal", "tolerance"}): Kind.NOMINAL_WITH_TOLERANCE,
        frozenset({"nominal"}): Kind.NOMINAL_WITHOUT_TOLERANCE,
    }  # fmt: skip
    return by_limits.get(stated, kind)


def check(path: Path) -> tuple[Fault, ...]:
    """Every fault of a sheet, none if it is sound."""
    try:
        load_file(path)
    except BadSheet as problem:
        return problem.faults
    except InspectKitError as problem:
        return (problem.fault,)
    return ()
