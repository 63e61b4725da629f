"""One characteristic of all pieces, judged: column by column, with the judgement room asked only where it matters.

A clause with limits accepts an interval of values. Its two ends among the readings are found by asking the judgement
room for a few of them, at the largest uncertainty there is; what lies between conforms, and all others are judged one
by one. So a million readings cost some hundred judgements, and no rule is written down twice.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from inspect_kit.capture.instruments import Instrument
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.judgement.judge import Evidence, judge_clause
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.measure.interpretation import measurement_of, observation_of, refuse_too_fine
from inspect_kit.quality.lot.file import LotColumn, LotFile, RepeatedText
from inspect_kit.quality.sample import Floats, Sample
from inspect_kit.quality.sampling.variables import VariablesDecision
from inspect_kit.rulebook.clause import Clause, Instances, Kind, WordMeaning, answer_to
from inspect_kit.values.limits import Limits, lower_of, upper_of
from inspect_kit.values.measurement import Budget, Component, Measurement, Reading
from inspect_kit.values.quantity import EXACT_UNITS, UNITS, Quantity, parse_quantity

_PLAIN: Final = re.compile(r"(?:0|[1-9]\d{0,11})(?:\.\d{1,15})?")
"""A number that stands in a file as it will stand in the record."""
_SIGNIFICANT: Final = 6
"""Significant digits of a computed number in the record."""
_MOST_KEPT: Final = 50_000
"""Different cells whose values are remembered; then the memory begins anew."""
_WORDS: Final = {
    **dict.fromkeys(("yes", "ja", "ano", "sì", "si", "ok", "go", "pass", "i.o.", "io"), "yes"),
    **dict.fromkeys(("no", "nein", "ne", "nok", "nogo", "no-go", "no go", "fail", "n.i.o.", "nio"), "no"),
}
"""How people write that a requirement holds, or does not."""
_DIGITS: Final = "0123456789+-−.,"
Rows = NDArray[np.int64]


def answer(word: str) -> str:
    """What a person's word means: yes, no, or the word itself."""
    folded = word.strip().casefold()
    return _WORDS.get(folded, folded)


@dataclass(frozen=True, slots=True)
class ReadingDefaults:
    """What holds for every reading that does not say it itself."""

    u: str = ""
    instrument: str = ""


@dataclass(frozen=True, slots=True)
class Nonconformity:
    """Why a piece does not conform: the verdict, the value (or the word) and u as text, the probability."""

    verdict: Verdict
    reason: Reason
    value: str | None = None
    u: str | None = None
    probability: float | None = None


@dataclass(frozen=True)
class JudgedCharacteristic:
    """One characteristic of all pieces. Values are texts in the base unit, or words; `None` where there is none."""

    clause: Clause | None
    """`None` for defects that are recorded in words of their own."""
    limits: Limits | None
    values: Sequence[str | None]
    uncertainties: Sequence[str | None]
    """One for all pieces, or one a piece."""
    verdicts: Mapping[Verdict, int]
    odd: Mapping[int, Nonconformity]
    """What does not conform, by the piece's place."""
    instruments: tuple[str, ...] = ()
    decision: VariablesDecision | None = None
    normality_p: float | None = None

    @property
    def characteristic(self) -> str:
        """What was judged."""
        return self.clause.characteristic if self.clause else "defect"

    @cached_property
    def sample(self) -> Sample:
        """The values for statistics."""
        return Sample.of([value for value in self.values if value is not None])

    @cached_property
    def unmeasured(self) -> frozenset[int]:
        """The places of pieces without a value."""
        if self.clause is None or None not in self.values:
            return frozenset()
        return frozenset(place for place, value in enumerate(self.values) if value is None)

    @property
    def complete(self) -> bool:
        """Whether every piece has a value."""
        return not self.unmeasured


