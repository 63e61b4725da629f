"""Makes the stored examples `formats/registry-N.zip` that later versions must open. Never run again for an old N."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
import zipfile
from dataclasses import replace
from datetime import date
from pathlib import Path

from msgspec import structs

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate
from inspect_kit.certificate.issue.keys import Founding, folder_of, found, unlock
from inspect_kit.certificate.issue.seals import seal_of_signer
from inspect_kit.inspection.record import Record, Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.registry.amendments import describe, revoke
from inspect_kit.registry.backup import FORMAT, back_up
from inspect_kit.registry.entries import Thing
from inspect_kit.registry.evidence import EvidenceFolder
from inspect_kit.registry.opening import FILE_NAME, REVISIONS, Registry, _prepare, _target, sqlite_engine, upgrade
from inspect_kit.rulebook.library import load
from tests.registry.conftest import NOW

FORMATS = Path(__file__).parent / "formats"


def main(revision: str) -> None:
    """One registry of a format, with two certificates, a report, a revocation and a description."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        found(home, Founding("Pražský carrom klub", "PCK", "Řehoř Áron"), None, NOW)
        _prepare(home / FILE_NAME)
        registry = Registry(sqlite_engine(_target(home, "")), EvidenceFolder(home / "evidence"), str(home / FILE_NAME))
        with registry.writing() as connection:
            upgrade(connection, revision)
        _fill(Desk(home, registry, unlock(home, "", None), NOW), Path(place))
        backup = FORMATS / f"backup-{FORMAT}.zip"
        if revision == REVISIONS[-1] and not backup.exists():
            back_up(registry, backup)
        registry.engine.dispose()
        _pack(home, FORMATS / f"registry-{int(revision)}.zip")


def _fill(desk: Desk, out: Path) -> None:
    good, bad = _record("striker-42.csv", "Striker 42"), _record("striker-43.csv", "Striker 43")
    first = issue_certificate(desk, Request(good, out / "1.pdf", valid="2027-06-30"))
    issue_certificate(desk, Request(bad, out / "2.pdf", language="cs"))
    event = structs.replace(good, subject=structs.replace(good.subject, text="Striker 50", event="Prague Open"))
    third = issue_certificate(
        replace(desk), Request(event, out / "3.pdf", replaces=(first.number,), because="broken in play (ICF 117)")
    )
    describe(
        desk.registry, Thing("striker", "Striker 50", "Renata Řeháčková"), ("Synco", "0417"), ("s.jpg", b"photo"), NOW
    )
    revoke(
        desk.registry, third.number, "the scale was out of calibration", "desk 1", NOW, seal_of_signer(desk.key, NOW)
    )


def _record(name: str, subject: str) -> Record:
    examples = Path(__file__).resolve().parents[2] / "reports" / "examples"
    sheet = load("icf-2001-it")
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16), (examples / "instruments",))
    return record_of(inspect(task, [read_measurements(examples / name)]), Subject(subject, owner="Renata Řeháčková"))


def _pack(home: Path, target: Path) -> None:
    connection = sqlite3.connect(home / FILE_NAME)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    (home / "trust").mkdir()
    shutil.copy(folder_of(home) / "issuer.pem", home / "trust" / "PCK.pem")
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in (home / FILE_NAME, home / "trust" / "PCK.pem", *sorted((home / "evidence").rglob("*"))):
            if path.is_file():
                archive.write(path, path.relative_to(home))


if __name__ == "__main__":
    main(sys.argv[1])
