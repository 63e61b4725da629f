"""Acts that wait are written together: each whole or not at all, none lost, none before it lasts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.chain import append
from inspect_kit.registry.checkin.entries import AccountSet
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.tables import DESK_ACCOUNTS, ENTRIES
from inspect_kit.registry.write_queue import QueuedRegistry, queued
from tests.registry.conftest import NOW


@pytest.fixture(params=["sqlite", "postgresql"])
def registry(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[QueuedRegistry]:
    url = request.getfixturevalue("empty_database") if request.param == "postgresql" else ""
    opened = open_registry(tmp_path, url)
    made = queued(opened)
    yield made
    made.engine.dispose()
    opened.engine.dispose()


def _adding(name: str, refused: bool = False) -> object:
    def action(connection: Connection) -> str:
        append(connection, AccountSet(name, "viewer", by="test"), NOW)
        if refused:
            raise UsageError("not this one", where=name)
        return name

    return action


def _names(registry: QueuedRegistry) -> list[str]:
    with registry.reading() as connection:
        return sorted(connection.scalars(select(DESK_ACCOUNTS.c.name)))


def _together(registry: QueuedRegistry, actions: list[object]) -> list[object]:
    """All of them wait while somebody writes; gives what came of each."""

    def tried(action: object) -> object:
        try:
            return registry.in_transaction(action)  # type: ignore[arg-type]
        except Exception as problem:
            return problem

    with ThreadPoolExecutor(len(actions)) as people:
        with registry.queue:
            waiting = [people.submit(tried, action) for action in actions]
            while len(registry.line) < len(actions):
                threading.Event().wait(0.01)
        return [each.result() for each in waiting]


def test_acts_that_wait_are_all_written_and_the_chain_holds(registry: QueuedRegistry) -> None:
    names = [f"P{number:02d}" for number in range(50)]
    assert sorted(map(str, _together(registry, [_adding(name) for name in names]))) == names
    assert _names(registry) == names
    assert audit(registry, lambda _: lambda _: None).faults == ()
    assert registry.line == []


def test_they_are_made_to_last_together(registry: QueuedRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy.engine.default import DefaultDialect

    commits = []
    original = DefaultDialect.do_commit
    monkeypatch.setattr(DefaultDialect, "do_commit", lambda self, one: (commits.append(1), original(self, one))[1])
    _together(registry, [_adding(f"P{number}") for number in range(20)])
    assert len(commits) == 1


def test_one_that_is_refused_leaves_nothing_and_spoils_no_other(registry: QueuedRegistry) -> None:
    came = _together(registry, [_adding("A"), _adding("B", refused=True), _adding("C")])
    assert sorted(str(each) for each in came) == ["A", "B: not this one", "C"]
    assert _names(registry) == ["A", "C"]
    assert audit(registry, lambda _: lambda _: None).faults == ()


def test_a_database_that_fails_is_told_to_everybody_who_waited(registry: QueuedRegistry) -> None:
    def broken(connection: Connection) -> None:
        connection.exec_driver_sql("SELECT * FROM nothing_of_the_kind")

    came = _together(registry, [_adding("A"), broken, _adding("C")])
    assert all(isinstance(each, BadInput) for each in came)
    assert "cannot be used" in str(came[0])
    assert _names(registry) == []
    assert registry.in_transaction(_adding("D")) == "D"  # type: ignore[arg-type]


def test_a_plain_registry_acts_too(tmp_path: Path) -> None:
    registry = open_registry(tmp_path)
    assert registry.in_transaction(lambda connection: connection.scalar(select(func.count()).select_from(ENTRIES))) == 0
