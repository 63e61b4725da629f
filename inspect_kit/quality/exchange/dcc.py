"""XML in the shape of PTB's digital calibration certificate 3.3.0, with D-SI 2.2.1 for the numbers.

A DCC is meant for calibrations; this is an inspection of a lot. It takes over the shape so that programs which read
DCCs find the values, and says so in a statement. Our own record stays the master.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.exchange.rows import uncertainty
from inspect_kit.quality.exchange.xml_template import filled
from inspect_kit.quality.lot.record import LotRecord, MeasuredSeries

_CONFORMITY: Final = {Verdict.CONFORMS: "pass", Verdict.FAILS: "fail", Verdict.UNDECIDED: "noPass"}
_UNITS: Final = {"mm": r"\milli\metre", "g": r"\gram", "deg": r"\degree", "s": r"\second", "lx": r"\lux"}


def dcc_lines(record: LotRecord) -> Iterator[bytes]:
    """The whole document; its values are lists, so it is short."""
    name, _, release = (record.software or "inspect-kit 0").partition(" ")
    told = (series for series in record.lot.series if series.numbers or not series.measured)
    return filled(
        "dcc.xml", record=record, software=(name, release or "0"), plan=_plan(record), unstated="not stated",
        conformity=_CONFORMITY[Verdict(record.verdict)], results=[_result(series) for series in told],
    )  # fmt: skip


def _plan(record: LotRecord) -> str:
    plan = record.lot.plan
    how = f"{plan.kind}, n = {plan.sample} of {record.lot.size}"
    counted = f", AQL {plan.aql}, Ac = {plan.accept}, Re = {plan.reject}"
    return how + counted if plan.accept is not None else how


def _result(series: MeasuredSeries) -> dict[str, str | None]:
    """Numbers with their unit and expanded uncertainty; of what was judged by eye, how many pieces conform."""
    if not series.measured:
        counts = f"{series.conform} conform, {series.fail} fail, {series.undecided} undecided"
        return {"name": series.characteristic, "counts": counts}
    places = [place for place, value in enumerate(series.values) if value not in (None, "yes", "no")]
    return {
        "name": series.characteristic, "counts": "", "numbers": " ".join(str(series.values[place]) for place in places),
        "unit": _UNITS.get(series.unit, r"\one"), "expanded": _expanded(series, places),
    }  # fmt: skip


def _expanded(series: MeasuredSeries, places: list[int]) -> str | None:
    if any(standard is None for standard in series.u):
        return None
    listed = [uncertainty(series, place) or "0" for place in (places if len(series.u) > 1 else places[:1])]
    return " ".join(f"{2 * Decimal(standard):f}" for standard in listed)
