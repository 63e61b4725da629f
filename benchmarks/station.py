"""Twenty desks at once for thirty seconds at one station, beside an empty page of the same station; loopback only."""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from inspect_kit.certificate.issue.keys import Founding, found
from inspect_kit.certificate.issue.seals import desk_key
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.checkin.accounts import set_account
from inspect_kit.registry.checkin.entries import AccountSet
from inspect_kit.registry.checkin.store import inspections, unissued
from inspect_kit.registry.opening import Registry, open_registry

DESKS = 20
SECONDS = 30.0
"""How long the desks certify, without a pause."""
MOST_RATIO = 10.0
"""Times an empty page's 95 % that the walk's 95 % may take."""
PATIENCE = 600.0
"""Seconds that the certificates of those decisions may take after the last one."""
PIN = "402861"
_SERVER = """
import sys; from pathlib import Path
from inspect_kit.certificate.issue.keys import own_keyring, unlock
from inspect_kit.registry.opening import open_registry
from inspect_kit.station.web.serving import ServerAddress, serve
from inspect_kit.station.station import Station
home = Path(sys.argv[1])
station = Station(home, open_registry(home), unlock(home, "", None), (own_keyring(home),))
serve(station, ServerAddress("127.0.0.1", 0), lambda address: print(address, flush=True))
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the station said."""

    status: int
    headers: dict[str, str]
    text: str


class Line:
    """A browser's connection, kept open. So plain that the time it takes itself does not hide the station's."""

    def __init__(self, host: str, port: int) -> None:
        self.place = (host, port)
        self.cookies: dict[str, str] = {}
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, method: str, path: str, data: dict[str, str] | None) -> Answer:
        """One request and its answer."""
        if self.streams is None:
            self.streams = await asyncio.open_connection(*self.place, limit=1_000_000)
        reader, writer = self.streams
        body = urlencode(data or {}).encode() if method == "POST" else b""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Language: en\r\nCookie: {cookies}\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {}
        for line in filter(None, lines):
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
            if name.lower() == "set-cookie":
                key, _, kept = value.partition(";")[0].partition("=")
                self.cookies[key] = kept
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        return Answer(int(first.split()[1]), headers, content.decode())

    async def close(self) -> None:
        """Hang up."""
        if self.streams is not None:
            self.streams[1].close()
            await self.streams[1].wait_closed()


class Desk:
    """One browser; notes how long each answer took."""

    def __init__(self, url: str, name: str, event: str = "") -> None:
        place = urlsplit(url)
        self.line = Line(place.hostname or "", place.port or 80)
        self.name, self.event, self.page = name, event, ""
        self.times: dict[str, list[float]] = {}

    async def ask(self, kind: str, method: str, path: str, data: dict[str, str] | None = None) -> Answer:
        """One request, timed."""
        token = re.search(r'name="csrf" value="(\w+)"', self.page)
        form = {**data, "csrf": token[1] if token else ""} if data is not None else None
        start = time.perf_counter()
        answer = await self.line.request(method, path, form)
        self.times.setdefault(kind, []).append(time.perf_counter() - start)
        if answer.status >= 400:
            raise SystemExit(f"{kind}: {answer.status} {answer.text[:200]}")
        self.page = answer.text or self.page
        return answer

    async def sign_in(self) -> None:
        """Name and PIN."""
        await self.ask("sign in", "GET", "/sign-in")
        await self.ask("sign in", "POST", "/sign-in", {"name": self.name, "pin": PIN, "back": "/"})
        await self.ask("sign in", "GET", "/")

    async def announce(self) -> str:
        """An event; gives its name in addresses."""
        await self.ask("event", "GET", "/events/new?sheet=icf-2001-it")
        day = date.today().isoformat()
        form = {"sheet": "icf-2001-it", "name": "Load", "since": day, "until": day, "rule": "guarded", "language": "en"}
        answer = await self.ask("event", "POST", "/events/new", form)
        return answer.headers["location"].rsplit("/", 1)[-1]

    async def ask_often(self, kind: str, path: str) -> None:
        """The same page again and again."""
        for _ in range(5):
            await self.ask(kind, "GET", path)

    async def certify(self, owner: str) -> None:
        """The whole walk for one striker."""
        desk = f"/events/{self.event}/desk/striker"
        await self.ask("form", "GET", desk)
        where = (await self.ask("verdict", "POST", desk, _filled(self.page, owner))).headers["location"]
        await self.ask("verdict page", "GET", where)
        await self.ask("decision", "POST", f"{where}/decision", {"decision": "approve", "pin": PIN})
        await self.ask("decision page", "GET", where)


