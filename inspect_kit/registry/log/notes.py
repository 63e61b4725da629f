"""The published text formats of transparency logs (C2SP): signed notes, checkpoints, cosignatures, proofs.

Other people's tools read and write them: c2sp.org/signed-note, tlog-checkpoint, tlog-cosignature, tlog-proof and the
request of tlog-witness. All signatures are Ed25519.
"""

from __future__ import annotations

import binascii
import hashlib
from base64 import b64decode, b64encode
from dataclasses import dataclass, replace
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from inspect_kit.errors import BadInput

LONGEST: Final = 60_000
"""Characters of a note, request or proof: a proof of a log of a thousand million entries takes three thousand."""
_DASH: Final = "— "
_LOG: Final = 0x01
"""Kind of a signature by a log: Ed25519, by C2SP's signed notes."""
_COSIGNER: Final = 0x04
"""Kind of a signature by a witness: a timestamped Ed25519 cosignature, by C2SP's signed notes."""
_OWN_KIND: Final = b"\xffinspect-kit/rfc3161"
"""Kind of a line that holds an RFC 3161 token over the checkpoint: the formats leave 0xff to each program."""
_PROOF: Final = "c2sp.org/tlog-proof@v1"
_MOST_HASHES: Final = 128
"""Hashes of a proof; one of 2⁶⁴ entries has no more than that."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """A public key under a name; `kind` is 1 for a log's own, 4 for a witness."""

    name: str
    key: bytes
    kind: int = _LOG

    @property
    def id(self) -> bytes:
        """The four bytes that lead a signature."""
        return hashlib.sha256(self.name.encode() + b"\n" + bytes((self.kind,)) + self.key).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{_b64(bytes((self.kind,)) + self.key)}"


def verifier_of(text: str) -> Verifier:
    """A key as it is written in one line: name+id+base64."""
    parts = text.strip().split("+", 2)
    content = _unb64(parts[2]) if len(parts) == 3 else b""
    found = Verifier(parts[0], content[1:], content[0]) if len(content) == 33 else None
    if found is None or not _is_name(found.name) or found.id.hex() != parts[1]:
        raise BadInput("no-key-witness", where=text[:60])
    return found


def raw(key: Ed25519PrivateKey | Ed25519PublicKey) -> bytes:
    """The 32 bytes of a public key."""
    public = key.public_key() if isinstance(key, Ed25519PrivateKey) else key
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


def witness_verifier(name: str, key: Ed25519PrivateKey) -> Verifier:
    """The public side of a witness."""
    return Verifier(name, raw(key), _COSIGNER)


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(sign.isspace() for sign in name) and name.isprintable()


def check_name(name: str) -> str:
    """A witness's name, which stands in every line that it signs."""
    if not _is_name(name) or len(name) > 80:
        raise BadInput("cannot-witness-name", where=name[:60])
    return name


def _b64(content: bytes) -> str:
    return b64encode(content).decode()


def _unb64(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How large a log is and which root it has; `signatures` are lines of name, key id and bytes."""

    origin: str
    size: int
    root: bytes
    signatures: tuple[tuple[str, bytes], ...] = ()

    @property
    def body(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{_b64(self.root)}\n"

    def __str__(self) -> str:
        lines = (f"{_DASH}{name} {_b64(content)}\n" for name, content in self.signatures)
        return f"{self.body}\n{''.join(lines)}"

    def signed(self, key: Ed25519PrivateKey) -> Checkpoint:
        """With the log's own signature."""
        verifier = Verifier(self.origin, raw(key))
        line = (self.origin, verifier.id + key.sign(self.body.encode()))
        return self._with(line)

    def cosigned(self, name: str, key: Ed25519PrivateKey, seconds: int) -> Checkpoint:
        """With a witness's, who says when it was seen."""
        content = key.sign(_stamped(seconds, self.body)) if seconds >= 0 else b""
        line = (name, witness_verifier(name, key).id + seconds.to_bytes(8) + content)
        return self._with(line)

    def stamped(self, name: str, token: bytes) -> Checkpoint:
        """With a timestamp server's token."""
        return self._with((name, _token_id(name) + token))

    def _with(self, line: tuple[str, bytes]) -> Checkpoint:
        return replace(self, signatures=(*self.signatures, line))

    def tokens(self) -> tuple[bytes, ...]:
        """The timestamp servers' tokens, not yet checked."""
        return tuple(content[4:] for name, content in self.signatures if content[:4] == _token_id(name))

    def without_tokens(self) -> Checkpoint:
        """Short enough for a QR code."""
        kept = tuple((name, content) for name, content in self.signatures if content[:4] != _token_id(name))
        return replace(self, signatures=kept)

    def times(self) -> tuple[int, ...]:
        """The seconds that witnesses state, whoever they are."""
        lines = (content for _, content in self.without_tokens().signatures if len(content) == 76)
        return tuple(int.from_bytes(content[4:12]) for content in lines)

    def is_signed_by(self, verifier: Verifier) -> bool:
        """Whether a log's key has signed it."""
        lines = (content for name, content in self.signatures if name == verifier.name and content[:4] == verifier.id)
        return any(signature_holds(verifier.key, content[4:], self.body.encode()) for content in lines)

    def seen_at(self, verifier: Verifier) -> int | None:
        """When a witness has seen it, in seconds since 1970; nothing if it has not."""
        for name, content in self.signatures:
            if name == verifier.name and content[:4] == verifier.id and len(content) == 76:
                seconds = int.from_bytes(content[4:12])
                if signature_holds(verifier.key, content[12:], _stamped(seconds, self.body)):
                    return seconds
        return None


def _token_id(name: str) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + _OWN_KIND).digest()[:4]


