"""Gauge studies with gaps or with parts of their own, against the crossed analysis and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.errors import BadInput
from inspect_kit.quality.gauge.study import arranged, balanced, by_anova, by_nested_anova, by_reml
from inspect_kit.quality.sample import as_sample

Rows = tuple[list[tuple[str, str, str]], np.ndarray]


def crossed(seed: int, parts: int = 8, operators: int = 3, trials: int = 2) -> Rows:
    source = np.random.default_rng(seed)
    size, bias = source.normal(0, 1.0, parts), source.normal(0, 0.4, operators)
    keys = [(str(p), "ABC"[o], str(t)) for p in range(parts) for o in range(operators) for t in range(trials)]
    noise = source.normal(0, 0.2, len(keys))
    return keys, np.array([size[int(p)] + bias["ABC".index(o)] for p, o, _ in keys]) + noise


@pytest.mark.parametrize("seed", range(3))
def test_restricted_likelihood_gives_a_complete_study_the_components_of_its_anova(seed: int) -> None:
    keys, values = crossed(seed)
    sample = as_sample(values.tolist())
    wanted = by_anova(arranged(sample, keys, ""), pooling_p=0.0)
    found = by_reml(sample, [(part, operator) for part, operator, _ in keys])
    if wanted.interaction > 0:
        assert (found.ev, found.av, found.pv) == pytest.approx((wanted.ev, wanted.av, wanted.pv), rel=0.01)
    assert found.grr == pytest.approx(wanted.grr, rel=0.05)


def test_a_study_with_gaps_is_close_to_the_whole_one() -> None:
    keys, values = crossed(5, parts=12, trials=3)
    kept = [place for place in range(len(keys)) if place % 7]
    some = [keys[place] for place in kept]
    assert not balanced(some)
    found = by_reml(as_sample(values[kept].tolist()), [(part, operator) for part, operator, _ in some])
    assert found.ev == pytest.approx(0.2, rel=0.3)
    assert found.pv == pytest.approx(1.0, rel=0.6)


def test_one_operator_is_the_random_effect_model_of_statsmodels() -> None:
    from statsmodels.regression.mixed_linear_model import MixedLM

    keys, values = crossed(2, operators=1, trials=4)
    kept = [place for place in range(len(keys)) if place % 5]
    groups = [keys[place][0] for place in kept]
    wanted = MixedLM(values[kept], np.ones(len(kept)), groups=groups).fit(reml=True)
    found = by_reml(as_sample(values[kept].tolist()), [(part, "A") for part in groups])
    assert found.ev**2 == pytest.approx(float(wanted.scale), rel=1e-3)
    assert found.pv**2 == pytest.approx(float(np.asarray(wanted.cov_re)[0, 0]), rel=1e-3)


def test_nested_components_follow_from_the_expected_mean_squares() -> None:
    keys, values = crossed(4, parts=5, operators=3, trials=2)
    own = [(operator, f"{operator}{part}") for part, operator, _ in keys]
    found = by_nested_anova(as_sample(values.tolist()), own)
    cube = np.array(
        [[[v for v, k in zip(values, own, strict=True) if k == (o, f"{o}{p}")] for p in range(5)] for o in "ABC"]
    )
    error = cube.var(axis=2, ddof=1).mean()
    part = 2 * cube.mean(axis=2).var(axis=1, ddof=1).mean()
    operator = 10 * cube.mean(axis=(1, 2)).var(ddof=1)
    assert found.ev**2 == pytest.approx(error)
    assert found.pv**2 == pytest.approx(max(0, (part - error) / 2))
    assert found.av**2 == pytest.approx(max(0, (operator - part) / 10))


def test_a_nested_study_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="nested study needs"):
        by_nested_anova(as_sample([1.0, 2.0, 3.0]), [("A", "1"), ("A", "1"), ("B", "2")])
