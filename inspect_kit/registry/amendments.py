"""What is done to a registry besides issuing: revoking a certificate, describing a thing."""

from __future__ import annotations

from datetime import datetime

from inspect_kit.errors import UsageError
from inspect_kit.registry.chain import Seal, append, no_seal
from inspect_kit.registry.entries import Described, Entry, Revoked, Thing
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.search import known


def revoke(registry: Registry, number: str, because: str, by: str, at: datetime, seal: Seal = no_seal) -> Entry:
    """Withdraw a certificate for good; the reason is kept and shown by `verify`."""
    if not because:
        raise UsageError("say-why-revoked", where="--because")
    with registry.writing() as connection:
        standing = known(connection, number)
        if standing.revoked_at:
            raise UsageError("already-revoked", where=standing.number, revoked_at=standing.revoked_at[:10])
        return append(connection, Revoked(standing.number, because, by), at, seal)


def describe(
    registry: Registry, thing: Thing, details: tuple[str, str], photo: tuple[str, bytes] | None, at: datetime
) -> Entry:
    """Add maker and serial number, and a photograph by name, to what is known of a thing."""
    maker, serial = details
    with registry.writing() as connection:
        file = registry.keep(connection, "photo", photo[1], photo[0]) if photo else None
        return append(connection, Described(thing, maker, serial, file), at)
