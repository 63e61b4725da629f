"""Photos of a board that are not measured, each with what to do instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.board_features import Features
from inspect_kit.vision.board_layout import SIDES
from inspect_kit.vision.board_profile import Shot

STEEPEST: Final = 45.0
"""Degrees off the vertical beyond which nothing is measured."""
BLURRED: Final = 0.9
"""mm: blur (standard deviation) at which a thin line is no longer one."""


class Named(Protocol):
    """Something with a file's name."""

    @property
    def name(self) -> str:
        """The file."""


def refuse_steep(photos: Sequence[Named], shots: Sequence[Shot]) -> None:
    """A camera held too obliquely."""
    for photo, shot in zip(photos, shots, strict=True):
        tilt = float(np.degrees(shot.view.tilt))
        if tilt > STEEPEST:
            raise BadInput(
                f"the camera looks at the board at {tilt:.0f} degrees from straight above",
                where=photo.name,
                hint="hold it more from above, below 25 degrees",
            )


def refuse_unseen(features: Features) -> None:
    """A photo too blurred for its lines, or a board that leaves the picture."""
    if features.blur > BLURRED:
        raise BadInput(
            f"the photo is too blurred: its edges are {2 * features.blur:.1f} mm wide on the board",
            hint="rest the camera on something, focus on the board, use more light, go closer",
        )
    out = [side for side in SIDES if "picture" in features.absent.get(("foot", side), "")]
    if len(out) > 1:
        raise BadInput(
            f"the board leaves the picture: its sides {', '.join(out)} are not seen",
            hint="photograph the whole board with its frame, or give further photos that show the other sides",
        )
