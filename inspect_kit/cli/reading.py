"""`read scale|caliper`: one stable reading from an instrument."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

import click

from inspect_kit.capture.connections import Connection, read_connections
from inspect_kit.capture.discovery import find
from inspect_kit.capture.driver import read_stable
from inspect_kit.capture.protocols.reply import Kind
from inspect_kit.capture.protocols.table import PROTOCOLS
from inspect_kit.capture.readings import InstrumentReading
from inspect_kit.cli.options import home_of, json_option, today
from inspect_kit.cli.output import print_json, warn
from inspect_kit.cli.wiring import address_from, timeout_option, wiring_options
from inspect_kit.errors import UsageError


@click.command("read")
@click.argument("kind", type=click.Choice([kind.value for kind in Kind]), metavar="scale|caliper")
@wiring_options
@click.option("--instrument", metavar="ID", help="One of the desk's own, as added with its port.")
@timeout_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, kind: str, timeout: float, as_json: bool, **_: object) -> None:
    """One stable reading. Nothing is changed on the instrument: no zero, no tare, no unit.

    Without --protocol the known ones are tried; without --port the desk's own instrument is taken.

    \b
    Example:
      inspect-kit read scale --port /dev/ttyUSB0 --protocol mt-sics
      inspect-kit read caliper --port COM4 --protocol mitutoyo --unit mm --json
    """
    started = time.monotonic()
    connection = _connection(ctx, Kind(kind), timeout)
    left = max(0.1, timeout - (time.monotonic() - started))
    reading = read_stable(connection.address, connection.protocol, connection.unit, left)
    warn(_warnings(reading, today()))
    if as_json:
        print_json(reading.as_data())
    else:
        click.echo(_text(reading))


def _connection(ctx: click.Context, kind: Kind, timeout: float) -> Connection:
    """Where to read: as the options say, or the desk's own instrument."""
    protocol = ctx.params["protocol"]
    if protocol and PROTOCOLS[protocol].kind is not kind:
        raise UsageError(
            f"{protocol} is the protocol of a {PROTOCOLS[protocol].kind}", hint=f"read a {kind} by another"
        )
    if kind is Kind.SCALE and ctx.params["unit"]:
        warn(("a scale says its unit itself; --unit is not used",))
    address = address_from(ctx)
    if address is None:
        return _own(home_of(ctx), ctx.params["instrument"], kind)
    if protocol:
        return Connection(address, protocol, ctx.params["unit"])
    found = find(address, timeout, kind)
    warn((f"{address.port}: found {' or '.join(found.protocols)}, {found.settings}",))
    return Connection(address.using(found.settings), found.protocols[0], ctx.params["unit"])


def _own(home: Path, wanted: str | None, kind: Kind) -> Connection:
    connections = read_connections(home)
    own = {name: entry for name, entry in connections.items() if PROTOCOLS[entry.protocol].kind is kind}
    if wanted is None and len(own) == 1:
        return next(iter(own.values()))
    if wanted in own:
        return own[wanted]
    known = f"--instrument {' or '.join(own)}" if own else "name its --port, or add it: inspect-kit instruments add"
    which = f"no {kind} with a port is called {wanted[:40]!r}" if wanted else f"which {kind}?"
    raise UsageError(which, hint=known)


def _warnings(reading: InstrumentReading, day: date) -> list[str]:
    warnings = []
    if reading.battery == "low":
        warnings.append("the instrument's battery is low; change it before it fails in the middle of a set")
    if reading.next_calibration and date.fromisoformat(reading.next_calibration) < day:
        warnings.append(f"the instrument says its calibration was due on {reading.next_calibration}")
    return warnings


def _text(reading: InstrumentReading) -> str:
    about = [f"{reading.raw!r}", reading.protocol]
    about += [reading.instrument] if reading.instrument else []
    about += [f"serial {reading.serial}"] if reading.serial else []
    return f"{reading.value} {reading.unit}  ({', '.join(about)})"
