"""A certificate for the station's own web server, vouched for by the issuer's CA: phones that trust it see a lock."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from inspect_kit.atomic_write import write_whole
from inspect_kit.certificate.issue.keys import Passphrase, ca_key, own_keyring
from inspect_kit.errors import system_errors_as

_DAYS: Final = 397
"""Browsers refuse certificates of web servers that last longer."""


def server_files(home: Path, names: Iterable[str], passphrase: Passphrase, now: datetime) -> tuple[Path, Path]:
    """The files with certificate and key, made anew for these names."""
    ca, secret = own_keyring(home).ca, ca_key(home, passphrase)
    key = generate_private_key(SECP256R1())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "inspect-kit station")]))
        .issuer_name(ca.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName([_name(name) for name in dict.fromkeys(names)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(secret.public_key()), critical=False)
        .sign(secret, hashes.SHA256())
    )
    chain = certificate.public_bytes(Encoding.PEM) + ca.public_bytes(Encoding.PEM)
    bare = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    folder = home / "station"
    return _kept(folder / "tls.pem", chain), _kept(folder / "tls-key.pem", bare)


def _name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name.strip("[]")))
    except ValueError:
        return x509.DNSName(name)


def _kept(path: Path, content: bytes) -> Path:
    with system_errors_as("not-written", path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, content, private=True)
    return path
