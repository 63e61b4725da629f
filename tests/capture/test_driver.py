from __future__ import annotations

import os
import pty
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspect_kit.capture import conversation
from inspect_kit.capture.connections import find
from inspect_kit.capture.line import Address, Framer
from inspect_kit.capture.protocols.reply import InstrumentKind, Status
from inspect_kit.capture.protocols.table import PROTOCOLS
from inspect_kit.capture.readings import InstrumentReading
from inspect_kit.capture.simulated_replies import SIMULATED, Display
from inspect_kit.capture.simulator import Simulation, Simulator, script_of, simulated
from inspect_kit.errors import BadInput
from tests.capture.stable import read_stable

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
ALL = list(SIMULATED)
SCALES = [name for name in ALL if PROTOCOLS[name].kind is InstrumentKind.SCALE]
CALIPERS = [name for name in ALL if PROTOCOLS[name].kind is InstrumentKind.CALIPER]


def display(name: str) -> Display:
    return Display("41.27", "mm") if name in CALIPERS else Display("14.80", "g")


def read(simulator: Simulator, name: str, timeout: float = 8.0) -> InstrumentReading:
    return read_stable(simulator.port, name, "mm" if name == "mitutoyo" else None, timeout, now=lambda: NOON)


def performed(name: str, script: str, fragment: int = 3) -> Simulation:
    return Simulation(name, display(name), script_of(script), fragment, away=0.3)


@pytest.mark.parametrize("name", ALL)
def test_a_stable_value_in_fragments_is_read_with_every_digit(name: str) -> None:
    with simulated(performed(name, "stable")) as simulator:
        reading = read(simulator, name)
    assert (reading.value, reading.unit) == (display(name).value, display(name).unit)
    assert reading.stable
    assert reading.time == NOON
    assert PROTOCOLS[name].parse(reading.raw).number == reading.value


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("script", ["unstable,unstable,stable", "noise,stable"])
def test_what_is_not_a_stable_value_is_waited_out(name: str, script: str) -> None:
    with simulated(performed(name, script)) as simulator:
        assert read(simulator, name).value == display(name).value


@pytest.mark.parametrize("name", ["mt-sics", "ohaus", "radwag", "sylvac"])
@pytest.mark.parametrize("script", ["half,stable", "garbled,stable"])
def test_half_a_line_and_a_garbled_one_are_asked_for_again(name: str, script: str) -> None:
    with simulated(performed(name, script)) as simulator:
        assert read(simulator, name).value == display(name).value


@pytest.mark.parametrize("name", ALL)
def test_an_instrument_unplugged_in_mid_frame_is_taken_up_again(name: str, tmp_path: Path) -> None:
    with simulated(performed(name, "unplug,stable"), str(tmp_path / "port")) as simulator:
        assert read(simulator, name).value == display(name).value


REFUSALS = {
    "unstable": "did not become stable within 1 s",
    "silence": "nothing came within 1 s",
    "half": "broke off in the middle|accepted and no value followed",
    "garbled": "garbled",
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("script", "sentence"), REFUSALS.items())
def test_no_stable_value_is_a_sentence_at_the_deadline(name: str, script: str, sentence: str) -> None:
    with simulated(performed(name, script)) as simulator, pytest.raises(BadInput, match=sentence) as caught:
        read(simulator, name, 1.0)
    assert caught.value.fault.hint
    assert caught.value.fault.where == simulator.port


@pytest.mark.parametrize("name", SCALES)
@pytest.mark.parametrize(("script", "sentence"), [("overload", "overloaded"), ("underload", "below its range")])
def test_an_overloaded_scale_is_an_error_and_no_number(name: str, script: str, sentence: str) -> None:
    with simulated(performed(name, script)) as simulator, pytest.raises(BadInput, match=sentence):
        read(simulator, name)


@pytest.mark.parametrize("name", ALL)
def test_an_error_reply_is_repeated_a_few_times_and_then_said(name: str) -> None:
    with simulated(performed(name, "error")) as simulator, pytest.raises(BadInput, match="answers with an error"):
        read(simulator, name)


