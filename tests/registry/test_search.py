from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from inspect_kit.atomic_write import write_whole
from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.inspection.record import Record
from inspect_kit.registry.amendments import revoke
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.search import FORMATS, RegistryQuery, find, known, listing

Issue = Callable[..., Issued]

pytestmark = pytest.mark.usefixtures("without_signing")
TODAY = date(2026, 11, 16)


@pytest.fixture
def filled(quick_desk: Desk, issue: Issue, failing_record: Record) -> Desk:
    issue(quick_desk, "Striker 1", owner="Renata Řeháčková", event="Prague Open")
    issue(quick_desk, "Striker 2", owner="Jan Novák", event="Brno Open", valid="2026-11-16")
    issue(quick_desk, "Board 100%", owner="Jan Novák", inspector="Čeněk")
    issue(quick_desk, "Striker 43", base=failing_record, owner="Jana Nová")
    revoked = issue(quick_desk, "Striker_5", owner="")
    revoke(quick_desk.registry, revoked.number, "lost", "desk", quick_desk.now)
    return quick_desk


@pytest.mark.parametrize(
    ("wanted", "subjects"),
    [
        (RegistryQuery(), ["Striker_5", "Striker 43", "Board 100%", "Striker 2", "Striker 1"]),
        (RegistryQuery(owner="rehackova"), ["Striker 1"]),
        (RegistryQuery(owner="renata rehackova"), ["Striker 1"]),
        (RegistryQuery(owner="JAN NOV"), ["Board 100%", "Striker 2"]),
        (RegistryQuery(owner="jan"), ["Striker 43", "Board 100%", "Striker 2"]),
        (RegistryQuery(subject="striker 4"), ["Striker 43"]),
        (RegistryQuery(event="Prague Open"), ["Striker 1"]),
        (RegistryQuery(verdict="fails"), ["Striker 43"]),
        (RegistryQuery(kind="report"), ["Striker 43"]),
        (RegistryQuery(state="revoked"), ["Striker_5"]),
        (RegistryQuery(state="report"), ["Striker 43"]),
        (RegistryQuery(state="valid"), ["Board 100%", "Striker 2", "Striker 1"]),
        (RegistryQuery(sheet="icf-cs"), []),
        (RegistryQuery(since="2026-11-17"), []),
        (RegistryQuery(until="2026-11-16", owner="renata"), ["Striker 1"]),
        (RegistryQuery(search="rehackova"), ["Striker 1"]),
        (RegistryQuery(search="novak open"), ["Striker 2"]),
        (RegistryQuery(search="100%"), ["Board 100%"]),
        (RegistryQuery(search="_"), ["Striker_5"]),
        (RegistryQuery(search="%"), ["Board 100%"]),
        (RegistryQuery(search="cenek"), ["Board 100%"]),
        (RegistryQuery(search="pck-2026-000002"), ["Striker 2"]),
        (RegistryQuery(search="' OR 1=1 --"), []),
    ],
)
def test_certificates_are_found(filled: Desk, wanted: RegistryQuery, subjects: list[str]) -> None:
    with filled.registry.reading() as connection:
        assert [each.subject for each in listing(connection, wanted, TODAY)] == subjects


def test_the_state_is_that_of_the_day_asked_for(filled: Desk) -> None:
    with filled.registry.reading() as connection:
        later = [each.subject for each in listing(connection, RegistryQuery(state="expired"), date(2026, 11, 17))]
        limited = list(listing(connection, RegistryQuery(), TODAY, limit=2))
    assert later == ["Striker 2"]
    assert len(limited) == 2


def test_a_number_is_found_however_it_was_typed(filled: Desk) -> None:
    with filled.registry.reading() as connection:
        (newest,) = listing(connection, RegistryQuery(subject="Striker 1"), TODAY)
        assert find(connection, newest.number.replace("-", " ").lower()) == newest
        with pytest.raises(UsageError, match="not in this registry"):
            known(connection, "PCK-2026-000123-D")


def test_exports_hold_every_certificate_with_its_state(filled: Desk, tmp_path: Path) -> None:
    import csv
    import json

    with filled.registry.reading() as connection:
        lines = list(FORMATS["jsonl"](listing(connection, RegistryQuery(), TODAY), TODAY))
        write_whole(tmp_path / "x.csv", FORMATS["csv"](listing(connection, RegistryQuery(), TODAY), TODAY))
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()))
    data = [json.loads(line) for line in lines]
    assert (
        [row["state"] for row in rows]
        == [row["state"] for row in data]
        == ["revoked", "report", "valid", "valid", "valid"]
    )
    assert data[4]["owner"] == rows[4]["owner"] == "Renata Řeháčková"


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)"])
def test_a_name_is_no_formula_in_a_spreadsheet(blank: Desk, issue: Issue, name: str, tmp_path: Path) -> None:
    issue(blank, "x", owner=name)
    with blank.registry.reading() as connection:
        _, row = FORMATS["csv"](listing(connection, RegistryQuery(), TODAY), TODAY)
    assert f"'{name}" in row.decode()


def test_an_export_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        write_whole(tmp_path, [])
    with pytest.raises(BadInput, match="cannot be written"):
        write_whole(tmp_path / "nowhere" / "x", [])


@pytest.mark.parametrize("url", ["mysql://x/y", "nonsense", "sqlite://", "postgresql", "://"])
def test_a_database_that_a_registry_cannot_live_in_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError, match="INSPECT_KIT_DB"):
        open_registry(tmp_path, url)


def test_a_server_that_is_not_there_is_an_error_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        open_registry(tmp_path, f"postgresql://kit:hunter2@/x?host={tmp_path}")
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_registry_may_lie_elsewhere(tmp_path: Path, issuer_home: Path) -> None:
    registry = open_registry(tmp_path / "home", f"sqlite:///{tmp_path / 'there' / 'r.db'}")
    assert (tmp_path / "there" / "r.db").is_file()
    assert not (tmp_path / "home" / "registry.db").exists()
    registry.engine.dispose()


def test_the_database_can_be_read_by_its_owner_only(desk: Desk) -> None:
    assert (desk.home / "registry.db").stat().st_mode & 0o077 == 0
