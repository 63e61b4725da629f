"""The desk's daily checks of its gauges (zero, reference mass, gauge block), kept as lines that are only ever added."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_UP, Context, localcontext
from enum import StrEnum
from pathlib import Path
from typing import Final

from inspect_kit.capture.files import read_text
from inspect_kit.capture.instruments import Instrument, checked_id
from inspect_kit.errors import BadInput, Notice, UsageError, notice, sentence, system_errors_as
from inspect_kit.strict_json import parse_json
from inspect_kit.values.quantity import Quantity, parse_strict

FORMAT: Final = 1
"""Version of a line in the file of checks; another one is refused."""
STATES: Final = ("", "as-found", "as-left")
"""When a check was made: on a day as any other, before an adjustment, after one."""
_FOLDER: Final = "checks"
_CONTEXT: Final = Context(prec=40)
"""Decimal digits in which a permitted error is worked out: many more than any gauge shows."""
_TWO_DIGITS: Final = Context(prec=2, rounding=ROUND_UP)
"""An uncertainty is stated with two significant digits, rounded up."""
_NEEDS_ZERO: Final = frozenset({"scale", "caliper"})


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a check: what should have been shown, what was, and how far apart the two may be."""

    nominal: Quantity
    shown: Quantity
    permitted: Quantity
    raw: str = ""

    @property
    def error(self) -> Quantity:
        """Shown minus nominal."""
        return Quantity(self.shown.in_base - self.nominal.in_base, self.permitted.unit)

    @property
    def passed(self) -> bool:
        """Whether the error is within what is permitted; a value on the limit is."""
        return abs(self.error.number) <= self.permitted.in_base

    @property
    def is_zero(self) -> bool:
        """Whether this is the zero of the instrument."""
        return self.nominal.number == 0


@dataclass(frozen=True, slots=True)
class Check:
    """One daily check of one instrument."""

    instrument: str
    time: datetime
    points: tuple[Point, ...]
    by: str = ""
    state: str = ""
    """`as-found` before an adjustment, `as-left` after one; empty for a daily check."""

    @property
    def frozen(self) -> bool:
        """Whether different things gave the very same reading: then the display hangs or the line repeats itself."""
        nominals = {point.nominal.in_base for point in self.points}
        return len(nominals) > 1 and len({point.shown.in_base for point in self.points}) == 1

    @property
    def passed(self) -> bool:
        """Whether every point did."""
        return bool(self.points) and not self.frozen and all(point.passed for point in self.points)


def permitted_error(instrument: Instrument, at: Quantity, tolerance: Quantity | None = None) -> Quantity:
    """How far a reading may lie off: as stated, or the instrument's own U = 2u there, never less than one digit."""
    unit = parse_strict(f"0 {instrument.resolution.unit.base}").unit
    if tolerance is not None:
        return Quantity(tolerance.in_base, unit)
    with localcontext(_CONTEXT):
        digit = instrument.resolution.in_base
        variance = (digit / 2) ** 2 / 3
        for effect in instrument.effects:
            size = effect.size.in_base + effect.relative * abs(at.in_base)
            variance += (size / effect.coverage) ** 2 / effect.shape.square
        return Quantity(max(digit, _TWO_DIGITS.plus(2 * variance.sqrt())), unit)


def complete(instrument: Instrument, points: Iterable[Point]) -> tuple[Point, ...]:
    """The points, if they make a check: the zero of a scale or caliper, and something of known size besides."""
    taken = tuple(points)
    if not any(not point.is_zero for point in taken):
        raise UsageError("check-needs-something-known-size", where=instrument.id)
    if instrument.kind in _NEEDS_ZERO and not any(point.is_zero for point in taken):
        raise UsageError("check-needs-zero", where=instrument.id, kind=instrument.kind)
    for point in taken:
        if point.shown.unit.base != instrument.resolution.unit.base:
            raise UsageError("nothing-shows", where=instrument.id, shown=point.shown, instrument=instrument.id)
    return taken