@dataclass(frozen=True)
class JudgingContext:
    """What every piece is measured and judged with."""

    rule: RuleName
    instruments: Mapping[str, Instrument]
    distrusted: Mapping[str, Reason]
    usual: ReadingDefaults

    def measured(self, reading: Reading, clause: Clause) -> Measurement:
        """The measurement that a reading is."""
        assert clause.unit is not None
        own = bool(reading.standard or reading.budget or reading.instrument)
        filled = reading if own or not self.usual.instrument else replace(reading, instrument=self.usual.instrument)
        gauge = self.instruments.get(filled.instrument)
        found = measurement_of(filled, UNITS[clause.unit.base], gauge, signed=clause.kind is Kind.RELATION)
        budget = found.budget if own or not self.usual.u else _stated(self.usual.u, clause.unit.base)
        if budget:
            where = f"{reading.where}: u" if own else "--u"
            refuse_too_fine(budget, Quantity(found.value, UNITS[clause.unit.base]), gauge, where)
        return replace(found, budget=budget)

    def besides(self, clause: Clause) -> JudgingContext:
        """The same for a characteristic that nobody asked for: an uncertainty in mm was not meant for a mass."""
        meant = not self.usual.u or clause.unit is None or _unit_of(self.usual.u, clause.unit.base) == clause.unit.base
        return self if meant else replace(self, usual=replace(self.usual, u=""))

    def finding(self, reading: Reading, clause: Clause) -> Finding:
        """What the judgement room says of one reading."""
        evidence = Evidence.of((self.measured(reading, clause),), (), self.distrusted)
        return judge_clause(clause, evidence, self.rule)[0]


def _unit_of(u: str, base: str) -> str:
    return parse_quantity(u, UNITS[base], where="--u").unit.base


@lru_cache(64)
def _stated(u: str, base: str) -> Budget:
    """The usual uncertainty in the characteristic's own unit, whatever unit a reading came in."""
    stated = parse_quantity(u, UNITS[base], where="--u")
    if stated.unit.base != base or stated.number <= 0:
        raise UsageError("no-uncertainty", where="--u", u=u[:40], base=base)
    return (Component("stated", stated.in_base),)


def judged_column(clause: Clause, file: LotFile, bench: JudgingContext, *, gaps: bool = True) -> JudgedCharacteristic:
    """One characteristic. Each piece stands for itself, so the set's number and its conditions play no part.

    Without `gaps` a piece that has no value is no matter.
    """
    # In a lot a limit may be checked by a gauge that says go or no-go.
    answers = {**clause.answers, WordMeaning.YES: WordMeaning.YES, WordMeaning.NO: WordMeaning.NO}
    single = replace(clause, instances=Instances(), when=None, binding=True, answers=answers)
    column = file.columns[clause.characteristic]
    by_eye = clause.limits is None or clause.kind is Kind.NOMINAL_WITHOUT_TOLERANCE
    words = _words_in(column, single, by_eye=by_eye)
    sheet = _Sheet(single, column, file.pieces, bench)
    if not by_eye:
        sheet.measure(words)
    sheet.observe(words)
    if gaps:
        sheet.leave_open()
    if not sheet.seen:
        raise BadInput("no-piece-value", where=file.where, characteristic=clause.characteristic)
    return sheet.judged(None if by_eye else clause.limits)


def _words_in(column: LotColumn, clause: Clause, *, by_eye: bool) -> dict[int, str]:
    """The cells that are answers and not numbers, by row."""
    meanings: dict[str, str] = {}
    for cell in {cell for part in _parts(column.values) for cell in set(part) if cell and cell[0] not in _DIGITS}:
        folded = cell.strip().casefold()
        word = _WORDS.get(folded, folded if answer_to(clause, folded) is not None or (by_eye and cell) else "")
        if word:
            meanings[cell] = word
    return {row: meanings[cell] for row, cell in enumerate(column.values) if cell in meanings} if meanings else {}


def _parts(cells: Sequence[str]) -> Iterator[Sequence[str]]:
    """Cells some thousand at a time: of each different one among them it is asked once."""
    return (cells[start : start + _MOST_KEPT] for start in range(0, len(cells), _MOST_KEPT))


