"""`instruments simulate`: an instrument that is not there, to rehearse with."""

from __future__ import annotations

import signal
import sys
import threading
from typing import Final

import click

from inspect_kit.capture.protocols.reply import Kind
from inspect_kit.capture.protocols.table import PROTOCOLS
from inspect_kit.capture.readings import in_base
from inspect_kit.capture.simulator import Fault, Performance, script_of, simulated
from inspect_kit.capture.voices import Display, Mood
from inspect_kit.cli.options import json_option
from inspect_kit.cli.output import print_json
from inspect_kit.errors import UsageError
from inspect_kit.values.quantity import parse_number

_WIDEST: Final = 8
"""Characters that the narrowest display shows."""


@click.command("simulate")
@click.argument("protocol", type=click.Choice(tuple(PROTOCOLS)), metavar="PROTOCOL")
@click.option(
    "--port",
    is_flag=False,
    flag_value="",
    default="",
    metavar="[NAME]",
    help="A name for the port (a path, or socket://127.0.0.1:4001); without one, the system chooses.",
)
@click.option("--value", help="What it shows (default: 14.82, for calipers 41.27).")
@click.option("--unit", help="Its unit (default: g, for calipers mm).")
@click.option("--serial", default="B021002593", show_default=True, help="Its serial number.")
@click.option(
    "--script",
    default=Mood.STABLE.value,
    show_default=True,
    help=f"What happens each time it is asked, separated by commas: {', '.join((*Mood, *Fault))}.",
)
@click.option("--fragment", type=click.IntRange(0, 100), default=0, help="Send so many bytes at a time.")
@click.option("--every", type=click.FloatRange(0, 3600), default=0.0, help="Also send unasked, every so many seconds.")
@click.option("--seconds", type=click.FloatRange(0, 86400), help="End after so long (default: with Ctrl-C).")
@json_option
@click.pass_context
def simulate(ctx: click.Context, /, port: str, seconds: float | None, as_json: bool, **_: object) -> None:
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
        with simulated(_performance(ctx), port) as simulator:
            if as_json:
                print_json({"port": simulator.port, "protocol": ctx.params["protocol"]})
            else:
                click.echo(f"{simulator.port}  {ctx.params['protocol']}, until Ctrl-C")
            sys.stdout.flush()
            stop.wait(seconds)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _performance(ctx: click.Context) -> Performance:
    given = ctx.params
    caliper = PROTOCOLS[given["protocol"]].kind is Kind.CALIPER
    value = given["value"] or ("41.27" if caliper else "14.82")
    unit = given["unit"] or ("mm" if caliper else "g")
    number = f"{parse_number(value, where='--value'):f}"
    if len(number) > _WIDEST:
        raise UsageError(f"{value} has too many digits for a display", where="--value")
    in_base(number, unit)
    display = Display(number, unit, serial=given["serial"])
    return Performance(
        given["protocol"], display, script_of(given["script"]), given["fragment"], given["every"]
    )  # fmt: skip
