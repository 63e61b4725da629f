"""`instruments`: the desk's gauges, their calibration and daily checks, what answers on a port, and rehearsals."""

import signal
import sys
import threading
from dataclasses import asdict, replace
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture import connections, instruments
from inspect_kit.capture.connections import FoundInstrument, available_ports, find
from inspect_kit.capture.daily_checks import standing
from inspect_kit.capture.line import Address
from inspect_kit.capture.protocols.reply import InstrumentKind
from inspect_kit.capture.protocols.table import PROTOCOLS
from inspect_kit.capture.readings import in_base
from inspect_kit.capture.simulated_replies import SIMULATED, Display, ReplyState
from inspect_kit.capture.simulator import LineFault, Simulation, script_of, simulated
from inspect_kit.cli.instruments import read
from inspect_kit.cli.instruments.check import certificate, check, history
from inspect_kit.cli.instruments.life import due, suspect
from inspect_kit.cli.options import Given, day_option, home_folder, json_option, own_instruments
from inspect_kit.cli.terminal import columns, in_figures, lang, print_result, said, said_of, wants_json, warn
from inspect_kit.clock import today
from inspect_kit.errors import InspectKitError, UsageError, nearest, notice, worded_fact
from inspect_kit.places import shipped
from inspect_kit.values.quantity import parse_number, parse_quantity

# `instruments simulate`: an instrument that is not there, to rehearse with.

_WIDEST: Final = 8
"""Characters that the narrowest display shows."""


@click.command("simulate")
@click.argument("protocol", type=click.Choice(tuple(SIMULATED)), metavar="PROTOCOL")
@click.option("--port", is_flag=False, flag_value="", default="", metavar="[NAME]",
              help="A name for the port (a path, or socket://127.0.0.1:4001); without one, the system chooses.",
)  # fmt: skip
@click.option("--value", help="What it shows (default: 14.82, for calipers 41.27).")
@click.option("--unit", help="Its unit (default: g, for calipers mm).")
@click.option("--serial", default="B021002593", show_default=True, help="Its serial number.")
@click.option("--script", default=ReplyState.STABLE.value, show_default=True,
              help=f"What happens each time it is asked, separated by commas: {', '.join((*ReplyState, *LineFault))}.",
)  # fmt: skip
@click.option("--fragment", type=click.IntRange(0, 100), default=0, help="Send so many bytes at a time.")
@click.option("--every", type=click.FloatRange(0, 3600), default=0.0, help="Also send unasked, every so many seconds.")
@click.option("--seconds", type=click.FloatRange(0, 86400), help="End after so long (default: with Ctrl-C).")
@json_option
def simulate(port: str, seconds: float | None, **given: Any) -> None:
    """A simulated instrument on a port of its own, to rehearse with. Ctrl-C ends it.

    \b
    Example:
      inspect-kit instruments simulate mt-sics --port ./scale --script unstable,unstable,stable
      inspect-kit read scale --port ./scale --protocol mt-sics
    """  # fmt: skip
    stop = threading.Event()
    # Also where Ctrl-C was switched off for a program in the background: this one only ever ends by a signal.
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with simulated(_performance(given), port) as simulator:
            told = {"port": simulator.port, "protocol": given["protocol"]}
            print_result(told, said("simulating", **told))
            sys.stdout.flush()
            stop.wait(seconds)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _performance(given: Given) -> Simulation:
    caliper = PROTOCOLS[given["protocol"]].kind is InstrumentKind.CALIPER
    value = given["value"] or ("41.27" if caliper else "14.82")
    unit = given["unit"] or ("mm" if caliper else "g")
    number = f"{parse_number(value, where='--value'):f}"
    if len(number) > _WIDEST:
        raise UsageError("too-many-digits-display", where="--value", value=value)
    in_base(number, unit)
    display = Display(number, unit, serial=given["serial"])
    return Simulation(given["protocol"], display, script_of(given["script"]), given["fragment"], given["every"])


_LIKE: Final = {
    "scale": "scale-200g", "caliper": "caliper-150", "micrometer": "micrometer-25", "rule": "steel-rule-1000",
    "tape": "tape-3m", "protractor": "protractor", "depth gauge": "depth-gauge-150",
}  # fmt: skip
"""The shipped sheet that a new one of the kind begins from."""


