"""An issuer's public side: its own CA, the inspectors it vouches for, and those whose keys were retired.

All of it is one PEM file of ordinary X.509 certificates and a revocation list, each signed by the CA: what a desk, a
referee's laptop or another tool needs in order to check certificates without the internet, and nothing secret.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from inspect_kit.errors import BadInput, BrokenSeal, Notice, notice, refuse_special_file, system_errors_as
from inspect_kit.registry.log.notes import raw, signature_holds
from inspect_kit.registry.numbers import check_code

_BLOCK: Final = re.compile(rb"-----BEGIN (CERTIFICATE|X509 CRL)-----.+?-----END \1-----\n?", re.DOTALL)
_LARGEST: Final = 2_000_000
"""Bytes of a file of public keys that is read."""
_ID: Final = re.compile(r"[0-9A-F]{6}")


@dataclass(frozen=True, slots=True)
class Retirement:
    """Since when a key is no longer used; a compromised one may have been in other hands before."""

    since: datetime
    compromised: bool


@dataclass(frozen=True, slots=True)
class Signer:
    """An inspector: the certificate for PDFs, and the one for QR texts and registry entries."""

    id: str
    name: str
    certificate: x509.Certificate
    qr_certificate: x509.Certificate
    retired: Retirement | None = None

    def check_seal(self, message: bytes, signature: bytes) -> bool:
        """Whether this inspector's QR key has signed the message."""
        key = self.qr_certificate.public_key()
        return isinstance(key, Ed25519PublicKey) and signature_holds(raw(key), signature, message)


@dataclass(frozen=True, slots=True)
class Keyring:
    """An issuer with all its inspectors."""

    name: str
    code: str
    ca: x509.Certificate
    signers: tuple[Signer, ...]
    edition: tuple[int, datetime] = (0, datetime.min)
    """Serial number and time of the list of retired keys, which is signed anew at every change."""
    revoked: x509.CertificateRevocationList | None = None
    """That list itself."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the CA's certificate, in groups that can be read out and compared."""
        digest = hashlib.sha256(self.ca.public_bytes(Encoding.DER)).hexdigest().upper()
        return " ".join(digest[place : place + 4] for place in range(0, 32, 4))

    def signer(self, wanted: str) -> Signer | None:
        """An inspector by id."""
        return next((signer for signer in self.signers if signer.id == wanted), None)


def signer_id(key: Ed25519PublicKey) -> str:
    """What an inspector's keys are known by in QR texts and file names."""
    return hashlib.sha256(raw(key)).hexdigest()[:6].upper()


def bundle(certificates: Iterable[x509.Certificate], revoked: x509.CertificateRevocationList) -> bytes:
    """The PEM file of a keyring."""
    parts = [certificate.public_bytes(Encoding.PEM) for certificate in certificates]
    return b"".join((*parts, revoked.public_bytes(Encoding.PEM)))


def bundle_of(content: bytes) -> bytes:
    """Only the PEM blocks of a file, without whatever stands between them."""
    return b"".join(match[0].rstrip(b"\n") + b"\n" for match in _BLOCK.finditer(content))


def read_keyring(path: Path) -> Keyring:
    """The keyring in a file; every signature in it must be the CA's."""
    too_large = BadInput("too-large-issuer-public-keys", where=str(path))
    return parse_keyring(_content(path, too_large), str(path))


def read_authorities(path: Path) -> tuple[x509.Certificate, ...]:
    """The certificates in a PEM file, such as that of a timestamp server's CA."""
    content = _content(path, BadInput("certificates-too-large", where=str(path)))
    try:
        return tuple(x509.load_pem_x509_certificates(content))
    except ValueError:
        raise BadInput("holds-no-certificate", where=str(path)) from None


def _content(path: Path, too_large: BadInput) -> bytes:
    with system_errors_as("not-readable", path):
        refuse_special_file(path)
        if path.stat().st_size > _LARGEST:
            raise too_large
        return path.read_bytes()


