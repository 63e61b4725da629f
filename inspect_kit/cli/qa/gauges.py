"""`qa grr`: what a gauge adds to the spread, and the instrument sheet that follows from it."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.instruments import Effect
from inspect_kit.cli.options import PATH, Given, json_option, plot_option
from inspect_kit.cli.qa.options import file_argument, plot_target, save_plot, table_of
from inspect_kit.cli.terminal import columns, in_figures, print_result, said, warn
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.measure.interpretation import instrument_budget
from inspect_kit.quality.drawing import agreement_drawing, linearity_drawing, type_one_drawing
from inspect_kit.quality.gauge import sheet as gauge_sheet
from inspect_kit.quality.gauge import study as studies
from inspect_kit.quality.gauge.agreement import GOOD_KAPPA, POOR_KAPPA, Agreement, Share, agreement
from inspect_kit.quality.gauge.bias import Linearity, TypeOne, linearity, type_one
from inspect_kit.quality.gauge.study import METHODS, GaugeResult, GaugeStudy
from inspect_kit.quality.gauge_drawing import SHEET, GaugeRows, gauge_drawing
from inspect_kit.quality.lot.column import answer
from inspect_kit.quality.sample import Sample, positive_number, typed_number
from inspect_kit.quality.table import Table
from inspect_kit.values.measurement import combined
from inspect_kit.values.quantity import Quantity, Unit, parse_quantity, unit

TYPE_ONE, LINEARITY, ATTRIBUTE, NESTED = "type1", "linearity", "attribute", "nested"
ACCEPTABLE: Final = ((10.0, "gauge-good"), (30.0, "gauge-usable"), (float("inf"), "gauge-bad"))
"""The usual reading of % GRR (AIAG)."""


@click.command("grr")
@file_argument
@click.option("--method", type=click.Choice([*METHODS, NESTED, TYPE_ONE, LINEARITY, ATTRIBUTE]), default="anova",
              show_default=True, help="How the study is evaluated.")  # fmt: skip
@click.option("--tolerance", help="Width of the tolerance, such as 1.6mm: the gauge is compared with it too.")
@click.option("--reference", help="type1: the true value of the part.")
@click.option("--save-instrument", type=PATH, metavar="FILE.toml", help="Write an instrument sheet.")
@click.option("--resolution", help="Its display step, such as 0.01mm (default: the digits of the readings).")
@click.option("--unit", "unit_name", default="mm", show_default=True, help="Unit of the sheet if no other is stated.")
@click.option("--calibration", help="Expanded uncertainty (k = 2) of the gauge's calibration, such as 0.02mm.")
@click.option("--name", help="What the gauge is called.")
@click.option("--kind", default="gauge", show_default=True, help="What it is: caliper, scale, …")
@click.option("--characteristic", metavar="C", help="Which characteristic of the file.")
@plot_option
@json_option
def grr(file: Path, method: str, **given: Any) -> None:
    """A gauge study: repeatability, reproducibility, and what remains for the parts.

    Columns `part,operator,value`, and `trial` if the readings are not in order. Where every operator has parts of his
    own (a test that destroys them) take --method nested; parts measured unequally often are allowed with anova.
    Method attribute is for what is judged by eye: `value` yes or no, `reference` the true answer if known. Method type1
    reads `value` only and wants --reference, linearity reads `reference,value`. --save-instrument turns the study into
    the uncertainty that judge uses.

    \b
    Example:
      inspect-kit qa grr study.csv --tolerance 1.6mm --save-instrument instruments/desk-caliper.toml
      inspect-kit judge readings.csv --spec icf-cs --item coin-set --instruments instruments
    """
    plot_target()
    table = table_of(file, given["characteristic"])
    _STUDIES.get(method, _crossed)(given, table, method)


def _tolerance(given: Given) -> float | None:
    return positive_number(given["tolerance"], "--tolerance")


def _crossed(given: Given, table: Table, method: str) -> None:
    sample = table.sample("value")
    keys = _keys(table)
    if method == "anova" and not studies.balanced(keys):
        _unbalanced(given, table, sample, keys)
        return
    study = studies.arranged(sample, keys, table.where)
    result = METHODS[method](study)
    sizes = {"parts": len(study.parts), "operators": len(study.operators), "trials": study.trials}
    _variances(given, table, result, sizes, study)


def _variances(
    given: Given,
    table: Table,
    result: GaugeResult,
    sizes: dict[str, int],
    drawn: GaugeStudy | GaugeRows,
) -> None:
    """Say, keep and draw what a study of readings came to."""
    data = {**studies.study_data(result, _tolerance(given)), **sizes}
    _finish(given, table, data, _study_lines(result, data), partial(gauge_sheet.effects_of_study, result))
    save_plot(plot_target(), gauge_drawing(drawn, result, _tolerance(given), table.unit), SHEET)


def _keys(table: Table) -> list[tuple[str, str, str]]:
    """Part, operator and trial; without a column `trial` readings of a part by an operator are counted as they come."""
    pairs = list(zip(table.texts("part"), table.texts("operator"), strict=True))
    if table.has("trial"):
        return [(*pair, trial) for pair, trial in zip(pairs, table.texts("trial"), strict=True)]
    counted: Counter[tuple[str, str]] = Counter()
    keys = []
    for pair in pairs:
        counted[pair] += 1
        keys.append((*pair, str(counted[pair])))
    return keys


def _unbalanced(given: Given, table: Table, sample: Sample, keys: list[tuple[str, str, str]]) -> None:
    """Parts that were measured unequally often: the components by restricted maximum likelihood."""
    if table.has("trial"):
        studies.arranged(sample, keys, table.where)
    result = studies.by_reml(sample, [(part, operator) for part, operator, _ in keys], table.where)
    parts, operators, _ = zip(*keys, strict=True)
    sizes = {"parts": len(set(parts)), "operators": len(set(operators))}
    _variances(given, table, result, sizes, GaugeRows(parts, operators, sample.values))


def _study_lines(result: GaugeResult, data: dict[str, object]) -> list[str]:
    named = [("part-ev", result.ev), ("part-av", result.av), ("part-interaction", result.interaction),
             ("part-grr", result.grr), ("part-pv", result.pv), ("part-tv", result.tv)]  # fmt: skip
    rows: list[tuple[str, ...]] = [("", said("head-deviation"), said("head-of-total"))]
    rows += [(said(code), *map(in_figures, (f"{size:.6g}", f"{result.percent(size):.2f}"))) for code, size in named]
    lines = list(columns(rows))
    if result.interaction_p is not None:
        code = "interaction-pooled" if result.pooled else "interaction-kept"
        lines.append(said(code, p=f"{result.interaction_p:.3g}"))
    share = data["grr_tolerance_pct"]
    if isinstance(share, float):
        lines.append(said("grr-of-tolerance", share=f"{share:.1f}"))
    verdict = next(code for limit, code in ACCEPTABLE if result.percent(result.grr) < limit)
    ndc = said("beyond-counting") if result.ndc is None else result.ndc
    return [*lines, said("ndc", ndc=ndc, verdict=said(verdict))]


def _type_one(given: Given, table: Table, method: str) -> None:
    reference = typed_number(given["reference"], "--reference")
    if reference is None:
        raise UsageError("type-1-study-needs-true")
    sample = table.sample("value")
    result = type_one(sample, float(reference), _tolerance(given), table.where)
    data = {"method": method, "n": result.count, "mean": result.mean, "s": result.deviation, "bias": result.bias,
            "t": result.t, "p_value": result.p_value, "bias_ci": result.bias_interval,
            "cg": result.cg, "cgk": result.cgk}  # fmt: skip
    _finish(given, table, data, _type_one_lines(result), partial(gauge_sheet.effects_of_type_one, result))
    save_plot(plot_target(), type_one_drawing(sample, result, float(reference), _tolerance(given), table.unit))


def _type_one_lines(result: TypeOne) -> list[str]:
    sizes = {"mean": f"{result.mean:.8g}", "s": f"{result.deviation:.4g}", "bias": f"{result.bias:.4g}"}
    low, high = result.bias_interval
    code = "bias-unproven" if result.p_value > 0.05 else "bias-proven"
    lines = [said("type-one", n=result.count, **sizes)]
    lines.append(said(code, low=f"{low:.4g}", high=f"{high:.4g}", p=f"{result.p_value:.3g}"))
    if result.cg is not None and result.cgk is not None:
        lines.append(said("cg-cgk", cg=f"{result.cg:.3f}", cgk=f"{result.cgk:.3f}", usual="1.33"))
    return lines


def _linearity(given: Given, table: Table, method: str) -> None:
    values, references = table.numbers("value"), table.numbers("reference")
    result = linearity(Sample.of(references).values, Sample.of(values).values, table.where)
    data = {"method": method, "n": result.count, "slope": result.slope, "intercept": result.intercept,
            "s": result.deviation, "r_squared": result.r_squared, "slope_p": result.slope_p,
            "intercept_p": result.intercept_p, "parts": [
                {"reference": level, "bias": bias, "p_value": p} for level, bias, p in result.part_biases
            ]}  # fmt: skip
    if given["save_instrument"] is not None:
        raise UsageError("linearity-study-makes-no-instrument")
    _finish(given, table, data, _linearity_lines(result), lambda _: ())
    save_plot(plot_target(), linearity_drawing(result, table.unit))


def _linearity_lines(result: Linearity) -> list[str]:
    rows: list[tuple[str, ...]] = [(said("head-reference"), said("head-bias"), "p")]
    rows += [tuple(map(in_figures, (f"{at:.6g}", f"{bias:.4g}", f"{p:.3g}"))) for at, bias, p in result.part_biases]
    code = "bias-changes" if result.slope_p <= 0.05 else "bias-steady"
    line = {"intercept": f"{result.intercept:.5g}", "slope": f"{result.slope:+.5g}", "r": f"{result.r_squared:.4f}"}
    return [*columns(rows), said("bias-line", **line), said(code, p=f"{result.slope_p:.3g}")]


def _attribute(given: Given, table: Table, _: str) -> None:
    """What is judged by eye: kappa within, between and against the standard."""
    if given["save_instrument"] is not None:
        raise UsageError("study-eye-makes-no-instrument")
    ratings: dict[tuple[str, str], list[str]] = {}
    rows = zip(table.texts("part"), table.texts("operator"), table.texts("value"), strict=True)
    for part, person, word in rows:
        ratings.setdefault((part, person), []).append(answer(word))
    standard: dict[str, str] = {}
    if table.has("reference"):
        for part, word in zip(table.texts("part"), table.texts("reference"), strict=True):
            if standard.setdefault(part, answer(word)) != answer(word):
                raise BadInput("part-two-references", where=table.where, part=part[:30])
    found = agreement(ratings, standard, table.where)
    data = attribute_data(found)
    _finish(given, table, data, _attribute_lines(found), lambda _: ())
    save_plot(plot_target(), agreement_drawing(found))


def _share_data(share: Share) -> dict[str, object]:
    return {"matched": share.matched, "parts": share.parts, "ci": list(share.interval)}


def attribute_data(found: Agreement) -> dict[str, object]:
    """The study of the eye in the form that scripts rely on."""
    people = {
        name: {
            "within": _share_data(found.within[name]),
            "against_standard": _share_data(found.against[name]) if name in found.against else None,
            "kappa_standard": found.kappa_against[name].value if name in found.kappa_against else None,
            "kappa_standard_ci": list(found.kappa_against[name].interval) if name in found.kappa_against else None,
            "missed": found.missed.get(name), "false_alarms": found.false_alarms.get(name),
        }
        for name in found.within
    }  # fmt: skip
    pairs = [
        {"operators": list(pair), "kappa": kappa.value, "ci": list(kappa.interval)}
        for pair, kappa in found.kappa_pairs.items()
    ]
    return {"method": ATTRIBUTE, "operators": people, "pairs": pairs, "fleiss_kappa": found.fleiss,
            "all_agree": _share_data(found.all_agree)}  # fmt: skip


def _attribute_lines(found: Agreement) -> list[str]:
    people = map(said, ("head-operator", "head-with-self", "head-with-standard"))
    rows: list[tuple[str, ...]] = [(*people, "kappa", said("head-missed"), said("head-false-alarms"))]
    for name, own in found.within.items():
        against, kappa = found.against.get(name), found.kappa_against.get(name)
        rows.append((
            name, f"{own.matched}/{own.parts}", f"{against.matched}/{against.parts}" if against else "—",
            in_figures(f"{kappa.value:.3f}") if kappa else "—", _percent(found.missed.get(name)),
            _percent(found.false_alarms.get(name)),
        ))  # fmt: skip
    lines = list(columns(rows))
    for (one, two), pair in found.kappa_pairs.items():
        lines.append(said("kappa-of", one=one, two=two, kappa=f"{pair.value:.3f}"))
    word = "good" if found.fleiss > GOOD_KAPPA else "poor" if found.fleiss < POOR_KAPPA else "fair"
    return [*lines, said(f"fleiss-{word}", kappa=f"{found.fleiss:.3f}")]


def _percent(share: float | None) -> str:
    return "—" if share is None else in_figures(f"{100 * share:.1f} %")


def _nested(given: Given, table: Table, _: str) -> None:
    """Parts that belong to one operator each."""
    sample = table.sample("value")
    keys = list(zip(table.texts("operator"), table.texts("part"), strict=True))
    result = studies.by_nested_anova(sample, keys, table.where)
    named, operators = tuple(f"{operator} {part}" for operator, part in keys), tuple(operator for operator, _ in keys)
    rows = GaugeRows(named, operators, sample.values, nested=True)
    _variances(given, table, result, {"operators": len(set(operators))}, rows)


_STUDIES: Final = {TYPE_ONE: _type_one, LINEARITY: _linearity, ATTRIBUTE: _attribute, NESTED: _nested}


def _finish(
    given: Given, table: Table, data: dict[str, object], lines: list[str], effects: Callable[[Unit], tuple[Effect, ...]]
) -> None:
    target: Path | None = given["save_instrument"]
    if target is not None:
        saved = _save(given, table, effects, target)
        data |= {"instrument": str(target)}
        lines = [*lines, said("instrument-written", file=target, expanded=f"{saved:.4g}")]
    print_result(data, *lines)


def _save(given: Given, table: Table, effects: Callable[[Unit], tuple[Effect, ...]], target: Path) -> float:
    """Write the sheet; gives U of a single reading by it."""
    if target.suffix.lower() != ".toml":
        raise UsageError("instrument-sheet-file-toml-not", target=target.name[:60])
    resolution = _quantity(given["resolution"], "--resolution") or _shown_step(table, given["unit_name"])
    calibration = _quantity(given["calibration"], "--calibration")
    name = given["name"] or said("gauge-of-study", file=Path(table.where).stem[:60])
    told = gauge_sheet.GaugeDescription(target.stem, name, given["kind"], resolution, calibration)
    if calibration is None:
        warn(said("sheet-without-calibration"))
    source = said("from-gauge-study", file=Path(table.where).name)
    gauge = told.with_effects(effects(told.unit))
    write_whole(target, gauge_sheet.study_sheet(gauge, source).encode())
    return 2 * float(combined(instrument_budget(gauge, Decimal(0))))


def _quantity(text: str | None, option: str) -> Quantity | None:
    if text is None:
        return None
    with UsageError.located(option):
        return parse_quantity(text)


def _shown_step(table: Table, unit_name: str) -> Quantity:
    """The display step as the readings show it: one unit of their last digit."""
    places = min(12, max(0, *(-int(value.as_tuple().exponent) for value in table.numbers("value"))))
    return Quantity(Decimal(1).scaleb(-places), _base_unit(table, unit_name))


def _base_unit(table: Table, unit_name: str) -> Unit:
    """The unit that the readings are in once read: a column `unit` is turned into mm, g, …, bare numbers are not."""
    if table.has("unit"):
        return unit(unit(table.texts("unit")[0]).base)
    with UsageError.located("--unit"):
        stated = unit(unit_name)
    if stated.factor != 1:
        raise UsageError("unit-would-turned-into", stated=stated, base=stated.base)
    return stated
