"""Attribute agreement against statsmodels and the printed figures of AIAG's example."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from inspect_kit.cli.app import app, run
from inspect_kit.errors import BadInput
from inspect_kit.quality.gauge.agreement import agreement, cohen_kappa, fleiss_kappa


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("words", [("yes", "no"), ("a", "b", "c")])
def test_cohens_kappa_and_its_error_are_those_of_statsmodels(seed: int, words: tuple[str, ...]) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    source = np.random.default_rng(seed)
    left = source.choice(words, 60)
    right = np.where(source.random(60) < 0.7, left, source.choice(words, 60))
    table = np.array([[np.sum((left == one) & (right == two)) for two in words] for one in words])
    wanted = cohens_kappa(table)
    found = cohen_kappa(zip(left, right, strict=True))
    assert (found.value, found.error) == pytest.approx((wanted.kappa, wanted.std_kappa), abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_fleiss_kappa_is_that_of_statsmodels(seed: int) -> None:
    from statsmodels.stats import inter_rater

    table = np.random.default_rng(seed).multinomial(9, [0.5, 0.3, 0.2], 40).astype(float)
    assert fleiss_kappa(table) == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-12)


def test_kappa_of_aiags_appraisers_a_and_b() -> None:
    """AIAG MSA 4, table III-C 2: 44 both refuse, 6 and 3 differ, 97 both accept: kappa 0.86."""
    left = ["0"] * 50 + ["1"] * 100
    right = ["0"] * 44 + ["1"] * 6 + ["0"] * 3 + ["1"] * 97
    assert cohen_kappa(zip(left, right, strict=True)).value == pytest.approx(0.86, abs=0.005)


def test_who_lets_bad_parts_pass_is_told_from_who_refuses_good_ones() -> None:
    ratings = {
        ("1", "A"): ["yes", "yes"], ("2", "A"): ["no", "yes"], ("1", "B"): ["no", "yes"], ("2", "B"): ["no", "no"],
    }  # fmt: skip
    found = agreement(ratings, {"1": "yes", "2": "no"})
    assert (found.missed["A"], found.false_alarms["A"]) == (0.5, 0.0)
    assert (found.missed["B"], found.false_alarms["B"]) == (0.0, 0.5)
    assert (found.within["A"].matched, found.against["A"].matched, found.all_agree.matched) == (1, 1, 0)


def test_a_part_that_somebody_has_not_judged_is_named() -> None:
    with pytest.raises(BadInput, match="part 2 was not judged by B"):
        agreement({("1", "A"): ["yes"], ("2", "A"): ["no"], ("1", "B"): ["yes"]}, {})


def test_the_command_reads_a_study_of_the_eye(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{part},{who},{'nein' if part % 3 == 0 else 'ja'},{'no' if part % 3 == 0 else 'yes'}"
            for part in range(12) for who in "AB" for _ in range(2)]  # fmt: skip
    Path("eye.csv").write_text("part,operator,value,reference\n" + "\n".join(rows) + "\n")
    assert run(app, ["qa", "grr", "eye.csv", "--method", "attribute", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fleiss_kappa"] == 1.0
    assert found["operators"]["A"]["kappa_standard"] == 1.0
    assert found["all_agree"]["parts"] == 12
