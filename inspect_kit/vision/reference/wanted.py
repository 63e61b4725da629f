"""What a photo's scale is to be taken from, as a person names it; whoever only asks need not load OpenCV."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """What to look for: `auto`, a checkerboard of known square, single markers of known side, or an everyday thing."""

    kind: str = "auto"
    size: float = 0.0
    dictionary: str = ""
    name: str = ""
    """Which sheet of paper, or which coin; empty for a coin of which only the diameter is known."""

    @property
    def printed(self) -> bool:
        """Whether it was printed, at a scale that can be checked."""
        return self.kind in ("auto", "chessboard", "aruco")
