"""Instruments on ports: which one hangs where, and what answers on a port that nobody has named."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from inspect_kit.capture.conversation import Conversation
from inspect_kit.capture.files import read_text
from inspect_kit.capture.learned_dialects import PREFIX, dialect_named, known_dialects
from inspect_kit.capture.line import Address
from inspect_kit.capture.protocols.reply import InstrumentKind, Settings
from inspect_kit.capture.protocols.table import PROTOCOLS, adopt, protocol_named, spoken_by
from inspect_kit.errors import BadInput, InspectKitError
from inspect_kit.strict_json import parse_json

FORMAT: Final = 1
"""Version of the file; another one is refused."""
_FILE: Final = "connections.json"
_LIMIT: Final = 1_000_000
"""Bytes of the file at most: far more than a desk's instruments take."""
LENGTH_UNITS: Final = ("mm", "in")
BITS: Final = (7, 8)
"""Data bits of a character on a serial line."""
PARITIES: Final = ("N", "E", "O")
STOPS: Final = (1, 2)
"""Stop bits of a character on a serial line."""
BAUD_RANGE: Final = (50, 4_000_000)
"""Bits per second, slowest and fastest, that a serial port may be set to."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Where one instrument is and how it talks; `unit` for those that do not say theirs."""

    address: Address
    protocol: str
    unit: str | None = None
    auxiliary_counts: bool = False
    """Whether the instrument's sheet says that a digit set off as auxiliary is part of the value."""


def connections_file(home: Path) -> Path:
    """Where they are kept."""
    return home / _FILE


