from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest

from inspect_kit.capture.learned_dialects import read_recording
from inspect_kit.capture.protocols.table import PROTOCOLS
from inspect_kit.capture.simulated_replies import SIMULATED, Display
from inspect_kit.capture.simulator import Simulation, script_of, simulated
from tests.cli.conftest import Kit

ALL = list(SIMULATED)


def kind_of(name: str) -> str:
    return "caliper" if name in ("mitutoyo", "sylvac") else "scale"


def shown(name: str) -> Display:
    return Display("41.27", "mm") if kind_of(name) == "caliper" else Display("14.82", "g")


@pytest.mark.parametrize("name", ALL)
def test_read_gives_one_document_with_the_raw_line(kit: Kit, name: str) -> None:
    with simulated(Simulation(name, shown(name), script_of("unstable,stable"), fragment=3)) as simulator:
        unit = ("--unit", "mm") if name == "mitutoyo" else ()
        result = kit("read", kind_of(name), "--port", simulator.port, "--protocol", name, *unit, "--json")
    assert result.code == 0
    assert result.err == ""
    assert (result.data["value"], result.data["unit"]) == (shown(name).value, shown(name).unit)
    assert result.data["stable"] is True
    assert result.data["protocol"] == name
    assert shown(name).value in result.data["raw"]
    assert {"serial", "instrument", "time"} <= set(result.data)
    assert ("battery" in result.data) == (name == "sylvac")


def test_read_says_the_value_to_people(kit: Kit) -> None:
    with simulated(Simulation("mt-sics")) as simulator:
        result = kit("read", "scale", "--port", simulator.port, "--protocol", "mt-sics")
    assert result.out == "14.82 g  ('S S      14.82 g', mt-sics, SIM-2000, serial B021002593)\n"


@pytest.mark.parametrize("script", ["overload", "underload", "error", "unstable", "silence", "half", "garbled", "busy"])
def test_without_a_stable_value_there_is_a_sentence_and_no_document(kit: Kit, script: str) -> None:
    with simulated(Simulation("kcp", script=script_of(script))) as simulator:
        result = kit("read", "scale", "--port", simulator.port, "--protocol", "kcp", "--timeout", "0.6", "--json")
    assert (result.code, result.out) == (4, "")
    assert result.err.count("\n") == 1
    assert "Traceback" not in result.err


def test_without_a_protocol_the_known_ones_are_tried(kit: Kit) -> None:
    with simulated(Simulation("ohaus")) as simulator:
        result = kit("read", "scale", "--port", simulator.port, "--json")
    assert (result.code, result.data["protocol"], result.data["value"]) == (0, "ohaus", "14.82")
    assert "found ohaus" in result.err


def test_a_unit_never_overrides_the_one_that_is_stated(kit: Kit) -> None:
    with simulated(Simulation("sylvac", Display("1.0000", "in"))) as simulator:
        result = kit("read", "caliper", "--port", simulator.port, "--protocol", "sylvac", "--unit", "mm", "--json")
    assert (Decimal(result.data["value"]), result.data["unit"]) == (Decimal("25.4"), "mm")
    with simulated(Simulation("and")) as simulator:
        result = kit("read", "scale", "--port", simulator.port, "--protocol", "and", "--unit", "in", "--json")
    assert (result.data["value"], result.data["unit"]) == ("14.82", "g")


