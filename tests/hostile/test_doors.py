"""Every door through which a file, a form or a message comes in: what is ambiguous or without bounds is refused in a
sentence, and nothing else than a sentence comes out."""

from __future__ import annotations

import ast
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from inspect_kit.capture.connections import connections_file, read_connections
from inspect_kit.capture.daily_checks import check_log, read_checks
from inspect_kit.capture.gauges.calibration import read_dcc
from inspect_kit.capture.measurement_file import Photo, read_measurements
from inspect_kit.certificate.issue.keyring import parse_keyring
from inspect_kit.checkin.photo_reading import open_photo_reading
from inspect_kit.checkin.roster import rows_in
from inspect_kit.cli.qa.process import kept_limits
from inspect_kit.errors import BadInput, InspectKitError
from inspect_kit.inspection.guided import from_draft
from inspect_kit.quality.batch.lines import parsed
from inspect_kit.quality.process.charts import KnownProcess
from inspect_kit.quality.table import read_table
from inspect_kit.registry.backup import restore
from inspect_kit.registry.log.cosigner import _state_in
from inspect_kit.registry.log.notes import checkpoint_of, proof_of, request_of, verifier_of
from inspect_kit.registry.opening import open_registry
from inspect_kit.rulebook.library import load
from inspect_kit.station.service.app import create_service
from inspect_kit.station.service.openapi import PREFIX
from inspect_kit.station.service.tokens import give_out, read_tokens
from inspect_kit.station.service.work import Service
from inspect_kit.tomlfile import read_toml
from inspect_kit.values.quantity import parse_number
from inspect_kit.vision.optics.camera import PARAMETERS
from inspect_kit.vision.optics.camera_files import camera_in
from tests.capture.gauges.test_calibration import dcc, quantity

ROOT = Path(__file__).parents[2] / "inspect_kit"
LONG = "9" * 400
FAR = "1e999999999999999999999"

# JSON: each door with a text that it takes; the hostile key is put before everything else.

HOSTILE_JSON = {
    "a key that stands twice": '{"x": 1, "x": 2, ',
    "half a character": '{"x": "\\ud800", ',
    "half a character as a key": '{"\\udfff": 1, ',
    "a whole number of 400 digits": f'{{"x": {LONG}, ',
    "a whole number of 5,000 digits": f'{{"x": {"9" * 5000}, ',
    "1e400": '{"x": 1e400, ',
    "an exponent beyond the machine": f'{{"x": {FAR}, ',
    "not a number": '{"x": NaN, ',
    "infinity": '{"x": -Infinity, ',
    "brackets without end": '{"x": ' + "[" * 100_000 + ", ",
}
MEASURED = {
    "format": 1, "photos": [], "observations": [], "warnings": [],
    "measurements": [{"characteristic": "striker.mass", "value": "14.8", "unit": "g", "u": "0.01"}],
}  # fmt: skip
CAMERA = {
    "format": 1, "kind": "camera", "width": 4000, "height": 3000,
    "parameters": dict.fromkeys(PARAMETERS, 0.0) | {PARAMETERS[0]: 3000.0, PARAMETERS[1]: 3000.0},
    "covariance": [[0.0] * len(PARAMETERS) for _ in PARAMETERS],
}  # fmt: skip
DRAFT = {
    "format": 1, "spec": "icf-2001-it", "item": "striker", "digest": load("icf-2001-it").digest, "instruments": {},
    "answers": [],
}  # fmt: skip
CHECK = {
    "format": 1, "instrument": "scale-1", "time": "2026-11-16T09:00:00+01:00",
    "points": [{"nominal": "0 g", "shown": "0 g", "permitted": "0.1 g"}],
}  # fmt: skip
TOKEN = {"name": "press", "sha256": "0" * 64, "write": True, "since": "2026-11-16"}
MANIFEST = {"format": 1, "entries": 0, "files": 0, "head": "0" * 64}


def _file(place: Path, text: str, name: str = "a.json") -> Path:
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _connections(text: str, place: Path) -> object:
    _file(place, text, str(connections_file(place).relative_to(place)))
    return read_connections(place)


def _daily_checks(text: str, place: Path) -> None:
    _file(place, text + "\n", str(check_log(place, "scale-1").relative_to(place)))
    _, damaged = read_checks(place, "scale-1")
    if damaged:
        raise BadInput("check-line-damaged", number=damaged[0])


