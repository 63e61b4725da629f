"""`batch`: thousands of photos, on all cores or on a cluster, and taken up again where it was left."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.bounded_process import usable_cores
from inspect_kit.capture.files import read_bytes, sha256
from inspect_kit.capture.measurement_file import MeasurementFile, as_json
from inspect_kit.cli.issuer import registry_here
from inspect_kit.cli.options import PATH, Given, json_option
from inspect_kit.cli.task import on_option, rule_option, task_at_home
from inspect_kit.cli.terminal import lang, print_result, said, warn
from inspect_kit.clock import now
from inspect_kit.errors import BadInput, InspectKitError, UsageError, sentence
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.measure.photos import check_kind
from inspect_kit.measure.photos import measure as photographed
from inspect_kit.quality.batch.lines import measured_lines, tray_names
from inspect_kit.quality.batch.run import Batch, FolderWatch, ProgressCallback, Summary, Workforce, find_photos, run
from inspect_kit.quality.batch.workers import Cluster, PhotoBounds, Pool, Work, check_function

if TYPE_CHECKING:
    from inspect_kit.registry.inspections import Inspection

# Where a batch's results go: a file of lines, a table beside it, and the registry.

TABLES = (".csv", ".xlsx")


@dataclass(frozen=True)
class Sink:
    """The file that was asked for; the task if the photos are to be judged; what they show, whose it is, by whom."""

    out: Path
    task: Task | None
    about: Subject

    @property
    def results(self) -> Path:
        """The lines: beside the table, if a table was asked for."""
        return self.out.with_suffix(".jsonl") if self.out.suffix.lower() in TABLES else self.out

    def filled(self) -> int:
        """Write the table and the registry from the finished lines; gives the number of new entries."""
        if self.results != self.out:
            from inspect_kit.quality.batch.table import table_in

            write_whole(self.out, table_in(self.out.suffix.lower(), self.results))
        if self.task is None:
            return 0
        # The registry is loaded only where photos are judged.
        from inspect_kit.registry.inspections import enter

        return enter(registry_here(), self._inspections(self.task), now())

    def _inspections(self, task: Task) -> Iterator[Inspection]:
        """Every photo that was measured, judged. One that cannot be judged is said and left out."""
        from inspect_kit.certificate.issue.issue import summary_of
        from inspect_kit.registry.inspections import Inspection

        names = tray_names(photo for photo, _, _ in measured_lines(self.results))
        for photo, found, line in measured_lines(self.results):
            if isinstance(found, MeasurementFile):
                try:
                    _refuse_tray(task, found)
                    record = record_of(inspect(task, [found]), self._subject(names[photo]))
                except InspectKitError as problem:
                    warn(f"{photo}: {said('not-in-registry', reason=problem.said(lang()))}")
                    continue
                yield Inspection(summary_of(record), record.canonical(), line, Path(photo).name)

    def _subject(self, photo: str) -> Subject:
        text = f"{self.about.text} {photo}".strip()
        return Subject(text, self.about.owner, inspector=self.about.inspector)


def _refuse_tray(task: Task, found: MeasurementFile) -> None:
    """A tray of five coins is no set of nineteen: judged as one it would fail for what is not in the picture."""
    clauses = task.sheet.clauses_of(task.item.id)
    wanted = max((clause.instances.number for clause in clauses if clause.instances.several), default=1)
    there = Counter(reading.characteristic for reading in found.readings if reading.unit)
    shown = max(there.values(), default=0)
    if wanted > 1 and not any(clause.instances.names for clause in clauses) and shown != wanted:
        raise BadInput("pieces-unlike-item", shown=shown, item=task.item.id, wanted=wanted)


def sink_for(given: Given) -> Sink:
    """The sink that the options describe; what is wrong with it is said before the work begins."""
    sink = Sink(given["out"], _task(given), Subject(given["subject"], given["owner"], inspector=given["inspector"]))
    if sink.results != sink.out:
        # Statistics of lots are loaded only where a table is wanted.
        from inspect_kit.quality.batch.table import refuse_other_table

        refuse_other_table(sink.out, sink.results)
    return sink


def _task(given: Given) -> Task | None:
    if not given["spec"] and not given["item"]:
        return None
    if not given["spec"] or not given["item"]:
        raise UsageError("spec-item-go-together")
    return task_at_home()


MEASURE: Final = "inspect_kit.cli.batch:measure"
"""The program's own measuring function."""
OPTIONS: Final = ("camera", "reference", "print_scale", "thickness", "edge_radius", "standoff", "known", "gap")
NOT_ALL, NONE = 3, 4
"""Exit codes: some photos, or all of them, could not be measured."""
_SHOWN: Final = 20
"""Photos that could not be measured and are named on the terminal; the rest is counted."""


