"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
"""

from __future__ import annotations

from typing import Final

SHOWING_THROUGH: Final = 0.36
"""Share of the pips' contrast that shows through the body of a clear die at most: so far may a face's colour stray."""
STRAY_SPOTS: Final = 12
"""Spots like a face's pips that lie beside all dice, beyond which they are the ground's and vouch for no face."""

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
