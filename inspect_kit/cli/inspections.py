"""`registry inspections`: what was inspected without a certificate of its own, such as the photos of a batch."""

from __future__ import annotations

import click

from inspect_kit.cli.desk import registry_of
from inspect_kit.cli.options import json_option
from inspect_kit.cli.output import columns, print_json
from inspect_kit.registry.inspections import Sought, uncertified


@click.command("inspections")
@click.option("--subject", default="", help="The thing; its beginning is enough.")
@click.option("--spec", default="", help="The sheet.")
@click.option("--verdict", type=click.Choice(["conforms", "fails", "undecided"]), help="What was found.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="At most so many.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, subject: str, spec: str, verdict: str | None, limit: int, as_json: bool) -> None:
    """Inspections without a certificate, the newest first: what batch has entered.

    \b
    Example:
      inspect-kit registry inspections --spec icf-cs --verdict fails
    """
    with registry_of(ctx).reading() as connection:
        found = uncertified(connection, Sought(subject, spec, verdict or ""), limit)
    if as_json:
        print_json(found)
        return
    rows = [("entry", "verdict", "item", "subject", "owner", "spec", "inspected")]
    rows += [(str(row["entry"]), row["verdict"], row["item"], row["subject"], row["owner"], row["sheet"],
              row["inspected_on"]) for row in found]  # fmt: skip
    for line in columns(rows) if found else ("Nothing found.",):
        click.echo(line)