@pytest.mark.parametrize("name", ["mt-sics", "kcp", "radwag", "sbi"])
def test_a_busy_balance_is_waited_for(name: str) -> None:
    with simulated(performed(name, "busy,stable")) as simulator:
        assert read(simulator, name).value == "14.80"
    with simulated(performed(name, "busy")) as simulator, pytest.raises(BadInput, match="cannot measure now"):
        read(simulator, name, 0.5)


def test_nothing_is_ever_changed_on_an_instrument() -> None:
    asked: set[str] = set()
    for name in ALL:
        with simulated(performed(name, "unstable,error,stable")) as simulator:
            read(simulator, name)
        asked |= set(simulator.heard)
    assert asked <= {"S", "SI", "I2", "I4", "Q", "IP", "SP", "\x1bP", "1", "?", "UNI?", "ID?", "NUM?", "BAT?", "NCAL?"}


def test_model_and_serial_number_come_from_the_balance() -> None:
    with simulated(performed("mt-sics", "stable")) as simulator:
        reading = read(simulator, "mt-sics")
    assert (reading.instrument, reading.serial) == ("SIM-2000", "B021002593")
    assert not reading.is_anothers("B021002593")
    assert not reading.is_anothers("")
    assert reading.is_anothers("A17")


def test_a_caliper_tells_battery_and_next_calibration() -> None:
    shown = Display("1.2500", "in", battery="low", next_calibration="31.12.2027")
    with simulated(Simulation("sylvac", shown)) as simulator:
        reading = read_stable(simulator.port, "sylvac", "mm", now=lambda: NOON)
    assert (reading.value, reading.unit) == ("31.7500", "mm")
    assert reading.as_data() == {
        "value": "31.7500", "unit": "mm", "stable": True, "raw": "+001.2500", "protocol": "sylvac",
        "serial": "B021002593", "instrument": "SIM-2000", "time": "2026-11-16T12:00:00.000+00:00", "battery": "low",
        "next_calibration": "2027-12-31",
    }  # fmt: skip


def test_data_of_a_scale_has_the_keys_that_scripts_rely_on() -> None:
    with simulated(Simulation("and")) as simulator:
        data = read(simulator, "and").as_data()
    assert data == {
        "value": "14.82", "unit": "g", "stable": True, "raw": "ST,+00014.82  g", "protocol": "and", "serial": None,
        "instrument": None, "time": "2026-11-16T12:00:00.000+00:00",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "unit", "grams"),
    [("0.01482", "kg", "14.82"), ("14820.0", "mg", "14.8200"), ("0.523", "oz", "14.826800594375"),
     ("74.10", "ct", "14.82"), ("228.7", "GN", "14.819510717"), ("0.01500", "kg", "15.00"), ("2", "kg", "2000")],
)  # fmt: skip
def test_units_are_converted_exactly(value: str, unit: str, grams: str) -> None:
    with simulated(Simulation("mt-sics", Display(value, unit))) as simulator:
        reading = read(simulator, "mt-sics")
    assert (reading.value, reading.unit) == (grams, "g")


@pytest.mark.parametrize("unit", ["lb", "N", "dwt", "G", "Kg", "%"])
def test_an_unknown_unit_is_never_guessed(unit: str) -> None:
    with simulated(Simulation("mt-sics", Display("14.82", unit))) as simulator, pytest.raises(BadInput, match="unit"):
        read(simulator, "mt-sics")


def test_a_mitutoyo_needs_its_unit_set() -> None:
    with pytest.raises(BadInput, match="does not say its unit"):
        read_stable("/dev/null", "mitutoyo")


@pytest.mark.parametrize(
    ("value", "unit", "millimetres"),
    [("0.12345", "in", "3.13563"), ("0.8270", "in", "21.0058"), ("0.125", "mm", "0.125"), ("41.27", "mm", "41.27")],
)
def test_a_set_unit_that_fits_the_digits_is_taken(value: str, unit: str, millimetres: str) -> None:
    with simulated(Simulation("mitutoyo", Display(value, unit))) as simulator:
        assert read_stable(simulator.port, "mitutoyo", unit).value == millimetres


