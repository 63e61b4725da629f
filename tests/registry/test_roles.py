"""A shared PostgreSQL: desks with their own role work, and can change nothing of the history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.certificate.issue.keys import unlock
from inspect_kit.registry.auditing import Audit
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.roles import role_statements
from tests.registry.conftest import NOW, _blank

Issue = Callable[..., Issued]


@pytest.fixture
def limited(empty_database: str, home: Path) -> Iterator[Desk]:
    """A desk whose login has the desks' role and nothing else."""
    owner = open_registry(home, empty_database)
    with owner.engine.begin() as connection:
        for statement in role_statements():
            connection.execute(text(statement))
        connection.execute(
            text("DO $$ BEGIN CREATE ROLE desk_1 LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
        )
        connection.execute(text("GRANT inspect_kit_desk TO desk_1"))
    owner.engine.dispose()
    registry = open_registry(home, empty_database.replace("://kit@", "://desk_1@"))
    yield Desk(home, registry, unlock(home, "", None), NOW, draw=_blank)
    registry.engine.dispose()


def test_a_desk_with_least_rights_issues_and_its_registry_is_clean(
    limited: Desk, issue: Issue, audited: Callable[[Desk], Audit]
) -> None:
    assert issue(limited, "Striker 1").number
    assert issue(replace(limited), "Striker 2").number
    assert audited(limited).faults == ()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET body = ''", "DELETE FROM revocations", "TRUNCATE entries", "DROP TABLE log_nodes",
        "ALTER TABLE entries DISABLE TRIGGER ALL", "DROP TRIGGER entries_no_update ON entries",
        "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
        "SET session_replication_role = replica", "UPDATE alembic_version SET version_num = '0001'",
        "CREATE TABLE mine (x int)",
    ],
)  # fmt: skip
def test_it_cannot_change_history_nor_its_guards(limited: Desk, issue: Issue, statement: str) -> None:
    issue(limited, "Striker 1")
    with (
        pytest.raises(DBAPIError, match="denied|must be owner|append-only"),
        limited.registry.engine.begin() as connection,
    ):
        connection.execute(text(statement))


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$",
         "entries_no_delete"),
        ("ALTER TABLE entries DISABLE TRIGGER entries_no_truncate", "entries_no_truncate"),
        ("DROP TRIGGER files_no_update ON files", "files_no_update"),
    ],
)  # fmt: skip
def test_the_audit_notices_guards_that_were_replaced_by_the_owner(
    empty_database: str, home: Path, audited: Callable[[Desk], Audit], statement: str, told: str
) -> None:
    registry = open_registry(home, empty_database)
    with registry.engine.begin() as connection:
        connection.execute(text(statement))
    faults = audited(Desk(home, registry, unlock(home, "", None), NOW)).faults
    registry.engine.dispose()
    assert told in [fault.where for fault in faults]


def test_truncate_is_refused(empty_database: str, home: Path) -> None:
    registry = open_registry(home, empty_database)
    with pytest.raises(DBAPIError, match="append-only"), registry.engine.begin() as connection:
        connection.execute(text("TRUNCATE entries"))
    registry.engine.dispose()
