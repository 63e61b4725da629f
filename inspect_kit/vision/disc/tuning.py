"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
`python -m benchmarks sensitivity disc` tells which ones the results hang on.
"""

from __future__ import annotations

from typing import Final

# appearance

GREY: Final = 0.14
"""Most colour (spread over brightness) that still looks grey."""
STREAKS: Final = 0.2
"""Least variation of brightness around a ring, as a share of its mean."""
LEAST_AREA: Final = 0.03
"""Share of the face, streaked like brushed metal, below which none is suspected."""
RED_RATIO: Final = 2.2
"""Red over the larger of green and blue at which red and another colour are equally likely."""
WHITE_FROM: Final = 0.16
"""Reflectance at which white and black are equally likely."""

# find

PIXELS: Final = 1_400_000
"""Pixels of the plan in which pieces are looked for, at most: more only cost time."""
FINEST: Final = 4.0
"""Pixels a mm of that plan, at most."""
MOST_EDGES: Final = 110_000
"""Edge pixels that vote, the strongest first: bounds the time on patterned ground."""
LEAST_VOTES: Final = 0.32
"""Share of a circle's outline that must vote for its centre to be looked at."""
LEAST_SUPPORT: Final = 0.38
"""Share of the outline with an edge on it, below which a circle is none."""
MOST_SEEDS: Final = 90
"""Centres that are looked at, those with most votes first."""

# fit

ROUGH: Final = 0.35
"""Least scatter of edges around the outline in pixels that outliers are told by, before and after it has settled."""
CLOSE: Final = 0.05
"""Least scatter of edges around the outline in pixels that outliers are told by, before and after it has settled."""
REACH: Final = 0.15
"""mm around the outline in which its edge is looked for."""
LEAST_LINES: Final = 60
"""Lines across an outline, at least: enough for roundness up to 15 waves."""
MOST_LINES: Final = 132
"""Lines across an outline, at most: nearer ones show the same pixels."""
LEAST_COVER: Final = 0.65
"""Share of the outline with a good edge from which on a piece is measured."""
LEAST_HALF: Final = 0.5
"""The same share where the far half, which shows the widest place, is nearly whole."""
FAR_COVER: Final = 0.9
"""Share of the far half that makes up for a near half in shadow."""
MOST_SCATTER: Final = 0.15
"""mm by which the edge of a disc may scatter, half a pixel in any case; what scatters more is something else. Real
coins have 0.04 at most, path-traced black lacquer 0.18, of which the shadow's end had been taken for the outline."""
NO_FOOT: Final = 0.2
"""Share of the near half with an edge below which no foot is seen; path-traced, 0.14 where the upper face had been
taken for the outline, 0.25 and more elsewhere."""
FACE_OR_RIM: Final = 0.5
"""Share of the rim's radius that u of the radius then carries, so that U reaches from the face to the rim."""
RIM_AS_GROUND: Final = 0.15
"""Share of the rim's radius that u of the radius carries at least where piece and ground are hardly told apart: light
falls off over the rim, somewhere on it by just as much. Chosen on three slate discs in one path-traced picture."""
RIM_SHARES: Final = (0.4, 0.6, 0.8, 1.0)
"""Shares of the rim's radius outside of an outline at which another one is looked for."""
FACE_APART: Final = 0.35
"""mm between two outlines below which they are one."""
SECOND_OUTLINE: Final = 0.5
"""Share of the far half with an edge there that makes it another outline: path-traced, 0.59 to 0.68 where it was one,
0.24 at most elsewhere; 0.44 on one of 26 real coins."""
INWARDS: Final = 3.0
"""Deviations at which an edge too far inwards (a groove, a gleam) counts nothing."""
OUTWARDS: Final = 4.0
"""Deviations at which an edge too far outwards (a shadow, a print) counts nothing."""
SEAM: Final = 0.35
"""Width of the dark seam at a piece's foot over its thickness."""
FINE: Final = 10.0
"""Pixels a mm from which a rim's milling can be made out."""
NEAR_TRUST: Final = 0.03
"""The foot stands in its own shadow, and a rounded one over a dark gap: its edge counts for less."""
LINE_SCATTER: Final = 0.15
"""Pixels by which a well-seen edge scatters on one line."""
SYSTEMATIC: Final = 8.0
"""Lines agree with their neighbours' errors: this many count as one when thickness and rim are weighed against them."""

MOST_MOVED: Final = 0.5
"""Pixels that the network may move an edge by: over printed marks and in hard shadow, which it was not taught with, it
says more on single lines."""
LIGHTER: Final = 0.02
"""Codes of luma, from 0 to 1, by which a piece is lighter than its ground where the network is asked: darker rims send
back too little light to move an edge, and it was not taught with them."""

# measure

CLEAR: Final = 0.7
"""Share of a candidate's outline with an edge, from which on it is reported even if it cannot be measured."""
WHOLE: Final = 0.9
"""Share of it from which on a circle that nothing was measured in is named: a slate piece, path-traced, has 0.99."""
CANDIDATE_FAINT: Final = 0.45
"""Share below which a candidate is not even tried."""
SHADOW: Final = 1.2
"""mm by which a soft shadow reaches beyond a piece."""
BORDER: Final = 4.0
"""Pixels from the picture's border within which an outline counts as cut off."""
SHARED_SCATTER: Final = 0.75
"""Share of the scatter of edges around an outline by which light has moved all of it: what makes the one makes the
other. Chosen on 93 drawn and 44 path-traced pieces and 26 real coins: errors are 0.76 of u, 96 in 100 are within U, as
with 0.5."""
TWO_OUTLINES: Final = (0.1, 0.14)
"""Contrast of an edge, in codes from 0 to 1, below which a second outline further out is fully believed possible, and
above which it is not. Chosen on three slate discs on the blue mat in one path-traced picture."""
ANY_GROUND: Final = 2.0
"""Times as far as on a printed sheet that light and shadow move an edge on a table, beside a card, on paper: their tone
was not chosen to set pieces off. Chosen on the four path-traced coins of one card, which were 1.8 to 2.3 u off."""
BULGE: Final = 0.0075
"""Share of the thickness, u of the diameter: a wall may bulge below its rim, which nobody sees from above. U reaches
0.06 mm a side on 8 mm, as a third of the path-traced pieces by another hand have it; of real ones none is known."""

