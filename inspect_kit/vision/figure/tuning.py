"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
`python -m benchmarks sensitivity figure` tells which ones the results hang on.
"""

from __future__ import annotations

from typing import Final

# background

FINENESS: Final = 6.0
"""Pixels a mm at which the figure is looked for."""
DARKEST: Final = 0.004
"""Linear light added before logarithms: below it is noise."""
DIM: Final = 0.012
"""Linear light below which a tint says little."""
TINT: Final = 0.17
"""Change of tint (natural logarithm) that a shadow does not make."""
BRIGHTER: Final = 0.22
"""Logarithm of light by which something lighter than the ground differs from it."""
DARKEST_SHADOW: Final = -6.0
"""Under a base the table gets hardly any light: only its tint tells the two apart."""
BACKGROUND_SHADE: Final = -0.5
"""Logarithm of the light below which the table lies in shade."""
CUT: Final = 1.5
"""mm and slope by which a sheet's lower edge is cut off its drawn line, at most."""
ASKEW: Final = 0.03
"""mm and slope by which a sheet's lower edge is cut off its drawn line, at most."""

# base

LEAN_SPREAD: Final = 0.012
"""Radians, standard deviation: a card that stands on its edge leans by up to a degree or so. Another hand's path-traced
ones: 0.7 degrees."""
TILT_SPREAD: Final = 0.01
"""Radians by which a backdrop leans and a base tilts, usually."""
BIAS_SPREAD: Final = 0.5
"""Pixels, standard deviation by which all edges may err together: at grazing incidence every gloss mirrors the ground
behind it, and the edge is seen too far inside. Five path-traced bases: -0.9 to +0.1 before the sheet."""
TABLE_SHADE: Final = (0.2, 1.0)
"""Pixels by which all edges before the table are seen too far inside, and their spread: a base fades into its own
shadow there."""
SPACING: Final = 2.0
"""Pixels along the outline between lines across it."""
MOST_LINES: Final = 400
"""Lines across the outline, at most."""
COLOUR_ONLY: Final = 3.0
"""Times the uncertainty of an edge that shows in colour only, which JPEG stores coarsely."""
LOW_CONTRAST: Final = 0.05
"""Luma of 1: an edge of so little contrast is believed half as well, one of less by the square of that."""
UNDER: Final = 0.4
"""How far an outline's normal points down where the base's own shadow lies."""
HUES: Final = (
    (14.0, "red"),
    (40.0, "orange"),
    (70.0, "yellow"),
    (165.0, "green"),
    (260.0, "blue"),
    (335.0, "violet"),
    (361.0, "red"),
)
"""Upper ends, in degrees, of what is called by each name."""
COLOURED: Final = 0.38
"""Saturation of the coded colour from which a colour has a hue."""
DARK: Final = 0.23
"""Names that have a dark and a light shade (navy and sky are two colours), and the shares of light in the strongest
colour below and above which they are called so."""
LIGHT: Final = 0.62
"""Names that have a dark and a light shade (navy and sky are two colours), and the shares of light in the strongest
colour below and above which they are called so."""

# base_fit

LEAST_SPREAD: Final = 0.25
"""Pixels: edges scatter by no less. Four times as far off they are left out: at 0.12 a rounded corner was."""
LEFT_OUT: Final = 3.0
"""Times its uncertainty that an edge is off, at most, where forms are compared."""
SCATTER: Final = 0.15
"""Pixels of scatter up to which the edges' errors are as small as their weights say."""
ASTRAY: Final = 0.1
"""mm of scatter before the table from which its edges lie on the base, not at its end."""
REACHES: Final = (1.7, 0.6, 0.35)
"""mm around the outline in which its edge is looked for, round by round."""
OFF_TOGETHER: Final = 0.1
"""Share of the edges off the outline from which they may be another edge; from a path-traced glossy base (0.26)."""
RIVAL: Final = 0.8
"""Share of the edges that the best reading explains from which another reading is carried beside it."""
ANOTHER_EDGE: Final = 0.15
"""mm between the heights of two readings from which they are different ones."""
STANDING: Final = 0.55
"""Share of a base's largest radius up to which a figure's feet and plate may hide its upper edge."""

# bend

BENT: Final = 0.5
"""mm by which a backdrop's outer corners stand off its middle's plane from which it is bent; flat ones: 0.1."""
BENT_SURELY: Final = 4.0
"""Standard deviations of the bend from which it is believed."""
BENT_LEFT: Final = 0.025
"""mm of doubt in every size for a mm of bend that was taken into account; from three painted backdrops."""

# edges

ALONG: Final = 2.0
"""Lines, standard deviation, over which the picture is averaged along an outline: grain would pass for edges."""
LUMA_ENOUGH: Final = 0.03
"""Change of brightness, of 1, below which an edge shows in colour only."""
LUMA_SHARE: Final = 0.12
"""Difference in luma (of 1), also as a share of that in colour, from which the luma alone is used."""
BLEEDING: Final = 7.0
"""Pixels that a JPEG's coarse colour bleeds: half a block."""

# find

SMALLEST: Final = 50.0
"""mm² that a figure hides at least."""
SIDE: Final = 42.5
"""mm on the sheet from its middle at which the plain part ends, sideways and upwards."""
UPPER: Final = 15.5
"""mm on the sheet from its middle at which the plain part ends, sideways and upwards."""
MARGIN: Final = 2.0
"""Pixels that the base stays away from the picture's edge."""
FIRST: Final = 220
"""Places and sizes of a base that are tried at first."""
AGAIN: Final = 60
"""Trials around the best, each turn."""
BEST: Final = 5
"""Trials that are kept, each turn."""
FAINT: Final = 0.03
"""Change of light, of 1, at which an edge counts half."""

