"""`import inspect_kit as ik`: every example of the page is run, and nothing is loaded before it is used."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from nbclient import NotebookClient
from nbformat import read as read_notebook
from PIL import Image

import inspect_kit as ik
from inspect_kit.api.notebook import table
from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.cli.app import app, run

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "reports" / "examples"
ROWS = [{"characteristic": "striker.mass", "value": 14.82, "unit": "g", "u": 0.01}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples, and keys in a home of its own."""
    for path in EXAMPLES.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "home"))
    assert run(app, ["--home", str(tmp_path / "home"), "keys", "init", "--name", "Example", "--no-passphrase"]) == 0
    return tmp_path


def test_every_example_of_the_page_runs(folder: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 6
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert names["r"].verdict == "conforms"
    assert names["v"].holds
    assert names["m"].overlay().startswith(b"\x89PNG")
    assert json.loads((folder / "striker-44.json").read_text())["format"] == 1
    for shown in (names["m"], names["r"], names["c"], names["v"], names["sheet"], names["study"]):
        assert "<table>" in shown._repr_html_()
    assert 'src="data:image/png;base64,' in names["m"]._repr_html_()


def test_the_notebook_runs_from_top_to_bottom(folder: Path) -> None:
    notebook = read_notebook(ROOT / "docs" / "example.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "stored without what it shows"
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}})
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert sum("text/html" in output.get("data", {}) for output in shown) >= 3


def test_importing_it_loads_nothing_heavy_and_asking_for_help_neither() -> None:
    heavy = ("cv2", "scipy", "reportlab", "sqlalchemy", "numpy", "matplotlib", "click")
    code = f"import sys, inspect_kit as ik; dir(ik); print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_measure_stays_a_function_whatever_is_imported() -> None:
    import inspect_kit.measure.photos

    assert inspect_kit.measure is ik.measure
    assert callable(ik.measure)


class Frame:
    """What data frames of all libraries have in common."""

    def __init__(self, columns: dict[str, list[object]]) -> None:
        self.columns = list(columns)
        self._cells = columns

    def __getitem__(self, name: str) -> list[object]:
        return self._cells[name]


@pytest.mark.parametrize(
    "measurements",
    [
        ROWS,
        iter(ROWS),
        {"characteristic": ["striker.mass"], "value": [14.82], "unit": ["g"], "u": [0.01], "instance": [None]},
        Frame(
            {"Characteristic": ["striker.mass"], "value": [14.82], "unit": ["g"], "u": [0.01], "note": [float("nan")]}
        ),
        [{**ROWS[0], "instrument": ""}],
    ],
)
def test_rows_columns_and_frames_are_judged_alike(measurements: object) -> None:
    found = ik.judge(measurements, sheet="icf-2001-it", item="striker")
    mass = next(each for each in found.findings if each.characteristic == "striker.mass")
    assert (mass.verdict, mass.value, mass.u, mass.upper) == ("conforms", 14.82, 0.01, 15)
    assert found.verdict == "undecided"
    assert found.as_data()["verdict"] == "undecided"


def test_a_real_data_frame_is_judged_like_its_rows() -> None:
    import pandas as pd

    frame = pd.DataFrame(
        [{**ROWS[0], "note": None}, {"characteristic": "striker.diameter", "value": 41.1, "unit": "mm", "u": 0.02}]
    )
    found = ik.judge(frame, sheet="icf-2001-it", item="striker")
    judged = {each.characteristic: each.verdict for each in found.findings if each.value is not None}
    assert judged == {"striker.mass": "conforms", "striker.diameter": "conforms"}


def test_findings_are_those_of_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = ik.judge("striker-42.csv", sheet="icf-2001-it", item="striker", instruments=["instruments"])
    capsys.readouterr()
    run(
        app,
        [
            "judge",
            "striker-42.csv",
            "--spec",
            "icf-2001-it",
            "--item",
            "striker",
            "--instruments",
            "instruments",
            "--json",
        ],
    )
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(found.as_data()))


def _striker(rows: object, **stated: Any) -> ik.Judged:
    return ik.judge(rows, sheet="icf-cs", item="striker", **stated)


@pytest.mark.parametrize("day", [date(2026, 11, 16), "2026-11-16", datetime(2026, 11, 16, 9, tzinfo=UTC)])
def test_a_day_is_a_date_in_whatever_form(day: object) -> None:
    assert _striker(ROWS, on=day).outcome.task.on == date(2026, 11, 16)


