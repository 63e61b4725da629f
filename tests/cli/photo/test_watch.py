"""`measure … --watch FOLDER`: photos as they arrive, half-written ones waited for, results beside them, Ctrl-C clean."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from inspect_kit import bounded_process
from inspect_kit.capture.files import sha256
from inspect_kit.cli.photo import measure as measuring
from inspect_kit.cli.photo.watch import PICTURE, RESULT, WatchedFolder, watch
from inspect_kit.cli.terminal import said
from inspect_kit.errors import BadInput, notice
from inspect_kit.inspection.photo_work import PhotoResult, PhotoWork
from tests.cli.conftest import Kit


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "from phone"
    place.mkdir()
    return place


def test_a_photo_is_taken_when_it_has_not_changed_between_two_looks(folder: Path) -> None:
    watched, photo = WatchedFolder(folder), folder / "IMG_1.JPG"
    photo.write_bytes(b"half")
    assert watched.whole() == []
    photo.write_bytes(b"half and the rest")
    assert watched.whole() == []
    assert watched.whole() == [photo]
    assert watched.whole() == []


def test_a_photo_that_is_written_anew_is_taken_again(folder: Path) -> None:
    watched, photo = WatchedFolder(folder), folder / "a.png"
    photo.write_bytes(b"one")
    assert [watched.whole(), watched.whole()] == [[], [photo]]
    photo.write_bytes(b"another")
    assert [watched.whole(), watched.whole()] == [[], [photo]]


@pytest.mark.parametrize("name", ["notes.txt", ".hidden.jpg", f"a.jpg{PICTURE}", "a.jpg.part"])
def test_what_is_no_photo_is_left_alone(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"x")
    watched = WatchedFolder(folder)
    assert [watched.whole(), watched.whole()] == [[], []]


def test_an_empty_file_and_a_folder_named_like_a_photo_are_waited_for(folder: Path) -> None:
    (folder / "empty.jpg").touch()
    (folder / "album.jpg").mkdir()
    watched = WatchedFolder(folder)
    assert [watched.whole(), watched.whole()] == [[], []]


def test_a_photo_whose_result_lies_beside_it_is_not_measured_again(folder: Path) -> None:
    (folder / "a.jpg").write_bytes(b"x")
    (folder / f"a.jpg{RESULT}").write_text(json.dumps({"photos": [{"sha256": sha256(b"x")}]}))
    watched = WatchedFolder(folder)
    assert [watched.whole(), watched.whole()] == [[], []]


def test_another_photo_of_the_same_name_is_measured_though_it_was_taken_before_the_result(folder: Path) -> None:
    photo = folder / "IMG_0001.jpg"
    (folder / f"{photo.name}{RESULT}").write_text(json.dumps({"photos": [{"sha256": sha256(b"first")}]}))
    photo.write_bytes(b"second")
    os.utime(photo, (1_000_000_000, 1_000_000_000))
    watched = WatchedFolder(folder)
    assert [watched.whole(), watched.whole()] == [[], [photo]]


def test_photos_in_folders_within_are_left_alone_and_the_first_line_says_so(folder: Path) -> None:
    (folder / "100APPLE").mkdir()
    (folder / "100APPLE" / "a.jpg").write_bytes(b"x")
    watched = WatchedFolder(folder)
    assert [watched.whole(), watched.whole()] == [[], []]
    assert "sub-folders" in said("watching", folder=folder)


def test_ctrl_c_ends_it_with_the_count(folder: Path) -> None:
    (folder / "a.jpg").write_bytes(b"x")
    seen: list[str] = []
    turns = iter(range(2))

    def wait() -> None:
        if next(turns, None) is None:
            raise KeyboardInterrupt

    assert watch(folder, lambda path: seen.append(path.name), wait) == 1
    assert seen == ["a.jpg"]


class _Helper:
    """Measures as a stranger's file says: one is broken, the other is as in the shipped example."""

    def __init__(self, memory: int) -> None:
        del memory

    def __enter__(self) -> _Helper:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def do(self, seconds: float, task: Callable[..., PhotoResult], work: PhotoWork) -> PhotoResult:
        del seconds, task
        if work.paths[0].name == "broken.jpg":
            raise BadInput("no-paper-found")
        from inspect_kit.capture.measurement_file import MeasurementFile, Photo
        from inspect_kit.values.measurement import Reading, StatedPart

        reading = Reading(
            "disc.diameter", "25.75", "1", "mm", "0.1", budget=(StatedPart("piece height", "0.1"),), pixel=(1.0, 2.0)
        )
        round_ = Reading("disc.roundness", "0.02", "1", "mm", "0.01", budget=(StatedPart("edge", "0.01"),))
        unstated = (notice("thickness-unstated", value="2.5", spread="1.2"),)
        file = MeasurementFile((reading, round_), (Photo("a.jpg", "0" * 64, 10, 10),), (), unstated)
        return PhotoResult(file, b"\x89PNG", "")


def test_results_are_written_beside_and_one_bad_photo_stops_nothing(
    folder: Path, kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_process, "BoundedProcess", _Helper)
    for name in ("broken.jpg", "good.jpg"):
        (folder / name).write_bytes(b"x")
    # Of a photo that bore the name before; what it gave must not lie beside another one.
    for ending in (RESULT, PICTURE):
        (folder / f"broken.jpg{ending}").write_bytes(b"{}")
    turns = iter(range(2))

    def wait() -> None:
        if next(turns, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "watch", lambda place, handle: watch(place, handle, wait))
    done = kit("measure", "discs", "--watch", str(folder))
    assert done.code == 0, done.err
    assert "25.75 mm" in done.out
    assert "what would gain most: the thickness, measured with a caliper (--thickness): U falls from 0.20" in done.err
    assert "broken.jpg: no sheet of paper can be made out" in done.err
    assert json.loads((folder / f"good.jpg{RESULT}").read_text())["measurements"][0]["value"] == 25.75
    assert (folder / f"good.jpg{PICTURE}").read_bytes() == b"\x89PNG"
    assert not (folder / f"broken.jpg{RESULT}").exists()
    assert not (folder / f"broken.jpg{PICTURE}").exists()


@pytest.mark.parametrize("more", [["photo.jpg"], ["--overlay", "seen.png"]])
def test_photos_and_an_overlay_do_not_go_with_it(folder: Path, kit: Kit, more: list[str]) -> None:
    done = kit("measure", "discs", "--watch", str(folder), *more)
    assert done.code == 2
    assert "do not go with --watch" in done.err


def test_a_folder_that_is_not_there_is_said(tmp_path: Path, kit: Kit) -> None:
    done = kit("measure", "coins", "--watch", str(tmp_path / "nowhere"))
    assert done.code == 2
    assert "is no folder" in done.err


def test_neither_photos_nor_a_folder_is_wrong_usage(kit: Kit) -> None:
    assert kit("measure", "coins").code == 2


def test_an_interrupt_from_outside_leaves_nothing_behind(folder: Path) -> None:
    program = shutil.which("inspect-kit", path=Path(sys.executable).parent)
    assert program is not None
    command = [program, "measure", "discs", "--watch", str(folder)]
    # Tests started in the background ignore interrupts, and so would the program.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as running:
        assert running.stderr is not None
        assert "watching" in running.stderr.readline()
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        told = running.stderr.read()
        assert running.wait(30) == 0
    assert "stopped; photos looked at: 0" in told
    assert list(folder.iterdir()) == []