def test_a_low_battery_and_a_calibration_that_was_due_are_warned_of(kit: Kit) -> None:
    display = Display("41.27", "mm", battery="low", next_calibration="31.12.2020")
    with simulated(Simulation("sylvac", display)) as simulator:
        result = kit("read", "caliper", "--port", simulator.port, "--protocol", "sylvac")
    assert result.code == 0
    assert "battery is low" in result.err
    assert "due on 2020-12-31" in result.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("scale", "--port", "/dev/null", "--protocol", "nope"), 2),
        (("scale", "--port", "/dev/null", "--protocol", "sylvac"), 2),
        (("ruler", "--port", "/dev/null"), 2),
        (("scale", "--port", "/dev/null", "--protocol", "and", "--timeout", "nan"), 2),
        (("scale", "--port", "/dev/null", "--protocol", "and", "--timeout", "-1"), 2),
        (("scale", "--port", "/dev/null", "--protocol", "and", "--timeout", "1e9"), 2),
        (("scale", "--port", "/dev/null", "--protocol", "and", "--baud", "0"), 2),
        (("scale", "--port", "loop://", "--protocol", "and"), 2),
        (("scale",), 2),
        (("scale", "--instrument", "nope"), 2),
        (("caliper", "--port", "/dev/null", "--protocol", "mitutoyo"), 4),
        (("scale", "--port", "/dev/null", "--protocol", "and"), 4),
        (("scale", "--port", "/no/such/port", "--protocol", "and"), 4),
        (("scale", "--port", "socket://127.0.0.1:1", "--protocol", "and"), 4),
        (("scale", "--port", "/dev/null"), 4),
    ],
)
def test_what_cannot_be_read_leaves_with_its_exit_code(kit: Kit, arguments: tuple[str, ...], code: int) -> None:
    result = kit("read", *arguments)
    assert (result.code, result.out) == (code, "")
    assert "Traceback" not in result.err
    assert "fault in the program" not in result.err


def test_other_settings_of_a_port_can_be_named(kit: Kit) -> None:
    with simulated(Simulation("and")) as simulator:
        result = kit(
            "read", "scale", "--port", simulator.port, "--protocol", "and", "--baud", "4800", "--bits", "8", "--parity",
            "n", "--stop", "2", "--json",
        )  # fmt: skip
    assert result.data["value"] == "14.82"


def test_another_scale_than_the_sheets_is_refused(kit: Kit, tmp_path: Path) -> None:
    port = tmp_path / "scale"
    kit("instruments", "add", "desk-scale", "--kind", "scale", "--serial", "OTHER", "--port", port, "--protocol", "kcp")
    with simulated(Simulation("kcp"), str(port)):
        for arguments in ((), ("--instrument", "desk-scale"), ("--port", str(port), "--instrument", "desk-scale")):
            result = kit("read", "scale", "--json", *arguments)
            assert (result.code, result.out) == (4, "")
            assert "the sheet is for number OTHER" in result.err


@contextmanager
def sent_once(stream: bytes) -> Iterator[str]:
    """A port on which these bytes come to the first who opens it, and then nothing more."""

    def send() -> None:
        with server.accept()[0] as client:
            client.sendall(stream)
            done.wait(3)

    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        yield f"socket://127.0.0.1:{server.getsockname()[1]}"
        done.set()
        thread.join()


def test_a_stream_that_comes_only_once_is_read_without_naming_its_protocol(kit: Kit) -> None:
    stream = b"S    20.7g  \r\n" + b"US,GS    20.6g  \r\n" + b"ST,GS    20.7g  \r\n" * 4
    with sent_once(stream) as port:
        result = kit("read", "scale", "--port", port, "--json")
    assert (result.data["value"], result.data["protocol"]) == ("20.7", "st-gs")
    assert result.data["raw"] == "ST,GS    20.7g  "


@pytest.mark.parametrize(
    ("stream", "why"),
    [
        (b"ST,GS    20.7g  \r\n", "came once only"),
        (b"Gross:  100.00 g\r\nTare:    20.00 g\r\n", "only the gross weight"),
        (b"     G     100.0000 g   \r\n", "once only|gross"),
        (b"    7.00 pH\r\n" * 3, "not one of g"),
    ],
)
def test_what_does_not_tell_a_mass_for_certain_is_refused(kit: Kit, stream: bytes, why: str) -> None:
    with sent_once(stream) as port:
        result = kit("read", "scale", "--port", port, "--json", "--timeout", "1.5")
    assert (result.code, result.out) == (4, "")
    assert re.search(why, result.err)


