"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
`python -m benchmarks sensitivity fitting` tells which ones the results hang on.
"""

from __future__ import annotations

from typing import Final

# edge_step

SMOOTHING: Final = 5
"""Neighbouring lines over which the light of both sides is averaged."""
NOISE: Final = 0.004
"""Standard deviation of luma, of 1, the model's shortcomings included."""
COLOUR_NOISE: Final = 0.008
"""Standard deviations of luma and of coarsely stored colour, of 1, the model's shortcomings included."""
LEVEL: Final = 0.15
"""Share by which the light of a side differs from that of its neighbours."""
FALL: Final = (0.45, 0.35)
"""How much of its light a surface loses when it turns from up to sideways, and how much that varies."""
TURN: Final = 0.35
"""Share of its light that a surface turned towards or away from the lamp gains or loses, standard deviation."""
SLOPE: Final = 0.08
"""Change of the ground's light per pixel, as a share of it."""
SEAM: Final = (-0.12, 0.15)
"""Light that is missing at a piece's foot, which hides the sky from the ground beside it."""
WIDTHS: Final = (0.6, 0.8, 1.05, 1.4, 1.9, 2.6)
"""Pixels: blurs that are tried where the photo's is not known."""
