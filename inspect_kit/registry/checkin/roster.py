"""The players of an event: who they are, their teams, badges and pieces; a correction keeps what was there before."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select

from inspect_kit.registry.chain import Seal, append, entries_of_kind, no_seal
from inspect_kit.registry.checkin.entries import PlayerSet
from inspect_kit.registry.entries import Entry
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.tables import ENTRIES

_KIND = "player"
_NEWEST = select(func.max(ENTRIES.c.id)).where(ENTRIES.c.kind == _KIND)


def roster(connection: Connection, event: str) -> tuple[PlayerSet, ...]:
    """The players of an event as they stand now, by name."""
    newest: dict[str, PlayerSet] = {body.player: body for _, body in player_entries(connection, event)}
    return tuple(sorted((each for each in newest.values() if each.active), key=lambda each: each.name))


def newest_player(connection: Connection) -> int:
    """The last entry about any player: as long as it stays, no roster has changed."""
    return connection.scalar(_NEWEST) or 0


def player_entries(connection: Connection, event: str) -> list[tuple[Entry, PlayerSet]]:
    """All that was entered about players of an event, in order."""
    said = ((entry, entry.said()) for entry in entries_of_kind(connection, _KIND))
    return [(entry, body) for entry, body in said if isinstance(body, PlayerSet) and body.event == event]


def set_players(registry: Registry, bodies: Sequence[PlayerSet], at: datetime, seal: Seal = no_seal) -> None:
    """Put players on the roster or correct them, all or none."""
    with registry.writing() as connection:
        for body in bodies:
            append(connection, body, at, seal)
