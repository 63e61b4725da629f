from __future__ import annotations

import os
import pty
import socket
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.capture.conversation import Conversation
from inspect_kit.capture.line import MAX_LINE, Address, Framer, LineFrame, Unplugged, open_port, socket_address
from inspect_kit.capture.protocols.reply import Settings
from inspect_kit.errors import BadInput, UsageError


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n"])
def test_lines_end_with_cr_or_lf_or_both(end: bytes) -> None:
    assert Framer().feed(b"S S" + end + b"ES" + end) == [LineFrame("S S"), LineFrame("ES")]


@given(st.binary(max_size=600), st.lists(st.integers(0, 600), max_size=12))
def test_lines_do_not_depend_on_how_the_bytes_are_chopped(data: bytes, cuts: list[int]) -> None:
    pieces = [0, *sorted(cuts), len(data)]
    chopped = Framer()
    frames = [f for a, b in pairwise(pieces) for f in chopped.feed(data[a:b])]
    whole = Framer()
    assert frames == whole.feed(data)
    assert chopped.pending == whole.pending


@given(st.binary(max_size=2000))
def test_whatever_comes_is_bounded_and_only_ascii_is_clean(data: bytes) -> None:
    framer = Framer()
    for frame in framer.feed(data):
        assert frame.text.isascii()
        assert frame.text.isprintable()
        assert not frame.clean or len(frame.text) <= MAX_LINE
    assert len(framer._pending) <= MAX_LINE


def test_an_endless_line_is_thrown_away_and_the_next_one_is_good() -> None:
    framer = Framer()
    assert framer.feed(b"9" * 100_000) == []
    (long, good) = framer.feed(b"\rES\r")
    assert not long.clean
    assert good == LineFrame("ES")


def test_parity_bits_and_control_signs_within_a_line_are_noise() -> None:
    frames = Framer().feed(b"S S      14.8\xb2 g\r\nS\x00 S\r\nok\r\n")
    assert [frame.clean for frame in frames] == [False, False, True]


def test_rubbish_before_and_behind_a_line_is_not_part_of_it() -> None:
    assert Framer().feed(b"\x00\xff\x02ST,GS    20.7g  \x00\r\n") == [LineFrame("ST,GS    20.7g  ")]


def parity(text: bytes, odd: int) -> bytes:
    return bytes(byte | ((byte.bit_count() + odd) % 2) << 7 for byte in text)


@pytest.mark.parametrize("odd", [0, 1])
def test_parity_bits_on_every_byte_are_checked_and_taken_off(odd: int) -> None:
    line = b"ST,+00014.82  g\r\n"
    sent = parity(line, odd)
    assert Framer().feed(sent * 2) == [LineFrame("ST,+00014.82  g")] * 2
    for place in range(len(line) - 2):
        damaged = bytearray(sent)
        damaged[place] ^= 0x01
        assert not any(frame.clean for frame in Framer().feed(bytes(damaged)))


@pytest.mark.parametrize("checksum", [b"", b"\x2a", b"2A", b"%02X" % (sum(b"  12.34 g") & 0xFF)])
def test_a_checksum_behind_etx_has_to_hold(checksum: bytes) -> None:
    text = b"  12.34 g"
    right = checksum if checksum not in (b"\x2a", b"2A") else _xor(text, checksum)
    assert Framer().feed(b"\x02" + text + b"\x03" + right + b"\r\n") == [LineFrame("  12.34 g")]
    if checksum:
        (frame,) = Framer().feed(b"\x02  12.84 g\x03" + right + b"\r\n")
        assert not frame.clean


def _xor(text: bytes, form: bytes) -> bytes:
    value = 0
    for byte in text:
        value ^= byte
    return bytes([value]) if len(form) == 1 else b"%02X" % value


