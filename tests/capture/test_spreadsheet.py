"""Tables as referees send them: spreadsheets, ounces and inches, and yes in their own language."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from openpyxl import Workbook

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.capture.spreadsheet import MAX_UNPACKED
from inspect_kit.errors import BadInput
from inspect_kit.quality.table import read_table
from inspect_kit.values.quantity import parse_number
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


def _edited(path: Path, name: str, edit: Callable[[str], str]) -> Path:
    """One part of a spreadsheet changed by hand."""
    with zipfile.ZipFile(path) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in parts.items():
            archive.writestr(each, edit(content.decode()) if each == name else content)
    return path


_SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        '<row r="9"><c t="n"r="xfd1048576"><v>1</v></c></row>',
        '<row r="9"><c r="XFD1048576" x="/>"><v>1</v></c></row>',
        '<row r="8"><c r="XFA8"><v>1</v></c></row><row r="1048576"><c><v>2</v></c></row>',
        '<!-- table-row --><row r="9"><c r="XFD1048576"><v>1</v></c></row>',
    ],
    ids=["plain", "crammed", "as if empty", "without a place", "as if OpenDocument"],
)
def test_one_cell_far_away_makes_no_room_for_all_before_it(workbook: Path, rows: str) -> None:
    """6 KB that would ask for 550 GB, and end the whole program: no error can be caught there."""
    with pytest.raises(BadInput, match="unpacks to"):
        read_measurements(_edited(workbook, _SHEET, lambda text: text.replace("</sheetData>", f"{rows}</sheetData>")))


def test_cells_with_a_format_alone_do_not_count(workbook: Path) -> None:
    cell = '<row r="1048576" s="1"><c r="XFD1048576" s="0"/></row></sheetData>'
    _edited(workbook, _SHEET, lambda text: text.replace("</sheetData>", cell))
    assert len(read_measurements(workbook).readings) == 3


def test_rows_that_stand_once_for_a_million_are_counted(tmp_path: Path) -> None:
    path = open_document(tmp_path / "far.ods")
    rows = '<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="900" office:value-type='
    plain = "<table:table-row><table:table-cell office:value-type="
    with pytest.raises(BadInput, match="unpacks to"):
        read_measurements(_edited(path, "content.xml", lambda text: text.replace(plain, rows, 1)))


def test_empty_rows_down_to_the_last_one_are_as_offices_write_them(tmp_path: Path) -> None:
    path = open_document(tmp_path / "readings.ods")
    empty = '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
    _edited(path, "content.xml", lambda text: text.replace("</table:table>", empty))
    assert len(read_measurements(path).readings) == 3


def test_an_archive_that_states_too_small_a_size_is_not_unpacked_beyond_it(workbook: Path) -> None:
    _edited(workbook, _SHEET, lambda text: text + " " * 5_000_000)
    with zipfile.ZipFile(workbook) as archive:
        size = archive.getinfo(_SHEET).file_size.to_bytes(4, "little")
    workbook.write_bytes(workbook.read_bytes().replace(size, (100).to_bytes(4, "little")))
    with pytest.raises(BadInput, match="spreadsheet"):
        read_measurements(workbook)


@pytest.mark.parametrize("wide", [False, True])
def test_entities_from_elsewhere_are_refused(tmp_path: Path, wide: bool) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("14.8")
    path = open_document(tmp_path / "x.ods")
    declared = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]><office:document-content'
    _edited(path, "content.xml", lambda text: text.replace("<office:document-content", declared).replace("ja", "&e;"))
    if wide:
        with zipfile.ZipFile(path) as archive:
            text = archive.read("content.xml").decode()
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("content.xml", text.encode("utf-16"))
    with pytest.raises(BadInput, match="spreadsheet"):
        read_measurements(path)


def test_a_part_that_stands_twice_is_refused(workbook: Path) -> None:
    with zipfile.ZipFile(workbook, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(_SHEET, b"<worksheet/>")
    with pytest.raises(BadInput, match="spreadsheet"):
        read_measurements(workbook)


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_a_column_that_stands_twice_is_refused(tmp_path: Path, kind: str) -> None:
    rows = [("characteristic", "value", "unit", "u", "Value"), ("striker.mass", 14.8, "g", 0.01, 15.2)]
    with pytest.raises(BadInput, match="twice"):
        read_measurements(_saved(tmp_path, kind, rows))


def _saved(place: Path, kind: str, rows: Sequence[Sequence[object]]) -> Path:
    path = place / f"rows.{kind}"
    if kind == "ods":
        return open_document(path, rows)
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('<c r="B2"><f>14+0.82</f><v>14.82</v></c>', "14.82"),
        ('<c r="B2"><f>14+0.82</f></c>', None),
        ('<c r="B2" t="e"><v>#DIV/0!</v></c>', None),
        ('<c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>', None),
    ],
    ids=["computed", "never computed", "error", "computed error"],
)
def test_a_formula_gives_what_was_computed_and_an_error_no_value(workbook: Path, cell: str, value: str | None) -> None:
    """What the program that saved it computed is read; nothing is computed here, and an error is a cell without a value: not measured."""
    _edited(workbook, _SHEET, lambda text: re.sub(r'<c r="B2".*?</c>', lambda _: cell, text))
    readings = {each.characteristic: each.value for each in read_measurements(workbook).readings}
    assert readings.get("striker.mass") == value
    assert readings["striker.diameter"] == "41"


def test_an_error_that_was_saved_as_text_is_no_number(workbook: Path) -> None:
    cell = '<c r="B2" t="str"><f>"x"</f><v>#REF!</v></c>'
    _edited(workbook, _SHEET, lambda text: re.sub(r'<c r="B2".*?</c>', lambda _: cell, text))
    with pytest.raises(BadInput):
        parse_number(read_measurements(workbook).readings[0].value)


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
