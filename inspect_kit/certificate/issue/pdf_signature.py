"""Signing a finished PDF: PAdES, invisible, over the whole file, and allowing no change after it."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from inspect_kit.certificate.issue.keys import SigningKey
from inspect_kit.errors import BrokenSeal

if TYPE_CHECKING:
    from pyhanko.sign.signers import SimpleSigner

FIELD: Final = "Issuer"
RESERVED: Final = 8192
"""Hexadecimal digits kept free for the signature; an inspector's takes about 2,700."""


def sign(pdf: bytes, key: SigningKey, number: str, qr: str, place: str = "") -> bytes:
    """The signed file; the signature itself states the certificate's number, the QR text and the place. Nothing may
    touch the file any more."""
    # Loading pyHanko takes a moment, which those who only judge need not wait for.
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign.fields import MDPPerm, SigSeedSubFilter
    from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner

    meta = PdfSignatureMetadata(
        field_name=FIELD, name=key.signer.name, reason=number, location=place or None, contact_info=qr,
        md_algorithm="sha256", subfilter=SigSeedSubFilter.PADES, certify=True, docmdp_permissions=MDPPerm.NO_CHANGES,
    )  # fmt: skip
    out = io.BytesIO()
    writer = IncrementalPdfFileWriter(io.BytesIO(_with_field(pdf, key.signer.name)))
    PdfSigner(meta, signer=_simple_signer(key)).sign_pdf(writer, output=out, bytes_reserved=RESERVED)
    return out.getvalue()


def _with_field(pdf: bytes, name: str) -> bytes:
    """The file with the field that the signature goes into, tagged: a signer could not tag it."""
    from pikepdf import ObjectStreamMode, Pdf

    from inspect_kit.certificate.pages.pdfa import add_signature_field

    with Pdf.open(io.BytesIO(pdf)) as document:
        add_signature_field(document, FIELD, name)
        buffer = io.BytesIO()
        document.save(buffer, deterministic_id=True, object_stream_mode=ObjectStreamMode.generate)
        return buffer.getvalue()


def _simple_signer(key: SigningKey) -> SimpleSigner:
    from asn1crypto.keys import PrivateKeyInfo
    from asn1crypto.x509 import Certificate
    from pyhanko.sign.signers import SimpleSigner
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    secret = key.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    certificate = Certificate.load(key.signer.certificate.public_bytes(Encoding.DER))
    # Only the inspector's own certificate goes into the file: who checks it must have the issuer's from elsewhere.
    return SimpleSigner(certificate, PrivateKeyInfo.load(secret), SimpleCertificateStore())  # type: ignore[no-untyped-call,unused-ignore]


# The signature in a PDF, taken apart: does it hold, over the whole file, and is there nothing beside it.

if TYPE_CHECKING:
    from pyhanko.sign.validation import EmbeddedPdfSignature

    from inspect_kit.certificate.issue.time_server import Timestamp


@dataclass(frozen=True, slots=True)
class Seal:
    """What a signature says and whether it holds. `trusted` is by the CAs that were given."""

    intact: bool
    untouched: bool
    trusted: bool
    der: bytes
    """The signer's certificate, which as bytes can be sent from one process to another."""
    signed_at: datetime | None
    number: str
    qr: str
    signed_bytes: int = 0
    """How many bytes were signed: what comes behind them are timestamps."""
    stamps: tuple[Timestamp, ...] = ()
    """Timestamps that were added, the earliest first."""

    @property
    def certificate(self) -> x509.Certificate:
        """The signer's certificate."""
        return x509.load_der_x509_certificate(self.der)


def seal_of(pdf: bytes, roots: Sequence[x509.Certificate], servers: Sequence[x509.Certificate] = ()) -> Seal:
    """The one signature that a certificate bears. A file that cannot even be read is a broken seal."""
    logging.getLogger("pyhanko").setLevel(logging.CRITICAL)
    logging.getLogger("pyhanko_certvalidator").setLevel(logging.CRITICAL)
    try:
        return _seal_of(pdf, roots, servers)
    except BrokenSeal:
        raise
    except Exception as problem:  # A forged file can break a parser in any way there is.
        kind = type(problem).__name__
        raise BrokenSeal("file-damaged-rewritten-after-signing", kind=kind) from None


def seal_by(pdf: bytes, roots: Sequence[bytes], servers: Sequence[bytes]) -> Seal:
    """The same by CAs as bytes, which can be sent from one process to another."""
    return seal_of(pdf, *([x509.load_der_x509_certificate(each) for each in group] for group in (roots, servers)))


