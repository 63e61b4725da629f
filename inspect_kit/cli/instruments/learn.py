"""`instruments learn` and `record`: teaching the desk how a scale talks that no protocol knows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.dialects.dialect import PREFIX, Dialect, dialect_file, dialect_text
from inspect_kit.capture.dialects.learning import (
    LabelledRecording,
    dump,
    learn,
    read_recording,
    readings_shown,
    refuse_moving,
    whole_lines,
)
from inspect_kit.capture.instruments import checked_id
from inspect_kit.capture.line import Address, open_port
from inspect_kit.capture.wedge import typed_by_instrument
from inspect_kit.cli.instruments.read import address_from, port_option, settings_options
from inspect_kit.cli.options import FILE, Given, json_option, own_instruments
from inspect_kit.cli.terminal import lang, print_result, said
from inspect_kit.clock import now
from inspect_kit.errors import BadInput, UsageError, worded_fact

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
    write_whole(out, dump(data, f"{now().isoformat(timespec='seconds')} {note}".strip()).encode())
    facts = {"file": str(out), "bytes": len(data), "lines": len(whole_lines(data))}
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
    dialect = learn(name, samples, f"{now().date().isoformat()}, shown: {shown}")
    for sample in samples:
        if not sample.shown:
            refuse_moving(dialect, sample.lines)
    path = dialect_file(own_instruments(), name)
    if path.exists() and not again:
        raise UsageError("dialect-there-already", where=str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, dialect_text(dialect).encode())
    _say(dialect, samples, path)


def _samples(given: Given) -> Iterator[LabelledRecording]:
    if given["recording"]:
        if not given["shows"]:
            raise UsageError("display-unsaid", where="--shows")
        yield LabelledRecording(
            whole_lines(read_recording(given["recording"])), tuple(_shown(text) for text in given["shows"])
        )
        if given["moving"]:
            yield LabelledRecording(whole_lines(read_recording(given["moving"])))
        return
    address = address_from(given)
    if address is None:
        raise UsageError("port-or-recording")
    yield from _asked(address, given["seconds"])


def _asked(address: Address, seconds: float) -> Iterator[LabelledRecording]:
    """Three recordings, with what the person at the scale sees."""
    for what in ("ask-put-on", "ask-put-other"):
        click.prompt(said(what), default="", show_default=False, err=True)
        lines = whole_lines(_heard(address, seconds))
        for line in list(dict.fromkeys(lines))[:_SHOWN]:
            click.echo(f"  {line!r}", err=True)
        yield LabelledRecording(lines, (_shown(click.prompt(said("ask-display"), err=True)),))
    click.prompt(said("ask-touch"), default="", show_default=False, err=True)
    yield LabelledRecording(whole_lines(_heard(address, seconds)))


def _heard(address: Address, seconds: float) -> bytes:
    """A recording, or a sentence where nothing came: there is nothing to ask about then."""
    data = _recorded(address, seconds)
    if not whole_lines(data):
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


def _say(dialect: Dialect, samples: tuple[LabelledRecording, ...], path: Path) -> None:
    lines = [(line, word) for sample in samples for line, word in readings_shown(dialect, sample.lines)]
    protocol = f"{PREFIX}{dialect.id}"
    rows = [{"line": line, "read": word} for line, word in lines]
    shown = (f"{line!r:<40} {_worded(word)}" for line, word in lines[:40])
    data = {"file": str(path), "protocol": protocol, "lines": rows}
    print_result(data, *shown, str(path), said("learned-read-it", protocol=protocol))
