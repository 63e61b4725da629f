"""Lots for tests: a sheet's coins, judged and recorded."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path

from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.walk import Task
from inspect_kit.judgement.rules import RuleName
from inspect_kit.quality.lot.column import ReadingDefaults
from inspect_kit.quality.lot.file import WantedCharacteristics, read_lot
from inspect_kit.quality.lot.judge import LotOutcome, SamplingAgreement, judge_pieces, plan_for
from inspect_kit.quality.lot.record import ChartSettings, LotRecord, lot_record_of
from inspect_kit.rulebook.library import load

DIAMETER, MASS = "coin.diameter", "coin.mass"
SUBJECT = Subject(
    "Lot 2026-11-A", "Drechslerei Müller & Söhne", place="Praha", inspector="Růžena Řeháčková",
    issuer="Czech Carrom Association",
)  # fmt: skip


def task(rule: RuleName = RuleName.GUARDED, folders: tuple[Path, ...] = ()) -> Task:
    sheet = load("icf-cs")
    return Task(sheet, sheet.item("coin-set"), rule, date(2026, 11, 16), folders)


def diameters(count: int, seed: int = 3) -> list[str]:
    source = random.Random(seed)
    return [f"{source.gauss(31.0, 0.16):.2f}" for _ in range(count)]


def wide(path: Path, rows: Iterable[Iterable[object]], head: str = f"piece,{DIAMETER} [mm],{MASS} [g]") -> Path:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


def judged(
    path: Path,
    *names: str,
    size: int = 0,
    agreed: SamplingAgreement | None = None,
    rule: RuleName = RuleName.GUARDED,
    u: str = "0.01",
) -> LotOutcome:
    file = read_lot(path, WantedCharacteristics(names or (DIAMETER,)))
    return judge_pieces(
        task(rule), file, plan_for(size or len(file.pieces), agreed or SamplingAgreement()), ReadingDefaults(u)
    )


def coins(folder: Path, count: int = 80, bad: Iterable[tuple[int, str]] = ((41, "31.95"),)) -> Path:
    """A wide file of coins of which some are set to a value."""
    values = diameters(count)
    for place, value in bad:
        values[place - 1] = value
    masses = [f"{5.30 + 0.01 * (number * 7 % 16):.2f}" for number in range(count)]
    rows = [(f"A-{number:03}", value, mass, (number - 1) // 5 + 1)
            for number, (value, mass) in enumerate(zip(values, masses, strict=True), 1)]  # fmt: skip
    return wide(folder / "coins.csv", rows, f"piece,{DIAMETER} [mm],{MASS} [g],tray")


def accepted(folder: Path, *, subgroup: str = "") -> LotRecord:
    """A sample of 80 from 500 with one bad coin, which Ac 2 allows."""
    outcome = judged(coins(folder), DIAMETER, MASS, size=500, agreed=SamplingAgreement(Decimal("1.0"), "III"))
    return lot_record_of(outcome, SUBJECT, ChartSettings(subgroup, "nelson", "stated"))


def refused(folder: Path) -> LotRecord:
    """Every piece inspected, two of them bad and one in the guard band."""
    outcome = judged(coins(folder, 40, ((3, "31.95"), (17, "30.05"), (20, "31.79"))), DIAMETER, MASS)
    return lot_record_of(outcome, SUBJECT, ChartSettings("", "nelson", "stated"))
