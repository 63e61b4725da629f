"""Where a batch's results go: a file of lines, a table beside it, and the registry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.certificate.issuing import made_of
from inspect_kit.cli.desk import now, registry_of
from inspect_kit.cli.options import home_of, own_instruments, today
from inspect_kit.cli.output import warn, write_whole
from inspect_kit.errors import InspectKitError, UsageError
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.quality.batch_lines import measured_lines, tray_names
from inspect_kit.quality.batch_table import refuse_other_table, table_lines
from inspect_kit.registry.inspections import Inspection, enter
from inspect_kit.registry.witness import remember
from inspect_kit.rulebook.library import load

TABLE = ".csv"


@dataclass(frozen=True)
class Sink:
    """The file that was asked for; the task if the photos are to be judged; what they show, whose it is, by whom."""

    ctx: click.Context
    out: Path
    task: Task | None
    about: Subject

    @property
    def results(self) -> Path:
        """The lines: beside the table, if a table was asked for."""
        return self.out.with_suffix(".jsonl") if self.out.suffix.lower() == TABLE else self.out

    def filled(self) -> int:
        """Write the table and the registry from the finished lines; gives the number of new entries."""
        if self.results != self.out:
            write_whole(self.out, table_lines(self.results))
        if self.task is None:
            return 0
        registry = registry_of(self.ctx)
        entered, last = enter(registry, self._inspections(self.task), now())
        if last is not None:
            remember(home_of(self.ctx), registry.place, last)
        return entered

    def _inspections(self, task: Task) -> Iterator[Inspection]:
        """Every photo that was measured, judged. One that cannot be judged is said and left out."""
        names = tray_names(photo for photo, _, _ in measured_lines(self.results))
        for photo, found, line in measured_lines(self.results):
            if isinstance(found, MeasurementFile):
                try:
                    record = record_of(inspect(task, [found]), self._subject(names[photo]))
                except InspectKitError as problem:
                    warn((f"{photo}: not in the registry: {problem}",))
                    continue
                yield Inspection(made_of(record), record.canonical(), line, Path(photo).name)

    def _subject(self, photo: str) -> Subject:
        text = f"{self.about.text} {photo}".strip()
        return Subject(text, self.about.owner, inspector=self.about.inspector)


def sink_for(ctx: click.Context) -> Sink:
    """The sink that the options describe; what is wrong with it is said before the work begins."""
    given = ctx.params
    sink = Sink(ctx, given["out"], _task(ctx), Subject(given["subject"], given["owner"], inspector=given["inspector"]))
    if sink.results != sink.out:
        refuse_other_table(sink.out)
    return sink


def _task(ctx: click.Context) -> Task | None:
    given = ctx.params
    if not given["spec"] and not given["item"]:
        return None
    if not given["spec"] or not given["item"]:
        raise UsageError("--spec and --item go together", hint="for example --spec icf-cs --item striker")
    sheet = load(given["spec"])
    day = given["on"].date() if given["on"] else today()
    folders = (own_instruments(ctx),)
    return Task(sheet, sheet.item(given["item"]), RuleName(given["rule"]), day, folders, home_of(ctx))
