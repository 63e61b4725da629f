"""Verifying a certificate, from its PDF or its QR text: what holds, what does not, and what cannot be told here."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from pikepdf import Array, Dictionary, Name, Object, Page, Pdf, String, parse_content_stream

from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.issue.keyring import Keyring, Signer, attribute
from inspect_kit.certificate.issue.log_checks import Believed, counted, proof_fault, seen_in_log
from inspect_kit.certificate.issue.pdf_signature import Seal, packed_seal, seal_from
from inspect_kit.certificate.issue.qr import DIGEST_BYTES, Claim, SignedClaim, read, shortened, words_before
from inspect_kit.certificate.issue.seals import signature_fault, signer_of
from inspect_kit.certificate.pages.pdfa import DCC_NAME, RECORD_NAME
from inspect_kit.errors import BadInput, BrokenSeal, InspectKitError
from inspect_kit.inspection.record import MAX_BYTES, Record, open_record
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.notices import LANGUAGES, Notice, sentence
from inspect_kit.registry.chain import entry_of, has_series
from inspect_kit.registry.following import rows_fault
from inspect_kit.registry.log.notes import LogProof, Verifier
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
    sentence: str


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
        checks = {check.name: {"holds": check.holds, "sentence": check.sentence} for check in self.checks}
        return {
            "holds": self.holds, "number": self.number or None, "verdict": self.verdict or None,
            "subject": self.subject, "item": self.item, "spec": self.sheet, "event": self.event, "checks": checks,
            "check_again": list(self.again),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Counter:
    """Who verifies: the issuers trusted here, the registry if there is one, and the day."""

    keyrings: tuple[Keyring, ...]
    own: str
    registry: Registry | None
    on: date
    witnesses: tuple[Verifier, ...] = ()
    """Whose word on the log is believed here."""
    proof: LogProof | None = None
    """What came with the certificate: that it stands in its issuer's log."""
    time_servers: tuple[x509.Certificate, ...] = ()
    """The CAs of timestamp servers whose word is believed here."""

    @property
    def believed(self) -> Believed:
        """Whose word on the time counts here."""
        return Believed(self.witnesses, self.time_servers)


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


def _here(task: Callable[..., Any], *given: Any) -> Any:
    return task(*given)


def verify_pdf(pdf: bytes, counter: Counter, run: Run = _here) -> Verification:
    """A certificate's file; it is taken apart by `run`."""
    if b"%PDF-" not in pdf[:1024] and b"/ByteRange" not in pdf:
        raise BadInput("not-pdf")
    try:
        authorities = ([ring.ca for ring in counter.keyrings], counter.time_servers)
        believed = ([ca.public_bytes(Encoding.DER) for ca in each] for each in authorities)
        seal = seal_from(run(packed_seal, pdf, *believed))
    except BrokenSeal as problem:
        return Verification((VerificationCheck("signature", False, str(problem)),))
    attached: Record | None = None
    checks = [*_seal_checks(seal)]
    try:
        content, pages = run(read_back, pdf)
        attached = open_record(content, where="the attached record")
        checks.append(_record_check(content, pages, seal))
    except InspectKitError as problem:
        checks.append(VerificationCheck("record", False, str(problem)))
    standing, known = _registered(seal.number, seal.qr, counter)
    signer, ring = _signer_of(seal, counter)
    checks.append(_signer_check(seal, signer, ring, known.also(seal.stamps)))
    checks += _stamp_checks(seal.stamps)
    # Timestamps are added behind what was signed and registered.
    digest = hashlib.sha256(pdf[: seal.signed_bytes] if seal.untouched else pdf).hexdigest()
    record = attached.digest if attached and all(check.holds is not False for check in checks) else ""
    checks.append(_registry_check(seal.number, standing, counter, digest, record))
    # A copy in another language is logged by the file that was registered first.
    logged = standing.pdf if standing and record == standing.record else digest
    checks += _log_checks(standing, counter, logged, seal.qr)
    claim = _claim_in(seal)
    checks += _standing_checks(standing, claim, counter.on)
    return _verification(checks, seal.number, attached, claim)


def verify_qr(text: str, counter: Counter) -> Verification:
    """The text that was scanned from a certificate or a label."""
    signed = read(text)
    claim = signed.claim
    standing, known = _registered(claim.number, text, counter)
    checks = [*_qr_seal_checks(signed, counter, known)]
    checks.append(_registry_check(claim.number, standing, counter, ""))
    checks += _log_checks(standing, counter, standing.pdf if standing else "", text)
    if standing is not None and read(standing.qr) != signed:
        checks.append(VerificationCheck("text", False, f"the registry has another text for {claim.number}"))
    checks += _words_checks(text, claim)
    checks += _standing_checks(standing, claim, counter.on)
    return _verification(checks, claim.number, None, claim)


