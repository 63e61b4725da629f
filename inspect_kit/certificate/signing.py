"""Signing a finished PDF: PAdES, invisible, over the whole file, and allowing no change after it."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from inspect_kit.certificate.keys import SigningKey

if TYPE_CHECKING:
    from pyhanko.sign.signers import SimpleSigner

FIELD: Final = "Issuer"
RESERVED: Final = 8192
"""Hexadecimal digits kept free for the signature; an inspector's takes about 2,700."""


@dataclass(frozen=True, slots=True)
class Note:
    """What the signature itself states: the certificate's number, the QR text, the place."""

    number: str
    qr: str
    place: str = ""


def sign(pdf: bytes, key: SigningKey, note: Note) -> bytes:
    """The signed file. Nothing may touch it any more."""
    # Loading pyHanko takes a moment, which those who only judge need not wait for.
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign.fields import MDPPerm, SigSeedSubFilter
    from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner

    meta = PdfSignatureMetadata(
        field_name=FIELD, name=key.signer.name, reason=note.number, location=note.place or None, contact_info=note.qr,
        md_algorithm="sha256", subfilter=SigSeedSubFilter.PADES, certify=True, docmdp_permissions=MDPPerm.NO_CHANGES,
    )  # fmt: skip
    out = io.BytesIO()
    writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
    PdfSigner(meta, signer=_simple_signer(key)).sign_pdf(writer, output=out, bytes_reserved=RESERVED)
    return out.getvalue()


def _simple_signer(key: SigningKey) -> SimpleSigner:
    from asn1crypto.keys import PrivateKeyInfo
    from asn1crypto.x509 import Certificate
    from pyhanko.sign.signers import SimpleSigner
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    secret = key.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    certificate = Certificate.load(key.signer.certificate.public_bytes(Encoding.DER))
    # Only the inspector's own certificate goes into the file: who checks it must have the issuer's from elsewhere.
    return SimpleSigner(certificate, PrivateKeyInfo.load(secret), SimpleCertificateStore())  # type: ignore[no-untyped-call,unused-ignore]
