"""A station in a program of its own, and people at it who fill in forms over the network."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.station.conftest import PINS, striker_form

_HERE = Path(__file__).resolve()
ROOT = _HERE.parent.parent.parent


@dataclass
class Running:
    """The program and where it listens."""

    process: subprocess.Popen[str]
    url: str

    def kill(self) -> None:
        """As a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def running(home: Path, port: int = 0) -> Iterator[Running]:
    script = _HERE.parent / "serving_station.py"
    # Homes are copies of one: what this computer remembers of one of them says nothing of another.
    environment = {"INSPECT_KIT_WITNESS": str(home.parent / "witness"), **os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, str(script), str(home), str(port)], stdout=subprocess.PIPE, text=True, env=environment
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield Running(process, process.stdout.readline().strip().rstrip("/"))
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


class Desk:
    """One browser of one person."""

    def __init__(self, url: str, name: str) -> None:
        self.client = httpx2.Client(base_url=url, timeout=60, follow_redirects=True, headers={"Accept-Language": "en"})
        self.name, self.event = name, ""
        self.page = self.client.get("/sign-in").text
        self.send("/sign-in", {"name": name, "pin": PINS[name], "back": "/"})

    def close(self) -> None:
        self.client.close()

    def client_token(self) -> str:
        """What the form of the last page brings along."""
        token = re.search(r'name="csrf" value="(\w+)"', self.page)
        assert token is not None, self.page[:500]
        return token[1]

    def send(self, path: str, data: dict[str, str]) -> httpx2.Response:
        answer = self.client.post(path, data={"csrf": self.client_token(), **data})
        self.page = answer.text
        return answer

    def announce(self, name: str = "Czech Open", sheet: str = "icf-2001-it") -> str:
        from datetime import date, timedelta

        self.page = self.client.get(f"/events/new?sheet={sheet}").text
        day = date.today()
        data = {"sheet": sheet, "name": name, "since": day.isoformat(), "rule": "guarded", "language": "en",
                "until": (day + timedelta(days=2)).isoformat(), "quota_striker": "2", "count_board": "20"}  # fmt: skip
        self.event = str(self.send("/events/new", data).url).rsplit("/", 1)[-1]
        return self.event

    def inspect(self, owner: str) -> str:
        """Gives the ticket once the verdict has been shown."""
        self.page = self.client.get(f"/events/{self.event}/desk/striker").text
        answer = self.send(f"/events/{self.event}/desk/striker", striker_form(self.page, owner))
        assert "Conforms" in self.page, answer.status_code
        return str(answer.url).rsplit("/", 1)[-1]

    def approve(self, ticket: str) -> None:
        answer = self.send(
            f"/events/{self.event}/tickets/{ticket}/decision", {"decision": "approve", "pin": PINS[self.name]}
        )
        assert "approved" in answer.text, answer.text[:500]
