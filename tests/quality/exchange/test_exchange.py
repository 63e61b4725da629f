"""Lots for other programs, read back by what their formats say."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.exchange.write import FORMS, form_of, lines_in
from inspect_kit.quality.lot.file import WantedCharacteristics, read_lot
from inspect_kit.quality.lot.record import LotRecord, lot_record_of
from tests.quality.lot.lots import DIAMETER, MASS, SUBJECT, accepted, judged, refused, wide

Q = "{http://qifstandards.org/xsd/qif3}"
D = "{https://ptb.de/dcc}"
S = "{https://ptb.de/si}"


def written(form: str, record: LotRecord) -> bytes:
    return b"".join(lines_in(form, record))


@pytest.fixture
def record(tmp_path: Path) -> LotRecord:
    return refused(tmp_path)


# Q-DAS ASCII


def parsed_dfq(content: bytes) -> tuple[dict[str, str], list[list[list[str]]]]:
    """Keys with their texts, and the compact value lines by piece, characteristic and field."""
    assert content.endswith(b"\r\n")
    keys: dict[str, str] = {}
    values: list[list[list[str]]] = []
    for line in content.decode("cp1252").split("\r\n")[:-1]:
        if line.startswith("K") and line[1:5].isdigit():
            key, _, text = line.partition(" ")
            assert key not in keys
            keys[key] = text
        else:
            values.append([part.split("\x14") for part in line.split("\x0f")])
    return keys, values


def test_dfq_says_what_was_measured_between_which_limits(record: LotRecord) -> None:
    keys, _ = parsed_dfq(written("dfq", record))
    assert keys["K0100"] == "2"
    assert (keys["K2002/1"], keys["K2002/2"]) == (DIAMETER, MASS)
    assert (keys["K2110/1"], keys["K2111/1"], keys["K2142/1"], keys["K2022/1"]) == ("30.2", "31.8", "mm", "2")
    assert keys["K1022"] == "Drechslerei Müller & Söhne"
    assert keys["K1053"] == "Lot 2026-11-A"
    assert not any(key.startswith(("K2120", "K2121")) for key in keys)


def test_dfq_has_a_line_a_piece_with_separators_20_and_15(record: LotRecord) -> None:
    _, values = parsed_dfq(written("dfq", record))
    assert len(values) == 40
    assert values[2] == [
        ["31.95", "0", "16.11.2026/00:00:00", "", "#Lot 2026-11-A"],
        ["5.44", "0", "16.11.2026/00:00:00", "", "#Lot 2026-11-A"],
    ]
    assert [line[0][0] for line in values] == list(record.lot.series[0].values)


def test_dfq_names_the_pieces_that_have_names(record: LotRecord, tmp_path: Path) -> None:
    keys, _ = parsed_dfq(written("dfq", record))
    assert keys["K0014/1/17"] == "A-017"
    plain = lot_record_of(judged(wide(tmp_path / "x.csv", [(31.0,), (31.1,)], "value")), SUBJECT)
    assert not any(key.startswith("K0014") for key in parsed_dfq(written("dfq", plain))[0])


def test_dfq_marks_a_value_that_is_missing(tmp_path: Path) -> None:
    outcome = judged(wide(tmp_path / "lot.csv", [("A1", 31.0, 5.3), ("A2", "", 5.4)]), DIAMETER, MASS)
    _, values = parsed_dfq(written("dfq", lot_record_of(outcome, SUBJECT)))
    assert values[1][0][:2] == ["0", "255"]
    assert values[1][1][:2] == ["5.4", "0"]


def test_dfq_keeps_letters_that_windows_has_and_drops_accents_it_lacks(record: LotRecord) -> None:
    subject = msgspec.structs.replace(record.subject, owner="Řehoř & Söhne\x0f\x14K0100 9")
    keys, values = parsed_dfq(written("dfq", msgspec.structs.replace(record, subject=subject)))
    assert keys["K1022"] == "Rehor & SöhneK0100 9"
    assert keys["K0100"] == "2"
    assert len(values) == 40


# QIF


def qif(record: LotRecord) -> ElementTree.Element:
    return ElementTree.fromstring(written("qif", record))


def test_qif_has_its_parts_in_the_order_of_the_standard(record: LotRecord) -> None:
    assert [part.tag.removeprefix(Q) for part in qif(record)] == [
        "QPId", "Version", "Header", "StandardsDefinitions", "PreInspectionTraceability", "FileUnits", "Product",
        "Characteristics", "Results",
    ]  # fmt: skip


def test_qif_gives_every_piece_its_values_status_and_serial_number(record: LotRecord) -> None:
    root = qif(record)
    results = root.findall(f".//{Q}MeasurementResults")
    assert len(results) == 40
    third = results[2]
    (value,) = third.findall(f".//{Q}DiameterCharacteristicMeasurement/{Q}Value")
    assert (value.text, value.get("combinedUncertainty")) == ("31.95", "0.01")
    assert third.findtext(f".//{Q}DiameterCharacteristicMeasurement/{Q}Status/{Q}CharacteristicStatusEnum") == "FAIL"
    assert (
        third.findtext(f".//{Q}UserDefinedMassCharacteristicMeasurement/{Q}Status/{Q}CharacteristicStatusEnum")
        == "PASS"
    )
    assert third.findtext(f"{Q}InspectionStatus/{Q}InspectionStatusEnum") == "FAIL"
    assert results[19].findtext(f"{Q}InspectionStatus/{Q}InspectionStatusEnum") == "UNKNOWN"
    component = root.find(f".//{Q}ActualComponent[@id='{third.findtext(f'{Q}ActualComponentIds/{Q}Id')}']")
    assert component is not None
    assert component.findtext(f"{Q}SerialNumber") == "A-003"


def test_qif_ids_are_unique_referenced_ones_exist_and_counts_are_right(record: LotRecord) -> None:
    root = qif(record)
    ids = [int(part.get("id", "")) for part in root.iter() if part.get("id")]
    assert len(set(ids)) == len(ids)
    assert int(root.get("idMax", "0")) >= max(ids)
    references = [part for part in root.iter() if part.tag.endswith("Id") and part.tag != f"{Q}QPId"]
    assert references
    assert {int(part.text or "") for part in references} <= set(ids)
    for part in root.iter():
        if part.get("n"):
            assert int(part.get("n", "")) == len(part)


def test_qif_is_the_same_for_the_same_record(record: LotRecord) -> None:
    assert written("qif", record) == written("qif", record)


def test_qif_has_no_name_for_counted_things(record: LotRecord) -> None:
    counts = msgspec.structs.replace(record.lot.series[0], characteristic="coin.count.white", unit="count")
    lot = msgspec.structs.replace(record.lot, series=(counts,))
    with pytest.raises(BadInput, match="QIF has no characteristic in count"):
        written("qif", msgspec.structs.replace(record, lot=lot))


# CSV


def test_csv_has_a_row_a_reading_and_reads_back_as_the_same_lot(record: LotRecord, tmp_path: Path) -> None:
    content = written("csv", record)
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert len(rows) == 80
    assert rows[2] == {
        "characteristic": DIAMETER, "instance": "A-003", "value": "31.95", "unit": "mm", "u": "0.01", "lower": "30.2",
        "upper": "31.8", "verdict": "fails", "reason": "above-upper", "lot": "Lot 2026-11-A",
    }  # fmt: skip
    path = tmp_path / "again.csv"
    path.write_bytes(content)
    again = read_lot(path, WantedCharacteristics((DIAMETER, MASS)))
    assert again.pieces == record.lot.pieces
    assert list(again.columns[MASS].values) == list(record.lot.series[1].values)


def test_csv_does_not_hand_formulas_to_spreadsheets(tmp_path: Path) -> None:
    outcome = judged(wide(tmp_path / "lot.csv", [("=1+1", 31.0, 5.3), ("@x", 31.1, 5.3)]))
    rows = list(csv.DictReader(io.StringIO(written("csv", lot_record_of(outcome, SUBJECT)).decode())))
    assert [row["instance"] for row in rows] == ["'=1+1", "'@x"]


# DCC


def test_the_dcc_shape_has_values_unit_uncertainty_and_conformity(record: LotRecord) -> None:
    root = ElementTree.fromstring(written("dcc", record))
    assert root.get("schemaVersion") == "3.3.0"
    (first, _) = root.findall(f".//{S}realListXMLList")
    assert (first.findtext(f"{S}valueXMLList") or "").split() == list(record.lot.series[0].values)
    assert first.findtext(f"{S}unitXMLList") == r"\milli\metre"
    assert first.findtext(f".//{S}valueExpandedMUXMLList") == "0.02"
    assert root.findtext(f".//{D}conformity") == "fail"
    assert root.findtext(f".//{D}uniqueIdentifier") == record.digest
    assert (root.findtext(f".//{D}release") or "").startswith("v")
    assert "is none" in (root.findtext(f".//{D}declaration/{D}content") or "")


def test_the_dcc_shape_states_the_sampling_plan(tmp_path: Path) -> None:
    content = written("dcc", accepted(tmp_path)).decode()
    assert "attributes, n = 80 of 500, AQL 1.0, Ac = 2, Re = 3" in content


# All


@pytest.mark.parametrize("form", ["qif", "dcc"])
def test_strange_texts_do_not_break_the_markup(form: str, record: LotRecord) -> None:
    odd = "<Lot & \"7\" 'x'> ]]> \x01\x0b\ufffe"
    subject = msgspec.structs.replace(record.subject, text=odd, owner=odd, issuer=odd)
    root = ElementTree.fromstring(written(form, msgspec.structs.replace(record, subject=subject)))
    assert any("<Lot & \"7\" 'x'> ]]>" in (part.text or "") for part in root.iter())


def test_the_form_is_told_by_name_or_ending() -> None:
    assert form_of(None, Path("x.DFQ")) == "dfq"
    assert form_of("dcc", Path("x.xml")) == "dcc"
    with pytest.raises(UsageError, match="does not tell its form"):
        form_of(None, Path("x.xml"))
    assert set(FORMS) == {"dfq", "qif", "csv", "dcc", "xlsx"}


QIF = "{http://qifstandards.org/xsd/qif3}"


def test_qif_names_its_standard_where_the_schema_demands_it(record: LotRecord) -> None:
    root = ElementTree.fromstring(written("qif", record))
    order = [child.tag.removeprefix(QIF) for child in root]
    assert order.index("Header") < order.index("StandardsDefinitions") < order.index("PreInspectionTraceability")
    (standard,) = root.iter(f"{QIF}Standard")
    for parent in ("Characteristics", "PreInspectionTraceability"):
        (named,) = root.findall(f"{QIF}{parent}/{QIF}FormalStandardId")
        assert named.text == standard.get("id")
    (aspects,) = root.findall(f"{QIF}Characteristics")
    assert aspects[0].tag == f"{QIF}FormalStandardId"
    ids = [int(part.get("id", 0)) for part in root.iter() if part.get("id")]
    assert len(set(ids)) == len(ids)
    assert max(ids) <= int(root.get("idMax", 0))


def test_a_stroked_letter_keeps_its_letter_in_dfq(record: LotRecord) -> None:
    maker = msgspec.structs.replace(record.subject, owner="Łódź Žabka Đorđe")
    keys, _ = parsed_dfq(written("dfq", msgspec.structs.replace(record, subject=maker)))
    assert keys["K1022"] == "Lódz Žabka Dorde"


@pytest.mark.parametrize("form", ["dfq", "qif", "dcc", "csv"])
def test_what_is_judged_by_eye_does_not_break_an_export(tmp_path: Path, form: str) -> None:
    rows = [("A1", 31.0, "yes"), ("A2", 31.1, "no")]
    outcome = judged(wide(tmp_path / "lot.csv", rows, "piece,coin.diameter,coin.shape"), DIAMETER, "coin.shape")
    content = written(form, lot_record_of(outcome, SUBJECT))
    assert b"31.1" in content
    if form == "qif":
        statuses = [part.text for part in ElementTree.fromstring(content).iter(f"{QIF}InspectionStatusEnum")]
        assert statuses.count("FAIL") == 2


def test_a_spreadsheet_has_numbers_and_reads_back_as_the_same_lot(record: LotRecord, tmp_path: Path) -> None:
    from python_calamine import CalamineWorkbook

    path = tmp_path / "lot.xlsx"
    path.write_bytes(written("xlsx", record))
    rows = CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
    assert isinstance(rows[1][rows[0].index("value")], float)
    again = read_lot(path, WantedCharacteristics((DIAMETER,)))
    assert again.pieces == record.lot.pieces
    assert [float(value) for value in again.columns[DIAMETER].values] == [
        float(v) for v in record.lot.series[0].values if v
    ]


@pytest.fixture
def traced(tmp_path: Path) -> LotRecord:
    """Two pieces of known origin."""
    head = "piece,coin.diameter [mm],machine,cavity,operator,shift,tray,serial,time"
    rows = [(1, "31.00", "M-4", 3, 17, "early", "T1", "S-901", "2026-11-16T06:30:00"),
            (2, "31.10", 12, 4, "Eva", "late", "T2", "S-902", "")]  # fmt: skip
    return lot_record_of(judged(wide(tmp_path / "traced.csv", rows, head)), SUBJECT)


def test_dfq_has_the_origin_of_a_piece_in_the_fields_that_there_are_for_it(traced: LotRecord) -> None:
    keys, values = parsed_dfq(written("dfq", traced))
    assert [row[0][2] for row in values] == ["16.11.2026/06:30:00", "16.11.2026/00:00:00"]
    assert (keys["K0014/1/1"], keys["K0014/1/2"]) == ("S-901", "S-902")
    assert (keys["K0007/1/1"], keys["K0008/1/1"], keys["K0010/1/2"]) == ("3", "17", "12")
    assert (keys["K0080/1/1"], keys["K0080/1/2"]) == ("T1", "T2")
    assert keys["K0009/1/1"] == "shift early, machine M-4"
    assert "K0010/1/1" not in keys, "a machine with a name is no number"


def test_qif_has_the_origin_of_a_piece_as_attributes_of_its_component(traced: LotRecord) -> None:
    component = qif(traced).find(".//{*}ActualComponent")
    assert component is not None
    found = {each.get("name"): each.get("value") for each in component.iterfind("{*}Attributes/{*}AttributeStr")}
    assert found == {
        "machine": "M-4", "cavity": "3", "operator": "17", "shift": "early", "tray": "T1", "time": "2026-11-16T06:30:00",
    }  # fmt: skip
    assert [child.tag.partition("}")[2] for child in component] == ["Attributes", "SerialNumber", "Status"]
    assert component.findtext("{*}SerialNumber") == "S-901"
    attributes = component.find("{*}Attributes")
    assert attributes is not None
    assert attributes.get("n") == "6"


@pytest.fixture
def by_eye(tmp_path: Path) -> LotRecord:
    """A lot that was only looked at: the fourth of five pieces has a fault."""
    path = wide(tmp_path / "seen.csv", [(n, "no" if n == 4 else "yes") for n in range(1, 6)], "piece,coin.shape")
    return lot_record_of(judged(path, "coin.shape"), SUBJECT)


def test_qif_has_what_is_judged_by_eye_as_attributes_with_the_words_that_pass_and_fail(by_eye: LotRecord) -> None:
    root = qif(by_eye)
    nominal = root.find(f".//{Q}UserDefinedAttributeCharacteristicNominal")
    assert nominal is not None
    assert [(part.tag.removeprefix(Q), part.get("n"), part[0].text) for part in nominal[1:]] == [
        ("PassValues", "1", "yes"), ("FailValues", "1", "no"),
    ]  # fmt: skip
    seen = root.findall(f".//{Q}UserDefinedAttributeCharacteristicMeasurement")
    assert [each.findtext(f"{Q}Value") for each in seen] == ["yes", "yes", "yes", "no", "yes"]
    assert seen[3].findtext(f"{Q}Status/{Q}CharacteristicStatusEnum") == "FAIL"
    assert root.find(f".//{Q}Tolerance") is None


def test_the_dcc_shape_is_never_without_a_result(by_eye: LotRecord) -> None:
    root = ElementTree.fromstring(written("dcc", by_eye))
    (result,) = root.findall(f".//{D}results/{D}result")
    assert result.findtext(f"{D}data/{D}text/{D}content") == "4 conform, 1 fail, 0 undecided"


def test_dfq_has_what_is_judged_by_eye_as_attributes_of_one_piece_with_one_error_or_none(by_eye: LotRecord) -> None:
    keys, values = parsed_dfq(written("dfq", by_eye))
    assert (keys["K0100"], keys["K2002/1"], keys["K2004/1"]) == ("1", "coin.shape", "1")
    assert not any(key.startswith(("K2101", "K2110", "K2111", "K2142")) for key in keys)
    assert [piece[0][:4] for piece in values] == [["1000", str(int(n == 4)), "0", "0"] for n in range(1, 6)]
    assert values[0][0][4:] == ["16.11.2026/00:00:00", "", "#Lot 2026-11-A"]


def test_dfq_counts_nothing_for_a_piece_that_nobody_looked_at(tmp_path: Path) -> None:
    rows = [("A1", 31.0, "yes"), ("A2", 31.1, ""), ("A3", "no", "yes")]
    outcome = judged(wide(tmp_path / "lot.csv", rows, "piece,coin.diameter,coin.shape"), DIAMETER, "coin.shape")
    keys, values = parsed_dfq(written("dfq", lot_record_of(outcome, SUBJECT)))
    assert [keys[f"K2004/{n}"] for n in (1, 2, 3)] == ["0", "1", "1"]
    assert [keys[f"K2002/{n}"] for n in (1, 2, 3)] == [DIAMETER, DIAMETER, "coin.shape"]
    assert [piece[0][:2] for piece in values] == [["31.0", "0"], ["31.1", "0"], ["0", "255"]]
    assert [piece[1][:4] for piece in values] == [["0", "0", "0", "255"]] * 2 + [["1000", "1", "0", "0"]]
    assert values[1][2][:4] == ["0", "0", "0", "255"]


def test_dfq_of_a_lot_of_which_nothing_is_known_is_refused(by_eye: LotRecord) -> None:
    blank = msgspec.structs.replace(by_eye.lot.series[0], values=(None,) * 5)
    lot = msgspec.structs.replace(by_eye.lot, series=(blank,))
    with pytest.raises(BadInput, match="nobody has measured or judged"):
        written("dfq", msgspec.structs.replace(by_eye, lot=lot))
