"""`keys`: the issuer's own CA, its inspectors' keys, and the other issuers that are trusted here."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import read_bytes
from inspect_kit.certificate.issue.keyring import Keyring, Signer, bundle_of, older_than, read_keyring
from inspect_kit.certificate.issue.keys import PASSPHRASE, PUBLIC, Founding, add, folder_of, found, own_keyring, retire
from inspect_kit.certificate.issue.trust import WITNESSES, own_issuer, trust_folder, trusted, witnesses_of
from inspect_kit.cli.about import ADDRESS, DEFAULTS
from inspect_kit.cli.issuer import NEW_PASSPHRASE, new_passphrase, passphrase_for
from inspect_kit.cli.options import FILE, home_folder, json_option
from inspect_kit.cli.terminal import columns, print_result, said
from inspect_kit.cli.trust.timestamp import timestamps_command
from inspect_kit.clock import now
from inspect_kit.errors import UsageError, system_errors_as
from inspect_kit.registry.log.notes import verifier_of
from inspect_kit.registry.numbers import code_for


@click.group("keys")
def command() -> None:
    """The keys that certificates are signed with, and those of the issuers you trust.

    \b
    Example:
      inspect-kit keys init --name "Prague Carrom Club" --inspector "R. Řeháčková"
      inspect-kit keys list
    """


@command.command("init")
@click.option("--name", required=True, help="The body that issues certificates.")
@click.option("--inspector", default="", help="Its first inspector (default: the body itself).")
@click.option("--code", default="", help="Two to six letters that its numbers begin with (default: from the name).")
@click.option("--address", default="", help="Its address, printed on every certificate.")
@click.option("--no-passphrase", is_flag=True, help="Keep the keys without a passphrase.")
@json_option
def init(name: str, inspector: str, code: str, no_passphrase: bool, address: str) -> None:
    """Make an issuer: its own CA and its first inspector's keys.

    \b
    Example:
      inspect-kit keys init --name "Prague Carrom Club" --code PCC
    """
    home = home_folder()
    if folder_of(home).exists():
        raise UsageError("keys-there-already", where=str(folder_of(home)))
    chosen = code.upper() or code_for(name)
    if not chosen:
        raise UsageError("name-yields-no-code", where="--code")
    passphrase = None if no_passphrase else new_passphrase()
    keyring = found(home, Founding(name, chosen, inspector or name), passphrase, now())
    if address:
        # Quoted as JSON quotes it, which TOML reads alike.
        write_whole(home / DEFAULTS, f"{ADDRESS} = {json.dumps(address)}\n".encode())
    _print_one(keyring, said("issuer-made", name=keyring.name, issuer=keyring.code))


@command.command("list")
@json_option
def list_keys() -> None:
    """The issuer's inspectors, and the other issuers that are trusted.

    \b
    Example:
      inspect-kit keys list
    """
    home = home_folder()
    own = own_issuer(home)
    rings = [(ring, own is not None and ring.ca == own.ca) for ring in trusted(home)]
    lines = [line for ring, mine in rings for line in _ring_lines(ring, own=mine)]
    print_result([_described(ring, own=mine) for ring, mine in rings], *lines or (said("no-keys"),))


def _ring_lines(ring: Keyring, *, own: bool) -> Iterator[str]:
    known = "" if own else f"  ({said('key-trusted')})"
    yield click.style(f"{ring.code}  {ring.name}{known}", bold=True)
    yield "  " + said("fingerprint-of", fingerprint=ring.fingerprint)
    yield from columns((f"  {signer.id}", signer.name, _state(signer)) for signer in ring.signers)


@command.command("add")
@click.option("--name", required=True, help="The inspector.")
@click.option("--no-passphrase", is_flag=True, help="Keep the new keys without a passphrase.")
@json_option
def add_signer(name: str, no_passphrase: bool) -> None:
    """Keys for one more inspector, vouched for by the issuer.

    \b
    Example:
      inspect-kit keys add --name "Jan Novák"
    """
    home = home_folder()
    own_keyring(home)
    opening = passphrase_for(home, None)
    variable = NEW_PASSPHRASE if os.environ.get(NEW_PASSPHRASE) else PASSPHRASE
    guarding = None if no_passphrase else new_passphrase(variable=variable)
    signer = add(home, name, (opening, guarding), now())
    print_result(_signer(signer), said("signer-made", name=signer.name, id=signer.id))


@command.command("retire")
@click.argument("who", metavar="ID-OR-NAME")
@click.option("--compromised", is_flag=True, help="The key may have been in other hands.")
@json_option
def retire_signer(who: str, compromised: bool) -> None:
    """Take an inspector's keys out of use; what was signed before stays good.

    With --compromised, only certificates stay good that a witness or a timestamp proves to be from before.

    \b
    Example:
      inspect-kit keys retire "Jan Novák"
    """
    home = home_folder()
    own_keyring(home)
    signer = retire(home, who, passphrase_for(home, None), now(), compromised=compromised)
    print_result(_signer(signer), said("signer-retired", name=signer.name, id=signer.id))


@command.command("export")
@click.option("-o", "--out", required=True, type=FILE, help="The file to write.")
@json_option
def export(out: Path) -> None:
    """The issuer's public keys as one file, for everybody who is to check its certificates.

    \b
    Example:
      inspect-kit keys export -o pcc.pem
    """
    keyring = own_keyring(home_folder())
    write_whole(out, (folder_of(home_folder()) / PUBLIC).read_bytes())
    _print_one(keyring, said("keys-exported", file=out, name=keyring.name))


@command.command("trust")
@click.argument("file", type=FILE)
@click.option("--yes", is_flag=True, help="The fingerprint was compared already: do not ask.")
@click.option("--fingerprint", default="", help="The fingerprint that the issuer read out: trusted only if it is this.")
@json_option
def trust(file: Path, yes: bool, fingerprint: str) -> None:
    """Trust an issuer, from the file that its `keys export` wrote; again, when its inspectors have changed.

    Compare the fingerprint with the issuer over the telephone: whoever you trust here can sign for that name. In a
    terminal, it is shown and asked for before a new issuer is trusted; elsewhere --fingerprint or --yes is needed.

    \b
    Example:
      inspect-kit keys trust pcc.pem
    """
    home = home_folder()
    keyring = read_keyring(file)
    content = bundle_of(read_bytes(file, 2_000_000))
    path = trust_folder(home) / f"{keyring.code}.pem"
    for ring in trusted(home):
        if ring.code == keyring.code and ring.ca != keyring.ca:
            raise UsageError("another-issuer-known-code-here", path=path, ring=ring.name, sign=ring.code)
        why = older_than(keyring, ring) if ring.ca == keyring.ca else None
        if why:
            raise UsageError("keys-export-older", where=str(file), reason=why)
    if fingerprint or not any(ring.ca == keyring.ca for ring in trusted(home)):
        _compare_fingerprint(keyring, fingerprint, yes=yes)
    with system_errors_as("not-made", path.parent):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, content)
    _print_one(keyring, said("issuer-trusted", name=keyring.name))


def _compare_fingerprint(keyring: Keyring, told: str, *, yes: bool) -> None:
    """A new issuer is trusted only on somebody's word that the fingerprint is the right one."""
    if told:
        if _hex(told) != _hex(keyring.fingerprint):
            raise UsageError("fingerprint-differs", fingerprint=keyring.fingerprint)  # fmt: skip
    elif not yes:
        if not sys.stdin.isatty():
            facts = {"name": keyring.name, "issuer": keyring.code, "fingerprint": keyring.fingerprint}
            raise UsageError("issuer-not-trusted-yet", **facts)
        shown = said("fingerprint-of", fingerprint=keyring.fingerprint)
        click.echo(f"{keyring.name} ({keyring.code})\n{shown}", err=True)
        click.confirm(said("ask-fingerprint"), abort=True, err=True)