@pytest.mark.parametrize(
    ("value", "unit", "why"),
    [("0.12345", "mm", "5 decimals"), ("0.8270", "mm", "4 decimals"), ("41.27", "in", "2 decimals"),
     ("99999.99", "mm", "longer than any caliper")],
)  # fmt: skip
def test_a_set_unit_that_the_digits_speak_against_is_refused(value: str, unit: str, why: str) -> None:
    with simulated(Simulation("mitutoyo", Display(value, unit))) as simulator, pytest.raises(BadInput, match=why):
        read_stable(simulator.port, "mitutoyo", unit)


@pytest.mark.parametrize(("spoken", "asked"), [("mt-sics", "and"), ("and", "radwag"), ("and", "mt-sics")])
def test_a_wrong_protocol_says_which_one_it_looks_like(spoken: str, asked: str) -> None:
    with simulated(Simulation(spoken)) as simulator, pytest.raises(BadInput, match=f"--protocol {spoken}"):
        read_stable(simulator.port, asked, timeout=2.5)


def test_values_sent_unasked_are_read_too() -> None:
    for name in ("and", "mitutoyo"):
        with simulated(Simulation(name, display(name), every=0.1)) as simulator:
            assert read(simulator, name).value == display(name).value


@contextmanager
def played(play: Callable[[int], None]) -> Iterator[str]:
    """A pseudo-terminal on whose other end a play runs that knows nothing of the simulator."""
    instrument, computer = pty.openpty()
    os.set_blocking(instrument, False)
    thread = threading.Thread(target=play, args=(instrument,), daemon=True)
    thread.start()
    try:
        yield os.ttyname(computer)
    finally:
        thread.join()
        os.close(instrument)
        os.close(computer)


def heard(instrument: int, seconds: float = 3.0) -> bytes:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            return os.read(instrument, 100)
        except BlockingIOError:
            time.sleep(0.01)
    return b""


def test_a_balance_switched_on_tells_its_number_unasked_and_then_weighs() -> None:
    def play(instrument: int) -> None:
        heard(instrument)
        os.write(instrument, b'I4 A "B021002593"\r\nS S      14.82 g\r\n')

    with played(play) as port:
        reading = read_stable(port, "mt-sics", timeout=3)
    assert (reading.value, reading.serial, reading.instrument) == ("14.82", "B021002593", None)


def test_a_radwag_is_given_time_between_its_two_lines() -> None:
    def play(instrument: int) -> None:
        assert heard(instrument) == b"S\r\n"
        os.write(instrument, b"S A\r\n")
        assert heard(instrument, 2.2) == b""
        os.write(instrument, b"S          14.82 g  \r\n")

    with played(play) as port:
        assert read_stable(port, "radwag", timeout=5).value == "14.82"


def test_a_stream_joined_in_mid_line_does_not_begin_with_half_a_number() -> None:
    def play(instrument: int) -> None:
        line = b"    192.21 g\r\n"
        for start in range(0, 400):
            os.write(instrument, line[(start + 5) % 14 :][:1])
            time.sleep(0.004)

    with played(play) as port:
        assert read_stable(port, "ohaus", timeout=4).value == "192.21"


def test_half_an_answer_does_not_grow_together_with_the_next_one() -> None:
    def play(instrument: int) -> None:
        heard(instrument)
        os.write(instrument, b"41")
        heard(instrument)
        os.write(instrument, b"41.27\r")
        for answer in (b"41.27\r", b"41.27\r", b"MM\r"):
            heard(instrument)
            os.write(instrument, answer)

    with played(play) as port:
        assert read_stable(port, "sylvac", timeout=8).value == "41.27"


def test_an_old_caliper_that_echoes_commands_is_understood() -> None:
    answers = {b"?\r": b"+041.27", b"UNI?\r": b"MM", b"NUM?\r": b"4711", b"BAT?\r": b"BAT1"}

    def play(instrument: int) -> None:
        while command := heard(instrument, 1.0):
            os.write(instrument, command + answers.get(command, b"ERR0") + b"\r")

    with played(play) as port:
        reading = read_stable(port, "sylvac", timeout=6)
    assert (reading.value, reading.unit, reading.raw) == ("41.27", "mm", "+041.27")
    assert (reading.serial, reading.battery, reading.instrument, reading.next_calibration) == ("4711", "ok", None, None)


