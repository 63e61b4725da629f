from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.errors import BadInput
from inspect_kit.inspection.walk import Outcome, Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.rulebook.library import load
from inspect_kit.values.measurement import Reading

TODAY = date(2026, 11, 16)
EXPIRED = """
format = 1
id = "old"
name = "Old caliper"
kind = "caliper"
resolution = "0.01 mm"
calibrated_until = 2026-11-15
[[uncertainty]]
source = "calibration"
expanded = "0.02 mm"
"""


def _inspect(
    spec: str, item: str, *readings: Reading, rule: RuleName = RuleName.GUARDED, folders: tuple[Path, ...] = ()
) -> Outcome:
    sheet = load(spec)
    return inspect(Task(sheet, sheet.item(item), rule, TODAY, folders), [MeasurementFile(readings)])


def _of(outcome: Outcome, characteristic: str) -> list[Finding]:
    return [f for f in outcome.judgement.findings if f.clause.characteristic == characteristic]


def test_a_coin_of_five_point_one_grams_passes_two_editions_and_fails_the_third() -> None:
    reading = Reading("coin.mass", "5.10 g", "1", standard="0.005")
    verdicts = {s: _of(_inspect(s, "coin-set", reading), "coin.mass")[0].verdict
                for s in ("icf-1991-de", "icf-2001-it", "icf-cs")}  # fmt: skip
    assert verdicts == {
        "icf-1991-de": Verdict.CONFORMS, "icf-2001-it": Verdict.CONFORMS, "icf-cs": Verdict.FAILS,
    }  # fmt: skip


def test_an_uncertainty_far_below_one_digit_of_the_gauge_is_refused() -> None:
    read = Reading("striker.mass", "14.99", unit="g", standard="0.0001", instrument="scale-200g")
    with pytest.raises(BadInput, match=r"less than a twentieth of one digit of .*0\.01 g"):
        _inspect("icf-cs", "striker", read)
    assert _inspect("icf-cs", "striker", replace(read, standard="0.003")).judgement.findings


def test_nothing_conforms_by_an_uncertainty_that_no_listed_gauge_comes_near() -> None:
    read = Reading("striker.mass", "14.99", unit="g", standard="0.00001")
    with pytest.raises(BadInput, match=r"the finest gauge that is listed for such a value, .*0\.01 g"):
        _inspect("icf-cs", "striker", read)
    for sensible in (replace(read, standard="0.003"), replace(read, value="14.8"), replace(read, value="15.2")):
        assert _inspect("icf-cs", "striker", sensible).judgement.findings


def test_a_piece_is_not_two_by_a_leading_zero_wide_digits_or_an_invisible_sign() -> None:
    first = Reading("coin.mass", "5.30", "1", unit="g", standard="0.005")
    for alike in ("01", "\uff11", "1\u200b"):
        with pytest.raises(BadInput, match="stands here and in"):
            _inspect("icf-cs", "coin-set", first, replace(first, instance=alike))


def test_a_piece_seen_at_one_pixel_is_not_counted_for_two() -> None:
    first = Reading("coin.diameter", "31.0", "1", unit="mm", standard="0.03", photo="a.jpg", pixel=(812.31, 440.02))
    resaved = replace(first, instance="2", photo="b.jpg", pixel=(812.29, 440.04))
    with pytest.raises(BadInput, match="at the same place of a photo as 1"):
        _inspect("icf-cs", "coin-set", first, resaved)
    assert _inspect("icf-cs", "coin-set", first, replace(resaved, pixel=(1300.0, 440.0))).judgement.findings
    edge = Reading("die.edge", "16.0", "1.a", unit="mm", standard="0.02", photo="a.jpg", pixel=(10.0, 20.0))
    assert _inspect("precision-dice", "dice", edge, replace(edge, instance="1.b")).judgement.findings


def test_an_inspection_is_not_dated_before_what_its_instruments_sent() -> None:
    sent = Reading("striker.mass", "14.82", unit="g", instrument="scale-200g", raw="S S 14.82 g")
    later = (TODAY + timedelta(days=2)).isoformat()
    with pytest.raises(BadInput, match="after the inspection"):
        _inspect("icf-cs", "striker", replace(sent, time=f"{later}T08:00:00+00:00"))
    assert _inspect("icf-cs", "striker", replace(sent, time=f"{TODAY}T23:59:00+00:00")).judgement.findings


def test_a_single_bad_instance_fails_its_clause_and_the_item() -> None:
    sides = [
        Reading("surface.side", v, i, standard="0.1")
        for i, v in zip("nesw", ("737", "737", "741.5", "737"), strict=True)
    ]
    outcome = _inspect("icf-cs", "board", *sides)
    assert [f.verdict for f in _of(outcome, "surface.side")].count(Verdict.FAILS) == 1
    assert outcome.judgement.verdict is Verdict.FAILS


