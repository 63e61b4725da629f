"""The desk's form: what a person confirms and decides, and which answers are offered."""

from __future__ import annotations

from inspect_kit.checkin.form import FormField, Gauges, fields_of, filled
from inspect_kit.rulebook.library import load
from inspect_kit.station.rendering import Words

NO_GAUGES = Gauges({}, ())


def _field(sheet: str, item: str, name: str) -> FormField:
    return next(field for field in fields_of(load(sheet), item) if field.question.characteristic == name)


def test_a_slip_of_the_unit_is_a_fault_until_it_is_confirmed() -> None:
    field = _field("icf-cs", "striker", "striker.diameter")
    assert field.required == "≤ 41.3 mm (≤ 4.13 cm)"
    slip = filled((field,), {field.name: "4.11"}, NO_GAUGES, "desk", {})
    assert "4.11 cm is 41.1 mm" in Words("en").told(slip.faults[field.name])
    sure = filled((field,), {field.name: "4.11", f"sure_{field.name}": "yes"}, NO_GAUGES, "desk", {})
    assert [reading.confirmed for reading in sure.readings] == [True]


def test_only_who_may_decide_decides_and_only_with_a_reason() -> None:
    field = _field("fistf-4.0", "ball", "ball.diameter")
    assert field.left_to_a_person
    given = {field.name: "22.9", f"decision_{field.name}": "accept"}
    assert filled((field,), given, NO_GAUGES, "desk", {}).readings[0].decision == ""
    assert field.name in filled((field,), given, NO_GAUGES, "desk", {}, "A. Referee").faults
    given[f"because_{field.name}"] = "The maker’s template."
    (reading,) = filled((field,), given, NO_GAUGES, "desk", {}, "A. Referee").readings
    assert (reading.decision, reading.by, reading.because) == ("accept", "A. Referee", "The maker’s template.")


def test_none_is_offered_where_there_may_be_nothing_and_never_for_a_photos_words() -> None:
    assert _field("icf-cs", "striker", "striker.engraving").words == ("yes", "no", "none")
    assert _field("icf-cs", "striker", "striker.visible_metal").words == ("yes", "no")
