"""`station`: the check-in desk in the browser, and the people who may use it."""

import os
from importlib import import_module
from pathlib import Path

import click

from inspect_kit.certificate.issue.keys import SigningKey, server_files, unlock
from inspect_kit.certificate.issue.seals import desk_key, read_desk, vouch
from inspect_kit.certificate.issue.trust import own_issuer, time_authorities_of, trusted
from inspect_kit.checkin.roles import Role
from inspect_kit.cli.issuer import desk_of, passphrase_for, person, registry_here
from inspect_kit.cli.options import home_folder, json_option, signer_option
from inspect_kit.cli.terminal import columns, print_result, said, said_of, warn
from inspect_kit.clock import now
from inspect_kit.errors import UsageError
from inspect_kit.inspection.names import clean
from inspect_kit.registry.checkin.accounts import account, accounts, set_account
from inspect_kit.registry.checkin.entries import AccountSet, DeskSet

PIN = "INSPECT_KIT_PIN"


@click.group("station", invoke_without_command=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; others need accounts first.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
              help="The port; 0 takes a free one.")  # fmt: skip
@click.option("--tls", is_flag=True, help="Encrypted, with a certificate from the issuer's own CA.")
@click.option("--signer", default="", help="The inspector whose keys sign, if there are several.")
@click.pass_context
def command(ctx: click.Context, /, host: str, port: int, tls: bool, signer: str) -> None:
    """The check-in desk and the event, in the browser; without the internet.

    \b
    Example:
      inspect-kit station
      inspect-kit station user add "R. Řeháčková" --role referee
      inspect-kit station --host 0.0.0.0 --tls
    """
    if ctx.invoked_subcommand is not None:
        return
    home = home_folder()
    key = _key(home, signer)
    # By name: the two doors of the house know nothing of each other.
    serving, room = import_module("inspect_kit.station.web.serving"), import_module("inspect_kit.station.station")
    files = server_files(home, serving.names_here(host), passphrase_for(home, None), now()) if tls else None
    if files is None and not serving.is_loopback(host):
        warn(said("not-encrypted"))
    station = room.Station(home, registry_here(), key, trusted(home), time_authorities_of(home))
    address = serving.ServerAddress(host, port, files)
    serving.serve(station, address, lambda at: click.echo(said("station-at", address=at)))


def _key(home: Path, signer: str) -> SigningKey | None:
    """The keys that sign; a station without any still records and decides."""
    if own_issuer(home) is None:
        warn(said("station-without-keys"))
        return None
    return unlock(home, signer, passphrase_for(home, signer))


@command.command("desk")
@click.argument("key", required=False, metavar="ID KEY", nargs=-1)
@click.option("--name", default="", help="What that desk is called.")
@click.option("--withdraw", is_flag=True, help="No longer vouch for it: what is done there from now on counts nothing.")
@signer_option
@json_option
def desk(key: tuple[str, ...], name: str, withdraw: bool, signer: str) -> None:
    """This desk's own key; or, with another desk's, let the issuer vouch for that desk.

    A desk without the issuer's keys records and decides; certificates are made where the issuer's keys are, once it
    vouches for that desk.

    \b
    Example:
      inspect-kit station desk
      inspect-kit station desk desk-3F2A… 9c41… --name "Desk 2"
    """
    if not key:
        own = desk_key(home_folder())
        print_result({"id": own.id, "key": own.public}, f"{own.id} {own.public}")
        return
    desk_id, public = read_desk(" ".join(key))
    issuing = desk_of(signer)
    shown = clean(name, where="--name")
    body = DeskSet(desk_id, public, issuing.key.signer.name, shown, active=not withdraw)
    vouch(issuing.registry, body, issuing.key, now())
    code = "desk-vouched-no-longer" if withdraw else "desk-vouched"
    told = said(code, issuer=issuing.key.issuer.name, desk=shown or desk_id)
    print_result({"id": desk_id, "key": public, "name": shown, "vouched": not withdraw}, told)


@command.group("user")
def user() -> None:
    """The people of the station and their parts: viewer, tester, referee.

    \b
    Example:
      inspect-kit station user add "Jan Novák" --role tester
      inspect-kit station user list
    """


@user.command("add")
@click.argument("name")
@click.option("--role", type=click.Choice([role.value for role in Role]), required=True, help="What they may do.")
def add(name: str, role: str) -> None:
    """Add somebody, or change their part and PIN. The PIN is asked for, or taken from INSPECT_KIT_PIN.

    \b
    Example:
      inspect-kit station user add "R. Řeháčková" --role referee
    """
    shown = clean(name, where="name", needed=True)
    pin = os.environ.get(PIN) or str(
        click.prompt(said("ask-pin", name=shown), hide_input=True, confirmation_prompt=True, err=True)
    )
    set_account(registry_here(), AccountSet(shown, role, by=person()), pin, now(), desk_key(home_folder()).seal)
    click.echo(said("user-is", name=shown, role=said_of("role", role)))


@user.command("list")
@json_option
def list_users() -> None:
    """Everybody who has an account.

    \b
    Example:
      inspect-kit station user list
    """
    people = [each for each in registry_here().ask(accounts) if each.active]
    data = [{"name": each.name, "role": each.role, "events": list(each.events)} for each in people]
    rows = [(each.name, said_of("role", each.role)) for each in people]
    print_result(data, *columns(rows) if rows else (said("no-account"),))


@user.command("remove")
@click.argument("name")
def remove(name: str) -> None:
    """Take somebody out; what they did stays in the chain.

    \b
    Example:
      inspect-kit station user remove "Jan Novák"
    """
    registry = registry_here()
    there = registry.ask(account, name)
    if there is None:
        raise UsageError("nobody-called-so", where=name[:60])
    body = AccountSet(name, there.role, by=person(), events=there.events, active=False)
    set_account(registry, body, None, now(), desk_key(home_folder()).seal)
    click.echo(said("user-removed", name=name))