class CheckState(StrEnum):
    """What a day's readings of an instrument stand on."""

    CHECKED = "checked"
    UNCHECKED = "unchecked"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CheckStatus:
    """An instrument on a day: its last check, and lines of the log that could not be read."""

    instrument: str
    state: CheckState
    last: Check | None = None
    damaged: tuple[int, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether clauses may be decided by it; one that was not checked yet only brings a warning."""
        return self.state is not CheckState.FAILED

    @property
    def notice(self) -> Notice | None:
        """For whoever reads a verdict; nothing where there is nothing to say."""
        if self.state is CheckState.CHECKED:
            return None
        if self.state is not CheckState.FAILED:
            return notice("gauge-unchecked", gauge=self.instrument)
        if self.last is None:
            return notice("gauge-check-damaged", gauge=self.instrument)
        return notice("gauge-check-failed", gauge=self.instrument, day=self.last.time.date().isoformat())

    @property
    def warning(self) -> str:
        """The same in English; empty where there is nothing to say."""
        return sentence(self.notice) if self.notice else ""


def standing(home: Path, instrument: str, on: date) -> CheckStatus:
    """Where the instrument stands on that day. A failed check counts until a later one is passed, and for the days
    before it back to the last check: since when it was off, nobody knows."""
    checks, damaged = read_checks(home, instrument)
    past = [check for check in checks if check.time.date() <= on]
    # The order in which they were added: two may be of the same second, and a desk's clock may be set back.
    last = past[-1] if past else None
    after = next((check for check in checks if check.time.date() > on), None)
    if after is not None and not after.passed:
        last = after
    state = CheckState.UNCHECKED
    if last is not None and not last.passed:
        state = CheckState.FAILED
    elif last is not None and last.time.date() == on:
        state = CheckState.CHECKED
    return CheckStatus(instrument, state, last, damaged)


def check_log(home: Path, instrument: str) -> Path:
    """Where the checks of an instrument are kept."""
    return home / _FOLDER / f"{checked_id(instrument)}.jsonl"


def add_check(home: Path, check: Check) -> Path:
    """Add a check to the log, so that it stays there after a power cut."""
    path = check_log(home, check.instrument)
    line = json.dumps(as_data(check), ensure_ascii=False, allow_nan=False) + "\n"
    with system_errors_as("not-written", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+") as log:
            log.write((_line_end(log.tell(), path) + line).encode())
            log.flush()
            os.fsync(log.fileno())
    return path


def _line_end(size: int, path: Path) -> str:
    """After a line that a power cut left unfinished, the next one begins on its own."""
    if not size:
        return ""
    with path.open("rb") as log:
        log.seek(-1, os.SEEK_END)
        return "" if log.read(1) == b"\n" else "\n"


def read_checks(home: Path, instrument: str) -> tuple[tuple[Check, ...], tuple[int, ...]]:
    """All checks of an instrument, and the numbers of the lines that are not checks."""
    path = check_log(home, instrument)
    if not path.is_file() or not path.stat().st_size:
        return (), ()
    checks: list[Check] = []
    damaged: list[int] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        try:
            checks += [from_data(parse_json(line, str(path)), instrument)] if line.strip() else []
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, BadInput):
            damaged.append(number)
    return tuple(checks), tuple(damaged)


def as_data(check: Check) -> dict[str, object]:
    """A check in the form it is kept in."""
    return {
        "format": FORMAT,
        "instrument": check.instrument,
        "time": check.time.isoformat(timespec="seconds"),
        "by": check.by,
        **({"state": check.state} if check.state else {}),
        "passed": check.passed,
        "frozen": check.frozen,
        "points": [
            {"nominal": str(p.nominal), "shown": str(p.shown), "error": str(p.error), "permitted": str(p.permitted),
             "passed": p.passed, "raw": p.raw}
            for p in check.points
        ],
    }  # fmt: skip


def from_data(data: Mapping[str, object], instrument: str) -> Check:
    """A check as it was kept; whether it was passed is worked out anew."""
    points, time = data["points"], datetime.fromisoformat(str(data["time"]))
    if data["format"] != FORMAT or data["instrument"] != instrument or not isinstance(points, list):
        raise ValueError("not a check of this instrument")
    if time.tzinfo is None:
        raise ValueError("a time without its offset")
    state = str(data.get("state", ""))
    if state not in STATES:
        raise ValueError("neither as found nor as left")
    return Check(instrument, time, tuple(_point(entry) for entry in points), str(data.get("by", "")), state)


def _point(entry: Mapping[str, object]) -> Point:
    nominal, shown, permitted = (parse_strict(str(entry[key])) for key in ("nominal", "shown", "permitted"))
    if not nominal.unit.base == shown.unit.base == permitted.unit.base or permitted.number < 0:
        raise ValueError("units that do not go together")
    return Point(nominal, shown, permitted, str(entry.get("raw", "")))
