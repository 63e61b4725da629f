"""`qa`: the manufacturer's quality assurance, one group of commands."""

from pathlib import Path
from typing import Final

import click

from inspect_kit.cli.lazy import Lazy, LazyGroup
from inspect_kit.cli.options import plot_option

_COMMANDS: Final = {
    "capability": Lazy(
        "qa.process:capability", "How the process fits between its limits: Cp, Cpk, Pp, Ppk with confidence limits."
    ),
    "chart": Lazy("qa.process:chart", "A control chart, and the patterns on it that chance rarely makes."),
    "dice": Lazy(
        "qa.dice:dice", "Fairness of a die from its rolls: columns `face,count`, or one roll a row in `face`."
    ),
    "export": Lazy(
        "qa.lot:export", "Hand the values of a lot to other programs, each with its limits and its verdict."
    ),
    "grr": Lazy("qa.gauges:grr", "A gauge study: repeatability, reproducibility, and what remains for the parts."),
    "lot": Lazy(
        "qa.lot:lot",
        "Judge a lot and certify it: sampling plan, results, histogram, control chart, capability, verdict.",
    ),
    "oc": Lazy("qa.sampling:oc", "The operating characteristic: how often lots of each quality are accepted."),
    "sampling": Lazy("qa.sampling:sampling", "The sample a lot needs, and how many nonconforming pieces it may show."),
    "trend": Lazy("qa.trend:trend", "Means, Cpk with its limits and the faults found, over months, from the registry."),
}


@click.group("qa", cls=LazyGroup, lazy=_COMMANDS)
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