def test_when_instances_are_named_the_missing_ones_are_named_too() -> None:
    outcome = _inspect("icf-cs", "board", Reading("surface.side", "737", "n", standard="0.1"))
    assert [(f.instance, f.reason) for f in _of(outcome, "surface.side")] == [
        ("n", Reason.WITHIN), ("e", Reason.NOT_MEASURED), ("s", Reason.NOT_MEASURED), ("w", Reason.NOT_MEASURED),
    ]  # fmt: skip


def test_one_measured_value_without_an_instance_does_not_speak_for_the_other_places() -> None:
    *measured, missing = _of(
        _inspect("icf-cs", "board", Reading("surface.side", "737", standard="0.1")), "surface.side"
    )
    assert [f.verdict for f in measured] == [Verdict.CONFORMS]
    assert (missing.verdict, missing.missing) == (Verdict.UNDECIDED, 3)


def test_looking_and_counting_speak_for_all_places_at_once() -> None:
    outcome = _inspect("icf-cs", "board", Reading("baseline.count", "2"), Reading("baseline.colour", "yes"))
    for name in ("baseline.count", "baseline.colour"):
        assert [(f.instance, f.verdict) for f in _of(outcome, name)] == [("", Verdict.CONFORMS)]


def test_eighteen_coins_leave_a_set_of_nineteen_undecided() -> None:
    coins = [Reading("coin.mass", "5.3 g", str(n), standard="0.005") for n in range(1, 19)]
    *measured, missing = _of(_inspect("icf-cs", "coin-set", *coins), "coin.mass")
    assert len(measured) == 18
    assert (missing.verdict, missing.missing) == (Verdict.UNDECIDED, 1)


def test_nineteen_rows_without_names_are_nineteen_coins() -> None:
    coins = [Reading("coin.mass", "5.3 g", standard="0.005", where=f"line {n}") for n in range(19)]
    findings = _of(_inspect("icf-cs", "coin-set", *coins), "coin.mass")
    assert [f.instance for f in findings] == [str(n) for n in range(1, 20)]


def test_the_same_thing_twice_is_refused_with_both_places() -> None:
    with pytest.raises(BadInput, match=r"line 3: striker.mass stands here and in line 2"):
        _inspect(
            "icf-cs",
            "striker",
            Reading("striker.mass", "14 g", where="line 2"),
            Reading("striker.mass", "15 g", where="line 3"),
        )


def test_colours_from_a_photo_count_the_set() -> None:
    colours = ["white"] * 9 + ["black"] * 9 + ["red"]
    outcome = _inspect("icf-cs", "coin-set", *(Reading("coin.colour", c, str(n)) for n, c in enumerate(colours)))
    for colour in ("white", "black", "red"):
        assert _of(outcome, f"coin.count.{colour}")[0].verdict is Verdict.CONFORMS


def test_a_shared_scale_error_cancels_in_the_difference_of_the_diagonals() -> None:
    diagonals = [
        Reading("surface.diagonal", v, i, instrument="tape-3m") for i, v in (("nw-se", "1043"), ("ne-sw", "1042"))
    ]
    (finding,) = _of(_inspect("icf-cs", "board", *diagonals), "surface.diagonal_difference")
    assert finding.measurement is not None
    assert finding.measurement.value == 1
    sources = {part.source for part in finding.measurement.budget or () if part.standard > 0}
    assert not any("calibration" in source for source in sources)
    assert any("resolution" in source for source in sources)


def test_width_against_length_of_a_pitch_is_worked_out_with_its_uncertainty() -> None:
    outcome = _inspect(
        "fistf-4.0", "pitch",
        Reading("pitch.length", "120 cm", standard="0.1"), Reading("pitch.width", "90.1 cm", standard="0.1"),
    )  # fmt: skip
    (finding,) = _of(outcome, "pitch.length_minus_width")
    assert finding.measurement is not None
    assert finding.measurement.value == 299
    assert float(finding.measurement.standard_uncertainty or 0) == pytest.approx(2**0.5)
    assert finding.verdict is Verdict.UNDECIDED


