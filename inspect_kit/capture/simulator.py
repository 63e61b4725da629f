"""Simulated instruments on a pseudo-terminal or a socket, with scripted faults: for rehearsals and for tests."""

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Final

from inspect_kit.capture.line import socket_address
from inspect_kit.capture.simulated_replies import SIMULATED, Display, ReplyState
from inspect_kit.errors import BadInput, UsageError, notice, system_errors_as

_LOOK: Final = 0.05
"""Seconds that one look for a command takes at most, and between half a line and the pulled plug."""
_FRAGMENT_PAUSE: Final = 0.004
"""Seconds between the pieces of a line that is sent in fragments."""
_MAX_COMMAND: Final = 200
"""Bytes of a command that are kept while its end has not come."""


class LineFault(StrEnum):
    """What goes wrong on the way, whatever the instrument meant to say."""

    SILENCE = "silence"
    HALF = "half"
    """The line breaks off in the middle."""
    NOISE = "noise"
    """Garbage before the line and bytes changed in it."""
    GARBLED = "garbled"
    """Every byte has its parity bit still on, as with a wrong setting of the port."""
    UNPLUG = "unplug"
    """The line breaks off in the middle and the port goes away for a while."""


Step = ReplyState | LineFault


def script_of(words: str) -> tuple[Step, ...]:
    """`unstable,unstable,stable`: one word for each time the value is asked for; the last one stays."""
    known: dict[str, Step] = {step.value: step for step in (*ReplyState, *LineFault)}
    chosen = [part.strip() for part in words.split(",")]
    for word in chosen:
        if word not in known:
            hint = notice("use-one-of", names=", ".join(known))
            raise UsageError("nothing-simulated-instrument-can-do", hint=hint, word=word[:40])
    return tuple(known[word] for word in chosen)


class PseudoTerminal:
    """A serial port without a wire. With `link`, the port is also found under that name, also after a new plugging."""

    def __init__(self, link: Path | None = None) -> None:
        self._link = link
        self._computer = self._instrument = -1
        self.port = ""

    def plug_in(self) -> None:
        """A new pseudo-terminal, raw as a wire is."""
        try:
            import pty
            import tty
        except ImportError:
            raise BadInput("system-no-pseudo-terminals") from None
        self._instrument, self._computer = pty.openpty()
        tty.setraw(self._computer)
        name = os.ttyname(self._computer)
        if self._link is not None:
            _point(self._link, name)
        self.port = str(self._link) if self._link else name

    def unplug(self) -> None:
        """Both ends closed, as when a USB plug is pulled."""
        if self._link is not None:
            with contextlib.suppress(OSError):
                self._link.unlink()
        for end in (self._computer, self._instrument):
            with contextlib.suppress(OSError):
                os.close(end)
        self._computer = self._instrument = -1

    def read(self) -> bytes:
        """What the computer sent."""
        if self._instrument < 0 or not select.select([self._instrument], [], [], _LOOK)[0]:
            return b""
        return os.read(self._instrument, 1024)

    def write(self, data: bytes) -> None:
        """Send; when nobody reads and the buffer is full, the rest is lost, as on a wire."""
        if select.select([], [self._instrument], [], 0)[1]:
            os.set_blocking(self._instrument, False)
            with contextlib.suppress(BlockingIOError):
                os.write(self._instrument, data)


def _point(link: Path, name: str) -> None:
    if link.exists() and not link.is_symlink():
        raise BadInput("no-simulated-port", where=str(link))
    with system_errors_as("port-cannot-made", link):
        link.unlink(missing_ok=True)
        link.symlink_to(name)


class EthernetPort:
    """An instrument with an Ethernet plug, one computer at a time."""

    def __init__(self, place: str) -> None:
        self._host, self._number = socket_address(place)
        self._server: socket.socket | None = None
        self._client: socket.socket | None = None
        self.port = place

    def plug_in(self) -> None:
        """Listen at the address."""
        with system_errors_as("cannot-listen-here", self.port):
            self._server = socket.create_server((self._host, self._number))
        self._number = self._server.getsockname()[1]
        self.port = f"socket://{self._host}:{self._number}"

    def unplug(self) -> None:
        """Drop the connection and stop listening."""
        for end in (self._client, self._server):
            if end is not None:
                end.close()
        self._client = self._server = None

    def read(self) -> bytes:
        """What the computer sent; first of all, that it is there."""
        watched = [end for end in (self._client, self._server) if end is not None]
        ready = select.select(watched, [], [], _LOOK)[0]
        if self._server in ready and self._server is not None:
            self._hang_up()
            self._client = self._server.accept()[0]
            return b""
        if self._client not in ready or self._client is None:
            return b""
        with contextlib.suppress(OSError):
            data = self._client.recv(1024)
            if data:
                return data
        self._hang_up()
        return b""

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None

    def write(self, data: bytes) -> None:
        """Send."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.sendall(data)


SimulatedPort = PseudoTerminal | EthernetPort
"""The instrument's end of the line: a plug that can be pulled."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """What the simulated instrument does: its display, the script, and how its bytes travel."""

    protocol: str
    display: Display = field(default_factory=Display)
    script: tuple[Step, ...] = (ReplyState.STABLE,)
    fragment: int = 0
    """Bytes sent at a time; 0 sends a line as a whole."""
    every: float = 0.0
    """Seconds between values sent unasked; 0 sends none."""
    away: float = 0.5
    """Seconds for which it stays unplugged."""
    seed: int = 1


