"""`target`: the sheets to print, on which pieces are photographed and cameras calibrated."""

from collections.abc import Sequence
from pathlib import Path

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.certificate.pages.targets import draw_targets
from inspect_kit.cli.options import PATH, document_language_option, json_option, stacked
from inspect_kit.cli.terminal import print_result, said
from inspect_kit.vision.reference.sheets import MAX_CARDS, Paper, PrintedSheet, backdrop, card, charuco, mat


@click.group("target")
def command() -> None:
    """Reference sheets as PDF, to be printed at 100 % (no "fit to page").

    \b
    Example:
      inspect-kit target mat -o mat.pdf
      inspect-kit target cards --count 4 -o cards.pdf
    """


_common = stacked(
    click.option("-o", "--out", required=True, type=PATH, help="The PDF to write."),
    click.option("--paper", type=click.Choice([paper.value for paper in Paper]), default="a4", show_default=True,
                 help="Paper size of mat and charuco; cards and backdrop are always 148 × 105 mm."),
    document_language_option,
    json_option,
)  # fmt: skip


@command.command("mat")
@_common
def mat_command(out: Path, paper: str, language: str) -> None:
    """One sheet with a free middle, for coins, strikers, checkers and other small pieces.

    \b
    Example:
      inspect-kit target mat --paper a4 -o mat.pdf
    """
    _write([mat(Paper(paper))], out, language)


@command.command("charuco")
@_common
def charuco_command(out: Path, paper: str, language: str) -> None:
    """A whole board of squares and markers, for calibrating a camera.

    \b
    Example:
      inspect-kit target charuco -o charuco.pdf
    """
    _write([charuco(Paper(paper))], out, language)


@command.command("backdrop")
@_common
def backdrop_command(out: Path, paper: str, language: str) -> None:
    """A sheet to stand upright behind a figure.

    \b
    Example:
      inspect-kit target backdrop -o backdrop.pdf
    """
    del paper
    _write([backdrop()], out, language)


@command.command("cards")
@_common
@click.option("--count", type=click.IntRange(1, MAX_CARDS), default=4, show_default=True, help="How many cards.")
def cards_command(out: Path, paper: str, language: str, count: int) -> None:
    """Cards to lie on a board, one a page, each with its own ids.

    \b
    Example:
      inspect-kit target cards --count 4 -o cards.pdf
    """
    del paper
    _write([card(number) for number in range(1, count + 1)], out, language)


def _write(drawn: Sequence[PrintedSheet], out: Path, language: str) -> None:
    write_whole(out, draw_targets(drawn, language))
    data = {"pdf": str(out), "sheets": [_described(sheet) for sheet in drawn]}
    print_result(data, said("target-written", pages=len(drawn), file=out, bar=f"{drawn[0].bar:g}"))


def _described(sheet: PrintedSheet) -> dict[str, object]:
    middle = sheet.middle
    free = None if middle is None else [middle.left, middle.bottom, middle.width, middle.height]
    return {
        "name": sheet.name, "width": sheet.size[0], "height": sheet.size[1], "square": sheet.square,
        "check_bar": sheet.bar, "ids": [min(sheet.markers), max(sheet.markers)], "free_middle": free,
    }  # fmt: skip
