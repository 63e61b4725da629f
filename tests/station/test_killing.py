"""kill -9 during a busy minute: what was acknowledged is there after a restart, and nothing is there twice."""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import httpx2

from inspect_kit.certificate.issue.keys import own_keyring, unlock
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.checkin.store import inspections
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.search import RegistryQuery, listing
from inspect_kit.station.station import CertificateWorker, Station, open_station
from tests.station.running import Desk, Running, running

_DESKS = 3
_BEFORE = 12
"""Acts that are acknowledged before the power goes."""


def _work(station: Running, event: str, number: int, done: list[tuple[str, str]], busy: threading.Event) -> None:
    """Inspect and approve until the station is gone; note what was acknowledged."""
    try:
        with closing(Desk(station.url, "Renata")) as desk:
            desk.event = event
            for turn in range(500):
                ticket = desk.inspect(f"Player {number}-{turn}")
                done.append(("recorded", ticket))
                desk.approve(ticket)
                done.append(("decided", ticket))
                if len(done) >= _BEFORE:
                    busy.set()
    except (httpx2.TransportError, AssertionError):
        return


def test_every_acknowledged_act_is_there_after_a_kill_and_none_is_doubled(prepared: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(prepared, home)
    done: list[tuple[str, str]] = []
    busy = threading.Event()
    with running(home) as station:
        with closing(Desk(station.url, "Renata")) as first:
            event = first.announce()
        threads = [threading.Thread(target=_work, args=(station, event, n, done, busy)) for n in range(_DESKS)]
        for thread in threads:
            thread.start()
        assert busy.wait(60)
        station.kill()
        for thread in threads:
            thread.join(60)
    registry = open_registry(home)
    again = open_station(Station(home, registry, unlock(home, "", None), (own_keyring(home),)))
    CertificateWorker(again).make_all()
    with registry.reading() as connection:
        seen = {each.ticket: each for each in inspections(connection, event)}
        issued = [standing.record for standing in listing(connection, RegistryQuery(), again.today)]
    for act, ticket in done:
        assert ticket in seen, act
        assert act == "recorded" or seen[ticket].decision == "approve"
    owners = Counter(each.owner for each in seen.values())
    assert set(owners.values()) == {1}
    assert Counter(issued).most_common(1)[0][1] == 1
    assert {each.final for each in seen.values() if each.decision == "approve"} == set(issued)
    assert audit(registry, lambda _: lambda _: None).faults == ()
