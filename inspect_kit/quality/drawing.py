"""Drawings of what was computed, as SVG, PNG or PDF: vector lines in black and grey, told apart by dash and mark."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from math import ceil, floor, inf, log10, pi, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec

import numpy as np

from inspect_kit.errors import ENGLISH, UsageError, in_figures_of, notice, sentence, worded_fact
from inspect_kit.quality.dice import FACES, Fairness, simultaneous_intervals
from inspect_kit.quality.gauge.agreement import Agreement
from inspect_kit.quality.gauge.bias import Linearity, TypeOne
from inspect_kit.quality.process.capability import Capability
from inspect_kit.quality.process.charts import Chart, Track
from inspect_kit.quality.sample import Floats, Sample
from inspect_kit.values.limits import Limits, lower_of, upper_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = ("svg", "png", "pdf")
DOTS_PER_INCH: Final = 150
"""Resolution of a drawing as PNG; vector formats have none."""
INK, GREY, PALE = "black", "0.45", "0.85"
MARKS: Final = "os^Dv<>pPX*h"
"""By which strata, operators and the like are told apart."""
_STROKE: Final = "0.7"
STYLE: Final[Any] = {
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
"""matplotlib's settings: sizes of type and width of lines in points; text of a PDF stays text (font type 42)."""
Draw = Callable[["Figure"], None]
_Given = ParamSpec("_Given")


def drawing(draw: Callable[Concatenate[Figure, _Given], None]) -> Callable[_Given, Draw]:
    """What draws on a figure as what gives such a drawing, to be made later and in whatever size and language."""

    @wraps(draw)
    def given(*args: _Given.args, **named: _Given.kwargs) -> Draw:
        return lambda figure: draw(figure, *args, **named)

    return given


def format_of(path: Path) -> str:
    """The format that a file's name asks for."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise UsageError("drawing-form", path=path.name[:60])
    return ending


USUAL_SIZE: Final = (7.0, 4.2)
"""Inches."""


_READERS: Final = ContextVar("readers", default=ENGLISH)
"""The language of whoever will look at the drawing that is being made."""


def labelled(code: str, /, **facts: object) -> str:
    """Words on a drawing, in its reader's language."""
    return sentence(notice(code, **facts), _READERS.get())


def figures(text: str) -> str:
    """Numbers on a drawing with its reader's decimal sign."""
    return in_figures_of(_READERS.get(), text)


def rendered(draw: Draw, form: str, size: tuple[float, float] = USUAL_SIZE, language: str = ENGLISH) -> bytes:
    """The drawing as a file's content, in a language; the same input gives the same bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    stream = io.BytesIO()
    with drawn(draw, size, language) as figure:
        FigureCanvasAgg(figure)
        figure.savefig(stream, format=form, dpi=DOTS_PER_INCH, metadata=_DATELESS[form])
    return stream.getvalue()


@contextmanager
def drawn(draw: Draw, size: tuple[float, float], language: str, style: Any = STYLE) -> Iterator[Figure]:
    """The drawing in a language, to be put on whatever canvas while it lasts."""
    import matplotlib
    from matplotlib.figure import Figure

    before = _READERS.set(language)
    try:
        with matplotlib.rc_context(style), warnings.catch_warnings():
            # A letter that the font lacks is drawn as a box; the drawing stays usable.
            warnings.simplefilter("ignore")
            figure = Figure(figsize=size, layout="constrained")
            draw(figure)
            _number_axes(figure)
            yield figure
    finally:
        _READERS.reset(before)


def _number_axes(figure: Figure) -> None:
    """The reader's decimal sign at the axes; matplotlib itself knows only that of an installed system locale."""
    from matplotlib.ticker import ScalarFormatter

    class Numbered(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return figures(super().__call__(x, pos))

    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(Numbered())


_DATELESS: Final[Mapping[str, dict[str, Any]]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "ModDate": None},
}