def _stamped(seconds: int, body: str) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{body}".encode()


def signature_holds(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether an Ed25519 key, in its 32 bytes, has signed the message."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def checkpoint_of(text: str) -> Checkpoint:
    """A checkpoint as it was written."""
    body, gap, below = text.partition("\n\n")
    lines = body.split("\n")
    size, root = lines[1] if len(lines) > 1 else "", _unb64(lines[2]) if len(lines) > 2 else b""
    if len(text) > LONGEST or not gap or len(lines) != 3 or not _is_plain(size) or len(root) != 32 or not lines[0]:
        raise BadInput("no-checkpoint-log")
    found = tuple(filter(None, (_signature(line) for line in below.split("\n"))))
    return Checkpoint(lines[0], int(size), root, found)


def _is_plain(number: str) -> bool:
    return number.isascii() and number.isdigit() and len(number) <= 15 and str(int(number)) == number


def _signature(line: str) -> tuple[str, bytes] | None:
    name, _, content = line.removeprefix(_DASH).rpartition(" ")
    signature = _unb64(content)
    return (name, signature) if line.startswith(_DASH) and _is_name(name) and len(signature) > 4 else None


@dataclass(frozen=True, slots=True)
class WitnessRequest:
    """What a witness is asked to sign: a checkpoint, and that it continues the one it saw before (tlog-witness)."""

    old: int
    proof: tuple[bytes, ...]
    checkpoint: Checkpoint

    def __str__(self) -> str:
        return f"old {self.old}\n{''.join(f'{_b64(step)}' + chr(10) for step in self.proof)}\n{self.checkpoint}"


def request_of(text: str) -> WitnessRequest:
    """A request as it was written."""
    head, _, rest = text.partition("\n\n")
    first, *hashes = head.split("\n")
    old = first.removeprefix("old ")
    if len(text) > LONGEST or not first.startswith("old ") or not _is_plain(old):
        raise BadInput("asks-no-witness")
    return WitnessRequest(int(old), _hashes(hashes), checkpoint_of(rest))


def _hashes(lines: list[str]) -> tuple[bytes, ...]:
    found = tuple(_unb64(line) for line in lines)
    if len(found) > _MOST_HASHES or any(len(each) != 32 for each in found):
        raise BadInput("damaged-proof")
    return found


@dataclass(frozen=True, slots=True)
class LogProof:
    """That an entry stands in a log at `index`; `extra` is the entry itself (tlog-proof)."""

    index: int
    proof: tuple[bytes, ...]
    checkpoint: Checkpoint
    extra: bytes = b""

    def __str__(self) -> str:
        extra = f"extra {_b64(self.extra)}\n" if self.extra else ""
        steps = "".join(f"{_b64(step)}\n" for step in self.proof)
        return f"{_PROOF}\n{extra}index {self.index}\n{steps}\n{self.checkpoint}"


def proof_of(text: str) -> LogProof:
    """A proof as it was written."""
    head, _, rest = text.partition("\n\n")
    title, *lines = head.split("\n")
    extra = _unb64(lines.pop(0).removeprefix("extra ")) if lines and lines[0].startswith("extra ") else b""
    index = lines.pop(0).removeprefix("index ") if lines and lines[0].startswith("index ") else ""
    if len(text) > LONGEST or title != _PROOF or not _is_plain(index):
        raise BadInput("no-proof-log")
    return LogProof(int(index), _hashes(lines), checkpoint_of(rest), extra)