def test_frames_in_stx_and_etx_need_no_line_end() -> None:
    framer = Framer()
    assert framer.feed(b"7 g\x03\x02  12.34 g\x03\x02  12.34 g\x03\x02")[1:] == [LineFrame("  12.34 g")] * 2


def test_the_rest_of_a_missed_line_is_skipped() -> None:
    framer = Framer()
    framer.skip_line()
    assert framer.feed(b"2.21 g\r\n    192.21 g\r\n") == [LineFrame("    192.21 g")]


@pytest.mark.parametrize(
    "place",
    ["socket://", "socket://host", "socket://:4001", "socket://host:0", "socket://host:99999", "socket://host:x",
     "socket://u:p@host:1", "socket://host:1/path", "loop://", "spy:///dev/ttyS0?file=/tmp/x", "rfc2217://host:1",
     "alt:///dev/ttyS0", "http://host:80", "socket://[::1", "://"],
)  # fmt: skip
def test_no_other_address_than_a_plain_socket_is_opened(place: str) -> None:
    with pytest.raises(UsageError, match="is not a port"):
        open_port(Address(place), time.monotonic() + 1)


def test_an_ipv6_scale_has_an_address_too() -> None:
    assert socket_address("socket://[::1]:4001") == ("::1", 4001)


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    os.mkfifo(tmp_path / "fifo")
    for place, why in (
        (str(tmp_path / "nope"), "no such port"), (str(file), "not a serial port"), (str(tmp_path), "is a folder"),
        (str(tmp_path / "fifo"), "not a serial port"), ("a\0b", "cannot be opened"), ("", "cannot be opened|no such port"),
        ("socket://127.0.0.1:1", "nobody answers"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=why):
            open_port(Address(place), time.monotonic() + 1)


@pytest.fixture
def terminal() -> Iterator[tuple[int, str]]:
    instrument, computer = pty.openpty()
    yield instrument, os.ttyname(computer)
    for end in (instrument, computer):
        try:
            os.close(end)
        except OSError:
            continue


def test_a_port_in_use_by_another_program_is_not_shared(terminal: tuple[int, str]) -> None:
    port = open_port(Address(terminal[1]), time.monotonic() + 1)
    with pytest.raises(BadInput, match="in use"):
        open_port(Address(terminal[1]), time.monotonic() + 1)
    port.close()
    open_port(Address(terminal[1]), time.monotonic() + 1).close()


def test_every_setting_of_a_port_is_accepted(terminal: tuple[int, str]) -> None:
    for settings in (Settings(4800, 7, "E", 2), Settings(1200, 7, "O", 1), Settings(2400, 7, "N", 2)):
        open_port(Address(terminal[1], settings), time.monotonic() + 1).close()


def test_what_was_said_before_is_not_heard(terminal: tuple[int, str]) -> None:
    os.write(terminal[0], b'I4 A "B021002593"\r\nS S      99.99 g\r\n')
    with Conversation(Address(terminal[1]), 0.3) as talk:
        assert talk.hear(0.1) is None


def test_a_socket_that_closes_is_unplugged() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = open_port(Address(f"socket://127.0.0.1:{server.getsockname()[1]}"), time.monotonic() + 1)
        server.accept()[0].close()
        with pytest.raises(Unplugged):
            port.read()
        port.close()


def test_a_scale_that_hangs_up_at_once_does_not_keep_the_desk_busy_for_ever() -> None:
    accepted = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(2)

        def hang_up() -> None:
            try:
                while True:
                    server.accept()[0].close()
                    accepted.append(1)
            except OSError:
                return

        thread = threading.Thread(target=hang_up)
        thread.start()
        with Conversation(Address(f"socket://127.0.0.1:{server.getsockname()[1]}"), 0.9, marked_start=False) as talk:
            while talk.left:
                try:
                    talk.ask(b"S\r\n")
                    assert talk.hear(0.2) is None
                except BadInput:
                    break
        assert 1 < len(accepted) < 10
        server.close()
        thread.join()
