"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
`python -m benchmarks sensitivity board` tells which ones the results hang on.
"""

from __future__ import annotations

from typing import Final

# arrows

BEHIND: Final = 14.0
"""mm behind the shaft's end within which the head is broadest."""
BEYOND: Final = 2.0
"""mm beyond the shaft's end within which the head is looked for."""
BROAD: Final = 1.8
"""mm: a head is broader than this, and than the shaft."""
WIDEST: Final = 4.0
"""mm to both sides of the axis that a head may reach."""
FRONT: Final = 0.8
"""mm between the broadest place and the part in front of it that is fitted."""
SPREAD: Final = 0.15
"""Share of full ink by which worn paint differs from it."""
ARROWS_ALIKE: Final = 40.0
"""Samples that wear together: patches of about a mm."""
LEAST_U: Final = 0.1
"""mm: standard uncertainty of a tip, at least; wear makes it blunt."""
ARC_BESIDE: Final = 1.5
"""mm to both sides of a shaft's start on which an arc that ends it is looked for: so near it runs straight across."""
ARC_STROKE: Final = 3.0
"""mm: no arc is drawn with a broader stroke."""
ARC_INKED: Final = 0.5
"""Share of full ink on both sides from which on something is drawn across the start."""
WORN_AWAY: Final = 1.5
"""mm without ink after which an arrow may have ended; a head must show that it has."""
TIP_USELESS: Final = 1.5
"""mm: standard uncertainty of a tip beyond which nothing is said about it."""
COVER: Final = 0.7
"""Share of the shaft's visible path that must be inked: other boards' diagonals are shorter."""
OWN_SHAFT: Final = (-38.0, 55.0)
"""mm from the gap between a corner's circles, along the diagonal, between which every arrow is a line, however its
maker draws the rest. Chosen, as the two below, on four makers' boards of strangers."""
OWN_GAP: Final = 15.0
"""mm to both sides of the gap's middle that a maker's circle in it takes."""
OWN_CLEAR: Final = 6.0
"""mm of wood between an arrow's tip and the pocket, at least."""
ACROSS: Final = 6.0
"""mm to both sides of the shaft that are looked at."""

GROUND_ALONG: Final = 35.0
"""mm to both sides along a shaft over which the wood beside it is told: a maker's star on it takes 20 to 30 of it."""

# bundle

CARD_THICKNESS: Final = 0.12
"""mm: a card of 120 to 160 g/m² paper lying flat."""
CARD_THICKNESS_U: Final = 0.06
"""mm: the printed face lies the paper's thickness above the surface: 0.1 for plain paper, up to 0.25 for card."""
CUT: Final = 5.0
"""Deviations beyond which a corner is left out."""

# circles

COLOUR_PIXELS: Final = 0.1
"""Pixels by which the edge of a red disc, told by its colour, may be seen shifted on each side: JPEG and phones keep
colour at half the picture's resolution."""
OUTLINE: Final = 0.25
"""mm: a thinner outline may be the shadow of a piece."""

# corner_holes

HOLE_INSETS: Final = (-16.0, 40.0)
"""mm from the walls, where they are usually, to a pocket's edge: the walls are known to a centimetre only, and makers
set pockets off them by up to 25. A search's range, no rule's."""
HOLE_RADII: Final = (14.0, 50.0)
"""mm: pockets of boards in shops have 40 to 80 mm, in a scale that a tape gave; wide on purpose."""
HOLE_OFF: Final = 9.0
"""mm by which a pocket may lie off its corner's diagonal."""
HOLE_SOFT: Final = 1.2
"""mm, standard deviation: meshes of a net finer than this count as one tone."""
HOLE_STEPS: Final = (-1.8, 1.8, 5.0)
"""mm from the edge: inside of it, and two places outside that show wood."""
HOLE_STEP: Final = 0.35
"""Change of light at a pocket's edge, over the wood's, that is seen for certain."""
HOLE_WOOD: Final = 0.43
"""Difference from the wood's light, over it, at which a place is hardly wood any more."""
HOLE_BESIDE: Final = (60.0, 130.0)
"""mm from the walls between which wood is seen at every corner."""
HOLE_CLEAR: Final = 0.5
"""Share of its free arc on which a pocket is seen. Four makers' boards of strangers have 0.54 to 0.92."""
CUT_ALIKE: Final = 2.7
"""mm by which one pocket's radius may differ from the others' median where it was found by their likeness."""
POCKET_BADLY_SEEN: Final = 0.4
"""mm: standard uncertainty of a pocket's edge from which the others are asked; edges that are seen have 0.04 to 0.2."""
POCKET_OFF_OTHERS: Final = 3.0
"""mm by which such a pocket may at least differ from the others, in diameter and in distance from the board's middle:
boards are out of square, and their print off the middle, by about 1; a net's specks gave 5 and 9."""

