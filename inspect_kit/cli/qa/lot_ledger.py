"""The ledger of `qa lot`: the lots before tell how this one is inspected, and it is added to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from inspect_kit.atomic_write import write_whole
from inspect_kit.cli.options import Given
from inspect_kit.cli.qa.words import word_of
from inspect_kit.cli.terminal import said, warn
from inspect_kit.errors import UsageError
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.given import plain_number
from inspect_kit.quality.lot.file import LotFile
from inspect_kit.quality.lot.judge import DefectClass, JudgedClass, LotOutcome
from inspect_kit.quality.sampling import switching
from inspect_kit.quality.sampling.attributes import Severity
from inspect_kit.quality.sampling.class_ledger import ClassLedger, read_class_ledger
from inspect_kit.quality.sampling.variables import Standard
from inspect_kit.quality.sampling.variables_ledger import add_measured, read_variables_ledger, variables_ledger_text


@dataclass(frozen=True, slots=True)
class LedgerBook:
    """The lots before this one; `entered` where the ledger has this very lot already."""

    lots: switching.LotSeries | ClassLedger
    readings: str
    entered: bool = False

    def severity(self, name: str = "") -> Severity:
        """How this lot is to be inspected, or a class of defects on it."""
        if isinstance(self.lots, switching.LotSeries):
            return self.lots.state.severity
        return self.lots.of(name).state.severity


def ledger_book(given: Given, file: LotFile, classes: Iterable[DefectClass]) -> LedgerBook | None:
    """The ledger as it stood before this lot: a lot that is looked at twice is one lot."""
    lots = _read(given, tuple(classes))
    if lots is None:
        return None
    if lots.lots and given["severity"]:
        raise UsageError("ledger-tells-severity")
    before = lots.before(file.digest)
    if before is not None:
        return LedgerBook(before, file.digest, entered=True)
    for series in [lots] if isinstance(lots, switching.LotSeries) else map(lots.of, lots.schemes):
        switching.refuse_stopped(series.state)
    _refuse_name(lots.lots, given)
    return LedgerBook(lots, file.digest)


def _read(given: Given, classes: tuple[DefectClass, ...]) -> switching.LotSeries | ClassLedger | None:
    path, start = given["ledger"], Severity(given["severity"] or "normal")
    if path is None or (given["aql"] is None and not classes):
        return None
    if classes:
        return read_class_ledger(path, {each.name: _scheme(given, each.aql) for each in classes}, start)
    return (read_variables_ledger if given["variables"] else switching.read_ledger)(path, _scheme(given), start)


def _refuse_name(lots: Iterable[switching.JudgedLot], given: Given) -> None:
    known = given["subject"] and any(lot.presented.name == given["subject"] for lot in lots)
    if known and not given["resubmitted"]:
        raise UsageError("ledger-other-readings", where=str(given["ledger"]), subject=given["subject"][:60])


def _scheme(given: Given, aql: Decimal | None = None) -> switching.Scheme:
    """What was agreed for a class of defects with an AQL of its own, or for the whole lot."""
    usual = "IV" if aql is None and given["variables"] and given["table"] == Standard.MIL_414 else "II"
    agreed = plain_number(given["aql"], "--aql") if aql is None else aql
    return switching.Scheme(agreed, given["level"] or usual, given["allow_reduced"])


def keep_lot(outcome: LotOutcome, book: LedgerBook, given: Given, name: str) -> None:
    """Add the lot, if it was decided: an open lot is inspected again, not counted."""
    if book.entered:
        warn(said("ledger-has-lot"))
        return
    if outcome.verdict is Verdict.UNDECIDED:
        warn(said("ledger-without-lot"))
        return
    lot = switching.PresentedLot(outcome.plan.size, 0, name, book.readings, given["resubmitted"])
    if isinstance(book.lots, ClassLedger):
        _keep_classes(outcome, book.lots, given, lot)
    else:
        _keep_one(outcome, book.lots, given, lot)


def _keep_one(outcome: LotOutcome, lots: switching.LotSeries, given: Given, lot: switching.PresentedLot) -> None:
    scheme = _scheme(given)
    if given["variables"]:
        kept = add_measured(lots, scheme, lot, accepted=outcome.verdict is Verdict.CONFORMS)
        text = variables_ledger_text(kept, scheme)
    else:
        kept = lots.add(scheme, replace(lot, found=_found(outcome)))
        text = switching.ledger_text(kept, scheme)
    write_whole(given["ledger"], text.encode())
    _tell_next(kept.lots[-1])


def _keep_classes(outcome: LotOutcome, lots: ClassLedger, given: Given, lot: switching.PresentedLot) -> None:
    """Every class that was decided; on a refused lot one may have stayed open, and is not counted."""
    for each in outcome.classes:
        of = each.plan.of.name
        if each.verdict is Verdict.UNDECIDED:
            warn(f"{word_of('class', of)}: {said('ledger-without-lot')}")
            continue
        lots = lots.add(of, replace(lot, found=_found(each), inspected=outcome.plan.sample))
        _tell_next(lots.rows[-1][1], of)
    write_whole(given["ledger"], lots.text().encode())


def _found(judged: LotOutcome | JudgedClass) -> int:
    """Pieces that count against it; those that are open are counted too where even they leave it accepted."""
    return judged.failed + (judged.undecided if judged.verdict is Verdict.CONFORMS else 0)


def _tell_next(judged: switching.JudgedLot, of: str = "") -> None:
    if judged.because:
        severity = word_of("severity", judged.after.severity.value)
        told = said("next-severity", severity=severity, reason=judged.because)
        warn(f"{word_of('class', of)}: {told}" if of else told)
