"""Drawings: valid files, the same bytes each time, without colour, whatever the names in them."""

from __future__ import annotations

import io
import itertools
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from inspect_kit.errors import UsageError
from inspect_kit.quality.dice import e_path, fairness
from inspect_kit.quality.drawing import (
    Draw,
    bins_of,
    capability_drawing,
    chart_drawing,
    curve_drawing,
    dice_drawing,
    format_of,
    linearity_drawing,
    rendered,
    type_one_drawing,
)
from inspect_kit.quality.gauge.bias import linearity, type_one
from inspect_kit.quality.gauge.study import GaugeStudy, by_anova
from inspect_kit.quality.gauge_drawing import gauge_drawing
from inspect_kit.quality.process.capability import capability
from inspect_kit.quality.process.charts import Readings, draw_up
from inspect_kit.quality.sample import as_sample
from inspect_kit.quality.sampling.operating_curve import curve
from inspect_kit.values.limits import Between, limits_from

VALUES = [round(float(value), 2) for value in np.random.default_rng(1).normal(31, 0.2, 100)]
NAMES = "A $1_ & <b> % ž 中"


@cache
def drawings() -> dict[str, Draw]:
    sample, limits = as_sample(VALUES), Between(Decimal(30), Decimal(32))
    readings = np.random.default_rng(2).normal(0, 1, (5, 3, 2))
    study = GaugeStudy(tuple("12345"), (NAMES, "B", "C"), readings)
    references = np.repeat([1.0, 2.0, 3.0], 4)
    plan = curve(80, 2)
    order = [int(face) for face in np.random.default_rng(3).integers(1, 7, 200)]
    return {
        "capability": capability_drawing(sample.values, capability(sample, limits), limits, NAMES),
        "chart": chart_drawing(draw_up("imr", Readings(sample)), NAMES),
        "counts": chart_drawing(draw_up("c", Readings(as_sample([3, 4, 5, 30])))),
        "gauge": gauge_drawing(study, by_anova(study)),
        "type one": type_one_drawing(sample, type_one(sample, 31.0, 2.0), 31.0),
        "linearity": linearity_drawing(linearity(references, references + np.tile([0, 0.1, 0.2, 0.1], 3))),
        "curve": curve_drawing(*plan, "n = 80"),
        "dice": dice_drawing([("", fairness([order.count(f) for f in range(1, 7)], 100, order))], e_path(order, 100)),
    }


@cache
def made(name: str, form: str) -> bytes:
    return rendered(drawings()[name], form)


@pytest.mark.parametrize("name", drawings())
def test_a_drawing_is_made_in_every_format_without_colour(name: str) -> None:
    svg, pdf = made(name, "svg"), made(name, "pdf")
    assert svg.startswith(b"<?xml")
    assert pdf.startswith(b"%PDF")
    assert b"/Subtype /Image" not in pdf
    with Image.open(io.BytesIO(made(name, "png"))) as picture:
        pixels = np.asarray(picture.convert("RGB"), dtype=int)
    assert pixels.shape[1] == 1050
    assert np.ptp(pixels, axis=2).max() <= 2, "a drawing must be readable in black and white"
    assert pixels.min() < 60


def test_the_same_numbers_give_the_same_bytes() -> None:
    for form in ("svg", "pdf", "png"):
        assert rendered(drawings()["counts"], form) == made("counts", form)


@pytest.mark.parametrize("name", ["x.jpg", "x", "x.svg.exe"])
def test_other_formats_are_wrong_usage(name: str) -> None:
    with pytest.raises(UsageError):
        format_of(Path(name))


def test_classes_of_a_histogram_hold_equally_many_steps_of_the_last_digit() -> None:
    values = np.round(np.arange(30.0, 31.0, 0.01), 2)
    counts, _ = np.histogram(values, bins_of(values))
    assert len(set(counts[:-1])) == 1
    assert counts.sum() == len(values)


@pytest.mark.parametrize(("lower", "upper"), [("30.23", "31.8"), ("29", "30.61"), (None, "31.02"), ("30.005", None)])
def test_no_class_of_a_histogram_reaches_over_a_limit(lower: str | None, upper: str | None) -> None:
    values = np.round(np.arange(30.0, 31.0, 0.01), 2)
    limits = limits_from(*(None if text is None else Decimal(text) for text in (lower, upper)))
    assert limits is not None
    edges = bins_of(values, limits)
    assert np.histogram(values, edges)[0].sum() == len(values)
    for limit in (float(text) for text in (lower, upper) if text):
        assert not any(low + 0.0051 < limit < high - 0.0051 for low, high in itertools.pairwise(edges))


@pytest.mark.parametrize("values", [[5.0], [5.0, 5.0], [0.0, 1e-12, 1.0], [1.0, 2.0, 1e9]])
def test_odd_readings_have_classes_too(values: list[float]) -> None:
    edges = bins_of(np.array(values))
    assert 2 <= len(edges) <= 60
    assert np.histogram(values, edges)[0].sum() == len(values)


def texts_of(draw: Draw, language: str = "en") -> list[str]:
    """All that is written on a drawing."""
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    found: list[str] = []

    def read(figure: Figure) -> None:
        draw(figure)
        found.extend(part.get_text() for part in figure.findobj(Text) if isinstance(part, Text))

    rendered(read, "svg", language=language)
    return found


@pytest.mark.parametrize("kind", ["p", "np", "c", "u"])
def test_a_signal_is_named_above_a_chart_as_the_axis_names_its_point(kind: str) -> None:
    counts = as_sample([3, 4, 5, 3, 4, 5, 30, 4])
    weeks = tuple(f"W{week}" for week in range(8))
    sizes = () if kind == "c" else (100,) * 8
    chart = draw_up(kind, Readings(counts, labels=weeks, sizes=sizes))
    written = texts_of(chart_drawing(chart))
    (title,) = [text for text in written if "rule 1" in text]
    assert "rule 1, one point beyond 3 sigma: W6" in title.splitlines()
    assert "W6" in written


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "p95 1.03 %: 0.95 accepted"), ("de", "p95 1,03 %: 0,95 angenommen"), ("cs", "p95 1,03 %: přijato 0,95"),
     ("it", "p95 1,03 %: accettati 0,95")],
)  # fmt: skip
def test_a_curve_without_an_aql_marks_the_quality_that_is_accepted_with_95_percent(language: str, said: str) -> None:
    plan = curve(80, 2)
    written = texts_of(curve_drawing(*plan, "n = 80"), language)
    assert said in written
    assert any(text.startswith("p10 ") for text in written)
    agreed = texts_of(curve_drawing(*plan, "n = 80", 0.01), language)
    assert not any(text.startswith("p95") for text in agreed)
    assert any(text.startswith("AQL ") for text in agreed)
