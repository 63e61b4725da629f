from __future__ import annotations

from pathlib import Path

import pytest

from inspect_kit.errors import BadInput, BadSheet
from inspect_kit.rulebook.library import check, load, load_file, sheet_ids

SOUND = """
format = 1
id = "club"
title = "Club rules"
body = "Club"
edition = "1"
language = "en"
standing = "house"
disclaimer = "Not a federation's."

[[item]]
id = "puck"
name = "Puck"

[[derived]]
characteristic = "puck.spread"
formula = "spread(puck.diameter)"

[[clause]]
characteristic = "puck.diameter"
clause = "1"
item = "puck"
kind = "range"
force = "must"
limits = { lower = "50 mm", upper = "50.8 mm" }
how = "Caliper."

[[clause]]
characteristic = "puck.round"
clause = "2"
item = "puck"
kind = "visual"
force = "should"
requires = "The puck is round."
how = "Look."
"""


def _faults(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "club.toml"
    path.write_text(text, encoding="utf-8")
    return [str(fault) for fault in check(path)]


def test_a_new_sport_is_one_file_and_no_code(tmp_path: Path) -> None:
    assert _faults(tmp_path, SOUND) == []
    sheet = load(str(tmp_path / "club.toml"))
    assert [clause.characteristic for clause in sheet.clauses] == ["puck.diameter", "puck.round"]


@pytest.mark.parametrize(
    ("old", "new", "place", "says"),
    [
        ('upper = "50.8 mm"', 'upper = "50,8mm"', "clause[0].limits.upper:", 'expected "<number> <unit>", got "50,8mm"'),
        ('upper = "50.8 mm"', 'upper = "5 mm"', "clause[0].limits.lower:", "above the upper limit"),
        ('upper = "50.8 mm"', 'upper = "5 g"', "clause[0].limits:", "do not go together"),
        ('upper = "50.8 mm"', 'uper = "50.8 mm"', "clause[0].limits.uper:", 'did you mean "upper"'),
        ('kind = "range"', 'kind = "rnge"', "clause[0].kind:", 'did you mean "range"'),
        ('kind = "range"', 'kind = "min"', "clause[0].limits:", 'kind "min" states {lower}'),
        ('force = "should"', 'force = "ought"', "clause[1].force:", "is not one of must, should, may"),
        ('item = "puck"\nkind = "visual"', 'item = "pukc"\nkind = "visual"', "clause[1].item:", 'did you mean "puck"'),
        ('requires = "The puck is round."', "", "clause[1].requires:", "is missing"),
        ('how = "Look."', 'how = ""', "clause[1].how:", "is empty"),
        ('how = "Look."', "how = 7", "clause[1].how:", "expected text, got 7"),
        ('how = "Look."', 'how = "Look."\nhint = "x"', "clause[1].hint:", "unknown key"),
        ('how = "Look."', 'how = "Look."\nsuspect = true', "clause[1].note:", "suspect print must say"),
        ('how = "Look."', 'how = "Look."\ninstances = 0', "clause[1].instances:", "names or a number"),
        ('how = "Look."', 'how = "Look."\ninstances = ["n", "n"]', "clause[1].instances:", "names or a number"),
        ('how = "Look."', 'how = "Look."\nbinding = "yes"', "clause[1].binding:", "true or false"),
        ('how = "Look."', 'how = "Look."\nwhen = { characteristic = "a" }', "clause[1].when:", "either `is` or `is_not`"),
        ('how = "Look."', 'how = "Look."\nanswers = { none = "maybe" }', "clause[1].answers.none:", "yes, no, undecided"),
        ('"puck.round"', '"puck.diameter"', "clause[1].characteristic:", "stands twice"),
        ('"puck.round"', '"Puck Round"', "clause[1].characteristic:", "is not a name"),
        ('"spread(puck.diameter)"', '"__import__(1)"', "derived[0].formula:", "not allowed in a formula"),
        ('formula = "spread(puck.diameter)"', "", "derived[0].formula:", "is missing"),
        ("format = 1", "format = 2", "format:", "expected 1, got 2"),
        ('disclaimer = "Not a federation\'s."', "", "disclaimer:", "must say so"),
        ('standing = "house"', 'standing = "mine"', "standing:", "federation, house, model"),
        ('id = "puck"', 'id = "Puck 1"', "item[0].id:", "is not a name"),
        ('language = "en"', 'language = "en"\nin_force = { from = "1991" }', "in_force.from:", "expected a date"),
        ('language = "en"', 'language = "en"\nover = "icf-xx"', "over:", "no sheet is called"),
    ],
)  # fmt: skip
def test_each_fault_is_named_with_its_place(tmp_path: Path, old: str, new: str, place: str, says: str) -> None:
    assert old in SOUND
    faults = _faults(tmp_path, SOUND.replace(old, new, 1))
    assert any(place in fault and says in fault for fault in faults), faults


def test_all_faults_of_a_sheet_come_at_once_with_the_line_of_the_clause(tmp_path: Path) -> None:
    text = (
        SOUND.replace('"50.8 mm"', '"50,8mm"').replace('"should"', '"shuld"').replace('how = "Look."', 'hw = "Look."')
    )
    faults = _faults(tmp_path, text)
    assert len(faults) == 4
    assert all("clause on line" in fault for fault in faults)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "format"),
        (b"\xff\xfe", "not UTF-8"),
        (b"a = [", "not TOML"),
        (b"a = 1\x00", "not TOML"),
        (b"[[clause]]\n", "is missing"),
        (b"clause = 7\nformat = 1", "expected a list of tables"),
        (b"item = [1]\nformat = 1", "expected a list of tables"),
        (b"format = nan", "nan is not a number"),
        (b"x" * 3_000_000, "larger than"),
        (b"a = " + b"[" * 5000, "not TOML"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused_in_sentences(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(content)
    faults = check(path)
    assert any(says in str(fault) for fault in faults)


def test_a_missing_sheet_and_a_circle_of_sheets_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        load_file(tmp_path / "none.toml")
    path = tmp_path / "club.toml"
    path.write_text('format = 1\nid = "club"\ntitle = "x"\nstanding = "house"\ndisclaimer = "x"\nover = "club"\n')
    with pytest.raises(BadInput, match="in a circle"):
        load_file(path)


@pytest.mark.parametrize("name", sheet_ids())
def test_every_shipped_sheet_is_sound_and_named_as_its_file(name: str) -> None:
    assert load(name).id == name


def test_a_bad_sheet_tells_all_of_itself() -> None:
    with pytest.raises(ValueError, match="at least one"):
        BadSheet(())
