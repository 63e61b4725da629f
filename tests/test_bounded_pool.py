"""Helper processes side by side: as many as there are cores, each replaced when it dies."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inspect_kit.bounded_process import BoundedPool, cores
from inspect_kit.errors import BadInput

MEMORY = 1_200_000_000


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    shop = BoundedPool(MEMORY, 2)
    yield shop
    shop.close()


def _meet(folder: Path, name: str) -> int:
    """Ends only when another helper has come too."""
    (folder / name).touch()
    until = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2:
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.01)
    return os.getpid()


def _die() -> None:
    os._exit(3)


def _leave_a_mark(folder: Path) -> None:
    (folder / str(os.getpid())).touch()


class _Mark:
    """A task without arguments that can be sent to a helper."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self) -> None:
        _leave_a_mark(self.folder)


def test_two_tasks_are_done_at_the_same_time_in_two_processes(pool: BoundedPool, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as threads:
        both = [threads.submit(pool.do, 60, _meet, tmp_path, name) for name in ("one", "two")]
        assert len({each.result() for each in both} | {os.getpid()}) == 3


def test_a_helper_that_dies_harms_no_other_task(pool: BoundedPool) -> None:
    with pytest.raises(BadInput, match="could not be worked on"):
        pool.do(60, _die)
    assert [pool.do(60, len, "next") for _ in range(3)] == [4, 4, 4]


def test_who_finds_no_free_helper_in_time_is_told_so(pool: BoundedPool) -> None:
    with ThreadPoolExecutor(2) as threads:
        held = [threads.submit(pool.do, 60, time.sleep, 1.0) for _ in range(2)]
        time.sleep(0.3)
        with pytest.raises(BadInput, match="too much is being worked on"):
            pool.do(0.05, len, "late")
        for each in held:
            each.result()


def test_every_helper_is_warmed_once(tmp_path: Path) -> None:
    shop = BoundedPool(MEMORY, 2)
    try:
        shop.warm(_Mark(tmp_path))
        shop.warm(_Mark(tmp_path))
        until = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        assert len(list(tmp_path.iterdir())) == 2
    finally:
        shop.close()


def test_there_is_at_least_one_helper_and_no_more_than_cores() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