# features

USUAL_RADII: Final = (14.5, 17.5)
"""mm: radii of base circles as most makers draw them."""
ANY_RADII: Final = (8.0, 29.0)
"""mm: the same on boards of which only the base circles were found where they are; from 11 on, discs of 20 mm were
missed, and a chance ring around them was taken for their outline."""
LEAST_RING: Final = 0.12
"""Clarity of a ring in the plan below which none is drawn."""
OWN_LOWER: Final = 18.0
"""mm from a disc's middle outwards to the lower line: on boards of three makers 13 to 23."""
RINGS_ALIKE: Final = 1.2
"""mm by which the radii of one board's base circles may differ: they are one print. Drawn boards' differ by 0.3; rims
of pieces, shadows and a second ring around a disc gave 1.4 to 1.6."""
ENOUGH_ALIKE: Final = 6
"""Outlines around eight discs that are alike, from which on they are no chance."""
ENDS_ALIKE: Final = 4.0
"""mm by which the ends of one print's four arrows may lie off their median in a view that the discs gave."""
USUAL_OUTER: Final = (80.0, 90.0)
"""mm: radii of the outer circle as most makers draw it."""
ANY_OUTER: Final = (65.0, 140.0)
"""mm: the same on boards with sizes of their own."""
BLUR_CHANGED: Final = 0.02
"""Share by which the blur may differ from what lines were traced with."""
FEATURES_DRAWN: Final = 0.25
"""Difference from the wood's colour, over it, that is ink."""
MOST_DRAWN: Final = 0.85
"""Share of a circle's surroundings that ornaments may take and leave it a circle."""
CENTRE_RADII: Final = (14.0, 18.0)
"""mm: radii among which the centre circle is looked for."""
FEATURES_OFF_MIDDLE: Final = 0.8
"""mm by which the centre circle may lie off the outer one's middle."""
LINES: Final = 2
"""Lower lines or base circles that make a board one of ours."""
CIRCLES: Final = 3
"""Lower lines or base circles that make a board one of ours."""
FEATURES_APART: Final = 0.8
"""mm by which photos may disagree about a foot before one of them is left out."""

# lines

MISFIT: Final = 0.2
"""What a stripe may leave over of its profile, of the ink's height: more is two lines, or none."""
LEAST_INK: Final = 0.035
"""Contrast in linear light, over the ground's, below which nothing is called a line."""

THREE_OF_FOUR: Final = 3
"""Feet, pockets or ends of arrows alike that check each other: of fewer nothing is believed."""

# locate

MOST: Final = 1700
"""Pixels of a side of the plan, at most."""
INK_CAP: Final = 0.25
"""Difference from the ground that counts as full ink."""
COARSE: Final = 2
"""Pixels of the mosaic that are joined for the search."""
LOCATE_PEAKS: Final = 4
"""Places of the best match that are looked at more closely."""

# measure

LEAST_CARDS: Final = 2
"""Cards that must be seen: one alone fixes the far side of a board badly."""

# outer_circle

