"""Twenty desks on one PostgreSQL, killed at random and started again: what they issue, and whether anything is lost.

    python -m benchmarks soak [--minutes 30] [--desks 20]

Each desk is a process with a home of its own. It certifies (pages blank, signatures real), revokes, records and
decides; about once a second one of them is killed. At the end everything that a desk was told to be done must be in
the registry once, numbers must have no gap, and the audit must be clean.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs
from sqlalchemy import create_engine, text

from benchmarks.kills import issuing_home
from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate, load_slow_parts
from inspect_kit.certificate.issue.issue_journal import recover
from inspect_kit.certificate.issue.keys import own_keyring, unlock
from inspect_kit.certificate.issue.seals import desk_key, own_desk, seal_of_signer, seals_in, vouch
from inspect_kit.errors import InspectKitError
from inspect_kit.inspection.record import Record, open_record
from inspect_kit.registry.amendments import revoke
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.checkin.entries import Decided, Recorded
from inspect_kit.registry.checkin.store import decide, record, ticket_from
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.search import RegistryQuery, listing
from tests.registry.conftest import _blank, running_postgresql


def main() -> None:
    """Soak, then count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--desks", type=int, default=20)
    given = parser.parse_known_args()[0]
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, running_postgresql() as cluster:
        place = Path(folder)
        os.environ["INSPECT_KIT_WITNESS"] = str(place / "memory")
        url = _database(cluster)
        homes = _homes(place, given.desks, url)
        killed = _soak(homes, url, given.minutes * 60)
        _count(homes, url, killed, given.minutes)


def _database(cluster: str) -> str:
    engine = create_engine(cluster.format(name="postgres").replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("CREATE DATABASE soak"))
    engine.dispose()
    return cluster.format(name="soak")


def _homes(place: Path, desks: int, url: str) -> list[Path]:
    first = issuing_home(place)
    homes = [shutil.copytree(first, place / f"desk-{number}") for number in range(desks)]
    registry = open_registry(first, url)
    for home in homes:
        key = unlock(home, "", None)
        vouch(registry, own_desk(home, key), key, datetime.now(UTC))
    return homes


def _soak(homes: list[Path], url: str, seconds: float) -> int:
    """How many desks were killed. Each is forked from this process, which has everything loaded."""
    base = open_record((homes[0] / "record.json").read_bytes())
    load_slow_parts()
    chance, running, killed = random.Random(16), {}, 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for home in homes:
            if home not in running:
                running[home] = _started(home, url, base)
        time.sleep(chance.expovariate(1.0))
        home = chance.choice(homes)
        os.kill(running[home], signal.SIGKILL)
        os.waitpid(running.pop(home), 0)
        killed += 1
    for child in running.values():
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
    return killed


def _started(home: Path, url: str, base: Record) -> int:
    child = os.fork()
    if child:
        return child
    try:
        _work(home, url, base)
    except BaseException as problem:
        sys.stderr.write(f"{home.name}: {type(problem).__name__}: {problem}\n")
    os._exit(0)


def _work(home: Path, url: str, base: Record) -> None:
    """A desk's day: it notes what it was told to be done, and how long that took."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    registry, key, seal = open_registry(home, url), unlock(home, "", None), desk_key(home).seal
    recover(home, registry)
    chance = random.Random()
    event = ticket_from(7)
    with (home / "told.jsonl").open("a", buffering=1) as told:
        while True:
            begun, now = time.monotonic(), datetime.now(UTC)
            subject = f"{home.name} {chance.getrandbits(48):x}"
            try:
                act, number = "certify", ""
                if chance.random() < 0.8:
                    about = structs.replace(base.subject, text=subject)
                    desk = replace(Desk(home, registry, key, now), draw=_blank)
                    request = Request(structs.replace(base, subject=about, inspected_on=f"{now.astimezone():%Y-%m-%d}"),
                                      home / f"{subject}.pdf")  # fmt: skip
                    number = issue_certificate(desk, request).number
                    if chance.random() < 0.1:
                        revoke(registry, number, "soak", "desk", datetime.now(UTC), seal_of_signer(key, now))
                        act = "revoke"
                else:
                    act, ticket = "decide", ticket_from(chance.getrandbits(50))
                    body = Recorded(ticket, event, "striker", subject, "Jan", "conforms", "0" * 64, "Tomáš")
                    record(registry, body, [], now, seal)
                    decide(registry, Decided(ticket, event, "approve", "Renata"), [], datetime.now(UTC), 0, seal)
                told.write(json.dumps([act, number, time.monotonic() - begun]) + "\n")
            except InspectKitError as problem:
                told.write(json.dumps(["refused", str(problem), 0.0]) + "\n")


def _count(homes: list[Path], url: str, killed: int, minutes: float) -> None:
    registry = open_registry(homes[0], url)
    for home in homes:
        recover(home, registry)
    lines = [json.loads(line) for home in homes for line in _whole_lines(home / "told.jsonl")]
    acts = Counter(act for act, *_ in lines)
    told = {number for act, number, _ in lines if act in ("certify", "revoke")}
    with registry.reading() as connection:
        numbers = [each.number for each in listing(connection, RegistryQuery(), datetime.now(UTC).date(), 10**7)]
        rings = (own_keyring(homes[0]),)
    found = audit(registry, lambda connection: seals_in(connection, rings).fault)
    serials = sorted(number_of(number).serial for number in numbers)
    files = sum(1 for home in homes for path in home.glob("*.pdf") if not path.name.startswith("."))
    times = sorted(seconds for act, _, seconds in lines if act == "certify")
    print(f"{len(homes)} desks, {minutes:g} min, {killed} kills; told done: {dict(acts)}")
    gaps, doubled = serials != list(range(1, len(serials) + 1)), len(serials) - len(set(serials))
    print(f"registered {len(numbers)}, gaps {gaps}, doubled {doubled}, told but unknown {len(told - set(numbers))}")
    print(f"PDFs {files}, entries {found.entries}, audit faults {len(found.faults)}")
    if times:
        print(
            f"a certify takes {statistics.median(times):.2f} s (median), {times[int(len(times) * 0.99)]:.2f} s (99 %)"
        )
    for fault in found.faults[:5]:
        print(fault)


def _whole_lines(path: Path) -> list[str]:
    """A kill may leave half a line at the end of each life."""
    if not path.exists():
        return []
    kept = []
    for line in path.read_text().splitlines():
        try:
            json.loads(line)
        except ValueError:
            continue
        kept.append(line)
    return kept


if __name__ == "__main__":
    main()
