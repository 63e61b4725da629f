"""What the pages of a lot certificate show beyond words: drawings, each with what it shows in words."""

from __future__ import annotations

from dataclasses import dataclass

from inspect_kit.certificate.content.model import Block
from inspect_kit.quality.drawing import Draw


@dataclass(frozen=True)
class ChartBlock:
    """A drawing over the width of the page; its own words and numbers are in a language."""

    draw: Draw
    millimetres: float
    caption: str
    language: str


LotBlock = Block | ChartBlock


@dataclass(frozen=True)
class LotSection:
    """A heading with what stands below it."""

    heading: str
    blocks: tuple[LotBlock, ...]
    new_page: bool = False
