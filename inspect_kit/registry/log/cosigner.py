"""A witness: a second laptop, a sister federation's desk or a USB stick that signs what it has seen of a log.

It keeps its own key and, for every log, the largest tree that it has signed. It signs only what continues that, so a
log that was rewritten gets no signature from it any more, whoever holds the log's keys.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from inspect_kit.atomic_write import write_whole, written_beside
from inspect_kit.errors import BadInput, BrokenSeal, UsageError
from inspect_kit.registry.log.merkle import is_consistent
from inspect_kit.registry.log.notes import Checkpoint, Verifier, WitnessRequest, check_name, witness_verifier
from inspect_kit.strict_json import parse_json

_KEY: Final = "witness.pem"
_NAME: Final = "witness.name"


@dataclass(frozen=True, slots=True)
class Cosigner:
    """A witness's folder, name and key."""

    folder: Path
    name: str
    key: Ed25519PrivateKey

    @property
    def verifier(self) -> Verifier:
        """The public side, to be passed on to those who check certificates."""
        return witness_verifier(self.name, self.key)

    def cosign(self, asked: WitnessRequest, now: datetime) -> Checkpoint:
        """Sign a checkpoint that continues what was signed before; the caller has checked the log's own signature."""
        note = asked.checkpoint
        self._refuse_second_log(note.origin)
        size, root = self.seen(note.origin)
        if asked.old != size:
            raise UsageError("witness-seen-entries-log-not", size=size, old=asked.old)
        if note.size < size or not is_consistent((size, root), (note.size, note.root), list(asked.proof)):
            raise BrokenSeal("does-not-continue-log-entries", where=note.origin, size=size)
        seconds = int(now.timestamp())
        self._refuse_slow_clock(seconds)
        # Remembered before it is given out: a power cut in between must not let the witness sign two histories.
        self._keep(note, seconds)
        return note.cosigned(self.name, self.key, seconds)

    def _refuse_slow_clock(self, seconds: int) -> None:
        """A witness never states a time before one that it has stated."""
        latest = max((int(_state_in(path).get("time", 0)) for path in self.folder.glob("*.json")), default=0)
        if seconds < latest:
            before = datetime.fromtimestamp(latest, UTC)
            raise BadInput("witness-clock-slow", where="the clock", before=f"{before:%Y-%m-%d %H:%M} UTC")

    def _refuse_second_log(self, origin: str) -> None:
        """One issuer has one log: history that was rewritten from its first entry on has another name."""
        issuer = f"{origin.rpartition('/')[0]}/"
        for path in self.folder.glob("*.json") if not self._state(origin).exists() else ():
            known = str(_state_in(path)["origin"])
            if known.startswith(issuer):
                raise BrokenSeal("not-log-issuer-witness-knows", where=origin, path=path, known=known)

    def seen(self, origin: str) -> tuple[int, bytes]:
        """Size and root of the largest tree signed of a log; nothing is a tree of no entries."""
        path = self._state(origin)
        if not path.exists():
            return 0, b""
        state = _state_in(path)
        return int(state["size"]), bytes.fromhex(str(state["root"]))

    def _keep(self, note: Checkpoint, seconds: int) -> None:
        path = self._state(note.origin)
        state = {"origin": note.origin, "size": note.size, "root": note.root.hex(), "time": seconds}
        write_whole(path, json.dumps(state).encode(), private=True)

    def _state(self, origin: str) -> Path:
        return self.folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', origin)[:100]}.json"


def _state_in(path: Path) -> dict[str, Any]:
    """What a witness has seen of a log; to begin again from nothing would be to forget."""
    try:
        state: dict[str, Any] = parse_json(path.read_bytes(), str(path))
        int(state["size"]), bytes.fromhex(state["root"]), int(state.get("time", 0)), str(state["origin"])
        return state
    except (OSError, ValueError, KeyError, TypeError, AttributeError, BadInput):
        raise BrokenSeal("witness-seen-cannot-read", where=str(path)) from None


def open_cosigner(folder: Path, name: str = "") -> Cosigner:
    """The witness in a folder, made with a name where there is none."""
    try:
        if not (folder / _KEY).is_file():
            if not name:
                raise UsageError("no-witness-here-yet")
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            written_beside(folder / _NAME, check_name(name).encode()).replace(folder / _NAME)
            written_beside(folder / _KEY, fresh).replace(folder / _KEY)
        key = load_pem_private_key((folder / _KEY).read_bytes(), None)
        known = (folder / _NAME).read_text(encoding="utf-8")
    except OSError as problem:
        raise BadInput("not-usable", where=str(folder), reason=problem.strerror) from None
    except (ValueError, TypeError):
        raise BadInput("does-not-hold-witness-key", where=str(folder / _KEY)) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadInput("does-not-hold-witness-key", where=str(folder / _KEY))
    return Cosigner(folder, known, key)
