"""What a lot's certificate may claim: each case was once wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspect_kit.cli.app import app, run
from inspect_kit.quality.batch.lines import Heading, canonical
from inspect_kit.quality.batch.table import table_lines
from tests.certificate.reading import pages_of, text_of
from tests.quality.lot.lots import coins, wide

Call = Callable[..., tuple[int, str, str]]
BASE = ("--spec", "icf-cs", "--item", "coin-set", "--on", "2026-11-16", "--u", "0.01")
ONE = (*BASE, "--characteristic", "coin.diameter")


@pytest.fixture
def kit(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> tuple[int, str, str]:
        group = ["qa"] if arguments[0] == "lot" else []
        code = run(app, [*group, *(str(argument) for argument in arguments)])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def keys(kit: Call) -> None:
    assert kit("keys", "init", "--name", "Czech Carrom Association", "--no-passphrase")[0] == 0


def judged(kit: Call, *arguments: object) -> tuple[int, dict[str, Any]]:
    code, out, err = kit("lot", *arguments, "--json")
    assert out, err
    return code, json.loads(out)


def trays(path: Path, photos: int, unreadable: int, pieces: int = 3) -> Path:
    """What a batch of tray photos wrote, some of which could not be measured."""

    def tray(number: int) -> bytes:
        entries = [
            {"characteristic": "coin.diameter", "instance": str(n), "value": 31.0 + n / 100, "unit": "mm", "u": 0.02}
            for n in range(1, pieces + 1)
        ]
        return canonical({"photo": f"{number}.jpg", "size": 1, "result": {"format": 1, "measurements": entries}})

    bad = [canonical({"photo": f"bad{n}.jpg", "size": 1, "error": "is blurred"}) for n in range(unreadable)]
    path.write_bytes(Heading("coins").line() + b"".join([*map(tray, range(photos - unreadable)), *bad]))
    return path


# 1. Photos that could not be measured


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_photos_that_could_not_be_measured_leave_the_lot_undecided(kit: Call, tmp_path: Path, form: str) -> None:
    lines = trays(tmp_path / "lot.jsonl", 64, 4)
    (tmp_path / "lot.csv").write_bytes(b"".join(table_lines(lines)))
    code, found = judged(kit, f"lot.{form}", *ONE)
    assert (code, found["verdict"]) == (3, "undecided")
    assert (found["inspected"], found["not_inspected"]) == (180, 4)


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "4 photographs could not be measured; the pieces on them were not inspected."),
        ("de", "4 Fotos konnten nicht ausgewertet werden"),
        ("cs", "Počet fotografií, které nebylo možno změřit: 4"),
        ("it", "Fotografie che non è stato possibile misurare: 4"),
    ],
)
def test_the_first_page_says_how_many_photos_were_not_measured(
    kit: Call, tmp_path: Path, language: str, said: str
) -> None:
    trays(tmp_path / "lot.jsonl", 64, 4)
    assert kit("lot", "lot.jsonl", *ONE, "--lang", language, "-o", "lot.pdf")[0] == 3
    page = " ".join(pages_of((tmp_path / "lot.pdf").read_bytes())[0].split())
    assert said in page
    # Nobody knows how many pieces lay on those photos, and no word may say that all were inspected.
    assert ("≥ 184" in page, "≥ 4" in page, "piece inspected" in page) == (True, True, False)


def test_a_stated_lot_size_tells_how_many_pieces_the_missed_photos_held(kit: Call, tmp_path: Path) -> None:
    trays(tmp_path / "lot.jsonl", 64, 4)
    code, found = judged(kit, "lot.jsonl", *ONE, "--lot", 192)
    assert (code, found["inspected"], found["not_inspected"]) == (3, 180, 12)


def test_pieces_not_inspected_count_both_ways_in_a_sample(kit: Call, tmp_path: Path) -> None:
    trays(tmp_path / "lot.jsonl", 80, 1, pieces=1)
    allowed, found = judged(kit, "lot.jsonl", *ONE, "--lot", 500, "--aql", "1.0", "--level", "III")
    assert (allowed, found["plan"]["ac"], found["not_inspected"]) == (0, 2, 1)
    trays(tmp_path / "more.jsonl", 80, 3, pieces=1)
    assert judged(kit, "more.jsonl", *ONE, "--lot", 500, "--aql", "1.0", "--level", "III")[0] == 3


# 2. Recorded defects


@pytest.mark.parametrize("asked", [(), ("--characteristic", "coin.diameter"), ("--characteristic", "coin.shape")])
@pytest.mark.parametrize("no", ["no", "nein", "ne", "NOK"])
def test_a_recorded_defect_fails_its_piece_whatever_was_asked_for(
    kit: Call, tmp_path: Path, asked: tuple[str, ...], no: str
) -> None:
    rows = [(f"A{n}", 31.0 + n / 1000, no if n == 7 else "yes") for n in range(50)]
    wide(tmp_path / "lot.csv", rows, "piece,coin.diameter,coin.shape")
    code, found = judged(kit, "lot.csv", *BASE, *asked)
    assert (code, found["failed"]) == (1, 1)
    assert ("A7", "coin.shape", "observed-no") in {
        (piece["piece"], piece["characteristic"], piece["reason"]) for piece in found["nonconforming"]
    }


def test_a_defect_recorded_for_one_piece_alone_fails_it_in_a_long_table(kit: Call, tmp_path: Path) -> None:
    rows = [("coin.diameter", f"A{n}", 31.0 + n / 1000) for n in range(50)]
    wide(tmp_path / "lot.csv", [*rows, ("coin.shape", "A7", "no")], "characteristic,instance,value")
    code, found = judged(kit, "lot.csv", *ONE)
    assert (code, found["failed"], found["undecided"]) == (1, 1, 0)


def test_a_value_beyond_a_limit_fails_its_piece_although_nobody_asked_for_it(kit: Call, tmp_path: Path) -> None:
    wide(tmp_path / "lot.csv", [("A1", 31.0, 5.3), ("A2", 31.1, 9.9)])
    assert judged(kit, "lot.csv", *ONE)[0] == 1


@pytest.mark.parametrize(("head", "cell"), [("defect", "scratch"), ("defects", "Kratzer"), ("decision", "reject")])
def test_a_defect_in_words_fails_its_piece(kit: Call, tmp_path: Path, head: str, cell: str) -> None:
    rows = [("A1", 31.0, ""), ("A2", 31.1, cell), ("A3", 31.1, "")]
    wide(tmp_path / "lot.csv", rows, f"piece,coin.diameter,{head}")
    code, found = judged(kit, "lot.csv", *ONE)
    assert (code, [piece["piece"] for piece in found["nonconforming"]]) == (1, ["A2"])


@pytest.mark.usefixtures("keys")
def test_a_lot_judged_by_eye_alone_gets_its_certificate(kit: Call, tmp_path: Path) -> None:
    wide(tmp_path / "lot.csv", [(f"A{n}", "ja") for n in range(20)], "piece,coin.shape")
    assert kit("lot", "lot.csv", *BASE, "--characteristic", "coin.shape", "-o", "lot.pdf")[0] == 0
    assert "The coins are round." in text_of((tmp_path / "lot.pdf").read_bytes())


def test_a_go_no_go_gauge_judges_a_limit(kit: Call, tmp_path: Path) -> None:
    wide(tmp_path / "lot.csv", [("A1", "go"), ("A2", "no-go"), ("A3", "go")], "piece,coin.diameter")
    code, found = judged(kit, "lot.csv", *ONE)
    assert (code, found["failed"], found["characteristics"][0]["conform"]) == (1, 1, 2)


# 3. Run rules and the order of making


def test_by_default_few_rules_run_and_their_false_alarms_are_told(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 50, ())
    few = judged(kit, "coins.csv", *ONE, "--in-order")[1]
    all_eight = judged(kit, "coins.csv", *ONE, "--in-order", "--rules", "nelson")[1]
    rates = [found["characteristics"][0]["false_alarm_rate"] for found in (few, all_eight)]
    assert few["rules"] == "1"
    assert rates[0] == pytest.approx(0.12, abs=0.03)
    assert rates[1] > 0.35


@pytest.mark.usefixtures("keys")
def test_without_an_order_of_making_there_is_no_chart_and_no_short_term_index(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 50, ())
    for options, charted in (((), False), (("--in-order",), True), (("--subgroup", "tray"), True)):
        assert kit("lot", "coins.csv", *ONE, *options, "--subject", "Lot A", "-o", "lot.pdf")[0] == 0
        text = text_of((tmp_path / "lot.pdf").read_bytes())
        assert ("Control chart in order of making" in text) is charted
        assert ("The order of making is not known" in text) is not charted
        assert "speak against" not in text


def test_a_column_of_times_gives_the_order(kit: Call, tmp_path: Path) -> None:
    rows = [(f"A{n}", 31.0 + n / 100, f"2026-11-16T08:{59 - n:02}") for n in range(20)]
    wide(tmp_path / "lot.csv", rows, "piece,coin.diameter,time")
    assert judged(kit, "lot.csv", *ONE)[1]["in_order"] is True


@pytest.mark.parametrize("rules", ["9", "1,,2", "shewhart", ""])
def test_rules_that_there_are_not_are_wrong_usage(kit: Call, tmp_path: Path, rules: str) -> None:
    coins(tmp_path, 20, ())
    code, _, err = kit("lot", "coins.csv", *ONE, "--rules", rules)
    assert (code, "names no run rules" in err) == (2, True)


# 5. The ledger, languages, reduced plans, plans by variables


def test_the_same_lot_judged_twice_counts_once_in_the_ledger(kit: Call, tmp_path: Path) -> None:
    plan = ("--lot", 500, "--aql", "1.0", "--level", "III", "--ledger", "lots.csv")
    coins(tmp_path, 80, ((1, "33"), (2, "33"), (3, "33")))
    for _ in range(3):
        code, found = judged(kit, "coins.csv", *ONE, *plan)
        assert (code, found["plan"]["severity"]) == (1, "normal")
    assert (tmp_path / "lots.csv").read_text().count("\n") == 2


def test_a_lot_sorted_and_presented_again_does_not_switch_the_severity(kit: Call, tmp_path: Path) -> None:
    plan = ("--lot", 500, "--aql", "1.0", "--level", "III", "--ledger", "lots.csv", "--subject", "Lot 7")
    coins(tmp_path, 80, ((1, "33"), (2, "33"), (3, "33")))
    assert judged(kit, "coins.csv", *ONE, *plan)[0] == 1
    coins(tmp_path, 80, ((1, "33"), (2, "33"), (3, "34")))
    code, _, err = kit("lot", "coins.csv", *ONE, *plan)
    assert (code, "--resubmitted" in err) == (2, True)
    assert judged(kit, "coins.csv", *ONE, *plan, "--resubmitted")[0] == 1
    coins(tmp_path, 80, ())
    assert judged(kit, "coins.csv", *ONE, *plan[:-1], "Lot 8")[1]["plan"]["severity"] == "normal"


@pytest.mark.usefixtures("keys")
def test_a_second_language_is_the_same_certificate(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 20, ())
    first = judged(kit, "coins.csv", *ONE, "-o", "en.pdf")[1]
    other_day = tuple("2026-11-15" if word == "2026-11-16" else word for word in ONE)
    second = judged(kit, "coins.csv", *other_day, "--lang", "de", "-o", "de.pdf")[1]
    assert (second["number"], second["replaces"]) == (first["number"], [])
    assert "Losbescheinigung" in text_of((tmp_path / "de.pdf").read_bytes()) or "Los" in text_of(
        (tmp_path / "de.pdf").read_bytes()
    )
    for name in ("en.pdf", "de.pdf"):
        assert kit("verify", name)[0] == 0
    assert len(json.loads(kit("registry", "list", "--json")[1])) == 1
    assert kit("registry", "audit")[0] == 0


@pytest.mark.usefixtures("keys")
def test_a_reduced_plan_of_105e_is_not_cited_as_iso(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 32, ())
    plan = ("--lot", 500, "--aql", "1.0", "--level", "III", "--severity", "reduced")
    assert kit("lot", "coins.csv", *ONE, *plan, "-o", "lot.pdf")[0] == 0
    assert "not a plan of ISO 2859-1" in text_of((tmp_path / "lot.pdf").read_bytes())


@pytest.mark.usefixtures("keys")
def test_a_plan_by_variables_does_not_decide_on_values_that_are_not_normal(kit: Call, tmp_path: Path) -> None:
    plan = ("--lot", 500, "--aql", "1.0", "--variables")
    skew = np.random.Generator(np.random.PCG64(3)).exponential(0.08, 25)
    wide(tmp_path / "lot.csv", [(f"A{n}", f"{30.7 + x:.3f}") for n, x in enumerate(skew)], "piece,coin.diameter")
    code, found = judged(kit, "lot.csv", *ONE, *plan)
    assert (code, found["verdict"]) == (3, "undecided")
    assert found["characteristics"][0]["accepted"] is True
    assert kit("lot", "lot.csv", *ONE, *plan, "-o", "lot.pdf")[0] == 3
    assert "not normally distributed" in " ".join(pages_of((tmp_path / "lot.pdf").read_bytes())[0].split())


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("language", "doubt"),
    [("en", "reason to doubt"), ("de", "Normalverteilung zu zweifeln"), ("cs", "důvod pochybovat"),
     ("it", "motivo di dubitare")],
)  # fmt: skip
def test_a_reason_to_doubt_the_normal_distribution_is_on_page_one(
    kit: Call, tmp_path: Path, language: str, doubt: str
) -> None:
    plan = ("--lot", 500, "--aql", "1.0", "--variables")
    skew = np.random.Generator(np.random.PCG64(5)).exponential(0.08, 25)
    wide(tmp_path / "lot.csv", [(f"A{n}", f"{30.7 + x:.3f}") for n, x in enumerate(skew)], "piece,coin.diameter")
    code, found = judged(kit, "lot.csv", *ONE, *plan)
    assert (code, found["verdict"]) == (0, "conforms")
    assert 0.01 < found["characteristics"][0]["normality_p"] < 0.05
    code, said, _ = kit("lot", "lot.csv", *ONE, *plan, "--lang", language, "-o", "lot.pdf")
    assert code == 0
    assert doubt in " ".join(pages_of((tmp_path / "lot.pdf").read_bytes())[0].split())
    assert "0.015" in said.replace(",", ".")


@pytest.mark.usefixtures("keys")
def test_a_piece_beyond_a_limit_is_on_page_one_of_a_lot_accepted_by_variables(kit: Call, tmp_path: Path) -> None:
    normal = np.random.Generator(np.random.PCG64(5)).normal(31.0, 0.28, 25)
    normal[4] = 31.83
    wide(tmp_path / "lot.csv", [(f"A{n}", f"{x:.3f}") for n, x in enumerate(normal)], "piece,coin.diameter")
    plan = ("--lot", 500, "--aql", "10", "--variables", "--level", "II")
    code, found = judged(kit, "lot.csv", *ONE, *plan, "-o", "lot.pdf")
    assert (code, found["failed"]) == (0, 1), found
    assert "Pieces of the sample beyond a limit: 1" in " ".join(
        pages_of((tmp_path / "lot.pdf").read_bytes())[0].split()
    )


# 7. Traceability


@pytest.mark.usefixtures("keys")
def test_a_certificate_3_1_names_customer_order_and_the_inspectors_independence(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 20, ())
    about = ("--customer", "Carrom Shop", "--order-number", "PO 4711", "--drawing", "C-31 index B", "--delivered", 20)
    assert kit("lot", "coins.csv", *ONE, *about, "--en-10204", "3.1", "-o", "lot.pdf")[0] == 2
    assert kit("lot", "coins.csv", *ONE, *about, "--en-10204", "3.1", "--independent", "-o", "lot.pdf")[0] == 0
    page = " ".join(pages_of((tmp_path / "lot.pdf").read_bytes())[0].split())
    for said in ("Inspection certificate 3.1 according to EN 10204", "Carrom Shop", "PO 4711", "C-31 index B",
                 "does not belong to the department"):  # fmt: skip
        assert said in page


@pytest.mark.usefixtures("keys")
def test_where_a_piece_comes_from_is_in_the_signed_record(kit: Call, tmp_path: Path) -> None:
    import pikepdf

    rows = [(f"A{n}", 31.0 + n / 1000, "early", f"M{n % 2}", n % 4) for n in range(20)]
    wide(tmp_path / "lot.csv", rows, "piece,coin.diameter,shift,machine,cavity")
    assert kit("lot", "lot.csv", *ONE, "-o", "lot.pdf")[0] == 0
    with pikepdf.open(tmp_path / "lot.pdf") as pdf:
        record = json.loads(pdf.attachments["record.json"].get_file().read_bytes())
    assert record["lot"]["trace"]["machine"][:3] == ["M0", "M1", "M0"]
    assert record["lot"]["trace"]["cavity"][3] == "3"
    assert kit("verify", "lot.pdf")[0] == 0


def test_an_uncertainty_in_mm_is_not_meant_for_a_mass_that_the_file_has_too(kit: Call, tmp_path: Path) -> None:
    wide(tmp_path / "lot.csv", [(n, f"31.{n:02}", f"5.{30 + n}") for n in range(1, 9)])
    base = ("--spec", "icf-cs", "--item", "coin-set", "--characteristic", "coin.diameter", "--u", "0.01mm")
    assert kit("qa", "lot", tmp_path / "lot.csv", *base)[0] == 0


def test_strata_and_the_distribution_with_the_best_evidence_are_in_the_lots_data(kit: Call, tmp_path: Path) -> None:
    """Values of two machines that are far apart are not normal."""
    rows = [(n, f"{30.6 + 0.004 * (n % 25) + (0.8 if n % 2 else 0):.3f}", ["M1", "M2"][n % 2]) for n in range(100)]
    wide(tmp_path / "lot.csv", rows, "piece,coin.diameter [mm],machine")
    base = ("--spec", "icf-cs", "--item", "coin-set", "--characteristic", "coin.diameter", "--u", "0.01mm")
    (found,) = json.loads(kit("qa", "lot", tmp_path / "lot.csv", *base, "--json")[1])["characteristics"]
    assert found["percentiles"]["distribution"] == min(
        found["percentiles"]["aicc"], key=found["percentiles"]["aicc"].get
    )
    (machines,) = found["strata"]
    assert [(each["stratum"], each["n"]) for each in machines["strata"]] == [("M1", 50), ("M2", 50)]
    assert machines["p_value"] < 1e-6
    first = machines["strata"][0]
    assert first["ppk"] == pytest.approx((first["mean"] - 30.2) / (3 * first["s"]))


CLASSED = (
    *BASE,
    "--lot",
    500,
    "--class",
    "critical=0.10:coin.shape",
    "--class",
    "major=1.0:coin.diameter",
    "--class",
    "minor=4.0",
)
HEAD = "piece,coin.diameter [mm],coin.mass [g],coin.shape"


def classed(path: Path, **wrong: int) -> Path:
    """The sample that the critical class asks for (125 pieces), with so many wrong ones of each class."""
    rows = [(n, "31.90" if n < wrong.get("major", 0) else "31.00", "9.9" if n < wrong.get("minor", 0) else "5.30",
             "no" if n < wrong.get("critical", 0) else "yes") for n in range(125)]  # fmt: skip
    return wide(path / "lot.csv", rows, HEAD)


@pytest.mark.parametrize(
    ("wrong", "code", "verdicts"),
    [
        ({}, 0, ["conforms", "conforms", "conforms"]),
        ({"critical": 1}, 1, ["fails", "conforms", "conforms"]),
        ({"major": 1, "minor": 5}, 0, ["conforms", "conforms", "conforms"]),
        ({"major": 2}, 1, ["conforms", "fails", "conforms"]),
        ({"minor": 6}, 1, ["conforms", "conforms", "fails"]),
    ],
)
def test_critical_major_and_minor_defects_have_an_aql_each(
    kit: Call, tmp_path: Path, wrong: dict[str, int], code: int, verdicts: list[str]
) -> None:
    found, out, _ = kit("qa", "lot", classed(tmp_path, **wrong), *CLASSED, "--json")
    plan = json.loads(out)["plan"]
    assert (found, [each["verdict"] for each in plan["classes"]]) == (code, verdicts)
    assert [(each["class"], each["n"], each["ac"], each["re"]) for each in plan["classes"]] == [
        ("critical", 125, 0, 1), ("major", 50, 1, 2), ("minor", 50, 5, 6),
    ]  # fmt: skip


def test_a_class_of_which_nothing_was_looked_at_is_not_accepted_by_silence(kit: Call, tmp_path: Path) -> None:
    path = wide(tmp_path / "lot.csv", [(n, "31.00") for n in range(125)], "piece,coin.diameter [mm]")
    code, _, err = kit("qa", "lot", path, *CLASSED)
    assert (code, "of the class critical the file has nothing: coin.shape" in err) == (4, True)


@pytest.mark.parametrize("text", ["major", "grave=1.0", "major=x", "major=1.1", "major=1.0:coin.diameter,coin.shape"])
def test_classes_that_make_no_sense_are_wrong_usage(kit: Call, tmp_path: Path, text: str) -> None:
    given = ("--lot", 500, "--class", "critical=0.10:coin.shape", "--class", text)
    assert kit("qa", "lot", classed(tmp_path), *BASE, *given)[0] == 2


def test_the_certificate_tells_the_classes_on_its_first_page_and_in_a_table(
    kit: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "home"))
    assert kit("keys", "init", "--name", "Turnery", "--inspector", "Eva", "--no-passphrase")[0] == 0
    out = tmp_path / "lot.pdf"
    assert kit("qa", "lot", classed(tmp_path, major=1), *CLASSED, "-o", out, "--lang", "de")[0] == 0
    first, *rest = pages_of(out)
    assert "kritisch AQL 0,10 (Ac 0, Re 1)" in " ".join(first.split())
    assert "Jede Klasse hat ihre eigene AQL" in " ".join(" ".join(rest).split())


def test_each_class_of_defects_is_switched_by_itself(kit: Call, tmp_path: Path) -> None:
    """Two of five refused for a major defect: major is tightened and nothing else; five accepted: normal again."""
    ledger = ("--ledger", tmp_path / "lots.csv")

    def presented(number: int, *more: str, **wrong: int) -> tuple[int, dict[str, str], str]:
        path = classed(tmp_path, **wrong)
        path.write_text(path.read_text().replace("\n0,", f"\n{number}-0,"))
        code, out, err = kit("qa", "lot", path, *CLASSED, *ledger, "--subject", f"Lot {number}", *more, "--json")
        return code, {each["class"]: each["severity"] for each in json.loads(out or "{}")["plan"]["classes"]}, err

    alike = dict.fromkeys(("critical", "major", "minor"), "normal")
    assert presented(1, major=2)[:2] == (1, alike)
    assert "the ledger has this lot already" in presented(1, major=2)[2]
    assert presented(2, "--resubmitted")[:2] == (0, alike)
    code, told, err = presented(3, major=2)
    assert (code, told, "major: from the next lot on: tightened" in err) == (1, alike, True)
    for number in range(4, 9):
        code, told, err = presented(number, minor=1)
        assert (code, told) == (0, {**alike, "major": "tightened"})
    assert "major: from the next lot on: normal" in err
    assert presented(9)[1] == alike


def test_a_ledger_of_classes_is_replayed_and_goes_with_its_classes(kit: Call, tmp_path: Path) -> None:
    ledger, path = tmp_path / "lots.csv", classed(tmp_path, major=2)
    assert kit("qa", "lot", path, *CLASSED, "--ledger", ledger)[0] == 1
    rows = ledger.read_text().splitlines()
    assert rows[0].startswith("class,lot,found,inspected,aql")
    assert rows[2].startswith("major,500,2,125,1.0,")
    other = classed(tmp_path, major=1)
    assert "of classes" in kit("qa", "lot", other, *BASE, "--lot", 500, "--aql", "1.0", "--ledger", ledger)[2]
    two = ("--class", "critical=0.10:coin.shape", "--class", "major=1.0")
    assert "the class minor" in kit("qa", "lot", other, *BASE, "--lot", 500, *two, "--ledger", ledger)[2]
    ledger.write_text(ledger.read_text().replace("major,500,2,", "major,500,1,"))
    assert kit("qa", "lot", other, *CLASSED, "--ledger", ledger)[0] == 4


def test_a_certificate_says_how_each_class_was_inspected(
    kit: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "home"))
    assert kit("keys", "init", "--name", "Turnery", "--inspector", "Eva", "--no-passphrase")[0] == 0
    head = "class,lot,found,inspected,severity\n"
    (tmp_path / "lots.csv").write_text(head + "critical,500,0,125,normal\nmajor,500,0,125,tightened\n")
    given = (*CLASSED, "--ledger", tmp_path / "lots.csv", "-o", tmp_path / "lot.pdf", "--lang", "it")
    assert kit("qa", "lot", classed(tmp_path), *given)[0] == 0
    text = " ".join(" ".join(pages_of(tmp_path / "lot.pdf")).split())
    assert "critica: ispezione ordinaria, maggiore: ispezione rinforzata" in text


def test_lots_by_measured_values_have_a_ledger_too(kit: Call, tmp_path: Path) -> None:
    """Two of five refused: tightened; five accepted: normal again. The same lot counts once."""
    source = np.random.default_rng(5)
    ledger = tmp_path / "lots.csv"

    def presented(number: int, mean: float, *more: str) -> tuple[int, str, str]:
        values = source.normal(mean, 0.1, 10)
        wide(
            tmp_path / f"{number}.csv",
            [(n, f"{value:.3f}") for n, value in enumerate(values)],
            "piece,coin.diameter [mm]",
        )
        return judged(number, *more)

    def judged(number: int, *more: str) -> tuple[int, str, str]:
        given = ("--lot", 150, "--aql", "1.0", "--variables", "--ledger", ledger, "--subject", f"Lot {number}", *more)
        return kit("qa", "lot", tmp_path / f"{number}.csv", *ONE, *given, "--json")

    assert presented(1, 31.75)[0] == 1
    assert "the ledger has this lot already" in judged(1)[2]
    assert presented(1, 31.0, "--resubmitted")[0] == 0
    code, _, err = presented(2, 31.75)
    assert (code, "from the next lot on: tightened" in err) == (1, True)
    for number in range(3, 8):
        code, out, err = presented(number, 31.0)
        assert (code, json.loads(out)["plan"]["severity"]) == (0, "tightened")
    assert "from the next lot on: normal" in err
    ledger.write_text(ledger.read_text().replace(",tightened,normal,", ",normal,normal,"))
    assert presented(8, 31.0)[0] == 4


@pytest.mark.parametrize("alike", ["01", "\uff11", "1\u200b"])
def test_a_piece_counts_once_however_its_name_is_written(kit: Call, tmp_path: Path, alike: str) -> None:
    (tmp_path / "lot.csv").write_text(f"piece,coin.diameter\n1,31.1\n{alike},31.1\n", encoding="utf-8")
    code, out, err = kit("lot", "lot.csv", *ONE)
    assert (code, out) == (4, "")
    assert "stands there twice" in err


def test_one_sample_is_of_one_lot(kit: Call, keys: None, tmp_path: Path) -> None:
    """The same file had accepted two lots; where it is the same lot under another name, the first one is replaced."""
    coins(tmp_path, 50, bad=())
    asked = ("lot", "coins.csv", *ONE, "--lot", "500", "--aql", "1.0")
    code, out, err = kit(*asked, "--subject", "Lot A", "-o", "a.pdf", "--json")
    assert code == 0, err
    refused, _, why = kit(*asked, "--subject", "Lot B", "-o", "b.pdf")
    number = json.loads(out)["number"]
    assert (refused, number in why) == (4, True)
    again = (*asked, "--subject", "Lot A-1", "--replaces", number, "--because", "misnamed", "-o", "b.pdf")
    assert kit(*again)[0] == 0


@pytest.mark.parametrize("change", ["renamed", "sorted", "zeros", "cm", "one"])
def test_a_sample_written_otherwise_is_the_same_sample(kit: Call, keys: None, tmp_path: Path, change: str) -> None:
    """New serial numbers, another order, unit or number of digits, or one value edited, had accepted another lot."""
    values = [f"{31.10 + (7 * each % 23) / 100:.2f}" for each in range(50)]
    rows = [(f"C-{each:03}", value) for each, value in enumerate(values, 1)]
    asked = ("lot", "coins.csv", *ONE, "--lot", "500", "--aql", "1.0")
    _write_lot(tmp_path / "coins.csv", "mm", rows)
    code, _, err = kit(*asked, "--subject", "Lot A", "-o", "a.pdf")
    assert code == 0, err
    changed = {
        "renamed": [(f"D-{each:03}", value) for each, value in enumerate(values, 201)],
        "sorted": sorted(rows, key=lambda row: row[1]),
        "zeros": [(piece, f"{value}0") for piece, value in rows],
        "cm": [(piece, f"{float(value) / 10:.3f}") for piece, value in rows],
        "one": [*rows[:9], ("C-010", "31.19"), *rows[10:]],
    }[change]
    assert changed != rows
    _write_lot(tmp_path / "coins.csv", "cm" if change == "cm" else "mm", changed)
    refused, _, why = kit(*asked, "--subject", "Lot B", "-o", "b.pdf")
    assert (refused, "Lot A" in why) == (4, True)


def _write_lot(path: Path, unit: str, rows: list[tuple[str, str]]) -> None:
    lines = (f"piece,coin.diameter [{unit}]", *(f"{piece},{value}" for piece, value in rows))
    path.write_text("\n".join(lines) + "\n")
