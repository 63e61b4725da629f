"""What was measured in a photo: a value, what it is the value of, and where it was seen."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inspect_kit.values.value import Value
from inspect_kit.vision.arrays import Floats


@dataclass(frozen=True, kw_only=True)
class Feature(Value):
    """A characteristic with its value; `photo` counts from 0, the outline is a closed line of that photo's pixels."""

    characteristic: str
    pixel: tuple[float, float]
    instance: str = ""
    outline: Floats = field(default_factory=lambda: np.zeros((0, 2)), repr=False, compare=False)
    photo: int = 0
