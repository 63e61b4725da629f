"""`demo`: the whole walk on shipped examples, from readings to certificates, with no set-up."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.measurement_file import read_measurements, written
from inspect_kit.certificate.issue.desk import issue_outcome
from inspect_kit.certificate.issue.issue import Request
from inspect_kit.cli.issuer import throwaway_desk
from inspect_kit.cli.options import FOLDER, json_option
from inspect_kit.cli.terminal import columns, lang, print_result, said, said_of, styled
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.places import shipped
from inspect_kit.registry.numbers import code_for
from inspect_kit.rulebook.library import load
from inspect_kit.tomlfile import read_toml


@click.command("demo")
@click.option("--out", type=FOLDER, default=Path("demo"), show_default=True,
              help="The folder to write the certificates to.")  # fmt: skip
@json_option
def command(out: Path) -> int:
    """Inspect shipped examples and write their signed certificates: a striker, coins, a board, a figure, dice.

    \b
    Example:
      inspect-kit demo --out demo
    """
    out.mkdir(parents=True, exist_ok=True)
    examples = shipped("reports") / "examples"
    script: dict[str, Any] = read_toml(examples / "demo.toml")
    results = [_walked(walk, examples, script["inspected_on"], out) for walk in script["walk"]]
    rows = [
        (styled(Verdict(str(r["verdict"])), said_of("verdict", str(r["verdict"]))),
         str(walk["titles"].get(lang(), walk["title"])), str(r["pdf"]))
        for r, walk in zip(results, script["walk"], strict=True)
    ]  # fmt: skip
    print_result(results, *columns(rows), "\n" + said("demo-done", folder=out.resolve()))
    return 0


def _photographed(photo: dict[str, str], examples: Path, out: Path) -> Path:
    """The photo and what is measured in it, laid into the folder of the certificates."""
    # OpenCV is loaded only for this walk.
    from inspect_kit.capture.photographs import read_photograph
    from inspect_kit.measure.photos import measure
    from inspect_kit.measure.stated import stated_by

    copy = out / photo["file"]
    write_whole(copy, (examples / photo["file"]).read_bytes())
    given = {name: photo.get(name) for name in ("thickness", "edge_radius", "print_scale", "reference")}
    measured = measure(photo["kind"], [read_photograph(copy)], None, stated_by(photo["kind"], given))
    found = copy.with_suffix(".json")
    write_whole(found, written(measured))
    return found


def _walked(walk: dict[str, Any], examples: Path, on: date, out: Path) -> dict[str, object]:
    sheet = load(walk["spec"])
    task = Task(sheet, sheet.item(walk["item"]), RuleName.GUARDED, on, (examples / "instruments",))
    files = [examples / name for name in walk["files"]]
    if "photo" in walk:
        files.append(_photographed(walk["photo"], examples, out))
    outcome = inspect(task, [read_measurements(file) for file in files])
    verdict = outcome.judgement.verdict
    if verdict.value != walk["verdict"]:
        raise BadInput("example-came-out-not", where=walk["files"][0], verdict=verdict, verdict2=walk["verdict"])
    subject = Subject(walk["subject"], walk["owner"], walk["event"], walk["place"], walk["inspector"], walk["issuer"])
    kind = "certificate" if verdict is Verdict.CONFORMS else "report"
    path = out / f"{Path(walk['files'][0]).stem}-{kind}-{walk['language']}.pdf"
    desk = throwaway_desk(out / "desks" / code_for(walk["issuer"]), walk["issuer"], walk["inspector"])
    request = partial(Request, out=path, language=walk["language"])
    return {"title": walk["title"], **issue_outcome(desk, outcome, subject, request).summary()}
