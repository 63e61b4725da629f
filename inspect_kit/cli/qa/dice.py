"""`qa dice`: is a die fair, and how many rolls it would take to tell."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
import numpy as np

from inspect_kit.cli.options import PATH, json_option, plot_option
from inspect_kit.cli.qa.options import plot_target, save_plot
from inspect_kit.cli.terminal import print_result, said
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality import dice as dice_tests
from inspect_kit.quality.drawing import dice_drawing
from inspect_kit.quality.table import Table, read_table

STRONG: Final = 20
"""An e-value of 20 or more is wrong at most once in twenty fair dice, however often one looks."""


@click.command("dice")
@click.argument("file", required=False, type=PATH)
@click.option("--prior-weight", type=float, default=100.0, show_default=True,
              help="How close to fair the e-value expects a biased die; choose it before rolling.")  # fmt: skip
@click.option("--bias", type=float, help="How many rolls a bias takes: 0.03 = two opposite faces 3 % more often.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Risk of calling a fair die biased.")
@click.option("--power", type=float, default=0.8, show_default=True, help="Chance of finding the bias.")
@plot_option
@json_option
def dice(file: Path | None, prior_weight: float, bias: float | None, **given: float) -> None:
    """Fairness of a die from its rolls: columns `face,count`, or one roll a row in `face`.

    The e-value may be looked at after every roll; the two p-values only once, at a number of rolls fixed beforehand.

    \b
    Example:
      inspect-kit qa dice --bias 0.03
      inspect-kit qa dice rolls.csv --plot rolls.svg
    """
    target = plot_target()
    if file is None and bias is None:
        raise UsageError("dice-needs-file-rolls-bias")
    data: dict[str, object] = {}
    if bias is not None:
        rolls = dice_tests.rolls_needed(bias, given["alpha"], given["power"])
        data |= {"rolls": rolls, "bias": bias, "alpha": given["alpha"], "power": given["power"]}
    result = None
    dice: tuple[dice_tests.DieFairness, ...] = ()
    order: tuple[int, ...] = ()
    if file is not None:
        table, lost = _split(read_table(file))
        counts, order = dice_tests.rolls_of(table)
        result = dice_tests.fairness(counts, prior_weight, order)
        data |= dice_tests.fairness_data(result, prior_weight)
        dice = dice_tests.dice_of(table, prior_weight)
        data |= dice_tests.family_data(dice)
        data |= _unread(table, lost, counts, (prior_weight, given["alpha"]))
    print_result(data, *_lines(data, result, dice))
    if result is not None:
        path = dice_tests.e_path(order, prior_weight) if order and len(dice) < 2 else None
        save_plot(target, dice_drawing([(die.name, die.result) for die in dice] or [("", result)], path))
    elif target is not None:
        raise UsageError("nothing-draw-without-rolls")


def _split(table: Table) -> tuple[Table, Table | None]:
    """The rolls that were read, and those of which the face is empty: somebody saw a die and could not read it."""
    faces = table.columns.get("face", ())
    lost = [row for row, face in enumerate(faces) if face in _NOT_READ]
    if not lost:
        return table, None
    return table.rows([row for row, face in enumerate(faces) if face not in _NOT_READ]), table.rows(lost)


def _unread(table: Table, lost: Table | None, counts: list[int], given: tuple[float, float]) -> dict[str, object]:
    """What could not be read, and whether it could turn the verdict; of several dice, of any of them."""
    if lost is None:
        return {"unread": 0, "unread_could_turn": False}
    prior_weight, alpha = given
    number = sum(lost.counts("count")) if lost.has("count") else len(lost)
    if number > MOST_UNREAD:
        raise BadInput("too-many-unread", where=lost.where, number=f"{number:,}")
    found = dice_tests.with_unread(counts, number, prior_weight)
    turns = [found.could_turn(alpha, STRONG)]
    if table.has("die") and lost.has("die"):
        read = {name: dice_tests.rolls_of(table.where_is("die", name))[0] for name in dict.fromkeys(table.texts("die"))}
        unread = Counter(lost.texts("die"))
        each = (dice_tests.with_unread(rolls, unread[name], prior_weight) for name, rolls in read.items())
        turns = [die.could_turn(alpha, STRONG) for die in each]
    return {"unread": number, "unread_could_turn": any(turns), "unread_p_values": list(found.p_values)}


_NOT_READ: Final = ("", "?", "*")
MOST_UNREAD: Final = 1_000_000
"""Rolls that can be stated as not read."""


def _lines(
    data: Mapping[str, Any], result: dice_tests.Fairness | None, dice: Sequence[dice_tests.DieFairness]
) -> Iterator[str]:
    if "rolls" in data:
        share, power, alpha = (f"{100 * data[name]:.2f}" for name in ("bias", "power", "alpha"))
        yield said("rolls-needed", rolls=f"{data['rolls']:,}", share=share)
        yield said("rolls-risks", power=power, alpha=alpha)
    if len(dice) > 1:
        yield from (line for die in dice for line in _die_lines(die, len(dice)))
    elif result is not None:
        yield from _result_lines(result)
    if data.get("unread"):
        code = "unread-could-turn" if data["unread_could_turn"] else "unread-cannot-turn"
        yield said(code, count=f"{data['unread']:,}")
    yield said("dice-advice")


def _die_lines(die: dice_tests.DieFairness, of: int) -> Iterator[str]:
    yield said("die-of", name=die.name, count=of, p=f"{die.p_adjusted:.4g}")
    yield from _result_lines(die.result)
    odd = [face for face, (low, high) in enumerate(die.intervals, 1) if not low <= 1 / dice_tests.FACES <= high]
    if odd:
        yield "  " + said("faces-odd", faces=", ".join(map(str, odd)))


def _result_lines(result: dice_tests.Fairness) -> Iterator[str]:
    shares = ", ".join(f"{face}: {count}" for face, count in enumerate(result.counts, 1))
    yield said("rolls-of", rolls=result.rolls, shares=shares)
    exact = said("exact-none") if result.exact_p is None else said("exact-p", p=f"{result.exact_p:.4g}")
    yield said("chi-square", chi2=f"{result.chi2:.4f}", dof=dice_tests.DOF, p=f"{result.p_value:.4g}", exact=exact)
    evidence, peak = f"{result.e_value:.4g}", result.ln_e_largest
    if peak is None:
        yield said("e-value", value=evidence)
    else:
        yield said("e-value-peak", value=evidence, peak=f"{dice_tests.bounded_exp(peak):.4g}")
    unfair = max(result.ln_e_value, peak or result.ln_e_value) >= np.log(STRONG)
    yield said("die-unfair", strong=STRONG) if unfair else said("die-not-shown-unfair")
