"""A learned dialect: what stands before and behind the number in a stable line and in a moving one, kept as TOML."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Final

from inspect_kit.capture.protocols.forms import NUMBER, plain
from inspect_kit.capture.protocols.reply import UNKNOWN, InstrumentKind, Protocol, Reply, Settings, Status
from inspect_kit.capture.readings import in_base
from inspect_kit.errors import BadInput, BadSheet, Fault, InspectKitError
from inspect_kit.tomlfile import TomlTable, read_toml

FORMAT: Final = 1
"""Version of a dialect's file; another one is refused."""
PREFIX: Final = "learned:"
"""Before a dialect's name where a protocol's name stands."""
_SUFFIX: Final = ".dialect.toml"
_FIELD: Final = re.compile(rf" *([+-]?) *({NUMBER})", re.ASCII)
_SETTINGS: Final = re.compile(r"([0-9]{2,7}) ([78])([NEO])([12])", re.ASCII)
_LONGEST: Final = 200
"""Characters of a text or length of a field in a dialect's file: as long as the longest line that is heard."""


class LineState(StrEnum):
    """What a form of line says of the value in it."""

    STABLE = "stable"
    UNSTABLE = "unstable"


@dataclass(frozen=True, slots=True)
class LineForm:
    """One form of line: the text before and behind the number, and the unit that the number is in."""

    state: LineState
    before: str
    after: str
    unit: str

    def number(self, line: str) -> tuple[str, str] | None:
        """Sign and digits, if the line has this form."""
        if not line.startswith(self.before) or not line.endswith(self.after) or len(line) < self.framed:
            return None
        match = _FIELD.fullmatch(line[len(self.before) : len(line) - len(self.after)])
        return (match.group(1), match.group(2)) if match else None

    @property
    def framed(self) -> int:
        """Characters that are not the number."""
        return len(self.before) + len(self.after)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one instrument talks. `length` is that of every line, 0 where it varies with the number."""

    id: str
    forms: tuple[LineForm, ...]
    length: int = 0
    decimals: int = 0
    """Places behind a point that the instrument does not send."""
    settings: Settings | None = None
    learned: str = ""

    def parse(self, line: str) -> Reply:
        """One line."""
        if self.length and len(line) != self.length:
            return UNKNOWN
        for form in self.forms:
            found = form.number(line)
            if found is not None:
                status = Status.STABLE if form.state is LineState.STABLE else Status.UNSTABLE
                return Reply(status, plain(found[0], self._pointed(found[1])), form.unit, whole=bool(self.length))
        return UNKNOWN

    def _pointed(self, digits: str) -> str:
        if not self.decimals or "." in digits:
            return digits
        filled = digits.rjust(self.decimals + 1, "0")
        return f"{filled[: -self.decimals]}.{filled[-self.decimals :]}"

    def protocol(self) -> Protocol:
        """As one more protocol; it only listens."""
        kind = InstrumentKind.CALIPER if in_base("0", self.forms[0].unit)[1] == "mm" else InstrumentKind.SCALE
        settings = (self.settings,) if self.settings else (Settings(),)
        return Protocol(f"{PREFIX}{self.id}", self.learned, kind, self.parse, (), settings)


def dialect_file(folder: Path, name: str) -> Path:
    """Where it is kept: beside the instrument's sheet."""
    return folder / f"{name}{_SUFFIX}"


def dialect_text(dialect: Dialect) -> str:
    """As TOML."""
    head = [f"format = {FORMAT}", f"id = {json.dumps(dialect.id)}", f"learned = {json.dumps(dialect.learned)}"]
    head += [f"length = {dialect.length}", f"decimals = {dialect.decimals}"]
    head += [f'settings = "{dialect.settings}"'] if dialect.settings else []
    for form in dialect.forms:
        head += ["", "[[line]]", f'state = "{form.state.value}"', f"before = {json.dumps(form.before)}"]
        head += [f"after = {json.dumps(form.after)}", f"unit = {json.dumps(form.unit)}"]
    return "\n".join((*head, ""))


def read_dialect(path: Path) -> Dialect:
    """A dialect from its file; raises `BadSheet` with every fault of it."""
    faults: list[Fault] = []
    root = TomlTable(read_toml(path), f"{path}: ", faults)
    dialect = _dialect(root)
    root.done()
    if faults:
        raise BadSheet(tuple(faults))
    return dialect


def _dialect(root: TomlTable) -> Dialect:
    if root.either("format") != FORMAT:
        root.fault("format", "expected-value", format=FORMAT)
    settings = _SETTINGS.fullmatch(root.text("settings", ""))
    forms = tuple(_form(table) for table in root.tables("line"))
    length, decimals = (int(root.decimal(key, Decimal(0))) for key in ("length", "decimals"))
    if (
        not any(form.state is LineState.STABLE for form in forms)
        or not 0 <= decimals <= 9
        or not 0 <= length <= _LONGEST
    ):
        root.fault("line", "expected-one-form-stable-line")
    return Dialect(
        root.text("id"), forms, length, decimals,
        Settings(int(settings[1]), int(settings[2]), settings[3], int(settings[4])) if settings else None,
        root.text("learned", ""),
    )  # fmt: skip


def _form(table: TomlTable) -> LineForm:
    state = table.word("state", LineState, LineState.UNSTABLE)
    form = LineForm(state, _literal(table, "before"), _literal(table, "after"), table.text("unit"))
    try:
        in_base("0", form.unit)
    except InspectKitError as problem:
        table.note("unit", problem.fault)
    table.done()
    return form


def _literal(table: TomlTable, key: str) -> str:
    """Text in which every blank counts."""
    value = table.either(key)
    if not isinstance(value, str) or len(value) > _LONGEST:
        table.fault(key, "expected-text")
        return ""
    return value


def known_dialects(folder: Path) -> tuple[Dialect, ...]:
    """All that were learned into a folder; one that cannot be read is an error that says so."""
    paths = sorted(folder.glob(f"*{_SUFFIX}")) if folder.is_dir() else []
    return tuple(read_dialect(path) for path in paths)


def dialect_named(folder: Path, name: str) -> Dialect:
    """A dialect of the desk by its name."""
    path = dialect_file(folder, name)
    if not path.is_file():
        raise BadInput("no-dialect-learned", name=name[:60])
    return read_dialect(path)
