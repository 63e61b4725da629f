"""Options that say where an instrument is plugged in and how it talks."""

from __future__ import annotations

import math

import click

from inspect_kit.capture.connections import BAUD_RANGE, BITS, LENGTH_UNITS, PARITIES, STOPS, Connection
from inspect_kit.capture.driver import DEFAULT_SECONDS, MAX_SECONDS
from inspect_kit.capture.line import Address
from inspect_kit.capture.protocols.reply import Settings
from inspect_kit.capture.protocols.table import PROTOCOLS, protocol_named
from inspect_kit.cli.options import Command
from inspect_kit.errors import UsageError

port_option = click.option("--port", metavar="PORT", help="Serial port (/dev/ttyUSB0, COM3) or socket://host:port.")
protocol_option = click.option("--protocol", type=click.Choice(tuple(PROTOCOLS)), help="How the instrument talks.")
unit_option = click.option(
    "--unit", type=click.Choice(LENGTH_UNITS), help="What the display shows, for calipers that do not say it."
)


def _seconds(ctx: click.Context, option: click.Parameter, value: float) -> float:
    del ctx, option
    if not math.isfinite(value) or not 0 < value <= MAX_SECONDS:
        raise click.BadParameter(f"{value:g} is not between 0 and {MAX_SECONDS:g} seconds")
    return value


timeout_option = click.option(
    "--timeout", type=float, default=DEFAULT_SECONDS, show_default=True, callback=_seconds, metavar="SECONDS",
    help="How long to wait in all.",
)  # fmt: skip


def settings_options(command: Command) -> Command:
    """`--baud` and the like, where a port is not set as usual for its protocol."""
    for option in (
        click.option("--stop", type=click.Choice([str(n) for n in STOPS]), help="Stop bits."),
        click.option("--parity", type=click.Choice(PARITIES, case_sensitive=False), help="None, even or odd."),
        click.option("--bits", type=click.Choice([str(n) for n in BITS]), help="Data bits."),
        click.option("--baud", type=click.IntRange(*BAUD_RANGE), help="Speed, for example 9600."),
    ):
        command = option(command)
    return command


def wiring_options(command: Command) -> Command:
    """Everything that says how to reach an instrument."""
    for option in (settings_options, unit_option, protocol_option, port_option):
        command = option(command)
    return command


def address_from(ctx: click.Context) -> Address | None:
    """The port that was named, with settings only where some were."""
    given = ctx.params
    if not given["port"]:
        return None
    wanted = {key: given[key] for key in ("baud", "bits", "parity", "stop") if given[key] is not None}
    if not wanted:
        return Address(given["port"])
    usual = protocol_named(given["protocol"]).settings[0] if given.get("protocol") else Settings()
    return Address(
        given["port"],
        Settings(
            wanted.get("baud", usual.baud),
            int(wanted.get("bits", usual.bits)),
            str(wanted.get("parity", usual.parity)).upper(),
            int(wanted.get("stop", usual.stop)),
        ),
    )


def connection_from(ctx: click.Context) -> Connection | None:
    """The connection that the options describe, if they name a port; it needs a protocol then."""
    address = address_from(ctx)
    if address is None:
        return None
    if not ctx.params["protocol"]:
        raise UsageError("--port needs --protocol", hint=f"inspect-kit instruments find --port {address.port} tells it")
    return Connection(address, ctx.params["protocol"], ctx.params["unit"])
