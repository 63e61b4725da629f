from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.capture.connections import Connection, connections_file, connections_text, read_connections
from inspect_kit.capture.instruments import (
    DistributionShape,
    Effect,
    Instrument,
    checked_sheet,
    instrument_ids,
    load_instruments,
    read_instrument,
    sheet_text,
)
from inspect_kit.capture.line import Address
from inspect_kit.capture.protocols.reply import Settings
from inspect_kit.errors import BadInput, BadSheet, UsageError
from inspect_kit.places import shipped
from inspect_kit.values.quantity import parse_strict

SHIPPED = instrument_ids([shipped("specs") / "instruments"])


@pytest.mark.parametrize("name", SHIPPED)
def test_a_sheet_that_is_written_reads_back_as_the_same_instrument(name: str, tmp_path: Path) -> None:
    instrument = load_instruments([name])[name]
    path = tmp_path / f"{name}.toml"
    path.write_text(sheet_text(instrument), encoding="utf-8")
    assert read_instrument(path) == instrument


TEXTS = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)
SIZES = st.decimals(0, 10, places=4).map(lambda number: parse_strict(f"{number:f} g"))
EFFECTS = st.builds(
    Effect, source=TEXTS, size=SIZES, shape=st.sampled_from(DistributionShape), coverage=st.just(Decimal(1)),
    relative=st.decimals(0, 1, places=5), dof=st.one_of(st.none(), st.decimals(1, 99, places=1)), shared=st.booleans(),
)  # fmt: skip


@given(TEXTS, st.lists(EFFECTS, max_size=3), st.one_of(st.none(), st.dates(date(2000, 1, 1))))
def test_any_instrument_survives_being_written(text: str, effects: list[Effect], until: date | None) -> None:
    import tempfile

    model = load_instruments(["scale-200g"])["scale-200g"]
    instrument = replace(
        model, id="mine", name=text, serial=text, maker=text, calibration=text, effects=tuple(effects),
        calibrated_until=until,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.toml"
        path.write_text(checked_sheet(instrument), encoding="utf-8")
        assert read_instrument(path) == instrument


def test_a_sheet_that_cannot_be_read_is_not_written() -> None:
    model: Instrument = load_instruments(["scale-200g"])["scale-200g"]
    with pytest.raises(BadSheet, match="desk: resolution"):
        checked_sheet(replace(model, id="desk", resolution=parse_strict("0.01 mm")))
    with pytest.raises(BadInput, match="cannot be printed"):
        checked_sheet(replace(model, id="desk", serial="a\nb"))
    with pytest.raises(UsageError, match="not the name"):
        checked_sheet(replace(model, id="../../desk"))


CONNECTIONS = {
    "desk-scale": Connection(Address("/dev/ttyUSB0"), "mt-sics"),
    "desk-caliper": Connection(Address("COM4", Settings(4800, 7, "E", 2)), "mitutoyo", "mm"),
}


def test_connections_are_read_back_as_they_were_kept(tmp_path: Path) -> None:
    assert read_connections(tmp_path) == {}
    connections_file(tmp_path).write_text(connections_text(CONNECTIONS))
    assert read_connections(tmp_path) == CONNECTIONS


@pytest.mark.parametrize(
    "text",
    ["x", "{}", "[]", '{"format": 2, "instruments": {}}', '{"format": 1, "instruments": []}',
     '{"format": 1, "instruments": {"a": {"port": "x", "protocol": "nope"}}}',
     '{"format": 1, "instruments": {"a": {"port": "x", "protocol": "and", "unit": "lb"}}}',
     '{"format": 1, "instruments": {"a": {"port": "x", "protocol": "and", "settings": {"baud": -1}}}}',
     '{"format": 1, "instruments": {"a": {"port": "x", "protocol": "and", "settings": '
     '{"baud": 9600, "bits": 9, "parity": "N", "stop": 1}}}}'],
)  # fmt: skip
def test_a_damaged_list_of_connections_is_said_in_a_sentence(text: str, tmp_path: Path) -> None:
    connections_file(tmp_path).write_text(text)
    with pytest.raises(BadInput, match="not a list of connections"):
        read_connections(tmp_path)
