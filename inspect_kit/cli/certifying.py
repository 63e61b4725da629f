"""`certify`: judge, and issue the certificate, or a report that nobody can mistake for one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import click

from inspect_kit.capture.files import read_bytes
from inspect_kit.capture.measurement_file import Photo
from inspect_kit.certificate.make import make_certificate
from inspect_kit.cli.options import (
    files_argument,
    json_option,
    language_option,
    measurement_files,
    sheet_options,
    task_from,
)  # fmt: skip
from inspect_kit.cli.output import EXIT_CODES, print_json, styled, warn, write_whole
from inspect_kit.errors import BrokenSeal
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Outcome, inspect
from inspect_kit.judgement.finding import Verdict

MAX_PHOTO_BYTES = 60_000_000


@click.command("certify")
@files_argument
@sheet_options
@click.option("--subject", required=True, help="Which thing was inspected: a name, number or mark.")
@click.option("--owner", default="", help="Whose it is.")
@click.option("--event", default="", help="For which event.")
@click.option("--place", default="", help="Where the inspection took place.")
@click.option("--inspector", default="", help="Who inspected it.")
@click.option("--issuer", default="", help="The body that issues the certificate.")
@click.option("--issuer-address", default="", help="Its address.")
@click.option("--condition", default="", help="The item's condition, where it matters.")
@language_option
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="The PDF to write.")
@json_option
@click.pass_context
def command(
    ctx: click.Context, /, files: tuple[Path, ...], out: Path, language: str, as_json: bool, **given: str
) -> int:
    """Judge measurements and issue a certificate as PDF/A with the record inside.

    What fails or is undecided gets an inspection report instead.

    \b
    Example:
      inspect-kit certify striker.csv --spec icf-2001-it --item striker \\
        --subject "Striker 7" --owner "R. Řeháčková" --lang cs -o striker.pdf
    """
    outcome = inspect(task_from(ctx), measurement_files(files))
    subject = Subject(given["subject"], **{name: given[name] for name in Subject.__struct_fields__ if name != "text"})
    warn(outcome.warnings)
    summary = issue(outcome, subject, language, out)
    if as_json:
        print_json(summary)
    else:
        verdict = outcome.judgement.verdict
        kind = "certificate" if verdict is Verdict.CONFORMS else "inspection report"
        click.echo(f"{styled(verdict, verdict.upper())}  {kind} written to {out}")
    return EXIT_CODES[outcome.judgement.verdict]


def issue(outcome: Outcome, subject: Subject, language: str, out: Path) -> dict[str, object]:
    """Make the record and its PDF, write it whole, and say what was made."""
    record = record_of(outcome, subject)
    pdf = make_certificate(record, language=language, photos=photo_evidence(outcome.photos))
    write_whole(out, pdf)
    return {"number": None, "verdict": record.verdict, "pdf": str(out), "digest": record.digest, "qr": None}


def photo_evidence(photos: tuple[Photo, ...]) -> Mapping[str, bytes]:
    """The photographs that lie beside their measurement file, by digest; one that was changed is refused."""
    found: dict[str, bytes] = {}
    for photo in photos:
        path = photo.folder / photo.file
        if not path.is_file():
            warn((f"{photo.file}: the photo is not beside its measurement file; only its digest is printed",))
            continue
        content = read_bytes(path, MAX_PHOTO_BYTES)
        if hashlib.sha256(content).hexdigest() != photo.sha256:
            raise BrokenSeal("is not the photo that was measured: its SHA-256 differs", where=str(path))
        found[photo.sha256] = content
    return found
