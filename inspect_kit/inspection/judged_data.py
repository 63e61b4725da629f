"""What was judged, by the names that scripts rely on: `judge --json`, `inspect --json` and the Python interface."""

from decimal import Decimal

from inspect_kit.inspection.walk import Outcome
from inspect_kit.judgement.verdict import Finding
from inspect_kit.values.limits import lower_of, upper_of
from inspect_kit.values.quantity import json_number


def judged_data(outcome: Outcome) -> dict[str, object]:
    """The findings in the form that scripts rely on."""
    return {
        "spec": outcome.task.sheet.id,
        "item": outcome.task.item.id,
        "rule": outcome.judgement.rule.value,
        "verdict": outcome.judgement.verdict.value,
        "findings": [_finding(finding) for finding in outcome.judgement.findings],
        **_types(outcome),
    }


def _types(outcome: Outcome) -> dict[str, object]:
    """The homologated types that each figure can be of, where figures are judged."""
    if not outcome.figures:
        return {}
    return {"types": [
        {"instance": figure.instance, "type": each.type, "fit": each.fit.value}
        for figure in outcome.figures for each in figure.types
    ]}  # fmt: skip


def _finding(finding: Finding) -> dict[str, object]:
    clause, measurement = finding.clause, finding.measurement
    limits = clause.limits
    data: dict[str, object] = {
        "clause": clause.number,
        "characteristic": clause.characteristic,
        "instance": finding.instance,
        "verdict": finding.verdict.value,
        "reason": finding.reason.value,
        "value": json_number(measurement.value) if measurement else None,
        "unit": measurement.unit if measurement else clause.unit.base if clause.unit else "",
        "u": _rounded(measurement.standard_uncertainty) if measurement else None,
        "lower": json_number(lower_of(limits)) if limits else None,
        "upper": json_number(upper_of(limits)) if limits else None,
        "nominal": json_number(clause.bounds.nominal_in_base),
        "probability": None if finding.probability is None else round(finding.probability, 6),
        "from": clause.source,
    }
    if finding.observation is not None:
        data["observed"] = finding.observation.value
    if finding.missing:
        data["missing"] = finding.missing
    if measurement is not None and measurement.confirmed:
        data["confirmed"] = True
    if finding.ruling is not None:
        word = "accept" if finding.ruling.accepted else "reject"
        data |= {"decision": word, "by": finding.ruling.by, "because": finding.ruling.because}
    return data


def _rounded(standard: Decimal | None) -> float | None:
    return None if standard is None else float(f"{standard:.6g}")