OUTER_WOOD: Final = 8.0
"""mm outside of the outer circle that show wood in most directions."""
OUTER_OFF: Final = 2.0
"""mm by which the outer circle's middle may lie off the red discs'."""
OUTER_SEEN: Final = 0.4
"""Share of the directions no card hides in which it must be seen on one circle."""
OUTER_STROKE: Final = 4.0
"""mm: a line; anything broader is a ring, of which the outer edge is taken."""
OUTER_EDGE: Final = 0.3
"""Pixels: standard uncertainty of a ring's outer edge on each side, which may have an outline of another colour."""

# pockets

WINDOW: Final = 0.65
"""mm to both sides of the rim: narrower than a metal or rubber rim is wide."""
LEAST_CONTRAST: Final = 0.35
"""Share of a rim's strong contrast that an edge must have to be the rim's."""
LOW: Final = -10.5
"""mm around the usual radius in which edges are looked for."""
HIGH: Final = 8.5
"""mm around the usual radius in which edges are looked for."""
SMALLER_HOLE: Final = 2.45
"""mm by which a pocket's radius may be smaller than where it is looked for."""
LARGER_HOLE: Final = 5.25
"""mm by which it may be larger, a rim around it included."""
WOOD_ENDS: Final = ((4.0, 3.0, 80.0, 0.3), (2.5, 2.0, 95.0, 0.2), (1.5, 1.5, 95.0, 0.1))
"""Looks for where wood ends around a pocket, each nearer: mm to both sides, mm of strip, degrees off the way to the
board's middle, mm by which lines agree at least."""
WOOD_AROUND: Final = 0.2
"""Share of all directions on which wood must end on one circle."""
WOOD_CLEAR: Final = 0.4
"""How much more like wood (1 is all) the outside of a pocket's edge is than its inside, at least."""
TRIALS: Final = 1500
"""Circles through three edges that are tried."""
TOLERANCE: Final = 0.35
"""mm by which an edge may lie off a circle it votes for."""
POCKETS_PEAKS: Final = 5
"""Edges on each line that are kept, the steepest."""
CANDIDATES: Final = 4
"""Circles that are kept."""
NEARLY: Final = 0.7
"""Share of the best circle's edges that another one needs to be looked at too."""
DISTINCT: Final = 0.6
"""mm: circles nearer to each other are one."""
LARGER: Final = 0.3
"""mm by which another circle must be larger to be an outer rim."""
LOOSE: Final = 0.4
"""mm: scatter at which an edge says nothing."""
LEAVES: Final = 0.12
"""Difference from the wood's brightness, on the eye's scale and over it, that is no longer wood."""
RING: Final = (0.7, 4.0)
"""mm: widths a rim can have."""
EVEN: Final = 0.3
"""Deviation of a ring's light along the arc, over its mean, above which it is no rim."""
RIM_DARK: Final = 0.2
"""Light inside a pocket's edge over the wood's, below which a black rim there is not told from the hole."""
RIM_UNSEEN: Final = 2.5
"""mm: standard uncertainty of a pocket's diameter where a rim may pass for its edge: U reaches a rim of 2.5 mm around
it. Makers' rims have 1 to 3; our estimate."""
POCKETS_CLEAR: Final = 0.1
"""mm: scatter of an edge below which it is seen clearly."""
RAGGED: Final = 0.2
"""mm: scatter beyond which an edge is none."""
USELESS: Final = 0.8
"""mm: standard uncertainty of a rim beyond which nothing is said about a pocket."""
RAGGED_PIXELS: Final = 0.7
"""Pixels: the same in a small picture, whose pixels are as large as that."""
USELESS_PIXELS: Final = 2.2
"""Pixels: the same in a small picture. A small picture gets a large U, not a refusal."""
POCKETS_ALIKE: Final = 0.15
"""mm by which the rims of one board differ."""
SMOOTH: Final = 13
"""Lines averaged around the hole, so that the meshes of a net do not count as edges."""

# refusals

STEEPEST: Final = 45.0
"""Degrees off the vertical beyond which nothing is measured."""
BLURRED: Final = 0.9
"""mm: blur (standard deviation) at which a thin line is no longer one."""
REFUSALS_CLEAR: Final = 0.1
"""Clarity of the pattern from which a board counts as drawn the usual way."""
SKEWED: Final = 0.1
"""Degrees off a right angle from which a corner is named, if that is beyond its uncertainty."""

