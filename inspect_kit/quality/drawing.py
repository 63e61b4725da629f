"""Drawings of what was computed, as SVG, PNG or PDF: vector lines in black and grey, told apart by dash and mark."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Mapping
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from inspect_kit.errors import UsageError
from inspect_kit.quality.sample import Floats
from inspect_kit.values.limits import Limits, lower_of, upper_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = ("svg", "png", "pdf")
DOTS_PER_INCH: Final = 150
INK, GREY, PALE = "black", "0.45", "0.85"
_STYLE: Final[Any] = {
    "font.size": 9,
    # Names come from files: a dollar sign in one is not a formula.
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "lines.linewidth": 1.0,
    "svg.hashsalt": "inspect-kit",
    "pdf.fonttype": 42,
    "legend.frameon": False,
    "legend.fontsize": 8,
}
Draw = Callable[["Figure"], None]


def format_of(path: Path) -> str:
    """The format that a file's name asks for."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise UsageError(f"a drawing is a file .svg, .png or .pdf, not {path.name[:60]!r}")
    return ending


def rendered(draw: Draw, form: str, size: tuple[float, float] = (7.0, 4.2)) -> bytes:
    """The drawing as a file's content; the same input gives the same bytes."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    stream = io.BytesIO()
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # A letter that the font lacks is drawn as a box; the drawing stays usable.
        warnings.simplefilter("ignore")
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        figure.savefig(stream, format=form, dpi=DOTS_PER_INCH, metadata=_DATELESS[form])
    return stream.getvalue()


_DATELESS: Final[Mapping[str, dict[str, Any]]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "ModDate": None},
}


def limit_line(axes: Axes, value: float, name: str, *, upright: bool = False) -> None:
    """A limit with its name and value at the line's end, so that no legend has to be matched."""
    text = f"{name} {value:.6g}"
    if upright:
        axes.axvline(value, color=INK, linestyle=(0, (6, 2)))
        axes.annotate(
            text, (value, 1), xycoords=("data", "axes fraction"), xytext=(2, 2), textcoords="offset points", fontsize=8
        )
    else:
        axes.axhline(value, color=INK, linestyle=(0, (6, 2)))
        axes.annotate(
            text, (1, value), xycoords=("axes fraction", "data"), xytext=(3, -3), textcoords="offset points", fontsize=8
        )


def bins_of(values: Floats, limits: Limits | None = None) -> Floats:
    """Edges of a histogram: between 6 and 40 equal classes, more for more readings.

    Readings come in steps of a last digit. Classes of unequally many steps would draw combs that are not there, so a
    class holds a whole number of steps and its edges lie between two of them. No class reaches over a limit, unless
    both limits lie among the readings: then one may reach over the lower.
    """
    count = int(np.clip(np.ceil(2 * len(values) ** (1 / 3)), 6, 40))
    low, high = float(values.min()), float(values.max())
    if high == low:
        return np.linspace(low - 0.5, low + 0.5, count + 1)
    gaps = np.diff(np.unique(values))
    step = float(gaps[gaps > 1e-9 * (high - low)].min())
    steps = round((high - low) / step) + 1
    width = -(-steps // count)
    first = -(-_edge_at_limit(low, step, (width, steps), limits) % width)
    edges = np.arange(first, steps + width, width)
    return np.asarray(low + (edges - 0.5) * step, dtype=np.float64)


def _edge_at_limit(low: float, step: float, span: tuple[int, int], limits: Limits | None) -> int:
    """How many steps from the lowest reading an edge must lie, so that a limit among the readings is an edge."""
    width, steps = span
    lower, upper = (None, None) if limits is None else (lower_of(limits), upper_of(limits))
    allowed = 0 if upper is None else floor((float(upper) - low) / step + 1e-6) + 1
    if 0 < allowed < steps + width:
        return allowed
    first_allowed = 0 if lower is None else ceil((float(lower) - low) / step - 1e-6)
    return first_allowed if -width < first_allowed < steps else 0