def _filled(page: str, owner: str) -> dict[str, str]:
    fields = dict(re.findall(r'<label for="(q\d+)"><b>Striker, (\w+)', page))
    looks = dict.fromkeys(re.findall(r'aria-labelledby="(q\d+)l"', page), "yes")
    ticket = re.search(r'name="ticket" value="(\w+)"', page)
    values = {name: "14.82" if what == "mass" else "41.0" for name, what in fields.items()}
    return {"ticket": ticket[1] if ticket else "", "owner": owner, "gauge_g": "scale-200g", "gauge_mm": "caliper-150",
            **looks, **values}  # fmt: skip


async def _run(url: str) -> tuple[str, list[Desk], float]:
    first = Desk(url, "Referee 0")
    await first.sign_in()
    event = await first.announce()
    desks = [Desk(url, f"Referee {number}", event) for number in range(DESKS)]
    for desk in desks:
        await desk.sign_in()
    await desks[0].certify("Warm up")
    desks[0].times.clear()
    took, turn = 0.0, 0
    # In turns: a machine that is busy with other things for a while is so for both.
    while took < SECONDS:
        # A page with nothing on it: who asks is looked up, the frame is drawn. And bare bytes, to compare with.
        await asyncio.gather(*(desk.ask_often("empty page", "/look-up") for desk in desks))
        await asyncio.gather(*(desk.ask_often("bare bytes", "/empty") for desk in desks))
        start, turn = time.perf_counter(), turn + 1
        await asyncio.gather(*(desk.certify(f"{desk.name.replace(' ', '')}x{turn}") for desk in desks))
        took += time.perf_counter() - start
    for desk in (first, *desks):
        await desk.line.close()
    return event, desks, took


def _prepared(home: Path) -> Registry:
    found(home, Founding("Load Club", "LC", "Inspector"), None, datetime.now(UTC))
    registry = open_registry(home)
    for number in range(DESKS):
        body = AccountSet(f"Referee {number}", "referee", by="load")
        set_account(registry, body, PIN, datetime.now(UTC), desk_key(home).seal)
    return registry


def _report(desks: list[Desk], took: float) -> None:
    times: dict[str, list[float]] = {}
    for desk in desks:
        for kind, values in desk.times.items():
            times.setdefault(kind, []).extend(values)
    times.pop("sign in", None)
    empty_times, bare = times.pop("empty page"), statistics.median(times.pop("bare bytes"))
    empty = statistics.median(empty_times)
    print(f"bare bytes, {DESKS} desks at once         median {1000 * bare:7.1f} ms")
    print(f"empty page, {DESKS} desks at once         median {1000 * empty:7.1f} ms")
    for kind, values in times.items():
        middle = statistics.median(values)
        print(
            f"{kind:38} median {1000 * middle:7.1f} ms  {middle / empty:5.2f} ×   95 % {1000 * _slow(values):7.1f} ms"
        )
    walked = [value for values in times.values() for value in values]
    everything, ratio = statistics.median(walked), _slow(walked) / _slow(empty_times)
    print(f"all answers of the walk                median {1000 * everything:7.1f} ms  {everything / empty:5.2f} ×")
    print(f"  beside bare bytes {everything / bare:.2f} ×")
    print(f"95 % of the walk {1000 * _slow(walked):.0f} ms, of an empty page {1000 * _slow(empty_times):.0f} ms: "
          f"{ratio:.2f} ×; the bar is {MOST_RATIO:g} ×")  # fmt: skip
    decided = len(times["decision"])
    print(f"{decided} strikers decided in {took:.1f} s: {took * DESKS / decided:.1f} s a striker and desk")


def _slow(values: list[float]) -> float:
    """What 95 in 100 took at most."""
    return sorted(values)[int(0.95 * (len(values) - 1))]


def main() -> None:
    """Print the figures, and fail if anything was lost."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        registry = _prepared(home)
        command = [sys.executable, "-c", _SERVER, str(home)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as server:
            assert server.stdout is not None
            try:
                event, desks, took = asyncio.run(_run(server.stdout.readline().strip()))
                start = time.perf_counter()
                while _waiting(registry) and time.perf_counter() - start < PATIENCE:
                    time.sleep(1)
                extra = time.perf_counter() - start
            finally:
                server.terminate()
        _report(desks, took)
        # In one view: read one after the other, a certificate made in between would be counted twice or not at all.
        with registry.reading() as connection:
            seen, waiting = inspections(connection, event), len(unissued(connection))
        approved = sum(each.decision == "approve" for each in seen)
        certified = len({each.number for each in seen if each.number})
        faults = audit(registry, lambda _: lambda _: None).faults
        print(f"approved {approved}, certified {certified}, audit faults {len(faults)}")
        print(f"certificates {extra:.0f} s after the last decision: {waiting} waiting, "
              f"{certified / (took + extra):.1f} a second made")  # fmt: skip
        if (
            approved != sum(len(desk.times["decision"]) for desk in desks) + 1
            or certified + waiting != approved
            or faults
        ):
            raise SystemExit("entries were lost")


def _waiting(registry: Registry) -> int:
    with registry.reading() as connection:
        return len(unissued(connection))


if __name__ == "__main__":
    main()