def read_connections(home: Path) -> dict[str, Connection]:
    """The connections by the instrument's id; none where there is no file."""
    path = connections_file(home)
    if not path.is_file():
        return {}
    try:
        data = parse_json(read_text(path, _LIMIT), str(path))
        if data["format"] != FORMAT:
            raise ValueError
        _adopt_dialects(home, [str(entry["protocol"]) for entry in data["instruments"].values()])
        return {str(name): _connection(entry) for name, entry in data["instruments"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InspectKitError):
        raise BadInput("not-list-connections", where=str(path)) from None


def adopt_learned(folder: Path) -> None:
    """All dialects that were learned into a folder, so that they are tried with the known protocols."""
    for dialect in known_dialects(folder):
        adopt(dialect.protocol())


def _adopt_dialects(home: Path, names: list[str]) -> None:
    """The dialects that these instruments were taught."""
    for name in names:
        if name.startswith(PREFIX):
            adopt(dialect_named(home / "instruments", name.removeprefix(PREFIX)).protocol())


def _connection(entry: Mapping[str, object]) -> Connection:
    protocol = protocol_named(str(entry["protocol"])).name
    unit = entry.get("unit")
    settings = entry.get("settings")
    if unit not in (None, *LENGTH_UNITS):
        raise ValueError("an unknown unit")
    address = Address(str(entry["port"]), _settings(settings) if isinstance(settings, dict) else None)
    return Connection(address, protocol, str(unit) if unit else None)


def _settings(entry: Mapping[str, object]) -> Settings:
    baud, bits, parity, stop = (entry[key] for key in ("baud", "bits", "parity", "stop"))
    if not isinstance(baud, int) or not BAUD_RANGE[0] <= baud <= BAUD_RANGE[1]:
        raise ValueError("not a baud rate")
    if bits not in BITS or parity not in PARITIES or stop not in STOPS:
        raise ValueError("not a serial port's settings")
    return Settings(baud, int(str(bits)), str(parity), int(str(stop)))


def connections_text(connections: Mapping[str, Connection]) -> str:
    """The file's content."""
    entries = {name: _entry(connection) for name, connection in sorted(connections.items())}
    return json.dumps({"format": FORMAT, "instruments": entries}, ensure_ascii=False, indent=1) + "\n"


def _entry(connection: Connection) -> dict[str, object]:
    address = connection.address
    return {
        "port": address.port, "protocol": connection.protocol, "unit": connection.unit,
        "settings": address.settings and asdict(address.settings),
    }  # fmt: skip


# Looking for an instrument: which of the known protocols is answered on a port, by questions that change nothing.


_PROBES: Final = (b"", b"SI\r\n", b"S\r\n", b"Q\r\n", b"IP\r\n", b"1\r", b"?\r", b"\x1bP\r\n")
"""First only listen, then ask. All of these read; the order asks the strictest protocols first, and the search ends at
the first answer, so that an instrument is not sent other makers' commands."""
_PATIENCE: Final = 0.35
"""Seconds of silence after which a question counts as not answered."""
_LISTEN: Final = 0.6
"""Seconds per question, however much comes."""
_ENOUGH: Final = 12
"""Lines of a stream that tell what it is."""


@dataclass(frozen=True, slots=True)
class FoundInstrument:
    """An instrument that answers: the protocols in which its line is good, the likeliest first."""

    protocols: tuple[str, ...]
    kind: str
    settings: Settings
    raw: str
    lines: tuple[str, ...] = ()
    """All that was heard while it was recognised."""


@dataclass(frozen=True, slots=True)
class PortDescription:
    """A serial port of this computer, with what it says of itself."""

    port: str
    description: str


def find(address: Address, seconds: float, kind: InstrumentKind | None = None) -> FoundInstrument:
    """What answers on this port; an error that says what to try if nothing does."""
    with answering(address, seconds, kind) as (_, found):
        return found


@contextmanager
def answering(
    address: Address, seconds: float, kind: InstrumentKind | None = None
) -> Iterator[tuple[Conversation, FoundInstrument]]:
    """What answers on this port, with the conversation it answered in still open: some send a value only once."""
    left = seconds
    for settings in _ways(address):
        with Conversation(Address(address.port, settings), left) as talk:
            talk.keep_trying = False
            found = _answered(talk, settings, kind)
            if found is not None:
                yield talk, found
                return
            left = talk.left
        if not left:
            break
    raise BadInput("nothing-known-answers", where=address.port)


def _ways(address: Address) -> Iterator[Settings]:
    """The settings to try: the ones that were asked for, or those usual with the protocols."""
    if address.settings or "://" in address.port:
        yield address.settings or Settings()
        return
    usual = (settings for protocol in PROTOCOLS.values() for settings in protocol.settings)
    yield from dict.fromkeys((Settings(), *usual))


def _answered(talk: Conversation, settings: Settings, kind: InstrumentKind | None) -> FoundInstrument | None:
    for probe in _PROBES:
        if probe:
            talk.ask(probe)
        found = _recognised(tuple(_lines(talk)), settings, kind)
        if found is not None or not talk.left:
            return found
    return None


def _lines(talk: Conversation) -> Iterator[str]:
    until = talk.left - _LISTEN
    for heard in range(_ENOUGH):
        try:
            frame = talk.hear(_PATIENCE) if talk.left > until else None
        except BadInput:
            # It hung up after it had sent something: that may be all there is to hear.
            if not heard:
                raise
            return
        if frame is None:
            return
        if frame.clean:
            yield frame.text


def _recognised(lines: tuple[str, ...], settings: Settings, kind: InstrumentKind | None) -> FoundInstrument | None:
    """The protocols in which all lines are good that are good in any, but for one: a line may be cut or damaged."""
    spoken = ((line, [p for p in spoken_by(line) if kind is None or p.kind is kind]) for line in lines)
    told = [(line, named) for line, named in spoken if named]
    counts = Counter(protocol.name for _, named in told for protocol in named)
    if not told:
        return None
    most = max(counts.values())
    common = [p for p in PROTOCOLS.values() if counts[p.name] == most]
    raw = next(line for line, named in reversed(told) if common[0] in named)
    meanings = {(reply.status, reply.number, reply.unit) for p in common if (reply := p.parse(raw))}
    if len(meanings) != 1 or most < len(told) - 1:
        raise BadInput("protocol-in-doubt", raw=raw[:40], names=" / ".join(counts))
    return FoundInstrument(tuple(p.name for p in common), common[0].kind.value, settings, raw, lines)


def available_ports(bluetooth_seconds: float = 0.0) -> tuple[PortDescription, ...]:
    """Where instruments may be: serial ports, USB scales of the HID class, and calipers by Bluetooth if looked for."""
    from serial.tools.list_ports import comports

    from inspect_kit.capture.devices.ble_caliper import ble_calipers
    from inspect_kit.capture.devices.hid_scale import hid_scales

    wired = [PortDescription(port.device, port.description or "") for port in sorted(comports())]
    others = [*hid_scales(), *(ble_calipers(bluetooth_seconds) if bluetooth_seconds else ())]
    return (*wired, *(PortDescription(port, description) for port, description in others))