def measure(kind: str, path: Path, options: Mapping[str, str]) -> dict[str, Any]:
    """One photo, as `measure --json` prints it."""
    from inspect_kit.capture.photographs import read_photograph
    from inspect_kit.measure.stated import stated_by
    from inspect_kit.vision.optics.camera_files import read_camera

    # A batch runs on other machines too, which keep other cameras: it uses the one that is named, and nothing else.
    named = options.get("camera")
    stated = stated_by(kind, {name: text for name, text in options.items() if name != "camera"})
    camera = read_camera(Path(named)).camera if named else None
    return as_json(photographed(kind, [read_photograph(path)], camera, stated))


def check(work: Work) -> None:
    """Say at once what would go wrong with every photo: an unknown function, kind or option."""
    check_function(work)
    if work.function != MEASURE:
        return
    with UsageError.located("--measure"):
        check_kind(work.kind)
    from inspect_kit.measure.stated import stated_by

    stated_by(work.kind, {name: text for name, text in work.options if name != "camera"})


@click.command("batch")
@click.argument("photos", nargs=-1, required=True, type=PATH, metavar="PHOTO… | FOLDER…")
@click.option("--measure", "kind", required=True, metavar="WHAT",
              help="What the photos show: coins, striker, board … as for measure.")  # fmt: skip
@click.option("-o", "--out", type=PATH, default="batch.jsonl", show_default=True,
              help="The results, one JSON line a photo; OUT.csv or OUT.xlsx: also a table of the values.")  # fmt: skip
@click.option("--spec", default="", metavar="ID", help="Judge every photo by this sheet, and enter it in the registry.")
@click.option("--item", default="", help="What is inspected, as the sheet calls it.")
@rule_option
@on_option
@click.option("--subject", default="", help="What the photos show, before each photo's name in the registry.")
@click.option("--owner", default="", help="Whose it is, or who made it.")
@click.option("--inspector", default="", help="Who inspected it.")
@click.option("--workers", type=click.IntRange(1, 512), help="Processes (default: one for each core).")
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler such as tcp://10.0.0.5:8786 instead of our cores.")
@click.option("--wait", type=click.FloatRange(1, 86_400), default=60, show_default=True, metavar="SECONDS",
              help="How long to wait for a cluster's scheduler or workers that are gone.")  # fmt: skip
@click.option("--deadline", type=click.FloatRange(1, 86_400), default=300, show_default=True, metavar="SECONDS",
              help="How long one photo may take before it is given up.")  # fmt: skip
@click.option("--memory", type=click.FloatRange(0.5, 1024), default=4, show_default=True, metavar="GB",
              help="How much memory one photo may take.")  # fmt: skip
@click.option("--watch", is_flag=True, help="Go on as the folder fills: every photo once it has stopped growing.")
@click.option("--every", type=click.FloatRange(0.2, 3600), default=5, show_default=True, metavar="SECONDS",
              help="How often --watch looks.")  # fmt: skip
@click.option("--idle", type=click.FloatRange(1, 86_400), metavar="SECONDS",
              help="End --watch when nothing new has come for so long.")  # fmt: skip
@click.option("--again", is_flag=True, help="Start over; otherwise finished photos are not measured twice.")
@click.option("--retry", is_flag=True, help="Try those photos again that could not be measured.")
@click.option("--camera", help="As for measure: the camera's file.")
@click.option("--reference", help="As for measure: what gives the scale.")
@click.option("--print-scale", help="As for measure: measured ÷ nominal length of the check bar.")
@click.option("--thickness", help="As for measure: the pieces' thickness.")
@click.option("--edge-radius", help="As for measure: the rounding of the pieces' rim.")
@click.option("--standoff", help="As for measure: the figure's distance from the backdrop.")
@click.option("--known", help="As for measure: one length taken with a tape.")
@click.option("--gap", help="As for measure: the gap at a board's walls.")
@click.option("--function", default=MEASURE, metavar="MODULE:NAME", help="A measuring function of your own.")
@json_option
def command(photos: tuple[Path, ...], kind: str, **given: Any) -> int:
    """Measure many photos. A bad one gets its line and does not stop the rest.

    Interrupted or killed, the same command goes on where it stopped; the results are the same in the end. Several
    machines give the same results as one.

    \b
    Example:
      inspect-kit batch trays/ --measure coins --camera phone.json -o trays.jsonl
      inspect-kit qa lot trays.jsonl --spec icf-cs --item coin-set --characteristic coin.diameter -o lot.pdf
      inspect-kit batch strikers/ --measure striker --spec icf-cs --item striker
    """
    sink = sink_for(given)
    work = _work(kind, given)
    check(work)
    job = _Job(sink, work, _crew(given))
    if given["watch"]:
        return _watched(job, photos, given)
    return job.done(Batch(find_photos(photos), work, sink.results, given["again"], given["retry"]))


