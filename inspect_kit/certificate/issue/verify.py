"""Verifying a certificate, from its PDF or its QR text: what holds, what does not, and what cannot be told here."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec
from cryptography.hazmat.primitives.serialization import Encoding
from pikepdf import Array, Dictionary, Name, Object, Page, Pdf, String, parse_content_stream

from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.issue.keyring import Keyring, Retirement, Signer, attribute
from inspect_kit.certificate.issue.pdf_signature import Seal, seal_by
from inspect_kit.certificate.issue.qr import DIGEST_BYTES, Claim, SignedClaim, read, shortened, words_before
from inspect_kit.certificate.issue.seals import (
    TimeAuthorities,
    counted,
    proof_fault,
    seen_in_log,
    signature_fault,
    signer_of,
)
from inspect_kit.certificate.pages.pdfa import DCC_NAME, RECORD_NAME
from inspect_kit.errors import ENGLISH, LANGUAGES, BadInput, BrokenSeal, InspectKitError, Notice, notice, sentence
from inspect_kit.inspection.record import MAX_BYTES, Record, open_record
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.registry.chain import entry_of, has_series
from inspect_kit.registry.chain_index import rows_fault
from inspect_kit.registry.log.notes import LogProof
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.search import CertificateStatus, find

if TYPE_CHECKING:
    from inspect_kit.certificate.issue.time_server import Timestamp

# What is printed on a certificate's pages, and the record that is attached to it, read back out of the PDF.

_PAIR: Final = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>")
_RANGE: Final = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(<[0-9A-Fa-f]+>|\[[^\]]*\])")

Table = dict[int, str]


def read_back(pdf: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The attached record, and the letters of every page without spaces."""
    try:
        with Pdf.open(io.BytesIO(pdf)) as opened:
            return _record(opened), tuple(_letters(page) for page in opened.pages)
    except BrokenSeal:
        raise
    except Exception as problem:  # A forged file can break a parser in any way there is.
        raise BrokenSeal("pages-cannot-read", name=type(problem).__name__) from None


def _record(pdf: Pdf) -> bytes:
    names = sorted(pdf.attachments.keys())
    if names not in ([RECORD_NAME], [DCC_NAME, RECORD_NAME]):
        raise BrokenSeal("record-not-attached-once", record_name=RECORD_NAME, count=len(names))
    content = bytes(pdf.attachments[RECORD_NAME].get_file().read_bytes())
    if len(content) > MAX_BYTES:
        raise BrokenSeal("attached-record-too-large")
    return content


def _letters(page: Page) -> str:
    fonts = page.obj.get(Name.Resources, Dictionary()).get(Name.Font, Dictionary())
    tables: dict[str, Table] = {}
    current: Table = {}
    found: list[str] = []
    for step in parse_content_stream(page.obj):
        operator, operands = str(step.operator), list(step.operands)
        if operator == "Tf":
            name = str(operands[0])
            current = tables.setdefault(name, _table(fonts.get(Name(name))))
        elif operator in ("Tj", "TJ", "'", '"'):
            found.extend(_shown(operands[-1], current))
    return "".join("".join(found).split())


def _shown(operand: object, table: Table) -> Iterator[str]:
    for part in operand if isinstance(operand, Array) else (operand,):
        if isinstance(part, String):
            yield from (table.get(code, "") for code in bytes(part))


def _table(font: Object | None) -> Table:
    """A font's map from codes to letters."""
    if font is None or Name.ToUnicode not in font:
        return {}
    stream = font.ToUnicode.read_bytes()
    table: Table = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", stream, re.DOTALL):
        for code, letters in _PAIR.findall(block):
            table[int(code, 16)] = bytes.fromhex(letters.decode()).decode("utf-16-be", "replace")
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", stream, re.DOTALL):
        for low, high, target in _RANGE.findall(block):
            table.update(_spread(int(low, 16), int(high, 16), target))
    return table


