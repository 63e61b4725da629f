"""What is seen of a piece besides its size: its colour, and whether parts of it look like metal."""

from __future__ import annotations

from dataclasses import dataclass

from inspect_kit.vision.colour import Colour, colour_of, white_of
from inspect_kit.vision.metal import MetalLook, metal_of
from inspect_kit.vision.photo import Look, Spotted


@dataclass(frozen=True)
class Sighting:
    """Colour, and metal where it was asked for."""

    colour: Colour
    metal: MetalLook | None


def sightings(look: Look, spotted: Spotted, *, metal: bool) -> Sighting:
    """Look at one piece of a photo."""
    white = white_of(look.photo.pixels, look.placed.view, look.placed.known)
    pixels = look.photo.pixels
    return Sighting(colour_of(pixels, spotted.disc, white), metal_of(pixels, spotted.disc, white) if metal else None)
