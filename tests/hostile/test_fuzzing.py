"""Every reader of strangers' input, with cases by a grammar and those that were kept: never a fault of ours."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from tests.hostile.fuzzing import READERS, cases, kept, said

TRIES = {"form": 30, "toml": 120, "image": 120}
"""Cases that are new each time the grammar changes; the others are quicker and take 300."""


@pytest.mark.parametrize("name", READERS)
def test_what_was_ever_kept_is_accepted_or_refused_in_a_sentence(name: str) -> None:
    corpus = kept(name)
    assert len(corpus) >= 5
    for case in corpus:
        said(name, case)


@pytest.mark.parametrize("name", READERS)
def test_cases_by_the_grammar_are_accepted_or_refused_in_a_sentence(name: str) -> None:
    for case in islice(cases(name, random.Random(f"16 {name}")), TRIES.get(name, 300)):
        said(name, case)
