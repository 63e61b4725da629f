"""Photographs made to keep a decoder busy."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.cli.app import app, run
from inspect_kit.errors import BadInput


def _progressive(scans: int) -> bytes:
    """A progressive JPEG whose last pass is said again and again."""
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize((800, 600)).save(buffer, "JPEG", progressive=True, quality=50)
    content = buffer.getvalue()
    last = content.rindex(b"\xff\xda")
    return content[:last] + content[last:-2] * scans + content[-2:]


def test_a_jpeg_of_four_thousand_scans_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(BadInput, match="too many scans"):
        open_photograph(_progressive(4000), "slow.jpg")


def test_a_progressive_jpeg_is_read() -> None:
    assert open_photograph(_progressive(1), "usual.jpg").width == 800


def test_measure_refuses_a_jpeg_of_four_thousand_scans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "slow.jpg").write_bytes(_progressive(4000))
    assert run(app, ["measure", "striker", str(tmp_path / "slow.jpg")]) == 4
    assert "too many scans" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("bound", "value", "told"),
    [("_SECONDS", 0.01, "took longer than 0.01 s"), ("_MEMORY", 250_000_000, "memory")],
)
def test_measuring_a_photo_ends_at_its_bounds(
    bound: str,
    value: float,
    told: str,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(f"inspect_kit.cli.photo.measure.{bound}", value)
    assert run(app, ["measure", "striker", str(repository / "reports" / "examples" / "striker-44.jpg")]) == 4
    assert told in capsys.readouterr().err


def test_ctrl_c_ends_a_measuring_and_its_helper(tmp_path: Path, repository: Path) -> None:
    photo = repository / "reports" / "examples" / "striker-44.jpg"
    command = [sys.executable, "-m", "inspect_kit", "measure", "striker", *[str(photo)] * 3]
    # In a group of its own, so that the signal meets the command alone, as `kill -INT` does.
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, cwd=tmp_path) as begun:
        helpers: list[str] = []
        while not helpers and begun.poll() is None:
            listed = Path(f"/proc/{begun.pid}/task/{begun.pid}/children").read_text().split()
            helpers = [each for each in listed if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]
            time.sleep(0.02)
        assert helpers
        begun.send_signal(signal.SIGINT)
        begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert not any(Path(f"/proc/{each}").exists() for each in helpers)
