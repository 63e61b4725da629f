"""`label`: stickers with a certificate's QR code."""

from pathlib import Path
from typing import Any

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.certificate.issue.trust import suspected, trusted
from inspect_kit.certificate.pages.labels import SAME, STOCKS, Sticker, draw_labels, sticker_of, stock_of
from inspect_kit.cli.issuer import registry_here
from inspect_kit.cli.options import PATH, document_language_option, home_folder, json_option
from inspect_kit.cli.terminal import print_result, said
from inspect_kit.clock import today
from inspect_kit.errors import BrokenSeal, Fault, UsageError
from inspect_kit.registry.chain_index import rows_fault
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.search import CertificateStatus, known

MAX_LABELS = 2_000
"""Labels of one print."""


@click.command("label")
@click.argument("numbers", metavar="NUMBER...", nargs=-1, required=True)
@click.option("--stock", type=click.Choice([*STOCKS, *SAME]), default="62x29", show_default=True,
              help="A single sticker, a round one for a striker, or sheets by their makers' names.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["pdf", "brother", "zpl"]), default="pdf", show_default=True,
              help="brother: raster commands for a QL printer; zpl: for a Zebra of 300 dpi.")  # fmt: skip
@click.option("--skip", type=click.IntRange(min=0), default=0, help="Labels of the first sheet that are used up.")
@document_language_option
@click.option("-o", "--out", required=True, type=PATH, help="The file to write.")
@json_option
def command(numbers: tuple[str, ...], stock: str, skip: int, language: str, out: Path, **given: Any) -> None:
    """Stickers for certified things, to be printed at 100 %: 62 × 29 mm, or A4 sheets of labels.

    \b
    Example:
      inspect-kit label PCC-2026-000123-J -o label.pdf
      inspect-kit label PCC-2026-000123-J PCC-2026-000124-P --stock a4-21 --skip 3 -o labels.pdf
      inspect-kit label PCC-2026-000123-J --stock round-24 --format brother -o label.bin
    """
    if len(numbers) > MAX_LABELS:
        raise UsageError("labels-too-many-once", count=len(numbers), max_labels=MAX_LABELS)
    names = {ring.code: ring.name for ring in trusted(home_folder())}
    registry = registry_here()
    with registry.reading() as connection:
        standings = [_good(known(connection, number)) for number in numbers]
    for each in standings:
        _refuse_unbelieved(registry, each)
    stickers = [sticker_of(each, names.get(number_of(each.number).issuer, ""), language) for each in standings]
    write_whole(out, _written(stickers, stock, given["form"], skip))
    data = {"pdf": str(out), "labels": [sticker.number for sticker in stickers]}
    print_result(data, said("labels-written", count=len(stickers), file=out))


def _written(stickers: list[Sticker], stock: str, form: str, skip: int) -> bytes:
    """The labels in the form that was asked for."""
    if form == "pdf":
        return draw_labels(stickers, stock_of(stock), skip)
    from inspect_kit.certificate.pages.label_printers import MEDIA, brother_raster, zpl

    media = MEDIA.get(SAME.get(stock, stock))
    if media is None:
        raise UsageError("stock-for-no-printer", where=f"--stock {stock}")
    return (brother_raster if form == "brother" else zpl)(stickers, media)


def _refuse_unbelieved(registry: Registry, standing: CertificateStatus) -> None:
    """No sticker on the word of tables that the entries, or what this computer has seen, speak against."""
    fault = registry.lost() or registry.ask(rows_fault, standing)
    if fault is not None:
        raise BrokenSeal.of(Fault(standing.number, fault))


def _good(standing: CertificateStatus) -> CertificateStatus:
    """Only what holds gets a sticker."""
    if standing.kind != "certificate":
        raise UsageError("report-gets-no-label", where=standing.number)
    gauge = suspected(home_folder()).get(standing.number)
    if gauge is not None:
        raise BrokenSeal("suspected-gets-no-label", where=standing.number, gauge=gauge)
    state = standing.state(today())
    if state != "valid":
        raise BrokenSeal("gets-no-label", where=standing.number, state=state)
    return standing
