from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from inspect_kit.errors import BadSheet
from inspect_kit.rulebook.clause import Kind
from inspect_kit.rulebook.library import load, load_file, with_house_rules
from inspect_kit.rulebook.sheet import Change, Sheet, SheetAuthority, diff

HEAD = """
format = 1
id = "open"
title = "Open"
standing = "house"
disclaimer = "House rules."
over = "icf-cs"
because = "One event."
"""
TOLERANCE = """
[[clause]]
characteristic = "baseline.lower.distance"
limits = { tolerance = "1.5 mm" }
because = "The law prints no tolerance."
"""


def _open(tmp_path: Path, text: str) -> Sheet:
    path = tmp_path / "open.toml"
    path.write_text(text)
    return load_file(path)


def test_a_house_tolerance_is_laid_around_the_printed_nominal(tmp_path: Path) -> None:
    sheet = _open(tmp_path, HEAD + TOLERANCE)
    (clause,) = [c for c in sheet.clauses if c.characteristic == "baseline.lower.distance"]
    assert clause.kind is Kind.NOMINAL_WITH_TOLERANCE
    assert clause.printed == "10.15 cm ± 1.5 mm"
    assert clause.bounds.lower is not None
    assert clause.bounds.lower.to("mm").number == 100
    assert (clause.source, clause.because) == ("open", "The law prints no tolerance.")


def test_what_an_overlay_does_not_state_stays_as_it_was(tmp_path: Path) -> None:
    sheet, base = _open(tmp_path, HEAD + TOLERANCE), load("icf-cs")
    changed = {d.characteristic for d in diff(base, sheet)}
    assert changed == {"baseline.lower.distance"}
    assert {c.source for c in sheet.clauses} == {"icf-cs", "open"}
    assert sheet.overlays[-1].because == "One event."


def test_a_house_rule_must_say_why(tmp_path: Path) -> None:
    with pytest.raises(BadSheet, match="because: is missing"):
        _open(tmp_path, HEAD.replace('because = "One event."', "") + TOLERANCE)
    with pytest.raises(BadSheet, match=r"clause\[0\].because: is missing"):
        _open(tmp_path, HEAD + TOLERANCE.replace('because = "The law prints no tolerance."', ""))


def test_a_house_can_leave_clauses_and_items_out(tmp_path: Path) -> None:
    sheet = _open(tmp_path, HEAD + 'without = ["arc.diameter"]\nonly_items = ["board"]\n')
    assert [item.id for item in sheet.items] == ["board"]
    assert "arc.diameter" not in {clause.characteristic for clause in sheet.clauses}


def test_leaving_out_what_is_not_there_is_a_fault_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(BadSheet, match='did you mean "arc.diameter"'):
        _open(tmp_path, HEAD + 'without = ["arc.diametre"]\n')


def test_house_rules_go_over_any_sheet_that_has_what_they_change(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(HEAD + TOLERANCE)
    assert with_house_rules(load("icf-cs"), path).id == "open"
    with pytest.raises(BadSheet, match='no clause is about "baseline.lower.distance"'):
        with_house_rules(load("fistf-4.0"), path)


def test_the_dstfb_annex_lies_over_the_fistf_rules_and_names_where_each_clause_comes_from() -> None:
    sheet = load("dstfb-4.0")
    by_name = {clause.characteristic: clause for clause in sheet.clauses}
    assert (by_name["fig.mass"].number, by_name["fig.mass"].source) == ("VI 1.1.1", "dstfb-4.0")
    assert by_name["goal.depth"].source == "fistf-4.0"
    assert not any(clause.number.startswith("III 4.1") for clause in sheet.clauses)


def test_the_dice_profiles_are_plainly_not_a_federations() -> None:
    for name in ("precision-dice", "casino-dice"):
        sheet = load(name)
        assert sheet.standing is not SheetAuthority.FEDERATION
        assert "not" in sheet.disclaimer.lower()
    assert all(c.because for c in load("precision-dice").clauses if c.source == "precision-dice")


def test_a_referee_sees_at_a_glance_what_changed_between_two_editions() -> None:
    found = {(d.change, d.characteristic): d for d in diff(load("icf-1991-de"), load("icf-cs"))}
    assert found[Change.LIMITS, "coin.mass"].after == "5.25 g – 5.50 g"
    assert (Change.LIMITS, "arc.diameter") in found
    assert (Change.REQUIREMENT, "striker.material") in found
    assert (Change.ONLY_B, "stool.raised.height") in found
    assert (Change.LIMITS, "surface.side") not in found


def test_a_sheet_does_not_differ_from_itself() -> None:
    assert diff(load("fistf-4.0"), load("fistf-4.0")) == ()


def test_a_changed_copy_of_a_shipped_sheet_cannot_bear_its_name(tmp_path: Path) -> None:
    shipped_text = load("icf-2001-it").texts[0].decode()
    path = tmp_path / "icf-2001-it.toml"
    path.write_text(shipped_text, encoding="utf-8")
    assert load_file(path).id == "icf-2001-it"
    path.write_text(shipped_text.replace('upper = "15 g"', 'upper = "25 g"'), encoding="utf-8")
    with pytest.raises(BadSheet, match="id: is that of a shipped sheet"):
        load_file(path)


def test_house_rules_cannot_bear_the_name_of_a_shipped_sheet(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(HEAD.replace('id = "open"', 'id = "icf-cs"') + TOLERANCE)
    with pytest.raises(BadSheet, match="id: is that of a shipped sheet"):
        with_house_rules(load("icf-cs"), path)


def _codes(sheet: Sheet, item: str) -> dict[str, dict[str, str]]:
    return {each.code: dict(each.facts) for each in sheet.cautions(item, date(2026, 11, 18))}


def test_a_sheet_that_is_not_shipped_and_speaks_for_a_federation_is_said_to_be_the_issuers_own(tmp_path: Path) -> None:
    text = load("icf-2001-it").texts[0].decode().replace('id = "icf-2001-it"', 'id = "open"')
    assert "sheet-not-shipped" in _codes(_open(tmp_path, text), "striker")
    assert not _codes(load("icf-2001-it"), "striker")
    assert not _codes(load("dstfb-4.0"), "figure")


def test_what_house_rules_leave_out_of_an_item_is_told(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(HEAD + 'without = ["striker.mass", "pocket.diameter"]')
    sheet = with_house_rules(load("icf-cs"), path)
    assert _codes(sheet, "striker") == {"left-out-by-house": {"sheet": "open", "names": "striker.mass"}}
    assert _codes(sheet, "board") == {"left-out-by-house": {"sheet": "open", "names": "pocket.diameter"}}
    assert not _codes(sheet, "stand")
