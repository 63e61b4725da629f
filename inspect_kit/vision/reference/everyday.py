"""Things of known size that lie about everywhere: sheets of paper, cards and coins, as published, with their spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

CUT_SPREAD: Final = 0.4
"""By how much sides are not parallel and corners not square, over the spread of the sides' lengths: a guillotine cuts
straighter than to length."""
_RECTANGULAR: Final = 3**-0.5
"""Standard deviation of what lies anywhere within ± 1."""


@dataclass(frozen=True)
class FlatThing:
    """A flat rectangle: length and width in mm with their standard uncertainties, rounding of its corners, thickness,
    and by how much its border lies higher than its middle (mean and standard deviation, mm)."""

    name: str
    size: tuple[float, float]
    spread: tuple[float, float]
    corner: float
    thickness: float
    curl: tuple[float, float]
    is_paper: bool

    @property
    def form_spread(self) -> tuple[float, ...]:
        """Standard deviations of the eight numbers of its form: longer, wider, bent along and across, twisted, its long
        and short sides not parallel, its corners not square; mm."""
        bend, cut = self.curl[1], CUT_SPREAD * self.spread[0]
        return (*self.spread, bend, bend, bend, cut, cut, cut)


_PAPER_CURL: Final = (0.5, 1.5)
"""mm by which the middle of an edge stands up: a loose sheet lies within a few mm; judged by eye, not measured."""


def _paper(name: str, long: float, short: float) -> FlatThing:
    # ISO 216 allows ± 2 mm on sides between 150 and 600 mm; for American sheets nobody publishes a narrower one.
    spread = 2.0 * _RECTANGULAR
    return FlatThing(f"paper {name}", (long, short), (spread, spread), 0.0, 0.1, _PAPER_CURL, is_paper=True)


PAPERS: Final[Mapping[str, FlatThing]] = MappingProxyType(
    {"a4": _paper("A4", 297.0, 210.0), "letter": _paper("Letter", 279.4, 215.9)}
)
"""ISO 216 and ANSI/ASME Y14.1."""
CARD: Final = FlatThing(
    "card", (85.60, 53.98), (0.125 * _RECTANGULAR, 0.055 * _RECTANGULAR), 3.18, 0.76, (0.1, 0.15), is_paper=False
)
"""ISO/IEC 7810 ID-1: 85.47–85.72 × 53.92–54.03 mm, corners of 3.18 mm, 0.76 mm thick; a card in use bends a little."""


class Metal(StrEnum):
    """What a coin looks like."""

    SILVER_AROUND_GOLD = "silver around gold"
    GOLD_AROUND_SILVER = "gold around silver"
    GOLD = "gold"
    COPPER = "copper"
    SILVER = "silver"
    ANY = "any"


@dataclass(frozen=True)
class KnownCoin:
    """Diameter and thickness at the rim in mm, as the mint publishes them."""

    name: str
    diameter: float
    thickness: float
    metal: Metal


COINS: Final[Mapping[str, KnownCoin]] = MappingProxyType(
    {
        coin.name: coin
        for coin in (
            KnownCoin("2eur", 25.75, 2.20, Metal.SILVER_AROUND_GOLD),
            KnownCoin("1eur", 23.25, 2.33, Metal.GOLD_AROUND_SILVER),
            KnownCoin("50c", 24.25, 2.38, Metal.GOLD),
            KnownCoin("20c", 22.25, 2.14, Metal.GOLD),
            KnownCoin("10c", 19.75, 1.93, Metal.GOLD),
            KnownCoin("5c", 21.25, 1.67, Metal.COPPER),
            KnownCoin("2c", 18.75, 1.67, Metal.COPPER),
            KnownCoin("1c", 16.25, 1.67, Metal.COPPER),
            KnownCoin("1czk", 20.00, 1.85, Metal.SILVER),
            KnownCoin("2czk", 21.50, 1.85, Metal.SILVER),
            KnownCoin("5czk", 23.00, 1.85, Metal.SILVER),
            KnownCoin("10czk", 24.50, 2.55, Metal.COPPER),
            KnownCoin("20czk", 26.00, 2.55, Metal.GOLD),
            KnownCoin("50czk", 27.50, 2.55, Metal.COPPER),
            KnownCoin("1gbp", 23.43, 2.80, Metal.GOLD_AROUND_SILVER),
            KnownCoin("2gbp", 28.40, 2.50, Metal.GOLD_AROUND_SILVER),
            KnownCoin("1chf", 23.20, 1.55, Metal.SILVER),
            KnownCoin("2chf", 27.40, 2.15, Metal.SILVER),
            KnownCoin("5chf", 31.45, 2.35, Metal.SILVER),
            KnownCoin("1usc", 19.05, 1.52, Metal.COPPER),
            KnownCoin("5usc", 21.21, 1.95, Metal.SILVER),
            KnownCoin("25usc", 24.26, 1.75, Metal.SILVER),
        )
    }
)
"""Sources: European Central Bank; Czech National Bank; The Royal Mint; Swissmint; United States Mint."""
EURO_COINS: Final = tuple(coin for coin in COINS.values() if coin.name.endswith(("eur", "0c", "5c", "2c", "1c"))
                          and not coin.name.endswith("usc"))  # fmt: skip
COIN_SPREAD: Final = 0.11
"""mm, standard: mints' tolerances and wear (0.05), and light and shadow at the edge that it is seen by (0.1)."""
COIN_HEIGHT_SPREAD: Final = 0.1
"""mm, standard, of the height of a coin's rim: wear, and coins whose mint publishes it roundly."""
ANY_COIN_THICKNESS: Final = 2.0
"""mm, of a coin that is known by its diameter only."""
