from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate
from inspect_kit.certificate.issue.keyring import read_keyring
from inspect_kit.certificate.issue.keys import Founding, found, unlock
from inspect_kit.certificate.issue.seals import seals_in
from inspect_kit.certificate.issue.verify import TrustContext, verify_pdf, verify_qr
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.backup import restore
from inspect_kit.registry.opening import REVISIONS, Registry, open_registry
from inspect_kit.registry.search import RegistryQuery, listing
from inspect_kit.registry.tables import METADATA
from tests.registry.conftest import NOW

FORMATS = Path(__file__).parent / "formats"
STORED = sorted(FORMATS.glob("registry-*.zip"))


@pytest.fixture(params=STORED, ids=lambda path: path.stem)
def old_home(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with zipfile.ZipFile(request.param) as archive:
        archive.extractall(tmp_path / "old")
    return tmp_path / "old"


@pytest.fixture
def old(old_home: Path) -> Iterator[Registry]:
    registry = open_registry(old_home)
    yield registry
    registry.engine.dispose()


def test_there_is_a_stored_registry_of_every_format() -> None:
    assert [path.stem for path in STORED] == [f"registry-{int(revision)}" for revision in REVISIONS]


def test_a_registry_of_every_format_there_has_been_opens_and_is_clean(old: Registry, old_home: Path) -> None:
    rings = (read_keyring(old_home / "trust" / "PCK.pem"),)
    found_out = audit(old, lambda connection: seals_in(connection, rings).fault)
    assert found_out.faults == ()
    assert (found_out.entries, found_out.certificates) == (5, 3)


def test_what_is_in_it_is_still_known(old: Registry) -> None:
    with old.reading() as connection:
        states = [
            (each.subject, each.state(date(2026, 12, 1)))
            for each in listing(connection, RegistryQuery(), date(2026, 12, 1))
        ]
    assert states == [("Striker 50", "revoked"), ("Striker 43", "report"), ("Striker 42", "replaced")]


def test_its_certificates_still_verify(old: Registry, old_home: Path) -> None:
    counter = TrustContext((read_keyring(old_home / "trust" / "PCK.pem"),), "PCK", old, date(2026, 12, 1))
    with old.reading() as connection:
        standings = list(listing(connection, RegistryQuery(), date(2026, 12, 1)))
        files = [old.shelf.take(connection, each.pdf) for each in standings]
    told = [[check.name for check in verify_pdf(file, counter).checks if check.holds is False] for file in files]
    assert told == [["revoked"], [], ["replaced"]]
    told = [[check.name for check in verify_qr(each.qr, counter).checks if check.holds is False] for each in standings]
    assert told == [["revoked"], [], ["replaced"]]


def test_an_old_registry_is_written_to_as_before(old: Registry, record: Record, tmp_path: Path) -> None:
    home = tmp_path / "desk"
    found(home, Founding("Pražský carrom klub", "PCK", "Jan"), None, NOW)
    issued = issue_certificate(Desk(home, old, unlock(home, "", None), NOW), Request(record, tmp_path / "new.pdf"))
    assert issued.number.startswith("PCK-2026-000003-")


def test_migrations_lead_to_the_tables_that_the_program_uses(old: Registry) -> None:
    with old.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_migrations_lead_there_on_postgresql_too(empty_database: str, tmp_path: Path) -> None:
    registry = open_registry(tmp_path, empty_database)
    with registry.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    registry.engine.dispose()


def test_a_backup_of_every_format_can_be_restored(tmp_path: Path) -> None:
    for path in FORMATS.glob("backup-*.zip"):
        registry = open_registry(tmp_path / path.stem)
        assert restore(registry, path).entries == 5


def test_a_registry_of_a_newer_program_is_left_alone(desk: Desk) -> None:
    with desk.registry.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(BadInput, match="newer inspect-kit"):
        open_registry(desk.home)


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(tmp_path / "registry.db")
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    with pytest.raises(BadInput, match="something else"):
        open_registry(tmp_path)
