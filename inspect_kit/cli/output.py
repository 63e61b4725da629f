"""What commands print: one JSON document, or lines for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import click

from inspect_kit.cli.language import said
from inspect_kit.judgement.verdict import Verdict

EXIT_CODES: Final = {Verdict.CONFORMS: 0, Verdict.FAILS: 1, Verdict.UNDECIDED: 3}
"""What a verdict over an item leaves the command with."""

_COLOURS: Final = {Verdict.CONFORMS: "green", Verdict.FAILS: "red", Verdict.UNDECIDED: "yellow"}


def print_json(data: object) -> None:
    """One document on standard output."""
    import json

    click.echo(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False))


def print_result(as_json: bool, data: object, *lines: str) -> None:
    """The document for scripts, or the same in lines for people."""
    if as_json:
        print_json(data)
    else:
        print_lines(lines)


def print_lines(lines: Iterable[str]) -> None:
    """Lines on standard output."""
    for line in lines:
        click.echo(line)


def print_table(rows: Iterable[tuple[str, ...]]) -> None:
    """Rows of cells as aligned lines."""
    print_lines(columns(rows))


def styled(verdict: Verdict, text: str) -> str:
    """The verdict's colour, for those who see it; the words say the same."""
    colour = _COLOURS.get(verdict)
    return click.style(text, fg=colour, bold=verdict is Verdict.FAILS) if colour else text


def warn(sentences: Iterable[str]) -> None:
    """Hints that are not errors, on standard error."""
    for sentence in sentences:
        click.echo(f"{said('warning')}: {sentence}", err=True)


def columns(rows: Iterable[tuple[str, ...]], gap: str = "  ") -> Iterable[str]:
    """Rows of cells as aligned lines."""
    table = list(rows)
    widths = [max(len(click.unstyle(cell)) for cell in column) for column in zip(*table, strict=True)]
    for row in table:
        cells = (cell + " " * (width - len(click.unstyle(cell))) for cell, width in zip(row, widths, strict=True))
        yield gap.join(cells).rstrip()


def within(rows: Iterable[tuple[str, ...]], width: int, gap: int = 2) -> list[tuple[str, ...]]:
    """Rows of which the last two columns are cut so that every line fits the width."""
    table = list(rows)
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    room = max(width - sum(widths[:-2]) - gap * (len(widths) - 1), 12)
    last = min(widths[-1], max(room // 2, room - widths[-2]))
    return [(*row[:-2], _cut(row[-2], room - last), _cut(row[-1], last)) for row in table]


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - 1, 1)].rstrip() + "…"
