from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Kit

STRIKER = """characteristic,instance,value,unit,u,instrument
striker.shape,,yes,,,
striker.diameter,,41.1,mm,0.01,
striker.mass,,14.82,g,0.01,
striker.material,,yes,,,
striker.visible_metal,,yes,,,
striker.engraving,,none,,,
"""
CALL = ("--spec", "icf-2001-it", "--item", "striker")


@pytest.fixture
def striker(tmp_path: Path) -> Path:
    path = tmp_path / "striker.csv"
    path.write_text(STRIKER)
    return path


def test_the_findings_have_the_form_that_scripts_rely_on(kit: Kit, striker: Path) -> None:
    result = kit("judge", striker, *CALL, "--json")
    assert result.code == 0
    assert {key: result.data[key] for key in ("spec", "item", "rule", "verdict")} == {
        "spec": "icf-2001-it", "item": "striker", "rule": "guarded", "verdict": "conforms",
    }  # fmt: skip
    mass = next(f for f in result.data["findings"] if f["characteristic"] == "striker.mass")
    expected = {
        "clause": "C", "characteristic": "striker.mass", "instance": "", "verdict": "conforms", "reason": "within",
        "value": 14.82, "unit": "g", "u": 0.01, "lower": None, "upper": 15, "probability": 1.0,
    }  # fmt: skip
    assert {key: mass[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("mass", "rule", "code"),
    [("14.82", "guarded", 0), ("15.21", "guarded", 1), ("14.99", "guarded", 3), ("14.99", "simple", 0), ("15", "simple", 0),
     ("15.01", "simple", 1)],
)  # fmt: skip
def test_the_exit_code_tells_the_verdict(kit: Kit, striker: Path, mass: str, rule: str, code: int) -> None:
    striker.write_text(STRIKER.replace("14.82", mass))
    assert kit("judge", striker, *CALL, "--rule", rule).code == code


def test_a_value_is_told_to_the_place_of_its_uncertainty_as_the_certificate_does(kit: Kit, striker: Path) -> None:
    striker.write_text(STRIKER.replace("14.82,g,0.01", "14.8217345,g,0.0123"))
    told = kit("judge", striker, *CALL).out
    assert "14.822 ± 0.025" in told
    assert "14.8217" not in told


def test_something_not_measured_is_undecided(kit: Kit, striker: Path) -> None:
    striker.write_text(STRIKER.replace("striker.mass,,14.82,g,0.01,\n", ""))
    result = kit("judge", striker, *CALL)
    assert result.code == 3
    assert "not measured" in result.out


def test_several_files_are_judged_together(kit: Kit, tmp_path: Path) -> None:
    lines = STRIKER.splitlines()
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("\n".join(lines[:3]))
    second.write_text("\n".join([lines[0], *lines[3:]]))
    assert kit("judge", first, second, *CALL).code == 0


def test_house_rules_are_laid_over_the_sheet(kit: Kit, striker: Path, tmp_path: Path) -> None:
    house = tmp_path / "club.toml"
    house.write_text(
        'format = 1\nid = "club"\ntitle = "Club"\nstanding = "house"\ndisclaimer = "Ours."\nbecause = "Youth."\n'
        '[[clause]]\ncharacteristic = "striker.mass"\nlimits = { upper = "14 g" }\nbecause = "Small hands."\n'
    )
    result = kit("judge", striker, *CALL, "--house", house, "--json")
    assert result.code == 1
    mass = next(f for f in result.data["findings"] if f["characteristic"] == "striker.mass")
    assert (mass["upper"], mass["from"]) == (14, "club")


def test_an_error_is_one_sentence_on_standard_error_and_nothing_on_standard_output(kit: Kit, tmp_path: Path) -> None:
    result = kit("judge", tmp_path / "none.csv", *CALL, "--json")
    assert (result.code, result.out) == (4, "")
    assert result.err.strip().count("\n") == 0


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("judge",), 2, "Missing"),
        (("judge", "x.csv", "--spec", "icf-cz", "--item", "striker"), 2, 'did you mean "icf-cs"'),
        (("judge", "x.csv", "--spec", "icf-cs", "--item", "stricker"), 2, 'did you mean "striker"'),
        (("judge", "x.csv", "--spec", "icf-cs", "--item", "striker", "--rule", "lax"), 2, "--rule"),
        (("judge", "x.csv", "--spec", "icf-cs", "--item", "striker", "--on", "yesterday"), 2, "--on"),
        (("judge", "x.csv", "--spec", "icf-cs", "--item", "striker", "--instruments", "/nowhere"), 2, "no such folder"),
        (("judge", "x.csv", "--spec", "/etc/passwd", "--item", "striker"), 4, "not TOML"),
        (("frobnicate",), 2, "frobnicate"),
        (("specs", "show"), 2, "ID"),
        (("specs", "show", "nowhere/else.toml"), 4, "no such file"),
        (("--nonsense",), 2, "--nonsense"),
    ],
)  # fmt: skip
def test_wrong_usage_is_told_in_a_sentence(kit: Kit, arguments: tuple[str, ...], code: int, says: str) -> None:
    result = kit(*arguments)
    assert result.code == code
    assert says in result.err
    assert "Traceback" not in result.err


