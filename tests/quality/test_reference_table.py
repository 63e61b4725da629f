"""The table in docs/quality.md: every method against an independent reference, with the digits that agree."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from math import floor, log10
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import inter_rater, multitest, proportion
from statsmodels.stats.diagnostic import normal_ad

from inspect_kit.quality.dice import fairness, holm, simultaneous_intervals
from inspect_kit.quality.gauge.agreement import cohen_kappa, fleiss_kappa
from inspect_kit.quality.gauge.bias import linearity, type_one
from inspect_kit.quality.gauge.study import arranged, by_anova
from inspect_kit.quality.process.capability import anderson_darling, capability, one_way
from inspect_kit.quality.process.distributions import by_percentiles
from inspect_kit.quality.sample import as_sample
from inspect_kit.quality.sampling.operating_curve import acceptance, acceptance_of_lot
from inspect_kit.values.limits import Between

Pair = tuple[Any, Any]
RNG = np.random.default_rng(2026)
VALUES = np.round(RNG.normal(31, 0.12, 60), 3)
SKEWED = np.round(RNG.weibull(1.4, 120) * 3 + 0.01, 4)
LIMITS = Between(Decimal("30.2"), Decimal("31.8"))


def _capability() -> Pair:
    found = capability(as_sample(VALUES.tolist()), LIMITS)
    deviation = float(np.std(VALUES, ddof=1))
    pp = 1.6 / (6 * deviation)
    ends = [pp * float(np.sqrt(stats.chi2.ppf(tail, 59) / 59)) for tail in (0.025, 0.975)]
    room = min(31.8 - VALUES.mean(), VALUES.mean() - 30.2)
    return [found.long_term.potential, found.long_term.actual, *(found.long_term.potential_interval or ())], [
        pp, room / (3 * deviation), *ends,
    ]  # fmt: skip


def _normality() -> Pair:
    return anderson_darling(VALUES - VALUES[0]), float(normal_ad(VALUES)[1])


def _box_cox() -> Pair:
    found = by_percentiles(SKEWED, Between(Decimal("0.001"), Decimal(30)), "box-cox")
    assert found is not None
    return found.chosen.parameters["lambda"], float(stats.boxcox(SKEWED)[1])


def _strata() -> Pair:
    found, wanted = (
        one_way([VALUES[:20], VALUES[20:45], VALUES[45:]]),
        stats.f_oneway(VALUES[:20], VALUES[20:45], VALUES[45:]),
    )
    return [*found], [float(wanted.statistic), float(wanted.pvalue)]


def _crossed() -> Pair:
    """Sums of squares by statsmodels' analysis of variance."""
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    keys = [(str(part), who, str(trial)) for part in range(10) for who in "ABC" for trial in range(2)]
    result = by_anova(arranged(as_sample(VALUES.tolist()), keys, ""))
    frame = pd.DataFrame({"y": VALUES, "part": [key[0] for key in keys], "who": [key[1] for key in keys]})
    wanted = anova_lm(ols("y ~ C(part) * C(who)", frame).fit())["sum_sq"]
    ours = {line.name: line.sum_of_squares for line in result.anova}
    names = {"part": "C(part)", "operator": "C(who)", "interaction": "C(part):C(who)", "repeatability": "Residual"}
    return [ours[name] for name in names], [float(wanted[name]) for name in names.values()]


LEFT = ["yes" if n % 5 else "no" for n in range(50)]
RIGHT = ["yes" if n % 5 and n % 7 else "no" for n in range(50)]


def _cohen() -> Pair:
    table = [
        [sum(pair == (a, b) for pair in zip(LEFT, RIGHT, strict=True)) for b in ("yes", "no")] for a in ("yes", "no")
    ]
    wanted = inter_rater.cohens_kappa(np.array(table))
    found = cohen_kappa(zip(LEFT, RIGHT, strict=True))
    return [found.value, found.error], [float(wanted.kappa), float(wanted.std_kappa)]


def _fleiss() -> Pair:
    table = np.array([[n % 4, 3 - n % 4] for n in range(20)])
    return fleiss_kappa(table), float(inter_rater.fleiss_kappa(table))


def _bias() -> Pair:
    wanted = stats.ttest_1samp(VALUES, 31.0)
    found = type_one(as_sample(VALUES.tolist()), 31.0, 1.6)
    return [found.t, found.p_value], [float(wanted.statistic), float(wanted.pvalue)]


