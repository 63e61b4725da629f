"""How each characteristic was measured, how well, and what its uncertainty is made of: one table."""

from __future__ import annotations

from collections.abc import Container, Iterable
from decimal import Decimal
from typing import Final

from inspect_kit.certificate.content import Block, Column, Listing, Paragraph
from inspect_kit.certificate.findings import cited, expanded_of, percent, shown_unit
from inspect_kit.certificate.numerals import number_of, two_digits
from inspect_kit.certificate.source import Source
from inspect_kit.inspection.record import Line

_MOST_SOURCES: Final = 4
_SHARES: Final = (("characteristic", 0.33), ("method", 0.30), ("expanded", 0.10), ("contributions", 0.27))


def method(source: Source) -> Iterable[Block]:
    """Characteristics that were measured alike and equally well share a row."""
    words = source.words
    worst = _worst(source.lines)
    seen = {line.characteristic for line in source.lines if line.photographed is True}
    served: dict[tuple[str, str, str], dict[str, dict[str, None]]] = {}
    for line in source.lines:
        budget = worst.get(line.characteristic)
        if line.how or budget:
            row = (_procedure(line, source, seen), *_budget(budget, source))
            name = words.name("characteristic", line.characteristic, line.name)
            served.setdefault(row, {}).setdefault(line.clause, {})[name] = None
    if served:
        columns = tuple(Column(words.say(f"column.{key}"), share) for key, share in _SHARES)
        yield Paragraph(words.say("method.statement"))
        yield Listing(columns, tuple((cited(clauses), *row) for row, clauses in served.items()), ruled=True)


def _procedure(line: Line, source: Source, seen: Container[str]) -> str:
    """From photos, if that is how this piece was measured, or the others were while this one is missing."""
    if line.photographed is True or (line.value is None and line.characteristic in seen):
        return source.words.say("method.photograph")
    return source.words.sentence(line.how) if line.how else "–"


def _worst(lines: Iterable[Line]) -> dict[str, Line]:
    """For each characteristic the line with the largest uncertainty."""
    worst: dict[str, Line] = {}
    for line in lines:
        known = worst.get(line.characteristic)
        if line.budget and (known is None or _standard(line) > _standard(known)):
            worst[line.characteristic] = line
    return worst


def _standard(line: Line) -> Decimal:
    return number_of(line.u or "0", where=line.characteristic)


def _budget(line: Line | None, source: Source) -> tuple[str, str]:
    """U, and what it is made of."""
    if line is None:
        return "–", "–"
    words = source.words
    expanded = expanded_of(line, source.record) or Decimal(0)
    size = words.quantity(words.number(two_digits(expanded)), shown_unit(line)) if expanded else "0"
    variances = _variances(line)
    total = sum(variances.values()) or 1.0
    # A name stays with its share: only the commas part a line.
    shares = [
        f"{words.name('source', name)}\u00a0{percent(variance / total, words)}"
        for name, variance in sorted(variances.items(), key=lambda part: -part[1])[:_MOST_SOURCES]
    ]
    return size, ", ".join(shares) + (", …" if len(variances) > _MOST_SOURCES else "")


def _variances(line: Line) -> dict[str, float]:
    """The variance of each kind of component, over all characteristics that a derived value comes from."""
    variances: dict[str, float] = {}
    for part in line.budget:
        kind = part.source.rpartition(": ")[2]
        variances[kind] = variances.get(kind, 0.0) + float(number_of(part.u, where=part.source)) ** 2
    return variances