@click.group("instruments")
def command() -> None:
    """The desk's calipers and scales: which there are, what they say, and whether they can be trusted today.

    \b
    Example:
      inspect-kit instruments find --port /dev/ttyUSB0
      inspect-kit instruments add desk-scale --kind scale --serial B021002593 --calibrated-until 2027-06-30
      inspect-kit instruments check desk-scale --zero 0.00g --reference 100g=100.01g
    """


for _command in (check, read.learn_dialect, read.record, due, certificate, history, suspect, simulate):
    command.add_command(_command)


@command.command("list")
@json_option
def list_instruments() -> None:
    """The desk's own gauges with their calibration and today's check, and the shipped kinds.

    \b
    Example:
      inspect-kit instruments list
    """
    rows = [_row(instrument, own=own) for instrument, own in _all(own_instruments())]
    head = map(said, ("head-kind", "head-resolution", "head-serial", "head-calibration", "head-today", "head-port"))
    print_result(rows, *columns([("id", *head), *map(_cells, rows)]))
    if not wants_json() and not any(row["own"] for row in rows):
        click.echo("\n" + said("none-yours"), err=True)


def _all(folder: Path) -> list[tuple[instruments.Instrument, bool]]:
    """One's own before the shipped ones; a sheet that cannot be read is a warning, and the others are shown."""
    found: list[tuple[instruments.Instrument, bool]] = []
    own = instruments.instrument_ids((folder,))
    for name in own:
        try:
            found.append((instruments.read_instrument(folder / f"{name}.toml"), True))
        except InspectKitError as problem:
            warn(*problem.said(lang()).splitlines())
    kinds = shipped("specs") / "instruments"
    return found + [
        (instruments.read_instrument(kinds / f"{n}.toml"), False)
        for n in instruments.instrument_ids((kinds,))
        if n not in own
    ]


def _row(instrument: instruments.Instrument, *, own: bool) -> dict[str, object]:
    state = standing(home_folder(), instrument.id, today())
    warn(*(f"{instrument.id}: {said('check-line-damaged', number=number)}" for number in state.damaged))
    connection = connections.read_connections(home_folder()).get(instrument.id)
    until = instrument.calibrated_until
    return {
        "id": instrument.id, "name": instrument.name, "kind": instrument.kind, "own": own, "maker": instrument.maker,
        "serial": instrument.serial, "resolution": str(instrument.resolution),
        "calibrated_until": until.isoformat() if until else None,
        "calibration": "unknown" if until is None else "expired" if instrument.expired(today()) else "valid",
        "check": state.state.value,
        "last_check": state.last.time.isoformat(timespec="seconds") if state.last else None,
        "port": connection.address.port if connection else None,
        "protocol": connection.protocol if connection else None,
    }  # fmt: skip


def _cells(row: dict[str, object]) -> tuple[str, ...]:
    until = row["calibrated_until"]
    calibration = said(f"calibration-{row['calibration']}", day=until) if until else said("no-calibration-date")
    if not row["own"]:
        calibration = said("gauge-kind")
    port = f"{row['port']} ({row['protocol']})" if row["port"] else ""
    today_state = said_of("check", str(row["check"])) if row["own"] or row["last_check"] else ""
    kind, resolution = worded_fact(str(row["kind"]), lang()), in_figures(row["resolution"])
    return str(row["id"]), kind, resolution, str(row["serial"]), calibration, today_state, port


@command.command("add")
@click.argument("name", metavar="ID")
@click.option("--kind", help="What it is: scale, caliper, micrometer, rule, tape, protractor, depth gauge.")
@click.option("--like", metavar="ID", help="Begin from this sheet (default: the usual one of the kind).")
@click.option("--name", "title", help="What it is called on a certificate.")
@click.option("--maker", help="Who made it.")
@click.option("--serial", help="Its serial number.")
@click.option("--resolution", help="One digit of its display, for example 0.01g.")
@click.option("--upper", help="The end of its range, for example 200g.")
@day_option("--calibrated-until", "Last day of its calibration.")
@click.option("--calibration", help="Certificate and laboratory.")
@click.option("--expanded", help="Expanded uncertainty on the calibration certificate, for example 0.02g.")
@click.option("--coverage", default="2", show_default=True, help="Its coverage factor.")
@read.wiring_options
@click.option("--replace", "again", is_flag=True, help="Also if there is one of that name.")
@json_option
def add(name: str, again: bool, **given: Any) -> None:
    """Write the sheet of a gauge of your own, and remember where it is plugged in.

    \b
    Example:
      inspect-kit instruments add desk-scale --kind scale --serial B021002593 --resolution 0.01g \\
        --calibrated-until 2027-06-30 --expanded 0.02g --port /dev/ttyUSB0 --protocol mt-sics
    """
    folder = own_instruments()
    path = folder / f"{instruments.checked_id(name)}.toml"
    if path.exists() and not again:
        raise UsageError("sheet-there-already", where=str(path))
    connection = read.connection_from(given)
    text = instruments.checked_sheet(_described(given, name))
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())
    if connection is not None:
        _remember(home_folder(), name, connection)
    print_result(_row(instruments.read_instrument(path), own=True), f"{path}\n{said('check-each-day', name=name)}")


