"""`ik.certify` and `ik.verify`: a signed, registered PDF from what was judged, and what holds of one."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from functools import partial
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_kit.api.notebook import Paths, day_of, home_of, outside_event_loop, print_warnings, table
from inspect_kit.clock import now

if TYPE_CHECKING:
    from datetime import date

    from inspect_kit.api.judging import Judged
    from inspect_kit.certificate.issue.issue import Issued


@dataclass(frozen=True)
class CertificationResult:
    """What was issued, by the names of `certify --json`."""

    number: str
    verdict: str
    pdf: Path
    digest: str
    qr: str

    def _repr_html_(self) -> str:
        names = ("number", "verdict", "pdf", "digest")
        return table(("certificate", ""), [(name, str(getattr(self, name))) for name in names])


def certify(
    judged: Judged,
    *,
    subject: str,
    out: Paths,
    owner: str = "",
    event: str = "",
    lang: str = "en",
    home: Paths | None = None,
    **further: str,
) -> CertificationResult:
    """Register what was judged and issue the signed PDF; what fails or is undecided gets an inspection report.

    Needs keys (`inspect-kit keys init`); a passphrase comes from INSPECT_KIT_PASSPHRASE. `further`: place, inspector,
    condition, issuer, issuer_address, signer, valid, replaces, because, as the command's options.
    """
    from inspect_kit.certificate.issue.desk import issue_outcome, opened_key, registry_at
    from inspect_kit.certificate.issue.issue import Desk, Request
    from inspect_kit.errors import UsageError
    from inspect_kit.inspection.record import Subject

    given = {**further, "owner": owner, "event": event}
    valid, replaces, because, signer = (given.pop(name, "") for name in ("valid", "replaces", "because", "signer"))
    replaced = (replaces,) if replaces else ()
    request = partial(Request, out=Path(out), language=lang, valid=valid, replaces=replaced, because=because)
    unknown = [name for name in given if name not in Subject.__struct_fields__]
    if unknown:
        raise UsageError(
            "certify-knows-no", unknown=unknown[0][:40], struct_fields=", ".join(Subject.__struct_fields__[1:])
        )

    def issued() -> Issued:
        place = home_of(home)
        key = opened_key(place, signer, given.get("inspector", ""), _passphrase)
        registry, told = registry_at(place)
        item = Subject(str(subject or ""), **given)
        made = issue_outcome(Desk(place, registry, key, now()), judged.outcome, item, request)
        print_warnings((*told, *made.notices))
        return made

    made = outside_event_loop(issued)
    return CertificationResult(made.number, made.verdict, made.pdf, made.digest, made.qr)


def _passphrase(home: Path, who: str | None) -> bytes | None:
    """The passphrase of an inspector's keys, where they have one."""
    from inspect_kit.certificate.issue.keys import PASSPHRASE, needs_passphrase
    from inspect_kit.errors import UsageError

    if not needs_passphrase(home, who):
        return None
    given = os.environ.get(PASSPHRASE) or (getpass(f"{who or PASSPHRASE}: ") if sys.stdin.isatty() else "")
    if not given:
        raise UsageError("passphrase-needed", passphrase=PASSPHRASE)
    return given.encode()


@dataclass(frozen=True)
class Verified:
    """What holds of a certificate, by the names of `verify --json`."""

    holds: bool
    number: str | None
    verdict: str | None
    checks: dict[str, dict[str, Any]]
    data: dict[str, Any] = field(repr=False)

    def _repr_html_(self) -> str:
        rows = [(name, "holds" if check["holds"] else "–" if check["holds"] is None else "does not hold",
                 check["sentence"]) for name, check in self.checks.items()]  # fmt: skip
        return table(("check", "", ""), [(self.number or "", "holds" if self.holds else "does not hold", ""), *rows])


def verify(
    what: Paths, *, subject: str = "", event: str = "", on: date | str | None = None, home: Paths | None = None
) -> Verified:
    """Check a certificate by its file or by the text of its QR code: signature, record, registry, expiry.

    The file is taken apart in this process; the command does it in one of its own, bounded in memory and time.
    """
    from inspect_kit.capture.files import read_bytes
    from inspect_kit.certificate.issue.desk import has_registry, registry_at
    from inspect_kit.certificate.issue.qr import looks_like_qr
    from inspect_kit.certificate.issue.trust import proof_beside, trust_context
    from inspect_kit.certificate.issue.verify import MAX_PDF_BYTES, compare, verify_pdf, verify_qr

    text = str(what)

    def seen() -> dict[str, Any]:
        place, by_code = home_of(home), looks_like_qr(text)
        proof = None if by_code else proof_beside(Path(text))
        registry, told = registry_at(place) if has_registry(place) else (None, ())
        print_warnings(told)
        counter = trust_context(place, registry, day_of(on), proof)
        # A child process would run an unguarded script a second time.
        found = verify_qr(text, counter) if by_code else verify_pdf(read_bytes(Path(text), MAX_PDF_BYTES), counter)
        return compare(found, subject, event).data()

    data = outside_event_loop(seen)
    return Verified(data["holds"], data["number"], data["verdict"], data["checks"], data)
