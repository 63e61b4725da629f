"""A scale that is another one than its sheet's is refused at every door."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspect_kit.capture.connections import Address, Connection, connections_file, connections_text
from inspect_kit.capture.simulator import Simulation, simulated
from inspect_kit.errors import BadInput
from inspect_kit.registry.opening import open_registry
from inspect_kit.station.station import Station
from tests.cli.conftest import Kit, kit  # noqa: F401

TOLD = "the instrument says it is number B021002593, the sheet is for number OTHER-7"


@pytest.fixture
def home() -> Path:
    return Path(os.environ["INSPECT_KIT_HOME"])


@pytest.fixture
def scale(kit: Kit) -> Iterator[str]:  # noqa: F811
    """A scale with number B021002593 on the line, and the sheet of another one for it."""
    with simulated(Simulation("mt-sics")) as found:
        line = ("--port", found.port, "--protocol", "mt-sics")
        assert kit("instruments", "add", "desk-scale", "--kind", "scale", "--serial", "OTHER-7", *line).code == 0
        yield found.port


def test_read_refuses_another_scale(kit: Kit, scale: str) -> None:  # noqa: F811
    for line in ((), ("--port", scale, "--protocol", "mt-sics"), ("--port", scale)):
        result = kit("read", "scale", "--instrument", "desk-scale", *line)
        assert result.code == 4
        assert TOLD in result.err


def test_the_daily_check_refuses_another_scale(kit: Kit, scale: str, home: Path) -> None:  # noqa: F811
    result = kit("instruments", "check", "desk-scale", "--reference", "100g", typed="\n\n")
    assert result.code == 4
    assert TOLD in result.err
    assert not (home / "checks").exists()


def test_inspect_refuses_another_scale(kit: Kit, scale: str, tmp_path: Path) -> None:  # noqa: F811
    gauges = ("--instrument", "desk-scale", "--instrument", "caliper-150")
    call = ("inspect", "--spec", "icf-cs", "--item", "striker", "-o", tmp_path / "s.json")
    result = kit(*call, *gauges, typed="yes\n41.1\n!\nq\n")
    assert TOLD in result.err + result.out


def test_the_desk_refuses_another_scale(kit: Kit, scale: str, home: Path, tmp_path: Path) -> None:  # noqa: F811
    desk = tmp_path / "desk"
    shutil.copytree(home / "instruments", desk / "instruments")
    link = Connection(Address(scale), "mt-sics")
    connections_file(desk).write_text(connections_text({"desk-scale": link}))
    station = Station(desk, open_registry(desk, remembered=False), None)
    with pytest.raises(BadInput, match="the sheet is for number OTHER-7"):
        station.read("g", seconds=5)


def test_a_file_with_another_scales_reading_is_refused(kit: Kit, scale: str, tmp_path: Path) -> None:  # noqa: F811
    row = {"characteristic": "striker.mass", "value": 14.8, "unit": "g", "instrument": "desk-scale", "serial": "B021"}
    document = {"format": 1, "photos": [], "measurements": [row], "observations": [], "warnings": []}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document))
    result = kit("judge", path, "--spec", "icf-cs", "--item", "striker")
    assert result.code == 4
    assert "comes from number B021, the sheet desk-scale is for number OTHER-7" in result.err