def _tokens(text: str, place: Path) -> object:
    _file(place, f"[{text}]", "service-tokens.json")
    (found,) = [path.name for path in place.iterdir()]
    assert found == "service-tokens.json"
    return read_tokens(place)


def _backup(text: str, place: Path) -> object:
    with zipfile.ZipFile(place / "b.zip", "w") as archive:
        archive.writestr("manifest.json", text)
        archive.writestr("entries.jsonl", "")
    return restore(open_registry(place / "home", remembered=False), place / "b.zip")


def _posted(text: str, place: Path) -> None:
    service = Service(place, open_registry(place, remembered=False), lambda: datetime(2026, 11, 16, 9, tzinfo=UTC))
    client = TestClient(create_service(service, frozenset({"localhost"})), base_url="http://localhost")
    headers = {"Authorization": f"Bearer {give_out(place, 'press', write=True, since='2026-11-16')}",
               "Content-Type": "application/json"}  # fmt: skip
    asked = {"spec": "icf-cs", "item": "striker", "subject": "S-1"}
    answer = client.post(f"{PREFIX}/measurements", params=asked, content=text, headers=headers)
    assert answer.status_code in (201, 400, 422), answer.text
    if answer.status_code != 201:
        assert answer.json()["error"]["why"]
        raise BadInput("not-json")


JSON_DOORS: dict[str, tuple[dict[str, Any], Callable[[str, Path], object]]] = {
    "a measurement file": (MEASURED, lambda text, place: read_measurements(_file(place, text))),
    "a camera's file": (CAMERA, lambda text, _: camera_in(text, "camera.json")),
    "a batch's results and journal": ({"photo": "a.jpg"}, lambda text, _: parsed(text.encode(), "line 2")),
    "a draft of a guided inspection": (
        DRAFT, lambda text, place: from_draft(text, load("icf-2001-it"), "striker", place)),
    "the list of connected gauges": ({"format": 1, "instruments": {}}, _connections),
    "a log of daily checks": (CHECK, _daily_checks),
    "the service's tokens": (TOKEN, _tokens),
    "what a witness has seen": (
        {"size": 3, "root": "00", "origin": "a/b/c"}, lambda text, place: _state_in(_file(place, text))),
    "limits of a chart": (
        {"type": "xbar-r", "centre": 1.0, "sigma": 0.5},
        lambda text, place: kept_limits(_file(place, text), "xbar-r", KnownProcess())),
    "what was read of a photo": (
        MEASURED, lambda text, _: open_photo_reading(text.encode(), Photo("a.jpg", "0" * 64, 100, 100))),
    "a backup": (MANIFEST, _backup),
    "a post to the service": (MEASURED, _posted),
}  # fmt: skip


@pytest.mark.parametrize("door", JSON_DOORS)
def test_a_door_takes_what_is_right(door: str, tmp_path: Path) -> None:
    honest, opened = JSON_DOORS[door]
    opened(json.dumps(honest), tmp_path)


@pytest.mark.parametrize("hostile", HOSTILE_JSON)
@pytest.mark.parametrize("door", JSON_DOORS)
def test_every_door_for_json_refuses_in_a_sentence(door: str, hostile: str, tmp_path: Path) -> None:
    honest, opened = JSON_DOORS[door]
    with pytest.raises(InspectKitError) as refused:
        opened(HOSTILE_JSON[hostile] + json.dumps(honest)[1:], tmp_path)
    for language in ("en", "de", "cs", "it"):
        assert refused.value.said(language).encode()


def test_no_other_door_takes_json_or_toml_apart() -> None:
    """Those that read our own signed or sealed bytes by their exact types alone, and the wording that is shipped."""
    lenient = {"station/service/work.py", "strict_json.py"}
    typed = {
        "quality/lot/record.py", "certificate/issue/verify.py", "certificate/issue/issue_journal.py",
        "certificate/issue/issue.py", "inspection/record.py", "station/sent_readings.py", "registry/entries.py",
        "station/service/tokens.py",
    }  # fmt: skip
    allowed = {"json.loads": lenient, "json.load": set(), "msgspec.json.decode": typed, "msgspec.json.Decoder": typed,
               "tomllib.loads": {"tomlfile.py", "errors.py", "cli/lazy.py"}, "tomllib.load": set()}  # fmt: skip
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            called = called.partition("[")[0]
            assert path.relative_to(ROOT).as_posix() in allowed.get(called, {path.relative_to(ROOT).as_posix()}), called


