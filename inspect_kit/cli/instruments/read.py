"""`read`: one stable reading from an instrument on a port, or from the photo of a display."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.capture import connections
from inspect_kit.capture.connections import Connection, adopt_learned
from inspect_kit.capture.dialects.dialect import PREFIX, dialect_named
from inspect_kit.capture.driver import DEFAULT_SECONDS, MAX_SECONDS, read_live, read_unknown_protocol
from inspect_kit.capture.gauges.own import own_reading, read_gauge
from inspect_kit.capture.instruments import load_instruments
from inspect_kit.capture.line import Address
from inspect_kit.capture.protocols.reply import InstrumentKind, Settings
from inspect_kit.capture.protocols.table import PROTOCOLS, adopt, protocol_named
from inspect_kit.capture.readings import InstrumentReading
from inspect_kit.cli.instruments.display import display
from inspect_kit.cli.options import Given, home_folder, json_option, own_instruments, stacked
from inspect_kit.cli.terminal import print_result, said, warn
from inspect_kit.clock import today
from inspect_kit.errors import UsageError, notice

# Options that say where an instrument is plugged in and how it talks.

port_option = click.option("--port", metavar="PORT", help="Serial port (/dev/ttyUSB0, COM3) or socket://host:port.")


def _spoken(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """A protocol's name; a learned one is looked up beside the desk's instruments."""
    if value and value.startswith(PREFIX):
        adopt(dialect_named(own_instruments(), value.removeprefix(PREFIX)).protocol())
    return protocol_named(value).name if value else None


protocol_option = click.option(
    "--protocol", callback=_spoken, metavar="NAME",
    help=f"How the instrument talks, or {PREFIX}ID for one that was taught: {', '.join(PROTOCOLS)}.",
)  # fmt: skip
unit_option = click.option(
    "--unit",
    type=click.Choice(connections.LENGTH_UNITS),
    help="What the display shows, for calipers that do not say it.",
)


def _seconds(_: click.Context, option: click.Parameter, value: float) -> float:
    if not math.isfinite(value) or not 0 < value <= MAX_SECONDS:
        raise UsageError("seconds-out-of-range", where=option.opts[0], value=f"{value:g}", most=f"{MAX_SECONDS:g}")
    return value


timeout_option = click.option(
    "--timeout", type=float, default=DEFAULT_SECONDS, show_default=True, callback=_seconds, metavar="SECONDS",
    help="How long to wait in all.",
)  # fmt: skip


settings_options = stacked(
    click.option("--baud", type=click.IntRange(*connections.BAUD_RANGE), help="Speed, for example 9600."),
    click.option("--bits", type=click.Choice([str(n) for n in connections.BITS]), help="Data bits."),
    click.option("--parity", type=click.Choice(connections.PARITIES, case_sensitive=False), help="None, even or odd."),
    click.option("--stop", type=click.Choice([str(n) for n in connections.STOPS]), help="Stop bits."),
)
"""Where a port is not set as usual for its protocol."""
wiring_options = stacked(port_option, protocol_option, unit_option, settings_options)
"""Everything that says how to reach an instrument."""


def address_from(given: Given) -> Address | None:
    """The port that was named, with settings only where some were."""
    if not given["port"]:
        return None
    wanted = {key: given[key] for key in ("baud", "bits", "parity", "stop") if given[key] is not None}
    if not wanted:
        return Address(given["port"])
    usual = protocol_named(given["protocol"]).settings[0] if given.get("protocol") else Settings()
    baud, bits, parity, stop = (wanted.get(key, getattr(usual, key)) for key in ("baud", "bits", "parity", "stop"))
    return Address(given["port"], Settings(baud, int(bits), str(parity).upper(), int(stop)))


def connection_from(given: Given) -> Connection | None:
    """The connection that the options describe, if they name a port; it needs a protocol then."""
    address = address_from(given)
    if address is None:
        return None
    if not given["protocol"]:
        raise UsageError("port-needs-protocol", port=address.port)
    return Connection(address, given["protocol"], given["unit"])


@click.group("read")
def command() -> None:
    """One stable reading: from a scale or caliper on a port, or from the photo of a display.

    \b
    Example:
      inspect-kit read scale --port /dev/ttyUSB0 --protocol mt-sics
      inspect-kit read display photo.jpg --resolution 0.01g
    """


def _reader(kind: InstrumentKind) -> click.Command:
    """The command for one kind of instrument."""

    @click.command(kind.value, help=_HELP[kind])
    @wiring_options
    @click.option("--instrument", metavar="ID", help="One of the desk's own, as added with its port.")
    @timeout_option
    @json_option
    def read(timeout: float, **given: Any) -> None:
        reading = _reading(given, kind, timeout)
        warn(*_warnings(reading, today()))
        print_result(reading.as_data(), _text(reading))

    return read


_HELP: Final = {
    InstrumentKind.SCALE: """One stable reading of a scale. Nothing is changed on it: no zero, no tare, no unit.

    Without --protocol the known ones are tried; without --port the desk's own scale is taken.

    \b
    Example:
      inspect-kit read scale --port /dev/ttyUSB0 --protocol mt-sics
      inspect-kit read scale --instrument desk-scale --json
    """,
    InstrumentKind.CALIPER: """One stable reading of a caliper. Nothing is changed on it: no zero, no preset, no unit.

    Without --protocol the known ones are tried; without --port the desk's own caliper is taken.

    \b
    Example:
      inspect-kit read caliper --port COM4 --protocol mitutoyo --unit mm --json
    """,
}
for _kind in InstrumentKind:
    command.add_command(_reader(_kind))
command.add_command(display)


def _reading(given: Given, kind: InstrumentKind, timeout: float) -> InstrumentReading:
    """Read where the options say, or the desk's own instrument; what has a sheet must be the one the sheet is for."""
    protocol, unit, name = (given[key] for key in ("protocol", "unit", "instrument"))
    if protocol and PROTOCOLS[protocol].kind is not kind:
        raise UsageError("protocol-of-another-kind", protocol=protocol, kind=PROTOCOLS[protocol].kind, kind2=kind)
    if kind is InstrumentKind.SCALE and unit:
        warn(said("scale-unit-unused"))
    address = address_from(given)
    if address is None:
        name, connection = _own(home_folder(), name, kind)
        return read_gauge(load_instruments([name], [own_instruments()])[name], connection, timeout)
    gauge = load_instruments([name], [own_instruments()])[name] if name else None
    if protocol and gauge:
        return read_gauge(gauge, Connection(address, protocol, unit), timeout)
    if protocol:
        return read_live(Connection(address, protocol, unit), lambda _: None, timeout)
    adopt_learned(own_instruments())
    reading = read_unknown_protocol(Connection(address, "", unit, bool(gauge and gauge.auxiliary_digit)), kind, timeout)
    warn(f"{address.port}: {said('protocol-found', protocol=reading.protocol)}")
    return own_reading(gauge, reading) if gauge else reading


def _own(home: Path, wanted: str | None, kind: InstrumentKind) -> tuple[str, Connection]:
    known = connections.read_connections(home)
    own = {name: entry for name, entry in known.items() if PROTOCOLS[entry.protocol].kind is kind}
    if wanted is None and len(own) == 1:
        return next(iter(own.items()))
    if wanted in own:
        return wanted, own[wanted]
    hint = notice("instrument-one-of", names=" | ".join(own)) if own else notice("port-or-add")
    code = "no-instrument-with-port" if wanted else "which-instrument"
    raise UsageError(code, hint=hint, kind=kind, wanted=(wanted or "")[:40])


def _warnings(reading: InstrumentReading, day: date) -> list[str]:
    warnings = []
    if reading.battery == "low":
        warnings.append(said("battery-low"))
    if reading.next_calibration and date.fromisoformat(reading.next_calibration) < day:
        warnings.append(said("calibration-was-due", day=reading.next_calibration))
    return warnings


def _text(reading: InstrumentReading) -> str:
    about = [f"{reading.raw!r}", reading.protocol]
    about += [reading.instrument] if reading.instrument else []
    about += [said("serial-is", serial=reading.serial)] if reading.serial else []
    return f"{reading.value} {reading.unit}  ({', '.join(about)})"