# shapes

EDGE_PIXELS: Final = 0.06
"""Pixels by which a whole edge may be seen shifted by sharpening, compression and uneven light; both edges of a stroke
outwards or inwards together."""
UNKNOWN_EDGE_PIXELS: Final = 0.15
"""The same in a picture without cards, which a shop may have scaled, sharpened and compressed once more; chosen on six
pictures of makers' boards (strokes within U in 65 to 83 of 100 with 0.06, in 85 to 98 with this)."""

# uncarded

SMALL: Final = 700
"""Pixels of the longer side of the picture in which the even area is looked for."""
FILLED: Final = 0.8
"""Share of the picture's shorter side that the surface about takes where no even area is seen: from 0.75 and from 0.9
the base circles are found alike."""
ROUGH: Final = 14.0
"""Codes by which most pixels differ from their surroundings in a picture of nothing."""
QUAD_NOISE: Final = 0.003
"""Share of the picture by which the corners of the even area are off."""
UNEQUAL: Final = 5.0
"""mm by which one side's line may stand off its foot more or less than the others', where the feet place the camera:
our choice, a little more than three times `SIDE_ALIKE`. A foot taken 15 mm too far inside bends the view so that sides
and corners seem right."""
USUAL_OFF: Final = 2.5
"""mm off the usual places, in the median, up to which a board is drawn as most makers do."""
CARDED_OFF: Final = 8.0
"""mm, the same where cards give the scale: up to there all is found from its usual place, and walls are followed more
surely than from the discs. A usual board in half focus has 3.5; a maker's own sizes had 27 and more."""
CARDED_SQUARE: Final = 4.0
"""mm off one square up to which eight round things are the base circles in a view that cards give."""
DISC_QUAD_NOISE: Final = 0.01
"""Share of the picture by which the corners of the even area are off where the discs are found too: shadows and grain
of the wood may take the area's flank with them, and the feet will tell better."""
DISC_MIDDLE: Final = 4.0
"""mm, standard deviation: the discs' middle is the surface's. Our estimate: a print is laid on by a stop or by eye."""
DISC_NOISE: Final = 1.5
"""Pixels by which the middle of a red disc is off."""
DISCS_TORN: Final = 1.7
"""Pixels by which the discs may lie off their square. Seen: 1.1 in a whole picture, 2.2 to 4.2 in three that were cut
out of others, 0.5 to 0.6 in these when that is allowed for."""
DISCS_BENT: Final = 1.5
"""mm by which they may lie off it in a view that the feet gave: makers lay their print on a square that well."""
WOOD_BEFORE_FOOT: Final = 5.0
"""mm between where wood is seen to end and a foot, on a board whose discs give the scale: more, and one of them is not
what it seems. Seen: up to 2 on a stranger's board, 8 where the tops of walls passed for feet."""
END_ALIKE: Final = 8.0
"""mm by which wood may end on one side off the others' median; more is a shadow's edge."""
LOOKS_OUTWARDS: Final = 3
"""Looks from the discs outwards, each in the view that the last one gave."""
STRETCHED: Final = 0.02
"""Share by which a picture of a shape that no camera makes may have been stretched one way, standard deviation; our
estimate for pictures from web pages."""
OFF_LEVEL: Final = 0.8
"""mm, standard deviation by which a side's foot lies off the square's."""
OFF_SLOPE: Final = 0.002
"""Standard deviations by which a side's foot lies off the square's (mm) and is turned against it."""

# wall_foot

