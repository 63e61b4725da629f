"""`verify`: what holds of a certificate, in one line, without the internet."""

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.bounded_process import BoundedProcess
from inspect_kit.capture.files import read_bytes
from inspect_kit.certificate.content.wording import Wording, wording_for
from inspect_kit.certificate.issue import verify
from inspect_kit.certificate.issue.qr import looks_like_qr
from inspect_kit.certificate.issue.trust import proof_beside, trust_context
from inspect_kit.cli.issuer import registry_if_any
from inspect_kit.cli.options import FILE, day_option, home_folder, json_option, language_option
from inspect_kit.cli.terminal import EXIT_CODES, print_result, styled
from inspect_kit.cli.trust.log import read_note
from inspect_kit.clock import today
from inspect_kit.errors import BadInput, BrokenSeal, notice
from inspect_kit.registry.log.notes import proof_of
from inspect_kit.registry.numbers import shaped_like_number
from inspect_kit.registry.search import known

_MEMORY: Final = 1_500_000_000
"""Bytes for taking a PDF apart: a certificate with ten photos takes a fifth of it."""

_SECONDS: Final = 60.0
"""Seconds for taking one PDF apart, or for finding the code in one photo."""
_LONGEST_NAME: Final = 4000
"""Characters from which on a text is not taken for the name of a folder."""
_MOST_FILES: Final = 5000
"""PDFs of one folder."""
_PHOTOS: Final = (".jpg", ".jpeg", ".png", ".heic", ".webp")
_GRAVITY: Final = (0, 3, 1, 5)
"""Exit codes of a folder: the worst of its files."""


@click.command("verify")
@click.argument("what", metavar="FILE.pdf|NUMBER|QR-TEXT|PHOTO|FOLDER")
@click.option("--subject", default="", help="The thing on the table: it must be the one that was certified.")
@click.option("--event", default="", help="The event: a certificate for another one does not hold.")
@click.option("--proof", type=FILE, help="Its .tlog-proof [default: the one beside the PDF].")
@day_option("--on", "The day it must be valid on (default: today).")
@language_option
@json_option
def command(what: str, subject: str, event: str, **given: Any) -> int:
    """Check a certificate: its signature, signer, record, registry, revocation and expiry.

    However it is asked for: its PDF, its number, the text or a photo of its QR code; of a folder, every PDF in it.
    Leaves with 0 if it holds and the item conforms, 1 or 3 if it is a genuine report that the item fails or is
    undecided, and 5 if anything does not hold: changed, not trusted, revoked, replaced, expired.

    \b
    Example:
      inspect-kit verify striker.pdf
      inspect-kit verify PCC-2026-000123-J
      inspect-kit verify striker.pdf --subject "Striker 7" --event "Prague Open"
    """
    asked = _files_in(what) if not looks_like_qr(what) and len(what) < _LONGEST_NAME and Path(what).is_dir() else [what]
    trusting = ((each, _trust_for(each, given["proof"], given["on"])) for each in asked)
    answers = [verify.compare(_looked_at(each, trust), subject, event) for each, trust in trusting]
    words = wording_for(given["language"])
    names = [""] if asked == [what] else [f"{Path(name).name}: " for name in asked]
    data = [seen.data() for seen in answers]
    lines = (name + _line(seen, words) for name, seen in zip(names, answers, strict=True))
    print_result(data[0] if asked == [what] else data, *lines)
    return max(map(_exit_code, answers), key=_GRAVITY.index)


def _exit_code(seen: verify.Verification) -> int:
    return EXIT_CODES[seen.verdict] if seen.holds and seen.verdict else BrokenSeal.exit_code


def _files_in(folder: str) -> list[str]:
    """The PDFs of a folder, by name."""
    found = sorted(str(path) for path in Path(folder).iterdir() if path.suffix.lower() == ".pdf")
    if not found:
        raise BadInput("holds-no-pdf", where=folder)
    if len(found) > _MOST_FILES:
        raise BadInput("holds-pdfs-most-looked", where=folder, count=len(found), most_files=_MOST_FILES)
    return found


def _trust_for(what: str, proof: Path | None, on: datetime | None) -> verify.TrustContext:
    """With the proof that was named, or that lies beside the PDF."""
    named = not looks_like_qr(what) and len(what) < _LONGEST_NAME
    told = proof_of(read_note(proof)) if proof else proof_beside(Path(what)) if named else None
    return trust_context(home_folder(), registry_if_any(), on.date() if on else today(), told)


def _looked_at(what: str, trust: verify.TrustContext) -> verify.Verification:
    if looks_like_qr(what):
        return verify.verify_qr(what, trust)
    if shaped_like_number(what) and not Path(what).exists():
        return _by_number(what, trust)
    try:
        if Path(what).suffix.lower() in _PHOTOS:
            return verify.verify_qr(_code_in(Path(what)), trust)
        with BoundedProcess(_MEMORY) as aside:
            return verify.verify_pdf(read_bytes(Path(what), verify.MAX_PDF_BYTES), trust, partial(aside.do, _SECONDS))
    except BadInput as problem:
        advice = problem.fault.advice if problem.hint else notice("name-pdf-or-qr")
        raise BadInput.of(problem.fault, where=problem.where or what[:200], advice=advice) from None


def _by_number(number: str, trust: verify.TrustContext) -> verify.Verification:
    """A certificate that the registry here knows: by the text of its QR code, which is signed."""
    if trust.registry is None:
        raise BadInput("no-registry-here-look-up", where=number)
    with trust.registry.reading() as connection:
        return verify.verify_qr(known(connection, number).qr, trust)


def _code_in(photo: Path) -> str:
    """The text of the QR code in a photo; OpenCV is loaded only for that, and kept within bounds."""
    from inspect_kit.vision.reference.qr_code import read_code

    with BoundedProcess(_MEMORY) as aside:
        return str(aside.do(_SECONDS, read_code, read_bytes(photo, verify.MAX_PDF_BYTES)))


def _line(seen: verify.Verification, words: Wording) -> str:
    """Whether it is genuine, then what it says, in the colour of that; what must be checked again is in `--json`."""
    against = [check.said(words.language) for check in seen.checks if check.holds is False]
    if against:
        name = f"{seen.number}: " if seen.number else ""
        return f"{click.style(words.say('check.broken'), fg='red', bold=True)}  {name}{'; '.join(against)}"
    said = ", ".join(check.said(words.language) for check in seen.checks)
    verdict = styled(seen.verdict, words.say(f"overall.{seen.verdict}").upper()) if seen.verdict else ""
    what = f"{seen.number} {seen.subject!r} ({seen.sheet}, {seen.item})"
    return f"{click.style(words.say('check.genuine'), bold=True)}  {verdict}  {what}: {said}"