def _hex(fingerprint: str) -> str:
    return "".join(fingerprint.split()).replace(":", "").lower()


@command.command("witness")
@click.argument("key", required=False, metavar="NAME+ID+KEY")
@click.option("--remove", is_flag=True, help="Believe it no longer.")
@json_option
def witness(key: str | None, remove: bool) -> None:
    """Believe a witness of logs, by the key that `registry witness` prints there; without a key, list them.

    Take witnesses that the issuer does not control: another federation, a referee's own laptop.

    \b
    Example:
      inspect-kit keys witness ifta.example/desk-2+9a1b2c3d+BG…
    """
    home = home_folder()
    known = list(witnesses_of(home))
    if key is not None:
        offered = verifier_of(key)
        known = [each for each in known if each != offered] + ([] if remove else [offered])
        trust_folder(home).mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(trust_folder(home) / WITNESSES, "".join(f"{each}\n" for each in known).encode())
    data = [{"name": each.name, "key": str(each)} for each in known]
    print_result(data, *(map(str, known) if known else (said("no-witness"),)))


command.add_command(timestamps_command)


def _state(signer: Signer) -> str:
    if signer.retired is None:
        return said("key-in-use")
    return said("key-compromised" if signer.retired.compromised else "key-retired", day=signer.retired.since.date())


def _described(ring: Keyring, *, own: bool) -> dict[str, object]:
    return {
        "name": ring.name, "code": ring.code, "own": own, "fingerprint": ring.fingerprint,
        "signers": [_signer(signer) for signer in ring.signers],
    }  # fmt: skip


def _signer(signer: Signer) -> dict[str, object]:
    retired = signer.retired
    return {
        "id": signer.id, "name": signer.name, "retired": retired.since.isoformat() if retired else None,
        "compromised": bool(retired and retired.compromised),
    }  # fmt: skip


def _print_one(ring: Keyring, sentence: str) -> None:
    shown = said("fingerprint-of", fingerprint=ring.fingerprint)
    print_result(_described(ring, own=True), sentence, shown)
