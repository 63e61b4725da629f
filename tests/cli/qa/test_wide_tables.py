"""Tables as people have them: wide or long, with Minitab's stars, in UTF-16, in every `qa` command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Kit

VALUES = ("31.02", "31.05", "31.01", "30.98", "31.07", "31.00", "31.03", "31.04")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def long_and_wide(unit: str = "mm") -> tuple[Path, Path]:
    long, wide = Path("long.csv"), Path("wide.csv")
    rows = "".join(f"coin.diameter,{value},{unit}\ncoin.mass,5.3,g\n" for value in VALUES)
    long.write_text(f"characteristic,value,unit\n{rows}")
    wide.write_text(
        f"piece;coin.diameter [{unit}];coin.mass [g]\n"
        + "".join(f"{n};{v.replace('.', ',')};5,3\n" for n, v in enumerate(VALUES))
    )
    return long, wide


@pytest.mark.parametrize(
    "command", [("capability", "--lower", "30.2mm", "--upper", "31.8mm"), ("chart",), ("chart", "--type", "ewma")]
)
def test_a_wide_table_gives_what_a_long_one_gives(kit: Kit, command: tuple[str, ...]) -> None:
    name, *options = command
    found = [kit("qa", name, path, "--characteristic", "coin.diameter", *options, "--json") for path in long_and_wide()]
    assert [each.code for each in found] == [0, 0]
    assert found[0].data == found[1].data


def test_a_head_in_centimetres_is_read_in_millimetres(kit: Kit) -> None:
    Path("cm.csv").write_text("width [cm]\n3.10\n3.12\n3.11\n")
    assert kit("qa", "capability", "cm.csv", "--lower", "30mm", "--upper", "32mm", "--json").data["mean"] == 31.1


def test_of_several_characteristics_one_must_be_chosen(kit: Kit) -> None:
    _, wide = long_and_wide()
    found = kit("qa", "chart", wide)
    assert (found.code, "--characteristic coin.diameter" in found.err) == (4, True)


def test_readings_side_by_side_are_a_subgroup_each(kit: Kit) -> None:
    Path("side.csv").write_text("x1,x2,x3\n1,2,3\n2,3,4\n1,3,5\n")
    Path("long.csv").write_text(
        "subgroup,value\n"
        + "".join(f"{g},{v}\n" for g, row in enumerate(((1, 2, 3), (2, 3, 4), (1, 3, 5)), 1) for v in row)
    )
    found = [kit("qa", "chart", path, "--type", "xbar-r", "--json").data for path in ("side.csv", "long.csv")]
    assert found[0] == found[1]


def test_trials_side_by_side_are_a_gauge_study(kit: Kit) -> None:
    rows = [
        (part, who, [f"{part + 0.1 * n + (0.05 if who == 'B' else 0):.2f}" for n in range(2)])
        for part in (1, 2, 3)
        for who in "AB"
    ]
    Path("wide.csv").write_text(
        "part,operator,trial 1,trial 2\n" + "".join(f"{p},{w},{','.join(v)}\n" for p, w, v in rows)
    )
    Path("long.csv").write_text(
        "part,operator,trial,value\n" + "".join(f"{p},{w},{n},{x}\n" for p, w, v in rows for n, x in enumerate(v, 1))
    )
    found = [kit("qa", "grr", path, "--json").data for path in ("wide.csv", "long.csv")]
    assert found[0] == found[1]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_minitabs_star_is_a_missing_value_in_every_encoding(kit: Kit, encoding: str) -> None:
    Path("star.csv").write_bytes("value\n31.02\n*\n31.05\n31.01\n".encode(encoding))
    assert kit("qa", "capability", "star.csv", "--lower", "30", "--upper", "32", "--json").data["n"] == 3
    assert kit("qa", "chart", "star.csv", "--json").data["points"] == 3


def test_points_are_told_apart_by_a_column_and_their_means_compared(kit: Kit) -> None:
    rows = "".join(
        f"{31 + 0.01 * (n % 5) + (0.2 if n % 2 else 0):.3f},{'M1' if n % 2 else 'M2'},P{n}\n" for n in range(20)
    )
    Path("by.csv").write_text(f"value,machine,piece\n{rows}")
    found = kit("qa", "chart", "by.csv", "--by", "machine", "--plot", "by.svg", "--json").data["strata"]
    assert [(each["stratum"], each["n"]) for each in found["strata"]] == [("M2", 10), ("M1", 10)]
    assert found["p_value"] < 1e-6
    assert kit("qa", "chart", "by.csv", "--by", "piece").code == 4


@pytest.mark.parametrize("method", ["anova", "nested"])
def test_crossed_nested_and_incomplete_studies_are_drawn(kit: Kit, method: str) -> None:
    rows = [
        f"{part},{who},{part + 0.1 * n + (0.05 if who == 'B' else 0):.2f} mm"
        for part in (1, 2, 3)
        for who in "AB"
        for n in range(2)
    ]
    for name, kept in (("whole", rows), ("gap", rows[:-1])):
        Path(f"{name}.csv").write_text("part,operator,value\n" + "\n".join(kept))
        if name == "gap" and method == "nested":
            continue
        assert kit("qa", "grr", f"{name}.csv", "--method", method, "--tolerance", "2mm", "--plot", "grr.svg").code == 0
        drawn = Path("grr.svg").read_text()
        assert ("operator × part" in drawn) == (method == "anova")
        for said in ("% tolerance", "ranges by operator", "reading, mm"):
            assert said in drawn
