"""The people of a check-in desk: their roles in the chain, their PINs hashed beside it, and who is signed in."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from sqlalchemy import Connection, delete, func, insert, select, update

from inspect_kit.errors import UsageError
from inspect_kit.registry.chain import Seal, append, no_seal
from inspect_kit.registry.checkin.entries import AccountSet
from inspect_kit.registry.checkin.store import said_by
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.tables import DESK_ACCOUNTS, DESK_DRAFTS, DESK_PINS, DESK_SESSIONS

Check = Callable[[Connection], None]
LEAST_PIN: Final = 6
"""Characters of the shortest PIN."""
MOST_PIN: Final = 128
"""Characters of the longest PIN."""
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
"""Argon2id with OWASP's least costly parameters: a PIN is asked for at every decision, on an old laptop."""

_MOST_SEEN: Final = 1000
"""Right PINs that are remembered; then the memory begins anew."""
_RUNS: Final = "01234567890 09876543210"


def check_new_pin(pin: str) -> None:
    """Refuse a PIN that is short, one key again and again, or a run."""
    if not LEAST_PIN <= len(pin) <= MOST_PIN:
        raise UsageError("pin-least-characters", where="PIN", least_pin=LEAST_PIN)
    if len(set(pin)) < 3 or pin in _RUNS:
        raise UsageError("pin-first-anybody-would-try", where="PIN")


def set_account(
    registry: Registry,
    body: AccountSet,
    pin: str | None,
    at: datetime,
    seal: Seal = no_seal,
    *,
    check: Check | None = None,
) -> None:
    """Give a person a role; with a PIN for a new one, or to change it. `check` may refuse it, in one transaction."""
    hashed = None
    if pin is not None:
        check_new_pin(pin)
        hashed = _HASHER.hash(pin)
    with registry.writing() as connection:
        if check is not None:
            check(connection)
        there = _hash_of(connection, body.name)
        if hashed is None and there is None:
            raise UsageError("new-person-needs-pin", where=body.name)
        append(connection, msgspec.structs.replace(body, pin=_digest(hashed or there or "")), at, seal)
        if hashed is not None:
            connection.execute(delete(DESK_PINS).where(DESK_PINS.c.name == body.name))
            connection.execute(insert(DESK_PINS).values(name=body.name, pin=hashed))
        if hashed is not None or not body.active:
            connection.execute(delete(DESK_SESSIONS).where(DESK_SESSIONS.c.name == body.name))


def account(connection: Connection, name: str) -> AccountSet | None:
    """A person as they stand now; nobody who was taken out."""
    newest = connection.scalar(select(func.max(DESK_ACCOUNTS.c.entry)).where(DESK_ACCOUNTS.c.name == name))
    body = said_by(connection, newest) if newest else None
    return body if isinstance(body, AccountSet) and body.active else None


def accounts(connection: Connection) -> list[AccountSet]:
    """Everybody, by name; those who were taken out too."""
    newest = select(func.max(DESK_ACCOUNTS.c.entry)).group_by(DESK_ACCOUNTS.c.name)
    bodies = (said_by(connection, entry) for entry in connection.scalars(newest))
    return sorted((body for body in bodies if isinstance(body, AccountSet)), key=lambda body: body.name)


def anybody(connection: Connection) -> bool:
    """Whether accounts are set up."""
    return connection.execute(select(DESK_ACCOUNTS.c.entry).limit(1)).first() is not None


@dataclass(frozen=True, slots=True)
class RightPins:
    """PINs that were found right while this program runs, so that the slow hashing is not done again at every decision.

    Only a keyed digest is kept, under a key that never leaves this program's memory, and beside the slow hash that it
    stands for: a PIN that was changed has another one.
    """

    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _seen: dict[str, bytes] = field(default_factory=dict, repr=False)

    def knows(self, hashed: str, pin: str) -> bool:
        """Whether that PIN was right before."""
        return hmac.compare_digest(self._seen.get(hashed, b""), self._digest(hashed, pin))

    def note(self, hashed: str, pin: str) -> None:
        """That PIN was right."""
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen[hashed] = self._digest(hashed, pin)

    def _digest(self, hashed: str, pin: str) -> bytes:
        return hmac.digest(self._key, f"{hashed}\n{pin}".encode(errors="replace"), "sha256")