def test_an_expired_calibration_leaves_its_clauses_undecided(tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_text(EXPIRED)
    outcome = _inspect("icf-cs", "striker", Reading("striker.diameter", "40", instrument="old"), folders=(tmp_path,))
    (finding,) = _of(outcome, "striker.diameter")
    assert (finding.verdict, finding.reason) == (Verdict.UNDECIDED, Reason.CALIBRATION_EXPIRED)
    assert any("calibration ended" in warning for warning in outcome.warnings)


def test_an_expired_gauge_spoils_what_is_derived_from_it(tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_text(EXPIRED)
    outcome = _inspect(
        "dstfb-4.0", "figure",
        Reading("fig.base.diameter", "20", instrument="old"), Reading("fig.base.top_diameter", "19", standard="0.01"),
        folders=(tmp_path,),
    )  # fmt: skip
    assert _of(outcome, "fig.base.dmax_minus_dtop")[0].reason is Reason.CALIBRATION_EXPIRED


def test_without_any_uncertainty_only_the_simple_rule_decides() -> None:
    reading = Reading("striker.mass", "14.9 g")
    assert _of(_inspect("icf-cs", "striker", reading), "striker.mass")[0].reason is Reason.UNCERTAINTY_UNKNOWN
    plain = _inspect("icf-cs", "striker", reading, rule=RuleName.SIMPLE)
    assert _of(plain, "striker.mass")[0].verdict is Verdict.CONFORMS


def test_a_convex_underside_is_exempt_from_the_bottom_diameter() -> None:
    diameters = (
        Reading("fig.base.top_diameter", "18", standard="0.01"),
        Reading("fig.base.bottom_diameter", "16", standard="0.01"),
    )
    name = "fig.under.dtop_minus_dbottom"
    assert _of(_inspect("dstfb-4.0", "figure", *diameters), name)[0].reason is Reason.CONDITION_UNKNOWN
    concave = _inspect("dstfb-4.0", "figure", *diameters, Reading("fig.under.convex", "no"))
    assert _of(concave, name)[0].verdict is Verdict.FAILS
    convex = _inspect("dstfb-4.0", "figure", *diameters, Reading("fig.under.convex", "yes"))
    assert _of(convex, name)[0].verdict is Verdict.NOT_APPLICABLE


def test_one_figure_measurement_serves_the_type_it_is_said_to_be() -> None:
    diameter = Reading("fig.base.diameter", "17.5", standard="0.01")
    flat = _inspect("fistf-4.0", "figure", diameter, Reading("fig.type", "flat"))
    assert _of(flat, "type.flat.base")[0].verdict is Verdict.CONFORMS
    assert _of(flat, "type.h0.base")[0].verdict is Verdict.NOT_APPLICABLE


def test_what_another_sheet_asks_for_is_left_aside_with_a_warning() -> None:
    outcome = _inspect("fistf-4.0", "figure", Reading("fig.mass", "2.5 g", standard="0.01"))
    assert outcome.warnings == ("fig.mass is not asked for by fistf-4.0 and was left aside",)


def test_a_photo_never_clears_a_striker_of_metal_and_a_person_does() -> None:
    for word, verdict in (("none", Verdict.UNDECIDED), ("suspected", Verdict.UNDECIDED),
                          ("no", Verdict.FAILS), ("yes", Verdict.CONFORMS)):  # fmt: skip
        outcome = _inspect("icf-cs", "striker", Reading("striker.visible_metal", word))
        assert _of(outcome, "striker.visible_metal")[0].verdict is verdict


@pytest.mark.parametrize(
    ("reading", "says"),
    [
        (Reading("striker.mas", "14 g"), 'did you mean "striker.mass"'),
        (Reading("qqqq.zzzz", "14 g"), "unknown characteristic"),
        (Reading("striker.mass", "14 mm"), "is given in mm, expected g"),
        (Reading("striker.mass", "14", unit="mm"), "is given in mm, expected g"),
        (Reading("striker.mass", "14 kg", unit="g"), "is not in g"),
        (Reading("striker.mass", "-14 g"), "cannot be negative"),
        (Reading("striker.mass", "heavy"), "expected a number"),
        (Reading("striker.mass", "NaN"), "expected a number"),
        (Reading("striker.mass", "inf g"), "expected a number"),
        (Reading("striker.mass", "14", standard="-1"), "cannot be negative"),
        (Reading("striker.mass", "14", standard="x"), "expected a number"),
        (Reading("striker.mass", "14", instrument="none"), "no instrument is called"),
        (Reading("striker.mass", "14", instrument="caliper-150"), "does not measure in g"),
        (Reading("striker.diameter", "400", instrument="caliper-150", confirmed=True), "outside the range"),
        (Reading("striker.diameter", "400"), "400 mm\\? 40 mm would be usual"),
        (Reading("striker.diameter", "4.11"), "4.11 mm\\? 4.11 cm is 41.1 mm"),
        (Reading("striker.mass", "1.482"), "1.482 g\\? 14.82 g would be usual"),
        (Reading("striker.mass", "0 g"), "usual is 5 g – 25 g"),
        (Reading("striker.mass", "yes"), "is measured or counted"),
        (Reading("pocket.diameter", "44.5", "norwest"), 'has no "norwest"'),
        (Reading("striker.shape", "41.3"), "is answered by yes, no"),
        (Reading("coin.count.white", "8.5"), "is a count"),
        (Reading("coin.colour", "white", confidence="7"), "between 0 and 1"),
    ],
)  # fmt: skip
def test_a_reading_that_cannot_be_meant_is_refused_in_a_sentence(reading: Reading, says: str) -> None:
    item = "striker" if reading.characteristic.startswith("s") else "coin-set"
    with pytest.raises(BadInput, match=says):
        _inspect("icf-cs", item, reading)


def test_a_sheet_that_is_not_in_force_on_the_day_is_told(tmp_path: Path) -> None:
    sheet = load("icf-1991-de")
    outcome = inspect(
        Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(1980, 1, 1)),
        [MeasurementFile((Reading("striker.mass", "14 g", standard="0.01"),))],
    )
    assert "sheet icf-1991-de was not in force on 1980-01-01" in outcome.warnings
