"""`qa oc`: what a sampling plan lets through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
import numpy as np

from inspect_kit.cli.options import json_option
from inspect_kit.cli.output import print_json
from inspect_kit.cli.quality_options import plain_number, plot_option, plot_target, save_plot
from inspect_kit.errors import UsageError
from inspect_kit.quality.drawing_studies import curve_drawing
from inspect_kit.quality.operating import Curve, Model, acceptance, acceptance_of_lot, curve, curve_of_lot, quality_at
from inspect_kit.quality.plan_search import variables_acceptance
from inspect_kit.quality.sample import Floats

Data = dict[str, Any]
Drawn = tuple[Floats, Floats]


def points_of(found: Curve) -> Drawn:
    """Fractions and probabilities."""
    return found.fractions, found.probabilities


def variables_curve(size: int, k: float, *, sigma_known: bool) -> Drawn:
    """The curve of a plan by variables for one limit, down to where hardly a lot passes."""
    fractions = np.concatenate([[0.0], np.geomspace(1e-5, 0.9, 240)])
    chances = [variables_acceptance(size, k, float(fraction), sigma_known=sigma_known) for fraction in fractions]
    kept = max(int(np.count_nonzero(np.array(chances) > 0.0005)) + 1, 2)
    return fractions[:kept], np.array(chances[:kept])


@click.command("oc")
@click.option("--n", "size", type=int, required=True, help="Pieces in the sample.")
@click.option("--ac", "accept", type=int, help="Acceptance number.")
@click.option("--lot", type=int, help="Pieces in the lot: hypergeometric instead of binomial.")
@click.option("--poisson", is_flag=True, help="Nonconformities per piece instead of nonconforming pieces.")
@click.option("--k", "k_text", help="By variables: acceptability constant instead of --ac.")
@click.option("--sigma-known", is_flag=True, help="With --k: σ is known.")
@click.option("--at", "at", multiple=True, type=float, help="Further fractions to work out; can be repeated.")
@plot_option
@json_option
@click.pass_context
def oc(ctx: click.Context, /, size: int, accept: int | None, as_json: bool, **given: Any) -> None:
    """The operating characteristic: how often lots of each quality are accepted.

    \b
    Example:
      inspect-kit qa oc --n 80 --ac 2 --plot plan.svg
      inspect-kit qa oc --n 20 --ac 0 --lot 200 --json
    """
    target = plot_target(ctx)
    if (accept is None) == (given["k_text"] is None):
        raise UsageError("give either --ac or --k")
    if any(not 0 <= fraction <= 1 for fraction in given["at"]):
        raise UsageError("a fraction lies between 0 and 1")
    drawn, data = _attributes_oc(size, accept, given) if accept is not None else _variables_oc(size, given)
    data["points"] = [[float(fraction), float(chance)] for fraction, chance in zip(*drawn, strict=True)]
    if as_json:
        print_json(data)
    else:
        _print_curve(data)
    plan = f"Ac = {accept}" if accept is not None else f"k = {given['k_text']}"
    save_plot(target, curve_drawing(*drawn, f"n = {size}, {plan} ({data['model']})"))


def _attributes_oc(size: int, accept: int, given: Mapping[str, Any]) -> tuple[Drawn, Data]:
    lot, poisson = given["lot"], given["poisson"]
    if lot is not None and poisson:
        raise UsageError("--lot and --poisson exclude one another")
    model = Model.POISSON if poisson else Model.BINOMIAL
    found = curve(size, accept, model) if lot is None else curve_of_lot(size, accept, lot)
    data: Data = {"n": size, "ac": accept, "lot": lot, "model": found.model.value}
    if lot is None:
        data["quality_at"] = {f"{level:g}": quality_at(size, accept, level, model) for level in (0.95, 0.5, 0.1)}
    data["at"] = [[fraction, _chance(size, accept, fraction, found.model, lot)] for fraction in given["at"]]
    return points_of(found), data


def _chance(size: int, accept: int, fraction: float, model: Model, lot: int | None) -> float:
    if lot is None:
        return acceptance(size, accept, fraction, model)
    bad = fraction * lot
    if abs(bad - round(bad)) > 1e-6:
        raise UsageError(f"{fraction:g} of {lot} pieces is not a whole number of pieces")
    return acceptance_of_lot(size, accept, round(bad), lot)


def _variables_oc(size: int, given: Mapping[str, Any]) -> tuple[Drawn, Data]:
    known, k = given["sigma_known"], plain_number(given["k_text"], "--k")
    if size < (1 if known else 2) or size > 100_000 or abs(k) > 20:
        raise UsageError("by variables n lies between 2 and 100,000 and k between -20 and 20")
    drawn = variables_curve(size, float(k), sigma_known=known)
    at = [[p, variables_acceptance(size, float(k), p, sigma_known=known)] for p in given["at"]]
    return drawn, {
        "n": size,
        "k": float(k),
        "lot": None,
        "model": "normal, σ known" if known else "normal, σ unknown",
        "at": at,
    }


def _print_curve(data: Data) -> None:
    for level, fraction in data.get("quality_at", {}).items():
        click.echo(f"{100 * float(level):g} % of lots are accepted at {100 * fraction:.3g} % nonconforming")
    for fraction, chance in data["at"] or data["points"][:: max(1, len(data["points"]) // 20)]:
        click.echo(f"{100 * fraction:9.4g} %  {chance:.4f}")
