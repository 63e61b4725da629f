"""How an instrument talks that no protocol knows: learnt from recordings and what its display showed, kept as TOML."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Final

from inspect_kit.capture.files import read_bytes
from inspect_kit.capture.line import Framer
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


# Learning a dialect from recordings.


_TOKEN: Final = re.compile(rf"([+-]?) *({NUMBER})(?![0-9.])", re.ASCII)
_UNIT: Final = re.compile(r" *,? *(kg|mg|g|oz|ct|GN|mm|in|KG|MG|G|MM|IN)(?![A-Za-z])", re.ASCII)
_CAPITALS: Final = {"KG": "kg", "MG": "mg", "G": "g", "MM": "mm", "IN": "in"}
_MOVING: Final = 0.25
"""Share of neighbouring lines of one form that differ, from which the form is that of a moving value."""
_FEW: Final = 3
"""Lines of a form below which nothing is said about it."""


@dataclass(frozen=True, slots=True)
class LabelledRecording:
    """Lines of a recording, and what the display showed meanwhile, each as number and unit; none while it moved."""

    lines: tuple[str, ...]
    shown: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """A number in a line that could be the value."""

    before: str
    after: str
    unit: str
    decimals: int


def learn(name: str, samples: Iterable[LabelledRecording], learned: str) -> Dialect:
    """The dialect in which the lines say what the display showed."""
    taken = tuple(samples)
    places = [_place(sample.lines, number, unit) for sample in taken for number, unit in sample.shown]
    if not places:
        raise BadInput("display-showed-not-said")
    lines = [line for sample in taken for line in sample.lines]
    decimals = _decimals(places)
    still = _still_forms(places, lines, decimals)
    forms = (*still, *_moving_forms(still, lines))
    lengths = {len(line) for line in lines if any(form.number(line) for form in forms)}
    return Dialect(name, forms, lengths.pop() if len(lengths) == 1 else 0, decimals, None, learned)


def _place(lines: tuple[str, ...], number: str, unit: str) -> Counter[_Place]:
    """Where in its lines the value stands that was shown."""
    found: Counter[_Place] = Counter()
    twice = 0
    for line in lines:
        here = list(_places(line, number, unit))
        twice += len({(place.before, place.after) for place in here}) > 1
        found.update(here)
    if not found:
        raise BadInput("no-line-says", number=number, unit=unit)
    if twice > sum(found.values()) / 4:
        raise BadInput("stands-twice-line", number=number, unit=unit)
    return found


def _places(line: str, number: str, unit: str) -> Iterator[_Place]:
    value, base = in_base(number, unit)
    for token in _TOKEN.finditer(line):
        before, after = line[: token.start()].rstrip(" "), line[token.end() :]
        stated = _UNIT.match(after)
        own = _CAPITALS.get(stated[1], stated[1]) if stated else unit
        digits, places = token[2], max(0, -int(Decimal(number).as_tuple().exponent))
        signed = Decimal(f"{token[1]}{digits}")
        if _equal(signed, own, Decimal(value), base):
            yield _Place(before, after, own, 0)
        elif "." not in digits and places and _equal(signed.scaleb(-places), own, Decimal(value), base):
            yield _Place(before, after, own, places)


def _equal(number: Decimal, unit: str, value: Decimal, base: str) -> bool:
    try:
        converted, found = in_base(f"{number:f}", unit)
    except InspectKitError:
        return False
    return found == base and Decimal(converted) == value


def _decimals(places: list[Counter[_Place]]) -> int:
    """Places behind a point that is not sent; believed only if two different weights say so."""
    kinds = [{place.decimals for place in options} for options in places]
    common = set.intersection(*kinds)
    if not common:
        raise BadInput("two-readings-do-not-stand")
    decimals = min(common)
    if decimals and len(places) < 2:
        raise BadInput("line-no-decimal-point")
    return decimals


def _still_forms(places: list[Counter[_Place]], lines: list[str], decimals: int) -> tuple[LineForm, ...]:
    """The forms in which the shown values came, without those in which values move."""
    forms = [
        LineForm(LineState.STABLE, place.before, place.after, place.unit)
        for place, count in sum(places, Counter()).items()
        if place.decimals == decimals and count >= min(_FEW, len(lines))
    ]
    forms = list(dict.fromkeys(forms))
    if len(forms) < 2:
        return tuple(forms)
    changes = {form: _changes(form, lines) for form in forms}
    still = tuple(form for form in forms if changes[form] == 0)
    if len(still) != 1 or max(changes.values()) < _FEW:
        kinds = " and ".join(repr(f"{form.before}…{form.after}".strip()) for form in forms[:3])
        raise BadInput("value-came-lines-two-forms", kinds=kinds)
    return still


def _changes(form: LineForm, lines: list[str]) -> int:
    """How often a line of this form has another number than the line before, whatever its form."""
    numbers = [(line, _TOKEN.findall(line)) for line in lines]
    return sum(form.number(line) is not None and before != after for (_, before), (line, after) in pairwise(numbers))


def _moving_forms(still: tuple[LineForm, ...], lines: list[str]) -> Iterator[LineForm]:
    """Forms of the same length and unit that differ from the stable one: never taken for stable."""
    (form,) = still
    seen: Counter[tuple[str, str]] = Counter()
    for line in lines:
        if form.number(line) is None:
            for token in _TOKEN.finditer(line):
                seen[(line[: token.start()].rstrip(" "), line[token.end() :])] += 1
    for (before, after), count in seen.items():
        if count >= _FEW and len(before) == len(form.before) and len(after) == len(form.after):
            yield LineForm(LineState.UNSTABLE, before, after, form.unit)


def _restlessness(form: LineForm, lines: list[str]) -> float:
    """The share of neighbouring lines of this form whose numbers differ."""
    numbers = [number for line in lines if (number := form.number(line)) is not None]
    return sum(a != b for a, b in pairwise(numbers)) / max(1, len(numbers) - 1)


def refuse_moving(dialect: Dialect, moving: Iterable[str]) -> Dialect:
    """Check the dialect against lines recorded while the value moved: its stable form must not hold there."""
    (form,) = (each for each in dialect.forms if each.state is LineState.STABLE)
    lines = list(moving)
    if _restlessness(form, lines) > _MOVING:
        raise BadInput("moving-lines-look-like-stable")
    return dialect


def readings_shown(dialect: Dialect, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """How each recorded line is read, for the eye; equal ones once."""
    for line in dict.fromkeys(lines):
        reply = dialect.parse(line)
        word = f"{reply.number} {reply.unit}" if reply.number else "not read"
        yield line, word if reply.status in (Status.STABLE, Status.UNKNOWN) else f"{word}, {reply.status.value}"


# Recordings of what an instrument sends: written as a hex dump, read as hex dumps, text dumps or plain bytes.

HEAD: Final = "# inspect-kit recording 1"
_LARGEST: Final = 4_000_000
"""Bytes of a recording that is read; a larger file is refused."""
_ROW: Final = 16
"""Bytes a line of a dump."""
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2} ){1,64}|(?:[0-9A-Fa-f]{2} ){0,63}[0-9A-Fa-f]{2}(?= {2,}|$)", re.ASCII)
_DOTS: Final = re.compile(r"\.\.$", re.MULTILINE)


def dump(data: bytes, notes: str = "") -> str:
    """A recording's text: bytes on the left, what they say on the right."""
    rows = (data[start : start + _ROW] for start in range(0, len(data), _ROW))
    lines = [f"{row.hex(' ').upper():<{_ROW * 3}}  {_readable(row)}".rstrip() for row in rows]
    note = [f"# {line}" for line in notes.splitlines()]
    return "\n".join((HEAD, *note, *lines, ""))


def _readable(row: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte <= 0x7E else "." for byte in row)


def read_recording(path: Path) -> bytes:
    """The bytes of a recording, whichever way its owner took it."""
    content = read_bytes(path, _LARGEST)
    if not content.strip():
        raise BadInput("recording-empty", where=str(path))
    text = content.decode("latin-1")
    rows = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    heads = [_HEX.match(row + " ") for row in rows]
    if rows and all(head is not None for head in heads):
        return b"".join(bytes.fromhex(head.group()) for head in heads if head)
    # A terminal's text shows the two bytes of a line end as two points.
    plain = _DOTS.sub("", text) if all(row.endswith("..") for row in rows) else text
    return plain.encode("latin-1").replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def whole_lines(data: bytes) -> tuple[str, ...]:
    """The clean lines, without the first one, which may have been joined in the middle."""
    framer = Framer()
    framer.skip_line()
    return tuple(frame.text for frame in framer.feed(data) if frame.clean)
