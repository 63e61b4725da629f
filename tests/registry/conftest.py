"""Desks, registries on both databases, and the foreign tools that must agree with us."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pikepdf
import pytest
from msgspec import structs
from sqlalchemy import text

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.certificate.issue.issue import Desk, Issued, Request, issue_certificate
from inspect_kit.certificate.issue.keys import Founding, found, own_keyring, unlock
from inspect_kit.certificate.issue.seals import seals_in
from inspect_kit.certificate.issue.verify import TrustContext
from inspect_kit.inspection.record import Record, Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.registry.auditing import Audit, audit
from inspect_kit.registry.opening import Registry, open_registry
from inspect_kit.rulebook.library import load

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


def _missing(what: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"{what} is not installed, and CI must have it")
    pytest.skip(f"{what} is not installed")


@pytest.fixture(scope="session")
def tool() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a foreign program; one that is missing is a failure on CI."""

    def run(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        if shutil.which(name) is None:
            _missing(name)
        return subprocess.run([name, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)

    return run


@pytest.fixture(scope="session")
def now() -> datetime:
    return NOW


@pytest.fixture(scope="session")
def record(repository: Path) -> Record:
    """A striker that conforms."""
    return _judged(repository, "striker-42.csv", Subject("Striker 42", owner="Renata Řeháčková", place="Praha"))


@pytest.fixture(scope="session")
def failing_record(repository: Path) -> Record:
    return _judged(repository, "striker-43.csv", Subject("Striker 43", owner="Jan Novák"))


def _judged(repository: Path, name: str, subject: Subject) -> Record:
    examples = repository / "reports" / "examples"
    sheet = load("icf-2001-it")
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16), (examples / "instruments",))
    return record_of(inspect(task, [read_measurements(examples / name)]), subject)


@pytest.fixture(scope="session")
def issuer_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys without a passphrase, made once."""
    home = tmp_path_factory.mktemp("issuer")
    found(home, Founding("Pražský carrom klub", "PCK", "Řehoř Áron"), None, NOW)
    return home


def _blank(record: Record, *, language: str, photos: object, issue: object) -> bytes:
    del record, language, photos, issue
    return _BLANK


def unsigned(pages: bytes, _: object, number: str, qr: str, place: str = "") -> bytes:
    """In place of `sign`, which touches no file and takes most of the time."""
    return pages + number.encode()


def _blank_page() -> bytes:
    with tempfile.TemporaryFile() as stream:
        pdf = pikepdf.new()
        pdf.add_blank_page(page_size=(100, 100))
        pdf.save(stream)
        stream.seek(0)
        return stream.read()


_BLANK = _blank_page()


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder in memory where there is one: everything here waits for the disk again and again."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="kit-", dir=memory if os.access(memory, os.W_OK) else None) as place:
        yield Path(place)


@pytest.fixture
def home(issuer_home: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "home"
    shutil.copytree(issuer_home, copy)
    return copy


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """A desk with a registry in SQLite that draws real certificates."""
    registry = open_registry(home)
    yield Desk(home, registry, unlock(home, "", None), NOW)
    registry.engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def quick_desk(request: pytest.FixtureRequest, home: Path) -> Iterator[Desk]:
    """A desk on either database, with a blank page for a certificate where only the registry matters."""
    url = request.getfixturevalue("empty_database") if request.param == "postgresql" else ""
    registry = open_registry(home, url)
    yield Desk(home, registry, unlock(home, "", None), NOW, draw=_blank)
    registry.engine.dispose()


@pytest.fixture
def without_signing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signing a PDF takes most of the time, and is left out where a test is about the registry alone."""
    monkeypatch.setattr("inspect_kit.certificate.issue.issue.sign", unsigned)


@pytest.fixture
def blank(desk: Desk) -> Desk:
    """A desk on SQLite with a blank page for a certificate."""
    return replace(desk, draw=_blank)


@pytest.fixture
def issue(record: Record, tmp_path: Path) -> Callable[..., Issued]:
    """Issues a certificate for a subject; keywords go to the subject or to the request."""

    def issued(desk: Desk, subject: str = "Striker 42", *, base: Record | None = None, **given: object) -> Issued:
        about = {name: given.pop(name) for name in ("owner", "event", "inspector") if name in given}
        source = base or record
        changed = structs.replace(source, subject=structs.replace(source.subject, text=subject, **about))
        out = given.pop("out", tmp_path / f"{subject}.pdf")
        return issue_certificate(desk, Request(changed, out, **given))  # type: ignore[arg-type]

    return issued


@pytest.fixture
def audited() -> Callable[[Desk], Audit]:
    """The audit that `registry audit` makes."""

    def run(desk: Desk) -> Audit:
        rings = (own_keyring(desk.home),)
        return audit(desk.registry, lambda connection: seals_in(connection, rings).fault)

    return run


@pytest.fixture
def counter(desk: Desk) -> TrustContext:
    """Who verifies at the issuer's own desk."""
    return TrustContext((own_keyring(desk.home),), "PCK", desk.registry, date(2026, 11, 16))


# A PostgreSQL of our own


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """A PostgreSQL server; gives the URL without a database."""
    with running_postgresql() as url:
        yield url


@contextmanager
def running_postgresql() -> Iterator[str]:
    """A PostgreSQL server in a temporary folder, reached by a socket in it; gives the URL without a database."""
    programs = _postgresql_programs()
    with tempfile.TemporaryDirectory(prefix="kit-pg-") as place:
        folder = Path(place)
        folder.chmod(0o755)
        data = folder / "data"
        become = _unprivileged(folder)
        options = ["-A", "trust", "-U", "kit", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        _run([*become, programs / "initdb", "-D", data, *options])
        settings = f"-k {folder} -c listen_addresses='' -c max_connections=60 -c fsync=off"
        _run([*become, programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", settings, "start"])
        try:
            yield f"postgresql://kit@/{{name}}?host={folder}"
        finally:
            _run([*become, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"])


def _postgresql_programs() -> Path:
    found_at = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    if found_at:
        return found_at[-1].parent
    if on_path is None:
        _missing("PostgreSQL")
    return Path(on_path or "").resolve().parent


def _unprivileged(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "nobody")
    return ["setpriv", "--reuid=nobody", "--clear-groups", "--"]


def _run(command: list[object]) -> None:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=60, check=False, cwd="/"
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def empty_database(cluster: str) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    from sqlalchemy import create_engine

    name = f"kit_{os.urandom(4).hex()}"
    engine = create_engine(cluster.format(name="postgres").replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
        yield cluster.format(name=name)
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


@pytest.fixture
def by_hand() -> Callable[..., None]:
    """Somebody with a database tool: the guards are taken down, something is changed, the guards are put back."""

    def meddle(registry: Registry, statement: str, **values: object) -> None:
        with registry.engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SET session_replication_role = replica"))
                connection.execute(text(statement), values)
                return
            guards = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
            for name, _ in guards:
                connection.execute(text(f"DROP TRIGGER {name}"))
            connection.execute(text(statement), values)
            for _, definition in guards:
                connection.exec_driver_sql(definition)

    return meddle
