"""What a control chart is drawn up from, out of a table: single readings, subgroups, fractions or counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from inspect_kit.errors import BadInput
from inspect_kit.quality.process.charts import Readings, pieces_to_samples
from inspect_kit.quality.process.subgroups import grouped
from inspect_kit.quality.sample import Sample, as_sample
from inspect_kit.quality.table import Table

SIZE_COLUMNS: Final = ("n", "size", "inspected")


def readings_of(table: Table, kind: str, subgroup: str, size: int | None) -> Readings:
    """The readings of a table as this kind of chart takes them."""
    if kind in ("p", "np", "u"):
        return _fractions(table, subgroup, size, several=kind == "u")
    if kind == "c":
        return _counts(table, subgroup)
    sample = table.sample("value")
    if kind in ("imr", "ewma", "cusum"):
        return Readings(sample, where=table.where)
    return Readings(sample, where=table.where, groups=grouped(sample, table.texts(subgroup), table.where))


def _fractions(table: Table, subgroup: str, size: int | None, *, several: bool = False) -> Readings:
    found = table.counts("value")
    column = next((name for name in SIZE_COLUMNS if table.has(name)), None)
    if column is None and size is None:
        by_label, looked_at = pieces_to_samples(found, table.texts(subgroup), table.where)
        return Readings(_whole(by_label.values()), tuple(by_label), tuple(looked_at.values()), table.where)
    sizes = table.counts(column) if column and size is None else (size or 0,) * len(table)
    for count, of, line in zip(found, sizes, table.lines, strict=True):
        if of < 1 or (count > of and not several):
            raise BadInput("more-nonconforming-than-pieces", where=f"{table.where}: line {line}", count=count, of=of)
    labels = table.texts(subgroup) if table.has(subgroup) else tuple(map(str, range(1, len(table) + 1)))
    return Readings(_whole(found), labels, sizes, table.where)


def _counts(table: Table, subgroup: str) -> Readings:
    labels = table.texts(subgroup) if table.has(subgroup) else tuple(map(str, range(1, len(table) + 1)))
    totals: Counter[str] = Counter()
    for count, label in zip(table.counts("value"), labels, strict=True):
        totals[label] += count
    return Readings(_whole(totals.values()), tuple(totals), where=table.where)


def _whole(counts: Iterable[int]) -> Sample:
    return as_sample([float(count) for count in counts])
