"""`registry timestamp`, `keys timestamps` and `certify --timestamp`: the word of a server on the time (RFC 3161)."""

from pathlib import Path
from urllib.parse import urlsplit

import click
from cryptography.hazmat.primitives.serialization import Encoding

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import read_bytes
from inspect_kit.certificate.issue.keyring import Keyring, read_authorities
from inspect_kit.certificate.issue.trust import TIME_SERVERS, time_servers_of, trust_folder
from inspect_kit.cli.about import timestamp_setting
from inspect_kit.cli.issuer import desk_of
from inspect_kit.cli.options import FILE, PATH, home_folder, json_option
from inspect_kit.cli.terminal import lang, print_result, said, warn
from inspect_kit.errors import BadInput, UsageError, notice

_MOST_FILES = 5000
"""Files of one folder that are stamped."""


@click.command("timestamp")
@click.argument("files", nargs=-1, type=PATH, metavar="[FILE.pdf|FOLDER]...")
@click.option("--url", default="", help="The timestamp server [default: `timestamp` in the home's about.toml].")
@click.option("--signer", default="", help="Whose key signs the log's checkpoint, where there are several.")
@json_option
def timestamp_command(files: tuple[Path, ...], url: str, signer: str) -> None:
    """Have a server say when: one timestamp over the whole log, and one in each PDF that is named (PAdES-LTA).

    The one over the log covers every certificate so far, wherever its PDF is; `registry proof` takes it along. Those
    in PDFs are added behind what was signed, in place, and also prove it to readers such as Acrobat.

    \b
    Example:
      inspect-kit registry timestamp --url https://freetsa.org/tsr
      inspect-kit registry timestamp certificates/ striker.pdf
    """
    from inspect_kit.certificate.issue.time_server import TimeServer, stamped
    from inspect_kit.registry.log.tree import checkpoint, keep_checkpoint

    address = server_address(home_folder(), url)
    if not address:
        raise UsageError("server-unsaid", where="--url", hint=notice("timestamp-in-about"))
    server, desk = TimeServer(address), desk_of(signer)
    paths = [found for path in files for found in _pdfs(path)]
    with desk.registry.reading() as connection:
        note = checkpoint(connection, desk.key.issuer.code).signed(desk.key.qr_key)
    note = stamped(note, server)
    with desk.registry.writing() as connection:
        keep_checkpoint(connection, note)
    for path in paths:
        stamp_file(path, address, desk.key.issuer)
    data = {"origin": note.origin, "size": note.size, "url": address, "files": [str(path) for path in paths]}
    line = said("stamped", server=server.name, size=note.size, origin=note.origin, count=len(paths))
    print_result(data, line)


def server_address(home: Path, given: str) -> str:
    """The server's address as given, or as the issuer has set it; empty for none."""
    address = given or timestamp_setting(home)
    parts = urlsplit(address)
    if address and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise UsageError("not-server-address", where=address[:80])
    return address


def _pdfs(path: Path) -> list[Path]:
    """A file, or the PDFs of a folder."""
    found = sorted(each for each in path.iterdir() if each.suffix.lower() == ".pdf") if path.is_dir() else [path]
    if len(found) > _MOST_FILES:
        raise BadInput("too-many-to-stamp", where=str(path), count=len(found), most_files=_MOST_FILES)
    return found


def stamp_file(path: Path, url: str, ring: Keyring) -> None:
    """A signed PDF with a timestamp behind what was signed, in place: the old file or the whole new one."""
    from inspect_kit.certificate.issue.pdf_signature import seal_of
    from inspect_kit.certificate.issue.time_server import TimeServer, stamped_pdf
    from inspect_kit.certificate.issue.verify import MAX_PDF_BYTES

    pdf = read_bytes(path, MAX_PDF_BYTES)
    seal = seal_of(pdf, [ring.ca])
    if not (seal.intact and seal.untouched and seal.trusted):
        raise BadInput("not-whole-certificate", where=str(path))
    write_whole(path, stamped_pdf(pdf, TimeServer(url), ring))


def stamp_issued(path: Path, url: str, ring: Keyring) -> None:
    """A timestamp for a certificate that was just issued; without the server it is simply not there, and is said."""
    try:
        stamp_file(path, url, ring)
    except BadInput as problem:
        warn(said("issued-without-timestamp", file=path.name, reason=problem.said(lang())))


@click.command("timestamps")
@click.argument("file", required=False, type=FILE)
@click.option("--remove", is_flag=True, help="Believe them no longer.")
@json_option
def timestamps_command(file: Path | None, remove: bool) -> None:
    """Believe a timestamp server, by the PEM file of its CA; without a file, list those that are believed.

    \b
    Example:
      inspect-kit keys timestamps freetsa-ca.pem
    """
    home = home_folder()
    known = list(time_servers_of(home))
    if file is not None:
        offered = read_authorities(file)
        known = [each for each in known if each not in offered] + ([] if remove else list(offered))
        trust_folder(home).mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(trust_folder(home) / TIME_SERVERS, [each.public_bytes(Encoding.PEM) for each in known])
    told = [(each.subject.rfc4514_string(), each.not_valid_after_utc.date().isoformat()) for each in known]
    lines = [said("believed-until", name=name, day=ends) for name, ends in told] or [said("no-time-server")]
    print_result([{"name": name, "ends": ends} for name, ends in told], *lines)