def _spread(low: int, high: int, target: bytes) -> Iterator[tuple[int, str]]:
    listed = [bytes.fromhex(code.decode()).decode("utf-16-be", "replace") for code in re.findall(rb"<(\w+)>", target)]
    for place, code in enumerate(range(low, min(high, low + 65535) + 1)):
        if target.startswith(b"["):
            if place < len(listed):
                yield code, listed[place]
        elif listed:
            yield code, listed[0][:-1] + chr(ord(listed[0][-1]) + place)


MAX_PDF_BYTES: Final = 300_000_000
"""Bytes of a PDF that is verified."""
_REFERENCE_DIGITS: Final = 16
"""Hexadecimal digits of the digest that a certificate prints as its reference."""


@dataclass(frozen=True, slots=True)
class VerificationCheck:
    """One thing that was looked at; `holds` is `None` where it cannot be told here."""

    name: str
    holds: bool | None
    told: Notice | InspectKitError

    def said(self, language: str = ENGLISH) -> str:
        """What was found, in words."""
        return sentence(self.told, language) if isinstance(self.told, Notice) else self.told.said(language)


@dataclass(frozen=True, slots=True)
class Verification:
    """What is known of a certificate after looking at it."""

    checks: tuple[VerificationCheck, ...]
    number: str = ""
    verdict: str = ""
    subject: str = ""
    item: str = ""
    sheet: str = ""
    event: str = ""
    again: tuple[str, ...] = ()
    """On which occasions the rules want the thing approved anew."""

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return all(check.holds is not False for check in self.checks)

    def data(self) -> dict[str, Any]:
        """By the names that scripts rely on."""
        checks = {check.name: {"holds": check.holds, "sentence": check.said()} for check in self.checks}
        return {
            "holds": self.holds, "number": self.number or None, "verdict": self.verdict or None,
            "subject": self.subject, "item": self.item, "spec": self.sheet, "event": self.event, "checks": checks,
            "check_again": list(self.again),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrustContext:
    """Who verifies: the issuers trusted here, the registry if there is one, and the day."""

    keyrings: tuple[Keyring, ...]
    own: str
    registry: Registry | None
    on: date
    believed: TimeAuthorities = field(default_factory=TimeAuthorities)
    """Whose word on the time counts here."""
    proof: LogProof | None = None
    """What came with the certificate: that it stands in its issuer's log."""
    suspected: Mapping[str, str] = field(default_factory=dict)
    """Numbers of certificates whose verdict hangs on a gauge that was found bad afterwards, and the gauge."""


@dataclass(frozen=True, slots=True)
class KnownSince:
    """Since when a certificate is known: by the registry's own word, and by that of others."""

    registered: datetime | None = None
    proven: datetime | None = None

    def also(self, stamps: Sequence[Timestamp]) -> KnownSince:
        """With what timestamps in the file itself prove."""
        moments = [each.at for each in stamps if each.trusted] + ([self.proven] if self.proven else [])
        return KnownSince(self.registered, min(moments, default=None))


Run = Callable[..., Any]
"""Carries out a task on a stranger's bytes: here, or in a process with bounds."""


def verify_pdf(pdf: bytes, trust: TrustContext, run: Run = lambda task, *given: task(*given)) -> Verification:
    """A certificate's file; it is taken apart by `run`."""
    if b"%PDF-" not in pdf[:1024] and b"/ByteRange" not in pdf:
        raise BadInput("not-pdf")
    try:
        authorities = ([ring.ca for ring in trust.keyrings], trust.believed.time_servers)
        believed = ([ca.public_bytes(Encoding.DER) for ca in each] for each in authorities)
        seal: Seal = run(seal_by, pdf, *believed)
    except BrokenSeal as problem:
        return Verification((VerificationCheck("signature", False, problem),))
    attached: Record | None = None
    checks = [*_seal_checks(seal)]
    try:
        content, pages = run(read_back, pdf)
        attached = open_record(content, where="the attached record")
        checks.append(_record_check(content, pages, seal))
    except InspectKitError as problem:
        checks.append(VerificationCheck("record", False, problem))
    standing, known = _registered(seal.number, seal.qr, trust)
    signer, ring = _signer_of(seal, trust)
    checks.append(_signer_check(seal, signer, ring, known.also(seal.stamps)))
    checks += _stamp_checks(seal.stamps)
    # Timestamps are added behind what was signed and registered.
    digest = hashlib.sha256(pdf[: seal.signed_bytes] if seal.untouched else pdf).hexdigest()
    record = attached.digest if attached and all(check.holds is not False for check in checks) else ""
    checks.append(_registry_check(seal.number, standing, trust, digest, record))
    # A copy in another language is logged by the file that was registered first.
    logged = standing.pdf if standing and record == standing.record else digest
    checks += _log_checks(standing, trust, logged, seal.qr)
    claim = _claim_in(seal)
    checks += _standing_checks(standing, claim, trust.on)
    checks += _gauge_checks(seal.number, trust)
    return _verification(checks, seal.number, attached, claim)


def verify_qr(text: str, trust: TrustContext) -> Verification:
    """The text that was scanned from a certificate or a label."""
    signed = read(text)
    claim = signed.claim
    standing, known = _registered(claim.number, text, trust)
    checks = [*_qr_seal_checks(signed, trust, known)]
    checks.append(_registry_check(claim.number, standing, trust, ""))
    checks += _log_checks(standing, trust, standing.pdf if standing else "", text)
    if standing is not None and read(standing.qr) != signed:
        checks.append(VerificationCheck("text", False, notice("check-registry-other-text", number=claim.number)))
    checks += _words_checks(text, claim)
    checks += _standing_checks(standing, claim, trust.on)
    checks += _gauge_checks(claim.number, trust)
    return _verification(checks, claim.number, None, claim)


def _gauge_checks(number: str, trust: TrustContext) -> Iterator[VerificationCheck]:
    if gauge := trust.suspected.get(number):
        yield VerificationCheck("gauge", None, notice("check-gauge-suspected", gauge=gauge))


def _words_checks(text: str, claim: Claim) -> Iterator[VerificationCheck]:
    """The words that a phone shows are not signed: they must say what the signed text says."""
    words = words_before(text)
    verdicts = [f"{claim.number}, {wording_for(each).say(f'overall.{claim.verdict}').upper()}," for each in LANGUAGES]
    if words and not any(f"{words},".startswith(said) for said in verdicts):
        yield VerificationCheck("words", False, notice("check-other-words"))


def compare(seen: Verification, subject: str, event: str) -> Verification:
    """Also hold it against the thing on the table: a code can be glued to another one, or used at another event."""
    checks = list(seen.checks)
    if subject and shortened("subject", subject) not in (seen.subject, shortened("subject", seen.subject)):
        told = notice("check-other-subject", subject=repr(seen.subject), other=repr(subject))
        checks.append(VerificationCheck("subject", False, told))
    if event and seen.event and shortened("event", event) not in (seen.event, shortened("event", seen.event)):
        checks.append(VerificationCheck("event", False, notice("check-other-event", event=repr(seen.event))))
    return replace(seen, checks=tuple(checks))


def _verification(
    checks: list[VerificationCheck], number: str, record: Record | None, claim: Claim | None
) -> Verification:
    event = claim.event if claim else ""
    if record is not None:
        again = tuple(f"{record.sheet.body} {entry.clause}: {entry.when}" for entry in record.item.check_again)
        subject, item, sheet = record.subject.text, record.item.id, record.sheet.id
        return Verification(tuple(checks), number, record.verdict, subject, item, sheet, event, again)
    if claim is not None:
        return Verification(tuple(checks), number, claim.verdict, claim.subject, claim.item, claim.sheet, event)
    return Verification(tuple(checks), number)


def _seal_checks(seal: Seal) -> Iterator[VerificationCheck]:
    intact = notice("check-signature-holds" if seal.untouched else "check-signed-part-holds")
    yield VerificationCheck("signature", seal.intact, intact if seal.intact else notice("check-file-changed"))
    added = notice("check-nothing-added" if seal.untouched else "check-something-added")
    yield VerificationCheck("unchanged", seal.untouched, added)


def _signer_of(seal: Seal, trust: TrustContext) -> tuple[Signer | None, Keyring | None]:
    """The inspector, and the issuer that vouches for the certificate used: by its key, never by its name."""
    for ring in trust.keyrings:
        for signer in ring.signers:
            if signer.certificate == seal.certificate:
                return signer, ring
    ring_of = next((ring for ring in trust.keyrings if ring.ca.subject == seal.certificate.issuer), None)
    return None, ring_of if seal.trusted else None


def _signer_check(seal: Seal, signer: Signer | None, ring: Keyring | None, known: KnownSince) -> VerificationCheck:
    name = _common_name(seal)
    if not seal.trusted or ring is None:
        shown = repr(name) if isinstance(name, str) else name
        return VerificationCheck("signer", False, notice("check-signer-not-trusted", name=shown))
    if seal.number and not seal.number.startswith(f"{ring.code}-"):
        other = notice("check-other-numbers", issuer=ring.name, number=seal.number)
        return VerificationCheck("signer", False, other)
    signed = notice("check-signed-by", name=name, issuer=ring.name)
    if signer is None:
        return VerificationCheck("signer", True, signed)
    return _office_check(signer, signed, known, seal.signed_at)


def _common_name(seal: Seal) -> str | Notice:
    from cryptography.x509.oid import NameOID

    try:
        return attribute(seal.certificate, NameOID.COMMON_NAME)
    except ValueError:
        return notice("check-somebody")


def _office_check(signer: Signer, signed: Notice, known: KnownSince, stated: datetime | None) -> VerificationCheck:
    """Whether a key was in use when it signed: not before its time, not after it, not after it was retired."""
    now, certificate = datetime.now(UTC), signer.certificate
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now < begins:
        return VerificationCheck("signer", False, notice("check-key-begins", name=signer.name, day=begins.date()))
    if now > ends:
        return _ended_check(signer, signed, known)
    if signer.retired:
        return _retired_check(signer, signer.retired, signed, known.proven, known.registered or stated)
    return VerificationCheck("signer", True, signed)


def _ended_check(signer: Signer, signed: Notice, known: KnownSince) -> VerificationCheck:
    """A key whose time is over: its signatures count if they were there before, by the word of somebody else."""
    ends = signer.certificate.not_valid_after_utc
    when = known.proven or (known.registered if not (signer.retired and signer.retired.compromised) else None)
    last = min(ends, signer.retired.since) if signer.retired else ends
    if when is not None and when <= last:
        return VerificationCheck("signer", True, notice("check-signed-before-end", said=signed, day=ends.date()))
    return VerificationCheck("signer", False, notice("check-key-ended", name=signer.name, day=ends.date()))


def _retired_check(
    signer: Signer, retired: Retirement, signed: Notice, proven: datetime | None, stated: datetime | None
) -> VerificationCheck:
    """A key that is out of use now: the registry's word on the time counts, and the signer's own.

    Of a stolen key neither does: only what somebody else had seen before proves that it was there before.
    """
    when, day = proven if retired.compromised else stated, retired.since.date()
    if when is not None and when <= retired.since:
        return VerificationCheck("signer", True, notice("check-signed-before-retirement", said=signed, day=day))
    code = "check-key-compromised" if retired.compromised else "check-key-retired"
    return VerificationCheck("signer", False, notice(code, name=signer.name, day=day))


def _stamp_checks(stamps: Sequence[Timestamp]) -> Iterator[VerificationCheck]:
    """The earliest timestamp in the file that is believed, or that there are only others."""
    believed = next((each for each in stamps if each.trusted), None)
    if believed is not None:
        yield VerificationCheck("timestamp", True, believed.told)
    elif stamps:
        yield VerificationCheck("timestamp", None, notice("check-timestamp-not-believed", server=stamps[0].server))


def _record_check(content: bytes, pages: tuple[str, ...], seal: Seal) -> VerificationCheck:
    """The attached record against what is printed: every page carries its digest and the number.

    The digest is that of the bytes, as a later version may write the same record differently.
    """
    if msgspec.json.encode(msgspec.json.decode(content), order="sorted") != content:
        return VerificationCheck("record", False, notice("check-record-rewritten"))
    digest = hashlib.sha256(content).hexdigest()
    reference = digest[:_REFERENCE_DIGITS].upper()
    for place, letters in enumerate(pages, start=1):
        if reference not in letters or (seal.number and seal.number not in letters):
            return VerificationCheck("record", False, notice("check-record-not-printed", page=place))
    claim = _claim_in(seal)
    if claim is None or (claim.digest, claim.number) != (digest[: 2 * DIGEST_BYTES], seal.number):
        return VerificationCheck("record", False, notice("check-code-of-another-record"))
    return VerificationCheck("record", True, notice("check-record-printed"))


def _claim_in(seal: Seal) -> Claim | None:
    try:
        return read(seal.qr).claim
    except InspectKitError:
        return None


def _qr_seal_checks(signed: SignedClaim, trust: TrustContext, known: KnownSince) -> Iterator[VerificationCheck]:
    code = number_of(signed.claim.number).issuer
    rings = [ring for ring in trust.keyrings if ring.code == code]
    found = [(signer, ring) for ring in rings if (signer := ring.signer(signed.signer))]
    if not found:
        yield VerificationCheck("signature", None, notice("check-signature-unknown"))
        yield VerificationCheck("signer", False, notice("check-key-unknown", key=signed.signer, issuer=code))
        return
    signer, ring = next((pair for pair in found if pair[0].check_seal(signed.message, signed.signature)), found[0])
    intact = signer.check_seal(signed.message, signed.signature)
    if not intact:
        yield VerificationCheck("signature", False, notice("check-text-changed"))
        yield VerificationCheck("signer", None, notice("check-signed-by-nobody"))
        return
    yield VerificationCheck("signature", True, notice("check-signature-holds"))
    stated = datetime.fromisoformat(f"{signed.claim.issued_on}T00:00:00+00:00")
    yield _office_check(signer, notice("check-signed-by", name=signer.name, issuer=ring.name), known, stated)


def _registered(number: str, qr: str, trust: TrustContext) -> tuple[CertificateStatus | None, KnownSince]:
    """What the registry knows of a number, and since when."""
    if trust.registry is None:
        return None, KnownSince(proven=_proven_by_file(qr, trust))
    try:
        number_of(number)
    except InspectKitError:
        return None, KnownSince()
    with trust.registry.reading() as connection:
        standing = find(connection, number)
        entry = entry_of(connection, standing.entry) if standing else None
    if entry is None:
        return standing, KnownSince(proven=_proven_by_file(qr, trust))
    proven = [each for each in (_proven_here(entry.id, trust), _proven_by_file(qr, trust)) if each]
    return standing, KnownSince(datetime.fromisoformat(entry.at), min(proven, default=None))


def _proven_here(entry: int, trust: TrustContext) -> datetime | None:
    """The first moment at which somebody else had seen an entry in the log of the registry here."""
    if trust.registry is None:
        return None
    try:
        return seen_in_log(trust.registry, entry, trust.keyrings, trust.believed).first
    except BrokenSeal:
        return None


def _proven_by_file(qr: str, trust: TrustContext) -> datetime | None:
    """The same, by the proof that came with the certificate."""
    if trust.proof is None or proof_fault(trust.proof, "", qr, trust.keyrings):
        return None
    return counted((trust.proof.checkpoint,), trust.believed).first


def _log_checks(
    standing: CertificateStatus | None, trust: TrustContext, digest: str, qr: str
) -> Iterator[VerificationCheck]:
    """Whether it stands in the log, who has seen that, and whether the registry is all that was seen of it."""
    if trust.proof is not None:
        fault = proof_fault(trust.proof, digest, qr, trust.keyrings)
        seen = counted((trust.proof.checkpoint,), trust.believed)
        # Where the registry is, its log says the same below.
        said = notice("check-proof-holds") if standing is not None else notice("check-proven", seen=seen.told)
        yield VerificationCheck("proof", not fault, fault or said)
    if trust.registry is None or standing is None:
        return
    lost = trust.registry.lost() or _fault_in_chain(trust.registry, standing, trust.keyrings)
    if lost:
        yield VerificationCheck("log", False, notice("check-registry-not-believed", why=lost))
        return
    try:
        found = seen_in_log(trust.registry, standing.entry, trust.keyrings, trust.believed)
    except BrokenSeal as problem:
        yield VerificationCheck("log", False, problem)
        return
    yield VerificationCheck("log", True if found.first else None, found.told)


def _fault_in_chain(registry: Registry, standing: CertificateStatus, keyrings: Sequence[Keyring]) -> Notice | None:
    """What speaks against the registry's word on a certificate, whatever this computer has seen before."""
    with registry.reading() as connection:
        found, entry = rows_fault(connection, standing), entry_of(connection, standing.entry)
    return found or (signature_fault(entry, signer_of(entry, keyrings)) if entry else None)


def _registry_check(
    number: str, standing: CertificateStatus | None, trust: TrustContext, digest: str, record: str = ""
) -> VerificationCheck:
    if standing is not None:
        if digest and standing.pdf != digest and record == standing.record:
            return VerificationCheck("registry", True, notice("check-registered-copy"))
        if digest and standing.pdf != digest:
            return VerificationCheck("registry", False, notice("check-registry-other-file", number=number))
        return VerificationCheck("registry", True, notice("check-registered"))
    if _keeps_series(number, trust):
        unknown = notice("check-registry-unknown", number=number) if number else notice("check-registry-no-number")
        return VerificationCheck("registry", False, unknown)
    return VerificationCheck("registry", None, notice("check-registry-elsewhere"))


def _keeps_series(number: str, trust: TrustContext) -> bool:
    """Whether the registry here is the issuer's own, so that not knowing a number means something."""
    try:
        code = number_of(number).issuer
    except InspectKitError:
        return True
    if trust.registry is None:
        return False
    return code == trust.own or trust.registry.ask(has_series, code)


def _standing_checks(standing: CertificateStatus | None, claim: Claim | None, on: date) -> Iterator[VerificationCheck]:
    if standing is not None:
        day, why = standing.revoked_at[:10], standing.revoked_because
        revoked = notice("check-revoked", day=day, why=why) if day else notice("check-not-revoked")
        yield VerificationCheck("revoked", not day, revoked)
        if standing.replaced_by:
            yield VerificationCheck("replaced", False, notice("check-replaced", number=standing.replaced_by))
    last = standing.valid_until if standing else claim.valid_until if claim else ""
    if last and last < on.isoformat():
        yield VerificationCheck("expired", False, notice("check-expired", day=last))
    elif last:
        yield VerificationCheck("expired", True, notice("check-valid-until", day=last))
    elif claim and claim.event:
        yield VerificationCheck("expired", True, notice("check-valid-for", event=claim.event))
    elif claim and claim.verdict == Verdict.CONFORMS:
        yield VerificationCheck("expired", True, notice("check-valid-without-end"))