WALL_FOOT_APART: Final = (0.03, 0.2)
"""mm, and pixels besides: standard deviation of the distance between foot and top edge as seen."""
NEAREST: Final = 1.5
"""mm outside of the foot within which no edge is taken for the wall's top."""
UNSEEN: Final = 12.0
"""What it counts that no edge is seen where the wall's top must be."""
GAP_SHARE: Final = 0.5
"""Share of boards that have a gap, before anything is seen: nobody counted them, so as many as have none."""
GAP_MEAN: Final = 1.2
"""mm: mean of the exponential distribution of its width, wide on purpose; not counted either."""
GAUGE_STEP: Final = 0.1
"""mm between the widths that are tried: a gauge that tells more finely chooses among them no more finely."""
GAUGED: Final = 0.05
"""mm: standard uncertainty that a feeler gauge leaves the gap, as the advice counts: its leaves differ by 0.05 to 0.1,
and gaps by as much along a wall. Our estimate."""
GAUGE_GAIN: Final = 0.1
"""mm by which U of a side must fall for a gauge to be asked for."""
WORTH: Final = 3.0
"""How much the logarithm of a profile's misfit counts."""
USUAL: Final = 2.0
"""The misfit of a profile of which everything is explained."""
START: Final = 0.08
"""mm by which an edge before a dark wall is seen too far inwards, where the profile does not tell."""
OWN: Final = 0.08
"""Standard uncertainty (mm) of each foot for itself."""
ROUNDED_TOP: Final = 0.3
"""The same of a foot told by the lit top edge of a wall in its own shade: such edges are rounded by up to 1 mm, and
light may begin anywhere on that. Our estimate."""

# wall_gap

NEAR: Final = 3.4
"""mm by which the highest frame's top may stand off its foot and still be fitted together with it."""
HIDDEN: Final = 1.0
"""mm by which a frame's top may hide its foot and leave something of a gap to be seen."""
NODE: Final = 0.15
"""mm of stand-off between the heights that are fitted; between them it is interpolated."""
WALL_GAP_INSIDE: Final = -2.6
"""mm inwards of the edge from which on a profile is fitted."""
BLURS: Final = (0.92, 1.0, 1.08)
"""Shares of the photo's blur that are tried."""
BLUR_SPREAD: Final = 0.06
"""Standard deviation of the blur at a wall, as a share of the photo's."""
WALL_GAP_POWDER: Final = (0.4, 0.8, 1.3)
"""mm: as far from the wall powder lies; several widths together, since it is patchy."""
DARK: Final = 0.01
"""What a gap sends back of the surface's light, and as much more or less."""
WALL_GAP_LIGHTER: Final = 4.0
"""A gap that would have to be lighter than the wall counts as a misfit, but by no more deviations than this."""
FLOOR: Final = 0.002
"""What no drawn profile explains: of the surface's light, and of the light at each place."""
SHARE: Final = 0.02
"""What no drawn profile explains: of the surface's light, and of the light at each place."""
GAMMA: Final = 2.2
"""Of the codes of a picture, about: phones sharpen codes, not light."""
SHARPENED: Final = 0.5
"""How much of what a wider blur would change is added again, one standard deviation: unsharp masks have 0.3 to 1."""
SHARPEN_REACH: Final = 2.0
"""That wider blur over the photo's."""
NO_LIGHT: Final = 0.0035
"""Of the surface's light: a wall cannot send back less than none, but the fit may miss by as much."""

# walls

