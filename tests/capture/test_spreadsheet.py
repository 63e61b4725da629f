"""Tables as referees send them: spreadsheets, ounces and inches, and yes in their own language."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from openpyxl import Workbook

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.capture.spreadsheet import MAX_UNPACKED
from inspect_kit.errors import BadInput
from inspect_kit.quality.table import read_table
from tests.cli.conftest import Kit, kit

__all__ = ["kit"]

ROWS = [("characteristic", "value", "unit", "u", None), ("striker.mass", 14.82, "g", 0.01, None),
        ("striker.diameter", 41, "mm", 0.01, None), ("striker.shape", "ja", None, None, None)]  # fmt: skip


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    book = Workbook()
    book.active.title = "Striker"
    other = book.create_sheet("Board 3")
    for row in ROWS:
        book.active.append(row)
    other.append(ROWS[0])
    other.append(("surface.thickness", 9.5, "mm", 0.1, None))
    path = tmp_path / "readings.xlsx"
    book.save(path)
    return path


def open_document(path: Path, rows: Sequence[Sequence[object]] = ROWS) -> Path:
    """The least that is an OpenDocument spreadsheet."""
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="float" office:value="{cell}"/>'
            if isinstance(cell, int | float)
            else f'<table:table-cell office:value-type="string"><text:p>{cell or ""}</text:p></table:table-cell>'
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    names = "".join(
        f' xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"' for short in ("office", "table", "text")
    )
    body = f'<office:body><office:spreadsheet><table:table table:name="Striker">{cells}</table:table></office:spreadsheet></office:body>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml", f'<?xml version="1.0"?><office:document-content{names}>{body}</office:document-content>'
        )
        manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        archive.writestr("META-INF/manifest.xml", manifest)
    return path


def test_xlsx_and_ods_are_read_as_csv_is(workbook: Path, tmp_path: Path) -> None:
    for path in (workbook, open_document(tmp_path / "readings.ods")):
        readings = {each.characteristic: each for each in read_measurements(path).readings}
        assert (readings["striker.mass"].value, readings["striker.mass"].unit) == ("14.82", "g")
        assert readings["striker.diameter"].value == "41"
        assert readings["striker.shape"].value == "yes"


def test_a_sheet_can_be_named(workbook: Path) -> None:
    (reading,) = read_measurements(Path(f"{workbook}#Board 3")).readings
    assert reading.characteristic == "surface.thickness"
    with pytest.raises(BadInput, match='has no sheet "Bord 3".*did you mean "Board 3"'):
        read_measurements(Path(f"{workbook}#Bord 3"))


def test_a_spreadsheet_feeds_quality_assurance_too(workbook: Path) -> None:
    assert "value" in read_table(workbook).columns


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"PK\x03\x04" + bytes(200)])
def test_a_broken_spreadsheet_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.xlsx"
    path.write_bytes(content)
    with pytest.raises(BadInput, match="spreadsheet"):
        read_measurements(path)


def test_a_spreadsheet_that_unpacks_beyond_all_measure_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("xl/a.xml", "w") as out,
    ):
        for _ in range(MAX_UNPACKED // 10_000_000 + 1):
            out.write(bytes(10_000_000))
    with pytest.raises(BadInput, match="unpacks to"):
        read_measurements(path)


@pytest.mark.parametrize("yes", ["yes", "Ja", "ANO", "sì", "si"])
@pytest.mark.parametrize("no", ["no", "Nein", "ne"])
def test_yes_and_no_of_four_languages_are_understood_in_files(tmp_path: Path, yes: str, no: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"characteristic,value\nstriker.shape,{yes}\nstriker.material,{no}\n")
    assert [each.value for each in read_measurements(path).readings] == ["yes", "no"]


def test_ounces_and_inches_in_a_file(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("characteristic,value,unit,u\nstriker.mass,0.52,oz,0.0005\nstriker.diameter,1.6,in,0.001\n")
    found = kit("judge", path, "--spec", "icf-2001-it", "--item", "striker", "--json").data["findings"]
    values = {each["characteristic"]: each["value"] for each in found}
    assert values["striker.mass"] == pytest.approx(14.741752)
    assert values["striker.diameter"] == pytest.approx(40.64)


def test_a_typo_in_an_overlay_gets_one_fault_with_the_name_that_was_meant(kit: Kit, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text(
        'format = 1\nid = "house"\ntitle = "House"\nstanding = "house"\ndisclaimer = "Ours."\nbecause = "So."\n'
        'over = "icf-cs"\n[[clause]]\ncharacteristic = "striker.mas"\nlimits = { upper = "14 g" }\nbecause = "So."\n'
    )
    result = kit("specs", "check", house)
    assert result.code == 4
    assert 'did you mean "striker.mass"?' in result.out + result.err
    assert (result.out + result.err).count("clause[0]") == 1


def test_house_rules_lie_over_any_sheet(kit: Kit, tmp_path: Path) -> None:
    house, readings = tmp_path / "house.toml", tmp_path / "s.csv"
    house.write_text(
        'format = 1\nid = "house"\ntitle = "House"\nstanding = "house"\ndisclaimer = "Ours."\nbecause = "So."\n'
        'over = "icf-cs"\n[[clause]]\ncharacteristic = "striker.mass"\nlimits = { upper = "14 g" }\nbecause = "So."\n'
    )
    readings.write_text("characteristic,value,unit,u\nstriker.mass,14.5,g,0.01\n")
    for sheet in ("icf-cs", "icf-2001-it", "icf-1991-de"):
        found = kit("judge", readings, "--spec", sheet, "--item", "striker", "--house", house, "--json").data[
            "findings"
        ]
        (mass,) = [each for each in found if each["characteristic"] == "striker.mass"]
        assert (mass["upper"], mass["verdict"]) == (14, "fails")


@pytest.mark.parametrize("kind", ["rule", "tape", "protractor", "depth gauge", "scale", "caliper", "micrometer"])
def test_a_gauge_of_any_shipped_kind_can_be_added(kit: Kit, kind: str) -> None:
    assert kit("instruments", "add", f"my-{kind.replace(' ', '-')}", "--kind", kind).code == 0