# outer_edge

OUTER_EDGE_REACH: Final = 2.4
"""mm around the guess in which the outline is looked for."""
OUTER_EDGE_LINES: Final = 96
"""Lines across the outline."""
OUTER_EDGE_PEAKS: Final = 4
"""Edges on each line that are kept."""
OUTER_EDGE_TRIALS: Final = 220
"""Circles through three edges that are tried."""
OUTER_EDGE_TOLERANCE: Final = 0.07
"""mm by which an edge may lie off the circle it belongs to."""
OUTER_EDGE_OUTSIDE: Final = 2.0
"""mm outside of a circle within which edges speak against it."""
OUTER_EDGE_LEAST_SUPPORT: Final = 0.5
"""Share of the lines that must have an edge on the circle."""

# silhouette

EXPLAINED: Final = 0.3
"""Pixels by which edges may scatter around an outline that the light at a plain rim explains. Drawn pieces have 0.29 at
most; coins on eight photos by strangers, whose rims have milling and gleams, 0.15 to 2.5, most of them above 0.3."""
GUESS_REACH: Final = 0.14
"""Share of the radius by which the first guess of an outline may be off."""
FIRST_EDGE_WIDTH: Final = 0.04
"""mm by which milling, wear and shading move an edge, and over which it is smoothed."""
FIRST_EDGE_PIXELS: Final = 0.6
"""The same in pixels."""
SOFT_EDGE: Final = 0.12
"""Steepness, as a share of that of the clearest edges, below which an edge is a shadow's or the ground's own. Figures
are the same from 0.06 to 0.2."""
CERTAIN_EDGE: Final = 3.0
"""How surely a steep edge is the piece's: one as steep as the clearest is overlooked with probability exp(−3)."""
STRAY_EDGE: Final = 0.03
"""Likelihood of a line without an edge on the outline: it lies in shade, or another piece touches there."""
PATCHY: Final = 0.8
"""Variation of the contrast around an outline, as a share of it, beyond which it is a chance of the ground's texture:
on eight photos by strangers coins have 0.7 at most, wood's grain 0.9 and more."""
FAINT_PIECE: Final = 0.06
"""Contrast (codes from 0 to 1) below which it is such a chance too: there copper on light wood has 0.08."""
FREE_LINES: Final = 24.0
"""Independent lines across an outline: neighbours see the same shadow."""

# coin_reference

COIN_MIDDLE: Final = (0.15, 0.55)
"""Shares of a coin's radius between which its middle's colour is taken."""
COIN_RING: Final = (0.80, 0.93)
"""The same for its ring: of a coin of two metals the ring begins at 0.71 to 0.76."""
TWO_METALS: Final = 7.5
"""CIELAB b* between middle and ring from which on a coin has two metals."""
FAR_MORE: Final = 1.4
"""Times that the coin of two metals must show this more than any other piece."""
COIN_SIZE: Final = 0.3
"""Share by which the coin may look larger or smaller than it is, at one of the scales that are tried."""
SCALES: Final = (150.0, 95.0, 240.0, 380.0, 60.0)
"""mm along the picture's longer side that are tried, the likeliest first."""
LEAST_DISCS: Final = 2
"""The coin and a piece."""
ODD: Final = 0.08
"""Share by which a coin's size must differ from the pieces' for it to be the odd one."""
EURO_MISFIT: Final = 0.35
"""mm by which coins may miss the sizes of euro coins."""
EURO_NOISE: Final = 0.05
"""mm that outlines miss by in any case."""
EURO_CLEAR: Final = 2.0
"""Times that they must miss them by more at any other scale."""
SAME_SCALE: Final = 0.03
"""Logarithm of a scale within which it is the same one: outlines are off by a hundredth."""
COIN_RIM: Final = 0.3
"""mm, rounding of a coin's rim."""
COIN_POINTS: Final = 48
"""Points of each outline from which the view is taken."""
COIN_FREEDOM: Final = 8.0
"""Independent points that one outline counts for."""
LEAST_COIN_NOISE: Final = 0.1
"""Pixels; outlines are never known better than this."""
LEVEL: Final = 0.08
"""Radians by which people lean a phone that they hold above a table, standard deviation. Chosen on eight photos by
strangers; with 0.15 outlines in shadow were taken for a lean."""
LEANS: Final = ((0.0, 0.0), (0.15, 0.0), (-0.15, 0.0), (0.0, 0.15), (0.0, -0.15))
"""Radians by which the camera is leaned at first: circles look alike from two sides."""
SMALLEST_COIN: Final = 14.0
"""mm, diameter of the smallest coin that is looked for."""
BENT_INSIDE: Final = 1.5
"""mm by which a loose sheet is off under a piece, for each mm that its border stands up: what the middle does is not
seen. With it, errors are as large as u on two photos by strangers (ten coins), so it is no prediction for them."""
COIN_WORKING_SIDE: Final = 1600.0
"""Pixels of the longer side of the picture in which the coin is looked for."""
