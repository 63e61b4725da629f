"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
"""

from __future__ import annotations

from typing import Final

# read: chosen while looking at drawn scenes and at 49 photographs by strangers

LEAST_SCORE: Final = 0.08
"""Confidence up to which a face is dropped at once."""
MOST_LONE: Final = 80
"""Lone pips that are tried, at most."""
ASKEW: Final = 0.25
"""What lying on the plane counts between faces that are else as good, in parts of a sure face of no pips."""
BLUNT: Final = 9.0
"""Pixels of a pip's longer half axis below which a pixel more or less makes another ellipse of it."""
PIPS_AGREE: Final = 0.2
"""How much the pips of a candidate must agree with the places of a number."""
LONE_UNITS: Final = (1.1, 1.9, 3.3)
"""Radii of a lone pip in what would be half the distance of corner pips on the same die, from large to small pips."""
SIDES_COUNT: Final = {1: 1.0, 2: 1.0, 3: 0.75, 4: 0.5, 5: 0.4, 6: 0.4}
"""How much the square's sides count, by number: few pips tell little by themselves."""
ACE: Final = 0.86
"""A lone pip tells little by itself: its square must be the better."""
GROUND_BEYOND: Final = 0.4
"""How little other ground there is beyond a frame that is only drawn around a lone pip."""
TINY: Final = 17.0
"""Half an edge in pixels below which a lone pip may as well be the hole of a figure 6 or 8."""
DOUBTFUL_ACE: Final = 0.5
"""What a lone pip still counts in such a frame, and below that size."""
SPEAKING: Final = 0.62
"""What four pips and more of one paint count at least, whatever their body, which may be marbled."""
ONE_PAINT: Final = 0.12
"""Spread of the pips' colours over their contrast, up to which they are painted alike."""
LEFT_OVER: Final = 0.4
"""What a face counts that leaves like spots on its body unexplained."""
AROUND_SIX: Final = 1.3
"""How far out, over the six's own pips, a spot is not among them."""
NEXT_DOT: Final = 2.5
"""Half edges, in halves of the pips' distance, within which a cloth has its next dot and a die beside has none."""
FLAT_ON_PLANE: Final = 0.2
"""How unlike a circle on the plane a face may be of which the network alone speaks."""
NETWORK_YES: Final = 0.4
"""What the network's odds count beside those that follow from body and pips where it sees a face; its no counts 1."""
BEYOND_DOUBT, NETWORK_DENIED = 0.9, 0.45
"""Score of body and pips up to which a face that the network rather denies is not read, and what it counts then."""
NETWORK_MOST_SURE: Final = 0.98
"""Chance beyond which the network is not believed, as it was taught on drawings."""
NETWORK_CLEAR: Final = 0.9
"""The network's chance from which on a face may be read of which nothing else speaks: marbled bodies have no colour."""
NETWORK_ALONE: Final = 0.79
"""What such a face counts, if pips and size are those of dice beside it; a lone pip that the network raises; and
faces that lie edge to edge as a domino's halves do."""
IN_LINE: Final = 0.3
"""Half edges within which a face is just where the other half of a domino would be, or nearer than another die can be;
and over a die's half edge, how far its wall must reach out to be seen."""
ONE_SIDE: Final = 3.0
"""How many times further from a face's shade the ground on its other sides is than where its body goes on: a domino's
other half is of one piece with it, and the ground may be nearly as light as both. Chosen on 8 drawn photos of dominoes.
"""
OWN_WALL: Final = 0.5
"""Half edges by which a die's lower face is seen moved, from which on its own wall covers the middle of that square."""
SAME_SIZE: Final = 0.2
"""Logarithm of sizes, and of pips' sizes, within which such a face is like the dice beside it."""
SAME_PAINT: Final = 0.3
"""Share of the contrast by which its pips' colour may differ from theirs."""
LARGEST_ACE: Final = 1.3
"""Radius of a lone pip in halves of the distance of corner pips; beyond, it is the die itself."""
SIZE_TOLD: Final = 0.35
"""Score of a body from which on the square around the pips tells the die's size."""
USUAL_HALF_EDGE: Final = 2.0
"""Half the edge over half the distance of corner pips on usual dice, where nothing tells it."""
PLAIN_GROUND, MOSTLY_PLAIN = 0.2, 0.9
"""Share of a lone pip's contrast by which the ground around it may vary, and how much of that ground may not."""
ITS_SIDE: Final = 2.4
"""Half edges from the middle of an upper face within which a doubtful face is a side of the same die."""

# fit

NEAR_TRUST: Final = 0.06
"""How much a line at a foot counts beside one at an upper edge: the foot stands in its own shadow, and a rounded one
over a dark gap, so that all lines of a side err together. Chosen on our drawings; without feet, three painted photos
err by 0.053 mm."""
FOOT_OFF: Final = 0.1
"""mm by which a foot may be off the die that far sides and pips tell before it counts half; by the fourth power. Chosen
on three painted photos of blue dice on the blue mat, whose feet were seen 0.1 to 0.3 mm inside."""
TOLD: Final = 0.006
"""Pixels squared: variance of an edge by noise up to which its place is told from the light falling off beside it.
Chosen on the same photos: at 0.01 a pale blue die was off by 3.9 u, now by 3.1 u; below, U of dice seen well grows too.
"""
UNTOLD: Final = 4.0
"""How many times the noise beyond that a whole side errs where it is not; painted dice as light as the mat at their
rounded edges: three to eight."""
