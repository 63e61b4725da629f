"""Signatures under entries: an inspector's under certificates and revocations, a desk's under what was done there.

Every desk has a key of its own, made when it is first needed. The issuer vouches for it by an entry that an
inspector signs; from then on the acts of that desk are known for its own, also by those who did not see them.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from inspect_kit.atomic_write import written_beside
from inspect_kit.certificate.issue.keyring import Keyring, Signer
from inspect_kit.certificate.issue.keys import SigningKey
from inspect_kit.certificate.issue.qr import read
from inspect_kit.errors import BadInput, BrokenSeal, InspectKitError, Notice, notice
from inspect_kit.registry.chain import Seal, append, entries_of_kind, entry_of, follows
from inspect_kit.registry.checkin.entries import DeskSet
from inspect_kit.registry.entries import Certified, Entry, entry_from_leaf
from inspect_kit.registry.log.merkle import leaf_hash, root_from_inclusion
from inspect_kit.registry.log.notes import Checkpoint, LogProof, Verifier, raw, signature_holds
from inspect_kit.registry.log.tree import identity_of, kept_checkpoints, log_size, origin_of, proof_in
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


# What the log and its witnesses say of a certificate: that it stands in the log, and who has seen that log.


if TYPE_CHECKING:
    from inspect_kit.certificate.issue.time_server import Timestamp


@dataclass(frozen=True, slots=True)
class Witnessed:
    """How many witnesses have seen an entry in the log, since when, and up to when they have seen the log grow."""

    count: int = 0
    first: datetime | None = None
    last: datetime | None = None
    stamp: Timestamp | None = None
    """The earliest timestamp by a server that is believed here."""

    @property
    def told(self) -> Notice:
        """What a person is told."""
        seen = [self.stamp.told] if self.stamp else []
        if self.count and self.last:
            code = "check-witnessed-once" if self.count == 1 else "check-witnessed"
            seen.insert(0, notice(code, number=self.count, day=f"{self.last:%Y-%m-%d %H:%M}"))
        return notice("check-in-log", seen=tuple(seen) or notice("check-unwitnessed"))


def signed_by_log(note: Checkpoint, keyrings: Iterable[Keyring]) -> bool:
    """Whether one of the issuer's inspectors has signed the checkpoint of its log."""
    parts = note.origin.split("/")
    rings = [ring for ring in keyrings if len(parts) == 3 and ring.code == parts[1]]
    keys = (signer.qr_certificate.public_key() for ring in rings for signer in ring.signers)
    return any(note.is_signed_by(Verifier(note.origin, raw(key))) for key in keys if isinstance(key, Ed25519PublicKey))


@dataclass(frozen=True, slots=True)
class TimeAuthorities:
    """Whose word on the time is believed: witnesses of logs, and the CAs of timestamp servers."""

    witnesses: tuple[Verifier, ...] = ()
    time_servers: tuple[x509.Certificate, ...] = ()


def seen_in_log(registry: Registry, entry: int, keyrings: Sequence[Keyring], believed: TimeAuthorities) -> Witnessed:
    """Who has seen an entry in this registry's log. A log that is not the one that was seen is a broken seal."""
    with registry.reading() as connection:
        size, identity = log_size(connection), identity_of(connection)
        # The largest show that the log is whole, the smallest with the entry since when it was there.
        kept = (*kept_checkpoints(connection), *kept_checkpoints(connection, entry, smallest=True))
        notes = [note for note in dict.fromkeys(kept) if signed_by_log(note, keyrings)]
        for note in notes:
            ours = note.origin == origin_of(note.origin.split("/")[1], identity)
            if not ours or note.size > size or _root_over_entries(connection, note.size) != note.root:
                raise BrokenSeal("log-not-one-entries-witnessed", size=note.size)
    return counted([note for note in notes if note.size >= entry], believed)


def _root_over_entries(connection: Transaction, size: int) -> bytes:
    """The log's root by its newest entry, which is chained to all before it, and not by the stored tree alone."""
    entry = entry_of(connection, size)
    if entry is None:
        return b""
    steps = proof_in(connection, entry, Checkpoint("", size, b"")).proof
    return root_from_inclusion(leaf_hash(entry.leaf()), size - 1, size, list(steps))


def counted(notes: Sequence[Checkpoint], believed: TimeAuthorities) -> Witnessed:
    """How many witnesses have signed any of the checkpoints, and when."""
    times: dict[Verifier, list[int]] = {}
    for note in notes:
        for witness in believed.witnesses:
            seconds = note.seen_at(witness)
            if seconds is not None:
                times.setdefault(witness, []).append(seconds)
    moments = [datetime.fromtimestamp(seconds, UTC) for each in times.values() for seconds in each]
    stamp = min(_stamps(notes, believed), key=lambda each: each.at, default=None)
    first = min([*moments, *([stamp.at] if stamp else [])], default=None)
    return Witnessed(len(times), first, max(moments, default=None), stamp)


def _stamps(notes: Sequence[Checkpoint], believed: TimeAuthorities) -> list[Timestamp]:
    if not believed.time_servers or not any(note.tokens() for note in notes):
        return []
    # Loading what takes tokens apart takes a moment, which those without any need not wait for.
    from inspect_kit.certificate.issue.time_server import timestamps_on

    found = (each for note in notes for each in timestamps_on(note, believed.time_servers))
    return [each for each in found if each.trusted]


def proof_fault(proof: LogProof, pdf: str, qr: str, keyrings: Sequence[Keyring]) -> Notice | None:
    """What is wrong with a certificate's proof, by its PDF's SHA-256 (empty: not here) and its QR text."""
    if not signed_by_log(proof.checkpoint, keyrings):
        return notice("check-proof-not-trusted")
    try:
        root = root_from_inclusion(leaf_hash(proof.extra), proof.index, proof.checkpoint.size, list(proof.proof))
        entry = entry_from_leaf(proof.extra)
        body = entry.said()
    except (ValueError, BrokenSeal):
        return notice("check-proof-broken")
    if root != proof.checkpoint.root or entry.id != proof.index + 1:
        return notice("check-proof-leads-elsewhere")
    if not isinstance(body, Certified) or (pdf and body.pdf != pdf) or not _same_text(body.qr, qr):
        return notice("check-proof-of-another")
    return None


def _same_text(registered: str, scanned: str) -> bool:
    try:
        return read(registered) == read(scanned)
    except InspectKitError:
        return False
