"""What all tests share: a run is the same every time, and reaches neither the clock's zone nor the user's home."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "kit", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("kit")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["INSPECT_KIT_LANG"] = "en"


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("INSPECT_KIT_WITNESS", str(tmp_path_factory.mktemp("witness")))


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).resolve().parent.parent