def _words_checks(text: str, claim: Claim) -> Iterator[VerificationCheck]:
    """The words that a phone shows are not signed: they must say what the signed text says."""
    words = words_before(text)
    verdicts = [f"{claim.number}, {wording_for(each).say(f'overall.{claim.verdict}').upper()}," for each in LANGUAGES]
    if words and not any(f"{words},".startswith(said) for said in verdicts):
        why = "the words before the code are not those of the certificate"
        yield VerificationCheck("words", False, why)


def compare(seen: Verification, subject: str, event: str) -> Verification:
    """Also hold it against the thing on the table: a code can be glued to another one, or used at another event."""
    checks = list(seen.checks)
    if subject and shortened("subject", subject) not in (seen.subject, shortened("subject", seen.subject)):
        checks.append(VerificationCheck("subject", False, f"it is for {seen.subject!r}, not for {subject!r}"))
    if event and seen.event and shortened("event", event) not in (seen.event, shortened("event", seen.event)):
        checks.append(VerificationCheck("event", False, f"it holds for {seen.event!r} only"))
    return Verification(
        tuple(checks), seen.number, seen.verdict, seen.subject, seen.item, seen.sheet, seen.event, seen.again
    )


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
    if seal.untouched:
        words = "the signature holds" if seal.intact else "the file was changed after signing"
        yield VerificationCheck("signature", seal.intact, words)
        yield VerificationCheck("unchanged", True, "nothing was added after signing")
    else:
        words = "what was signed still holds" if seal.intact else "the file was changed after signing"
        yield VerificationCheck("signature", seal.intact, words)
        yield VerificationCheck("unchanged", False, "something was added to the file after signing")


def _signer_of(seal: Seal, counter: Counter) -> tuple[Signer | None, Keyring | None]:
    """The inspector, and the issuer that vouches for the certificate used: by its key, never by its name."""
    for ring in counter.keyrings:
        for signer in ring.signers:
            if signer.certificate == seal.certificate:
                return signer, ring
    ring_of = next((ring for ring in counter.keyrings if ring.ca.subject == seal.certificate.issuer), None)
    return None, ring_of if seal.trusted else None


def _signer_check(seal: Seal, signer: Signer | None, ring: Keyring | None, known: KnownSince) -> VerificationCheck:
    name = _common_name(seal)
    if not seal.trusted or ring is None:
        return VerificationCheck(
            "signer", False, f"it is signed by {name!r}, for whom no issuer that is trusted here vouches"
        )
    number = seal.number
    if number and not number.startswith(f"{ring.code}-"):
        return VerificationCheck("signer", False, f"{ring.name} gives no numbers like {number}")
    words = f"signed by {name} for {ring.name}"
    if signer is None:
        return VerificationCheck("signer", True, words)
    return _office_check(signer, words, known, seal.signed_at)


def _common_name(seal: Seal) -> str:
    from cryptography.x509.oid import NameOID

    try:
        return attribute(seal.certificate, NameOID.COMMON_NAME)
    except ValueError:
        return "somebody without a name"


def _office_check(signer: Signer, words: str, known: KnownSince, stated: datetime | None) -> VerificationCheck:
    """Whether a key was in use when it signed: not before its time, not after it, not after it was retired."""
    now, certificate = datetime.now(UTC), signer.certificate
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now < begins:
        why = f"{signer.name}'s key begins on {begins.date()}: is this computer's clock right?"
        return VerificationCheck("signer", False, why)
    if now > ends:
        return _ended_check(signer, words, known)
    return _retired_check(signer, words, known, stated) if signer.retired else VerificationCheck("signer", True, words)


def _ended_check(signer: Signer, words: str, known: KnownSince) -> VerificationCheck:
    """A key whose time is over: its signatures count if they were there before, by the word of somebody else."""
    ends = signer.certificate.not_valid_after_utc
    when = known.proven or (known.registered if not (signer.retired and signer.retired.compromised) else None)
    last = min(ends, signer.retired.since) if signer.retired else ends
    if when is not None and when <= last:
        return VerificationCheck("signer", True, f"{words}, before that key ended on {ends.date()}")
    why = f"{signer.name}'s key ended on {ends.date()}, and no registry, witness or timestamp here proves"
    return VerificationCheck("signer", False, f"{why} that this was signed before")


