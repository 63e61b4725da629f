from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inspect_kit.certificate.issue.issue import Desk
from inspect_kit.certificate.issue.keys import unlock
from inspect_kit.inspection.record import Record
from inspect_kit.registry.auditing import Audit
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.opening import open_registry
from tests.registry.conftest import NOW

HERE = Path(__file__).parent


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue("empty_database")) if request.param == "postgresql" else ""


@pytest.mark.parametrize(("desks", "each"), [(2, 15), (20, 3)])
def test_many_desks_at_once_lose_double_or_skip_no_number(
    home: Path, url: str, record: Record, audited: Callable[[Desk], Audit], desks: int, each: int
) -> None:
    (home / "record.json").write_bytes(record.canonical())
    command = [sys.executable, str(HERE / "issuing_desks.py"), str(home), url, str(desks), str(each)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    numbers = [number_of(path.read_text()) for path in home.parent.glob("desk*.number")]
    assert sorted(number.serial for number in numbers) == list(range(1, desks * each + 1))
    desk = Desk(home, open_registry(home, url), unlock(home, "", None), NOW)
    found = audited(desk)
    assert found.faults == ()
    assert found.certificates == desks * each
    assert len(list(home.parent.glob("desk*.pdf"))) == desks * each
    assert list((home / "pending").iterdir()) == []
    desk.registry.engine.dispose()


@pytest.mark.parametrize(("times", "drawn"), [(180, "blank"), (20, "real")])
def test_killed_at_random_moments_there_is_no_number_without_its_certificate(
    home: Path, record: Record, audited: Callable[[Desk], Audit], times: int, drawn: str
) -> None:
    _kill(home, "", record, times, drawn)
    assert audited(Desk(home, open_registry(home), unlock(home, "", None), NOW)).faults == ()


def test_killed_beside_postgresql_there_is_no_number_without_its_certificate(
    home: Path, empty_database: str, record: Record, audited: Callable[[Desk], Audit]
) -> None:
    _kill(home, empty_database, record, 30, "blank")
    registry = open_registry(home, empty_database)
    assert audited(Desk(home, registry, unlock(home, "", None), NOW)).faults == ()
    registry.engine.dispose()


def _kill(home: Path, url: str, record: Record, times: int, drawn: str) -> None:
    (home / "record.json").write_bytes(record.canonical())
    command = [sys.executable, str(HERE / "killing.py"), str(home), url, str(times), drawn, "20261116"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    killed, files = map(int, done.stdout.split())
    assert killed == times
    assert files > 0