def pin_holds(registry: Registry, name: str, pin: str, right: RightPins) -> bool:
    """Whether it is the person's PIN. A wrong one takes as long for a name that nobody has."""
    with registry.reading() as connection:
        person = account(connection, name)
        hashed = _hash_of(connection, name) if person else None
    if person is not None and hashed is not None and person.pin and _digest(hashed) != person.pin:
        # Somebody has put another PIN in place of the person's, past the desk.
        hashed = None
    if hashed is not None and right.knows(hashed, pin):
        return True
    try:
        _HASHER.verify(hashed or _nobody(), pin[: MOST_PIN + 1])
    except (Argon2Error, InvalidHashError):
        return False
    if hashed is not None:
        right.note(hashed, pin)
    return hashed is not None


def _digest(hashed: str) -> str:
    return hashlib.sha256(hashed.encode()).hexdigest()


@cache
def _nobody() -> str:
    return _HASHER.hash("nobody has this one")


def _hash_of(connection: Connection, name: str) -> str | None:
    return connection.scalar(select(DESK_PINS.c.pin).where(DESK_PINS.c.name == name))


def open_session(registry: Registry, secret: bytes, digest: str, name: str, span: tuple[datetime, datetime]) -> None:
    """Somebody has signed in; sessions that are over are cleared away."""
    own = DESK_SESSIONS.c
    now, until = (each.isoformat() for each in span)
    proof = _proof(secret, digest, name, until)
    with registry.writing() as connection:
        connection.execute(delete(DESK_SESSIONS).where(own.until < now))
        connection.execute(insert(DESK_SESSIONS).values(digest=digest, name=name, until=until, proof=proof))


def _proof(secret: bytes, digest: str, name: str, until: str) -> str:
    """This desk's word that it opened the session: a row that somebody wrote into the database has none."""
    return hmac.new(secret, f"session\n{digest}\n{until}\n{name}".encode(errors="replace"), "sha256").hexdigest()


def who_is(connection: Connection, secret: bytes, digest: str, now: datetime) -> AccountSet | None:
    """The person behind a session that is not over."""
    own = DESK_SESSIONS.c
    wanted = select(own.name, own.until, own.proof).where(own.digest == digest, own.until >= now.isoformat())
    row = connection.execute(wanted).first()
    if row is None or not hmac.compare_digest(row.proof, _proof(secret, digest, row.name, row.until)):
        return None
    return account(connection, row.name)


def close_session(registry: Registry, digest: str) -> None:
    """Somebody has signed out."""
    with registry.writing() as connection:
        connection.execute(delete(DESK_SESSIONS).where(DESK_SESSIONS.c.digest == digest))


def keep_draft(registry: Registry, ticket: str, event: str, by: str, text: str, at: datetime) -> None:
    """Keep a guided inspection that is under way."""
    values = {"text": text, "at": at.isoformat()}
    with registry.writing() as connection:
        mine = (DESK_DRAFTS.c.ticket == ticket, DESK_DRAFTS.c.by == by)
        changed = connection.execute(update(DESK_DRAFTS).where(*mine).values(**values))
        if not changed.rowcount:
            connection.execute(insert(DESK_DRAFTS).values(ticket=ticket, event=event, by=by, **values))


def draft(connection: Connection, ticket: str, by: str) -> tuple[str, str] | None:
    """The event and text of one's own guided inspection."""
    own = DESK_DRAFTS.c
    row = connection.execute(select(own.event, own.text).where(own.ticket == ticket, own.by == by)).first()
    return (row.event, row.text) if row else None


def drafts(connection: Connection, event: str, by: str) -> list[tuple[str, str, str]]:
    """Ticket, text and time of one's own guided inspections at an event, the newest first."""
    own = DESK_DRAFTS.c
    rows = select(own.ticket, own.text, own.at).where(own.event == event, own.by == by).order_by(own.at.desc())
    return [(row.ticket, row.text, row.at) for row in connection.execute(rows.limit(30))]


def drop_draft(registry: Registry, ticket: str, by: str) -> None:
    """A guided inspection is finished or given up."""
    with registry.writing() as connection:
        connection.execute(delete(DESK_DRAFTS).where(DESK_DRAFTS.c.ticket == ticket, DESK_DRAFTS.c.by == by))