def _retired_check(signer: Signer, words: str, known: KnownSince, stated: datetime | None) -> VerificationCheck:
    """A key that is out of use now: the registry's word on the time counts, and the signer's own.

    Of a stolen key neither does: only what somebody else had seen before proves that it was there before.
    """
    retired = signer.retired
    if retired is None:
        return VerificationCheck("signer", True, words)
    when = known.proven if retired.compromised else known.registered or stated
    if when is not None and when <= retired.since:
        return VerificationCheck("signer", True, f"{words}, before that key was retired on {retired.since.date()}")
    why = f"{signer.name}'s key was {'compromised' if retired.compromised else 'retired'} on {retired.since.date()}"
    if retired.compromised:
        why = f"{why}, and no witness or timestamp proves that this was signed before"
    return VerificationCheck("signer", False, why)


def _stamp_checks(stamps: Sequence[Timestamp]) -> Iterator[VerificationCheck]:
    """The earliest timestamp in the file that is believed, or that there are only others."""
    believed = next((each for each in stamps if each.trusted), None)
    if believed is not None:
        said = f"timestamped by {believed.server} on {believed.at:%Y-%m-%d %H:%M} UTC"
        yield VerificationCheck("timestamp", True, said)
    elif stamps:
        said = f"its timestamp is by {stamps[0].server}, a server that is not believed here"
        yield VerificationCheck("timestamp", None, said)


def _record_check(content: bytes, pages: tuple[str, ...], seal: Seal) -> VerificationCheck:
    """The attached record against what is printed: every page carries its digest and the number.

    The digest is that of the bytes, as a later version may write the same record differently.
    """
    if msgspec.json.encode(msgspec.json.decode(content), order="sorted") != content:
        return VerificationCheck("record", False, "the attached record is not written as this program writes it")
    digest = hashlib.sha256(content).hexdigest()
    reference = digest[:_REFERENCE_DIGITS].upper()
    for place, letters in enumerate(pages, start=1):
        if reference not in letters or (seal.number and seal.number not in letters):
            return VerificationCheck("record", False, f"the attached record is not the one printed on page {place}")
    claim = _claim_in(seal)
    if claim is None or (claim.digest, claim.number) != (digest[: 2 * DIGEST_BYTES], seal.number):
        return VerificationCheck("record", False, "the QR code belongs to another record")
    return VerificationCheck("record", True, "the record is the printed one")


def _claim_in(seal: Seal) -> Claim | None:
    try:
        return read(seal.qr).claim
    except InspectKitError:
        return None


def _qr_seal_checks(signed: SignedClaim, counter: Counter, known: KnownSince) -> Iterator[VerificationCheck]:
    code = number_of(signed.claim.number).issuer
    rings = [ring for ring in counter.keyrings if ring.code == code]
    found = [(signer, ring) for ring in rings if (signer := ring.signer(signed.signer))]
    if not found:
        yield VerificationCheck("signature", None, "the signature cannot be checked")
        yield VerificationCheck("signer", False, f"the key {signed.signer} of {code} is not known here")
        return
    signer, ring = next((pair for pair in found if pair[0].check_seal(signed.message, signed.signature)), found[0])
    intact = signer.check_seal(signed.message, signed.signature)
    yield VerificationCheck(
        "signature", intact, "the signature holds" if intact else "the text was changed: its signature fails"
    )
    words = f"signed by {signer.name} for {ring.name}"
    stated = datetime.fromisoformat(f"{signed.claim.issued_on}T00:00:00+00:00")
    yield (
        _office_check(signer, words, known, stated)
        if intact
        else VerificationCheck("signer", None, "signed by nobody known")
    )


def _registered(number: str, qr: str, counter: Counter) -> tuple[CertificateStatus | None, KnownSince]:
    """What the registry knows of a number, and since when."""
    if counter.registry is None:
        return None, KnownSince(proven=_proven_by_file(qr, counter))
    try:
        number_of(number)
    except InspectKitError:
        return None, KnownSince()
    with counter.registry.reading() as connection:
        standing = find(connection, number)
        entry = entry_of(connection, standing.entry) if standing else None
    if entry is None:
        return standing, KnownSince(proven=_proven_by_file(qr, counter))
    proven = [each for each in (_proven_here(entry.id, counter), _proven_by_file(qr, counter)) if each]
    return standing, KnownSince(datetime.fromisoformat(entry.at), min(proven, default=None))


