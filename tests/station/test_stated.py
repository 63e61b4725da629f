"""What a desk's record says of who read a value and of what the issuer states everywhere."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.checkin.certify import Inspecting
from inspect_kit.inspection.record import Record, Subject, about_of
from inspect_kit.registry.checkin.entries import EventSet
from inspect_kit.rulebook.library import load
from inspect_kit.values.measurement import Reading

DAY = date(2026, 11, 16)
EVENT = EventSet("open", "Open", "2026-11-16", "2026-11-17", "icf-2001-it", "guarded", "Referee", "Hall")
READINGS = (
    Reading("striker.mass", "14.8", unit="g", standard="0.01"),
    Reading("striker.shape", "yes", by="Jana"),
    Reading("striker.visible_metal", "none", photo="a.jpg", pixel=(1.0, 2.0)),
)


def judged(home: Path) -> Record:
    inspecting = Inspecting(EVENT, load("icf-2001-it"), "striker", DAY, (), home)
    return inspecting.record(MeasurementFile(READINGS), Subject("Striker"), "Ota Novák")


def test_whoever_is_signed_in_read_what_no_photo_and_nobody_else_did(tmp_path: Path) -> None:
    readers = [reading.by or "" for reading in judged(tmp_path).readings]
    assert readers == ["Ota Novák", "Jana", ""]


def test_what_the_issuer_states_everywhere_is_stated_at_the_desk_too(tmp_path: Path) -> None:
    assert about_of(judged(tmp_path)).environment == ""
    (tmp_path / "about.toml").write_text('environment = "21 °C"\nprotest = "until 18:00"\nremarks = ["Indoors."]\n')
    about = about_of(judged(tmp_path))
    assert (about.environment, about.protest, about.remarks) == ("21 °C", "until 18:00", ("Indoors.",))
