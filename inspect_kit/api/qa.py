"""`ik.qa`: quality assurance on values in memory or in files, by the names of the `qa` commands and their JSON."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from inspect_kit.api.notebook import as_text, is_path, picture, rows_of, table
from inspect_kit.errors import UsageError
from inspect_kit.quality.drawing import Draw, rendered
from inspect_kit.quality.sample import limits_given, plain_number
from inspect_kit.quality.table import Table, read_table


class Study(Mapping[str, Any]):
    """What was computed, by the names of the command's JSON, as keys and as attributes; `plot` draws it."""

    def __init__(self, data: Mapping[str, Any], draw: Draw | None = None) -> None:
        self._data, self._draw = dict(data), draw

    def __getitem__(self, name: str) -> Any:
        return self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_data"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        return f"Study({self._data!r})"

    def plot(self, form: str = "svg") -> bytes:
        """The drawing as svg, png or pdf."""
        if self._draw is None:
            raise UsageError("nothing-draw")
        return rendered(self._draw, form)

    def _repr_html_(self) -> str:
        plain = [(name, value) for name, value in self._data.items() if isinstance(value, int | float | str)]
        drawn = picture(self.plot("png"), "png", "what was computed") if self._draw else ""
        return drawn + table(("", "value"), plain)


def capability(values: Any, *, lower: Any = None, upper: Any = None, subgroup: str = "", **sheet: str) -> Study:
    """Cp, Cpk, Pp, Ppk with confidence limits; limits as numbers, or `spec` and `characteristic` (and `item`)."""
    from inspect_kit.quality.drawing import capability_drawing
    from inspect_kit.quality.process.capability import capability as study_capability
    from inspect_kit.quality.process.capability import capability_data, grouped, subgroup_data

    texts = {"lower": _text(lower), "upper": _text(upper), "spec": None, "characteristic": None, "item": None}
    limits = limits_given({**texts, **sheet})
    if limits is None:
        raise UsageError("capability-needs-limits")
    columns = _table(values)
    sample = columns.sample("value")
    groups = list(grouped(sample, columns.texts(subgroup), columns.where).values()) if subgroup else []
    study = study_capability(sample, limits, groups, columns.where)
    draw = capability_drawing(sample.values, study, limits, sheet.get("characteristic", "value"))
    return Study({**capability_data(study, limits), **subgroup_data(groups)}, draw)


def chart(
    values: Any, *, type: str = "imr", rules: str = "nelson", centre: float | None = None, sigma: float | None = None,  # noqa: A002  as the option
    subgroup: str = "subgroup", size: int | None = None,
) -> Study:  # fmt: skip
    """A control chart (imr, xbar-r, xbar-s, p, c) and the run rules it breaks."""
    from inspect_kit.quality.drawing import chart_drawing
    from inspect_kit.quality.process.charts import CHARTS, KnownProcess, chart_data, draw_up, readings_of
    from inspect_kit.quality.process.run_rules import RULE_SETS

    _known(type, CHARTS, "type")
    _known(rules, RULE_SETS, "rules")
    readings = readings_of(_table(values), type, subgroup, size)
    drawn = draw_up(type, readings, KnownProcess(centre, sigma), RULE_SETS[rules])
    return Study(chart_data(drawn, rules), chart_drawing(drawn, f"{type} chart"))


def grr(values: Any, *, method: str = "anova", tolerance: float | None = None) -> Study:
    """Gauge repeatability and reproducibility, from columns part, operator, trial, value."""
    from inspect_kit.quality.gauge.study import METHODS, arranged, study_data
    from inspect_kit.quality.gauge_drawing import gauge_drawing

    _known(method, METHODS, "method")
    columns = _table(values)
    keys = list(zip(*(columns.texts(name) for name in ("part", "operator", "trial")), strict=True))
    study = arranged(columns.sample("value"), keys, columns.where)
    result = METHODS[method](study)
    sizes = {"parts": len(study.parts), "operators": len(study.operators), "trials": study.trials}
    return Study({**study_data(result, tolerance), **sizes}, gauge_drawing(study, result, tolerance))


def sampling(*, lot: int, aql: float | str, level: str = "II", severity: str = "normal") -> Study:
    """The single sampling plan of a lot: code, n, ac, re."""
    from inspect_kit.quality.sampling.attributes import Scheme, Severity, look_up, lookup_data

    scheme = Scheme(plain_number(str(aql), "aql"), level)
    chosen = Severity(severity)
    return Study(lookup_data(look_up(lot, scheme.aql, level, chosen), scheme, chosen))


def oc(*, n: int, ac: int, lot: int | None = None) -> Study:
    """The operating characteristic of a plan: how often lots of each quality are accepted."""
    from inspect_kit.quality.drawing import curve_drawing
    from inspect_kit.quality.sampling.operating_curve import attributes_oc

    drawn, data = attributes_oc(n, ac, lot)
    points = [[float(fraction), float(chance)] for fraction, chance in zip(*drawn, strict=True)]
    return Study({**data, "points": points}, curve_drawing(*drawn, f"n = {n}, Ac = {ac}"))


def dice(values: Any, *, prior_weight: float = 100.0) -> Study:
    """Are dice fair: from columns face and count, or one roll a row in face (or a list of faces)."""
    from inspect_kit.quality.dice import dice_of, e_path, fairness, fairness_data, family_data, rolls_of
    from inspect_kit.quality.drawing import dice_drawing

    rolls = _table(values, "face")
    counts, order = rolls_of(rolls)
    result, each = fairness(counts, prior_weight, order), dice_of(rolls, prior_weight)
    path = e_path(order, prior_weight) if order and len(each) < 2 else None
    drawing = dice_drawing([(die.name, die.result) for die in each] or [("", result)], path)
    return Study({**fairness_data(result, prior_weight), **family_data(each)}, drawing)


def _table(values: Any, column: str = "value") -> Table:
    """A file, rows, columns, a data frame, or bare numbers under the name of their column."""
    if is_path(values):
        return read_table(Path(values))
    if not hasattr(values, "columns") and not hasattr(values, "keys"):
        parts = list(values)
        values = parts if parts and hasattr(parts[0], "keys") else {column: parts}
    rows = list(rows_of(values))
    if not rows:
        raise UsageError("not-one-value")
    names = {name: name.strip().lower() for name in rows[0]}
    columns = {short: tuple(row.get(name, "") for row in rows) for name, short in names.items()}
    return Table("values", columns, tuple(range(1, len(rows) + 1)))


def _text(limit: Any) -> str | None:
    return None if limit is None else limit if isinstance(limit, str) else as_text(Decimal(str(limit)))


def _known(name: str, there: Any, what: str) -> None:
    if name not in there:
        raise UsageError("no-such-thing", what=what, name=name[:40], there=", ".join(there))
