"""Tables as spreadsheets write them, and everything that can be wrong with them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.errors import BadInput
from inspect_kit.quality.table import Table, read_table, table_from


def numbers(text: str, column: str = "value") -> list[Decimal]:
    return list(table_from(text, "t.csv").numbers(column))


@pytest.mark.parametrize(
    "text",
    [
        "value\n8.1\n8.2\n",
        "value\n8,1\n8,2\n",
        "value;note\n8,1;a\n8,2;b\n",
        'value,note\n"8,1",a\n8.2,b\n',
        "note\tvalue\na\t8.1\nb\t8.2",
        "sep=;\nvalue;note\n8,1;a\n8,2;b\n",
        "\n\nVALUE \r\n8.1\r\n\r\n8.2\r\n",
        "value\n8.1 mm\n0.82 cm\n",
        "value,unit\n8.1,mm\n0.82,cm\n",
        "value,x\n8.1,,\n8.2,,\n",
    ],
)
def test_numbers_are_read_however_a_spreadsheet_writes_them(text: str) -> None:
    assert numbers(text) == [Decimal("8.1"), Decimal("8.2")]


@pytest.mark.parametrize(
    "cell", ["x", "nan", "NaN", "inf", "-inf", "1,234.5", "1 000", "--1", "1e", "8.1±0.1", "=A1", "1e999"]
)
def test_what_is_no_number_is_said_with_its_line(cell: str) -> None:
    with pytest.raises(BadInput, match=r"t\.csv: line 3"):
        numbers(f"value;n\n1;0\n{cell};0\n")


def test_an_empty_cell_where_a_number_belongs_is_an_error() -> None:
    with pytest.raises(BadInput, match="missing"):
        numbers("value,n\n1,0\n,0\n")


def test_a_missing_column_is_said_with_the_ones_there_are() -> None:
    with pytest.raises(BadInput, match='no column "value".*did you mean "valeu"'):
        numbers("valeu,n\n1,2\n")


@pytest.mark.parametrize(
    "text", ["value\n", "a,a\n1,2\n", "value,n\n1,2,3\n", "value\n" + "1" * 300 + "\n", 'value\n"1\n']
)
def test_broken_tables_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        numbers(text)


@pytest.mark.parametrize("cell", ["-1", "1.5", "x", "", "1e12"])
def test_counts_are_whole_and_not_negative(cell: str) -> None:
    with pytest.raises(BadInput):
        table_from(f"face,count\n1,{cell}\n", "t.csv").counts("count")


def test_a_count_that_a_spreadsheet_gave_a_point_is_still_a_count() -> None:
    assert table_from("n\n12.0\n3\n", "t.csv").counts("n") == (12, 3)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
def test_every_float_that_python_prints_is_read_back(value: float) -> None:
    if value == 0 or abs(value) > 1e-90:
        assert float(numbers(f"value\n{value!r}\n")[0]) == value


def test_rows_of_one_characteristic_can_be_taken_out() -> None:
    table = table_from("characteristic,value\na,1\nb,2\na,3\n", "t.csv")
    assert table.where_is("characteristic", "a").numbers("value") == (1, 3)
    with pytest.raises(BadInput):
        table.where_is("characteristic", "c")


@pytest.mark.parametrize("content", [b"", b"\0value\n1\n", b"value\n\xff\xfe1\n", b"   \n"])
def test_files_that_are_no_text_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(BadInput):
        read_table(path)
    with pytest.raises(BadInput):
        read_table(tmp_path / "none.csv")
    with pytest.raises(BadInput):
        read_table(tmp_path)


def test_a_table_knows_its_length() -> None:
    table = table_from("value\n1\n2\n", "t.csv")
    assert isinstance(table, Table)
    assert len(table) == 2


TEXTS = st.text(st.sampled_from("ab1. \u00a0"), max_size=4)


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_table_is_read_alike_with_quotes_and_without(rows: list[list[str]], end: str) -> None:
    def told(text: str) -> object:
        try:
            table = table_from(text, "t.csv")
        except BadInput as problem:
            return str(problem)
        return dict(table.columns), list(table.lines)

    plain = end.join(("value,n,note", *(",".join(row) for row in rows)))
    quoted = end.join(("value,n,note", *(",".join(f'"{cell}"' if any(row) else cell for cell in row) for row in rows)))
    assert told(plain) == told(quoted)


def test_quotes_far_below_the_first_rows_are_still_read() -> None:
    rows = [f"{number},x" for number in range(5000)]
    rows[4500] = '"4500","a,b"'
    rows[10] = ""
    table = table_from("value,note\n" + "\n".join(rows), "t.csv")
    assert (len(table), table.columns["note"][4499], table.lines[4499]) == (4999, "a,b", 4502)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,2,3", "line 4323: has 3 cells"),
        ('1,"2"x', "line 4323: is not CSV"),
        ("1," + "2" * 300, "line 4323: a cell has more than 200"),
        ('1,"2', "line 4423: is not CSV"),
        ("1,2\0", "NUL bytes"),
    ],
)
def test_a_fault_far_below_the_first_rows_is_said_with_its_line(row: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        table_from("value,note\n" + "1,2\n" * 4321 + row + "\n" + "1,2\n" * 100, "t.csv")
