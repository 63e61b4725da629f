"""Evaluating the uncertainty of one's own gauges and models, after the GUM: for programs, no command uses it.

Type A from repeated readings, type B from half-widths and certificates, a calibration line, and the law of propagation
for any model written in Python.
"""

from inspect_kit.uncertainty.distributions import (
    arcsine,
    dof_from_reliability,
    from_expanded,
    from_resolution,
    rectangular,
    triangular,
)
from inspect_kit.uncertainty.model import InputEstimate, PropagationResult, correlation, coverage_factor, propagate
from inspect_kit.uncertainty.repeated import Repeated, correlation_of_means, covariance_of_means, repeated
from inspect_kit.uncertainty.straight_line import FittedLine, Predicted, fit_line

__all__ = [
    "FittedLine",
    "InputEstimate",
    "Predicted",
    "PropagationResult",
    "Repeated",
    "arcsine",
    "correlation",
    "correlation_of_means",
    "covariance_of_means",
    "coverage_factor",
    "dof_from_reliability",
    "fit_line",
    "from_expanded",
    "from_resolution",
    "propagate",
    "rectangular",
    "repeated",
    "triangular",
]
