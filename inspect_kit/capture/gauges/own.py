"""Reading a gauge of one's own: the instrument on the line must be the one whose sheet vouches for it."""

from __future__ import annotations

from dataclasses import replace

from inspect_kit.capture.connections import Connection
from inspect_kit.capture.driver import DEFAULT_SECONDS, Watch, read_live
from inspect_kit.capture.instruments import Instrument
from inspect_kit.capture.readings import InstrumentReading
from inspect_kit.errors import BadInput


def read_gauge(
    gauge: Instrument, line: Connection, timeout: float = DEFAULT_SECONDS, watch: Watch = lambda _: None
) -> InstrumentReading:
    """One stable reading of this gauge; refused if the instrument says it is another one."""
    return own_reading(gauge, read_live(replace(line, auxiliary_counts=gauge.auxiliary_digit), watch, timeout))


def own_reading(gauge: Instrument, reading: InstrumentReading) -> InstrumentReading:
    """The reading, unless it comes from another instrument than the sheet's."""
    if reading.is_anothers(gauge.serial):
        raise BadInput("another-instrument", where=gauge.id, serial=str(reading.serial)[:40], own=gauge.serial[:40])
    return reading
