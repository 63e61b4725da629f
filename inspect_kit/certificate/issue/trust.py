"""Whose word is believed in this home: its own issuer, those it trusts, witnesses of logs, timestamp servers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cryptography import x509

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import read_text
from inspect_kit.certificate.issue.keyring import Keyring, read_authorities, read_keyring
from inspect_kit.certificate.issue.keys import PUBLIC, folder_of, own_keyring
from inspect_kit.registry.log.notes import LONGEST, LogProof, Verifier, proof_of, verifier_of
from inspect_kit.strict_json import parse_json

if TYPE_CHECKING:
    from inspect_kit.certificate.issue.seals import TimeAuthorities
    from inspect_kit.certificate.issue.verify import TrustContext
    from inspect_kit.registry.opening import Registry

SUSPECTED: Final = "suspected.json"
WITNESSES: Final = "witnesses.txt"
TIME_SERVERS: Final = "timestamps.crt"


def trust_folder(home: Path) -> Path:
    """Where the public keys of other issuers are kept."""
    return home / "trust"


def suspected(home: Path) -> dict[str, str]:
    """Certificates whose verdict hangs on a gauge that was found bad afterwards: their numbers, and the gauge."""
    path = trust_folder(home) / SUSPECTED
    found = parse_json(read_text(path), str(path)) if path.is_file() else {}
    return {str(number): str(gauge) for number, gauge in found.items()} if isinstance(found, dict) else {}


def remember_suspected(home: Path, gauge: str, numbers: Iterable[str]) -> None:
    """Those that hang on this gauge are these now; what hangs on others stays."""
    before = suspected(home)
    now = {number: name for number, name in before.items() if name != gauge} | dict.fromkeys(numbers, gauge)
    if now != before:
        trust_folder(home).mkdir(parents=True, exist_ok=True)
        write_whole(trust_folder(home) / SUSPECTED, json.dumps(now, ensure_ascii=False, indent=1).encode())


def own_issuer(home: Path) -> Keyring | None:
    """The issuer whose keys are here, if any."""
    return own_keyring(home) if (folder_of(home) / PUBLIC).is_file() else None


def trusted(home: Path) -> tuple[Keyring, ...]:
    """Every issuer that is trusted here, one's own first."""
    own = own_issuer(home)
    others = (read_keyring(path) for path in sorted(trust_folder(home).glob("*.pem")))
    return (*((own,) if own else ()), *others)


def witnesses_of(home: Path) -> tuple[Verifier, ...]:
    """The witnesses of logs whose word is believed here."""
    try:
        lines = (trust_folder(home) / WITNESSES).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return ()
    return tuple(verifier_of(line) for line in lines if line.strip())


def time_servers_of(home: Path) -> tuple[x509.Certificate, ...]:
    """The CAs of timestamp servers whose word is believed here."""
    path = trust_folder(home) / TIME_SERVERS
    return read_authorities(path) if path.is_file() and path.stat().st_size else ()


def time_authorities_of(home: Path) -> TimeAuthorities:
    """Whose word on the time is believed here."""
    from inspect_kit.certificate.issue.seals import TimeAuthorities

    return TimeAuthorities(witnesses_of(home), time_servers_of(home))


def proof_beside(pdf: Path) -> LogProof | None:
    """That a certificate stands in its issuer's log, where the proof lies beside its PDF."""
    path = pdf.with_suffix(".tlog-proof")
    # Of a name that no file system takes, too, nothing lies beside.
    return proof_of(read_text(path, LONGEST)) if isfile(path) else None  # noqa: PTH113


def trust_context(home: Path, registry: Registry | None, on: date, proof: LogProof | None) -> TrustContext:
    """With what certificates are verified in this home."""
    # Imported here, so that the commands that only look at keys do not wait for the database.
    from inspect_kit.certificate.issue.verify import TrustContext

    own = own_issuer(home)
    code = own.code if own else ""
    return TrustContext(trusted(home), code, registry, on, time_authorities_of(home), proof, suspected(home))