class Simulator:
    """One simulated instrument. `heard` keeps every command it was sent."""

    def __init__(self, performance: Simulation, plug: SimulatedPort) -> None:
        self._performance = performance
        self._protocol = SIMULATED[performance.protocol]
        self._plug = plug
        self._random = Random(performance.seed)  # noqa: S311 (noise, not secrets)
        self._asked = 0
        self._typed = bytearray()
        self._next_push = time.monotonic() + performance.every
        self.heard: list[str] = []

    @property
    def port(self) -> str:
        """Where it can be reached."""
        return self._plug.port

    def run(self, stop: threading.Event) -> None:
        """Answer until told to stop. The plug must be in."""
        while not stop.is_set():
            for command in self._commands(self._plug.read()):
                self._obey(command)
            if self._performance.every and time.monotonic() >= self._next_push:
                self._next_push = time.monotonic() + self._performance.every
                self._act(min(self._protocol.asks))

    def _commands(self, data: bytes) -> Iterator[str]:
        """Commands end with CR or LF."""
        for byte in data:
            if byte not in b"\r\n":
                self._typed = (self._typed + bytes([byte]))[-_MAX_COMMAND:]
            elif self._typed:
                command, self._typed = self._typed.decode("latin-1"), bytearray()
                yield command

    def _obey(self, command: str) -> None:
        self.heard.append(command)
        if command in self._protocol.asks:
            self._act(command)
            return
        self._send(self._protocol.answer(command, self._performance.display).encode("ascii", "replace"))

    def _act(self, command: str) -> None:
        """The next step of the script."""
        script = self._performance.script
        step = script[min(self._asked, len(script) - 1)]
        self._asked += 1
        state = step if isinstance(step, ReplyState) else ReplyState.STABLE
        line = self._protocol.value_line(command, state, self._shown(state)).encode("ascii", "replace")
        if isinstance(step, ReplyState):
            self._send(line)
        else:
            self._fail(step, line)

    def _shown(self, state: ReplyState) -> Display:
        """While it is not stable the value wanders, so that instruments without a sign for it show it too."""
        display = self._performance.display
        if state is not ReplyState.UNSTABLE:
            return display
        value = Decimal(display.value)
        step = Decimal(1).scaleb(int(value.as_tuple().exponent))
        return replace(display, value=f"{value + step * (self._asked % 7 + 1):f}")

    def _fail(self, fault: LineFault, line: bytes) -> None:
        half = line.rstrip()[: max(1, len(line.rstrip()) * 2 // 3)]
        if fault is LineFault.NOISE:
            junk = bytes(self._random.randrange(256) for _ in range(12))
            self._send(junk + line[:6] + b"\xff" + line[6:])
        elif fault is LineFault.GARBLED:
            self._send(bytes(byte | 0x80 for byte in line))
        elif fault is LineFault.HALF:
            self._send(half)
        elif fault is LineFault.UNPLUG:
            self._send(half)
            time.sleep(_LOOK)
            self._plug.unplug()
            time.sleep(self._performance.away)
            self._plug.plug_in()

    def _send(self, data: bytes) -> None:
        size = self._performance.fragment or len(data) or 1
        for start in range(0, len(data), size):
            self._plug.write(data[start : start + size])
            if size < len(data):
                time.sleep(_FRAGMENT_PAUSE)


def plug_for(place: str) -> SimulatedPort:
    """A pseudo-terminal, under a name of one's own if `place` gives one, or a socket to listen on."""
    if "://" in place:
        return EthernetPort(place)
    return PseudoTerminal(Path(place) if place else None)


@contextlib.contextmanager
def simulated(performance: Simulation, place: str = "") -> Iterator[Simulator]:
    """A simulated instrument that answers in the background as long as the block lasts."""
    plug = plug_for(place)
    plug.plug_in()
    stop = threading.Event()
    simulator = Simulator(performance, plug)
    thread = threading.Thread(target=simulator.run, args=(stop,), daemon=True)
    thread.start()
    try:
        yield simulator
    finally:
        stop.set()
        thread.join()
        plug.unplug()
