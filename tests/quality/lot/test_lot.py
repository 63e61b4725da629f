from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.quality.batch.lines import Heading, canonical
from inspect_kit.quality.lot.column import ReadingDefaults
from inspect_kit.quality.lot.file import LotFile, WantedCharacteristics, read_lot
from inspect_kit.quality.lot.judge import (
    LotPlan,
    Sampling,
    SamplingAgreement,
    clauses_for,
    decided,
    judge_pieces,
    plan_for,
)
from inspect_kit.quality.lot.record import ChartSettings, lot_record_of, open_lot_record
from inspect_kit.quality.lot.study import studies_of
from inspect_kit.quality.sampling.attributes import Severity
from tests.quality.lot.lots import DIAMETER, MASS, SUBJECT, accepted, coins, diameters, judged, refused, task, wide

BOTH = WantedCharacteristics((DIAMETER, MASS))


def values(file: LotFile, name: str = DIAMETER) -> list[str | None]:
    return [value or None for value in file.columns[name].values]


# Files


def test_a_wide_table_has_a_row_a_piece_and_a_column_a_characteristic(tmp_path: Path) -> None:
    file = read_lot(wide(tmp_path / "lot.csv", [("A1", 31.02, 5.3), ("A2", 31.1, 5.31)]), BOTH)
    assert file.pieces == ("A1", "A2")
    assert values(file) == ["31.02", "31.1"]
    assert set(file.columns[MASS].units) == {"g"}


def test_a_long_table_says_the_same_as_the_wide_one(tmp_path: Path) -> None:
    rows = [(MASS, "A2", "5.31"), (DIAMETER, "A1", "31.02"), (DIAMETER, "A2", "31.1"), (MASS, "A1", "5.3")]
    path = wide(tmp_path / "long.csv", rows, "characteristic,instance,value")
    file = read_lot(path, BOTH)
    assert file.pieces == ("A1", "A2")
    assert values(file, MASS) == ["5.3", "5.31"]


def test_a_measurement_file_in_json_is_a_lot(tmp_path: Path) -> None:
    entries = [{"characteristic": DIAMETER, "instance": str(n), "value": 31 + n / 100, "unit": "mm"} for n in (1, 2)]
    path = tmp_path / "lot.json"
    path.write_text(json.dumps({"format": 1, "measurements": entries}))
    assert values(read_lot(path, WantedCharacteristics((DIAMETER,)))) == ["31.01", "31.02"]


def test_what_batch_wrote_is_a_lot_of_all_trays(tmp_path: Path) -> None:
    def tray(name: str, value: float) -> bytes:
        entry = {"characteristic": DIAMETER, "instance": "1", "value": value, "unit": "mm", "u": 0.02}
        return canonical({"photo": f"trays/{name}", "size": 1, "result": {"format": 1, "measurements": [entry]}})

    path = tmp_path / "trays.jsonl"
    bad = canonical({"photo": "trays/c.jpg", "size": 1, "error": "is blurred"})
    path.write_bytes(Heading("coins").line() + tray("a.jpg", 31.02) + tray("b.jpg", 31.04) + bad)
    file = read_lot(path, WantedCharacteristics((DIAMETER,)))
    assert file.pieces == ("a 1", "b 1", "c")
    assert file.missed == ("c",)
    assert values(file) == ["31.02", "31.04", None]
    assert file.warnings == ("trays/c.jpg: not measured: is blurred",)


def test_trays_of_the_same_name_in_two_folders_stay_apart(tmp_path: Path) -> None:
    def tray(name: str) -> bytes:
        entry = {"characteristic": DIAMETER, "instance": "1", "value": 31, "unit": "mm", "u": 0.02}
        return canonical({"photo": name, "size": 1, "result": {"format": 1, "measurements": [entry]}})

    path = tmp_path / "trays.jsonl"
    path.write_bytes(Heading("coins").line() + tray("mon/IMG_1.jpg") + tray("tue/IMG_1.jpg") + tray("tue/IMG_2.jpg"))
    assert read_lot(path, WantedCharacteristics((DIAMETER,))).pieces == ("mon/IMG_1 1", "tue/IMG_1 1", "IMG_2 1")


