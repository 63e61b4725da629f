"""Numbers of this room that were chosen, not derived: unit, what each decides, where from.

Unless a line says otherwise, a number was chosen on our own drawn displays, whose habits it may share. Heights are
those of the row's digits. `python -m benchmarks sensitivity display` tells which ones the results hang on.
"""

from __future__ import annotations

from typing import Final

import numpy as np

# rows

GLYPH_HEIGHTS: Final = (19, 33)
"""Pixels of a digit's height that one level of the pyramid looks for."""
PYRAMID_STEP: Final = 1.4
"""From one level of the pyramid to the next; less than the span of `GLYPH_HEIGHTS`, so that no height falls between."""
FINEST_LEVEL: Final = 1400
"""Pixels of the longer side of the finest level; a digit of 2 % of the picture has 25 there."""
STROKE_SQUARE: Final = 13
"""Pixels of the top-hat's square: wider than any stroke of a digit of `GLYPH_HEIGHTS`, narrower than the digit."""
STROKE_SHARE: Final = 0.45
"""Part of the strongest contrast nearby from which a pixel is a stroke; a segment that is off stays below."""
MOST_PIECES: Final = 1500
"""Pieces in one level above which it is cloth or grain, not a display."""
FAINTEST_STROKE: Final = 14.0
"""Grey levels of contrast below which nothing is a stroke."""
CAMERA_NOISE: Final = 16.0
"""Grey levels below which a camera's noise is no picture."""

# strip

STRIP_REACH: Final = 7.0
"""Heights of a digit by which the strip goes on beyond the row on either side."""
LEANS: Final = np.linspace(-0.08, 0.34, 22)
"""Leans tried: the upper end's shift to the right, in heights. Makers lean digits by up to 15 degrees."""
LONG_ROW: Final = 2.2
"""Heights of a row from which on each half has digits enough to tell its own lean."""
LEAN_DIFFERENCE: Final = 0.13
"""Difference of the two leans from the whole row's at most: what a view from 25 degrees aside makes of it."""
OVERSHOOT: Final = 0.16
"""Heights by which something may go beyond the digits' lines and still be a digit or a point."""
STRIP_SQUARE: Final = 43
"""Pixels of the top-hat's square: wider than the thickest stroke, 0.2 heights with blur."""
BAR_GAP: Final = 0.05
"""Heights between two bars of one digit at most."""

# marks

LIT: Final = 0.5
"""Of a lit stroke's contrast."""
FAINT: Final = 0.35
"""Of a lit stroke's contrast, from which something beside the row is looked at: small letters, a digit in glare."""
WORD_CHANCE: Final = 0.7
"""Probability from which a word beside the digits is believed; there are few, and most of them are known."""
WORD_WIDTH: Final = 0.27
"""Heights from which something behind the digits is a word, read or not, and no edge of the glass."""
WORD_DISTANCE: Final = 0.5
"""Heights above and below the digits within which a word belongs to the display."""
NEXT_TO_ROW: Final = 1.0
"""Heights up to which something is next to the row."""
BAR_WIDTH: Final = 0.22
"""Heights up to which something is as narrow as a bar of a digit."""
SIGN_WIDTH: Final = 0.7
"""Heights up to which a bar is a sign: the middle bar of a digit."""
INK_SHARE: Final = 0.45
"""Of a word's own strongest contrast, from which it is drawn: small letters are fainter than digits."""
LIKE_NINE: Final = 0.15
"""Probability of a g from which its shape may decide: a g with a straight tail looks like a nine to the network."""
SMALLEST_WORD: Final = 0.14
"""Heights from which something may be a word."""

# read

MOST_ROWS: Final = 14
"""Rows that are looked at, the tallest first."""
RIVAL_HEIGHT: Final = 0.6
"""Of the chosen row's height: another row of digits as tall as that could be the reading as well."""
SAME_HEIGHT: Final = 0.7
"""Of a row's height: another one at its place that is as tall holds the same digits."""
CREVICE: Final = 0.075
"""Heights between two columns of one digit at most: the gap between two bars."""
JOINED_WIDTH: Final = 0.72
"""Heights that two pieces may be wide together and still be one digit."""
WIDEST_DIGIT: Final = 0.85
"""Heights that a digit is wide at most."""
DIGIT_DISTANCE: Final = 1.25
"""Heights between two neighbouring digits at most; a one stands at the right of its place."""
POINT_AREA: Final = 0.006
"""Area in squared heights from which what stands between two digits' feet is a point, also where it touches one."""
MISSED_CHANCE: Final = 0.6
"""Probability of a digit beside the row from which the row may lack one."""
PART_AREA: Final = 0.03
"""Area in squared heights from which what was set aside could be part of a digit; half a one has 0.04."""
WHITE: Final = 250
"""Code, of 255 in every colour, above which a camera has seen nothing but light."""
UNEVEN_STEP: Final = 1.5
"""How much further than usual the next digit's right side may be: a point in a cell of its own adds a third."""
SPECK_AREA: Final = 0.002
"""Area in squared heights from which something between two digits may be a point that is badly seen."""
DOUBT_WITH_BARS: Final = 0.3
"""Of the network's doubt of a digit, what is left where its bars say the same."""
DOUBT_WITH_DOTS: Final = 0.12
"""The same for dots, as all thirty-five fit; what the network gives less than a sixth stays refused."""

# dots

DOT_MARGIN: Final = 0.3
"""Of a lit dot's contrast, by which the faintest dot of the letter is above the strongest place that must be off.

Drawn dots have 0.5 to 0.9, seven bars below 0.2, the next letter is below 0.
"""
WHOLE_HEIGHT: Final = 0.85
"""Heights that a digit is high at least: a small o is no nought."""
SLIM_PITCH, BROAD_PITCH = 0.5, 1.5
"""Distance of two dots across, in that of two dots down, between which makers keep it."""
DOT_CELL: Final = 12
"""Pixels of a dot's cell where it is looked at; its middle half counts, so that neighbours do not."""

# segments

BAR_ON: Final = 0.55
"""Share of a lit bar's light from which on a bar is lit."""
BAR_OFF: Final = 0.35
"""Share of a lit bar's light up to which a bar is not lit; between the two nobody knows."""
ONE_WIDTH: Final = 0.34
"""Widths in heights up to which a digit is a one."""
