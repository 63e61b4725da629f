"""Names for the arrays that travel through this room."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Numbers; points are rows."""

Pixels = NDArray[np.uint8]
"""A picture of height × width × 3, red, green and blue as the file has them."""

Light = NDArray[np.float32]
"""A picture or a part of one in linear light, 0 to 1."""

Mask = NDArray[np.bool_]
Whole = NDArray[np.intp]
AnyArray = NDArray[Any]
