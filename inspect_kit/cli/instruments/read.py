"""Instruments that talk: `read` takes one stable reading, `instruments learn` and `record` teach how another talks."""

import math
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture import connections, learned_dialects
from inspect_kit.capture.connections import Connection, adopt_learned
from inspect_kit.capture.driver import DEFAULT_SECONDS, MAX_SECONDS, read_live, read_unknown_protocol
from inspect_kit.capture.gauges.own import own_reading, read_gauge
from inspect_kit.capture.instruments import checked_id, load_instruments
from inspect_kit.capture.learned_dialects import PREFIX, Dialect, dialect_file, dialect_named, dialect_text
from inspect_kit.capture.line import Address, open_port
from inspect_kit.capture.protocols.reply import InstrumentKind, Settings
from inspect_kit.capture.protocols.table import PROTOCOLS, adopt, protocol_named
from inspect_kit.capture.readings import InstrumentReading
from inspect_kit.capture.wedge import typed_by_instrument
from inspect_kit.cli.instruments.display import display
from inspect_kit.cli.options import FILE, Given, home_folder, json_option, own_instruments, stacked
from inspect_kit.cli.terminal import lang, print_result, said, warn
from inspect_kit.clock import now, today
from inspect_kit.errors import BadInput, UsageError, notice, worded_fact

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


# `instruments learn` and `record`: teaching the desk how a scale talks that no protocol knows.


_SECONDS: Final = 6.0
"""How long one recording takes if nothing else is said: a few dozen lines of a scale that sends all the time."""
_SHOWN: Final = 12
"""Lines that are shown."""


@click.command("record")
@port_option
@settings_options
@click.option("-o", "--out", type=FILE, required=True, help="The file to write.")
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=20.0, show_default=True, help="How long.")
@click.option("--note", default="", help="Maker, model and what the display shows, kept at the file's head.")
@json_option
def record(out: Path, seconds: float, note: str, **given: Any) -> None:
    """Record what an instrument sends, byte by byte. Nothing is sent to it.

    \b
    Example:
      inspect-kit instruments record --port /dev/ttyUSB0 -o scale.txt --note "Acme 200, shows 7.122 g"
    """
    address = address_from(given)
    if address is None:
        raise UsageError("port-unsaid", where="--port")
    data = _recorded(address, seconds)
    if not data:
        raise BadInput("nothing-came", where=address.port, seconds=f"{seconds:g}")
    write_whole(out, learned_dialects.dump(data, f"{now().isoformat(timespec='seconds')} {note}".strip()).encode())
    facts = {"file": str(out), "bytes": len(data), "lines": len(learned_dialects.whole_lines(data))}
    print_result(facts, said("recorded", **facts))


def _recorded(address: Address, seconds: float) -> bytes:
    deadline = time.monotonic() + seconds
    port, data = open_port(address, deadline), bytearray()
    try:
        while time.monotonic() < deadline and len(data) < 1_000_000:
            data += port.read()
    finally:
        port.close()
    return bytes(data)


@click.command("learn")
@port_option
@settings_options
@click.option("--recording", type=FILE, help="Learn from this file instead.")
@click.option("--shows", multiple=True, metavar="VALUE", help="What the display showed, for example 7.122g.")
@click.option("--moving", type=FILE, help="A recording made while it moved.")
@click.option("--seconds", type=click.FloatRange(0.5, 600), default=_SECONDS, show_default=True,
              help="How long each recording at a port takes.")  # fmt: skip
@click.option("--instrument", "name", metavar="ID", help="Whose dialect this is (default: the recording's name).")
@click.option("--replace", "again", is_flag=True, help="Also if one of that name was learned.")
@json_option
def learn_dialect(again: bool, **given: Any) -> None:
    """Learn how a scale talks from what it sends and what its display shows; refuses what is ambiguous.

    \b
    Example:
      inspect-kit instruments learn --port /dev/ttyUSB0 --instrument desk-scale
      inspect-kit instruments learn --recording scale.txt --shows 7.122g
    """
    samples = tuple(_samples(given))
    name = checked_id(given["name"] or (given["recording"].stem if given["recording"] else "learned"))
    shown = ", ".join(f"{number} {unit}" for sample in samples for number, unit in sample.shown)
    dialect = learned_dialects.learn(name, samples, f"{now().date().isoformat()}, shown: {shown}")
    for sample in samples:
        if not sample.shown:
            learned_dialects.refuse_moving(dialect, sample.lines)
    path = dialect_file(own_instruments(), name)
    if path.exists() and not again:
        raise UsageError("dialect-there-already", where=str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, dialect_text(dialect).encode())
    _say(dialect, samples, path)


def _samples(given: Given) -> Iterator[learned_dialects.LabelledRecording]:
    if given["recording"]:
        if not given["shows"]:
            raise UsageError("display-unsaid", where="--shows")
        yield learned_dialects.LabelledRecording(
            learned_dialects.whole_lines(learned_dialects.read_recording(given["recording"])),
            tuple(_shown(text) for text in given["shows"]),
        )
        if given["moving"]:
            yield learned_dialects.LabelledRecording(
                learned_dialects.whole_lines(learned_dialects.read_recording(given["moving"]))
            )
        return
    address = address_from(given)
    if address is None:
        raise UsageError("port-or-recording")
    yield from _asked(address, given["seconds"])


def _asked(address: Address, seconds: float) -> Iterator[learned_dialects.LabelledRecording]:
    """Three recordings, with what the person at the scale sees."""
    for what in ("ask-put-on", "ask-put-other"):
        click.prompt(said(what), default="", show_default=False, err=True)
        lines = learned_dialects.whole_lines(_heard(address, seconds))
        for line in list(dict.fromkeys(lines))[:_SHOWN]:
            click.echo(f"  {line!r}", err=True)
        yield learned_dialects.LabelledRecording(lines, (_shown(click.prompt(said("ask-display"), err=True)),))
    click.prompt(said("ask-touch"), default="", show_default=False, err=True)
    yield learned_dialects.LabelledRecording(learned_dialects.whole_lines(_heard(address, seconds)))


def _heard(address: Address, seconds: float) -> bytes:
    """A recording, or a sentence where nothing came: there is nothing to ask about then."""
    data = _recorded(address, seconds)
    if not learned_dialects.whole_lines(data):
        raise BadInput("no-whole-line-came", where=address.port, seconds=f"{seconds:g}")
    return data


def _worded(word: str) -> str:
    """What a line says: a quantity as the display has it, and words of ours behind it."""
    return ", ".join(worded_fact(part, lang()) for part in word.split(", "))


def _shown(text: str) -> tuple[str, str]:
    typed = typed_by_instrument(text)
    if not typed.unit:
        raise UsageError("shown-without-unit", where="--shows", text=text[:40])
    return typed.number, typed.unit


def _say(dialect: Dialect, samples: tuple[learned_dialects.LabelledRecording, ...], path: Path) -> None:
    lines = [
        (line, word) for sample in samples for line, word in learned_dialects.readings_shown(dialect, sample.lines)
    ]
    protocol = f"{PREFIX}{dialect.id}"
    rows = [{"line": line, "read": word} for line, word in lines]
    shown = (f"{line!r:<40} {_worded(word)}" for line, word in lines[:40])
    data = {"file": str(path), "protocol": protocol, "lines": rows}
    print_result(data, *shown, str(path), said("learned-read-it", protocol=protocol))
