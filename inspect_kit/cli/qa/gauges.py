"""`qa grr`: what a gauge adds to the spread, and the instrument sheet that follows from it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Final

import click

from inspect_kit.cli.options import json_option, plot_option
from inspect_kit.cli.output import columns, print_json, warn, write_whole
from inspect_kit.cli.qa.options import (
    file_argument,
    plot_target,
    positive_number,
    save_plot,
    table_of,
    typed_number,
)
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.drawing import gauge_drawing, linearity_drawing, type_one_drawing
from inspect_kit.quality.gauge.bias import Linearity, TypeOne, linearity, type_one
from inspect_kit.quality.gauge.sheet import (
    GaugeComponent,
    GaugeDescription,
    components_of_study,
    components_of_type_one,
    sheet_text,
)
from inspect_kit.quality.gauge.study import METHODS, GaugeResult, arranged
from inspect_kit.quality.sample import Sample
from inspect_kit.quality.table import Table
from inspect_kit.values.quantity import Quantity, Unit, parse_quantity, unit

TYPE_ONE, LINEARITY = "type1", "linearity"
ACCEPTABLE: Final = ((10.0, "good"), (30.0, "usable where little depends on it"), (float("inf"), "not good enough"))
"""The usual reading of % GRR (AIAG)."""


@click.command("grr")
@file_argument
@click.option("--method", type=click.Choice([*METHODS, TYPE_ONE, LINEARITY]), default="anova", show_default=True,
              help="How the study is evaluated.")  # fmt: skip
@click.option("--tolerance", help="Width of the tolerance, such as 1.6mm: the gauge is compared with it too.")
@click.option("--reference", help="type1: the true value of the part.")
@click.option(
    "--save-instrument", type=click.Path(path_type=Path), metavar="FILE.toml", help="Write an instrument sheet."
)
@click.option("--resolution", help="Its display step, such as 0.01mm (default: the digits of the readings).")
@click.option("--unit", "unit_name", default="mm", show_default=True, help="Unit of the sheet if no other is stated.")
@click.option("--calibration", help="Expanded uncertainty (k = 2) of the gauge's calibration, such as 0.02mm.")
@click.option("--name", help="What the gauge is called.")
@click.option("--kind", default="gauge", show_default=True, help="What it is: caliper, scale, …")
@click.option("--characteristic", metavar="C", help="Which characteristic of the file.")
@plot_option
@json_option
@click.pass_context
def grr(ctx: click.Context, /, file: Path, method: str, **given: str | Path | None) -> None:
    """A gauge study: repeatability, reproducibility, and what remains for the parts.

    Columns `part,operator,trial,value`. Method type1 reads `value` only and wants --reference, linearity reads
    `reference,value`. --save-instrument turns the study into the uncertainty that judge uses.

    \b
    Example:
      inspect-kit qa grr study.csv --tolerance 1.6mm --save-instrument instruments/desk-caliper.toml
      inspect-kit judge readings.csv --spec icf-cs --item coin-set --instruments instruments
    """
    plot_target(ctx)
    table = table_of(file, ctx.params["characteristic"])
    _STUDIES.get(method, _crossed)(ctx, table, method)
    del given


def _tolerance(ctx: click.Context) -> float | None:
    return positive_number(ctx.params["tolerance"], "--tolerance")


def _crossed(ctx: click.Context, table: Table, method: str) -> None:
    sample = table.sample("value")
    keys = list(zip(*(table.texts(name) for name in ("part", "operator", "trial")), strict=True))
    study = arranged(sample, keys, table.where)
    result = METHODS[method](study)
    data = {**study_data(result, _tolerance(ctx)), "parts": len(study.parts), "operators": len(study.operators),
            "trials": study.trials}  # fmt: skip
    lines = _study_lines(result, data)
    _finish(ctx, table, data, lines, components_of_study(result))
    save_plot(plot_target(ctx), gauge_drawing(study, result))


def study_data(result: GaugeResult, tolerance: float | None) -> dict[str, object]:
    """The study in the form that scripts rely on."""
    parts = {"ev": result.ev, "av": result.av, "grr": result.grr, "pv": result.pv, "tv": result.tv}
    return {
        "method": result.method, **parts, "interaction": result.interaction,
        **{f"{name}_pct": result.percent(value) for name, value in parts.items()},
        "interaction_p": result.interaction_p, "pooled": result.pooled, "ndc": result.ndc,
        "grr_contribution_pct": 100 * (result.grr / result.tv) ** 2,
        "grr_tolerance_pct": None if tolerance is None else 600 * result.grr / tolerance,
        "intervals_90": result.intervals,
        "anova": [
            {"source": e.name, "dof": e.dof, "ss": e.sum_of_squares, "ms": e.mean_square, "f": e.f, "p": e.p_value}
            for e in result.anova
        ],
    }  # fmt: skip


def _study_lines(result: GaugeResult, data: dict[str, object]) -> list[str]:
    named = [("repeatability EV", result.ev), ("operators AV", result.av), ("interaction", result.interaction),
             ("gauge R&R", result.grr), ("parts PV", result.pv), ("total TV", result.tv)]  # fmt: skip
    rows = [("", "standard deviation", "% of total")]
    rows += [(name, f"{value:.6g}", f"{result.percent(value):.2f}") for name, value in named]
    lines = list(columns(rows))
    if result.interaction_p is not None:
        word = "pooled with the repeatability" if result.pooled else "kept"
        lines.append(f"interaction operator × part: p = {result.interaction_p:.3g}, {word}")
    share = data["grr_tolerance_pct"]
    if isinstance(share, float):
        lines.append(f"6 GRR is {share:.1f} % of the tolerance")
    verdict = next(word for limit, word in ACCEPTABLE if result.percent(result.grr) < limit)
    ndc = "beyond counting" if result.ndc is None else result.ndc
    return [*lines, f"distinct categories ndc: {ndc}; for telling these parts apart the gauge is {verdict}"]


def _type_one(ctx: click.Context, table: Table, method: str) -> None:
    reference = typed_number(ctx.params["reference"], "--reference")
    if reference is None:
        raise UsageError("a Type 1 study needs the true value", hint="--reference 30.000mm")
    sample = table.sample("value")
    result = type_one(sample, float(reference), _tolerance(ctx), table.where)
    data = {"method": method, "n": result.count, "mean": result.mean, "s": result.deviation, "bias": result.bias,
            "t": result.t, "p_value": result.p_value, "bias_ci": result.bias_interval,
            "cg": result.cg, "cgk": result.cgk}  # fmt: skip
    _finish(ctx, table, data, _type_one_lines(result), components_of_type_one(result))
    save_plot(plot_target(ctx), type_one_drawing(sample, result, float(reference)))


def _type_one_lines(result: TypeOne) -> list[str]:
    lines = [f"n = {result.count}   mean {result.mean:.8g}   s {result.deviation:.4g}   bias {result.bias:.4g}"]
    low, high = result.bias_interval
    word = "no bias is proven" if result.p_value > 0.05 else "the bias is proven"
    lines.append(f"bias lies between {low:.4g} and {high:.4g} (95 %): {word} (p = {result.p_value:.3g})")
    if result.cg is not None and result.cgk is not None:
        lines.append(f"Cg {result.cg:.3f}   Cgk {result.cgk:.3f}   (usually 1.33 is asked for)")
    return lines


def _linearity(ctx: click.Context, table: Table, method: str) -> None:
    values, references = table.numbers("value"), table.numbers("reference")
    result = linearity(Sample.of(references).values, Sample.of(values).values, table.where)
    data = {"method": method, "n": result.count, "slope": result.slope, "intercept": result.intercept,
            "s": result.deviation, "r_squared": result.r_squared, "slope_p": result.slope_p,
            "intercept_p": result.intercept_p, "parts": [
                {"reference": level, "bias": bias, "p_value": p} for level, bias, p in result.part_biases
            ]}  # fmt: skip
    if ctx.params["save_instrument"] is not None:
        raise UsageError("a linearity study makes no instrument sheet", hint="take the crossed study or type1")
    _finish(ctx, table, data, _linearity_lines(result), ())
    save_plot(plot_target(ctx), linearity_drawing(result))


def _linearity_lines(result: Linearity) -> list[str]:
    rows = [("reference", "bias", "p")]
    rows += [(f"{level:.6g}", f"{bias:.4g}", f"{p:.3g}") for level, bias, p in result.part_biases]
    word = "changes with the value" if result.slope_p <= 0.05 else "is not proven to change with the value"
    line = f"bias = {result.intercept:.5g} {result.slope:+.5g} · reference   (R² {result.r_squared:.4f})"
    return [*columns(rows), line, f"the bias {word} (p = {result.slope_p:.3g})"]


_STUDIES: Final = {TYPE_ONE: _type_one, LINEARITY: _linearity}


def _finish(
    ctx: click.Context, table: Table, data: dict[str, object], lines: list[str], components: tuple[GaugeComponent, ...]
) -> None:
    target: Path | None = ctx.params["save_instrument"]
    saved = None if target is None else _save(ctx, table, components, target)
    if ctx.params["as_json"]:
        print_json(data if saved is None else {**data, "instrument": str(target)})
        return
    for line in lines:
        click.echo(line)
    if saved is not None:
        click.echo(f"written: {target}; a single reading has U = 2u = {saved:.4g}, by which judge narrows the limits")


def _save(ctx: click.Context, table: Table, components: tuple[GaugeComponent, ...], target: Path) -> float:
    """Write the sheet; gives U of a single reading by it."""
    if target.suffix.lower() != ".toml":
        raise UsageError(f"an instrument sheet is a file .toml, not {target.name[:60]!r}")
    params = ctx.params
    resolution = _quantity(params["resolution"], "--resolution") or _shown_step(table, params["unit_name"])
    calibration = _quantity(params["calibration"], "--calibration")
    name = params["name"] or f"Gauge of the study {Path(table.where).stem[:60]}"
    gauge = GaugeDescription(target.stem, name, params["kind"], resolution, calibration)
    if calibration is None:
        warn(("the sheet holds what the study saw and no calibration; add it with --calibration 0.02mm",))
    write_whole(target, sheet_text(gauge, components, f"From the gauge study {Path(table.where).name}").encode())
    return _expanded(gauge, components)


def _expanded(gauge: GaugeDescription, components: tuple[GaugeComponent, ...]) -> float:
    parts = [component.size / (3**0.5 if component.form == "half_width" else 1) for component in components]
    parts.append(float(gauge.resolution.in_base) / 2 / 3**0.5)
    parts.append(float(gauge.calibration.in_base) / 2 if gauge.calibration else 0.0)
    return float(2 * sum(part**2 for part in parts) ** 0.5)


def _quantity(text: str | None, option: str) -> Quantity | None:
    if text is None:
        return None
    try:
        return parse_quantity(text)
    except BadInput as problem:
        raise UsageError(f"{option}: {problem.fault.why}", hint=problem.fault.hint) from None


def _shown_step(table: Table, unit_name: str) -> Quantity:
    """The display step as the readings show it: one unit of their last digit."""
    places = min(12, max(0, *(-int(value.as_tuple().exponent) for value in table.numbers("value"))))
    return Quantity(Decimal(1).scaleb(-places), _base_unit(table, unit_name))


def _base_unit(table: Table, unit_name: str) -> Unit:
    """The unit that the readings are in once read: a column `unit` is turned into mm, g, …, bare numbers are not."""
    if table.has("unit"):
        return unit(unit(table.texts("unit")[0]).base)
    try:
        stated = unit(unit_name)
    except BadInput as problem:
        raise UsageError(f"--unit: {problem.fault.why}", hint=problem.fault.hint) from None
    if stated.factor != 1:
        raise UsageError(f"--unit {stated} would be turned into {stated.base}", hint="give the file a column unit")
    return stated
