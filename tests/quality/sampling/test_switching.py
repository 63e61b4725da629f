"""Switching rules from lot to lot, and the ledger that keeps them."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import pytest

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.sampling.attributes import PresentedLot, Scheme, Severity, may_be_reduced
from inspect_kit.quality.sampling.ledger import WHOLE, Ledger
from inspect_kit.quality.sampling.ledger import read_ledger as read_ledger_of

SCHEME = Scheme(Decimal("1.0"))
AGREED = Scheme(Decimal("1.0"), reduced_allowed=True)
LOT = 1000
"""Code letter J: normal 80, 2/3; tightened 80, 1/2; reduced 32, 1/3."""


def judge_series(
    scheme: Scheme, lots: Iterable[PresentedLot | tuple[int, int]], start: Severity = Severity.NORMAL
) -> Ledger:
    """Judge lots (size, nonconforming pieces found) one after the other, switching as the rules say."""
    ledger = Ledger({WHOLE: scheme}, {WHOLE: start})
    for lot in lots:
        ledger = ledger.add(lot if isinstance(lot, PresentedLot) else PresentedLot(*lot))
    return ledger


def read_ledger(path: Path, scheme: Scheme, *, measured: bool = False) -> Ledger:
    return read_ledger_of(path, {WHOLE: scheme}, measured=measured)


def severities(scheme: Scheme, found: list[int]) -> list[Severity]:
    series = judge_series(scheme, [(LOT, number) for number in found])
    return [*(judged.severity for judged in series.lots), series.state().severity]


N, T, R = Severity.NORMAL, Severity.TIGHTENED, Severity.REDUCED


def test_two_refused_of_five_tighten() -> None:
    assert severities(SCHEME, [3, 0, 0, 0, 0, 3]) == [N, N, N, N, N, N, N]
    assert severities(SCHEME, [0, 3, 0, 0, 3]) == [N, N, N, N, N, T]
    assert severities(SCHEME, [3, 3]) == [N, N, T]


def test_five_accepted_in_a_row_bring_normal_back() -> None:
    assert severities(SCHEME, [3, 3, 0, 1, 0, 0, 0]) == [N, N, T, T, T, T, T, N]
    assert severities(SCHEME, [3, 3, 0, 0, 2, 0, 0, 0, 0, 0])[-2:] == [T, N]


def test_lots_before_a_switch_do_not_count_after_it() -> None:
    assert severities(SCHEME, [3, 3, 0, 0, 0, 0, 0, 3])[-1] is N


def test_five_refused_on_tightened_stop_the_inspection() -> None:
    series = judge_series(SCHEME, [(LOT, number) for number in (3, 3, 2, 0, 2, 0, 2, 2, 2)])
    assert series.state().stopped
    with pytest.raises(UsageError, match="stopped"):
        judge_series(SCHEME, [(LOT, number) for number in (3, 3, 2, 2, 2, 2, 2, 0)])


def test_a_score_of_thirty_reduces_where_it_is_agreed() -> None:
    # Ac is 2, so a lot counts 3 if the next tighter AQL, 0.65 with Ac 1, would have accepted it: ten lots.
    assert severities(AGREED, [1] * 10) == [N] * 10 + [R]
    assert severities(SCHEME, [1] * 10) == [N] * 11
    assert may_be_reduced(SCHEME, judge_series(SCHEME, [(LOT, 0)] * 10).state())
    assert not may_be_reduced(SCHEME, judge_series(SCHEME, [(LOT, 0)] * 9).state())


def test_a_lot_that_passes_only_just_resets_the_score() -> None:
    assert severities(AGREED, [1] * 9 + [2] + [1] * 9)[-1] is N


def test_with_an_acceptance_number_of_zero_fifteen_lots_are_needed() -> None:
    scheme = Scheme(Decimal("0.15"), reduced_allowed=True)
    assert severities(scheme, [0] * 14)[-1] is N
    assert severities(scheme, [0] * 15)[-1] is R


@pytest.mark.parametrize(("found", "accepted"), [(2, True), (3, False)])
def test_more_than_ac_on_reduced_brings_normal_back_even_if_the_lot_is_accepted(found: int, accepted: bool) -> None:
    series = judge_series(AGREED, [*[(LOT, 0)] * 10, (LOT, 1), (LOT, found)])
    assert [judged.severity for judged in series.lots[-2:]] == [R, R]
    assert series.lots[-1].accepted is accepted
    assert series.state().severity is N


def test_more_than_the_sample_cannot_be_found_unless_nonconformities_are_counted() -> None:
    with pytest.raises(UsageError, match="sample"):
        judge_series(SCHEME, [(LOT, 81)])
    assert not judge_series(Scheme(Decimal(100)), [(10, 40)]).lots[0].accepted


def test_a_ledger_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "lots.csv"
    series = judge_series(SCHEME, [(LOT, number) for number in (3, 3, 0, 1)])
    path.write_text(series.text())
    assert read_ledger(path, SCHEME) == series


def test_a_ledger_that_is_not_there_is_a_new_series(tmp_path: Path) -> None:
    assert read_ledger(tmp_path / "none.csv", SCHEME) == Ledger({WHOLE: SCHEME}, {WHOLE: N})


def test_a_series_begun_tightened_is_read_back_tightened(tmp_path: Path) -> None:
    path = tmp_path / "lots.csv"
    path.write_text(judge_series(SCHEME, [(LOT, 0)], Severity.TIGHTENED).text())
    assert read_ledger(path, SCHEME).lots[0].severity is Severity.TIGHTENED


@pytest.mark.parametrize(
    "change", [(",no,", ",yes,"), ("tightened", "normal"), (",80,", ",32,"), ("1.0", "1.5"), ("1000,3", "1000,900")]
)
def test_a_ledger_that_was_changed_is_refused(tmp_path: Path, change: tuple[str, str]) -> None:
    path = tmp_path / "lots.csv"
    text = judge_series(SCHEME, [(LOT, 3), (LOT, 3), (LOT, 0)]).text()
    path.write_text(text.replace(*change))
    with pytest.raises(BadInput, match=r"lots\.csv"):
        read_ledger(path, SCHEME)


def test_a_ledger_that_went_through_a_spreadsheet_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "lots.csv"
    text = judge_series(SCHEME, [(LOT, 0)]).text()
    path.write_text(text.replace(",1.0,", ",1,").replace(",", ";"))
    assert len(read_ledger(path, SCHEME).lots) == 1


def test_a_ledger_needs_only_lot_and_found(tmp_path: Path) -> None:
    path = tmp_path / "lots.csv"
    path.write_text("lot,found\n1000,0\n1000,3\n")
    assert [judged.accepted for judged in read_ledger(path, SCHEME).lots] == [True, False]


def measured_ledger() -> Ledger:
    ledger = Ledger({WHOLE: SCHEME}, {WHOLE: N}, measured=True)
    for accepted in (False, False, True):
        ledger = ledger.add(PresentedLot(LOT, 0), by_values=accepted)
    return ledger


def test_a_ledger_of_measured_lots_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "lots.csv"
    path.write_text(measured_ledger().text())
    assert read_ledger(path, SCHEME, measured=True) == measured_ledger()
    assert measured_ledger().state().severity is T


@pytest.mark.parametrize("change", [(",no,", ",yes,"), (",no,", ",perhaps,"), ("tightened", "normal"), ("1.0", "1.5")])
def test_a_ledger_of_measured_lots_that_was_changed_is_refused(tmp_path: Path, change: tuple[str, str]) -> None:
    path = tmp_path / "lots.csv"
    path.write_text(measured_ledger().text().replace(*change))
    with pytest.raises(BadInput, match=r"lots\.csv: line"):
        read_ledger(path, SCHEME, measured=True)


def test_a_ledger_of_counted_lots_is_not_gone_on_with_by_measured_values(tmp_path: Path) -> None:
    path = tmp_path / "lots.csv"
    path.write_text(judge_series(SCHEME, [(LOT, 0)]).text())
    with pytest.raises(BadInput, match=r"lots\.csv: line 2"):
        read_ledger(path, SCHEME, measured=True)
