"""`ik.measure`, `ik.judge`, `ik.sheet`: photos → measurements → findings and a verdict, and the sheets for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_kit.api import notebook
from inspect_kit.capture.measurement_file import MeasurementFile, as_json, measurements_from, read_measurements, written
from inspect_kit.errors import UsageError, worded
from inspect_kit.inspection.judged_data import judged_data
from inspect_kit.inspection.walk import Outcome, Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.rulebook.library import load, with_house_rules
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.values.measurement import Reading

if TYPE_CHECKING:
    from inspect_kit.capture.photographs import Photograph
    from inspect_kit.vision.optics.camera import Camera


@dataclass(frozen=True)
class MeasuredPhotos(MeasurementFile):
    """A measurement file that came from photos: it can be judged, saved, looked at."""

    draw: Callable[[], bytes] | None = field(default=None, repr=False, compare=False)

    def overlay(self) -> bytes:
        """The first photo (of a board: the board from above) with what was found, as a PNG."""
        assert self.draw is not None
        return self.draw()

    def as_data(self) -> dict[str, object]:
        """As `measure --json` prints it."""
        return as_json(self)

    def save(self, path: notebook.Paths) -> Path:
        """Write the measurement file, whole or not at all."""
        from inspect_kit.atomic_write import write_whole

        write_whole(Path(path), written(self))
        return Path(path)

    def said(self, language: str = "en") -> list[str]:
        """What the measuring noticed, in words."""
        return worded(self.warnings, self.notices, language)

    def _repr_html_(self) -> str:
        rows = [(each.characteristic, each.instance, each.value, _expanded(each), each.unit) for each in self.readings]
        seen = notebook.picture(self.overlay(), "png", "what was measured, drawn into the photo") if self.draw else ""
        notes = "".join(map(notebook.paragraph, self.said()))
        return seen + notebook.table(("characteristic", "instance", "value", "U", "unit"), rows) + notes


def _expanded(reading: Reading) -> str:
    return f"± {2 * float(reading.standard):.3f}" if reading.standard else ""


def measure(
    kind: str,
    photos: notebook.Paths | Iterable[notebook.Paths],
    *,
    camera: notebook.Paths | None = None,
    home: notebook.Paths | None = None,
    **stated: object,
) -> MeasuredPhotos:
    """Measure coins, striker, checkers, discs, board, figure or dice in photos.

    `stated` takes what the command's options take, by the same names: `thickness="8.1±0.1mm"`, `print_scale=0.998`,
    `edge_radius`, `reference`, `standoff`, `known`, `gap`, `instance`, `one_die`.
    """
    from inspect_kit.capture.photographs import read_photograph
    from inspect_kit.measure.photos import check_count, check_kind, photo_session
    from inspect_kit.measure.stated import stated_by

    check_kind(kind)
    known = stated_by(kind, stated)
    paths = notebook.paths_of(photos)
    check_count(kind, len(paths))
    taken = [read_photograph(path) for path in paths]
    session = photo_session(kind, taken, _camera(camera, home, taken), known)
    file = session.file
    return MeasuredPhotos(file.readings, file.photos, file.warnings, file.notices, file.measured, session.overlay)


def _camera(named: notebook.Paths | None, home: notebook.Paths | None, photos: Sequence[Photograph]) -> Camera | None:
    """The camera that was named, else the one that is kept for these photos."""
    from inspect_kit.measure.photos import kept_camera
    from inspect_kit.vision.optics.camera_files import read_camera

    if named is not None:
        return read_camera(Path(named)).camera
    kept = kept_camera(notebook.home_of(home), photos)
    return kept.stored.camera if kept else None


# `ik.judge` and `ik.sheet`: measurements of any origin → findings and a verdict; the sheets they are judged by.


@dataclass(frozen=True)
class JudgedClause:
    """One finding, by the names of `judge --json`."""

    clause: str
    characteristic: str
    instance: str
    verdict: str
    reason: str
    value: float | None
    unit: str
    u: float | None
    lower: float | None
    upper: float | None
    probability: float | None
    observed: str | None = None
    more: dict[str, Any] = field(default_factory=dict, repr=False)
    """Whatever else the JSON says of it."""


@dataclass(frozen=True)
class Judged:
    """What came of judging: verdict and findings; `outcome` is everything it rests on."""

    verdict: str
    findings: tuple[JudgedClause, ...]
    outcome: Outcome = field(repr=False)

    def as_data(self) -> dict[str, object]:
        """As `judge --json` prints it."""
        return judged_data(self.outcome)

    def said(self, language: str = "en") -> list[str]:
        """What a reader should know besides the findings, in words."""
        return worded((*self.outcome.warnings, *self.outcome.remarks), self.outcome.notices, language)

    def _repr_html_(self) -> str:
        names = ("clause", "characteristic", "instance", "value", "unit", "lower", "upper", "verdict", "reason")
        rows = [[getattr(each, name) for name in names] for each in self.findings if each.verdict != "not-applicable"]
        head = notebook.table(
            ("item", "sheet", "verdict"), [(self.outcome.task.item.id, self.outcome.task.sheet.id, self.verdict)]
        )
        return head + notebook.table(names, rows) + "".join(map(notebook.paragraph, self.said()))


def judge(  # noqa: PLR0913  the options of the command, all of them by name
    measurements: Any,
    *,
    sheet: str,
    item: str,
    rule: str = "guarded",
    house: notebook.Paths | None = None,
    on: date | str | None = None,
    instruments: notebook.Paths | Sequence[notebook.Paths] = (),
    home: notebook.Paths | None = None,
) -> Judged:
    """Judge an item by a sheet.

    `measurements`: what `ik.measure` gave, a file's path, rows as dicts, a dict of columns, a data frame by its
    columns, or a list of any of these. The columns are those of a measurement file: characteristic, instance, value,
    unit, u, …
    """
    chosen = load(sheet) if house is None else with_house_rules(load(sheet), Path(house))
    place = notebook.home_of(home)
    folders = (*notebook.folders_of(instruments), place / "instruments")
    task = Task(chosen, chosen.item(item), _rule(rule), notebook.day_of(on), folders, place)
    outcome = inspect(task, files_of(measurements))
    found: Any = judged_data(outcome)["findings"]
    return Judged(outcome.judgement.verdict.value, tuple(_clause(each) for each in found), outcome)


def _rule(name: str) -> RuleName:
    names = [each.value for each in RuleName]
    if name not in names:
        raise UsageError("none-of-these", where="rule", names=", ".join(names), given=str(name)[:40])
    return RuleName(name)


def files_of(measurements: Any) -> tuple[MeasurementFile, ...]:
    """Measurement files from whatever holds measurements."""
    if isinstance(measurements, MeasurementFile):
        return (measurements,)
    if notebook.is_path(measurements):
        return (read_measurements(Path(measurements)),)
    if not any(hasattr(measurements, name) for name in ("columns", "keys")):
        if not hasattr(measurements, "__iter__"):
            raise UsageError("rows-not-dicts", name=type(measurements).__name__)
        parts = list(measurements)
        if parts and not hasattr(parts[0], "keys"):
            return tuple(file for part in parts for file in files_of(part))
        measurements = parts
    return (measurements_from(notebook.rows_of(measurements), "rows"),)


def _clause(data: dict[str, Any]) -> JudgedClause:
    known = {each.name for each in fields(JudgedClause)} - {"more"}
    more = {name: value for name, value in data.items() if name not in known}
    return JudgedClause(**{name: data.get(name) for name in known}, more=more)  # type: ignore[arg-type]


class ShownSheet(Sheet):
    """A sheet that shows its clauses."""

    def _repr_html_(self) -> str:
        rows = [(each.item, each.number, each.characteristic, each.printed, each.force.value) for each in self.clauses]
        return notebook.paragraph(self.title) + notebook.table(
            ("item", "clause", "characteristic", "printed", "force"), rows
        )


def sheet(name: str, *, house: notebook.Paths | None = None) -> ShownSheet:
    """A sheet by its id or file, with house rules over it."""
    found = load(name) if house is None else with_house_rules(load(name), Path(house))
    return ShownSheet(**{each.name: getattr(found, each.name) for each in fields(found)})
