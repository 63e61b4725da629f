"""Evaluating the uncertainty of one's own gauges and models, after the GUM: for programs, no command uses it.

Type A from repeated readings, type B from half-widths and certificates, a calibration line, and the law of propagation
for any model written in Python.
"""

from inspect_kit.uncertainty.model import InputEstimate, PropagationResult, correlation, coverage_factor, propagate
from inspect_kit.uncertainty.readings import (
    FittedLine,
    Predicted,
    Repeated,
    arcsine,
    correlation_of_means,
    covariance_of_means,
    dof_from_reliability,
    fit_line,
    from_expanded,
    from_resolution,
    rectangular,
    repeated,
    triangular,
)

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
