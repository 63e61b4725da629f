"""The documents that veraPDF is asked about: certificate and report, in every language, before and after signing, and timestamped."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate
from inspect_kit.certificate.issue.keys import Founding, found, unlock
from inspect_kit.certificate.issue.time_server import TimeServer, stamped_pdf
from inspect_kit.certificate.pages.lot_render import LotDrawing, make_lot_certificate
from inspect_kit.certificate.pages.render import make_certificate
from inspect_kit.inspection.record import Record, Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.places import shipped
from inspect_kit.registry.opening import open_registry
from inspect_kit.rulebook.library import load
from tests.certificate.issue.time_servers import running
from tests.samples import lots

LANGUAGES = ("en", "de", "cs", "it")


def main(out: Path) -> None:
    """Write them all into a folder."""
    now = datetime.now(UTC)
    home = out / "home"
    found(home, Founding("Pražský carrom klub", "PCK", "Řehoř Áron"), None, now)
    desk = Desk(home, open_registry(home), unlock(home, "", None), now)
    for name in ("striker-42", "striker-43"):
        record = _record(name)
        for language in LANGUAGES:
            (out / f"{name}-{language}-unsigned.pdf").write_bytes(make_certificate(record, language=language))
            request = Request(record, out / f"{name}-{language}-signed.pdf", language, valid="2099-12-31")
            issue_certificate(desk, request)
        request = Request(record, out / f"{name}-two-signed.pdf", "it,en", valid="2099-12-31", once=False)
        issue_certificate(desk, request)
    _lots(out, desk)
    _stamped(out, desk)


def _stamped(out: Path, desk: Desk) -> None:
    """With timestamps behind what was signed (PAdES-LTA): one, and a second one years later."""
    (out / "tsa").mkdir()
    with running(out / "tsa") as server:
        content = (out / "striker-42-cs-signed.pdf").read_bytes()
        for name in ("stamped", "stamped-again"):
            content = stamped_pdf(content, TimeServer(server.url), desk.key.issuer)
            (out / f"striker-42-cs-{name}.pdf").write_bytes(content)


def _lots(out: Path, desk: Desk) -> None:
    """Lots with their drawings, and with a second attachment."""
    for name, record in zip(("lot-accepted", "lot-refused"), lots(), strict=True):
        for language in LANGUAGES:
            (out / f"{name}-{language}-unsigned.pdf").write_bytes(make_lot_certificate(record, language=language))
        drawing = LotDrawing(dcc=True)
        issue_certificate(replace(desk, draw=drawing), Request(record, out / f"{name}-dcc-signed.pdf", "cs"))


def _record(name: str) -> Record:
    examples = shipped("reports") / "examples"
    sheet = load("icf-2001-it")
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16), (examples / "instruments",))
    outcome = inspect(task, [read_measurements(examples / f"{name}.csv")])
    return record_of(outcome, Subject("Striker 42 <&> שלום", owner="Renata Řeháčková", event="Prague Open"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
