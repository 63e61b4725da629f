"""`qa trend`: what the registry's records say over months."""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from inspect_kit.cli.issuer import registry_here
from inspect_kit.cli.options import json_option, plot_option
from inspect_kit.cli.qa.options import name_of, plot_target, save_plot, word_of
from inspect_kit.cli.terminal import columns, in_figures, lang, percent, print_result, said, warn
from inspect_kit.errors import BadInput, UsageError, nearest, notice, worded_fact
from inspect_kit.quality import trend as trend_study
from inspect_kit.quality.trend_drawing import trend_drawing
from inspect_kit.registry.inspections import KeptQuery, kept_yields

_MOST_FAULTS = 10
"""Faults that are listed, the most frequent first."""


@click.command("trend")
@click.option("--characteristic", "characteristics", multiple=True, metavar="C", help="Of what; all if not given.")
@click.option(
    "--period", type=click.Choice(trend_study.PERIODS), default="month", show_default=True, help="What is put together."
)
@click.option(
    "--by", type=click.Choice(trend_study.STRATA), help="Told apart by where pieces come from, or by the gauge."
)
@click.option("--since", default="", metavar="DAY|MONTH", help="From this day on: 2026-11-03, or 2026-11.")
@click.option("--until", default="", metavar="DAY|MONTH", help="Up to this day, or to the end of this month.")
@click.option("--spec", default="", metavar="ID", help="Only what was judged by this sheet.")
@click.option("--item", default="", help="Only this item.")
@plot_option
@json_option
def trend(**given: Any) -> None:
    """Means, Cpk with its limits and the faults found, over months, from the registry.

    The registry remembers every lot that was certified (qa lot -o) or entered (qa lot --register), and every photo
    that batch judged. What was replaced or revoked does not count.

    \b
    Example:
      inspect-kit qa trend
      inspect-kit qa trend --characteristic coin.diameter --by machine --since 2026-01 --plot trend.svg
    """
    question = trend_study.TrendQuestion(given["characteristics"], given["period"], given["by"] or "")
    query = KeptQuery(day(given["since"]), day(given["until"], last=True), given["spec"], given["item"])
    kept = kept_yields(registry_here(), query)
    found, faults = trend_study.trends(kept, question), trend_study.pareto(kept, question)
    if not found:
        raise _nothing(kept, question)
    _save_plot(plot_target(), found, faults)
    lines = [line for each in found for line in _trend_lines(each)]
    print_result(trend_study.trend_data(found, faults, question), *lines, *_fault_lines(faults))


def day(text: str, *, last: bool = False) -> str:
    """A day as it is typed; of a month its first or last."""
    if not text:
        return ""
    found = re.fullmatch(r"(\d{4})-(\d\d)(?:-(\d\d))?", text.strip())
    try:
        if found is None:
            raise ValueError
        year, month = int(found[1]), int(found[2])
        end = monthrange(year, month)[1]
        number = int(found[3]) if found[3] else end if last else 1
        if not 1 <= number <= end:
            raise ValueError
    except ValueError:
        raise UsageError("not-a-day", text=text[:20]) from None
    return f"{year:04}-{month:02}-{number:02}"


def _nothing(kept: tuple[trend_study.RecordedSeries, ...], question: trend_study.TrendQuestion) -> Exception:
    known = sorted({each.characteristic for each in kept})
    if not known:
        return BadInput("no-lot-in-time")
    wanted = question.characteristics[0]
    return UsageError(
        "no-lot-has", hint=nearest(wanted, known) or notice("there-are", names=", ".join(known[:6])), wanted=wanted[:40]
    )


def _save_plot(
    path: Path | None, found: tuple[trend_study.Trend, ...], faults: tuple[trend_study.FaultCount, ...]
) -> None:
    if path is None:
        return
    measured = [each for each in found if any(point.n for point in each.points)]
    if not measured:
        raise BadInput("no-numbers-to-draw")
    if len(measured) > 1:
        warn(said("drawn-only", name=name_of("characteristic", measured[0].characteristic)))
    mine = [fault for fault in faults if fault.characteristic == measured[0].characteristic]
    named = replace(measured[0], characteristic=name_of("characteristic", measured[0].characteristic))
    save_plot(path, trend_drawing(named, [_named(fault) for fault in mine]), (9.0, 5.2))


def _named(fault: trend_study.FaultCount) -> trend_study.FaultCount:
    """The fault in the language of the terminal."""
    name = name_of("characteristic", fault.characteristic)
    return replace(fault, characteristic=name, reason=word_of("reason", fault.reason))


def _trend_lines(each: trend_study.Trend) -> Iterator[str]:
    name = name_of("characteristic", each.characteristic)
    yield said("trend-in", name=name, unit=each.unit) if each.unit else name
    period, lots, mean, failed = map(said, ("head-period", "head-lots", "head-mean", "head-failed"))
    head = (period, "", lots, "n", mean, "s", "Cpk", "95 %", "Ppk", failed)
    yield from (f"  {line}" for line in columns([head, *map(_row, each.points)]))
    if each.limits is None and any(point.n for point in each.points):
        yield "  " + said("trend-limits-differ")


def _row(point: trend_study.TrendPoint) -> tuple[str, ...]:
    ends = point.cpk_interval
    return (
        point.period, point.stratum, _count(point.lots), _count(point.n), _figure(point.mean, ".6g"),
        _figure(point.s_overall, ".3g"), _figure(point.cpk, ".2f"),
        said("from-to", low=f"{ends[0]:.2f}", high=f"{ends[1]:.2f}") if ends else "—", _figure(point.ppk, ".2f"),
        said("count-of", count=f"{point.failed:,}", all=f"{point.inspected:,}"),
    )  # fmt: skip


def _figure(number: float | None, form: str) -> str:
    return "—" if number is None else in_figures(format(number, form))


def _count(number: int) -> str:
    return worded_fact(f"{number:,}", lang())


def _fault_lines(faults: tuple[trend_study.FaultCount, ...]) -> Iterable[str]:
    if not faults:
        return (said("no-fault"),)
    head = (said("head-fault"), "", said("head-pieces"), said("head-added-up"))
    told = map(_named, faults[:_MOST_FAULTS])
    return columns([head, *((f.characteristic, f.reason, _count(f.count), percent(f.cumulative)) for f in told)])
