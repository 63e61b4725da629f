"""`registry`: what was certified: list, show, revoke, describe, audit, export, backup, restore."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import read_bytes
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.issue.seals import seal_fault, seal_of_signer, seals_in
from inspect_kit.certificate.issue.trust import suspected, trusted
from inspect_kit.cli.issuer import desk_of, registry_here
from inspect_kit.cli.options import FILE, PATH, Given, day_option, home_folder, json_option, signer_option, stacked
from inspect_kit.cli.terminal import EXIT_CODES, columns, lang, print_result, said, said_of, wants_json, warn, within
from inspect_kit.cli.trust.log import checkpoint_command, proof_command, witness_command, witnessed_command
from inspect_kit.cli.trust.timestamp import timestamp_command
from inspect_kit.clock import now, today
from inspect_kit.errors import BrokenSeal, Notice, UsageError, notice, sentence
from inspect_kit.inspection.names import clean
from inspect_kit.registry.amendments import Acceptance, accept_older, describe, revoke
from inspect_kit.registry.auditing import Audit, audit, tidy
from inspect_kit.registry.backup import back_up, restore
from inspect_kit.registry.chain_index import rows_fault
from inspect_kit.registry.entries import Thing
from inspect_kit.registry.inspections import InspectionQuery, uncertified
from inspect_kit.registry.numbers import Number, number_of
from inspect_kit.registry.roles import role_statements
from inspect_kit.registry.search import (
    FORMATS,
    STATES,
    CertificateStatus,
    RegistryQuery,
    backing,
    known,
    listing,
    row_of,
)

_limit_option = click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True,
                             help="At most so many.")  # fmt: skip
_subject_option = click.option("--subject", default="", help="The thing; its beginning is enough.")
_spec_option = click.option("--spec", "sheet", default="", help="The sheet.")
_verdict_option = click.option("--verdict", type=click.Choice(list(EXIT_CODES)), help="What was found.")
_filters = stacked(
    click.option("--owner", default="", help="Whose it is; any part of the name, accents and case do not matter."),
    _subject_option,
    click.option("--event", default="", help="The event."),
    _spec_option,
    _verdict_option,
    click.option("--state", type=click.Choice(STATES), help="How it stands today."),
    day_option("--since", "Issued on this day or later."),
    day_option("--until", "Issued on this day or before."),
    click.option("--search", default="", help="Words anywhere in number, subject, owner, inspector or event."),
)

# `registry inspections`: what was inspected without a certificate of its own, such as the photos of a batch.


@click.command("inspections")
@_subject_option
@_spec_option
@_verdict_option
@_limit_option
@json_option
def inspections(subject: str, sheet: str, verdict: str | None, limit: int) -> None:
    """Inspections without a certificate, the newest first: what batch has entered.

    \b
    Example:
      inspect-kit registry inspections --spec icf-cs --verdict fails
    """
    found = registry_here().ask(uncertified, InspectionQuery(subject, sheet, verdict or ""), limit)
    rows = [tuple(map(said, _INSPECTION_HEADS))]
    rows += [(str(row["entry"]), said_of("verdict", row["verdict"]), row["item"], row["subject"], row["owner"],
              row["sheet"], row["inspected_on"]) for row in found]  # fmt: skip
    print_result(found, *columns(rows) if found else (said("nothing-found"),))


_INSPECTION_HEADS = (
    "head-entry", "head-verdict", "head-item", "head-subject", "head-owner", "head-spec", "head-inspected",
)  # fmt: skip
_HEADS = ("head-number", "head-state", "head-verdict", "head-issued", "head-subject", "head-owner")
_WIDTH = 80
"""Columns of the narrowest terminal that people use; what is cut there is whole in `--json` and `show`."""


@click.group("registry")
def command() -> None:
    """What was certified, and what became of it.

    \b
    Example:
      inspect-kit registry list --owner Novák
      inspect-kit registry show PCC-2026-000123-J
      inspect-kit registry audit
    """


def _wanted(given: Given) -> RegistryQuery:
    days = {name: given[name].date().isoformat() for name in ("since", "until") if given[name]}
    return RegistryQuery(**{name: value or "" for name, value in given.items()} | days)


@command.command("list")
@_filters
@_limit_option
@json_option
def list_certificates(limit: int, **given: Any) -> int:
    """Certificates and reports, the newest first.

    \b
    Example:
      inspect-kit registry list --owner rehackova --state valid
      inspect-kit registry list --search "prague striker" --since 2026-01-01
    """
    on, registry = today(), registry_here()
    with registry.reading() as connection:
        found = list(listing(connection, _wanted(given), on, limit))
    rows = [tuple(map(said, _HEADS))]
    rows += [(s.number, said_of("state", s.state(on)), said_of("verdict", s.verdict), s.issued_on, s.subject, s.owner)
             for s in found]  # fmt: skip
    lines = columns(within(rows, _WIDTH)) if found else (said("nothing-found"),)
    print_result([row_of(standing, on) for standing in found], *lines)
    _warn_of_gauges(found)
    return _unbelieved(registry.lost())


@command.command("show")
@click.argument("number")
@click.option("--pdf", type=PATH, help="Write the certificate's PDF here.")
@click.option("--record", type=PATH, help="Write the inspection record here.")
@json_option
def show(number: str, pdf: Path | None, record: Path | None) -> int:
    """All that is known of one certificate; its PDF and record can be had again.

    \b
    Example:
      inspect-kit registry show PCC-2026-000123-J --pdf again.pdf
    """
    registry = registry_here()
    with registry.reading() as connection:
        standing = known(connection, number)
        behind = backing(connection, standing)
        for path, digest in ((pdf, standing.pdf), (record, standing.record)):
            if path is not None:
                write_whole(path, registry.shelf.take(connection, digest))
    data = {**row_of(standing, today()), **asdict(behind)}
    rows = [(said_of("shown", name), text) for name, value in data.items() for text in _shown(name, value)]
    print_result(data, *columns(rows))
    _warn_of_gauges([standing])
    return _unbelieved(registry.lost() or registry.ask(rows_fault, standing))


def _warn_of_gauges(shown: Iterable[CertificateStatus]) -> None:
    """Those whose verdict hangs on a gauge that was found bad afterwards."""
    bad = suspected(home_folder())
    told = (
        (each.number, notice("check-gauge-suspected", gauge=bad[each.number])) for each in shown if each.number in bad
    )
    warn(*(f"{number}: {sentence(why, lang())}" for number, why in told))


def _unbelieved(why: Notice | None) -> int:
    """The exit code after what the tables say was shown; that they are not to be believed is told beside it."""
    if why is None:
        return 0
    warn(sentence(notice("check-registry-not-believed", why=why), lang()))
    return BrokenSeal.exit_code


def _shown(name: str, value: object) -> Iterator[str]:
    if isinstance(value, list | tuple | dict):
        parts = [value] if isinstance(value, dict) else list(value)
        texts = (" ".join(str(cell) for cell in part.values() if cell) if isinstance(part, dict) else str(part)
                 for part in parts)  # fmt: skip
        yield from filter(None, texts)
    elif value != "":
        coded = name in ("state", "verdict", "kind")
        # An edition as its sheet's wording has it; names and digests as they are.
        text = wording_for(lang()).sentence(str(value)) if name == "edition" else str(value)
        yield said_of(name, text) if coded else text


command.add_command(inspections)
for each in (checkpoint_command, witness_command, witnessed_command, proof_command, timestamp_command):
    command.add_command(each)


@command.command("revoke")
@click.argument("number")
@click.option("--because", required=True, help="Why; it is shown to whoever verifies the certificate.")
@click.option("--by", default="", help="Who revokes it [default: whose key signs].")
@signer_option
@json_option
def revoke_certificate(number: str, because: str, by: str, signer: str) -> None:
    """Withdraw a certificate for good; an inspector's key signs it.

    \b
    Example:
      inspect-kit registry revoke PCC-2026-000123-J --because "the scale was out of calibration"
    """
    reason = clean(because, where="--because", needed=True)
    desk = desk_of(signer)
    registry, at = desk.registry, now()
    revoke(registry, number, reason, clean(by or desk.key.signer.name, where="--by"), at, seal_of_signer(desk.key, at))
    standing = registry.ask(known, number)
    print_result(row_of(standing, today()), said("revoked", number=standing.number, reason=reason))


@command.command("describe")
@click.option("--item", required=True, help="What it is: striker, board, coin-set …")
@click.option("--subject", required=True, help="Which one, as on its certificates.")
@click.option("--owner", default="", help="Whose it is, as on its certificates.")
@click.option("--maker", default="", help="Who made it.")
@click.option("--serial", default="", help="Its serial number.")
@click.option("--photo", type=PATH, help="A photograph, kept as evidence.")
def describe_subject(photo: Path | None, **given: str) -> None:
    """Add maker, serial number and a photograph to what is known of a thing.

    \b
    Example:
      inspect-kit registry describe --item striker --subject "Striker 7" --maker Synco --serial 0417
    """
    texts = {name: clean(text, where=f"--{name}") for name, text in given.items()}
    if not (texts["maker"] or texts["serial"] or photo):
        raise UsageError("thing-unsaid")
    registry = registry_here()
    thing = Thing(texts["item"], texts["subject"], texts["owner"])
    picture = (photo.name, read_bytes(photo)) if photo else None
    entry = describe(registry, thing, (texts["maker"], texts["serial"]), picture, now())
    click.echo(said("described", subject=thing.text, entry=entry.id))


@command.command("audit")
@click.option("--no-files", is_flag=True, help="Leave the evidence files unread.")
@json_option
def audit_registry(no_files: bool) -> int:
    """Walk the whole chain: any change, gap, foreign row or missing file is found and named.

    \b
    Example:
      inspect-kit registry audit
    """
    home, registry = home_folder(), registry_here()
    rings = trusted(home)
    found = audit(registry, lambda connection: seals_in(connection, rings).fault, files=not no_files)
    for fault in () if wants_json() else found.faults:
        click.echo(fault.said(lang()), err=True)
    data = {
        "clean": not found.faults, "entries": found.entries, "certificates": found.certificates, "files": found.files,
        "head": found.head, "orphans": found.orphans, "faults": [asdict(fault) for fault in found.faults],
    }  # fmt: skip
    print_result(data, *_audited(found))
    return BrokenSeal.exit_code if found.faults else 0


def _audited(found: Audit) -> Iterator[str]:
    counts = {"entries": found.entries, "certificates": found.certificates, "files": found.files}
    code = "audit-faults" if found.faults else "audit-clean"
    yield said(code, faults=len(found.faults), head=found.head[:16], **counts)
    if found.orphans:
        yield said("audit-orphans", count=found.orphans)


@command.command("roles")
def roles() -> None:
    """SQL for PostgreSQL roles with least rights: one for desks, one for those who only look.

    \b
    Example:
      inspect-kit registry roles | psql "$OWNER_URL"
    """
    for line in role_statements():
        click.echo(f"{line};")


@command.command("export")
@_filters
@click.option(
    "--format", "layout", type=click.Choice(list(FORMATS)), help="Form [default: csv for OUT.csv, else jsonl]."
)
@click.option("-o", "--out", type=PATH, help="The file to write (default: standard output).")
def export(layout: str | None, out: Path | None, **given: Any) -> None:
    """Certificates and reports for other programs: JSON lines, or CSV for a spreadsheet.

    \b
    Example:
      inspect-kit registry export --format csv --since 2026-01-01 -o 2026.csv
    """
    on = today()
    layout = layout or ("csv" if out and out.suffix.lower() == ".csv" else "jsonl")
    with registry_here().reading() as connection:
        lines = FORMATS[layout](listing(connection, _wanted(given), on), on)
        if out is None:
            sys.stdout.writelines(line.decode() for line in lines)
        else:
            write_whole(out, lines, private=True)


@command.command("backup")
@click.argument("file", type=FILE)
@json_option
def backup(file: Path) -> None:
    """The whole registry with its evidence in one file. Keys are not in it.

    \b
    Example:
      inspect-kit registry backup 2026-11-16.zip
    """
    kept = back_up(registry_here(), file)
    told = {"file": str(file), **asdict(kept)}
    print_result(told, said("backed-up", **told))


@command.command("accept-older")
@click.argument("backup", required=False, type=FILE)
@click.option("--because", required=True, help="Why there is nothing newer; it stands in the chain for good.")
@click.option("--after", multiple=True, help="The newest number known to be out there; one for each series.")
@click.option("--signer", default="", help="Whose key signs it, where there are several.")
@json_option
def accept_older_state(backup: Path | None, because: str, signer: str, **given: Any) -> None:
    """Go on from an older state when the newest is lost: the registry as it lies, or a backup into an empty home.

    Numbers that the lost entries can have given out are left out. Certificates among them stay unknown here, and
    witnesses refuse the log until they are told. A new computer remembers nothing: name the newest number that
    you find on paper with --after.

    \b
    Example:
      inspect-kit registry accept-older 2026-11-14.zip --because "disk broken on 16 November; R. Novák, chief referee"
    """
    reason = clean(because, where="--because", needed=True)
    desk = desk_of(signer)
    after = tuple(_own_number(each, desk.key.issuer.code) for each in given["after"])
    if backup is not None:
        restore(desk.registry, backup, older=True)
    issuer, by = desk.key.issuer, desk.key.signer.name
    word = Acceptance(issuer.code, reason, by, after, lambda entry: not seal_fault(entry, (issuer,)))
    lost = accept_older(desk.registry, word, desk.now, seal_of_signer(desk.key, desk.now))
    data = {"lost": lost, "because": reason, "by": desk.key.signer.name}
    print_result(data, said("older-accepted", lost=lost))


def _own_number(text: str, code: str) -> Number:
    number = number_of(text)
    if number.issuer != code:
        raise UsageError("number-of-another-issuer", where="--after", number=str(number), code=code)
    return number


@command.command("tidy")
@json_option
def tidy_evidence() -> None:
    """Remove evidence that belongs to no entry, as a program leaves it that was ended in the middle.

    \b
    Example:
      inspect-kit registry tidy
    """
    gone = tidy(registry_here())
    print_result({"removed": gone}, said("tidied", count=gone))


@command.command("restore")
@click.argument("file", type=FILE)
@json_option
def restore_registry(file: Path) -> None:
    """Make an empty registry from a backup; also to move from SQLite to PostgreSQL.

    \b
    Example:
      inspect-kit --home new-home registry restore 2026-11-16.zip
    """
    registry = registry_here()
    kept = restore(registry, file)
    print_result({"file": str(file), **asdict(kept)}, said("restored", entries=kept.entries, files=kept.files))