def _proven_here(entry: int, counter: Counter) -> datetime | None:
    """The first moment at which somebody else had seen an entry in the log of the registry here."""
    if counter.registry is None:
        return None
    try:
        return seen_in_log(counter.registry, entry, counter.keyrings, counter.believed).first
    except BrokenSeal:
        return None


def _proven_by_file(qr: str, counter: Counter) -> datetime | None:
    """The same, by the proof that came with the certificate."""
    if counter.proof is None or proof_fault(counter.proof, "", qr, counter.keyrings):
        return None
    return counted((counter.proof.checkpoint,), counter.believed).first


def _log_checks(
    standing: CertificateStatus | None, counter: Counter, digest: str, qr: str
) -> Iterator[VerificationCheck]:
    """Whether it stands in the log, who has seen that, and whether the registry is all that was seen of it."""
    if counter.proof is not None:
        fault = proof_fault(counter.proof, digest, qr, counter.keyrings)
        seen = counted((counter.proof.checkpoint,), counter.believed)
        # Where the registry is, its log says the same below.
        said = "its proof holds" if standing is not None else f"proven to be {seen.sentence}"
        yield VerificationCheck("proof", not fault, fault or said)
    if counter.registry is None or standing is None:
        return
    lost = counter.registry.lost() or _fault_in_chain(counter.registry, standing, counter.keyrings)
    if lost:
        yield VerificationCheck("log", False, f"the registry is not to be believed: {sentence(lost)}")
        return
    try:
        found = seen_in_log(counter.registry, standing.entry, counter.keyrings, counter.believed)
    except BrokenSeal as problem:
        yield VerificationCheck("log", False, str(problem))
        return
    yield VerificationCheck("log", True if found.first else None, found.sentence)


def _fault_in_chain(registry: Registry, standing: CertificateStatus, keyrings: Sequence[Keyring]) -> Notice | None:
    """What speaks against the registry's word on a certificate, whatever this computer has seen before."""
    with registry.reading() as connection:
        found, entry = rows_fault(connection, standing), entry_of(connection, standing.entry)
    return found or (signature_fault(entry, signer_of(entry, keyrings)) if entry else None)


def _registry_check(
    number: str, standing: CertificateStatus | None, counter: Counter, digest: str, record: str = ""
) -> VerificationCheck:
    if standing is not None:
        if digest and standing.pdf != digest and record == standing.record:
            said = "registered; this file is another copy of it, such as in another language"
            return VerificationCheck("registry", True, said)
        if digest and standing.pdf != digest:
            return VerificationCheck("registry", False, f"the registry has another file for {number}")
        return VerificationCheck("registry", True, "registered")
    if _keeps_series(number, counter):
        return VerificationCheck(
            "registry", False, f"the registry does not know {number or 'a certificate without a number'}"
        )
    return VerificationCheck("registry", None, "its registry is not here, so revocation cannot be seen")


def _keeps_series(number: str, counter: Counter) -> bool:
    """Whether the registry here is the issuer's own, so that not knowing a number means something."""
    try:
        code = number_of(number).issuer
    except InspectKitError:
        return True
    if counter.registry is None:
        return False
    with counter.registry.reading() as connection:
        return code == counter.own or has_series(connection, code)


def _standing_checks(standing: CertificateStatus | None, claim: Claim | None, on: date) -> Iterator[VerificationCheck]:
    if standing is not None:
        yield _revoked_check(standing)
        if standing.replaced_by:
            yield VerificationCheck("replaced", False, f"it was replaced by {standing.replaced_by}")
    last = standing.valid_until if standing else claim.valid_until if claim else ""
    if last and last < on.isoformat():
        yield VerificationCheck("expired", False, f"it expired on {last}")
    elif last:
        yield VerificationCheck("expired", True, f"valid until {last}")
    elif claim and claim.event:
        yield VerificationCheck("expired", True, f"valid for {claim.event}")
    elif claim and claim.verdict == Verdict.CONFORMS:
        yield VerificationCheck("expired", True, "valid without end")


def _revoked_check(standing: CertificateStatus) -> VerificationCheck:
    if standing.revoked_at:
        return VerificationCheck(
            "revoked", False, f"it was revoked on {standing.revoked_at[:10]}: {standing.revoked_because}"
        )
    return VerificationCheck("revoked", True, "not revoked")
