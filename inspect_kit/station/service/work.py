"""What the service does: judges what is sent, enters it in the registry, and tells verdicts and trends."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from threading import Lock
from typing import Any, Final

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.certificate.issue.issue import summary_of
from inspect_kit.errors import InspectKitError, UsageError, nearest
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import Line, Record, Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.quality.drawing import rendered
from inspect_kit.quality.lot.column import ReadingDefaults
from inspect_kit.quality.lot.file import WantedCharacteristics, read_lot
from inspect_kit.quality.lot.judge import SamplingAgreement, clauses_for, judge_pieces, plan_for, recorded_besides
from inspect_kit.quality.lot.record import LotRecord, lot_record_of
from inspect_kit.quality.sampling.attributes import Severity
from inspect_kit.quality.trend import FaultCount, RecordedSeries, Trend, TrendQuestion, pareto, trend_data, trends
from inspect_kit.quality.trend_drawing import trend_drawing
from inspect_kit.registry import inspections
from inspect_kit.registry.log.tree import log_size
from inspect_kit.registry.opening import Registry
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.values.quantity import parse_number

Asked = Mapping[str, str]
"""The parameters of a request."""
KINDS: Final = {"application/json": ".json", "text/csv": ".csv", "application/x-ndjson": ".jsonl"}
"""Types of content that are understood, each with the file name's ending that it stands for."""
BODY: Final = "body"
"""What the content of a request is called in a sentence."""
_LISTED: Final = ("verdict", "inspected_on", "subject", "owner", "item", "sheet", "rule", "inspector")
_WIDE: Final = (9.0, 5.2)
"""Inches of a drawing on a screen of a computer."""
_NARROW: Final = (4.5, 6.3)
"""Inches of a drawing on a phone: its letters stay as large as those beside it."""
_MOST_LISTED: Final = 1_000
"""Inspections in one answer."""
_MOST_PIECES: Final = 500
"""Nonconforming pieces in one answer."""


class NotThere(InspectKitError):
    """What was asked for by its number is not in the registry."""


@dataclass(frozen=True, slots=True)
class TrendNames:
    """What characteristics and the reasons of faults are called in a reader's language."""

    language: str
    name: Callable[[str], str]
    reason: Callable[[str], str]

    def fault(self, found: FaultCount) -> FaultCount:
        """A fault as the reader calls it."""
        return replace(found, characteristic=self.name(found.characteristic), reason=self.reason(found.reason))


@dataclass(slots=True)
class Service:
    """One running service. What the records yield is remembered until the registry has grown."""

    home: Path
    registry: Registry
    now: Callable[[], datetime]
    _drawing: Lock = field(default_factory=Lock)
    _yields: dict[inspections.KeptQuery, tuple[int, tuple[RecordedSeries, ...]]] = field(default_factory=dict)

    def measured(self, body: bytes, kind: str, asked: Asked) -> dict[str, object]:
        """Judge one thing, enter it, and tell the findings."""
        task = self._task(asked)
        found = _with_file(body, kind, read_measurements)
        record = record_of(inspect(task, [found]), _subject(asked))
        return {**self._entered(record, body), "findings": [_finding(line) for line in record.lines]}

    def lot(self, body: bytes, kind: str, asked: Asked, characteristics: Sequence[str]) -> dict[str, object]:
        """Judge a lot, enter it, and tell what was found."""
        task = self._task(asked)
        names = tuple(clause.characteristic for clause in clauses_for(task, tuple(characteristics)))
        besides = recorded_besides(task, names)
        wanted = WantedCharacteristics(names, bool(characteristics), besides)
        file = _with_file(body, kind, lambda path: read_lot(path, wanted))
        plan = plan_for(_count(asked.get("lot", "")) or len(file.pieces), _agreed(asked))
        outcome = judge_pieces(
            task, file, plan, ReadingDefaults(asked.get("u", ""), asked.get("instrument", "")), besides
        )
        record = lot_record_of(outcome, _subject(asked))
        return {**self._entered(record, body), **_lot_data(record)}

    def _entered(self, record: Record, body: bytes) -> dict[str, object]:
        each = inspections.Inspection(summary_of(record), record.canonical(), body)
        new = inspections.enter(self.registry, [each], self.now())
        return {
            "id": inspections.entry_of(self.registry, record.digest), "new": bool(new), "verdict": record.verdict,
            "digest": record.digest,
        }  # fmt: skip

    def _task(self, asked: Asked) -> Task:
        spec = asked.get("spec", "")
        if spec not in sheet_ids():
            # By its id only: a path would let whoever asks read files of this machine.
            raise UsageError("no-sheet-called", where="spec", hint=nearest(spec, sheet_ids()), name=spec[:40])
        sheet = load(spec)
        rule = _chosen(asked.get("rule", "guarded"), [rule.value for rule in RuleName], "rule")
        on = _day(asked.get("on", "")) or self.now().date()
        folders = (self.home / "instruments",)
        return Task(sheet, sheet.item(asked.get("item", "")), RuleName(rule), on, folders, self.home)

    def verdicts(self, asked: Asked) -> list[dict[str, object]]:
        """Inspections without a certificate, the newest first."""
        sought = inspections.InspectionQuery(asked.get("subject", ""), asked.get("spec", ""), asked.get("verdict", ""))
        limit = min(_count(asked.get("limit", "")) or 100, _MOST_LISTED)
        rows = self.registry.ask(inspections.uncertified, sought, limit)
        return [{"id": row["entry"], **{name: row[name] for name in _LISTED}} for row in rows]

    def verdict(self, entry: int) -> dict[str, object]:
        """One inspection with its whole record."""
        import json

        kept = inspections.kept_record(self.registry, entry)
        if kept is None:
            raise NotThere("entry-not-here", where=str(entry))
        return {
            "id": kept.entry, "number": kept.number or None, "verdict": kept.verdict, "subject": kept.subject,
            "item": kept.item, "inspected_on": kept.inspected_on, "record": json.loads(kept.content),
        }  # fmt: skip

    def trends(self, asked: Asked) -> dict[str, object]:
        """The trends that are asked for."""
        question, found, faults = self._trends(asked)
        return trend_data(found, faults, question)

    def drawn(self, asked: Asked, words: TrendNames) -> bytes:
        """The first trend that is asked for, as SVG."""
        _, found, faults = self._trends(asked)
        measured = [each for each in found if any(point.n for point in each.points)]
        if not measured:
            raise NotThere("nothing-draw")
        first = measured[0]
        mine = [words.fault(fault) for fault in faults if fault.characteristic == first.characteristic]
        named = replace(first, characteristic=words.name(first.characteristic))
        with self._drawing:
            narrow = bool(asked.get("narrow"))
            draw = trend_drawing(named, mine, narrow=narrow)
            return rendered(draw, "svg", _NARROW if narrow else _WIDE, words.language)

    def _trends(self, asked: Asked) -> tuple[TrendQuestion, tuple[Trend, ...], tuple[FaultCount, ...]]:
        names = tuple(filter(None, [asked.get("characteristic", "")]))
        question = TrendQuestion(names, asked.get("period", "") or "month", asked.get("by", ""))
        days = (_day(asked.get(name, "")) for name in ("since", "until"))
        since, until = (day.isoformat() if day else "" for day in days)
        kept = self._kept(inspections.KeptQuery(since, until, asked.get("spec", ""), asked.get("item", "")))
        return question, trends(kept, question), pareto(kept, question)

    def _kept(self, query: inspections.KeptQuery) -> tuple[RecordedSeries, ...]:
        newest = self.registry.ask(log_size)
        there = self._yields.get(query)
        if there is None or there[0] != newest:
            there = newest, inspections.kept_yields(self.registry, query)
            # Few questions are asked again and again; the others need not be remembered.
            self._yields = dict([*list(self._yields.items())[-7:], (query, there)])
        return there[1]