def _seal_of(pdf: bytes, roots: Sequence[x509.Certificate], servers: Sequence[x509.Certificate]) -> Seal:
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko.sign.validation.status import SignatureCoverageLevel

    from inspect_kit.certificate.issue.time_server import context_at

    embedded, *later = _signatures(PdfFileReader(io.BytesIO(pdf)))
    der = embedded.signer_cert.dump()
    certificate = x509.load_der_x509_certificate(der)
    status = validate_pdf_signature(embedded, context_at(_within(certificate, datetime.now(UTC)), roots))
    stamps = tuple(_stamp(pdf, each, servers) for each in later)
    whole = status.coverage == SignatureCoverageLevel.ENTIRE_FILE or _only_stamped(status, later, stamps)
    untouched = whole and bool(status.docmdp_ok)
    stated = embedded.sig_object
    return Seal(
        intact=status.intact and status.valid and (not untouched or _is_tidy(pdf, embedded)),
        untouched=untouched,
        trusted=status.trusted,
        der=der,
        signed_at=embedded.self_reported_timestamp,
        number=str(stated.get("/Reason", "")),
        qr=str(stated.get("/ContactInfo", "")),
        signed_bytes=sum(int(place) for place in list(stated["/ByteRange"])[2:]),
        stamps=tuple(sorted(filter(None, stamps), key=lambda each: each.at)),
    )


def _within(certificate: x509.Certificate, now: datetime) -> datetime:
    """Now, or the last moment of a key that has ended: who vouches for it is one question, whether it ended another."""
    return max(min(now, certificate.not_valid_after_utc), certificate.not_valid_before_utc)


def _signatures(reader: object) -> list[EmbeddedPdfSignature]:
    found: list[EmbeddedPdfSignature] = list(getattr(reader, "embedded_signatures", ()))
    if not found:
        raise BrokenSeal("file-bears-no-signature")
    return found


def _stamp(pdf: bytes, embedded: EmbeddedPdfSignature, servers: Sequence[x509.Certificate]) -> Timestamp | None:
    """A timestamp over the file up to there; nothing if it is none, or does not hold."""
    from pyhanko.sign.validation import validate_pdf_timestamp

    from inspect_kit.certificate.issue.time_server import Timestamp, context_at, server_name, stated_time

    if embedded.sig_object_type != "/DocTimeStamp" or not _is_exact(pdf, embedded):
        return None
    at = stated_time(embedded.signed_data)
    status = validate_pdf_timestamp(embedded, context_at(at, servers))
    if not (status.intact and status.valid):
        return None
    return Timestamp(at, server_name(status.signing_cert), status.trusted)


def _only_stamped(status: object, later: Sequence[EmbeddedPdfSignature], stamps: Sequence[Timestamp | None]) -> bool:
    """Whether all that was added are timestamps and what they need, and the last one covers the file to its end."""
    from pyhanko.sign.diff_analysis import ModificationLevel
    from pyhanko.sign.validation.status import SignatureCoverageLevel

    level = getattr(status, "modification_level", None)
    if not later or not all(stamps) or level not in (ModificationLevel.NONE, ModificationLevel.LTA_UPDATES):
        return False
    return bool(later[-1].evaluate_signature_coverage() == SignatureCoverageLevel.ENTIRE_FILE)


def _is_tidy(pdf: bytes, embedded: EmbeddedPdfSignature) -> bool:
    """Whether also the part of the file that no signature can cover, the signature itself, is as it was written.

    A changed byte there could otherwise hide in the padding, in the spelling of a digit, or in a field that
    readers ignore.
    """
    return _is_exact(pdf, embedded) and _says_only_what_it_must(embedded)


def _is_exact(pdf: bytes, embedded: EmbeddedPdfSignature) -> bool:
    """Whether a signature's message is written in the one way there is, with zeros behind it."""
    from asn1crypto.cms import ContentInfo

    _, start, end, _ = (int(place) for place in embedded.sig_object["/ByteRange"])
    gap = pdf[start:end]
    content = bytes.fromhex(gap[1:-1].decode("ascii"))
    message = ContentInfo.load(content)
    exact: bytes = message.dump(force=True)
    padded = exact.hex().ljust(len(gap) - 2, "0")
    spellings = (f"<{padded}>".encode(), f"<{padded.upper()}>".encode())
    return gap in spellings and content.startswith(exact)


def _says_only_what_it_must(embedded: EmbeddedPdfSignature) -> bool:
    """The fields of the message around the signed attributes, each with the only value it may have."""
    message, (info,) = embedded.signed_data, embedded.signed_data["signer_infos"]
    signer = embedded.signer_cert
    (certificate,) = message["certificates"]
    named = info["sid"].chosen
    return all(
        (
            message["version"].native == info["version"].native == "v1",
            [entry["algorithm"].native for entry in message["digest_algorithms"]] == ["sha256"],
            message["encap_content_info"]["content_type"].native == "data",
            not message["encap_content_info"]["content"].native,
            not message["crls"].native,
            certificate.chosen.dump() == signer.dump(),
            info["sid"].name == "issuer_and_serial_number",
            named["issuer"].dump() == signer.issuer.dump() and named["serial_number"].native == signer.serial_number,
            info["digest_algorithm"]["algorithm"].native == "sha256",
            info["signature_algorithm"]["algorithm"].native == "sha256_ecdsa",
            not info["unsigned_attrs"].native,
        )
    )
