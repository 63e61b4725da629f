"""The ledger of `qa lot`: the lots before tell how this one is inspected, and it is added to them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from inspect_kit.atomic_write import write_whole
from inspect_kit.cli.options import Given
from inspect_kit.cli.qa.options import word_of
from inspect_kit.cli.terminal import said, warn
from inspect_kit.errors import UsageError
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.lot.file import LotFile
from inspect_kit.quality.lot.judge import DefectClass, JudgedClass, LotOutcome
from inspect_kit.quality.sample import plain_number
from inspect_kit.quality.sampling import attributes
from inspect_kit.quality.sampling.attributes import Severity
from inspect_kit.quality.sampling.ledger import WHOLE, Ledger, read_ledger
from inspect_kit.quality.sampling.variables import Standard


@dataclass(frozen=True, slots=True)
class LedgerBook:
    """The lots before this one; `entered` where the ledger has this very lot already."""

    lots: Ledger
    readings: str
    entered: bool = False

    def severity(self, name: str = WHOLE) -> Severity:
        """How this lot is to be inspected, or a class of defects on it."""
        return self.lots.state(name).severity


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
    for name in lots.schemes:
        attributes.refuse_stopped(lots.state(name))
    _refuse_name(lots.lots, given)
    return LedgerBook(lots, file.digest)


def _read(given: Given, classes: tuple[DefectClass, ...]) -> Ledger | None:
    path, start = given["ledger"], Severity(given["severity"] or "normal")
    if path is None or (given["aql"] is None and not classes):
        return None
    schemes = {each.name: _scheme(given, each.aql) for each in classes} or {WHOLE: _scheme(given)}
    return read_ledger(path, schemes, start, measured=bool(given["variables"]) and not classes)


def _refuse_name(lots: Iterable[attributes.JudgedLot], given: Given) -> None:
    known = given["subject"] and any(lot.presented.name == given["subject"] for lot in lots)
    if known and not given["resubmitted"]:
        raise UsageError("ledger-other-readings", where=str(given["ledger"]), subject=given["subject"][:60])


def _scheme(given: Given, aql: Decimal | None = None) -> attributes.Scheme:
    """What was agreed for a class of defects with an AQL of its own, or for the whole lot."""
    usual = "IV" if aql is None and given["variables"] and given["table"] == Standard.MIL_414 else "II"
    agreed = plain_number(given["aql"], "--aql") if aql is None else aql
    return attributes.Scheme(agreed, given["level"] or usual, given["allow_reduced"])


def keep_lot(outcome: LotOutcome, book: LedgerBook, given: Given, name: str) -> None:
    """Add the lot, if it was decided: an open lot is inspected again, not counted."""
    if book.entered:
        warn(said("ledger-has-lot"))
        return
    if outcome.verdict is Verdict.UNDECIDED:
        warn(said("ledger-without-lot"))
        return
    lot = attributes.PresentedLot(outcome.plan.size, 0, name, book.readings, given["resubmitted"])
    write_whole(given["ledger"], _kept(outcome, book.lots, lot).text().encode())


def _kept(outcome: LotOutcome, lots: Ledger, lot: attributes.PresentedLot) -> Ledger:
    """Every class that was decided; on a refused lot one may have stayed open, and is not counted."""
    if lots.measured:
        return _told(lots.add(lot, by_values=outcome.verdict is Verdict.CONFORMS))
    if WHOLE in lots.schemes:
        return _told(lots.add(replace(lot, found=_found(outcome))))
    for each in outcome.classes:
        of = each.plan.of.name
        if each.verdict is Verdict.UNDECIDED:
            warn(f"{word_of('class', of)}: {said('ledger-without-lot')}")
        else:
            lots = _told(lots.add(replace(lot, found=_found(each), inspected=outcome.plan.sample), of))
    return lots


def _found(judged: LotOutcome | JudgedClass) -> int:
    """Pieces that count against it; those that are open are counted too where even they leave it accepted."""
    return judged.failed + (judged.undecided if judged.verdict is Verdict.CONFORMS else 0)


def _told(lots: Ledger) -> Ledger:
    """The same, after saying how the next lot is inspected if that has changed."""
    of, judged = lots.rows[-1]
    if judged.because:
        severity = word_of("severity", judged.after.severity.value)
        told = said("next-severity", severity=severity, reason=judged.because)
        warn(f"{word_of('class', of)}: {told}" if of else told)
    return lots