def _with_file(body: bytes, kind: str, read: Callable[[Path], Any]) -> Any:
    """What a reader of files makes of the body."""
    ending = KINDS.get(kind.partition(";")[0].strip().lower())
    if ending is None:
        raise UsageError("content-not-understood", where="Content-Type", kind=kind[:60], kinds=", ".join(KINDS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{BODY}{ending}"
        path.write_bytes(body)
        return read(path)


def _subject(asked: Asked) -> Subject:
    text = clean(asked.get("subject", ""), where="subject", needed=True)
    owner, inspector = (clean(asked.get(name, ""), where=name) for name in ("owner", "inspector"))
    return Subject(text, owner, inspector=inspector)


def _agreed(asked: Asked) -> SamplingAgreement:
    aql = asked.get("aql", "")
    severity = _chosen(asked.get("severity", "normal"), [each.value for each in Severity], "severity")
    if not aql:
        return SamplingAgreement()
    return SamplingAgreement(parse_number(aql), asked.get("level", ""), Severity(severity))


def _chosen(word: str, known: Sequence[str], where: str) -> str:
    if word not in known:
        raise UsageError("is-one-of", where=where, known=", ".join(known), word=word[:30])
    return word


def _count(text: str) -> int:
    if not text:
        return 0
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise UsageError("no-number-of-pieces", text=text[:20])
    return int(text)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError("not-a-day", text=text[:20]) from None


def _finding(line: Line) -> dict[str, object]:
    return {
        "clause": line.clause, "characteristic": line.characteristic, "instance": line.instance,
        "verdict": line.verdict, "reason": line.reason, "value": _number(line.value), "unit": line.unit,
        "u": _number(line.u), "lower": _number(line.lower), "upper": _number(line.upper),
        "probability": line.probability, **({"observed": line.word} if line.word is not None else {}),
    }  # fmt: skip


def _number(text: str | None) -> float | None:
    return None if text is None else float(Decimal(text))


def _lot_data(record: LotRecord) -> dict[str, object]:
    lot, plan = record.lot, record.lot.plan
    return {
        "lot": lot.size, "inspected": lot.inspected, "not_inspected": lot.lacking, "failed": lot.failed,
        "undecided": lot.undecided,
        "plan": {"kind": plan.kind, "n": plan.sample, "ac": plan.accept, "re": plan.reject},
        "nonconforming": [
            {"piece": piece.piece, "characteristic": piece.characteristic, "verdict": piece.verdict,
             "reason": piece.reason, "value": piece.value}
            for piece in lot.nonconforming[:_MOST_PIECES]
        ],
    }  # fmt: skip
