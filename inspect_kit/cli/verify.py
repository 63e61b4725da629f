"""`verify`: what holds of a certificate, in one line, without the internet."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.bounded_process import BoundedProcess
from inspect_kit.capture.files import read_bytes
from inspect_kit.certificate.issue.qr import looks_like_qr
from inspect_kit.certificate.issue.verify import MAX_PDF_BYTES, Counter, Verification, compare, verify_pdf, verify_qr
from inspect_kit.cli.issuer import own_issuer, registry_if_any, trusted, witnesses_of
from inspect_kit.cli.log import read_note
from inspect_kit.cli.options import home_of, json_option, today
from inspect_kit.cli.output import EXIT_CODES, print_json
from inspect_kit.errors import BadInput, BrokenSeal
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.registry.log.notes import LogProof, proof_of

_MEMORY: Final = 1_500_000_000
"""Bytes for taking a PDF apart: a certificate with ten photos takes a fifth of it."""

_SECONDS: Final = 60.0


@click.command("verify")
@click.argument("what", metavar="FILE.pdf|QR-TEXT")
@click.option("--subject", default="", help="The thing on the table: it must be the one that was certified.")
@click.option("--event", default="", help="The event: a certificate for another one does not hold.")
@click.option(
    "--proof",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Its .tlog-proof [default: the one beside the PDF].",
)
@click.option("--on", type=click.DateTime(["%Y-%m-%d"]), help="The day it must be valid on (default: today).")
@json_option
@click.pass_context
def command(ctx: click.Context, /, what: str, subject: str, event: str, as_json: bool, **given: Any) -> int:
    """Check a certificate: its signature, signer, record, registry, revocation and expiry.

    Leaves with 0 if it holds and the item conforms, 1 or 3 if it is a genuine report that the item fails or is
    undecided, and 5 if anything does not hold: changed, not trusted, revoked, replaced, expired.

    \b
    Example:
      inspect-kit verify striker.pdf
      inspect-kit verify striker.pdf --subject "Striker 7" --event "Prague Open"
    """
    counter = _counter(ctx, given["on"], _proof(what, given["proof"]))
    seen = compare(_looked_at(what, counter), subject, event)
    code = EXIT_CODES[Verdict(seen.verdict)] if seen.holds and seen.verdict else BrokenSeal.exit_code
    if as_json:
        print_json(_described(seen))
    else:
        _print(seen)
    return code


def _counter(ctx: click.Context, day: object, proof: LogProof | None) -> Counter:
    from datetime import datetime

    home = home_of(ctx)
    own = own_issuer(home)
    on = day.date() if isinstance(day, datetime) else today()
    return Counter(trusted(home), own.code if own else "", registry_if_any(ctx), on, witnesses_of(home), proof)


def _proof(what: str, told: Path | None) -> LogProof | None:
    """The proof that was named, or that lies beside the PDF."""
    path = told
    if path is None and not looks_like_qr(what) and len(what) < 4000:
        path = beside if (beside := Path(what).with_suffix(".tlog-proof")).is_file() else None
    return proof_of(read_note(path)) if path else None


def _looked_at(what: str, counter: Counter) -> Verification:
    if looks_like_qr(what):
        return verify_qr(what, counter)
    try:
        with BoundedProcess(_MEMORY) as aside:
            return verify_pdf(read_bytes(Path(what), MAX_PDF_BYTES), counter, partial(aside.do, _SECONDS))
    except BadInput as problem:
        hint = problem.fault.hint or "name a certificate's PDF, or paste the text of its QR code"
        raise BadInput(problem.fault.why, where=problem.fault.where or what[:200], hint=hint) from None


def _print(seen: Verification) -> None:
    """One line; what the rules want checked again goes to those who read on."""
    against = [check.sentence for check in seen.checks if check.holds is False]
    if against:
        name = f"{seen.number}: " if seen.number else ""
        click.echo(f"{click.style('DOES NOT HOLD', fg='red', bold=True)}  {name}{'; '.join(against)}")
        return
    said = ", ".join(check.sentence for check in seen.checks)
    what = f"{seen.number} {seen.subject!r} {seen.verdict} ({seen.sheet}, {seen.item})"
    click.echo(f"{click.style('HOLDS', fg='green')}  {what}: {said}")


def _described(seen: Verification) -> dict[str, object]:
    checks = {check.name: {"holds": check.holds, "sentence": check.sentence} for check in seen.checks}
    return {
        "holds": seen.holds, "number": seen.number or None, "verdict": seen.verdict or None, "subject": seen.subject,
        "item": seen.item, "spec": seen.sheet, "event": seen.event, "checks": checks,
        "check_again": list(seen.again),
    }  # fmt: skip
