"""`qa`: the manufacturer's quality assurance, one group of commands."""

from __future__ import annotations

from pathlib import Path

import click

from inspect_kit.cli.qa.dice import dice
from inspect_kit.cli.qa.gauges import grr
from inspect_kit.cli.qa.lot import export, lot
from inspect_kit.cli.qa.options import plot_option
from inspect_kit.cli.qa.process import capability, chart
from inspect_kit.cli.qa.sampling import oc, sampling


@click.group("qa")
@plot_option
def command(plot: Path | None) -> None:
    """Quality assurance for makers: is the process good enough, and are the gauges?

    \b
    Example:
      inspect-kit qa capability lot.csv --lower 30.2mm --upper 31.8mm
      inspect-kit qa sampling --lot 500 --aql 1.0
      inspect-kit qa grr study.csv --save-instrument desk-caliper.toml
    """
    # The commands below look the value up: `qa --plot OUT oc …` and `qa oc … --plot OUT` are the same.
    del plot


for _subcommand in (capability, chart, grr, sampling, oc, dice, lot, export):
    command.add_command(_subcommand)
