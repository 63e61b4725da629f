"""What the `qa` commands share: the file, the drawing, and what records name."""

from pathlib import Path

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.certificate.content.wording import lot_wording_for
from inspect_kit.cli.judge import plain
from inspect_kit.cli.options import PATH
from inspect_kit.cli.terminal import lang, said
from inspect_kit.errors import ENGLISH, BadInput
from inspect_kit.quality.drawing import USUAL_SIZE, Draw, format_of, rendered
from inspect_kit.quality.table import Table, long_form, read_table

file_argument = click.argument("file", type=PATH)


def plot_target() -> Path | None:
    """Where to draw: the command's own `--plot`, or the one before the command's name."""
    ctx = click.get_current_context()
    path: Path | None = ctx.params.get("plot") or (ctx.parent.params.get("plot") if ctx.parent else None)
    if path is not None:
        format_of(path)
    return path


def save_plot(path: Path | None, draw: Draw, size: tuple[float, float] = USUAL_SIZE) -> None:
    """Write the drawing, if one is wanted."""
    if path is not None:
        write_whole(path, rendered(draw, format_of(path), size, lang()))
        click.echo(said("drawn", file=path), err=True)


def table_of(path: Path, characteristic: str | None = None) -> Table:
    """The file's rows; of a file with several characteristics, those of the one that is asked for."""
    table = _chosen(long_form(read_table(path), characteristic), path, characteristic)
    return table.measured("value") if table.has("value") else table


def _chosen(table: Table, path: Path, characteristic: str | None) -> Table:
    if not table.has("characteristic"):
        return table
    names = tuple(dict.fromkeys(table.texts("characteristic")))
    if characteristic is None and len(names) > 1:
        raise BadInput("several-characteristics", where=str(path), names=names[0])
    return table.where_is("characteristic", characteristic or names[0])


# What records name, in the language of the terminal; in English as scripts know it.


def name_of(section: str, key: str) -> str:
    """A characteristic, an item, an instance."""
    return key if lang() == ENGLISH else lot_wording_for(lang()).name(section, key)


def word_of(section: str, key: str) -> str:
    """A verdict, reason or severity."""
    words = lot_wording_for(lang())
    return key if lang() == ENGLISH else plain(words.frame.get(f"{section}.{key}", key))
