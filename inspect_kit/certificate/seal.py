"""The signature in a PDF, taken apart: does it hold, over the whole file, and is there nothing beside it."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from inspect_kit.errors import BrokenSeal

if TYPE_CHECKING:
    from pyhanko.sign.validation import EmbeddedPdfSignature


@dataclass(frozen=True, slots=True)
class Seal:
    """What a signature says and whether it holds. `trusted` is by the CAs that were given."""

    intact: bool
    untouched: bool
    trusted: bool
    certificate: x509.Certificate
    signed_at: datetime | None
    number: str
    qr: str


def seal_of(pdf: bytes, roots: Sequence[x509.Certificate]) -> Seal:
    """The one signature that a certificate bears. A file that cannot even be read is a broken seal."""
    logging.getLogger("pyhanko").setLevel(logging.CRITICAL)
    logging.getLogger("pyhanko_certvalidator").setLevel(logging.CRITICAL)
    try:
        return _seal_of(pdf, roots)
    except BrokenSeal:
        raise
    except Exception as problem:  # A forged file can break a parser in any way there is.
        kind = type(problem).__name__
        raise BrokenSeal(f"the file was damaged or rewritten after signing ({kind})") from None


def _seal_of(pdf: bytes, roots: Sequence[x509.Certificate]) -> Seal:
    from asn1crypto.x509 import Certificate
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko.sign.validation.status import SignatureCoverageLevel
    from pyhanko_certvalidator import ValidationContext

    embedded = _only_signature(PdfFileReader(io.BytesIO(pdf)))
    anchors = [Certificate.load(root.public_bytes(Encoding.DER)) for root in roots]
    context = ValidationContext(trust_roots=anchors, allow_fetching=False, revocation_mode="soft-fail")
    status = validate_pdf_signature(embedded, context)
    whole = status.coverage == SignatureCoverageLevel.ENTIRE_FILE and bool(status.docmdp_ok)
    certificate = x509.load_der_x509_certificate(embedded.signer_cert.dump())
    stated = embedded.sig_object
    return Seal(
        intact=status.intact and status.valid and (not whole or _is_tidy(pdf, embedded)),
        untouched=whole,
        trusted=status.trusted,
        certificate=certificate,
        signed_at=embedded.self_reported_timestamp,
        number=str(stated.get("/Reason", "")),
        qr=str(stated.get("/ContactInfo", "")),
    )


def _only_signature(reader: object) -> EmbeddedPdfSignature:
    found: list[EmbeddedPdfSignature] = list(getattr(reader, "embedded_signatures", ()))
    if not found:
        raise BrokenSeal("the file bears no signature")
    return found[0]


def _is_tidy(pdf: bytes, embedded: EmbeddedPdfSignature) -> bool:
    """Whether also the part of the file that no signature can cover, the signature itself, is as it was written.

    A changed byte there could otherwise hide in the padding, in the spelling of a digit, or in a field that
    readers ignore.
    """
    from asn1crypto.cms import ContentInfo

    _, start, end, _ = (int(place) for place in embedded.sig_object["/ByteRange"])
    gap = pdf[start:end]
    content = bytes.fromhex(gap[1:-1].decode("ascii"))
    message = ContentInfo.load(content)
    exact: bytes = message.dump(force=True)
    padded = exact.hex().ljust(len(gap) - 2, "0")
    spellings = (f"<{padded}>".encode(), f"<{padded.upper()}>".encode())
    return gap in spellings and content.startswith(exact) and _says_only_what_it_must(embedded)


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
