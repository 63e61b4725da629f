"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
"""

from __future__ import annotations

from typing import Final

SHOWING_THROUGH: Final = 0.36
"""Share of the pips' contrast that shows through the body of a clear die at most: so far may a face's colour stray."""
STRAY_SPOTS: Final = 12
"""Spots like a face's pips that lie beside all dice, beyond which they are the ground's and vouch for no face."""
