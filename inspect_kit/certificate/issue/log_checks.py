"""What the log and its witnesses say of a certificate: that it stands in the log, and who has seen that log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from inspect_kit.certificate.issue.keyring import Keyring
from inspect_kit.errors import BrokenSeal
from inspect_kit.registry.entries import Certified, entry_from_leaf
from inspect_kit.registry.log.merkle import leaf_hash, root_from_inclusion
from inspect_kit.registry.log.notes import Checkpoint, LogProof, Verifier, raw
from inspect_kit.registry.log.tree import identity_of, kept_checkpoints, log_size, origin_of, root_at
from inspect_kit.registry.opening import Registry


@dataclass(frozen=True, slots=True)
class Witnessed:
    """How many witnesses have seen an entry in the log, since when, and up to when they have seen the log grow."""

    count: int = 0
    first: datetime | None = None
    last: datetime | None = None

    @property
    def sentence(self) -> str:
        """In words."""
        if not self.count or self.last is None:
            return "in the log, which no witness has seen with it yet"
        who = "1 witness" if self.count == 1 else f"{self.count} witnesses"
        return f"in the log, seen by {who} up to {self.last:%Y-%m-%d %H:%M} UTC"


def signed_by_log(note: Checkpoint, keyrings: Iterable[Keyring]) -> bool:
    """Whether one of the issuer's inspectors has signed the checkpoint of its log."""
    parts = note.origin.split("/")
    rings = [ring for ring in keyrings if len(parts) == 3 and ring.code == parts[1]]
    keys = (signer.qr_certificate.public_key() for ring in rings for signer in ring.signers)
    return any(note.is_signed_by(Verifier(note.origin, raw(key))) for key in keys if isinstance(key, Ed25519PublicKey))


def seen_in_log(
    registry: Registry, entry: int, keyrings: Sequence[Keyring], witnesses: Sequence[Verifier]
) -> Witnessed:
    """Who has seen an entry in this registry's log. A log that is not the one that was seen is a broken seal."""
    with registry.reading() as connection:
        size, identity = log_size(connection), identity_of(connection)
        notes = [note for note in kept_checkpoints(connection) if signed_by_log(note, keyrings)]
        for note in notes:
            ours = note.origin == origin_of(note.origin.split("/")[1], identity)
            if not ours or note.size > size or root_at(connection, note.size) != note.root:
                raise BrokenSeal(f"the log is not the one of {note.size} entries that was witnessed")
    return counted([note for note in notes if note.size >= entry], witnesses)


def counted(notes: Iterable[Checkpoint], witnesses: Sequence[Verifier]) -> Witnessed:
    """How many witnesses have signed any of the checkpoints, and when."""
    times: dict[Verifier, list[int]] = {}
    for note in notes:
        for witness in witnesses:
            seconds = note.seen_at(witness)
            if seconds is not None:
                times.setdefault(witness, []).append(seconds)
    moments = [datetime.fromtimestamp(seconds, UTC) for each in times.values() for seconds in each]
    return Witnessed(len(times), min(moments, default=None), max(moments, default=None))


def proof_fault(proof: LogProof, pdf: str, keyrings: Sequence[Keyring]) -> str:
    """What is wrong with a certificate's proof, by the SHA-256 of its PDF (empty: not compared) and the issuers."""
    if not signed_by_log(proof.checkpoint, keyrings):
        return "the proof is not signed by the log of an issuer that is trusted here"
    try:
        root = root_from_inclusion(leaf_hash(proof.extra), proof.index, proof.checkpoint.size, list(proof.proof))
        entry = entry_from_leaf(proof.extra)
        body = entry.said()
    except (ValueError, BrokenSeal):
        return "the proof does not hold"
    if root != proof.checkpoint.root or entry.id != proof.index + 1:
        return "the proof does not lead to the log that was signed"
    if not isinstance(body, Certified) or (pdf and body.pdf != pdf):
        return "the proof is of another certificate"
    return ""
