"""What the pages of a lot certificate show beyond words: a histogram and a control chart, as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from inspect_kit.certificate.content.model import Block
from inspect_kit.quality.sample import Floats

MOST_STROKES: Final = 500
"""More points than this are drawn as strokes over neighbours, so that a drawing stays small however long the lot."""
MOST_FRAMES: Final = 40
"""More points than this are not framed one by one: the drawing would be nothing but frames."""


def stride_of(points: int) -> int:
    """How many neighbouring points one stroke stands for; 1 where each has its own place."""
    return 1 if points <= MOST_STROKES else -(-points // MOST_STROKES)


@dataclass(frozen=True)
class Bound:
    """A limit or a line with its name as it is printed beside it."""

    value: float
    text: str


@dataclass(frozen=True)
class Histogram:
    """Bars of counts between edges, the limits, the mean, and the normal curve's spread."""

    edges: Floats
    counts: Floats
    mean: float
    sigma: float
    bounds: tuple[Bound, ...]
    ticks: tuple[Bound, ...]
    levels: tuple[Bound, ...]
    caption: str
    across: str
    upwards: str


@dataclass(frozen=True)
class ChartTrack:
    """One track of a chart: points with centre and limits, and which of them are framed (counted from 0)."""

    name: str
    points: Floats
    centre: Floats
    ucl: Floats
    lcl: Floats
    labels: tuple[Bound, ...]
    framed: tuple[int, ...]
    first: int = 0
    """Places that stay empty before the first point."""


@dataclass(frozen=True)
class ControlChart:
    """Tracks one above the other over the same pieces."""

    tracks: tuple[ChartTrack, ...]
    length: int
    caption: str
    across: str


LotBlock = Block | Histogram | ControlChart


@dataclass(frozen=True)
class LotSection:
    """A heading with what stands below it."""

    heading: str
    blocks: tuple[LotBlock, ...]
    new_page: bool = False