def test_without_a_command_the_help_is_shown_and_it_counts_as_usage(kit: Kit) -> None:
    result = kit()
    assert result.code == 2
    assert "Commands" in result.err


def test_a_fault_of_ours_is_a_sentence_too(kit: Kit, striker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("the sky\nfell")

    monkeypatch.setattr("inspect_kit.cli.judge.inspect", broken)
    result = kit("judge", striker, *CALL)
    assert result.code == 4
    assert result.err.count("\n") == 1
    assert "ZeroDivisionError" in result.err


@pytest.mark.parametrize("behind", [True, False])
def test_the_home_may_stand_before_or_behind_the_command(kit: Kit, striker: Path, tmp_path: Path, behind: bool) -> None:
    gauges = tmp_path / "desk" / "instruments"
    gauges.mkdir(parents=True)
    (gauges / "ours.toml").write_text(
        'format = 1\nid = "ours"\nname = "Ours"\nkind = "scale"\nresolution = "0.01 g"\n'
        '[[uncertainty]]\nsource = "calibration"\nstandard = "0.01 g"\n'
    )
    striker.write_text(STRIKER.replace("14.82,g,0.01,", "14.82,g,,ours"))
    home, rest = ("--home", tmp_path / "desk"), ("judge", striker, *CALL)
    assert kit(*((*rest, *home) if behind else (*home, *rest))).code == 0


def test_a_slip_of_the_unit_ends_with_bad_input_in_csv_and_json(kit: Kit, tmp_path: Path) -> None:
    table, data = tmp_path / "slip.csv", tmp_path / "slip.json"
    table.write_text(STRIKER.replace("41.1,", "4.11,"))
    rows = '{"characteristic": "striker.diameter", "value": 4.11, "unit": "mm", "u": 0.01}'
    data.write_text(f'{{"format": 1, "measurements": [{rows}]}}')
    for file in (table, data):
        result = kit("judge", file, "--spec", "icf-cs", "--item", "striker")
        assert result.code == 4
        assert "4.11 mm? 4.11 cm is 41.1 mm" in result.err


def test_a_decision_in_a_file_names_who_and_why(kit: Kit, tmp_path: Path) -> None:
    header = "characteristic,value,unit,u,decision,by,because"
    rows = "ball.diameter,23.1,mm,0.01,,,\nball.mass,1.5,g,0.001,,,\nball.material,yes,,,,,\nball.types,yes,,,,,\n"
    path = tmp_path / "ball.csv"
    path.write_text(f"{header}\n{rows}")
    assert kit("judge", path, "--spec", "fistf-4.0", "--item", "ball").code == 3
    path.write_text(f"{header}\n{rows}ball.diameter,,,,accept,A. Referee,\n")
    refused = kit("judge", path, "--spec", "fistf-4.0", "--item", "ball")
    assert (refused.code, "does not say why" in refused.err) == (4, True)
    path.write_text(f"{header}\n{rows}ball.diameter,,,,accept,A. Referee,The maker’s own.\n", encoding="utf-8")
    result = kit("judge", path, "--spec", "fistf-4.0", "--item", "ball", "--json")
    assert result.code == 0
    (diameter,) = [f for f in result.data["findings"] if f["characteristic"] == "ball.diameter"]
    assert (diameter["reason"], diameter["by"]) == ("observed-yes", "A. Referee")
