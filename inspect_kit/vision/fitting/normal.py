"""Shares of the normal distribution: how a blurred step of light rises.

By a table: loading SciPy for this one function takes longer than measuring a photo.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.arrays import Floats

_FINE: Final = 256
"""Places tabled in each standard deviation: Taylor's series to the fourth power is then good to 1e-14."""
_END: Final = 8.5
"""Standard deviations beyond which nothing is left, in double precision."""
_PLACES: Final = np.arange(-_END * _FINE, _END * _FINE + 1) / _FINE
"""Standard deviations at which share and density are tabled."""
_SHARES: Final = np.array([math.erfc(-place / math.sqrt(2)) / 2 for place in _PLACES.tolist()])
"""Share below each of these places."""
_BELL: Final = np.exp(-0.5 * _PLACES**2) / math.sqrt(2 * math.pi)
"""Density at each of these places."""


def normal_share(deviations: NDArray[np.floating[Any]]) -> Floats:
    """The share of a normal distribution that lies below so many of its standard deviations."""
    at = np.clip(deviations, -_END, _END)
    index = np.rint((at + _END) * _FINE).astype(np.intp)
    place = _PLACES[index]
    step = at - place
    # Each derivative of the bell is the bell times a Hermite polynomial.
    series = 1 - step / 2 * (place - step / 3 * (place**2 - 1 - step / 4 * (place**3 - 3 * place)))
    return np.asarray(_SHARES[index] + _BELL[index] * step * series, dtype=np.float64)
