"""`instruments learn --port` as a person goes through it: prompts are read, weights changed, the pan touched."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspect_kit.capture.learned_dialects import read_dialect


class UnknownScale:
    """A scale on a pseudo-terminal that sends all the time, in a form of its own."""

    def __init__(self, *, marks_motion: bool = True) -> None:
        self.weight, self.touched, self.silent = "7.122", False, False
        self._marks = marks_motion
        self._end, other = os.openpty()
        tty.setraw(self._end)
        tty.setraw(other)
        self.port = os.ttyname(other)
        self._other = other
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def _send(self) -> None:
        turn = 0
        while not self._stop.wait(0.03):
            turn += 1
            number = f"{float(self.weight) + 0.013 * (turn % 7):.3f}" if self.touched else self.weight
            mark = " " if self.touched and self._marks else "*"
            if not self.silent:
                os.write(self._end, f"W:{number:>8} g {mark}\r\n".encode())

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        os.close(self._end)
        os.close(self._other)


@contextmanager
def learning(scale: UnknownScale, home: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "inspect_kit", "--home", str(home), "instruments", "learn", "--port", scale.port,
               "--instrument", "desk-scale", "--seconds", "1"]  # fmt: skip
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=0
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        scale.close()


def prompted(process: subprocess.Popen[str], words: str) -> str:
    """What is said up to these words; the test ends where they never come."""
    assert process.stderr is not None
    said = ""
    while words not in said:
        letter = process.stderr.read(1)
        assert letter, said
        said += letter
    return said


def answer(process: subprocess.Popen[str], text: str = "") -> None:
    assert process.stdin is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


def test_a_scale_at_a_port_is_taught_by_two_weights_and_a_touch(tmp_path: Path) -> None:
    scale = UnknownScale()
    with learning(scale, tmp_path) as process:
        prompted(process, "Put something on the scale and wait until it stands still; then press Return")
        answer(process)
        shown = prompted(process, "What does the display show (with its unit)")
        assert "'W:   7.122 g *'" in shown
        answer(process, "7.122 g")
        prompted(process, "Now something of another weight; then press Return")
        scale.weight = "14.820"
        time.sleep(0.2)
        answer(process)
        prompted(process, "What does the display show (with its unit)")
        answer(process, "14.82g")
        prompted(process, "touch the pan")
        scale.touched = True
        answer(process)
        out, err = process.communicate(timeout=60)
        scale.touched = False
        command = [sys.executable, "-m", "inspect_kit", "--home", str(tmp_path), "read", "scale", "--port", scale.port]
        read = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert process.returncode == 0, err
    assert "learned:desk-scale" in out
    # Without --protocol what was learned is tried with the rest.
    assert read.stdout.startswith("14.820 g  ('W:  14.820 g *', learned:desk-scale"), read.stderr
    dialect = read_dialect(tmp_path / "instruments" / "desk-scale.dialect.toml")
    assert dialect.parse("W:  12.345 g *").number == "12.345"
    assert dialect.parse("W:  12.345 g  ").status.value == "unstable"


def test_a_scale_whose_moving_lines_look_stable_is_not_learned(tmp_path: Path) -> None:
    scale = UnknownScale(marks_motion=False)
    with learning(scale, tmp_path) as process:
        for weight in ("7.122", "14.820"):
            prompted(process, "then press Return")
            scale.weight = weight
            time.sleep(0.2)
            answer(process)
            prompted(process, "What does the display show")
            answer(process, f"{weight} g")
        prompted(process, "touch the pan")
        scale.touched = True
        answer(process)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "moving lines look like stable ones" in err
    assert not (tmp_path / "instruments" / "desk-scale.dialect.toml").exists()


def test_a_display_that_says_something_else_teaches_nothing(tmp_path: Path) -> None:
    scale = UnknownScale()
    with learning(scale, tmp_path) as process:
        for _ in range(2):
            prompted(process, "then press Return")
            answer(process)
            prompted(process, "What does the display show")
            answer(process, "7.999 g")
        prompted(process, "touch the pan")
        answer(process)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "no line says 7.999 g" in err


def test_a_silent_port_is_a_sentence(tmp_path: Path) -> None:
    scale = UnknownScale()
    scale.silent = True
    with learning(scale, tmp_path) as process:
        prompted(process, "then press Return")
        answer(process)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "no whole line came within 1 s" in err
