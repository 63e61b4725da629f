"""An issuer's secret side: the CA's key and the inspectors' keys, in files that only their owner may read."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from inspect_kit.atomic_write import sync_folder, write_whole, written_beside
from inspect_kit.certificate.issue.keyring import Keyring, Retirement, Signer, bundle, read_keyring, signer_id
from inspect_kit.errors import BadInput, UsageError, system_errors_as
from inspect_kit.inspection.names import clean
from inspect_kit.registry.numbers import check_code

PUBLIC: Final = "issuer.pem"
_CA: Final = "ca.p12"
_ROUNDS: Final = 600_000
"""Rounds in which a file's key is derived from the passphrase; every guess at it costs as many."""
_YEARS: Final = 40
"""Long, because a certificate must be checkable for as long as the thing is played with; a key ends by retiring."""

_LONGEST_NAME: Final = 64
"""Characters that X.509 allows a common name (RFC 5280, ub-common-name)."""

Secret = EllipticCurvePrivateKey | Ed25519PrivateKey
Authority = tuple[x509.Certificate, EllipticCurvePrivateKey]
"""The issuer's own CA: its certificate and its key."""
Passphrase = bytes | None
PASSPHRASE: Final = "INSPECT_KIT_PASSPHRASE"
"""The environment's name for it."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An inspector's opened keys."""

    issuer: Keyring
    signer: Signer
    key: EllipticCurvePrivateKey
    qr_key: Ed25519PrivateKey


@dataclass(frozen=True, slots=True)
class Founding:
    """Who issues: the body's name and code, and its first inspector."""

    name: str
    code: str
    inspector: str


def folder_of(home: Path) -> Path:
    """Where the keys lie."""
    return home / "keys"


def found(home: Path, founding: Founding, passphrase: Passphrase, now: datetime) -> Keyring:
    """Make an issuer: its CA and its first inspector's keys. The folder appears complete or not at all."""
    folder = folder_of(home)
    if folder.exists():
        raise UsageError("keys-already", where=str(folder))
    issuer = _named(founding.name, "--name")
    secret = generate_private_key(SECP256R1())
    ca = _ca_certificate(secret, issuer, check_code(founding.code), now)
    with _owner_only(folder) as draft:
        _keep(draft / _CA, secret, passphrase)
        signer = _new_signer(draft, (ca, secret), _named(founding.inspector, "--inspector"), passphrase, now)
        pair = (signer.certificate, signer.qr_certificate)
        public = bundle((ca, *pair), _revocations(ca, secret, (), now))
        written_beside(draft / PUBLIC, public).replace(draft / PUBLIC)
    return own_keyring(home)


def own_keyring(home: Path) -> Keyring:
    """The issuer that this home belongs to."""
    path = folder_of(home) / PUBLIC
    if not path.is_file():
        raise UsageError("no-keys-sign-certificates", where=str(folder_of(home)))
    return read_keyring(path)


def add(home: Path, name: str, passphrases: tuple[Passphrase, Passphrase], now: datetime) -> Signer:
    """One more inspector; the first passphrase opens the CA, the second will guard the new keys."""
    keyring = own_keyring(home)
    wanted = _named(name, "--name")
    if any(signer.name == wanted and not signer.retired for signer in keyring.signers):
        raise UsageError("inspector-has-keys", wanted=wanted)
    secret = ca_key(home, passphrases[0])
    signer = _new_signer(folder_of(home), (keyring.ca, secret), wanted, passphrases[1], now)
    _publish(home, keyring, secret, (*keyring.signers, signer), now)
    return signer


def retire(home: Path, who: str, passphrase: Passphrase, now: datetime, *, compromised: bool = False) -> Signer:
    """Take an inspector's keys out of use. What was signed before stays good, unless the key was compromised."""
    keyring = own_keyring(home)
    signer = chosen(keyring, who)
    secret = ca_key(home, passphrase)
    gone = replace(signer, retired=Retirement(now, compromised))
    others = tuple(gone if each.id == signer.id else each for each in keyring.signers)
    _publish(home, keyring, secret, others, now)
    for path in _secret_files(home, signer.id):
        path.unlink(missing_ok=True)
    return gone