@pytest.mark.parametrize(("counts", "value"), [("true", "12.34"), ("false", "12.3")])
def test_an_auxiliary_digit_counts_only_where_the_sheet_says_so(kit: Kit, counts: str, value: str) -> None:
    kit("instruments", "add", "desk-scale", "--kind", "scale", "--port", "x", "--protocol", "vibra")
    sheet = Path(os.environ["INSPECT_KIT_HOME"]) / "instruments" / "desk-scale.toml"
    text = sheet.read_text(encoding="utf-8").replace("kind =", f"auxiliary_digit = {counts}\nkind =")
    sheet.write_text(text, encoding="utf-8")
    with sent_once(b"+  12.3/4 G S\r\n" * 4) as port:
        result = kit("read", "scale", "--port", port, "--instrument", "desk-scale", "--protocol", "vibra", "--json")
    assert (result.data["value"], result.data["auxiliary"]) == (value, "4")


def test_the_desks_own_scale_needs_no_port(kit: Kit, tmp_path: Path) -> None:
    port = tmp_path / "scale"
    added = kit("instruments", "add", "desk-scale", "--kind", "scale", "--port", port, "--protocol", "kcp")
    assert added.code == 0
    with simulated(Simulation("kcp"), str(port)):
        assert kit("read", "scale", "--json").data["value"] == "14.82"
        assert kit("read", "scale", "--instrument", "desk-scale", "--json").data["value"] == "14.82"
    assert kit("read", "scale", "--timeout", "1").code == 4
    assert kit("read", "caliper").code == 2


def test_a_display_is_read_from_its_photo(kit: Kit, tmp_path: Path) -> None:
    import cv2

    from tests.scenes.display import Scene, photograph

    photo, cut = tmp_path / "photo.png", tmp_path / "cut.jpg"
    cv2.imwrite(str(photo), photograph(Scene("148.56")))
    result = kit("read", "display", photo, "--resolution", "0.01g", "--cut-out", cut, "--json")
    assert (result.code, result.data["value"], result.data["unit"]) == (0, "148.56", "g")
    assert result.data["confidence"] >= 0.9
    assert cut.read_bytes().startswith(b"\xff\xd8")
    assert kit("read", "display", photo, "--resolution", "0.1g").code == 3
    assert kit("read", "display", photo, "--resolution", "0.1g", "--instrument", "scale-200g").code == 2


def test_a_scale_that_was_taught_is_read(kit: Kit, tmp_path: Path) -> None:
    recording = tmp_path / "odd.txt"
    recording.write_bytes(b"W:  7.122 g *\r\n" * 6 + b"W:  7.300 g  \r\n" * 4)
    learned = kit("instruments", "learn", "--recording", recording, "--shows", "7.122g", "--json")
    assert (learned.code, learned.data["protocol"]) == (0, "learned:odd")
    assert {"line": "W:  7.122 g *", "read": "7.122 g"} in learned.data["lines"]
    assert kit("instruments", "learn", "--recording", recording, "--shows", "7.122g").code == 2
    with sent_once(b"W: 14.820 g  \r\n" + b"W: 14.820 g *\r\n" * 3) as port:
        result = kit("read", "scale", "--port", port, "--protocol", "learned:odd", "--json")
    assert (result.data["value"], result.data["protocol"]) == ("14.820", "learned:odd")
    assert kit("instruments", "list").code == 0
    PROTOCOLS.pop("learned:odd")


def test_what_an_instrument_sends_is_recorded(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "scale.txt"
    with sent_once(b"ST,GS    20.7g  \r\n" * 4) as port:
        result = kit("instruments", "record", "--port", port, "-o", out, "--seconds", "0.5", "--json")
    assert (result.code, result.data["bytes"], result.data["lines"]) == (0, 72, 3)
    assert read_recording(out) == b"ST,GS    20.7g  \r\n" * 4
