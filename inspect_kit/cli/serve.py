"""`serve`: the maker's service, and the tokens of those who may ask it."""

from importlib import import_module
from typing import Any

import click

from inspect_kit.certificate.issue.keys import server_files
from inspect_kit.cli.issuer import passphrase_for, registry_here
from inspect_kit.cli.options import home_folder, json_option
from inspect_kit.cli.terminal import columns, print_result, said
from inspect_kit.clock import now, today
from inspect_kit.inspection.names import clean


def _room(name: str) -> Any:
    """By name: the two doors of the house know nothing of each other."""
    return import_module(f"inspect_kit.station.{name}")


@click.group("serve", invoke_without_command=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; others need --tls and a token.")
@click.option("--port", type=click.IntRange(0, 65535), default=8100, show_default=True,
              help="The port; 0 takes a free one.")  # fmt: skip
@click.option("--tls", is_flag=True, help="Encrypted, with a certificate from the issuer's own CA.")
@click.pass_context
def command(ctx: click.Context, /, host: str, port: int, tls: bool) -> None:
    """The maker's service: a page with trends, and a JSON interface for other programs.

    The interface is described at /api/v1/openapi.json. Programs show a token: Authorization: Bearer TOKEN.

    \b
    Example:
      inspect-kit serve
      inspect-kit serve token add "press 4"
      inspect-kit serve --host 0.0.0.0 --tls
    """
    if ctx.invoked_subcommand is not None:
        return
    home, serving = home_folder(), _room("web.serving")
    files = server_files(home, serving.names_here(host), passphrase_for(home, None), now()) if tls else None
    service = _room("service.work").Service(home, registry_here(), now)
    address = serving.ServerAddress(host, port, files)
    _room("service.app").serve(service, address, lambda at: click.echo(said("service-at", address=at)))


@command.group("token")
def token() -> None:
    """Who may ask the service.

    \b
    Example:
      inspect-kit serve token add "press 4"
      inspect-kit serve token list
    """


@token.command("add")
@click.argument("name")
@click.option("--read-only", is_flag=True, help="It may read verdicts and trends, and post nothing.")
@json_option
def add(name: str, read_only: bool) -> None:
    """Give out a token. It is shown once; only its digest is kept.

    \b
    Example:
      inspect-kit serve token add "press 4"
    """
    shown = clean(name, where="name", needed=True)
    made = _room("service.tokens").give_out(home_folder(), shown, write=not read_only, since=today().isoformat())
    print_result({"name": shown, "write": not read_only, "token": made}, made)


@token.command("list")
@json_option
def list_tokens() -> None:
    """Who has a token.

    \b
    Example:
      inspect-kit serve token list
    """
    found = _room("service.tokens").read_tokens(home_folder())
    data = [{"name": each.name, "write": each.write, "since": each.since} for each in found]
    rows = [(each.name, said("token-post" if each.write else "token-read"), each.since) for each in found]
    print_result(data, *columns(rows) if rows else (said("no-token"),))


@token.command("remove")
@click.argument("name")
def remove(name: str) -> None:
    """Withdraw a token; it is refused from now on.

    \b
    Example:
      inspect-kit serve token remove "press 4"
    """
    _room("service.tokens").withdraw(home_folder(), name)
    click.echo(said("token-withdrawn", name=name))
