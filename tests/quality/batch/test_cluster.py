"""A real Dask scheduler and workers, and what a batch does when they die."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspect_kit.errors import BadInput, Notice, sentence
from inspect_kit.quality.batch.run import run
from inspect_kit.quality.batch.table import table_lines
from inspect_kit.quality.batch.workers import Cluster, Pool, Work
from inspect_kit.quality.lot.file import WantedCharacteristics, read_lot
from tests.quality.batch.photo_measuring import draw_photos
from tests.quality.batch.test_batch import Alone, batch_of, done
from tests.quality.batch.trays import OPTIONS, camera_file, diameters, draw_trays


@pytest.fixture(autouse=True)
def _importable(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(repository))


class Machines:
    """A scheduler and workers, each a process of its own; with no failure allowed, a worker's death is told at once."""

    def __init__(self, folder: Path) -> None:
        root = str(Path(__file__).resolve().parents[3])
        self.folder = folder
        self.environment = {
            **os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1", "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        }  # fmt: skip
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.schedulers: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []

    def scheduler(self) -> None:
        note = self.folder / f"scheduler-{len(self.schedulers)}.json"
        options = ("--port", str(self.port), "--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(note))
        self.schedulers.append(self._started("dask_scheduler", *options))
        _announced(note, self.schedulers[-1])

    def worker(self, *options: str) -> None:
        given = options or ("--no-nanny",)
        self.workers.append(self._started("dask_worker", self.address, "--nthreads", "1", "--no-dashboard", *given))

    def ready(self, workers: int) -> Machines:
        """With so many workers, all of them at the scheduler."""
        from distributed import Client

        self.scheduler()
        for _ in range(workers):
            self.worker()
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)
        return self

    def ended(self) -> None:
        # Workers first: without their scheduler they would go on looking for it.
        for process in (*self.workers, *self.schedulers):
            _ended(process)

    def _started(self, program: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{program}", *options]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A scheduler with two workers that live through all tests of this file."""
    machines = Machines(tmp_path_factory.mktemp("cluster"))
    try:
        yield machines.ready(2).address
    finally:
        machines.ended()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """Machines that may be killed."""
    found = Machines(tmp_path)
    try:
        yield found
    finally:
        found.ended()


def _ended(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _announced(note: Path, scheduler: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and scheduler.poll() is None:
        if note.exists() and re.search(r"tcp://[0-9.]+:\d+", note.read_text()):
            return
        time.sleep(0.05)
    raise AssertionError("the scheduler did not start")


def test_a_cluster_gives_the_same_bytes_as_one_machine(tmp_path: Path, cluster: str) -> None:
    paths = draw_photos(tmp_path / "photos", 40)
    paths[7].write_bytes(b"not a photo")
    done(batch_of(tmp_path, "pool.jsonl"), Pool(2))
    summary = done(batch_of(tmp_path, "cluster.jsonl"), Cluster(cluster))
    assert summary.measured == 39
    assert (tmp_path / "cluster.jsonl").read_bytes() == (tmp_path / "pool.jsonl").read_bytes()


def test_a_batch_that_one_machine_began_a_cluster_can_end(tmp_path: Path, cluster: str) -> None:
    draw_photos(tmp_path / "photos", 16)
    done(batch_of(tmp_path, "whole.jsonl"))
    with pytest.raises(KeyboardInterrupt):
        done(batch_of(tmp_path), Alone(leaves_after=8))
    assert done(batch_of(tmp_path), Cluster(cluster)).taken_over == 8
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_the_programs_own_measuring_gives_the_same_bytes_on_a_cluster_and_on_two_cores(
    tmp_path: Path, cluster: str
) -> None:
    draw_trays(tmp_path / "photos", 2)
    (tmp_path / "photos" / "blank.png").write_bytes(draw_photos(tmp_path / "other", 1)[0].read_bytes())
    options = tuple({**OPTIONS, "camera": str(camera_file(tmp_path / "camera.json"))}.items())
    work = Work("coins", options, "inspect_kit.cli.batch:measure", (("camera", "the one"),))
    summary = done(batch_of(tmp_path, "pool.jsonl", work=work), Pool(2))
    done(batch_of(tmp_path, "cluster.jsonl", work=work), Cluster(cluster))
    assert (tmp_path / "cluster.jsonl").read_bytes() == (tmp_path / "pool.jsonl").read_bytes()
    assert (summary.measured, summary.failures[0][1][:25]) == (2, "has only 48 × 48 pixels, ")
    _agrees_with_what_was_drawn(tmp_path / "pool.jsonl", tmp_path / "pool.csv")


def _agrees_with_what_was_drawn(results: Path, table: Path) -> None:
    """The lines and the table made from them are the same lot, and its coins are those that were drawn."""
    table.write_bytes(b"".join(table_lines(results)))
    wanted = WantedCharacteristics(("coin.diameter",))
    lot, again = read_lot(results, wanted), read_lot(table, wanted)
    named = tuple(f"tray-{tray} {coin}" for tray in (0, 1) for coin in (1, 2, 3))
    assert lot.pieces == (*named, "blank")
    assert set(again.pieces) == set(lot.pieces)
    assert lot.missed == again.missed == ("blank",)
    column, other = lot.columns["coin.diameter"], again.columns["coin.diameter"]
    found = dict(zip(lot.pieces, zip(column.values, column.standards, strict=True), strict=True))
    assert found == dict(zip(again.pieces, zip(other.values, other.standards, strict=True), strict=True))
    for tray in (0, 1):
        mine = sorted(cells for piece, cells in found.items() if piece.startswith(f"tray-{tray}"))
        for (value, standard), true in zip(mine, sorted(diameters(tray)), strict=True):
            assert abs(float(value) - true) < 3 * float(standard)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1"])
def test_a_cluster_that_does_not_answer_is_said_in_a_sentence(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspect_kit.quality.batch.workers._TIMEOUT", 1)
    draw_photos(tmp_path / "photos", 1)
    with pytest.raises(BadInput, match="no cluster answers"):
        done(batch_of(tmp_path), Cluster(address))


def killed_when(done_photos: int, *processes: subprocess.Popen[bytes]) -> Any:
    """Hears how far a batch is, and kills them in the middle."""

    def told(finished: int) -> None:
        if finished == done_photos:
            for process in processes:
                process.kill()

    return told


def test_a_scheduler_killed_in_the_middle_is_said_and_the_work_goes_on_with_the_next(
    tmp_path: Path, machines: Machines
) -> None:
    draw_photos(tmp_path / "photos", 40)
    done(batch_of(tmp_path, "alone.jsonl"))
    machines.ready(1)
    said: list[str] = []

    def hear(told: Notice) -> None:
        said.append(sentence(told))
        if told.code == "cluster-scheduler-gone":
            machines.scheduler()
            machines.worker()

    summary = run(batch_of(tmp_path), Cluster(machines.address, hear), killed_when(10, machines.schedulers[0]))
    assert summary.failures == ()
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "alone.jsonl").read_bytes()
    assert said[0] == f"the scheduler {machines.address} is gone; waiting up to 60 s for it"
    assert "the scheduler is back; what was on its way is measured again" in said


def test_a_scheduler_that_does_not_come_back_costs_no_photo(tmp_path: Path, machines: Machines) -> None:
    draw_photos(tmp_path / "photos", 40)
    done(batch_of(tmp_path, "alone.jsonl"))
    machines.ready(1)
    batch = batch_of(tmp_path)
    with pytest.raises(BadInput, match="did not come back in 2 s") as told:
        run(batch, Cluster(machines.address, patience=2), killed_when(10, machines.schedulers[0]))
    assert "the same command goes on" in told.value.fault.hint
    assert b'"error"' not in batch.journal.read_bytes()
    assert done(batch).taken_over >= 10
    assert batch.out.read_bytes() == (tmp_path / "alone.jsonl").read_bytes()


def test_a_cluster_whose_workers_are_all_dead_is_said_while_waiting_and_not_waited_for_without_end(
    tmp_path: Path, machines: Machines
) -> None:
    draw_photos(tmp_path / "photos", 40)
    machines.ready(1)
    batch, said = batch_of(tmp_path), list[Notice]()
    with pytest.raises(BadInput, match="has had no worker for 3 s"):
        run(batch, Cluster(machines.address, said.append, 3), killed_when(10, *machines.workers))
    assert [*map(sentence, said)] == ["the cluster has no worker; waiting up to 3 s for one"]
    assert b'"error"' not in batch.journal.read_bytes()
    machines.worker()
    summary = done(batch, Cluster(machines.address))
    assert (summary.measured, summary.taken_over >= 10) == (40, True)


def test_a_photo_that_kills_the_worker_itself_is_found_one_by_one(tmp_path: Path, machines: Machines) -> None:
    paths = draw_photos(tmp_path / "photos", 12)
    paths[5].write_bytes(b"murderous")
    machines.ready(3)
    summary = done(batch_of(tmp_path), Cluster(machines.address))
    assert summary.failures == ((paths[5].as_posix(), "the worker died on this photo"),)


def test_a_photo_that_kills_its_process_costs_only_itself_also_on_a_nannys_worker_that_comes_late(
    tmp_path: Path, machines: Machines
) -> None:
    """Such workers are daemons, which by Python's rule have no children."""
    paths = draw_photos(tmp_path / "photos", 6)
    paths[3].write_bytes(b"deadly")
    machines.scheduler()
    machines.worker("--nanny")
    summary = done(batch_of(tmp_path), Cluster(machines.address))
    assert summary.failures == ((paths[3].as_posix(), "the measuring process died on this photo"),)


def test_workers_that_cannot_do_the_work_stop_it_and_cost_no_photo(tmp_path: Path, cluster: str) -> None:
    draw_photos(tmp_path / "photos", 3)
    batch = batch_of(tmp_path, work=Work("disc", (), "no_such_module:measure"))
    with pytest.raises(BadInput, match="workers cannot do the work: cannot find 'no_such_module:measure'"):
        done(batch, Cluster(cluster))
    assert len(batch.journal.read_bytes().splitlines()) == 1


def test_photos_that_the_workers_do_not_see_are_not_noted_as_bad(tmp_path: Path, cluster: str) -> None:
    draw_photos(tmp_path / "photos", 2)
    batch = batch_of(tmp_path)
    for photo in batch.photos:
        Path(photo.name).unlink()
    with pytest.raises(BadInput, match="is not there on a worker"):
        done(batch, Cluster(cluster))
    assert len(batch.journal.read_bytes().splitlines()) == 1