def chosen(keyring: Keyring, who: str) -> Signer:
    """An inspector in office, by id or name; without either, the only one there is."""
    active = [signer for signer in keyring.signers if not signer.retired]
    fitting = [signer for signer in active if not who or who in (signer.id, signer.name)]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(f"{signer.id} {signer.name}" for signer in active) or "–"
    code = "inspector-without-keys" if who and not fitting else "several-inspectors"
    raise UsageError(code, where="--signer", who=who, names=names)


def unlock(home: Path, who: str, passphrase: Passphrase) -> SigningKey:
    """An inspector's keys, opened."""
    keyring = own_keyring(home)
    signer = chosen(keyring, who)
    path, qr_path = _secret_files(home, signer.id)
    key, qr_key = _open(path, passphrase), _open(qr_path, passphrase)
    if not isinstance(key, EllipticCurvePrivateKey) or not isinstance(qr_key, Ed25519PrivateKey):
        raise BadInput("does-not-hold-inspector-key", where=str(path))
    same = key.public_key() == signer.certificate.public_key()
    if not (same and qr_key.public_key() == signer.qr_certificate.public_key()):
        raise BadInput("belongs-another-certificate", where=str(path))
    return SigningKey(keyring, signer, key, qr_key)


def needs_passphrase(home: Path, who: str | None = None) -> bool:
    """Whether an inspector's keys, or the CA's where none is named, are guarded by a passphrase."""
    folder = folder_of(home)
    path = folder / _CA if who is None else _secret_files(home, chosen(own_keyring(home), who).id)[0]
    try:
        pkcs12.load_key_and_certificates(_bytes(path), None)
    except ValueError:
        return True
    return False


def _secret_files(home: Path, signer: str) -> tuple[Path, Path]:
    return folder_of(home) / f"{signer}.p12", folder_of(home) / f"{signer}-qr.p12"


def _named(text: str, where: str) -> str:
    name = clean(text, where=where, needed=True)
    if len(name) > _LONGEST_NAME:
        raise BadInput("name-too-long", where=where, count=len(name), longest_name=_LONGEST_NAME)
    return name


@contextmanager
def _owner_only(folder: Path) -> Iterator[Path]:
    with system_errors_as("not-made", folder):
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".keys."))
        try:
            yield draft
            draft.rename(folder)
            sync_folder(folder.parent)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _new_signer(folder: Path, issuer: Authority, name: str, passphrase: Passphrase, now: datetime) -> Signer:
    key, qr_key = generate_private_key(SECP256R1()), Ed25519PrivateKey.generate()
    signer = signer_id(qr_key.public_key())
    _keep(folder / f"{signer}.p12", key, passphrase)
    _keep(folder / f"{signer}-qr.p12", qr_key, passphrase)
    certificate, qr_certificate = (_signer_certificate(issuer, each, (name, signer), now) for each in (key, qr_key))
    return Signer(signer, name, certificate, qr_certificate)


def _ca_certificate(key: EllipticCurvePrivateKey, name: str, code: str, now: datetime) -> x509.Certificate:
    subject = _name(name, name, code)
    return _draft(subject, subject, key, now, ca=True).sign(key, hashes.SHA256())


def _signer_certificate(issuer: Authority, key: Secret, names: tuple[str, str], now: datetime) -> x509.Certificate:
    ca, secret = issuer
    name, signer = names
    body = ca.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)[0].value
    subject = _name(name, str(body), signer)
    known = x509.AuthorityKeyIdentifier.from_issuer_public_key(secret.public_key())
    builder = _draft(subject, ca.subject, key, now, ca=False).add_extension(known, critical=False)
    return builder.sign(secret, hashes.SHA256())


def _name(*texts: str) -> x509.Name:
    """A person or body, whom they belong to, and their code."""
    parts = zip((NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME, NameOID.SERIAL_NUMBER), texts, strict=True)
    return x509.Name([x509.NameAttribute(oid, text) for oid, text in parts])