@dataclass
class _Sheet:
    """A column while it is judged."""

    clause: Clause
    column: LotColumn
    pieces: Sequence[str]
    bench: JudgingContext
    values: Sequence[str | None] = ()
    odd: dict[int, Nonconformity] = field(default_factory=dict)
    standards: Sequence[str | None] = (None,)
    gauges: dict[str, None] = field(default_factory=dict)
    memo: dict[tuple[str, str, str, str], Nonconformity | None] = field(default_factory=dict)
    seen: int = 0

    def __post_init__(self) -> None:
        self.values = [None] * len(self.pieces)

    # Numbers

    def measure(self, words: Mapping[int, str]) -> None:
        """Judge the cells that are numbers."""
        cells = self.column.values
        everyone = not words and "" not in cells
        rows: Sequence[int] = range(len(cells)) if everyone else [
            row for row, cell in enumerate(cells) if cell and row not in words
        ]  # fmt: skip
        if not rows:
            return
        self.seen += len(rows)
        self.values = cells if everyone and self._as_written() else self._read(rows)
        places = np.arange(len(rows)) if everyone else np.array(rows, dtype=np.int64)
        numbers = self.values if everyone else [self.values[row] for row in rows]
        sizes = np.fromiter(map(float, numbers), dtype=np.float64, count=len(rows))  # type: ignore[arg-type]
        for group in self._groups(places):
            self._judge(places[group], sizes[group])
        self._note_standards(rows)

    def _as_written(self) -> bool:
        """Whether every cell stands in the file as it will stand in the record."""
        units, unit = self.column.units, self.clause.unit
        assert unit is not None
        if not isinstance(units, RepeatedText) or units.text not in ("", unit.base) or unit.base in EXACT_UNITS:
            return False
        return all(_PLAIN.fullmatch(cell) for part in _parts(self.column.values) for cell in set(part))

    def _read(self, rows: Sequence[int]) -> list[str | None]:
        """The values as texts in the base unit; a number that stands so in the file is taken as it is."""
        column = self.column
        values: list[str | None] = [None] * len(self.pieces)
        assert self.clause.unit is not None
        bare = ("", self.clause.unit.base)
        memo: dict[tuple[str, str], str] = {}
        for row in rows:
            cell, unit = column.values[row], column.units[row]
            if unit in bare and _PLAIN.fullmatch(cell) and self.clause.unit.base not in EXACT_UNITS:
                values[row] = cell
                continue
            if (cell, unit) not in memo:
                memo = {} if len(memo) > _MOST_KEPT else memo
                memo[cell, unit] = f"{self.bench.measured(self._reading(row), self.clause).value:f}"
            values[row] = memo[cell, unit]
        return values

    def _reading(self, row: int) -> Reading:
        return self.column.reading(row, self.pieces[row])

    def _groups(self, rows: Rows) -> list[Rows]:
        """Rows of one unit, one instrument, and all with an uncertainty or all without."""
        column = self.column
        if all(isinstance(cells, RepeatedText) for cells in (column.units, column.instruments, column.standards)):
            return [np.arange(len(rows))]
        numbers: dict[tuple[str, str, bool], int] = {}
        codes = np.empty(len(rows), dtype=np.int64)
        for place, row in enumerate(rows.tolist()):
            key = (column.units[row], column.instruments[row], bool(column.standards[row]))
            codes[place] = numbers.setdefault(key, len(numbers))
        return [np.flatnonzero(codes == code) for code in range(len(numbers))]

    def _judge(self, rows: Rows, sizes: Floats) -> None:
        """Those between two that conform at the largest uncertainty conform; the others are judged one by one."""
        order = np.argsort(sizes, kind="stable")
        widest = self._widest(rows)
        ends = _interval(
            len(order), _seed(sizes[order], self.clause), lambda k: self._conforms(int(rows[order[k]]), widest)
        )
        inside = np.zeros(len(rows), dtype=np.bool_)
        if ends is not None:
            low, high = sizes[order[ends[0]]], sizes[order[ends[1]]]
            inside = (sizes > low) & (sizes < high)
        for row in rows[~inside].tolist():
            self._one(row)
        # An instrument's range is told by the extremes.
        for row in {int(rows[order[0]]), int(rows[order[-1]])}:
            self.gauges.update(dict.fromkeys(self.bench.measured(self._reading(row), self.clause).instruments))

    def _widest(self, rows: Rows) -> str:
        """The largest uncertainty that these rows state."""
        column = self.column
        if isinstance(column.standards, RepeatedText):
            return column.standards.text
        texts: dict[str, int] = {column.standards[row]: row for row in rows.tolist()}
        if len(texts) == 1:
            return next(iter(texts))
        return max(texts, key=lambda text: self._size(text, texts[text]))

    def _size(self, text: str, row: int) -> Decimal:
        found = self.bench.measured(replace(self._reading(row), standard=text), self.clause).standard_uncertainty
        return found or Decimal(0)

    def _conforms(self, row: int, widest: str) -> bool:
        reading = replace(self._reading(row), standard=widest)
        return self.bench.finding(reading, self.clause).verdict is Verdict.CONFORMS

    def _one(self, row: int) -> None:
        column = self.column
        key = (column.values[row], column.units[row], column.standards[row], column.instruments[row])
        if key not in self.memo:
            self.memo = {} if len(self.memo) > _MOST_KEPT else self.memo
            self.memo[key] = _odd_of(self.bench.finding(self._reading(row), self.clause))
        found = self.memo[key]
        if found is not None:
            self.odd[row] = found

    def _note_standards(self, rows: Sequence[int]) -> None:
        """The standard uncertainties, one for all where it is the same everywhere."""
        column, memo = self.column, dict[tuple[str, str, str, str], str | None]()
        relative = any(effect.relative for gauge in self.bench.instruments.values() for effect in gauge.effects)
        same = all(isinstance(cells, RepeatedText) for cells in (column.standards, column.instruments, column.units))
        if same and not relative and len(rows) == len(self.pieces):
            self.standards = (self._standard(rows[0]),)
            return
        found: list[str | None] = [None] * len(self.pieces)
        for row in rows:
            value = column.values[row] if relative else ""
            key = (value, column.units[row], column.standards[row], column.instruments[row])
            if key not in memo:
                memo[key] = self._standard(row)
            found[row] = memo[key]
        self.standards = found[:1] if len(set(found)) == 1 else found

    def _standard(self, row: int) -> str | None:
        return short(self.bench.measured(self._reading(row), self.clause).standard_uncertainty)

    # Words

    def observe(self, words: Mapping[int, str]) -> None:
        """Judge the cells that are answers."""
        known: dict[tuple[str, str], Nonconformity | None] = {}
        self.seen += len(words)
        values = list(self.values) if words else []
        for row, word in words.items():
            key = (word, self.column.confidences[row] if self.column.confidences else "")
            if key not in known:
                known[key] = self._answered(row, word)
            values[row] = word
            if (odd := known[key]) is not None:
                self.odd[row] = odd
        self.values = values or self.values

    def _answered(self, row: int, word: str) -> Nonconformity | None:
        if answer_to(self.clause, word) is None:
            said = ", ".join(self.clause.answers)
            facts = {"characteristic": self.clause.characteristic, "words": said, "reading": word[:40]}
            raise BadInput("answered-otherwise", where=self.column.place(row), **facts)
        seen = observation_of(replace(self._reading(row), value=word))
        return _odd_of(judge_clause(self.clause, Evidence.of((), (seen,)), self.bench.rule)[0])

    # The whole

    def leave_open(self) -> None:
        """A piece without a value does not conform by silence."""
        if self.seen == len(self.pieces):
            return
        open_piece = Nonconformity(Verdict.UNDECIDED, Reason.NOT_MEASURED)
        self.odd.update({row: open_piece for row, value in enumerate(self.values) if value is None})

    def judged(self, limits: Limits | None) -> JudgedCharacteristic:
        """What came of it."""
        counts = Counter(odd.verdict for odd in self.odd.values())
        looked_at = self.seen + sum(self.values[row] is None for row in self.odd)
        counts[Verdict.CONFORMS] = looked_at - len(self.odd)
        in_order = dict(sorted(self.odd.items()))
        return JudgedCharacteristic(
            self.clause, limits, tuple(self.values), tuple(self.standards), counts, in_order, tuple(self.gauges)
        )