# measure

DEPTH_SPREAD: Final = 0.6
"""mm by which a head or hand stands before or behind the axis, usually."""
EDGE: Final = 0.35
"""Pixels to which an outermost point of the top is believed."""
ROUND: Final = (1.2, 0.8)
"""Radius of a body or an arm in depth, mm, and its standard uncertainty."""
FADED_EDGE: Final = 0.2
"""mm by which an outermost point may be missed that has the backdrop's tint: a limb seems to end where it is as light
as what is behind it. A sky-blue man, path-traced: 0.45 mm for both hands together."""
CONTINUED: Final = 0.3
"""mm of doubt in the largest diameter and its depth for a mm of wall that is continued, not seen: walls fuller than an
ellipse, path-traced."""

# refusals

STRETCH: Final = 12
"""Edges along the outline, a millimetre or two, over which independent errors average out."""
ODD_FORM: Final = 2.0
"""Times what independent errors would leave of such a stretch's mean, from which on a base has another form than ours:
told. Drawn ones: 0.1 to 0.4, path-traced glossy ones up to 1.1."""
BLURRED: Final = 2.2
"""Pixels of blur (standard deviation) from which nothing is measured."""
MOVED: Final = 1.3
"""Pixels of blur that one direction has more than the other from which the photo was moved. By 6 pixels (1.7 here) the
diameter of a path-traced white base came out 0.29 mm too small, 5 u; photos held still have up to 0.5."""
COARSE: Final = 0.06
"""mm of blur that does no harm, however many pixels it is."""
STRAINED: Final = 4.0
"""Standard deviations from what is usual at which a fit has taken something else for the base."""
TILTED: Final = 0.1
"""Radians by which no base stands tilted."""
LEAST_SEEN: Final = 0.34
"""Share of the base's outline that must be seen. Path-traced ones that are measured well have 0.35 and more, drawn ones
0.39 to 0.54."""
LITTLE_SEEN: Final = 0.42
"""Share of the base's outline below which a warning is due."""
FINE_ENOUGH: Final = 6.0
"""Pixels a mm below which the edges of a base are too few."""
VAGUE: Final = 0.6
"""mm of standard uncertainty of the base's height, diameter or top diameter from which these are not given."""
TINGED: Final = 0.3
"""Share of the backdrop's own tint from which a place is tinged like it: varnish mirrors it over its own colour."""
MIRRORED: Final = 0.5
"""Share of a base before the backdrop that has the backdrop's tint, from which it is taken to be blue or to mirror it;
path-traced: 0.96 of a sky-blue one, 0.3 at most of black glossy ones that are measured well."""
BASES: Final = ((13.0, 24.0), (3.5, 9.0))
"""Diameters and heights that bases of figures have, in mm, and somewhat beyond."""

# standing

LEAST_FOOT: Final = 0.25
"""Share of a base's largest radius on which it stands, at least. Drawn bases stand on 0.3 to 0.75 of it; path-traced
ones on a board of 0.5 to 3 mm seemed to stand on 0.10 to 0.12, and a white one that faded into its shade on 0.24."""
CONTACTS: Final = (-0.35, 1.5)
"""mm below a base's fitted foot between which the dark at its contact with the table ends: −0.15 to 0.8 on fifteen
drawings of two kinds; shadows reach down from there. A drawn base on a board of 1 mm: −0.56."""
CONTACT_REACH: Final = 2.4
"""mm up and down from the fitted foot that are looked at."""
CONTACT_DARK: Final = 0.1
"""Share of the table's light up to which it is dark there."""
CONTACT_SHARE: Final = 0.5
"""Share of the foot's radius to either side of its middle that is looked at."""
CONTACT_COLUMNS: Final = 31
"""Columns over that."""
LEVEL_SPREAD: Final = 1.5
"""mm, standard deviation, by which a figure may stand off the backdrop's foot where something speaks for it: from a
cloth to a thin board."""
LINE_WITHIN: Final = 0.35
"""mm on the sheet's plane within which a line's change of light is complete, and below the foot at which its own dark
seam ends."""
LINE_LIGHT: Final = 0.2
"""Logarithm of light by which a surface changes at a line; path-traced plain tables: 0.09 at most, steps: 0.3 to 1."""
FREE_BESIDE: Final = 15.0
"""mm beside a figure's axis that its base and shadow leave free."""
FEWEST_COLUMNS: Final = 20
"""Columns on each side of a figure, below which nothing is said of lines there."""

# top

TALLEST: Final = 60.0
"""mm over the table that a figure may reach: the backdrop's picture ends there."""
WINDOW: Final = 0.55
"""mm along the outline that an extreme point is taken from."""
BLOCK: Final = 1.2
"""mm to either side that a block of stored colour is smaller than."""
JUMPS: Final = (0.1, 0.3)
"""mm by which an edge, and a block of edges, jumps out of the line of its neighbours."""
FEWEST: Final = 6
"""Edges below which nothing is said of a highest or widest place."""
PATCHY: Final = 0.4
"""mm of scatter where too few edges agree on an outermost place: the true end may be missed beside them."""
SPECK: Final = 0.3
"""mm² below which a patch is noise."""
GAP: Final = 3.0
"""mm between patches of one figure, at most."""
INSIDE: Final = 0.5
"""mm inside an outermost edge at which the top's own tint is told."""
BAND: Final = 1.1
"""mm from the extreme of the rough outline within which edges are looked for."""