def _remember(home: Path, name: str, connection: connections.Connection) -> None:
    known = {**connections.read_connections(home), name: connection}
    write_whole(connections.connections_file(home), connections.connections_text(known).encode())


def _described(given: Given, name: str) -> instruments.Instrument:
    """The sheet it begins from, with everything that was said of it."""
    like = given["like"] or _LIKE.get(given["kind"] or "")
    if like is None:
        hint = nearest(given["kind"] or "", _LIKE) or notice("kind-or-like", names="|".join(_LIKE))
        raise UsageError("kind-unsaid", hint=hint)
    model = instruments.load_instruments([like], [own_instruments()])[like]
    stated = {key: given[key] for key in ("kind", "maker", "serial", "calibration") if given[key] is not None}
    until: date | None = given["calibrated_until"].date() if given["calibrated_until"] else None
    effects, unit = model.effects, model.resolution.unit
    if given["expanded"] is not None:
        coverage = parse_number(given["coverage"], where="--coverage")
        size = parse_quantity(given["expanded"], unit, where="--expanded")
        certified = instruments.Effect("calibration", size, coverage=coverage, shared=True)
        effects = (certified, *(other for other in effects if other.source != "calibration"))
    named = [key for key in ("resolution", "upper") if given[key] is not None]
    sizes: dict[str, Any] = {key: parse_quantity(given[key], unit, where=f"--{key}") for key in named}
    return replace(
        model, id=name, name=given["title"] or model.name, calibrated_until=until, effects=effects, **sizes,
        **{"maker": "", "serial": "", "calibration": "", **stated},
    )  # fmt: skip


@command.command("find")
@click.option("--port", metavar="PORT", help="The port to look at; without it, the ports there are.")
@click.option("--bluetooth", is_flag=True, help="Also look for calipers by Bluetooth, for four seconds.")
@read.settings_options
@read.timeout_option
@json_option
def find_instrument(timeout: float, **given: Any) -> None:
    """Try the known protocols on a port and say what answers. Nothing is changed on the instrument.

    \b
    Example:
      inspect-kit instruments find
      inspect-kit instruments find --bluetooth
      inspect-kit instruments find --port /dev/ttyUSB0
    """
    address = read.address_from(given)
    if address is None:
        _list_ports(bluetooth=given["bluetooth"])
        return
    connections.adopt_learned(own_instruments())
    found = find(address, timeout)
    facts = {"kind": found.kind, "protocols": " | ".join(found.protocols), "settings": found.settings}
    print_result(_found(address, found), f"{address.port}: {said('answers-as', **facts)}: {found.raw!r}")
    if not wants_json():
        unit = " --unit mm" if found.protocols[0] == "mitutoyo" else ""
        call = f"inspect-kit read {found.kind} --port {address.port} --protocol {found.protocols[0]}{unit}"
        click.echo(call, err=True)


def _found(address: Address, found: FoundInstrument) -> dict[str, object]:
    return {
        "port": address.port, "kind": found.kind, "protocol": found.protocols[0], "protocols": list(found.protocols),
        **asdict(found.settings), "raw": found.raw,
    }  # fmt: skip


def _list_ports(*, bluetooth: bool) -> None:
    ports = available_ports(_BLUETOOTH_SECONDS if bluetooth else 0.0)
    data = [{"port": place.port, "description": place.description} for place in ports]
    print_result(data, *columns((place.port, place.description) for place in ports))
    if not wants_json():
        click.echo(said("look-at-port" if ports else "no-instrument-seen"), err=True)
    wanted = ("hid", "bleak") if bluetooth else ("hid",)
    warn(*(said(_OPTIONAL[module]) for module in wanted if find_spec(module) is None))


_BLUETOOTH_SECONDS: Final = 4.0
"""How long calipers are listened for."""
_OPTIONAL: Final = {"hid": "hid-not-looked-for", "bleak": "bluetooth-not-looked-for"}
"""Libraries that come on request, and what is missing without them."""