def _linearity() -> Pair:
    references = np.repeat([2.0, 4.0, 6.0, 8.0, 10.0], 12)
    values = references + 0.02 * references + (VALUES - 31)
    found, wanted = linearity(references, values), stats.linregress(references, values - references)
    return [found.slope, found.intercept, found.slope_p], [
        float(wanted.slope),
        float(wanted.intercept),
        float(wanted.pvalue),
    ]


def _binomial() -> Pair:
    fractions = (0.001, 0.01, 0.05, 0.1)
    return [acceptance(80, 2, p) for p in fractions], [float(stats.binom.cdf(2, 80, p)) for p in fractions]


def _hypergeometric() -> Pair:
    bad = (1, 5, 20, 60)
    return [acceptance_of_lot(80, 2, each, 500) for each in bad], [
        float(stats.hypergeom.cdf(2, 500, each, 80)) for each in bad
    ]


COUNTS = [90, 112, 95, 101, 120, 82]


def _dice() -> Pair:
    wanted = stats.chisquare(COUNTS)
    found = fairness(COUNTS)
    return [found.chi2, found.p_value], [float(wanted.statistic), float(wanted.pvalue)]


def _faces() -> Pair:
    wanted = proportion.multinomial_proportions_confint(COUNTS, method="goodman")
    return np.array(simultaneous_intervals(COUNTS)).ravel(), np.array(wanted).ravel()


def _family() -> Pair:
    p_values = [0.001, 0.02, 0.04, 0.3]
    return holm(p_values), multitest.multipletests(p_values, method="holm")[1]


COMPUTED: dict[str, tuple[str, int, Callable[[], Pair]]] = {
    "Pp, Ppk and limits of Pp": ("numpy, scipy chi2", 12, _capability),
    "Anderson–Darling p": ("statsmodels normal_ad", 10, _normality),
    "Box–Cox λ": ("scipy boxcox", 6, _box_cox),
    "Strata: F and p": ("scipy f_oneway", 10, _strata),
    "Crossed gauge study: sums of squares": ("statsmodels anova_lm", 10, _crossed),
    "Cohen's kappa and its error": ("statsmodels cohens_kappa", 10, _cohen),
    "Fleiss' kappa": ("statsmodels fleiss_kappa", 10, _fleiss),
    "Type 1 study: t and p": ("scipy ttest_1samp", 10, _bias),
    "Linearity: slope, intercept, p": ("scipy linregress", 10, _linearity),
    "Operating characteristic, binomial": ("scipy binom", 10, _binomial),
    "Operating characteristic, finite lot": ("scipy hypergeom", 10, _hypergeometric),
    "Dice: chi-square and p": ("scipy chisquare", 10, _dice),
    "Dice: simultaneous intervals": ("statsmodels, Goodman", 10, _faces),
    "Several dice: Holm's p": ("statsmodels multipletests", 12, _family),
}


def digits(ours: Any, theirs: Any) -> int:
    """Digits that agree, of the figure that agrees least."""
    left, right = np.atleast_1d(np.asarray(ours, float)), np.atleast_1d(np.asarray(theirs, float))
    apart = float(np.max(np.abs(left - right) / np.abs(right)))
    return 15 if apart == 0 else min(15, floor(-log10(apart)))


@pytest.mark.parametrize("method", COMPUTED)
def test_a_method_agrees_with_its_reference_to_the_digits_that_are_claimed(method: str) -> None:
    _, claimed, compared = COMPUTED[method]
    assert digits(*compared()) >= claimed


def rows(repository: Path) -> list[list[str]]:
    text = (repository / "docs" / "quality.md").read_text(encoding="utf-8")
    part = text[text.index("| method | reference | digits | test |") :]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.split("\n\n")[0].splitlines()[2:]]


def test_the_table_in_the_docs_claims_what_is_compared_here(repository: Path) -> None:
    found = {row[0]: row[1:3] for row in rows(repository) if "test_reference_table" in row[3]}
    assert found == {name: [reference, str(claimed)] for name, (reference, claimed, _) in COMPUTED.items()}


def test_every_other_row_of_the_table_names_a_test_that_exists(repository: Path) -> None:
    for row in rows(repository):
        named = re.fullmatch(r"`(tests/\S+?\.py)(?:::(\w+))?`", row[3])
        assert named, row
        content = (repository / named[1]).read_text(encoding="utf-8")
        assert not named[2] or f"def {named[2]}(" in content, row
