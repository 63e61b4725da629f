"""The page: its measures in points."""

from __future__ import annotations

from typing import Final

MM: Final = 72 / 25.4
"""Points in a millimetre: 72 to the inch."""
PAGE_WIDTH: Final = 210 * MM
"""A4, in points."""
PAGE_HEIGHT: Final = 297 * MM
"""A4, in points."""
LEFT: Final = 20 * MM
"""Left edge of the text, in points from the page's left edge."""
RIGHT: Final = PAGE_WIDTH - 18 * MM
"""Right edge of the text, in points from the page's left edge."""
WIDTH: Final = RIGHT - LEFT
TOP: Final = PAGE_HEIGHT - 28.5 * MM
"""Upper edge of the text, in points from the page's foot; the running head is above it."""
BOTTOM: Final = 19 * MM
"""Lower edge of the text, in points from the page's foot; the running foot is below it."""
BODY_HEIGHT: Final = TOP - BOTTOM
