"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
`python -m benchmarks sensitivity reference` tells which ones the results hang on.
"""

from __future__ import annotations

from typing import Final

# aiming

STEEPEST_AIM: Final = 0.35
"""Radians off the vertical beyond which a camera is to be held straighter: 20 degrees; accuracy is stated up to 25."""
LEAST_COVERED: Final = 0.25
"""Share of the picture that the mat's pattern must cover: half of it across and down, 3 pixels a mm of full HD."""
GLARING_SQUARES: Final = 0.03
"""Share of the black squares with full light in their middle from which on it is glare."""
GLARING_MIDDLE: Final = 0.12
"""Share of the free middle in full light from which on it is glare: a white striker covers a twentieth."""
DARK_PICTURE: Final = 50
"""Code below which the brightest parts of a picture without a sheet are called dark."""
SOFT_PICTURE: Final = 0.12
"""Share of a picture's contrast that its steepest pixels must step by, else it is blurred as a whole."""

# checkerboard

LEAST_CROSSINGS: Final = 9
"""Crossings that must fit together: three by three."""
CHECKERBOARD_WORKING_SIDE: Final = 1600
"""Pixels of the longer side of the picture in which crossings are looked for."""
MOST_CANDIDATES: Final = 1500
"""Crossings that are looked at, the clearest first: bounds the time."""
ASIDE: Final = 0.35
"""Radians by which a step to the next crossing may leave the direction of its edges: lenses bend, corners are rough."""

# corners

LARGEST: Final = 12
"""Pixels, half the window around a corner, at most."""
LEAST_CONTRAST: Final = 24.0
"""Codes between paper and ink that a corner must have."""
CROSSING_SOFT: Final = 1.25
"""Pixels: half the breadth over which an edge turns from ink to paper. A crossing is symmetric, so this moves nothing;
of 0.9, 1.25 and 1.75 it left the crossings of three path-traced photos the least scatter."""

# find

LEAST_MARKERS: Final = 4
"""Markers that fix a sheet beyond doubt."""
A_FEW: Final = 2
"""Markers of a foreign dictionary after which no other is tried."""
FIND_WORKING_SIDE: Final = 2100
"""Pixels of the longer side of the picture in which markers are looked for first."""

# rectangle

RECTANGLE_WORKING_SIDE: Final = 1000
"""Pixels of the longer side of the picture in which sheets of paper and cards are looked for."""
BORDER_SHARE: Final = 0.002
"""Share of the picture's longer side within which a corner counts as cut off."""
SAME_CORNER: Final = 6.0
"""Pixels (working size) within which two shapes are one."""
LEAST_SIDE_SUPPORT: Final = 0.4
"""Share of the two least clear sides that must be seen as edges."""
LARGER: Final = 0.08
"""Merit of a shape e times as large, in shares of its sides."""
LEAST_AREA: Final = 0.004
"""Share of the picture that a card or a sheet of paper covers at least: smaller ones are too few pixels."""
MISSHAPEN: Final = 0.03
"""Misfit of the corners, as a share of the shape's size, beyond which it is no rectangle of these proportions: A4
taken for Letter misses by more."""
SUPPORT_POINTS: Final = 40
"""Points of a side at which it is looked at first."""
SUPPORT_REACH: Final = 9.0
"""Pixels (working size) across a side that are looked at first."""
LEAST_STEP: Final = 0.006
"""Change of light over half a pixel, as a share of white, that is an edge."""
SIDE_POINTS: Final = 96
"""Points of a side that are measured."""
FIRST_REACH: Final = 0.03
"""Share of a side's length by which its first guess may be off: a card's shadow moved it by 0.02."""
LEAST_SIDE: Final = 0.35
"""Share of a side that must be seen: the rest may lie in shade or under something."""

CLEAR_EDGE: Final = 0.45
"""Share of the steepest change of light on a line from which on another one is a clear edge too."""
NEXT_EDGE: Final = 3.0
"""Pixels around a side behind its shadow within which each line's edge is looked for."""

# card_edge

COLOUR_NOISE: Final = 0.005
"""Codes (0 to 1), standard, of a side's colour differences, all lines together: noise, and how colours are stored."""
SHADE: Final = 0.3
"""Standard share by which shade lessens the codes of the ground's colour."""
LEAST_SEPARATION: Final = 8.0
"""Standard deviations between the colours of card and ground from which on they are told by their hue."""
EDGE_BEHIND: Final = 0.2
"""Share of the steepest change of light across a side, all lines together, from which on another one is an edge too: a
green card behind its shadow has 0.38."""
BROADEST_SHADOW: Final = 2.3
"""mm, three times a card's thickness: the shadow of a lamp 70 degrees off the vertical."""
SAME_COLOUR: Final = 0.08
"""Share of the ground's light by which light in the shade may differ from the ground's colour: measured 0.03 to 0.05 on
shadows of path-traced cards, 0.26 on a green card."""
SHADOW_OF_DARK: Final = 0.3
"""mm, standard, of the shadow beside a card that is as dark as it: as broad as the card is thick where the lamp stands
45 degrees off the vertical, none where it stands on the other side."""

# rectangle_view

SIDE_FREEDOM: Final = 6.0
"""Independent points that one side counts for: paper waves, and neighbouring points move together."""
LEAST_SIDE_NOISE: Final = 0.08
"""Pixels; points of a side are never known better than this."""
MOST_PULL: Final = 12.0
"""Squared deviations, all together, by which camera and form may differ from the usual: beyond, it is another thing."""
MOST_SIDE_NOISE: Final = 0.003
"""Share of the longer side by which points may miss the sides of a rectangle."""
