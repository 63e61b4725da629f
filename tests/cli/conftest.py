from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from inspect_kit.cli.app import app, run


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Kit = Callable[..., Result]


@pytest.fixture
def kit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Kit:
    """The command as a user calls it: arguments in, exit code and both streams out."""

    def call(*arguments: object, typed: str = "") -> Result:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        capsys.readouterr()
        code = run(app, [str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call
