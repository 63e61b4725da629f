"""Batches: any crew, any interruption, the same file in the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.batch.run import Batch, FolderWatch, Summary, find_photos, run
from inspect_kit.quality.batch.workers import BatchPhoto, PhotoBounds, Pool, Work, check_function, measured_line
from tests.quality.batch.photo_measuring import draw_photos

FUNCTION = "tests.quality.batch.photo_measuring:measure"
RUN = (sys.executable, "-m", "tests.quality.batch.run_batch")
WORK = Work("disc", (("print_scale", "0.5"),), FUNCTION)


class Alone:
    """A crew of one, in this process; it may leave after some photos, and it begins at the end."""

    def __init__(self, leaves_after: int = 10**9) -> None:
        self.leaves_after = leaves_after

    def measured(self, photos: Iterable[BatchPhoto], work: Work) -> Iterator[bytes]:
        for number, photo in enumerate(reversed(list(photos))):
            if number >= self.leaves_after:
                raise KeyboardInterrupt
            yield measured_line(photo, work)


@pytest.fixture(autouse=True)
def _importable(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(repository))


def batch_of(folder: Path, name: str = "out.jsonl", **more: Any) -> Batch:
    work = more.pop("work", WORK)
    return Batch(find_photos([folder / "photos"]), work, folder / name, **more)


def done(batch: Batch, crew: Any = None) -> Summary:
    return run(batch, crew or Alone(), lambda _: None)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_photo_has_its_line_in_the_order_of_the_photos(tmp_path: Path) -> None:
    paths = draw_photos(tmp_path / "photos", 10)
    summary = done(batch_of(tmp_path))
    heading, *rest = lines(tmp_path / "out.jsonl")
    assert heading == {"batch": 1, "measure": "disc", "options": {"print_scale": "0.5"}, "function": FUNCTION}
    assert [line["photo"] for line in rest] == [path.as_posix() for path in paths]
    assert 11.4 < rest[0]["result"]["measurements"][0]["value"] < 11.6
    assert summary == Summary(10, 10, 0, ())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "photos"]


def test_one_bad_photo_does_not_stop_the_rest(tmp_path: Path) -> None:
    paths = draw_photos(tmp_path / "photos", 6)
    paths[2].write_bytes(b"\x89PNG not a picture")
    paths[4].write_bytes(b"")
    missing = tmp_path / "gone.jpg"
    batch = Batch(find_photos([tmp_path / "photos", missing]), WORK, tmp_path / "out.jsonl")
    summary = done(batch)
    assert (summary.photos, summary.measured) == (7, 4)
    assert [name for name, _ in summary.failures] == [path.as_posix() for path in (paths[2], paths[4], missing)]
    assert "is not a photo" in summary.failures[0][1]
    assert "No such file" in summary.failures[2][1]


def test_a_fault_of_the_measuring_function_is_that_photos_own_matter(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos", 3)
    summary = done(batch_of(tmp_path, work=Work("disc", (("print_scale", "wide"),), FUNCTION)))
    assert summary.measured == 0
    assert all("ValueError" in reason for _, reason in summary.failures)


def test_several_processes_give_the_same_bytes_as_one(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos", 23)
    done(batch_of(tmp_path, "alone.jsonl"))
    summary = done(batch_of(tmp_path, "pool.jsonl"), Pool(2))
    assert summary.measured == 23
    assert (tmp_path / "pool.jsonl").read_bytes() == (tmp_path / "alone.jsonl").read_bytes()


def test_a_photo_that_brings_its_process_down_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    paths = draw_photos(tmp_path / "photos", 9)
    paths[5].write_bytes(b"deadly")
    summary = done(batch_of(tmp_path), Pool(2))
    assert summary.failures == ((paths[5].as_posix(), "the measuring process died on this photo"),)
    assert summary.measured == 8


@pytest.mark.parametrize("photos", [0, 1, 13])
def test_interrupted_and_taken_up_again_the_result_is_the_same(tmp_path: Path, photos: int) -> None:
    draw_photos(tmp_path / "photos", 18)
    done(batch_of(tmp_path, "whole.jsonl"))
    with pytest.raises(KeyboardInterrupt):
        done(batch_of(tmp_path), Alone(leaves_after=photos))
    assert not (tmp_path / "out.jsonl").exists()
    crew = Alone()
    summary = done(batch_of(tmp_path), crew)
    assert summary.taken_over == photos
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_line_that_was_cut_off_is_measured_again(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos", 8)
    done(batch_of(tmp_path, "whole.jsonl"))
    batch = batch_of(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        done(batch, Alone(leaves_after=4))
    batch.journal.write_bytes(batch.journal.read_bytes()[:-7])
    summary = done(batch)
    assert summary.taken_over == 3
    assert batch.out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_killed_by_the_system_and_taken_up_again_the_result_is_the_same(tmp_path: Path, repository: Path) -> None:
    draw_photos(tmp_path / "photos", 40)
    done(batch_of(tmp_path, "whole.jsonl"))
    arguments = [*RUN, f"{tmp_path}/photos", f"{tmp_path}/out.jsonl", "12"]
    child = subprocess.run(arguments, cwd=repository, start_new_session=True, check=False)
    assert child.returncode == -signal.SIGKILL
    assert not (tmp_path / "out.jsonl").exists()
    summary = done(batch_of(tmp_path))
    assert summary.taken_over == 12
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_finished_batch_measures_only_what_is_new_or_changed(tmp_path: Path) -> None:
    paths = draw_photos(tmp_path / "photos", 8)
    done(batch_of(tmp_path))
    draw_photos(tmp_path / "photos" / "more", 2)
    paths[0].write_bytes(paths[1].read_bytes() + b"changed")
    summary = done(batch_of(tmp_path))
    assert (summary.photos, summary.taken_over) == (10, 7)


def test_what_failed_is_tried_again_only_if_asked_for(tmp_path: Path) -> None:
    paths = draw_photos(tmp_path / "photos", 4)
    paths[1].write_bytes(b"x")
    assert done(batch_of(tmp_path)).taken_over == 0
    assert done(batch_of(tmp_path)).taken_over == 4
    assert done(batch_of(tmp_path, retry=True)).taken_over == 3
    assert done(batch_of(tmp_path)).measured == 3


def test_other_settings_do_not_mix_with_earlier_results(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos", 2)
    done(batch_of(tmp_path))
    other = Work("disc", (("print_scale", "0.6"),), FUNCTION)
    with pytest.raises(UsageError, match="was begun with other settings"):
        done(batch_of(tmp_path, work=other))
    assert done(batch_of(tmp_path, work=other, again=True)).taken_over == 0
    assert lines(tmp_path / "out.jsonl")[0]["options"] == {"print_scale": "0.6"}


@pytest.mark.parametrize("again", [False, True])
def test_a_file_that_is_no_batch_is_never_overwritten(tmp_path: Path, again: bool) -> None:
    (path,) = draw_photos(tmp_path / "photos", 1)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="is no batch's results"):
        done(Batch(find_photos([path]), WORK, path, again=again))
    assert path.read_bytes() == before


def test_a_journal_that_was_damaged_inside_is_refused(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos", 8)
    batch = batch_of(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        done(batch, Alone(leaves_after=4))
    batch.journal.write_bytes(batch.journal.read_bytes().replace(b'{"photo"', b'{"phot', 1))
    with pytest.raises(BadInput, match="out.jsonl.part"):
        done(batch)


def test_two_batches_do_not_write_one_file(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos", 2)

    class Meddling(Alone):
        def measured(self, photos: Iterable[BatchPhoto], work: Work) -> Iterator[bytes]:
            done(batch_of(tmp_path))
            return super().measured(photos, work)

    with pytest.raises(UsageError, match="another batch is at work"):
        done(batch_of(tmp_path), Meddling())


def test_folders_are_searched_below_and_links_do_not_lead_in_circles(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos" / "b", 1)
    draw_photos(tmp_path / "photos" / "a", 1)
    (tmp_path / "photos" / "notes.txt").write_text("no photo")
    (tmp_path / "photos" / "circle").symlink_to(tmp_path / "photos")
    names = [photo.name for photo in find_photos([tmp_path / "photos"])]
    assert [name.rsplit("/", 2)[1] for name in names] == ["a", "b"]


def test_a_pipe_among_the_photos_or_in_the_place_of_the_results_stops_nobody(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos", 2)
    os.mkfifo(tmp_path / "photos" / "pipe.jpg")
    assert done(batch_of(tmp_path)).failures == (((tmp_path / "photos" / "pipe.jpg").as_posix(), "is no file"),)
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(UsageError, match="is no batch's results"):
        done(batch_of(tmp_path, "pipe.jsonl"))


def test_a_folder_without_photos_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no photo"):
        find_photos([tmp_path])


@pytest.mark.parametrize("name", ["nowhere", "no_such_module:measure", "json:no_such", "json:__doc__"])
def test_a_function_that_does_not_exist_is_said_at_once(name: str) -> None:
    with pytest.raises(UsageError):
        check_function(Work("disc", (), name))


def test_every_finished_line_can_be_kept_elsewhere_too(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos", 3)
    kept: list[dict[str, Any]] = []
    run(batch_of(tmp_path), Alone(), lambda _: None, [kept.append])
    assert [line["photo"] for line in kept] == [line["photo"] for line in lines(tmp_path / "out.jsonl")[1:]]


def test_a_photo_replaced_by_one_of_the_same_size_is_measured_again(tmp_path: Path) -> None:
    draw_photos(tmp_path / "photos", 4)
    paths = sorted((tmp_path / "photos").iterdir())
    done(batch_of(tmp_path))
    changed = bytearray(paths[0].read_bytes())
    changed[-1] ^= 1
    paths[0].write_bytes(changed)
    assert done(batch_of(tmp_path)).taken_over == 3


def test_photos_are_in_the_order_in_which_people_count(tmp_path: Path) -> None:
    for name in ("IMG_10.jpg", "IMG_2.jpg", "IMG_1.jpg"):
        (tmp_path / name).write_bytes(b"x")
    assert [Path(photo.name).name for photo in find_photos([tmp_path])] == ["IMG_1.jpg", "IMG_2.jpg", "IMG_10.jpg"]


def test_a_photo_that_never_comes_to_an_end_is_given_up_and_named(tmp_path: Path) -> None:
    paths = draw_photos(tmp_path / "photos", 4)
    paths[1].write_bytes(b"hanging")
    bounds = PhotoBounds(seconds=8)
    summary = done(batch_of(tmp_path, work=Work("disc", WORK.options, FUNCTION, bounds=bounds)), Pool(1))
    assert summary.failures == ((paths[1].as_posix(), "took longer than 8 s and was given up"),)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows bounds no program's memory")
def test_a_photo_that_wants_too_much_memory_is_given_up_and_named(tmp_path: Path) -> None:
    paths = draw_photos(tmp_path / "photos", 3)
    paths[1].write_bytes(b"greedy")
    summary = done(batch_of(tmp_path), Pool(1))
    assert summary.failures == ((paths[1].as_posix(), "there is not enough memory for it"),)


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_batch_that_is_killed_or_interrupted_leaves_no_process_behind(
    tmp_path: Path, repository: Path, ending: signal.Signals
) -> None:
    """Two photos that never end: whoever measures them would go on for ten minutes."""
    paths = draw_photos(tmp_path / "photos", 6)
    for path in paths[:2]:
        path.write_bytes(b"hanging")
    command = [*RUN, f"{tmp_path}/photos", f"{tmp_path}/out.jsonl", "-1"]
    child = subprocess.Popen(command, cwd=repository, stderr=subprocess.DEVNULL)
    helpers = _children(child.pid, 2)
    child.send_signal(ending)
    child.wait(60)
    end = time.monotonic() + 60
    while any(_alive(pid) for pid in helpers) and time.monotonic() < end:
        time.sleep(0.1)
    assert not [pid for pid in helpers if _alive(pid)]
    assert not (tmp_path / "out.jsonl").exists()


def _children(pid: int, wanted: int) -> list[int]:
    """The measuring processes of a batch, once so many of them are there."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pids = [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        pids += [
            int(t) for each in Path(f"/proc/{pid}/task").iterdir() for t in (each / "children").read_text().split()
        ]
        measuring = {each for each in pids if b"spawn_main" in _command(each)}
        if len(measuring) >= wanted:
            return sorted(measuring)
        time.sleep(0.1)
    raise AssertionError("the batch did not start its processes")


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _alive(pid: int) -> bool:
    """Whether a process still runs; one that only waits to be counted as dead does not."""
    return b"spawn_main" in _command(pid)


def test_a_watched_folder_is_taken_up_as_it_fills_and_a_growing_photo_waits(tmp_path: Path) -> None:
    looks = iter(range(100))
    photos = tmp_path / "photos"
    photos.mkdir()

    def pause() -> None:
        """Between looks: a photo comes, grows, and is whole."""
        number = next(looks)
        if number == 1:
            (photos / "IMG_1.jpg").write_bytes(b"half")
        if number == 2:
            (photos / "IMG_1.jpg").write_bytes(b"the whole photo")
        if number == 5:
            (photos / "IMG_2.jpg").write_bytes(b"another")

    seen = [[Path(photo.name).name for photo in found] for found in FolderWatch([photos], pause, idle=5).filling()]
    assert seen == [["IMG_1.jpg"], ["IMG_1.jpg", "IMG_2.jpg"]]
    assert next(looks) >= 10