def parse_keyring(content: bytes, where: str) -> Keyring:
    """The keyring in the bytes of a PEM file."""
    try:
        certificates, revoked = _blocks(content)
        return _keyring(certificates, revoked, where)
    except (ValueError, TypeError, x509.ExtensionNotFound):
        raise BadInput("holds-no-issuer-public-keys", where=where) from None


def _blocks(content: bytes) -> tuple[list[x509.Certificate], x509.CertificateRevocationList]:
    certificates: list[x509.Certificate] = []
    lists: list[x509.CertificateRevocationList] = []
    for match in _BLOCK.finditer(content):
        if match[1] == b"CERTIFICATE":
            certificates.append(x509.load_pem_x509_certificate(match[0]))
        else:
            lists.append(x509.load_pem_x509_crl(match[0]))
    if len(certificates) < 3 or len(lists) != 1:
        raise ValueError("a CA, an inspector's two certificates and a list of retired keys are needed")
    return certificates, lists[0]


def _keyring(certificates: list[x509.Certificate], revoked: x509.CertificateRevocationList, where: str) -> Keyring:
    ca, *others = certificates
    key = ca.public_key()
    if not isinstance(key, EllipticCurvePublicKey) or not revoked.is_signature_valid(key):
        raise BrokenSeal("list-retired-keys-not-signed", where=where)
    for certificate in certificates:
        try:
            certificate.verify_directly_issued_by(ca)
        except (InvalidSignature, ValueError):
            raise BrokenSeal("holds-certificate-issuer-not-signed", where=where) from None
    signers = tuple(_signers(others, revoked))
    name, code = attribute(ca, NameOID.COMMON_NAME), check_code(attribute(ca, NameOID.SERIAL_NUMBER))
    return Keyring(name, code, ca, signers, (_serial(revoked), revoked.last_update_utc), revoked)


def _serial(revoked: x509.CertificateRevocationList) -> int:
    """The list's number; lists of earlier versions have none."""
    try:
        return revoked.extensions.get_extension_for_class(x509.CRLNumber).value.crl_number
    except x509.ExtensionNotFound:
        return 0


def older_than(offered: Keyring, known: Keyring) -> Notice | None:
    """Why an issuer's file must not replace the one that is known; nothing if it is newer, or the same."""
    if offered.edition < known.edition:
        return notice("keys-older-than-known", day=known.edition[1].date())
    for signer in known.signers:
        there = offered.signer(signer.id)
        if signer.retired and (there is None or there.retired is None):
            return notice("keys-without-retirement", id=signer.id, name=signer.name)
    return None


def _signers(certificates: list[x509.Certificate], revoked: x509.CertificateRevocationList) -> Iterator[Signer]:
    """Certificates come in pairs that carry the same id."""
    for certificate, qr_certificate in zip(certificates[::2], certificates[1::2], strict=True):
        key = qr_certificate.public_key()
        wanted = attribute(certificate, NameOID.SERIAL_NUMBER)
        if not isinstance(key, Ed25519PublicKey) or signer_id(key) != wanted or not _ID.fullmatch(wanted):
            raise ValueError("an inspector's two certificates do not belong together")
        entry = revoked.get_revoked_certificate_by_serial_number(certificate.serial_number)
        name = attribute(certificate, NameOID.COMMON_NAME)
        yield Signer(wanted, name, certificate, qr_certificate, _retirement(entry))


def _retirement(entry: x509.RevokedCertificate | None) -> Retirement | None:
    if entry is None:
        return None
    reason = entry.extensions.get_extension_for_class(x509.CRLReason).value.reason
    return Retirement(entry.revocation_date_utc, reason is x509.ReasonFlags.key_compromise)


def attribute(certificate: x509.Certificate, oid: x509.ObjectIdentifier) -> str:
    """A name's part, as text."""
    found = certificate.subject.get_attributes_for_oid(oid)
    if len(found) != 1 or not isinstance(found[0].value, str):
        raise ValueError("a certificate's name is incomplete")
    return found[0].value