def limit_line(axes: Axes, value: float, name: str, *, upright: bool = False) -> None:
    """A limit with its name and value at the line's end, so that no legend has to be matched."""
    (axes.axvline if upright else axes.axhline)(value, color=INK, linestyle=(0, (6, 2)))
    at = {"xy": (value, 1), "xycoords": ("data", "axes fraction"), "xytext": (0, 3), "ha": "center"}
    beside = {"xy": (1, value), "xycoords": ("axes fraction", "data"), "xytext": (3, -3)}
    axes.annotate(figures(f"{name} {value:.6g}"), **(at if upright else beside), textcoords="offset points")


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


# Drawings of a process: the histogram against its limits, and control charts.

MARKED: Final = 80
"""Points of a track up to which each has a mark."""
MOST_STROKES: Final = 500
"""More points than this are drawn as strokes over neighbours, so that a drawing stays small however long the lot."""
MOST_FRAMES: Final = 60
"""More points than this are not framed one by one: the drawing would be nothing but frames."""
_FAR: Final = 4.0
"""A limit farther from the readings than so many of their ranges is named at the edge: it would squeeze them."""
_APART: Final = 0.13
"""How far apart the names of two lines stand, as a share of the axis' height."""


def stride_of(points: int) -> int:
    """How many neighbouring points one stroke stands for; 1 where each has its own place."""
    return 1 if points <= MOST_STROKES else -(-points // MOST_STROKES)


@drawing
def capability_drawing(
    figure: Figure, values: Floats, study: Capability, limits: Limits, title: str = "", unit: str = ""
) -> None:
    """The readings as a histogram, the normal curve of all of them, the limits and the indices."""
    histogram_drawing(values, study.overall.sigma, limits, unit)(figure)
    figure.axes[0].set_title(_capability_title(study, title), pad=16)


@drawing
def histogram_drawing(figure: Figure, values: Floats, sigma: float, limits: Limits, unit: str) -> None:
    """Bars between the limits, the mean, and the normal curve where the readings spread."""
    axes, edges, mean = figure.subplots(), bins_of(values, limits), float(values.mean())
    axes.hist(values, bins=edges.tolist(), color=PALE, edgecolor=INK, linewidth=0.6)
    axes.locator_params(axis="y", integer=True)
    ends = _limits_in_view(axes, edges, limits)
    if sigma > 0:
        places = np.linspace(max(mean - 4 * sigma, ends[0]), min(mean + 4 * sigma, ends[1]), 201)
        heights = np.exp(-(((places - mean) / sigma) ** 2) / 2) / (sigma * sqrt(2 * pi))
        axes.plot(places, heights * len(values) * float(edges[1] - edges[0]), color=GREY, linewidth=1.4)
    axes.axvline(mean, color=INK, linestyle=":")
    axes.set_xlim(ends)
    axes.set(xlabel=in_unit(labelled("axis-value"), unit), ylabel=labelled("axis-pieces"))


def _limits_in_view(axes: Axes, edges: Floats, limits: Limits) -> tuple[float, float]:
    """The limits as lines, or at the edge where they lie far out; and from where to where the axis reaches."""
    known = [(labelled("axis-lower"), lower_of(limits)), (labelled("axis-upper"), upper_of(limits))]
    named = [(name, float(value)) for name, value in known if value is not None]
    least, most = float(edges[0]), float(edges[-1])
    low = max(min([least, *(value for _, value in named)]), least - _FAR * (most - least))
    high = min(max([most, *(value for _, value in named)]), most + _FAR * (most - least))
    margin = 0.05 * (high - low)
    for name, value in named:
        if low <= value <= high:
            limit_line(axes, value, name, upright=True)
        else:
            head, x, side = ("← ", 0, "left") if value < low else ("→ ", 1, "right")
            axes.annotate(figures(f"{head}{name} {value:.6g}"), (x, 1), xycoords="axes fraction", xytext=(0, 2),
                          textcoords="offset points", ha=side)  # fmt: skip
    return low - margin, high + margin


def _capability_title(study: Capability, title: str) -> str:
    low, high = study.long_term.actual_interval
    head = f"{title}   " if title else ""
    sizes = {"n": study.count, "mean": f"{study.mean:.6g}", "s": f"{study.overall.sigma:.4g}"}
    indices = {"cpk": f"{study.short_term.actual:.2f}", "ppk": f"{study.long_term.actual:.2f}"}
    ends = {"low": f"{low:.2f}", "high": f"{high:.2f}"}
    return f"{head}{labelled('title-sample', **sizes)}\n{labelled('title-indices', **indices, **ends)}"


@dataclass(frozen=True)
class ChartLook:
    """What a chart shows besides its points: the unit, the stratum of each point, and whether signals are written."""

    unit: str = ""
    strata: tuple[str, ...] = ()
    counted: str = ""
    """What the points are, in the reader's language; without it, points, or subgroups where they have names."""
    bare: bool = False
    """Without a title and the rules' numbers, where text beside the drawing tells them."""


PLAIN: Final = ChartLook()
_MOST_NAMES: Final = 24
"""Subgroups that can be named below an axis."""
_NAME: Final = 16
"""Characters of a subgroup's name for which there is room."""


def in_unit(name: str, unit: str) -> str:
    """An axis' name with its unit."""
    return f"{name}, {unit}" if unit else name


@drawing
def chart_drawing(figure: Figure, chart: Chart, title: str = "", look: ChartLook = PLAIN) -> None:
    """The upper and the lower track one above the other; points with a signal are framed, the rules named above."""
    tracks = [(chart.upper, chart.flagged)]
    tracks += [] if chart.lower is None else [(chart.lower, chart.lower.outside)]
    grid = figure.subplots(len(tracks), 1, sharex=True, squeeze=False)
    for axes, (track, framed) in zip(grid[:, 0], tracks, strict=True):
        _draw_track(axes, track, look.unit)
        _frame(axes, track, framed)
    _mark_strata(grid[0, 0], chart.upper, look.strata)
    if not look.bare:
        _number_points(grid[0, 0], chart)
        head = title or labelled("chart-kind", kind=chart.kind)
        grid[0, 0].set_title("\n".join([head, *_signal_lines(chart)]), fontsize=9)
    _name_points(grid[-1, 0], chart.upper, chart.labels, look.counted)


def _name_points(axes: Axes, track: Track, names: Sequence[str], counted: str) -> None:
    """The subgroups by their names, every so many of them where there are many; without names by their numbers."""
    axes.set_xlim(track.first - 0.5, track.first + len(track.points) - 0.5)
    if len(names) != len(track.points) or all(name == str(number) for number, name in enumerate(names, 1)):
        axes.set_xticks(_round_places(track.first, track.first + len(track.points) - 1))
        axes.set_xlabel(counted or labelled("axis-point"))
        return
    shown = range(0, len(names), max(1, -(-len(names) // _MOST_NAMES)))
    upright = max(len(names[place]) for place in shown) * len(shown) <= 70
    axes.set_xticks([track.places[place] for place in shown], [names[place][:_NAME] for place in shown],
                    rotation=0 if upright else 60)  # fmt: skip
    axes.set_xlabel(counted or labelled("axis-subgroup"))


def _round_places(first: int, last: int) -> list[int]:
    """The first, the last, and a few round numbers that keep clear of them."""
    from matplotlib.ticker import MaxNLocator

    clear = 0.08 * (last - first)
    between = (int(place) for place in MaxNLocator(7, integer=True).tick_values(first, last))
    return sorted({first, last, *(place for place in between if first + clear < place < last - clear)})


def _mark_strata(axes: Axes, track: Track, strata: Sequence[str]) -> None:
    """Each stratum with a mark of its own: where one machine lies above the other, it is seen."""
    if len(strata) != len(track.points):
        return
    told = np.array(strata, dtype=object)
    for number, name in enumerate(dict.fromkeys(strata)):
        mine = told == name
        axes.plot(
            np.asarray(track.places)[mine], track.points[mine], linestyle="", color=INK, markersize=5,
            marker=MARKS[number % len(MARKS)], label=name[:_NAME] or "—",
            markerfacecolor=INK if number % 2 == 0 else "white",
        )  # fmt: skip
    axes.legend(loc="upper left", ncols=4)


def _number_points(axes: Axes, chart: Chart) -> None:
    """The number of the rule at each point that it points out; where many would cover each other, none."""
    rules: dict[int, list[str]] = {}
    for signal in chart.signals:
        for point in signal.points:
            rules.setdefault(point, []).append(str(signal.rule))
    if len(rules) > _MOST_NUMBERED:
        return
    for point, numbers in rules.items():
        height = float(chart.upper.points[point - chart.upper.first])
        axes.annotate(",".join(numbers), (point, height), xytext=(0, 6), textcoords="offset points", fontsize=7,
                      ha="center")  # fmt: skip


_MOST_NUMBERED: Final = 30
"""Points whose rules are written beside them."""


def _signal_lines(chart: Chart) -> Iterator[str]:
    """Rules that were broken, and where; points are called as the axis calls them."""
    for signal in chart.signals:
        shown = ", ".join(chart.called(point)[:_NAME] for point in signal.points[:8])
        more = f", … ({len(signal.points)})" if len(signal.points) > 8 else ""
        yield labelled("title-signal", rule=signal.rule, text=signal.text, points=f"{shown}{more}")


def _draw_track(axes: Axes, track: Track, unit: str) -> None:
    if stride_of(len(track.points)) > 1:
        _draw_strokes(axes, track)
    else:
        mark = "o" if len(track.points) <= MARKED else ""
        axes.plot(track.places, track.points, color=INK, marker=mark, markersize=3, linewidth=0.8)
    for line, dash in ((track.ucl, "--"), (track.centre, "-"), (track.lcl, "--")):
        steps = np.flatnonzero(np.diff(line, prepend=np.nan))[: 2 * MOST_STROKES]
        ends = np.append(track.first + steps - 0.5, track.first + len(line) - 0.5)
        axes.step(ends, np.append(line[steps], line[-1]), where="post", color=GREY, linestyle=dash, linewidth=0.9)
    _name_lines(axes, track)
    axes.set_ylabel(in_unit(worded_fact(track.name, _READERS.get()), unit))


def _draw_strokes(axes: Axes, track: Track) -> None:
    """Of a long lot, each stroke from the least to the greatest of neighbouring points."""
    stride = stride_of(len(track.points))
    starts = np.arange(0, len(track.points), stride)
    lows, highs = np.minimum.reduceat(track.points, starts), np.maximum.reduceat(track.points, starts)
    places = np.repeat(track.first + starts + (stride - 1) / 2, 3)
    ends = np.column_stack([lows, highs, np.full(len(lows), np.nan)])
    axes.plot(places, ends.ravel(), color=_STROKE, linewidth=0.9)


def _name_lines(axes: Axes, track: Track) -> None:
    """The lines' names with their values at the right, moved apart where lines lie close."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    span = float(track.ucl.max() - track.lcl.min())
    places = max(0, 2 - floor(log10(span))) if span > 0 else 6
    below = -inf
    for name, line in (("LCL", track.lcl), ("CL", track.centre), ("UCL", track.ucl)):
        varies = "" if np.ptp(line) <= 1e-12 * max(1e-300, float(np.abs(line).max())) else f" ({labelled('axis-last')})"
        shown = f"{line[-1]:.{places}f}" if line[-1] else "0"
        below = max((float(line[-1]) - low) / (high - low), below + _APART)
        axes.annotate(figures(f"{name} {shown}{varies}"), (1, below), xycoords="axes fraction", xytext=(3, 0),
                      textcoords="offset points", va="center_baseline")  # fmt: skip


def _frame(axes: Axes, track: Track, numbers: tuple[int, ...]) -> None:
    """Frames around the points that a rule points out."""
    places = np.array(numbers if len(numbers) <= MOST_FRAMES else (), dtype=int)
    axes.plot(
        places, track.points[places - track.first], linestyle="", marker="s", markersize=7,
        markerfacecolor="none", markeredgecolor=INK, markeredgewidth=1.2,
    )  # fmt: skip


# Drawings of studies: gauges, operating characteristics and dice.


@drawing
def agreement_drawing(figure: Figure, found: Agreement) -> None:
    """Each appraiser's agreement with himself and with the standard, with 95 % limits."""
    panels = [(labelled("panel-with-himself"), found.within)]
    panels += [(labelled("panel-with-standard"), found.against)] if found.against else []
    grid = figure.subplots(1, len(panels), squeeze=False, sharey=True)
    for axes, (title, shares) in zip(grid[0], panels, strict=True):
        places = np.arange(len(shares))
        middle = np.array([100 * share.matched / share.parts for share in shares.values()])
        ends = np.array([[100 * end for end in share.interval] for share in shares.values()]).T
        axes.errorbar(places, middle, yerr=[middle - ends[0], ends[1] - middle], fmt="o", color=INK, capsize=5)
        axes.set_xticks(places, [name[:12] for name in shares])
        axes.set(title=title, xlabel=labelled("head-operator"))
    grid[0, 0].set_ylabel(labelled("axis-judged-alike"))
    figure.suptitle(labelled("title-agreement", kappa=f"{found.fleiss:.2f}"), x=0.01, ha="left", fontsize=10)


@drawing
def type_one_drawing(
    figure: Figure, sample: Sample, result: TypeOne, reference: float, tolerance: float | None = None, unit: str = ""
) -> None:
    """The readings in order, the reference and their mean."""
    axes = figure.subplots()
    places = np.arange(1, len(sample) + 1)
    axes.plot(places, sample.values, color=INK, marker="o", markersize=3, linewidth=0.8)
    axes.axhline(reference, color=INK, linestyle="--", label=labelled("line-reference", value=f"{reference:.6g}"))
    if tolerance is not None:
        for side in (-0.1, 0.1):
            axes.axhline(reference + side * tolerance, color=GREY, linestyle="-.", linewidth=0.9)
        axes.plot([], [], color=GREY, linestyle="-.", label=labelled("line-tolerance", share="0.1"))
    mean = labelled("line-mean", value=f"{result.mean:.6g}")
    axes.axhline(result.mean, color=GREY, linestyle=":", linewidth=1.5, label=mean)
    indices = "" if result.cg is None or result.cgk is None else f", Cg {result.cg:.2f}, Cgk {result.cgk:.2f}"
    head = labelled("title-type-one", s=f"{result.deviation:.4g}", bias=f"{result.bias:.4g}")
    axes.set(title=head + figures(indices), xlabel=labelled("axis-reading"))
    axes.set_ylabel(in_unit(labelled("axis-value"), unit))
    # The line at +0.1 T runs through the corner where it fits.
    axes.legend(frameon=True, framealpha=1, edgecolor="none")


@drawing
def linearity_drawing(figure: Figure, result: Linearity, unit: str = "") -> None:
    """The bias of every reading over its reference, with the line and its 95 % band."""
    axes = figure.subplots()
    axes.plot(result.references, result.biases, linestyle="", marker="o", markersize=3, color=GREY)
    places = np.linspace(float(result.references.min()), float(result.references.max()), 101)
    line, band = result.intercept + result.slope * places, result.band(places)
    axes.fill_between(places, line - band, line + band, color=PALE)
    axes.plot(places, line, color=INK, linewidth=1.4)
    axes.axhline(0, color=INK, linestyle=":")
    line_of = {"intercept": f"{result.intercept:.5g}", "slope": f"{result.slope:+.5g}"}
    axes.set_title(labelled("title-linearity", r=f"{result.r_squared:.3f}", **line_of))
    axes.set(xlabel=in_unit(labelled("head-reference"), unit), ylabel=in_unit(labelled("head-bias"), unit))


@drawing
def curve_drawing(
    figure: Figure, fractions: Floats, probabilities: Floats, title: str, aql: float | None = None
) -> None:
    """An operating characteristic, cut where hardly a lot is accepted any more; p10 is marked, and the AQL or p95."""
    axes = figure.subplots()
    shown = max(int(np.count_nonzero(probabilities > 0.0005)) + 1, 2)
    axes.plot(100 * fractions[:shown], probabilities[:shown], color=INK, linewidth=1.4)
    for level, name in ((0.95, "95 %"), (0.5, "50 %"), (0.1, "10 %")):
        axes.axhline(level, color=GREY, linestyle=":", linewidth=0.8)
        axes.annotate(name, (1, level), xycoords=("axes fraction", "data"), xytext=(3, -3),
                      textcoords="offset points", fontsize=8)  # fmt: skip
    _mark_qualities(axes, fractions[:shown], probabilities[:shown], aql)
    axes.set_ylim(0, 1.02)
    axes.set_xlim(left=0)
    axes.set(xlabel=labelled("axis-nonconforming"), ylabel=labelled("axis-acceptance"), title=title)


def _mark_qualities(axes: Axes, fractions: Floats, probabilities: Floats, aql: float | None) -> None:
    """The producer's point (the AQL, or the quality of which 95 % of lots pass) and the consumer's (10 %)."""
    places = [] if aql is None else [("AQL", aql)]
    levels = (("p10", 0.1),) if places else (("p95", 0.95), ("p10", 0.1))
    for name, level in levels:
        if probabilities.min() < level < probabilities.max():
            places.append((name, float(np.interp(-level, -probabilities, fractions))))
    for name, fraction in places:
        if fraction > fractions[-1]:
            continue
        height = float(np.interp(fraction, fractions, probabilities))
        axes.plot([100 * fraction], [height], marker="o", color=INK, markersize=5)
        text = labelled("mark-accepted", name=name, percent=f"{100 * fraction:.3g}", share=f"{height:.3g}")
        axes.annotate(text, (100 * fraction, height), xytext=(7, 5), textcoords="offset points", fontsize=8)


@drawing
def dice_drawing(figure: Figure, dice: Sequence[tuple[str, Fairness]], path: Floats | None = None) -> None:
    """Every face's share as its distance from a sixth, with intervals that hold together; one panel a die."""
    shown = dice[:_MOST_DICE]
    grid = figure.subplots(1, len(shown) + (path is not None), squeeze=False, sharey=path is None)
    for axes, (name, result) in zip(grid[0], shown, strict=False):
        _draw_faces(axes, name, result)
    if path is not None:
        _draw_path(grid[0, -1], path)


_MOST_DICE: Final = 6
"""Panels that fit side by side."""


def _draw_faces(axes: Axes, name: str, result: Fairness) -> None:
    shares = 100 * (np.array(result.counts) / result.rolls - 1 / FACES)
    low, high = (100 * (np.array(end) - 1 / FACES) for end in zip(*simultaneous_intervals(result.counts), strict=True))
    faces = np.arange(1, FACES + 1)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.errorbar(faces, shares, yerr=[shares - low, high - shares], fmt="o", color=INK, capsize=4, markersize=5)
    for face, share, count in zip(faces, shares, result.counts, strict=True):
        axes.annotate(str(count), (face, share), xytext=(6, 0), textcoords="offset points", fontsize=8, va="center")
    axes.set_xticks(faces)
    axes.set(xlabel=labelled("head-face"), ylabel=labelled("axis-share"))
    head = f"{labelled('head-die')} {name}: " if name else ""
    told = {"rolls": result.rolls, "chi2": f"{result.chi2:.2f}", "p": f"{result.p_value:.3g}"}
    axes.set_title(head + labelled("title-rolls", **told))


def _draw_path(axes: Axes, path: Floats) -> None:
    axes.plot(np.arange(1, len(path) + 1), path / np.log(10), color=INK, linewidth=0.9)
    axes.axhline(np.log10(20), color=INK, linestyle="--", label=labelled("line-unfair"))
    axes.axhline(0, color=GREY, linestyle=":", linewidth=0.8)
    axes.set(xlabel=labelled("axis-rolls"), ylabel=labelled("axis-e-value"), title=labelled("title-evidence"))
    axes.legend(loc="upper left")