def test_a_column_of_values_is_enough_for_one_characteristic(tmp_path: Path) -> None:
    file = read_lot(wide(tmp_path / "lot.csv", [(31.02,), (31.1,)], "value"), WantedCharacteristics((DIAMETER,)))
    assert file.pieces == ("1", "2")
    assert values(file) == ["31.02", "31.1"]


def test_decimal_commas_and_semicolons_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "lot.csv"
    path.write_text(f"piece;{DIAMETER}\nA1;31,02\nA2;3,11 cm\n")
    outcome = judged(path)
    assert outcome.characteristics[0].values == ("31.02", "31.1")
    assert set(outcome.characteristics[0].uncertainties) == {"0.01"}


@pytest.mark.parametrize(
    ("head", "rows", "said"),
    [
        (f"piece,{DIAMETER}", [("A1", 31), ("A1", 31)], "piece A1 stands here and in line 2"),
        (f"piece,{DIAMETER}", [("", 31)], "the piece has no name"),
        (f"piece,{DIAMETER} [mm],{DIAMETER} [cm]", [("A1", 31, 3.2)], "twice in the header"),
        ("piece,coin.diametre", [("A1", 31)], "has no reading of coin.diameter"),
        (
            "characteristic,instance,value",
            [(DIAMETER, "1", 31), (DIAMETER, "1", 32)],
            "piece 1 has coin.diameter twice",
        ),
        ("characteristic,instance,value", [(DIAMETER, "1", 31), (DIAMETER, "", 32)], "names no piece"),
    ],
)
def test_a_file_that_is_not_a_lot_is_refused_in_a_sentence(
    tmp_path: Path, head: str, rows: list[tuple[object, ...]], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        read_lot(wide(tmp_path / "lot.csv", rows, head), WantedCharacteristics((DIAMETER,)))


@pytest.mark.parametrize(
    "line", [b"{", b"[]\n", b'{"photo": 3}\n', b'{"photo": "a", "result": {"format": 1, "measurements": [{"value": true}]}}\n',
             b'{"photo": "a", "size": 1e9999999999999999999999}\n', b'{"photo": "a", "result": {"format": 1, "measurements": '
             b'[{"characteristic": "coin.diameter", "value": 1e999999999}]}}\n',
             b'{"photo": "a", "result": {"format": 1, "measurements": 7}}\n', b'{"photo": "a", "result": {"format": 1, "photos": [1]}}\n'],
)  # fmt: skip
def test_a_batch_file_with_a_strange_line_is_refused(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "trays.jsonl"
    path.write_bytes(Heading("coins").line() + line)
    with pytest.raises(BadInput, match="line 2"):
        read_lot(path, WantedCharacteristics((DIAMETER,)))


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_but_never_crashes(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lot.csv"
        path.write_text(text, encoding="utf-8", errors="replace")
        try:
            read_lot(path, WantedCharacteristics((DIAMETER,)))
        except BadInput as problem:
            assert str(path) in str(problem)


# Pieces


def test_a_piece_beyond_a_limit_by_more_than_u_fails_and_is_named(tmp_path: Path) -> None:
    outcome = judged(wide(tmp_path / "lot.csv", [("A1", 31.0, 5.3), ("A2", 31.9, 5.3)]))
    assert outcome.verdict is Verdict.FAILS
    (found,) = lot_record_of(outcome, SUBJECT).lot.nonconforming
    assert (found.piece, found.reason, found.value, found.u) == ("A2", "above-upper", "31.9", "0.01")


def test_a_piece_in_the_guard_band_leaves_the_lot_undecided(tmp_path: Path) -> None:
    path = wide(tmp_path / "lot.csv", [("A1", 31.0, 5.3), ("A2", 31.79, 5.3)])
    assert judged(path).verdict is Verdict.UNDECIDED
    assert judged(path, rule=RuleName.SIMPLE).verdict is Verdict.CONFORMS


def test_a_piece_that_was_not_measured_does_not_conform_by_silence(tmp_path: Path) -> None:
    outcome = judged(wide(tmp_path / "lot.csv", [("A1", 31.0, 5.3), ("A2", "", 5.3)]), DIAMETER, MASS)
    assert outcome.verdict is Verdict.UNDECIDED
    assert outcome.characteristics[0].odd[1].reason is Reason.NOT_MEASURED


def test_without_any_uncertainty_the_guarded_rule_decides_nothing(tmp_path: Path) -> None:
    path = wide(tmp_path / "lot.csv", [("A1", 31.0, 5.3), ("A2", 31.1, 5.3)])
    outcome = judged(path, u="")
    assert {finding.reason for finding in outcome.characteristics[0].odd.values()} == {Reason.UNCERTAINTY_UNKNOWN}


def test_an_instrument_gives_the_uncertainty_and_an_expired_one_decides_nothing(tmp_path: Path) -> None:
    text = 'format = 1\nid = "gauge"\nname = "Gauge"\nkind = "caliper"\nresolution = "0.01 mm"\n'
    path = wide(tmp_path / "lot.csv", [("A1", 31.0, 5.3), ("A2", 31.1, 5.3)])
    (tmp_path / "gauge.toml").write_text(text + "calibrated_until = 2027-01-01\n")
    file = read_lot(path, WantedCharacteristics((DIAMETER,)))
    plan = plan_for(2, SamplingAgreement())
    fresh = judge_pieces(task(folders=(tmp_path,)), file, plan, ReadingDefaults(instrument="gauge"))
    assert fresh.verdict is Verdict.CONFORMS
    assert fresh.characteristics[0].instruments == ("gauge",)
    (tmp_path / "gauge.toml").write_text(text + "calibrated_until = 2025-01-01\n")
    stale = judge_pieces(task(folders=(tmp_path,)), file, plan, ReadingDefaults(instrument="gauge"))
    assert stale.verdict is Verdict.UNDECIDED
    assert {f.reason for f in stale.characteristics[0].odd.values()} == {Reason.CALIBRATION_EXPIRED}
    assert "the calibration ended on 2025-01-01" in " ".join(stale.warnings)


def test_a_piece_counts_once_however_many_characteristics_it_fails(tmp_path: Path) -> None:
    outcome = judged(wide(tmp_path / "lot.csv", [("A1", 32.5, 9.0), ("A2", 31.0, 5.3)]), DIAMETER, MASS)
    assert (outcome.failed, outcome.undecided) == (1, 0)


def test_what_the_sheet_does_not_limit_cannot_judge_a_lot() -> None:
    with pytest.raises(UsageError, match="no limits for 'coin.weight'"):
        clauses_for(task(), ["coin.weight"])


# The plan


def attributes(size: int, aql: str, level: str = "II") -> LotPlan:
    return plan_for(size, SamplingAgreement(Decimal(aql), level))


def test_a_sample_is_decided_by_the_numbers_of_its_plan() -> None:
    plan = attributes(500, "1.0", "III")
    assert (plan.sample, plan.attributes and plan.attributes.plan.accept) == (80, 2)
    assert decided(plan, 2, 0) is Verdict.CONFORMS
    assert decided(plan, 3, 0) is Verdict.FAILS


def test_open_pieces_decide_nothing_that_they_could_change() -> None:
    plan = attributes(500, "1.0", "III")
    assert decided(plan, 1, 1) is Verdict.CONFORMS
    assert decided(plan, 2, 1) is Verdict.UNDECIDED
    assert decided(plan, 3, 5) is Verdict.FAILS


def test_without_an_aql_one_bad_piece_refuses_the_lot() -> None:
    plan = plan_for(100, SamplingAgreement())
    assert plan.kind is Sampling.ALL
    assert [decided(plan, *found) for found in ((0, 0), (0, 1), (1, 0))] == [
        Verdict.CONFORMS, Verdict.UNDECIDED, Verdict.FAILS,
    ]  # fmt: skip


def test_a_sample_of_another_size_than_the_plans_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has 80 pieces, the plan wants a sample of 50"):
        judged(coins(tmp_path), size=500, agreed=SamplingAgreement(Decimal("1.0")))
    with pytest.raises(BadInput, match="has 80 pieces of a lot of 500"):
        judged(coins(tmp_path), size=500)


def test_a_plan_by_variables_decides_by_the_estimated_fraction(tmp_path: Path) -> None:
    agreed = SamplingAgreement(Decimal("1.0"), by_variables=True)
    size = plan_for(500, agreed).sample
    path = wide(tmp_path / "lot.csv", [(n, v, 5.3) for n, v in enumerate(diameters(size))])
    good = judged(path, size=500, agreed=agreed)
    assert good.verdict is Verdict.CONFORMS
    shifted = [(n, f"{float(v) + 0.6:.2f}", 5.3) for n, v in enumerate(diameters(size))]
    bad = judged(wide(tmp_path / "bad.csv", shifted), size=500, agreed=agreed)
    assert bad.verdict is Verdict.FAILS
    part = lot_record_of(bad, SUBJECT).lot.series[0].decided
    assert part is not None
    assert part.percent > 1
    assert not part.accepted


def test_a_plan_by_variables_wants_every_value(tmp_path: Path) -> None:
    agreed = SamplingAgreement(Decimal("1.0"), by_variables=True)
    size = plan_for(500, agreed).sample
    rows = [(n, "" if n == 3 else v, 5.3) for n, v in enumerate(diameters(size))]
    with pytest.raises(BadInput, match="needs coin.diameter of every piece"):
        judged(wide(tmp_path / "lot.csv", rows), size=500, agreed=agreed)


def test_tightened_inspection_has_the_tightened_numbers() -> None:
    plan = plan_for(500, SamplingAgreement(Decimal("1.0"), "III", Severity.TIGHTENED))
    assert plan.attributes is not None
    assert plan.attributes.plan.accept == 1


# The record and the study


def test_a_lots_record_opens_again_as_it_was(tmp_path: Path) -> None:
    record = accepted(tmp_path)
    again = open_lot_record(record.canonical())
    assert again == record
    assert again.digest == record.digest


def test_the_record_holds_every_value_and_what_came_of_it(tmp_path: Path) -> None:
    record = refused(tmp_path)
    series = record.lot.series[0]
    assert record.verdict == "fails"
    assert len(series.values) == len(record.lot.pieces) == 40
    assert series.u == ("0.01",)
    assert (series.fail, series.undecided, record.lot.failed, record.lot.undecided) == (2, 1, 2, 1)
    assert [piece.piece for piece in record.lot.nonconforming] == ["A-003", "A-017", "A-020"]


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"lot": 3}', b"\xff\xfe", b"[" * 100_000])
def test_what_is_not_a_lots_record_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match="not the record of a lot"):
        open_lot_record(content)


def test_the_study_follows_from_the_record_alone(tmp_path: Path) -> None:
    record = open_lot_record(accepted(tmp_path, subgroup="tray").canonical())
    study = studies_of(record)[0]
    assert study.chart is not None
    assert study.capability is not None
    assert (study.chart.kind, study.capability.count) == ("xbar-r", 80)


def test_equal_values_make_a_lot_without_a_study(tmp_path: Path) -> None:
    outcome = judged(wide(tmp_path / "lot.csv", [(n, 31.0, 5.3) for n in range(5)]))
    study = studies_of(lot_record_of(outcome, SUBJECT))[0]
    assert outcome.verdict is Verdict.CONFORMS
    assert study.capability is None
    assert study.chart is None


def test_a_subgroup_that_is_not_there_is_named(tmp_path: Path) -> None:
    outcome = judged(coins(tmp_path))
    with pytest.raises(BadInput, match='no column "trai"'):
        lot_record_of(outcome, SUBJECT, ChartSettings("trai"))
