"""`certify`: judge, and issue the certificate, or a report that nobody can mistake for one; `demo`: so on examples."""

from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from msgspec import structs

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.measurement_file import read_measurements, written
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.issue.desk import issue_outcome
from inspect_kit.certificate.issue.issue import Request
from inspect_kit.cli import task
from inspect_kit.cli.about import about_options, stated_by
from inspect_kit.cli.issuer import desk_of, throwaway_desk
from inspect_kit.cli.judge import open_points
from inspect_kit.cli.options import FOLDER, PATH, home_folder, json_option, signer_option
from inspect_kit.cli.terminal import EXIT_CODES, columns, lang, print_result, said, said_of, styled, warn
from inspect_kit.cli.trust.timestamp import server_address, stamp_issued
from inspect_kit.errors import ENGLISH, LANGUAGES, BadInput, UsageError, sentences, worded
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.places import shipped
from inspect_kit.registry.numbers import code_for
from inspect_kit.rulebook.library import load
from inspect_kit.tomlfile import read_toml

_MOST_LANGUAGES: Final = 2
"""Languages of one certificate."""


def _languages(_: click.Context, parameter: click.Parameter, given: str) -> str:
    """One language, or two."""
    wanted = [part.strip() for part in given.split(",")]
    if not 1 <= len(wanted) <= _MOST_LANGUAGES or len(set(wanted)) < len(wanted):
        raise UsageError("one-or-two-languages", where=parameter.opts[0])
    for part in wanted:
        if part not in LANGUAGES:
            raise UsageError("not-one-of", where=parameter.opts[0], value=part[:20], names=", ".join(LANGUAGES))
    return ",".join(wanted)


@click.command("certify")
@task.files_argument
@task.sheet_options
@click.option("--subject", required=True, help="Which thing was inspected: a name, number or mark.")
@click.option("--owner", default="", help="Whose it is.")
@click.option("--event", default="", help="For which event.")
@click.option("--place", default="", help="Where the inspection took place.")
@task.issuer_options
@click.option("--condition", default="", help="The item's condition, where it matters.")
@click.option("--valid", default="",
              help="event, day, or the last day as a date [default: the event, if one is named].")  # fmt: skip
@task.replacing_options
@about_options
@click.option("--detail", type=click.Choice(["standard", "full"]), default="standard", show_default=True,
              help="full: with uncertainty budgets and every reading.")  # fmt: skip
@signer_option
@click.option("--timestamp", metavar="URL", default="",
              help="A server that says when (RFC 3161) [default: `timestamp` in the home's about.toml].")  # fmt: skip
@click.option("--lang", "language", default="en", show_default=True, callback=_languages,
              help="Language of the document: en, de, cs, it; or two of them, such as it,en.")  # fmt: skip
@click.option("-o", "--out", required=True, type=PATH, help="The PDF to write.")
@json_option
def command(files: tuple[Path, ...], out: Path, language: str, **given: Any) -> int:
    """Judge measurements, register the result and issue a signed certificate with the record inside.

    What fails or is undecided gets an inspection report instead. Needs keys: inspect-kit keys init.

    \b
    Example:
      inspect-kit certify striker.csv --spec icf-2001-it --item striker \\
        --subject "Striker 7" --owner "R. Řeháčková" --lang cs -o striker.pdf
    """
    outcome = inspect(task.task_at_home(), task.measurement_files(files))
    desk = desk_of(given["signer"], given["inspector"])
    subject = Subject(given["subject"], **{name: given[name] for name in Subject.__struct_fields__ if name != "text"})
    stated = stated_by(given, home_folder())
    subject = structs.replace(subject, issuer_address=subject.issuer_address or stated.address)
    detail = "full" if given["detail"] == "full" else ""
    request = partial(
        Request, out=out, language=language, photos=stated.pictures, valid=given["valid"], replaces=given["replaces"],
        because=given["because"], lookup=stated.lookup, detail=detail,
    )  # fmt: skip
    warn(*worded(outcome.warnings, outcome.notices, lang()))
    server = server_address(home_folder(), given["timestamp"])
    issued = issue_outcome(desk, outcome, subject, request, stated.about)
    warn(*sentences(issued.notices, lang()))
    if server:
        stamp_issued(out, server, desk.key.issuer)
    verdict = outcome.judgement.verdict
    code = "certificate-written" if verdict is Verdict.CONFORMS else "report-written"
    line = f"{styled(verdict, _in_capitals(verdict))}  {said(code, number=issued.number, file=out)}"
    print_result(issued.summary(), line, *open_points(outcome, wording_for(lang(), outcome.task.sheet.wording)))
    return EXIT_CODES[verdict]


def _in_capitals(verdict: Verdict) -> str:
    """The verdict as the file calls it; in another language as the certificate does."""
    return (verdict if lang() == ENGLISH else wording_for(lang()).say(f"overall.{verdict}")).upper()


# The demonstration: the whole walk on shipped examples, from readings to certificates, with no set-up.


@click.command("demo")
@click.option("--out", type=FOLDER, default=Path("demo"), show_default=True,
              help="The folder to write the certificates to.")  # fmt: skip
@json_option
def demo(out: Path) -> int:
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
