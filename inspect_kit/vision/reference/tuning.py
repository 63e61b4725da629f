"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
`python -m benchmarks sensitivity reference` tells which ones the results hang on.
"""

from __future__ import annotations

from typing import Final

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

# find

LEAST_MARKERS: Final = 4
"""Markers that fix a sheet beyond doubt."""
A_FEW: Final = 2
"""Markers of a foreign dictionary after which no other is tried."""
FIND_WORKING_SIDE: Final = 2100
"""Pixels of the longer side of the picture in which markers are looked for first."""
