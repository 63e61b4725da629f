"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn scenes, whose habits it may share.
`python -m benchmarks sensitivity optics` tells which ones the results hang on.
"""

from __future__ import annotations

from typing import Final

# calibration

CALIBRATION_CUT: Final = 4.0
"""Times the median miss beyond which a corner is left out."""

# camera

FOCUS_DRIFT: Final = 0.003
"""Relative standard deviation by which the focal length moves when the camera focuses anew."""
USUAL: Final = ((0.76, 0.85), (1.4, 0.09), (2.6, 0.06))
"""Focal lengths by the longer side, and how often a photo without notes has one: phones, cropped, long lenses."""
SPREAD: Final = 0.15
"""Share by which a guessed focal length may be off, standard deviation."""

# pose

POSE_CUT: Final = 5.0
"""Deviations beyond which a corner is left out."""
ALIKE: Final = 5.0
"""Corners beside each other err alike (paper that bends), so that this many count as one."""

# quality

MOST: Final = 48
"""Edges of the sheet at which the blur is told."""
SAMPLING: Final = 0.95
"""Ink that spreads makes the sheet's edges this much wider than the pieces' are (lines sampled between pixels widen
both alike). On four drawn scenes 1 makes light pieces 0.02 mm too small and dark ones too large, 0.88 the other way
round by 0.04."""
DARK_REACH: Final = 0.2
"""Shares of a square's side to look into the black square, and beyond the white strip (or into the plain white)."""
LIGHT_REACH: Final = 0.08
"""Shares of a square's side to look into the black square, and beyond the white strip (or into the plain white)."""
DARKEST_WHITE: Final = 40
"""Code of the paper's white below which noise and the coarse steps of dark codes rule the edges."""
LEAST_CONTRAST: Final = 25
"""Codes between paper and ink below which a photo is too dark or faint."""
BLURRED: Final = 0.6
"""mm of blur (standard deviation) beyond which light of one edge runs into the next."""
BLURRED_PIXELS: Final = 7.0
"""Pixels of blur beyond which no edge is told, however close the camera."""
GLARE_SHARE: Final = 0.12
"""Share of an outline with full light on both sides from which on it is glare."""
REACH: Final = 4
"""Pixels inside and outside of an outline that are looked at for glare."""

SHAPES: Final = (4 / 3, 3 / 2, 16 / 9, 1.0, 2.0, 19.5 / 9, 20 / 9)
"""Longer over shorter side of pictures as cameras and phones make them."""
SHAPE_OFF: Final = 0.006
"""Share by which such a picture's shape may be rounded to whole blocks."""
CUT_OUT: Final = 0.12
"""Of a picture of another shape: share of it by which the lens's middle lies off its own middle, standard deviation;
our estimate, a third cut away on one side only."""
