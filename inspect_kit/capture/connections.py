"""How the desk's instruments are reached: for each its port, protocol, unit and settings, kept in one file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from inspect_kit.capture.dialects.dialect import PREFIX, dialect_named, known_dialects
from inspect_kit.capture.files import read_text
from inspect_kit.capture.line import Address
from inspect_kit.capture.protocols.reply import Settings
from inspect_kit.capture.protocols.table import adopt, protocol_named
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
