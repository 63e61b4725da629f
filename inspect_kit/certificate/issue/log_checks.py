"""What the log and its witnesses say of a certificate: that it stands in the log, and who has seen that log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from inspect_kit.certificate.issue.keyring import Keyring
from inspect_kit.certificate.issue.qr import read
from inspect_kit.errors import BrokenSeal, InspectKitError, Notice, notice
from inspect_kit.registry.chain import entry_of
from inspect_kit.registry.entries import Certified, entry_from_leaf
from inspect_kit.registry.log.merkle import leaf_hash, root_from_inclusion
from inspect_kit.registry.log.notes import Checkpoint, LogProof, Verifier, raw
from inspect_kit.registry.log.tree import identity_of, kept_checkpoints, log_size, origin_of, proof_in
from inspect_kit.registry.opening import Registry, Transaction

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
class Believed:
    """Whose word on the time is believed: witnesses of logs, and the CAs of timestamp servers."""

    witnesses: tuple[Verifier, ...] = ()
    time_servers: tuple[x509.Certificate, ...] = ()


def seen_in_log(registry: Registry, entry: int, keyrings: Sequence[Keyring], believed: Believed) -> Witnessed:
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


def counted(notes: Sequence[Checkpoint], believed: Believed) -> Witnessed:
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


def _stamps(notes: Sequence[Checkpoint], believed: Believed) -> list[Timestamp]:
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