@dataclass(frozen=True)
class _Job:
    """The same work for one batch, or for a folder that fills."""

    sink: Sink
    work: Work
    crew: Workforce

    def done(self, batch: Batch) -> int:
        """Measure, keep, and say what came of it; gives the exit code."""
        try:
            with _progress(len(batch.photos)) as told:
                summary = run(batch, self.crew, told)
            entered = self.sink.filled()
        except KeyboardInterrupt:
            click.echo(said("batch-interrupted"), err=True)
            raise
        lines = [*_lines(summary, self.sink.out)]
        if self.sink.task is not None:
            lines.append(said("batch-entered", count=f"{entered:,}"))
        print_result({**as_data(summary, self.sink.out), "registered": entered}, *lines)
        return (NONE if not summary.measured else NOT_ALL) if summary.failures else 0


def _watched(job: _Job, places: tuple[Path, ...], given: Mapping[str, Any]) -> int:
    """Go on until Ctrl-C, or until nothing new has come for as long as was said."""
    idle = int(given["idle"] // given["every"]) if given["idle"] else 0
    folder = FolderWatch(places, lambda: time.sleep(given["every"]), idle)
    code = 0
    click.echo(said("batch-watching", places=", ".join(map(str, places))), err=True)
    try:
        for photos in folder.filling():
            batch = Batch(photos, job.work, job.sink.results, given["again"], given["retry"])
            code = job.done(batch)
            given = {**given, "again": False}
    except KeyboardInterrupt:
        click.echo(said("batch-watched"), err=True)
    return code


def _crew(given: Mapping[str, Any]) -> Workforce:
    if given["cluster"]:
        return Cluster(given["cluster"], lambda told: warn(sentence(told, lang())), given["wait"])
    return Pool(given["workers"] or usable_cores())


def _work(kind: str, given: Mapping[str, Any]) -> Work:
    """The work as other processes and machines do it: a camera by its whole path, and noted by what is in it."""
    options = {name: str(text) for name in OPTIONS if (text := given.get(name)) is not None}
    noted: dict[str, str] = {}
    if "camera" in options:
        path = Path(options["camera"])
        noted["camera"] = f"{path.name} {sha256(read_bytes(path))}"
        options["camera"] = str(path.absolute())
    bounds = PhotoBounds(given["deadline"], int(given["memory"] * 1e9))
    return Work(kind, tuple(options.items()), given["function"], tuple(noted.items()), bounds)


@contextmanager
def _progress(total: int) -> Iterator[ProgressCallback]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=total, label=said("bar-photos"), show_pos=True, file=sys.stderr) as bar:
        yield lambda done: bar.update(done - bar.pos)


def as_data(summary: Summary, out: Path) -> dict[str, object]:
    """The summary in the form that scripts rely on."""
    return {
        "photos": summary.photos, "measured": summary.measured, "taken_over": summary.taken_over,
        "failed": [{"photo": photo, "error": reason} for photo, reason in summary.failures], "out": str(out),
    }  # fmt: skip


def _lines(summary: Summary, out: Path) -> Iterator[str]:
    code = "batch-measured-before" if summary.taken_over else "batch-measured"
    counts = {"measured": summary.measured, "photos": summary.photos, "before": summary.taken_over}
    yield said(code, file=out, **{name: f"{count:,}" for name, count in counts.items()})
    for photo, reason in summary.failures[:_SHOWN]:
        yield f"  {photo}: {summary.worded(photo, reason, lang())}"
    if len(summary.failures) > _SHOWN:
        yield "  " + said("batch-more", count=f"{len(summary.failures) - _SHOWN:,}")
