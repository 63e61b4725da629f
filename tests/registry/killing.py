"""Run by a test: issues certificates in children that are killed at random moments, and looks at what is left.

A script of its own, so that the children are forked from a small process that has everything loaded.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from msgspec import structs

from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate, load_slow_parts
from inspect_kit.certificate.issue.issue_journal import recover
from inspect_kit.certificate.issue.keys import unlock
from inspect_kit.certificate.pages.render import make_certificate
from inspect_kit.inspection.record import Record, open_record
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.search import RegistryQuery, listing
from tests.registry.conftest import NOW, _blank


def main(home: Path, url: str, times: int, real: bool, seed: int) -> None:
    """Kill `times` children; prints how many were killed at work and how many certificates there are."""
    record = open_record((home / "record.json").read_bytes())
    chance = random.Random(seed)
    out = home.parent / "out"
    out.mkdir()
    load_slow_parts()
    usual = _usual_time(home, url, record, real)
    killed = 0
    for attempt in range(times):
        ready, tell = os.pipe()
        child = os.fork()
        if child == 0:
            _issue_on(_desk(home, url, real), record, (out, attempt), tell)
        os.read(ready, 1)
        time.sleep(chance.uniform(0, usual * 2.5))
        os.kill(child, signal.SIGKILL)
        os.close(ready)
        os.close(tell)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        _look(home, url, out)
    print(killed, len(list(out.iterdir())))


def _desk(home: Path, url: str, real: bool) -> Desk:
    desk = Desk(home, open_registry(home, url), unlock(home, "", None), NOW)
    return desk if real else replace(desk, draw=_blank)


def _usual_time(home: Path, url: str, record: Record, real: bool) -> float:
    desk = _desk(home, url, real)
    times = []
    for place in range(3):
        start = time.perf_counter()
        issue_certificate(desk, Request(_about(record, f"warm {place}"), home.parent / f"warm-{place}.pdf"))
        times.append(time.perf_counter() - start)
    desk.registry.engine.dispose()
    if real:
        make_certificate(record, language="en")
    return sorted(times)[1]


def _about(record: Record, subject: str) -> Record:
    return structs.replace(record, subject=structs.replace(record.subject, text=subject))


def _issue_on(desk: Desk, record: Record, where: tuple[Path, int], tell: int) -> None:
    """Say that the desk is open, and issue until killed."""
    out, attempt = where
    place = 0
    try:
        os.write(tell, b".")
        while True:
            name = f"{attempt}-{place}"
            issue_certificate(desk, Request(_about(record, name), out / f"{name}.pdf"))
            place += 1
    finally:
        os._exit(7)


def _look(home: Path, url: str, out: Path) -> None:
    """After the next start, every number has its file and every file its number, each of them whole."""
    registry = open_registry(home, url)
    before = {path.name for path in out.iterdir() if path.suffix == ".pdf"}
    with registry.reading() as connection:
        standings = list(listing(connection, RegistryQuery(), NOW.date()))
        # Even before recovery there is no number without its PDF in the registry.
        contents = {each.subject: registry.shelf.take(connection, each.pdf) for each in standings[:4]}
    assert before <= {f"{each.subject}.pdf" for each in standings}, "a certificate without an entry"
    recover(home, registry)
    names = {path.name for path in out.iterdir()}
    assert names == {f"{each.subject}.pdf" for each in standings if not each.subject.startswith("warm")}, (
        "a number without its file"
    )
    for subject, content in contents.items():
        if not subject.startswith("warm"):
            assert (out / f"{subject}.pdf").read_bytes() == content, "a half file"
    serials = sorted(int(each.number.split("-")[2].lstrip("R")) for each in standings)
    assert serials == list(range(1, len(serials) + 1)), "a gap or a number used twice"
    registry.engine.dispose()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] == "real", int(sys.argv[5]))
