"""RFC 3161 timestamps: asking a server for one, and what a token proves to somebody who trusts that server's CA.

pyHanko speaks the protocol. A token is checked at the moment that it states, as the server's own certificate will
have ended by the time that somebody wants to know.
"""

import asyncio
import hashlib
import io
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from asn1crypto import cms, tsp
from asn1crypto.crl import CertificateList
from asn1crypto.x509 import Certificate
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.misc import PdfError
from pyhanko.sign.general import SigningError
from pyhanko.sign.signers import PdfTimeStamper
from pyhanko.sign.timestamps import TimeStamper
from pyhanko.sign.timestamps.common_utils import TimestampRequestError, set_tsp_headers
from pyhanko.sign.validation.dss import DocumentSecurityStore
from pyhanko.sign.validation.generic_cms import validate_tst_signed_data
from pyhanko.sign.validation.status import TimestampSignatureStatus
from pyhanko_certvalidator import ValidationContext

from inspect_kit.certificate.issue.keyring import Keyring
from inspect_kit.errors import BadInput, Notice, notice
from inspect_kit.registry.log.notes import Checkpoint

_SECONDS: Final = 15.0
"""How long a server may take; most answer within one."""
_LARGEST: Final = 100_000
"""Bytes of an answer; one with a whole chain of certificates takes six thousand."""
_SPARE: Final = 2000
"""Hexadecimal digits kept free beyond the length of a first token: the next one may be longer."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """That something was there at a moment, by the word of a server; `trusted` is by the CAs that were given."""

    at: datetime
    server: str
    trusted: bool

    @property
    def told(self) -> Notice:
        """What a person is told."""
        return notice("check-timestamped", server=self.server, day=f"{self.at:%Y-%m-%d %H:%M}")


class TimeServer(TimeStamper):
    """A timestamp server at an address."""

    def __init__(self, url: str) -> None:
        self.url = url
        super().__init__()  # type: ignore[no-untyped-call,unused-ignore]

    @property
    def name(self) -> str:
        """What it is called in a note."""
        return str(urlsplit(self.url).hostname)

    async def async_request_tsa_response(self, req: tsp.TimeStampReq) -> tsp.TimeStampResp:
        """The server's answer."""
        asked = urllib.request.Request(self.url, req.dump(), set_tsp_headers({}))  # noqa: S310
        try:
            with urllib.request.urlopen(asked, timeout=_SECONDS) as answer:  # noqa: S310
                content = answer.read(_LARGEST)
        except ValueError as problem:
            raise TimestampRequestError(str(problem)) from None
        return tsp.TimeStampResp.load(content)

    def token(self, digest: bytes) -> cms.ContentInfo:
        """A token over a SHA-256."""
        try:
            return asyncio.run(self.async_timestamp(digest, "sha256"))
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise no_timestamp(self.url, problem) from None


def no_timestamp(url: str, problem: BaseException) -> BadInput:
    """That a server gave none, and why."""
    why = " ".join(str(problem).split())[:120] or type(problem).__name__
    return BadInput("no-timestamp", where=url[:80], reason=why)


def context_at(moment: datetime, roots: Iterable[x509.Certificate]) -> ValidationContext:
    """Who is trusted at a moment; nothing is fetched from anywhere."""
    anchors = [Certificate.load(root.public_bytes(Encoding.DER)) for root in roots]
    return ValidationContext(
        trust_roots=anchors, allow_fetching=False, revocation_mode="soft-fail", moment=moment,
        best_signature_time=moment,
    )  # fmt: skip


def stated_time(signed: cms.SignedData) -> datetime:
    """The moment that a token states."""
    at: datetime = signed["encap_content_info"]["content"].parsed["gen_time"].native
    return at.astimezone(UTC)


def server_name(certificate: Certificate) -> str:
    """Who signed a token."""
    names: dict[str, Any] = certificate.subject.native
    return str(names.get("common_name") or certificate.subject.human_friendly)[:80]


def stamped(note: Checkpoint, server: TimeServer) -> Checkpoint:
    """A checkpoint with a server's token over it, in a line of its own."""
    return note.stamped(server.name, server.token(hashlib.sha256(note.body.encode()).digest()).dump())


def timestamps_on(note: Checkpoint, roots: Sequence[x509.Certificate]) -> list[Timestamp]:
    """The tokens of a checkpoint that hold."""
    found = (_checked(content, note.body.encode(), roots) for content in note.tokens())
    return [each for each in found if each is not None]


def _checked(content: bytes, body: bytes, roots: Sequence[x509.Certificate]) -> Timestamp | None:
    try:
        signed = cms.ContentInfo.load(content)["content"]
        at = stated_time(signed)
        told = asyncio.run(
            validate_tst_signed_data(signed, context_at(at, roots), lambda name: hashlib.new(name, body).digest())
        )
        status = TimestampSignatureStatus(**told)
    except Exception:  # A forged token can break a parser in any way there is.
        return None
    holds = status.intact and status.valid
    return Timestamp(at, server_name(status.signing_cert), status.trusted) if holds else None


def stamped_pdf(pdf: bytes, server: TimeServer, ring: Keyring) -> bytes:
    """A signed PDF with what is needed to check it long after, and a timestamp over all of it (PAdES-LTA).

    It is added behind what was signed, which stays as it was; again and again, each time before a server's key ends.
    """
    trial = server.token(hashlib.sha256(pdf).digest()).dump()
    chain = [each.chosen for each in cms.ContentInfo.load(trial)["content"]["certificates"]]
    own = [
        Certificate.load(each.public_bytes(Encoding.DER))
        for each in (ring.ca, *(signer.certificate for signer in ring.signers))
    ]
    lists = [CertificateList.load(ring.revoked.public_bytes(Encoding.DER))] if ring.revoked else []
    try:
        writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
        DocumentSecurityStore.supply_dss_in_writer(writer, None, certs=[*own, *chain], crls=lists)
        reserved = 2 * len(trial) + _SPARE
        out = PdfTimeStamper(server).timestamp_pdf(writer, "sha256", bytes_reserved=reserved, output=io.BytesIO())
    except (PdfError, SigningError, OSError, ValueError, KeyError, TypeError) as problem:
        raise no_timestamp(server.url, problem) from None
    return bytes(out.getvalue())
