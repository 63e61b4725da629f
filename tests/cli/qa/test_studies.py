"""The `qa` commands as a person or a script meets them: what they print, and with which exit code they leave."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
import pytest

from inspect_kit.cli.app import app, run
from inspect_kit.cli.qa.group import command
from tests.cli.conftest import Kit

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def qa(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run(command, [str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


def data_of(outcome: tuple[int, str, str]) -> dict[str, Any]:
    code, out, _ = outcome
    assert code in (0, 1)
    found: dict[str, Any] = json.loads(out)
    return found


def write(name: str, head: str, rows: Iterable[Iterable[object]]) -> Path:
    path = Path(name)
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


VALUES = (30.9, 31.1, 31.0, 30.8, 31.2, 31.0, 30.95, 31.05, 31.1, 30.9)


def study() -> Path:
    rows = [
        (part, operator, trial, round(30 + part * 0.5 + bias + noise * 0.01, 2))
        for part in range(5)
        for operator, bias in (("A", 0), ("B", 0.02))
        for trial, noise in ((1, part % 3), (2, (part + 1) % 2))
    ]
    return write("study.csv", "part,operator,trial,value", rows)


def test_capability_prints_the_keys_that_scripts_rely_on(qa: Run) -> None:
    write("coins.csv", "value", [(value,) for value in VALUES])
    found = data_of(qa("capability", "coins.csv", "--lower", "30.2mm", "--upper", "3,18 cm", "--json"))
    assert set(found) >= {"n", "mean", "s_within", "s_overall", "cp", "cpk", "pp", "ppk", "cpk_ci", "ppk_ci"}
    assert found["n"] == 10
    assert found["upper"] == 31.8
    assert found["ppk_ci"][0] < found["ppk"] < found["ppk_ci"][1]


def test_capability_takes_its_limits_from_a_sheet(qa: Run) -> None:
    write("coins.csv", "value", [(value,) for value in VALUES])
    found = data_of(qa("capability", "coins.csv", "--spec", "icf-cs", "--characteristic", "coin.diameter", "--json"))
    assert (found["lower"], found["upper"]) == (30.2, 31.8)


def test_capability_with_one_limit_has_null_where_two_are_needed(qa: Run) -> None:
    write("coins.csv", "value", [(value,) for value in VALUES])
    found = data_of(qa("capability", "coins.csv", "--upper", 31.8, "--json"))
    assert found["cp"] is None
    assert found["pp"] is None
    assert found["cpk"] > 0


def test_capability_with_subgroups_says_whether_they_differ(qa: Run) -> None:
    write("coins.csv", "value,box,note", [(value, number // 5, "x") for number, value in enumerate(VALUES)])
    found = data_of(qa("capability", "coins.csv", "--upper", 31.8, "--subgroup", "box", "--json"))
    assert found["subgroups"] == 2
    assert 0 < found["subgroup_p"] <= 1


def test_a_file_of_several_characteristics_gives_the_one_that_is_asked_for(qa: Run) -> None:
    rows = [("coin.diameter", value) for value in VALUES] + [("coin.mass", 5.2), ("coin.mass", 5.3)]
    write("all.csv", "characteristic,value", rows)
    assert qa("capability", "all.csv", "--lower", 5, "--json")[0] == 4
    found = data_of(qa("capability", "all.csv", "--lower", 5, "--characteristic", "coin.mass", "--json"))
    assert found["n"] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("--json",),
        ("--lower", "31", "--upper", "30"),
        ("--lower", "x"),
        ("--spec", "icf-cs"),
        ("--spec", "icf-cs", "--characteristic", "coin.diametre"),
        ("--spec", "icf-cs", "--characteristic", "coin.diameter", "--lower", "3"),
        ("--spec", "nothing", "--characteristic", "coin.diameter"),
        ("--upper", "32", "--plot", "x.jpg"),
    ],
)
def test_capability_called_wrongly_leaves_with_two(qa: Run, arguments: tuple[str, ...]) -> None:
    write("coins.csv", "value", [(value,) for value in VALUES])
    code, out, err = qa("capability", "coins.csv", *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


BAD_FILES = ["value\nx\n1\n", "value\nnan\n1\n", "wert\n1\n2\n", "value\n1\n", "value\n", "", "value\n1\n\n,\n2;3\n"]


@pytest.mark.parametrize("text", BAD_FILES)
@pytest.mark.parametrize(
    "arguments", [("capability", "--lower", "0"), ("chart",), ("grr", "--method", "type1", "--reference", "1")]
)
def test_a_bad_file_leaves_with_four_and_one_sentence(qa: Run, text: str, arguments: tuple[str, ...]) -> None:
    Path("bad.csv").write_text(text)
    code, out, err = qa(arguments[0], "bad.csv", *arguments[1:], "--json")
    assert (code, out) == (4, "")
    assert "bad.csv" in err
    assert err.count("\n") == 1


def test_a_chart_of_individuals_reports_rule_and_points(qa: Run) -> None:
    write("z.csv", "value", [(value,) for value in (0, 3.2, -3.4, 3)])
    found = data_of(qa("chart", "z.csv", "--type", "imr", "--centre", 0, "--sigma", 1, "--json"))
    assert found["signals"][0] == {"rule": 1, "points": [2, 3], "text": "one point beyond 3 sigma"}
    assert (found["centre"], found["ucl"], found["lcl"]) == (0, 3, -3)
    assert found["range_lcl"] == 0


@pytest.mark.parametrize("kind", ["xbar-r", "xbar-s"])
def test_charts_of_means_need_their_subgroups(qa: Run, kind: str) -> None:
    rows = [(value, number // 2) for number, value in enumerate(VALUES)]
    write("a.csv", "value,subgroup", rows)
    write("b.csv", "value,box", rows)
    first = data_of(qa("chart", "a.csv", "--type", kind, "--json"))
    assert first == data_of(qa("chart", "b.csv", "--type", kind, "--subgroup", "box", "--json"))
    assert first["points"] == 5
    assert qa("chart", "b.csv", "--type", kind)[0] == 4


def test_a_fraction_chart_reads_pieces_or_counts(qa: Run) -> None:
    found = (3, 1, 2, 0)
    write("pieces.csv", "value,subgroup", [(int(n < bad), box) for box, bad in enumerate(found) for n in range(10)])
    write("counts.csv", "value,n", [(bad, 10) for bad in found])
    write("bare.csv", "value", [(bad,) for bad in found])
    charts = [
        data_of(qa("chart", "pieces.csv", "--type", "p", "--json")),
        data_of(qa("chart", "counts.csv", "--type", "p", "--json")),
        data_of(qa("chart", "bare.csv", "--type", "p", "--size", 10, "--json")),
    ]
    assert charts[0] == charts[1] == charts[2]
    assert charts[0]["centre"] == pytest.approx(0.15)
    assert charts[0]["range_centre"] is None
    assert qa("chart", "bare.csv", "--type", "p")[0] == 4


@pytest.mark.parametrize("rows", [[(11, 10), (1, 10)], [(-1, 10), (1, 10)], [(1, 0), (1, 10)], [(0.5, 10), (1, 10)]])
def test_fractions_that_cannot_be_are_refused(qa: Run, rows: list[tuple[float, int]]) -> None:
    write("counts.csv", "value,n", rows)
    assert qa("chart", "counts.csv", "--type", "p")[0] == 4


def test_limits_that_differ_from_point_to_point_are_lists(qa: Run) -> None:
    write("counts.csv", "value,n", [(3, 10), (1, 40), (2, 20)])
    found = data_of(qa("chart", "counts.csv", "--type", "p", "--json"))
    assert len(found["ucl"]) == 3
    assert isinstance(found["centre"], float)


def test_a_gauge_study_prints_the_keys_that_scripts_rely_on(qa: Run) -> None:
    for method in ("anova", "average-range"):
        found = data_of(qa("grr", study(), "--method", method, "--tolerance", "1.6mm", "--json"))
        assert set(found) >= {
            "ev",
            "av",
            "grr",
            "pv",
            "tv",
            "ev_pct",
            "av_pct",
            "grr_pct",
            "pv_pct",
            "interaction_p",
            "pooled",
            "ndc",
        }
        assert isinstance(found["ndc"], int)
        assert found["grr_tolerance_pct"] == pytest.approx(600 * found["grr"] / 1.6)


def test_a_study_with_a_reading_missing_leaves_with_four(qa: Run) -> None:
    path = study()
    path.write_text("\n".join(path.read_text().splitlines()[:-1]))
    code, _, err = qa("grr", path)
    assert code == 4
    assert "no reading of part 4 by B in trial 2" in err


def test_a_gauge_study_becomes_the_guard_band_of_a_judgement(qa: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """From the study to the verdict: the limit is 15 g, the reading 14.9, and only the gauge decides."""
    Path("gauges").mkdir()
    rows = [(p, o, t, 14 + p + (0.3 if o == "B" else 0) + 0.05 * t) for p in range(4) for o in "AB" for t in range(2)]
    write("study.csv", "part,operator,trial,value", rows)
    code, out, err = qa("grr", "study.csv", "--unit", "g", "--save-instrument", "gauges/desk-scale.toml")
    assert code == 0
    assert "U = 2u" in out
    assert "calibration" in err
    verdicts = {}
    for name in ("desk-scale", "scale-200g"):
        write("striker.csv", "characteristic,value,unit,instrument", [("striker.mass", 14.9, "g", name)])
        run(
            app,
            ["judge", "striker.csv", "--spec", "icf-2001-it", "--item", "striker", "--instruments", "gauges", "--json"],
        )
        findings = json.loads(capsys.readouterr().out)["findings"]
        verdicts[name] = next(f["verdict"] for f in findings if f["characteristic"] == "striker.mass")
    assert verdicts == {"desk-scale": "undecided", "scale-200g": "conforms"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--save-instrument", "x.txt"),
        ("--save-instrument", "bad name.toml"),
        ("--save-instrument", "x.toml", "--unit", "parsec"),
        ("--save-instrument", "x.toml", "--unit", "cm"),
        ("--save-instrument", "x.toml", "--resolution", "0.01"),
        ("--save-instrument", "x.toml", "--resolution", "0.01mm", "--calibration", "1g"),
        ("--method", "type1"),
        ("--tolerance", "-1"),
        ("--method", "magic"),
    ],
)
def test_a_gauge_study_called_wrongly_leaves_with_two_and_writes_nothing(qa: Run, arguments: tuple[str, ...]) -> None:
    study()
    before = set(Path().iterdir())
    assert qa("grr", "study.csv", *arguments)[0] == 2
    assert set(Path().iterdir()) == before


def test_a_type_one_study_and_linearity_are_read_from_their_columns(qa: Run) -> None:
    write("one.csv", "value", [(10.01,), (10.02,), (10.00,), (10.01,)])
    found = data_of(qa("grr", "one.csv", "--method", "type1", "--reference", "10mm", "--tolerance", 1, "--json"))
    assert found["bias"] == pytest.approx(0.01)
    assert found["cg"] > found["cgk"] > 0
    write("line.csv", "reference,value", [(r, r * 1.01 + d) for r in (1, 2, 3) for d in (0, 0.001)])
    found = data_of(qa("grr", "line.csv", "--method", "linearity", "--json"))
    assert found["slope"] == pytest.approx(0.01)
    assert qa("grr", "line.csv", "--method", "linearity", "--save-instrument", "x.toml")[0] == 2


def test_a_sampling_plan_is_found(qa: Run) -> None:
    found = data_of(qa("sampling", "--lot", 1000, "--aql", "1.0", "--level", "II", "--severity", "normal", "--json"))
    assert [found[key] for key in ("code", "n", "ac", "re")] == ["J", 80, 2, 3]
    found = data_of(qa("sampling", "--lot", 40, "--aql", "0,65", "--json"))
    assert [found[key] for key in ("code", "n", "ac", "re")] == ["D", 20, 0, 1]
    found = data_of(qa("sampling", "--lot", 1000, "--aql", 1, "--severity", "reduced", "--json"))
    assert [found[key] for key in ("code", "n", "ac", "re")] == ["J", 32, 1, 3]


def test_a_plan_is_found_for_two_risks(qa: Run) -> None:
    found = data_of(qa("sampling", "--producer", "0.01:0.05", "--consumer", "0.06:0.10", "--json"))
    assert (found["n"], found["ac"], found["re"]) == (110, 3, 4)
    assert found["producer_risk"] <= 0.05
    assert found["consumer_risk"] <= 0.10


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--lot", "100"),
        ("--lot", "1", "--aql", "1.0"),
        ("--lot", "-3", "--aql", "1.0"),
        ("--lot", "x", "--aql", "1.0"),
        ("--lot", "100", "--aql", "1.1"),
        ("--lot", "100", "--aql", "nan"),
        ("--lot", "100", "--aql", "1.0", "--level", "IV"),
        ("--lot", "100", "--aql", "1.0", "--severity", "loose"),
        ("--lot", "100", "--aql", "1.0", "--found", "90"),
        ("--lot", "100", "--aql", "1mm"),
        ("--producer", "0.01:0.05"),
        ("--producer", "0.01", "--consumer", "0.06:0.1"),
        ("--producer", "0.06:0.05", "--consumer", "0.01:0.1"),
        ("--lot", "100", "--aql", "1.0", "--variables", "s", "--found", "1"),
        ("--lot", "100", "--aql", "1.0", "--variables", "sigma", "--standard", "mil-std-414"),
    ],
)
def test_sampling_called_wrongly_leaves_with_two(qa: Run, arguments: tuple[str, ...]) -> None:
    code, out, err = qa("sampling", *arguments, "--json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


def test_a_ledger_carries_the_severity_from_lot_to_lot(qa: Run) -> None:
    codes = [qa("sampling", "--lot", 1000, "--aql", "1.0", "--ledger", "lots.csv", "--found", n)[0] for n in (0, 3, 3)]
    assert codes == [0, 1, 1]
    found = data_of(qa("sampling", "--lot", 1000, "--aql", "1.0", "--ledger", "lots.csv", "--json"))
    assert (found["severity"], found["ac"], found["lots_before"]) == ("tightened", 1, 3)
    with Path("lots.csv").open() as stream:
        assert [row["accepted"] for row in csv.DictReader(stream)] == ["yes", "no", "no"]
    assert qa("sampling", "--lot", 1000, "--aql", "1.5", "--ledger", "lots.csv")[0] == 4
    assert qa("sampling", "--lot", 1000, "--aql", "1.0", "--ledger", "lots.csv", "--severity", "normal")[0] == 2


def test_a_stopped_series_says_how_to_go_on(qa: Run) -> None:
    for found in (3, 3, 2, 2, 2, 2, 2):
        qa("sampling", "--lot", 1000, "--aql", "1.0", "--ledger", "lots.csv", "--found", found)
    code, _, err = qa("sampling", "--lot", 1000, "--aql", "1.0", "--ledger", "lots.csv")
    assert code == 2
    assert "--severity tightened" in err
    found = data_of(
        qa("sampling", "--lot", 1000, "--aql", 1, "--ledger", "new.csv", "--severity", "tightened", "--json")
    )
    assert found["ac"] == 1


def test_a_lot_is_decided_by_measured_values(qa: Run) -> None:
    write("sample.csv", "value", [(value,) for value in (197, 188, 184, 205, 201)])
    plan = (
        "sampling",
        "--lot",
        40,
        "--aql",
        1,
        "--variables",
        "s",
        "--standard",
        "mil-std-414",
        "--file",
        "sample.csv",
        "--json",
    )
    found = data_of(qa(*plan, "--upper", 209))
    assert (found["code"], found["n"], found["k"], found["m_pct"], found["accepted"]) == ("D", 5, 1.53, 3.32, True)
    assert qa(*plan, "--upper", 205)[0] == 1
    assert qa(*plan)[0] == 2
    write("sample.csv", "value", [(1,), (2,)])
    assert qa(*plan, "--upper", 209)[0] == 4


def test_a_known_sigma_is_used(qa: Run) -> None:
    plan = data_of(qa("sampling", "--lot", 300, "--aql", 1, "--variables", "sigma", "--json"))
    write("sample.csv", "value", [(10,)] * plan["n"])
    decided = (
        "sampling",
        "--lot",
        300,
        "--aql",
        1,
        "--variables",
        "sigma",
        "--file",
        "sample.csv",
        "--upper",
        12,
        "--json",
    )
    assert data_of(qa(*decided, "--sigma", 0.5))["accepted"]
    assert qa(*decided, "--sigma", 2)[0] == 1
    assert qa(*decided)[0] == 2


def test_an_operating_characteristic_is_binomial_or_for_a_lot_in_whole_pieces(qa: Run) -> None:
    found = data_of(qa("oc", "--n", 20, "--ac", 0, "--json"))
    assert all(chance == pytest.approx((1 - fraction) ** 20, abs=1e-12) for fraction, chance in found["points"])
    found = data_of(qa("oc", "--n", 5, "--ac", 0, "--lot", 20, "--json"))
    assert [point[0] for point in found["points"]] == [bad / 20 for bad in range(21)]
    assert found["points"][1][1] == pytest.approx(0.75)
    found = data_of(qa("oc", "--n", 80, "--ac", 2, "--at", 0.01, "--json"))
    assert found["at"][0][1] == pytest.approx(0.9534, abs=1e-4)


@pytest.mark.parametrize(
    "arguments",
    [("--n", "0", "--ac", "0"), ("--n", "5", "--ac", "-1"), ("--n", "5", "--ac", "5"), ("--n", "5"), ("--n", "9", "--ac", "0", "--lot", "8"),
     ("--n", "5", "--ac", "0", "--at", "2"), ("--n", "5", "--ac", "0", "--lot", "20", "--at", "0.01"),
     ("--n", "5", "--ac", "0", "--k", "1"), ("--n", "1", "--k", "1"), ("--n", "99999999999", "--ac", "0")],
)  # fmt: skip
def test_an_operating_characteristic_asked_for_wrongly_leaves_with_two(qa: Run, arguments: tuple[str, ...]) -> None:
    assert qa("oc", *arguments)[0] == 2


def test_dice_are_read_as_counts_or_as_rolls(qa: Run) -> None:
    write("counts.csv", "face,count", [(1, 2), (2, 1), (6, 3)])
    write("rolls.csv", "face", [(1,), (2,), (6,), (1,), (6,), (6,)])
    counts, rolls = (data_of(qa("dice", name, "--json")) for name in ("counts.csv", "rolls.csv"))
    for key in ("n", "chi2", "dof", "p_value", "exact_p", "e_value"):
        assert counts[key] == rolls[key]
    assert (counts["n"], counts["dof"], counts["counts"]) == (6, 5, [2, 1, 0, 0, 0, 3])
    assert rolls["e_value_largest"] >= rolls["e_value"]


@pytest.mark.parametrize(
    "text",
    ["face\n7\n", "face\n0\n", "face\nsix\n", "face,count\n1,-1\n", "face,count\n1,0\n", "count\n1\n", "face\n1.5\n"],
)
def test_rolls_that_cannot_be_leave_with_four(qa: Run, text: str) -> None:
    Path("rolls.csv").write_text(text)
    code, out, _ = qa("dice", "rolls.csv", "--json")
    assert (code, out) == (4, "")


def test_the_number_of_rolls_is_said_before_anyone_starts_and_with_honest_advice(qa: Run) -> None:
    assert data_of(qa("dice", "--bias", 0.05, "--json"))["rolls"] == 10263
    code, out, _ = qa("dice", "--bias", 0.05)
    assert code == 0
    assert "10,263 rolls" in out
    assert "micrometer" in out


@pytest.mark.parametrize(
    "arguments",
    [(), ("--bias", "0"), ("--bias", "nan"), ("--bias", "0.1", "--power", "2"), ("--bias", "0.1", "--plot", "x.svg")],
)
def test_dice_called_wrongly_leave_with_two(qa: Run, arguments: tuple[str, ...]) -> None:
    assert qa("dice", *arguments)[0] == 2


def test_every_command_draws_and_the_option_may_stand_before_or_after(qa: Run) -> None:
    write("values.csv", "value,subgroup", [(value, number // 2) for number, value in enumerate(VALUES)])
    write("rolls.csv", "face", [(1,), (2,), (6,)])
    study()
    calls = {
        "capability": ("values.csv", "--upper", "32"),
        "chart": ("values.csv", "--type", "xbar-s"),
        "grr": ("study.csv",),
        "sampling": ("--lot", "500", "--aql", "1.0"),
        "oc": ("--n", "50", "--ac", "1"),
        "dice": ("rolls.csv",),
    }
    for name, arguments in calls.items():
        code, out, err = qa(name, *arguments, "--json", "--plot", f"{name}.svg")
        assert code == 0, err
        json.loads(out)
        code, _, err = qa("--plot", f"{name}.pdf", name, *arguments)
        assert code == 0, err
        assert Path(f"{name}.svg").read_bytes().startswith(b"<?xml")
        assert Path(f"{name}.pdf").read_bytes().startswith(b"%PDF")


def test_a_drawing_that_cannot_be_written_is_said_in_a_sentence(qa: Run) -> None:
    code, _, err = qa("oc", "--n", 50, "--ac", 1, "--plot", "nowhere/x.svg")
    assert code == 4
    assert "nowhere" in err


@pytest.mark.parametrize("name", sorted(command.list_commands(click.Context(command))))
def test_every_command_explains_itself_with_an_example(qa: Run, name: str) -> None:
    code, out, _ = qa(name, "--help")
    assert code == 0
    assert f"inspect-kit qa {name}" in out


def test_dice_that_nobody_could_read_are_counted_and_said_if_they_could_turn_the_verdict(
    kit: Kit, tmp_path: Path
) -> None:
    path = tmp_path / "rolls.csv"
    path.write_text("face,count\n" + "".join(f"{face},100\n" for face in range(1, 7)) + ",60\n")
    data = kit("qa", "dice", path, "--json").data
    assert (data["n"], data["unread"], data["unread_could_turn"]) == (600, 60, True)
    assert "60 rolls could not be read; they could turn the verdict" in kit("qa", "dice", path).out
    path.write_text("die,face\n" + "".join(f"{die},{face}\n" for die in (1, 2) for face in range(1, 7)) + "1,?\n")
    data = kit("qa", "dice", path, "--json").data
    assert (data["unread"], data["unread_could_turn"]) == (1, False)