def _draft(subject: x509.Name, issuer: x509.Name, key: Secret, now: datetime, *, ca: bool) -> x509.CertificateBuilder:
    builder = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
    # A day earlier: the clocks of two desks need not agree to the minute.
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=365 * _YEARS))
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=0 if ca else None), critical=True)
    usage = x509.KeyUsage(
        digital_signature=not ca, content_commitment=not ca, key_cert_sign=ca, crl_sign=ca, key_encipherment=False,
        data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    return builder.add_extension(usage, critical=True)


def _revocations(
    ca: x509.Certificate, key: EllipticCurvePrivateKey, gone: tuple[Signer, ...], now: datetime, serial: int = 1
) -> x509.CertificateRevocationList:
    builder = x509.CertificateRevocationListBuilder(ca.subject, now, now + timedelta(days=365 * _YEARS))
    builder = builder.add_extension(x509.CRLNumber(serial), critical=False)
    for signer in gone:
        for certificate in (signer.certificate, signer.qr_certificate):
            builder = builder.add_revoked_certificate(_revoked(certificate, signer.retired or Retirement(now, False)))
    return builder.sign(key, hashes.SHA256())


def _revoked(certificate: x509.Certificate, retired: Retirement) -> x509.RevokedCertificate:
    flags = x509.ReasonFlags
    reason = x509.CRLReason(flags.key_compromise if retired.compromised else flags.cessation_of_operation)
    builder = x509.RevokedCertificateBuilder(certificate.serial_number, retired.since)
    return builder.add_extension(reason, critical=False).build()


def _publish(
    home: Path, keyring: Keyring, secret: EllipticCurvePrivateKey, signers: tuple[Signer, ...], now: datetime
) -> None:
    pairs = (certificate for signer in signers for certificate in (signer.certificate, signer.qr_certificate))
    gone = tuple(signer for signer in signers if signer.retired)
    content = bundle((keyring.ca, *pairs), _revocations(keyring.ca, secret, gone, now, keyring.edition[0] + 1))
    write_whole(folder_of(home) / PUBLIC, content, private=True)


def _keep(path: Path, key: Secret, passphrase: Passphrase) -> None:
    content = pkcs12.serialize_key_and_certificates(path.stem.encode(), key, None, None, _guard(passphrase))
    write_whole(path, content, private=True)


def _guard(passphrase: Passphrase) -> serialization.KeySerializationEncryption:
    if not passphrase:
        return NoEncryption()
    builder = PrivateFormat.PKCS12.encryption_builder().kdf_rounds(_ROUNDS)
    builder = builder.key_cert_algorithm(pkcs12.PBES.PBESv2SHA256AndAES256CBC).hmac_hash(hashes.SHA256())
    return builder.build(passphrase)


def ca_key(home: Path, passphrase: Passphrase) -> EllipticCurvePrivateKey:
    """The key of the issuer's own CA, which vouches for inspectors and for the station's web server."""
    path = folder_of(home) / _CA
    if not path.is_file():
        raise UsageError("issuer-own-key-not-desk", where=str(path))
    key = _open(path, passphrase)
    if not isinstance(key, EllipticCurvePrivateKey):
        raise BadInput("does-not-hold-issuer-key", where=str(path))
    return key


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError("inspector-key-not-desk", where=str(path)) from None
    except OSError as problem:
        raise BadInput("not-readable", where=str(path), reason=problem.strerror) from None


def _open(path: Path, passphrase: Passphrase) -> object:
    content = _bytes(path)
    # A key that others can read is no longer one person's key.
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise BadInput("key-read-by-others", where=str(path), path=path)
    try:
        return pkcs12.load_key_and_certificates(content, passphrase or None)[0]
    except ValueError:
        pass
    if passphrase:
        # A key without a passphrase is opened by any.
        try:
            return pkcs12.load_key_and_certificates(content, None)[0]
        except ValueError:
            raise BadInput("passphrase-does-not-open-key", where=str(path)) from None
    raise UsageError("key-needs-passphrase", where=str(path))


# A certificate for the station's own web server, vouched for by the issuer's CA: phones that trust it see a lock.


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
        .add_extension(
            x509.SubjectAlternativeName([_general_name(name) for name in dict.fromkeys(names)]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(secret.public_key()), critical=False)
        .sign(secret, hashes.SHA256())
    )
    chain = certificate.public_bytes(Encoding.PEM) + ca.public_bytes(Encoding.PEM)
    bare = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    folder = home / "station"
    return _kept(folder / "tls.pem", chain), _kept(folder / "tls-key.pem", bare)


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name.strip("[]")))
    except ValueError:
        return x509.DNSName(name)


def _kept(path: Path, content: bytes) -> Path:
    with system_errors_as("not-written", path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, content, private=True)
    return path