def _odd_of(finding: Finding) -> Nonconformity | None:
    if finding.verdict is Verdict.CONFORMS:
        return None
    measurement, seen = finding.measurement, finding.observation
    value = f"{measurement.value:f}" if measurement else seen.value if seen else None
    standard = short(measurement.standard_uncertainty) if measurement else None
    probability = None if finding.probability is None else round(finding.probability, 6)
    return Nonconformity(finding.verdict, finding.reason, value, standard, probability)


def short(number: Decimal | None) -> str | None:
    """A standard uncertainty as a record has it."""
    return None if number is None else f"{Decimal(f'{number:.{_SIGNIFICANT - 1}e}').normalize():f}"


def _seed(ordered: Floats, clause: Clause) -> int:
    """The reading that conforms if any does: in the middle between the limits, or the farthest from a single one."""
    limits = clause.limits
    assert limits is not None
    lower, upper = lower_of(limits), upper_of(limits)
    if lower is None or upper is None:
        return 0 if lower is None else len(ordered) - 1
    return int(np.argmin(np.abs(ordered - float((lower + upper) / 2))))


def _interval(count: int, seed: int, conforms: Callable[[int], bool]) -> tuple[int, int] | None:
    """The first and the last of ordered readings that conform, found by halving from one that does."""
    if not conforms(seed):
        return None
    last = seed + bisect_left(range(seed + 1, count), True, key=lambda place: not conforms(place))
    return bisect_left(range(seed), True, key=conforms), last
