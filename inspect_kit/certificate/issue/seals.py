"""Signatures under entries: an inspector's under certificates and revocations, a desk's under what was done there.

Every desk has a key of its own, made when it is first needed. The issuer vouches for it by an entry that an
inspector signs; from then on the acts of that desk are known for its own, also by those who did not see them.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from inspect_kit.atomic_write import written_beside
from inspect_kit.certificate.issue.keyring import Keyring, Signer
from inspect_kit.certificate.issue.keys import SigningKey
from inspect_kit.errors import BadInput, Notice, notice
from inspect_kit.registry.chain import Seal, append, entries_of_kind, follows
from inspect_kit.registry.checkin.entries import DeskSet
from inspect_kit.registry.entries import Entry
from inspect_kit.registry.log.notes import raw, signature_holds
from inspect_kit.registry.opening import Registry, Transaction

ENTRY_DOMAIN: Final = b"inspect-kit entry 1\x00"
_DESK_DOMAIN: Final = b"inspect-kit desk 1\x00"
_DESK: Final = "desk-"
_AT_DESKS: Final = frozenset({"event", "account", "recorded", "decided", "player"})
"""Kinds of entries that a desk signs."""

SIGNED: Final = frozenset({"certificate", "revocation", "desk", "accepted", *_AT_DESKS})
"""Kinds of entries that somebody signs; registries of format 3 and earlier signed certificates alone."""

_LASTING: Final = frozenset({"certificate", "revocation"})
"""Kinds that a stolen key's earlier entries stay good of; desks, people and acts it may have made up at any date."""

_SLACK: Final = timedelta(days=1)
"""An entry may be dated so much before its key began; that is not held against it."""


@dataclass(frozen=True, slots=True)
class DeskKey:
    """A desk's own key."""

    key: Ed25519PrivateKey = field(repr=False)

    @property
    def public(self) -> str:
        """The public key in hexadecimal digits."""
        return raw(self.key).hex()

    @property
    def id(self) -> str:
        """What stands under entries."""
        return desk_id(self.public)

    def seal(self, digest: bytes) -> tuple[str, str]:
        """Sign an entry's hash."""
        return self.id, self.key.sign(_DESK_DOMAIN + digest).hex()


def desk_id(public: str) -> str:
    """What a desk's key is known by."""
    return f"{_DESK}{hashlib.sha256(bytes.fromhex(public)).hexdigest()[:16].upper()}"


def desk_key(home: Path) -> DeskKey:
    """The key of the desk in `home`, made when it is first needed; only the owner can read it."""
    path = home / "station" / "desk.pem"
    try:
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            written_beside(path, fresh).replace(path)
        key = load_pem_private_key(path.read_bytes(), None)
    except OSError as problem:
        raise BadInput("not-usable", where=str(path), reason=problem.strerror) from None
    except (ValueError, TypeError):
        raise BadInput("does-not-hold-desk-key", where=str(path)) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadInput("does-not-hold-desk-key", where=str(path))
    return DeskKey(key)


def seal_of_signer(key: SigningKey, at: datetime) -> Seal:
    """An inspector's signature under an entry of that time, which must lie within the key's own."""
    begins, ends = key.signer.qr_certificate.not_valid_before_utc, key.signer.qr_certificate.not_valid_after_utc
    if at < begins:
        raise BadInput(
            "clock-before-key", where="the clock", at=f"{at:%Y-%m-%d}", signer=key.signer.name, begins=begins.date()
        )
    if at > ends:
        raise BadInput("key-ended", where="the clock", signer=key.signer.name, ends=ends.date())
    return lambda digest: (key.signer.id, key.qr_key.sign(ENTRY_DOMAIN + digest).hex())