def test_a_caliper_that_does_not_say_its_unit_needs_it_set() -> None:
    def play(instrument: int) -> None:
        while command := heard(instrument, 1.0):
            os.write(instrument, b"+041.27\r" if command == b"?\r" else b"ERR0\r")

    with played(play) as port, pytest.raises(BadInput, match="does not say its unit"):
        read_stable(port, "sylvac", timeout=6)
    with played(play) as port:
        assert read_stable(port, "sylvac", "mm", timeout=6).unit == "mm"


def test_a_moving_caliper_gives_no_value() -> None:
    with simulated(performed("sylvac", "unstable")) as simulator, pytest.raises(BadInput, match="become stable"):
        read(simulator, "sylvac", 1.0)


def test_an_instrument_that_never_comes_back_is_said_to_be_unplugged(tmp_path: Path) -> None:
    performance = Simulation("mt-sics", script=script_of("unplug"), away=1.5)
    with simulated(performance, str(tmp_path / "port")) as simulator, pytest.raises(BadInput, match="unplugged"):
        read(simulator, "mt-sics", 0.8)


class _Rubbish:
    """A port on which these bytes come, and then nothing."""

    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = list(chunks)

    def read(self) -> bytes:
        time.sleep(0.001)
        return self._chunks.pop(0) if self._chunks else b""

    def write(self, data: bytes) -> None:
        del data

    def close(self) -> None:
        pass


CHUNKS = st.lists(
    st.one_of(
        st.binary(max_size=30),
        st.sampled_from(
            [b"S S      14.82 g\r\n", b"S D ", b"ST,+00014.82  g", b"\r", b"\r\n", b"    192.21 g\r", b"S A\r\n"]
        ),
        st.sampled_from([b"01A+0000.125\r", b"+041.27\r", b"MM\r", b"+   123.56 g  \r\n", b"S          14.82 g  \r\n"]),
    ),
    max_size=8,
)


@settings(max_examples=150)
@given(st.sampled_from(ALL), CHUNKS)
def test_no_bytes_make_it_hang_crash_or_give_a_number_that_was_not_sent(name: str, chunks: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conversation, "open_port", lambda *_: _Rubbish(chunks))
        try:
            reading = read_stable("rubbish", name, "mm", timeout=0.03)
        except BadInput as refusal:
            assert "\n" not in str(refusal)
        else:
            lines = {frame.text for frame in Framer().feed(b"".join(chunks)) if frame.clean}
            assert reading.raw in lines
            assert PROTOCOLS[name].parse(reading.raw).status is Status.STABLE
            assert Decimal(reading.value) == Decimal(PROTOCOLS[name].parse(reading.raw).number)


@pytest.mark.parametrize("name", ALL)
def test_find_says_what_answers(name: str) -> None:
    with simulated(performed(name, "stable")) as simulator:
        found = find(Address(simulator.port), 10)
    assert name in found.protocols
    assert found.kind == PROTOCOLS[name].kind


def test_find_ends_its_questions_with_the_first_answer() -> None:
    with simulated(Simulation("and")) as simulator:
        find(Address(simulator.port), 10)
    assert simulator.heard == ["SI"]


def test_find_says_so_when_nothing_answers_and_keeps_to_its_time() -> None:
    with simulated(Simulation("sbi", script=script_of("silence"))) as simulator:
        with pytest.raises(BadInput, match="nothing that is known answers"):
            find(Address(simulator.port), 0.5)
        assert len(simulator.heard) < 8


def test_a_scale_in_the_network_is_read_and_found() -> None:
    with socket_scale() as port:
        assert read_stable(port, "mt-sics", timeout=3).value == "14.82"
        assert find(Address(port), 5).protocols == ("mt-sics", "kcp")


@contextmanager
def socket_scale() -> Iterator[str]:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    with simulated(Simulation("mt-sics", fragment=3), f"socket://127.0.0.1:{number}") as simulator:
        yield simulator.port


def test_a_network_scale_that_drops_the_line_in_mid_frame_is_taken_up_again() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    performance = performed("mt-sics", "unplug,stable")
    with simulated(performance, f"socket://127.0.0.1:{number}") as simulator:
        assert read(simulator, "mt-sics").value == "14.80"
