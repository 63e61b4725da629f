"""`registry checkpoint|witness|witnessed|proof`: the registry as a log that others have seen, by file or QR code."""

import io
from pathlib import Path

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import read_text
from inspect_kit.certificate.issue.seals import signed_by_log
from inspect_kit.certificate.issue.trust import trusted, witnesses_of
from inspect_kit.cli.issuer import desk_of, registry_here
from inspect_kit.cli.options import FILE, FOLDER, home_folder, json_option, signer_option
from inspect_kit.cli.terminal import print_result, said
from inspect_kit.clock import now
from inspect_kit.errors import BadInput, BrokenSeal
from inspect_kit.registry.chain import entry_of
from inspect_kit.registry.log import tree
from inspect_kit.registry.log.cosigner import open_cosigner
from inspect_kit.registry.log.notes import LONGEST, Checkpoint, checkpoint_of, request_of
from inspect_kit.registry.opening import Transaction
from inspect_kit.registry.search import known

PICTURES = {".png", ".svg", ".pdf"}
_PHOTOS = {".png", ".jpg", ".jpeg", ".heic"}
_LEAST_SIDE = 720
"""Pixels of a picture's side: readers of photos, ours too, take smaller ones for previews."""

MOST_IN_A_CODE = 2800
"""Bytes that a QR code of the largest size holds at the lowest correction: 2,953."""


def write_note(out: Path, text: str) -> None:
    """A note as a file, or as a QR code where the file is to be a picture."""
    if out.suffix.lower() not in PICTURES:
        write_whole(out, text.encode())
        return
    if len(text.encode()) > MOST_IN_A_CODE:
        raise BadInput("too-long-qr-code", where=str(out))
    import segno

    picture = io.BytesIO()
    code = segno.make(text, error="l", micro=False)
    scale = max(4, -(-_LEAST_SIDE // code.symbol_size()[0]))
    code.save(picture, kind=out.suffix[1:].lower(), scale=scale, border=4)
    write_whole(out, picture.getvalue())


def read_note(path: Path) -> str:
    """A note from a file, or from a photo of its QR code."""
    if path.suffix.lower() not in _PHOTOS:
        return read_text(path, LONGEST)
    from inspect_kit.capture.files import read_bytes
    from inspect_kit.vision.reference.qr_code import read_code

    return read_code(read_bytes(path))


@click.command("checkpoint")
@click.option("--since", type=click.IntRange(min=0),
              help="Entries the witness has seen [default: the last it signed].")  # fmt: skip
@signer_option
@click.option("-o", "--out", required=True, type=FILE, help="Text file, or .png/.svg/.pdf for a QR code.")
@json_option
def checkpoint_command(since: int | None, signer: str, out: Path) -> None:
    """The log's size and root, signed, for a witness to sign too.

    \b
    Example:
      inspect-kit registry checkpoint -o stick/pcc.txt
    """
    desk = desk_of(signer)
    with desk.registry.reading() as connection:
        signed = tree.checkpoint(connection, desk.key.issuer.code).signed(desk.key.qr_key)
        seen = [note.size for note in tree.kept_checkpoints(connection) if note.times()]
        old = since if since is not None else max(seen, default=0)
        if old > signed.size:
            raise BadInput("log-only-entries", where="--since", size=signed.size)
        asked = tree.request_since(connection, signed, old)
    write_note(out, str(asked))
    data = {"origin": signed.origin, "size": signed.size, "root": signed.root.hex(), "since": old, "file": str(out)}
    print_result(data, said("checkpoint-written", **data))


@click.command("witness")
@click.argument("file", required=False, type=FILE)
@click.option("--name", default="", help="What this witness is called; needed once.")
@click.option("--folder", type=FOLDER, help="Where the witness lives, such as a USB stick [default: this home].")
@click.option("-o", "--out", type=FILE, help="Where the signed checkpoint goes.")
@json_option
def witness_command(file: Path | None, name: str, folder: Path | None, out: Path | None) -> None:
    """Be a witness: sign another registry's checkpoint, if it continues what was signed before.

    Without a file it prints the witness's public key, for `keys witness` at the desks that are to believe it.
    The issuer must be trusted here (keys trust). A log that was rewritten is refused, whoever holds its keys.

    \b
    Example:
      inspect-kit registry witness --name ifta.example/desk-2
      inspect-kit registry witness pcc.txt -o pcc-signed.txt
    """
    home = home_folder()
    own = open_cosigner(folder or home / "witness", name)
    if file is None:
        print_result({"name": own.name, "key": str(own.verifier)}, str(own.verifier))
        return
    if out is None:
        raise click.MissingParameter(param_hint="'-o' / '--out'", param_type="option")
    asked = request_of(read_note(file))
    if not signed_by_log(asked.checkpoint, trusted(home)):
        raise BrokenSeal("not-signed-issuer-trusted-here", where=str(file))
    signed = own.cosign(asked, now())
    write_note(out, str(signed))
    told = {"origin": signed.origin, "size": signed.size, "witness": own.name, "file": str(out)}
    print_result(told, said("witness-signed", **told))


@click.command("witnessed")
@click.argument("file", type=FILE)
def witnessed_command(file: Path) -> None:
    """Bring back what a witness has signed, so that certificates can show it.

    \b
    Example:
      inspect-kit registry witnessed stick/pcc-signed.txt
    """
    note, registry = checkpoint_of(read_note(file)), registry_here()
    names = [witness.name for witness in witnesses_of(home_folder()) if note.seen_at(witness) is not None]
    if not names:
        raise BrokenSeal("signed-no-witness-believed-here", where=str(file))
    with registry.writing() as connection:
        _check_ours(connection, note)
        fresh = tree.keep_checkpoint(connection, note)
    click.echo(said("witnessed" if fresh else "witnessed-already", witnesses=", ".join(names), size=note.size))


def _check_ours(connection: Transaction, note: Checkpoint) -> None:
    if not signed_by_log(note, trusted(home_folder())):
        raise BrokenSeal("issuer-not-trusted-here", where=note.origin)
    if tree.root_at(connection, note.size) != note.root:
        raise BrokenSeal("registry-not-log-entries-witnessed", where=note.origin, size=note.size)


@click.command("proof")
@click.argument("number")
@signer_option
@click.option("-o", "--out", required=True, type=FILE, help="A .tlog-proof file, or .png/.svg/.pdf for a QR code.")
def proof_command(number: str, signer: str, out: Path) -> None:
    """The proof that a certificate stands in the log, to go with its PDF; with the witnesses who have seen it.

    \b
    Example:
      inspect-kit registry proof PCC-2026-000123-J -o striker.tlog-proof
    """
    registry = registry_here()
    with registry.reading() as connection:
        standing = known(connection, number)
        entry = entry_of(connection, standing.entry)
        if entry is None:
            raise BrokenSeal("number-without-entry", where=standing.number)
        notes = tree.kept_checkpoints(connection, entry.id)
        if not notes:
            desk = desk_of(signer)
            notes = [tree.checkpoint(connection, desk.key.issuer.code).signed(desk.key.qr_key)]
        if out.suffix.lower() in PICTURES:
            # A timestamp server's token is longer than what a QR code holds.
            notes = [note.without_tokens() for note in notes]
        best = max(notes, key=lambda note: (len(note.signatures), note.size))
        proof = tree.proof_in(connection, entry, best)
    write_note(out, str(proof))
    seen = {"size": best.size, "signatures": len(best.signatures)}
    click.echo(said("proof-written", number=standing.number, file=out, **seen))