@dataclass(slots=True)
class Seals:
    """Whose signatures are believed: the inspectors of the issuers, and the desks that these vouch for."""

    keyrings: tuple[Keyring, ...]
    desks: dict[str, tuple[DeskSet, int]] = field(default_factory=dict)
    """Desks by their ids, each with the entry since which nobody vouches for it any more, or 0."""
    began: bool = False
    """Whether acts at desks were signed by now: from then on all of them are."""

    def fault(self, entry: Entry) -> Notice | None:
        """What is wrong with an entry's signature, entries coming in order; nothing where nobody needs to sign."""
        if entry.kind not in SIGNED:
            return None
        if not entry.signer and entry.kind != "certificate" and not self.began:
            return None
        found = self.strictly(entry)
        if found is None:
            self.began = self.began or entry.kind != "certificate"
        return found

    def strictly(self, entry: Entry) -> Notice | None:
        """What is wrong with the signature of an entry that must bear one."""
        if entry.signer.startswith(_DESK) and entry.kind in _AT_DESKS:
            return self._desk_fault(entry)
        return seal_fault(entry, self.keyrings)

    def learn(self, entry: Entry) -> None:
        """A desk that an inspector vouches for, or no longer does."""
        if entry.kind == "desk":
            body = entry.said()
            if isinstance(body, DeskSet) and body.desk == desk_id(body.key):
                self.desks[body.desk] = (body, 0 if body.active else entry.id)

    def _desk_fault(self, entry: Entry) -> Notice | None:
        desk, withdrawn = self.desks.get(entry.signer, (None, 0))
        if desk is None or 0 < withdrawn < entry.id:
            return notice("seal-of-unknown-desk", desk=entry.signer)
        message = _DESK_DOMAIN + bytes.fromhex(entry.right_hash())
        if not signature_holds(bytes.fromhex(desk.key), _signature(entry), message):
            return notice("seal-not-of", name=desk.name or entry.signer)
        return None


def seals_in(connection: Transaction, keyrings: Iterable[Keyring]) -> Seals:
    """The seals that are believed, with all desks that the registry knows."""
    seals = Seals(tuple(keyrings))
    for entry in entries_of_kind(connection, "desk"):
        if follows(connection, entry) and seals.strictly(entry) is None:
            seals.learn(entry)
    return seals


def _signature(entry: Entry) -> bytes:
    try:
        return bytes.fromhex(entry.signature)
    except ValueError:
        return b""


def seal_fault(entry: Entry, keyrings: Iterable[Keyring]) -> Notice | None:
    """What is wrong with an entry's signature; nothing if it is a known inspector's, in office at the time."""
    signer = signer_of(entry, keyrings)
    return signature_fault(entry, signer) or (_office_fault(signer, entry) if signer else None)


def signer_of(entry: Entry, keyrings: Iterable[Keyring]) -> Signer | None:
    """Whose key an entry names, if it is known."""
    return next((found for ring in keyrings if (found := ring.signer(entry.signer))), None)


def signature_fault(entry: Entry, signer: Signer | None) -> Notice | None:
    """What is wrong with the signature itself, whenever it was made."""
    if signer is None:
        return notice("seal-of-unknown-key", key=entry.signer[:40]) if entry.signer else notice("seal-of-nobody")
    if not signer.check_seal(ENTRY_DOMAIN + bytes.fromhex(entry.right_hash()), _signature(entry)):
        return notice("seal-not-of", name=signer.name)
    return None


def _office_fault(signer: Signer, entry: Entry) -> Notice | None:
    at = datetime.fromisoformat(entry.at)
    if signer.retired and signer.retired.compromised and entry.kind not in _LASTING:
        return notice("signed-with-stolen-key", name=signer.name)
    if signer.retired and at > signer.retired.since:
        return notice("signed-after-retirement", name=signer.name, day=signer.retired.since.date())
    begins = signer.qr_certificate.not_valid_before_utc
    if at < begins - _SLACK:
        return notice("dated-before-key", name=signer.name, day=begins.date())
    ends = signer.qr_certificate.not_valid_after_utc
    return notice("signed-after-key-ended", name=signer.name, day=ends.date()) if at > ends else None


def vouch(registry: Registry, desk: DeskSet, key: SigningKey, now: datetime) -> None:
    """Let an inspector vouch for a desk, or take that back; what stands already is not said again."""
    with registry.writing() as connection:
        there, _ = seals_in(connection, (key.issuer,)).desks.get(desk.desk, (None, 0))
        if there is None or there.active != desk.active:
            append(connection, desk, now, seal_of_signer(key, now))


def own_desk(home: Path, key: SigningKey) -> DeskSet:
    """The desk in `home`, as an inspector vouches for it."""
    own = desk_key(home)
    return DeskSet(own.id, own.public, key.signer.name, socket.gethostname()[:60])


def read_desk(text: str) -> tuple[str, str]:
    """A desk's id and public key, from what `station desk` prints there."""
    name, _, public = text.strip().partition(" ")
    try:
        if len(bytes.fromhex(public)) == 32 and desk_id(public) == name:
            return name, public
    except ValueError:
        pass
    raise BadInput("no-desk-key", where=text[:40])
