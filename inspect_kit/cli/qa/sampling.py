"""`qa sampling`: how many pieces of a lot to look at, and whether it is accepted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import numpy as np

from inspect_kit.atomic_write import write_whole
from inspect_kit.cli.options import PATH, Given, json_option, plot_option
from inspect_kit.cli.qa.options import plot_target, save_plot, table_of, word_of
from inspect_kit.cli.terminal import in_figures, print_result, said, warn
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.drawing import curve_drawing
from inspect_kit.quality.sample import Floats, limits_given, plain_number, positive_number
from inspect_kit.quality.sampling import attributes, variables
from inspect_kit.quality.sampling import operating_curve as curves
from inspect_kit.quality.sampling.attributes import NEVER, Lookup, Severity, look_up, plan_data, staged
from inspect_kit.quality.sampling.ledger import WHOLE, read_ledger

# `qa oc`: what a sampling plan lets through.

Data = dict[str, Any]
Drawn = tuple[Floats, Floats]


def variables_curve(size: int, k: float, *, sigma_known: bool) -> Drawn:
    """The curve of a plan by variables for one limit, down to where hardly a lot passes."""
    fractions = np.concatenate([[0.0], np.geomspace(1e-5, 0.9, 240)])
    chances = [curves.variables_acceptance(size, k, float(fraction), sigma_known=sigma_known) for fraction in fractions]
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
def oc(size: int, accept: int | None, **given: Any) -> None:
    """The operating characteristic: how often lots of each quality are accepted.

    \b
    Example:
      inspect-kit qa oc --n 80 --ac 2 --plot plan.svg
      inspect-kit qa oc --n 20 --ac 0 --lot 200 --json
    """
    target = plot_target()
    if (accept is None) == (given["k_text"] is None):
        raise UsageError("give-either-ac-k")
    if any(not 0 <= fraction <= 1 for fraction in given["at"]):
        raise UsageError("fraction-lies-between-0-1")
    if accept is None:
        drawn, data = _variables_oc(size, given)
    else:
        drawn, data = curves.attributes_oc(size, accept, given["lot"], poisson=given["poisson"], at=given["at"])
    data["points"] = [[float(fraction), float(chance)] for fraction, chance in zip(*drawn, strict=True)]
    print_result(data, *_curve_lines(data))
    plan = f"Ac = {accept}" if accept is not None else f"k = {given['k_text']}"
    save_plot(target, curve_drawing(*drawn, f"n = {size}, {in_figures(plan)} ({said(_MODELS[data['model']])})"))


_MODELS: Final = {
    curves.Model.BINOMIAL.value: "model-binomial", curves.Model.HYPERGEOMETRIC.value: "model-hypergeometric",
    curves.Model.POISSON.value: "model-poisson", "normal, σ known": "model-known", "normal, σ unknown": "model-unknown",
}  # fmt: skip
"""What the models are called in words."""


def _variables_oc(size: int, given: Given) -> tuple[Drawn, Data]:
    known, k = given["sigma_known"], plain_number(given["k_text"], "--k")
    if size < (1 if known else 2) or size > 100_000 or abs(k) > 20:
        raise UsageError("variables-plan-range")
    drawn = variables_curve(size, float(k), sigma_known=known)
    at = [[p, curves.variables_acceptance(size, float(k), p, sigma_known=known)] for p in given["at"]]
    model = "normal, σ known" if known else "normal, σ unknown"
    return drawn, {"n": size, "k": float(k), "lot": None, "model": model, "at": at}


def _curve_lines(data: Data) -> Iterator[str]:
    if "aoql" in data:
        yield said("oc-aoql", aoql=f"{100 * data['aoql']:.3g}", at=f"{100 * data['aoql_at']:.3g}")
    for level, fraction in data.get("quality_at", {}).items():
        yield said("oc-quality", level=f"{100 * float(level):g}", fraction=f"{100 * fraction:.3g}")
    for fraction, chance in data["at"] or data["points"][:: max(1, len(data["points"]) // 20)]:
        yield in_figures(f"{100 * fraction:9.4g} %  {chance:.4f}")


REFUSED = 1
"""Exit code: the lot is not accepted."""


@click.command("sampling")
@click.option("--lot", type=int, metavar="N", help="Pieces in the lot.")
@click.option("--aql", metavar="A", help="Acceptable quality level, of the series 0.010 … 1000.")
@click.option("--level", metavar="L", help="Inspection level: I, II (usual), III, S-1 … S-4.")
@click.option("--severity", metavar="S", help="normal (usual), tightened or reduced.")
@click.option("--producer", metavar="P:RISK",
              help="Find a plan: good quality that is refused at most so often, 0.01:0.05.")  # fmt: skip
@click.option("--consumer", metavar="P:RISK", help="… and bad quality that is accepted at most so often, 0.06:0.10.")
@click.option("--ltpd", metavar="P:RISK", help="Limiting quality that may pass at most so often, 0.05:0.10; Ac 0.")
@click.option("--ac", type=click.IntRange(0), default=0, help="With --ltpd: another acceptance number.")
@click.option("--stages", type=click.Choice(["double", "multiple"]), help="A double or multiple plan.")
@click.option("--variables", type=click.Choice(["s", "sigma"]), help="By measured values: σ from the sample, or known.")
@click.option("--standard", type=click.Choice([standard.value for standard in variables.Standard]), default="z1.9",
              show_default=True, help="Tables for variables.")  # fmt: skip
@click.option("--file", type=PATH, help="Variables: decide by the column `value` of this file.")
@click.option("--lower", help="Its lower limit.")
@click.option("--upper", help="Its upper limit.")
@click.option("--sigma", help="The known σ.")
@click.option("--ledger", type=PATH, metavar="LOTS.csv", help="The lots so far; switches severity.")
@click.option("--found", type=click.IntRange(0),
              help="Nonconforming pieces in the sample: decides, and goes into the ledger.")  # fmt: skip
@click.option("--name", default="", help="The lot's name, for the ledger.")
@click.option("--resubmitted", is_flag=True,
              help="It was refused before and sorted: judged, but no matter of switching.")  # fmt: skip
@click.option("--allow-reduced", is_flag=True, help="Production is steady and reduced inspection is agreed.")
@plot_option
@json_option
def sampling(**given: Any) -> int:
    """The sample a lot needs, and how many nonconforming pieces it may show.

    Single sampling by attributes by the tables of MIL-STD-105E (normal and tightened: also ANSI/ASQ Z1.4 and
    ISO 2859-1). A reduced plan with a gap between Ac and Re accepts a lot in the gap and goes back to normal.

    \b
    Example:
      inspect-kit qa sampling --lot 500 --aql 1.0
      inspect-kit qa sampling --lot 500 --aql 1.0 --ledger lots.csv --found 1
      inspect-kit qa sampling --producer 0.01:0.05 --consumer 0.06:0.10
      inspect-kit qa sampling --lot 500 --aql 1.0 --variables s --file sample.csv --lower 30.2 --upper 31.8
    """
    target = plot_target()
    data, drawn, code = _plan(given)
    print_result(data, *_plan_lines(data))
    aql = data["aql"] / 100 if data.get("aql", 100) <= float(attributes.LARGEST_PERCENTAGE) else None
    save_plot(target, curve_drawing(*drawn, _title(data), aql))
    return code


Outcome = tuple[Data, Drawn, int]


def _plan(given: Given) -> Outcome:
    if given["ltpd"]:
        return _limiting_plan(given)
    if given["producer"] or given["consumer"]:
        return _found_plan(given)
    if given["lot"] is None or given["aql"] is None:
        raise UsageError("sampling-needs-lot-aql")
    if given["variables"]:
        return _by_variables(given)
    return _in_stages(given) if given["stages"] else _by_attributes(given)


def _severity(given: Given) -> Severity:
    stated = (given["severity"] or Severity.NORMAL).lower()
    if stated not in set(Severity):
        raise UsageError("not-a-severity", stated=stated[:20])
    return Severity(stated)


def _risk(text: str | None, option: str) -> curves.Risk:
    fraction, colon, risk = (text or "").partition(":")
    if not colon:
        raise UsageError("fraction-and-risk", option=option)
    return curves.Risk(float(plain_number(fraction, option)), float(plain_number(risk, option)))


def _found_plan(given: Given) -> Outcome:
    if given["aql"] is not None or given["ledger"] is not None:
        raise UsageError("plan-either-looked-up-lot")
    risks = curves.Risks(_risk(given["producer"], "--producer"), _risk(given["consumer"], "--consumer"))
    if given["variables"]:
        known = given["variables"] == "sigma"
        found = curves.smallest_variables_plan(risks, sigma_known=known)
        drawn = variables_curve(found.size, found.k, sigma_known=known)
        return {"n": found.size, "k": found.k, "sigma_known": known}, drawn, 0
    lot = given["lot"]
    plan = curves.smallest_plan(risks) if lot is None else curves.smallest_plan_of_lot(risks, lot)
    if lot is not None:
        return {**plan_data(plan), "lot": lot}, _curve(plan.size, plan.accept, lot), 0
    data = {**plan_data(plan), **{
        f"{side}_risk": abs(miss - curves.acceptance(plan.size, plan.accept, risk.fraction))
        for side, miss, risk in (("producer", 1, risks.producer), ("consumer", 0, risks.consumer))
    }}  # fmt: skip
    return data, _curve(plan.size, plan.accept, None), 0


def _limiting_plan(given: Given) -> Outcome:
    """By the limiting quality: Ac = 0 unless another is asked for."""
    worst = _risk(given["ltpd"], "--ltpd")
    plan, lot = curves.plan_for_ltpd(worst, given["ac"], given["lot"]), given["lot"]
    drawn = _curve(plan.size, plan.accept, lot)
    return {**plan_data(plan), "lot": lot, "ltpd": worst.fraction, "consumer_risk": worst.risk}, drawn, 0


def _curve(size: int, accept: int, lot: int | None) -> Drawn:
    return curves.curve(size, accept) if lot is None else curves.curve_of_lot(size, accept, lot)


def _in_stages(given: Given) -> Outcome:
    """A double or multiple plan."""
    aql, severity = plain_number(given["aql"], "--aql"), _severity(given)
    plan = staged(given["lot"], aql, given["level"] or "II", severity, multiple=given["stages"] == "multiple")
    data: Data = {
        "code": plan.code, "aql": float(aql), "severity": severity.value,
        "stages": [{"n": stage.size, "ac": None if stage.accept == NEVER else stage.accept, "re": stage.reject}
                   for stage in plan.stages],
        "mean_sample_at_aql": plan.mean_sample(float(aql) / 100),
    }  # fmt: skip
    fractions = np.linspace(0, min(1.0, 0.2 + 0.05 * float(aql)), 201)
    return data, (fractions, np.array([plan.acceptance(float(p)) for p in fractions])), 0


def _by_attributes(given: Given) -> Outcome:
    scheme = attributes.Scheme(plain_number(given["aql"], "--aql"), given["level"] or "II", given["allow_reduced"])
    if given["ledger"] is not None:
        return _by_ledger(given, scheme)
    severity = _severity(given)
    lookup = look_up(given["lot"], scheme.aql, scheme.level, severity)
    data = attributes.lookup_data(lookup, scheme, severity)
    code = 0
    if given["found"] is not None:
        lot = attributes.PresentedLot(given["lot"], given["found"])
        judged = attributes.judge_lot(scheme, attributes.SwitchingState(severity), lot)
        data |= {"found": given["found"], "accepted": judged.accepted}
        code = 0 if data["accepted"] else REFUSED
    return data, _plan_curve(lookup, scheme, given["lot"]), code


def _plan_curve(lookup: Lookup, scheme: attributes.Scheme, lot: int) -> Drawn:
    """What the plan lets through: up to one less than Re is accepted, in the gap too."""
    accept = lookup.plan.reject - 1
    if scheme.aql > attributes.LARGEST_PERCENTAGE:
        return curves.curve(lookup.plan.size, accept, curves.Model.POISSON)
    if accept >= lookup.plan.size:
        return np.array([0.0, 1.0]), np.array([1.0, 1.0])
    return _curve(lot, accept, lot) if lookup.whole_lot else _curve(lookup.plan.size, accept, None)


def _by_ledger(given: Given, scheme: attributes.Scheme) -> Outcome:
    path: Path = given["ledger"]
    start = _severity(given)
    series = read_ledger(path, {WHOLE: scheme}, start)
    if series.lots and given["severity"]:
        raise UsageError("ledger-tells-severity")
    state = series.state()
    attributes.refuse_stopped(state)
    severity = state.severity
    lookup = look_up(given["lot"], scheme.aql, scheme.level, severity)
    before = {"lots_before": len(series.lots), "score": state.score}
    data = {**attributes.lookup_data(lookup, scheme, severity), **before}
    code = 0
    if given["found"] is not None:
        lot = attributes.PresentedLot(given["lot"], given["found"], given["name"], "", given["resubmitted"])
        series = series.add(lot)
        judged = series.lots[-1]
        write_whole(path, series.text().encode())
        data |= {"found": given["found"], "accepted": judged.accepted}
        data |= {"next": judged.next_severity, "because": judged.because}
        code = 0 if judged.accepted else REFUSED
    if attributes.may_be_reduced(scheme, series.state()):
        warn(said("reduced-allowed"))
    return data, _plan_curve(lookup, scheme, given["lot"]), code


def _by_variables(given: Given) -> Outcome:
    if given["ledger"] is not None or given["found"] is not None:
        raise UsageError("ledger-found-sampling-attributes")
    known = given["variables"] == "sigma"
    aql = plain_number(given["aql"], "--aql")
    wanted = variables.PlanRequest(given["lot"], aql, given["level"] or "", _severity(given), known)
    plan = variables.look_up_variables(wanted, variables.Standard(given["standard"]))
    data: Data = {
        "code": plan.code, "n": plan.size, "k": plan.k, "m_pct": plan.m_percent, "sigma_known": known,
        "standard": given["standard"], "aql": float(wanted.aql), "severity": wanted.severity.value,
    }  # fmt: skip
    drawn = variables_curve(plan.size, plan.k, sigma_known=known)
    if given["file"] is None:
        return data, drawn, 0
    decision = _decision(given, plan)
    data |= {
        "mean": decision.mean, "s": decision.sigma, "q_lower": decision.index_lower, "q_upper": decision.index_upper,
        "estimated_pct": decision.percent, "accepted": decision.accepted,
    }  # fmt: skip
    return data, drawn, 0 if decision.accepted else REFUSED


def _decision(given: Given, plan: variables.VariablesLookup) -> variables.VariablesDecision:
    limits = limits_given({"lower": given["lower"], "upper": given["upper"]})
    if limits is None:
        raise UsageError("deciding-needs-limit")
    table = table_of(given["file"])
    wanted = min(plan.size, given["lot"])
    if len(table) != wanted:
        raise BadInput("readings-unlike-plan", where=table.where, count=len(table), wanted=wanted)
    return variables.decide(plan, table.sample("value"), limits, positive_number(given["sigma"], "--sigma"))


def _title(data: Data) -> str:
    if "stages" in data:
        stages = ((each["n"], "#" if each["ac"] is None else each["ac"], each["re"]) for each in data["stages"])
        return "; ".join(f"n = {size}: Ac {accept}, Re {reject}" for size, accept, reject in stages)
    if "k" in data:
        sigma = said("model-known" if data["sigma_known"] else "model-unknown")
        return in_figures(f"n = {data['n']}, k = {data['k']:.3f}, {sigma}")
    return f"n = {data['n']}, Ac = {data['ac']}, Re = {data['re']}"


def _plan_lines(data: Data) -> Iterator[str]:
    if "stages" in data:
        yield from _stage_lines(data)
        return
    letter = said("code-letter", letter=data["code"]) + " " if "code" in data else ""
    yield letter + (_by_index(data) if "k" in data else _by_count(data))
    if "k" not in data and data["re"] > data["ac"] + 1:
        yield said("sampling-gap", ac=data["ac"], re=data["re"])
    if "estimated_pct" in data:
        yield said("sampling-estimate", percent=f"{data['estimated_pct']:.3g}", allowed=f"{data['m_pct']:.3g}")
    if "severity" in data:
        yield said("sampling-severity", severity=word_of("severity", data["severity"]))
    if "accepted" in data:
        yield said("lot-conforms" if data["accepted"] else "lot-fails")
    if data.get("because"):
        yield said("next-severity", severity=word_of("severity", data["next"]), reason=data["because"])


def _stage_lines(data: Data) -> Iterator[str]:
    for number, stage in enumerate(data["stages"], 1):
        accept = said("stage-no-accept") if stage["ac"] is None else said("stage-accept", ac=stage["ac"])
        yield said("stage", number=number, size=stage["n"], accept=accept, re=stage["re"])
    yield said("stages-mean", mean=f"{data['mean_sample_at_aql']:.1f}")


def _by_index(data: Data) -> str:
    m = in_figures(f" (M = {data['m_pct']:.3g} %)") if "m_pct" in data else ""
    return said("sampling-index", size=data["n"], k=f"{data['k']:.3f}") + m


def _by_count(data: Data) -> str:
    code = "sampling-count-whole" if data.get("whole_lot") else "sampling-count"
    return said(code, size=data["n"], ac=data["ac"], re=data["re"])