# TOML: sheets, instruments, dialects, settings and what an issuer states come through one reader.


@pytest.mark.parametrize(
    "text",
    ["a = 1e400", f"a = {FAR}", f"a = {LONG}", f"a = {'9' * 5000}", f"a = 0x{'f' * 5000}", "a = nan", "a = -inf",
     'a = "\\ud800"', "a = 1\na = 2", "[a]\nb = 1\n[a]\nb = 2", f"a = {'[' * 50_000}", f"a = [1, {LONG}]"],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_the_door_for_toml_refuses_in_a_sentence(text: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a.toml"):
        read_toml(_file(tmp_path, text, "a.toml"))


# Tables: measurements, lots, lists of players.

CELLS = ["1e400", FAR, LONG, "9" * 5000, "NaN", "-inf", "0x1F", "14.8\x00", "14.8\u202e", "1" + "," * 5000]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: repr(cell[:8]))
def test_no_table_of_measurements_takes_a_number_that_is_none(cell: str, tmp_path: Path) -> None:
    row = f"characteristic,value,unit,u\nstriker.mass,{cell},g,0.01\n"
    with pytest.raises(BadInput):
        # A reading may hold what was typed: whoever judges it takes it for a number, or refuses.
        parse_number(read_measurements(_file(tmp_path, row, "a.csv")).readings[0].value)
    with pytest.raises(BadInput):
        read_table(_file(tmp_path, f"piece,coin.diameter [mm]\n1,{cell}\n", "lot.csv")).sample("coin.diameter")


@pytest.mark.parametrize(
    "content",
    [b"\xed\xa0\x80,x\n", b"Name\n" + b"x" * 500_000, b"Name\n\"open", b"Name\nA\x00B\n", b"", b"\n\n", b"Name\n" * 20_000,
     b"PK\x03\x04" + b"0" * 100, "Name\nJan\u202eNov\n".encode(), b"\xff\xfe\x00\xd8"],
    ids=lambda content: repr(content[:12]),
)  # fmt: skip
def test_a_list_of_players_is_read_or_refused_and_nothing_else(content: bytes) -> None:
    from inspect_kit.checkin.roster import listed

    try:
        players = listed(rows_in(content), {})
    except InspectKitError:
        return
    assert all("\u202e" not in player.name and "\x00" not in player.name for player in players)


# XML, keys and notes.


@pytest.mark.parametrize("number", ["1e400", "1e999999999", FAR, "NaN", "INF", LONG, "9" * 5000, "1_0"])
def test_a_calibration_certificate_with_a_number_that_is_none_has_no_point(number: str, tmp_path: Path) -> None:
    content = quantity("basic_referenceValue", number) + quantity("basic_measurementError", "0.01", u="0.005")
    with pytest.raises(BadInput):
        read_dcc(_file(tmp_path, dcc(content), "dcc.xml"))


@pytest.mark.parametrize("reader", [checkpoint_of, request_of, proof_of, verifier_of], ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    "text",
    ["", "\ud800", "a" * 100_000, f"inspect-kit/A/0\n{LONG}\nAAAA\n\n— a AAAA\n", f"old {LONG}\n\n", "a+b+c", "x\n-1\n\n",
     f"c2sp.org/tlog-proof@v1\nindex {LONG}\nAA==\n\n", "inspect-kit/A/0\n1e400\nAAAA\n\n— a AAAA\n"],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_a_note_of_a_log_is_read_or_refused_in_a_sentence(reader: Callable[[str], object], text: str) -> None:
    with pytest.raises(BadInput):
        reader(text)


@pytest.mark.parametrize("content", [b"", b"\xff", b"-----BEGIN CERTIFICATE-----\n" * 50, b"{}", b"\x30\x82" * 1000])
def test_a_list_of_trusted_keys_is_refused_in_a_sentence(content: bytes) -> None:
    with pytest.raises(BadInput):
        parse_keyring(content, "pcc.pem")