@pytest.mark.parametrize(
    ("call", "where", "why"),
    [
        (lambda: ik.judge([{"value": 1}], sheet="icf-cs", item="striker"), "rows", "characteristic"),
        (lambda: ik.judge([3], sheet="icf-cs", item="striker"), "", "rows as dicts"),
        (lambda: ik.judge([], sheet="icf-cs", item="striker"), "rows", "characteristic"),
        (lambda: _striker(ROWS[0]), "", "every column must be a list"),
        (lambda: _striker({"characteristic": ["striker.mass"], "value": [14.8, 16.2]}), "", "of the same length"),
        (lambda: _striker(ROWS, rule="lenient"), "rule", "simple, guarded"),
        (lambda: _striker(ROWS, on="2026-13-45"), "", "expected a date"),
        (lambda: _striker(ROWS, instruments=["nowhere"]), "nowhere", "no such folder"),
        (lambda: ik.measure("cions", "x.jpg"), "", "cannot measure"),
        (lambda: ik.measure("coins", "nowhere.jpg"), "nowhere.jpg", "no such file"),
        (lambda: ik.measure("coins", "x.jpg", thicknes="8mm"), "--thicknes", "no such option"),
        (lambda: ik.qa.capability([1.0, 2.0]), "", "needs limits"),
        (lambda: ik.qa.chart([1.0, 2.0], type="pie"), "", "no such type"),
        (lambda: ik.sheet("icf-xx"), "", "icf-xx"),
    ],
)
def test_a_fault_says_where_why_and_what_to_do(call: Any, where: str, why: str) -> None:
    with pytest.raises(ik.InspectKitError) as caught:
        call()
    assert where in caught.value.where
    assert why in caught.value.why or why in caught.value.hint


def test_what_is_shown_is_escaped() -> None:
    assert "<script>" not in table(("a<b",), [("<script>alert(1)</script>",)])


def test_what_is_measured_is_a_measurement_file(folder: Path) -> None:
    m = ik.measure("striker", "striker-44.jpg", thickness="8.6±0.1mm")
    assert isinstance(m, MeasurementFile)
    assert ik.judge(m, sheet="icf-cs", item="striker").findings


def test_a_slip_of_the_unit_is_refused_by_the_python_interface_too() -> None:
    slip = [{"characteristic": "striker.diameter", "value": 4.11, "unit": "mm", "u": 0.01}]
    with pytest.raises(ik.InspectKitError, match=r"4\.11 cm is 41\.1 mm"):
        ik.judge(slip, sheet="icf-2001-it", item="striker")
    confirmed = ik.judge([{**slip[0], "confirmed": "yes"}], sheet="icf-2001-it", item="striker")
    (line,) = [each for each in confirmed.findings if each.characteristic == "striker.diameter"]
    assert float(line.value) == 4.11


def test_a_photo_that_somebody_cropped_has_a_larger_u_which_covers_what_that_does(folder: Path) -> None:
    stated: dict[str, Any] = {"thickness": "8.6±0.1mm", "edge_radius": "1.0±0.2mm", "print_scale": 1.0}
    whole = Image.open("striker-44.jpg")
    wide, high = whole.size
    whole.crop((wide // 5, 0, wide, high)).save("cropped.jpg", quality=95, exif=whole.info["exif"])
    of_all, of_part = (ik.measure("striker", name, **stated).readings[0] for name in ("striker-44.jpg", "cropped.jpg"))
    u = float(of_part.standard)
    assert u > 2 * float(of_all.standard), "the lens's middle is not the picture's any more"
    assert abs(float(of_part.value) - float(of_all.value)) < 2 * u


class _Unknown:
    """As pandas' NA: a comparison with it says neither yes nor no."""

    def __ne__(self, other: object) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = None  # type: ignore[assignment]


def test_a_value_that_a_data_frame_calls_missing_is_not_measured() -> None:
    rows = [{"characteristic": "striker.mass", "value": _Unknown(), "unit": "g"},
            {"characteristic": "striker.shape", "value": "yes", "unit": ""}]  # fmt: skip
    found = {each.characteristic: each.reason for each in ik.judge(rows, sheet="icf-cs", item="striker").findings}
    assert found["striker.mass"] == "not-measured"
