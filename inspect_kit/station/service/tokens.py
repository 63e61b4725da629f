"""Who may ask the service: tokens by name, of which only digests are kept."""

import hashlib
import hmac
import secrets
from pathlib import Path
from typing import Final

import msgspec

from inspect_kit.atomic_write import written_beside
from inspect_kit.errors import BadInput, UsageError

_FILE: Final = "service-tokens.json"
_MOST: Final = 200
"""Tokens that a station may have."""


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program's or a person's right to ask; `write` is the right to post measurements."""

    name: str
    sha256: str
    write: bool
    since: str


def read_tokens(home: Path) -> tuple[Token, ...]:
    """All that were given out and not withdrawn."""
    path = home / _FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Token, ...])
    except FileNotFoundError:
        return ()
    except (OSError, msgspec.DecodeError):
        raise BadInput("tokens-unreadable", where=str(path)) from None


def give_out(home: Path, name: str, *, write: bool, since: str) -> str:
    """A new token, which is shown once."""
    there = read_tokens(home)
    if any(token.name == name for token in there):
        raise UsageError("token-there-already", where=name[:60])
    if len(there) >= _MOST:
        raise UsageError("too-many-tokens", most=_MOST)
    secret = secrets.token_urlsafe(32)
    _write(home, (*there, Token(name, digest(secret), write, since)))
    return secret


def withdraw(home: Path, name: str) -> None:
    """What asks with it is refused from now on."""
    there = read_tokens(home)
    if all(token.name != name for token in there):
        raise UsageError("no-such-token", where=name[:60])
    _write(home, tuple(token for token in there if token.name != name))


def digest(secret: str) -> str:
    """What is kept of a secret: it is long and random, so that a plain digest does."""
    return hashlib.sha256(secret.encode()).hexdigest()


def right_of(home: Path, secret: str) -> Token | None:
    """Whose token that is; the file is read each time, so that withdrawing one works at once."""
    asked = digest(secret)
    return next((token for token in read_tokens(home) if hmac.compare_digest(token.sha256, asked)), None)


def _write(home: Path, tokens: tuple[Token, ...]) -> None:
    home.mkdir(parents=True, exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode(tokens), indent=1)
    written_beside(home / _FILE, content).replace(home / _FILE)
