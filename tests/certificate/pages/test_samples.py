"""The samples as they are stored against the same ones made afresh: a change of wording or layout shows in review.

Where the change is meant, `python -m tests.samples` (or `make samples`) remakes them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import pytest
from PIL import Image

from inspect_kit.errors import LANGUAGES
from tests.certificate.reading import pages_of
from tests.samples import PICTURE, SAMPLES, samples

_PASSING: Final = re.compile(r"\b[0-9a-f]{64}\b|\b[0-9A-F]{4}(?: [0-9A-F]{4}){3}\b|(?<=inspect-kit )\S+")
"""Digests, references and the program's version, which change with every sheet and release."""

_NAMES: Final = sorted(path.name for path in SAMPLES.glob("*.pdf"))


@cache
def fresh() -> dict[str, bytes]:
    return dict(samples())


def lasting(pdf: bytes) -> list[str]:
    return [_PASSING.sub("…", text) for text in pages_of(pdf)]


def test_there_is_a_sample_of_every_kind_in_every_language() -> None:
    names = " ".join(_NAMES)
    for kind in ("striker", "coin-set", "board", "figure", "dice", "coin-lot", "striker-lot", "certificate", "report"):
        assert kind in names
    assert {name.removesuffix(".pdf").rpartition("-")[2] for name in _NAMES} == set(LANGUAGES)


def test_the_stored_samples_are_those_that_are_made() -> None:
    assert sorted(fresh()) == _NAMES


@pytest.mark.parametrize("name", _NAMES)
def test_a_fresh_sample_says_the_same_on_every_page_as_the_stored_one(name: str) -> None:
    stored = (SAMPLES / name).read_bytes()
    assert lasting(fresh()[name]) == lasting(stored)


@pytest.mark.parametrize("name", _NAMES)
def test_a_reason_that_ends_in_a_full_stop_gets_no_second_one(name: str) -> None:
    assert ".." not in "".join(pages_of((SAMPLES / name).read_bytes()))


def test_the_samples_and_the_picture_are_small() -> None:
    assert sum((SAMPLES / name).stat().st_size for name in _NAMES) < 1_000_000
    assert PICTURE.stat().st_size < 400_000
    with Image.open(PICTURE) as image:
        assert 1400 <= image.width <= 1800