ENDS: Final = 64.0
"""mm at both ends of a side that pockets and rounded corners may take."""
WALLS_INSIDE: Final = -17.0
"""mm inwards of where the foot is guessed, from which on profiles reach outwards."""
OUTSIDE: Final = 31.0
"""mm outwards of the guess that profiles reach: over the top edge of a high frame seen obliquely."""
PARTLY: Final = 0.75
"""Share of the wall below which an edge is seen in parts only, and change of light that does not make up for that."""
FAINT: Final = 0.2
"""Share of the wall below which an edge is seen in parts only, and change of light that does not make up for that."""
NO_DARKER: Final = 0.9
"""Light beside a wall over the surface's, in each colour, from which on it is the surface with something lighter on it:
the sheen before a black wall in a stranger's photo left 0.91, 1.01 and 1.21."""
HEIGHT: Final = 22.0
"""mm: where the search for a frame's height starts. Boards in shops and photos have 15 to 30: no limit of any rule."""
HEIGHT_U: Final = 4.0
"""mm: standard deviation of that, wide on purpose; walls seen obliquely tell the height themselves."""
GAP_DARKER: Final = 0.5
"""Light of a gap over that of the surface beside it, at most: a wall that mirrors the wood is hardly lighter than its
own top edge's shade, and is no surface before a gap."""
SIDE_ALIKE: Final = 1.5
"""mm, standard deviation by which one side's line stands off its wall more than the others' do. Our estimate: printed
markings are moved and turned against the frame by a millimetre or two."""
SIDE_MOST: Final = 2.0
"""Score that such a difference costs, at most: a board may be far out of square, and then the edges must say so."""
UNSEEN_TOP: Final = 0.3
"""Score that it costs when no edge is seen where the frame's height puts the wall's top."""
RIVAL: Final = 1.0
"""Score within which another edge is as good a foot: both readings are then carried, or the foot is withheld."""
RIVAL_APART: Final = 0.6
"""mm: edges nearer to each other are told apart by the gap, not here."""
RIVAL_CARRIED: Final = 1.0
"""mm between two readings up to which U covers both; farther apart, nothing is said of the foot."""
GAP: Final = 2.6
"""mm: no gap is wider."""
SHADED: Final = 0.5
"""Light of the surface before a wall, over that of the rest, below which it lies in the wall's own shade."""
WALLS_POWDER: Final = 3.0
"""mm: no powder lies further from the wall."""
LEAST: Final = 1.0
"""Score below which an edge is no foot: dark on both sides, or neither surface nor wall beside it."""
WALLS_LIGHTER: Final = 1.15
"""Times by which a wall is lighter than the gap before it, at least."""

# base_circles

VOTE_RADII: Final = (7.0, 28.1)
"""mm: radii of base circles and of the discs in them, of all makers, in a view that may be off by a third."""
VOTE_SOFT: Final = 1.5
"""Pixels of the plan, standard deviation, by which the edges of one circle miss its middle."""
VOTE_EDGE: Final = 0.06
"""Change of light a pixel, over the surroundings' and on the eye's scale, from which an edge counts fully."""
VOTE_FULL: Final = 0.4
"""Votes from which a place is round for certain; discs of strangers' boards have 0.4 to 1, nets up to 0.5."""
VOTE_LEAST: Final = 0.06
"""Votes below which nothing round is there."""
MIDDLES: Final = 2
"""Middles of symmetry that are tried."""
SQUARE_OFF: Final = 8.0
"""mm by which the circles may lie off one square in a first view."""
SQUARE_SIZES: Final = (120.0, 340.0)
"""mm from the middle to a base circle, out or along, that are tried."""
PAIR_APART: Final = (12.0, 90.0)
"""mm by which a base circle stands farther out than along: two of a corner do not overlap."""
SQUARE_LEANS: Final = (-28.0, 0.0, 28.0)
"""mm by which a first view may shift the surface's edge by keystone, tried in both directions."""
SQUARE_CLEAR: Final = 0.6
"""Mean of the best six places' votes, over full ones, below which there is no square."""
SQUARE_TORN: Final = 15.0
"""mm off one square, root mean square, beyond which a first view cannot have bent it."""
SQUARES: Final = 6
"""Squares of different size that are looked at more closely."""
SQUARE_LOOKS: Final = (12.0, 8.0, 6.0)
"""mm from the square within which each circle's own middle is looked for, look by look."""
BESIDE_DISC: Final = 28.0
"""mm from a disc's middle outwards, where circle and line are passed and wood begins. Chosen, as the five below,
on three makers' boards of strangers, whose ends stand out by 0.7 to 0.97."""
FAR_OF_DISC: Final = 200.0
"""mm from a disc's middle outwards within which the surface ends."""
END_STRIP: Final = 25
"""mm beyond the surface's end that are no wood: no frame is narrower."""
END_REACH: Final = 170.0
"""mm to both sides of a side's middle that are looked at: pockets stay outside."""
WOOD_VARIES: Final = 0.2
"""Share by which wood differs from itself, on the eye's scale."""
CLEAR_END: Final = 0.5
"""Difference between inside and outside (1 is all) below which a surface's end is not seen."""
