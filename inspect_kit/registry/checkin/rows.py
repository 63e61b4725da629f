"""The rows that entries of a check-in desk stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import Table

from inspect_kit.registry.checkin.entries import AccountSet, Decided, EventSet, File, Recorded
from inspect_kit.registry.tables import DESK_ACCOUNTS, DESK_DECISIONS, DESK_EVENTS, DESK_RECORDS, EVIDENCE  # fmt: skip

Row = tuple[Table, dict[str, Any]]


def event_rows(body: EventSet) -> Iterator[Row]:
    """An event's settings."""
    yield DESK_EVENTS, {"event": body.event, "name": body.name}
    if body.house:
        yield from _evidence((body.house,))


def account_rows(body: AccountSet) -> Iterator[Row]:
    """A person's role."""
    yield DESK_ACCOUNTS, {"name": body.name, "role": body.role, "active": int(body.active)}


def recorded_rows(body: Recorded, at: str) -> Iterator[Row]:
    """An inspection at the desk."""
    names = ("ticket", "event", "item", "text", "owner", "verdict", "record", "by", "attempt", "retest_of")
    yield DESK_RECORDS, {**{name: getattr(body, name) for name in names}, "at": at}
    yield from _evidence(body.evidence)


def decided_rows(body: Decided, at: str) -> Iterator[Row]:
    """A decision."""
    names = ("ticket", "event", "decision", "by", "because", "after", "record")
    values = {name: getattr(body, name) for name in names}
    yield DESK_DECISIONS, {**values, "override": int(body.override), "at": at}
    yield from _evidence(body.evidence)


def _evidence(files: tuple[File, ...]) -> Iterator[Row]:
    for place, file in enumerate(files):
        yield EVIDENCE, {**msgspec.structs.asdict(file), "place": place}
