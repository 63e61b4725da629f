"""A station in memory, people at it, and a real browser before it."""

from __future__ import annotations

import io
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from argon2 import PasswordHasher
from httpx2 import Response
from PIL import Image, ImageDraw
from starlette.testclient import TestClient

from inspect_kit.certificate.issue.keys import Founding, found, own_keyring, unlock
from inspect_kit.certificate.issue.seals import desk_key
from inspect_kit.checkin.roles import Role
from inspect_kit.registry.checkin import accounts
from inspect_kit.registry.checkin.entries import AccountSet
from inspect_kit.registry.opening import open_registry
from inspect_kit.station.app import create_app
from inspect_kit.station.photos import PhotoWorker
from inspect_kit.station.station import Station, open_station

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
PINS = {"Renata": "402861", "Tomáš": "739104", "Vera": "558237", "Oskar": "640918"}
ROLES = {"Renata": Role.REFEREE, "Oskar": Role.REFEREE, "Tomáš": Role.TESTER, "Vera": Role.VIEWER}
GOOD = {"mass": "14.82", "diameter": "41.0"}

CHROMIUM = shutil.which("chromium") or ""
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def missing(what: str) -> None:
    """A tool that is not there: a failure where CI must have it."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is not installed, and CI must have it")
    pytest.skip(f"{what} is not installed")


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    """Playwright, with a Chromium to drive."""
    if not CHROMIUM:
        missing("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright")
    with sync_playwright() as opened:
        yield opened


@pytest.fixture(scope="session", autouse=True)
def _quick_pins() -> Iterator[None]:
    """Hashing a PIN is slow on purpose; once is enough to see that it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, _quick_pins: None) -> Path:
    """Keys without a passphrase, a registry, and four people in it; made once."""
    home = tmp_path_factory.mktemp("issuer")
    found(home, Founding("Pražský carrom klub", "PCK", "Řehoř Áron"), None, NOW)
    registry = open_registry(home)
    for name, pin in PINS.items():
        accounts.set_account(registry, AccountSet(name, ROLES[name], by="test"), pin, NOW, desk_key(home).seal)
    return home


@pytest.fixture
def home(prepared: Path) -> Iterator[Path]:
    """A home in memory where there is one."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="kit-", dir=memory if os.access(memory, os.W_OK) else None) as place:
        copy = Path(place) / "home"
        shutil.copytree(prepared, copy)
        yield copy


@pytest.fixture
def station(home: Path) -> Station:
    """A station with keys and four people."""
    keys = unlock(home, "", None)
    return open_station(Station(home, open_registry(home), keys, (own_keyring(home),), now=lambda: NOW))


@pytest.fixture
def client(station: Station) -> TestClient:
    """A browser without scripts, without the thread that makes certificates."""
    return new_client(station)


class OnTheSpot:
    """A bench without a helper program: most tests of the station are not about photos, and starting one takes time."""

    def do(self, seconds: float, task: Callable[..., Any], *given: Any) -> Any:
        del seconds
        return _done(task, *given)


@lru_cache(maxsize=30)
def _done(task: Callable[..., Any], *given: Any) -> Any:
    """Each photo is measured once: the same photo says the same again."""
    return task(*given)


def new_client(station: Station, bench: PhotoWorker | None = None) -> TestClient:
    """One more browser at the station."""
    app = create_app(station, worker=bench or OnTheSpot())
    return TestClient(app, base_url="http://127.0.0.1", headers={"Accept-Language": "en"})


@dataclass
class Person:
    """Somebody who fills in forms the way a browser without scripts does."""

    client: TestClient
    name: str = ""
    event: str = ""
    last: Response = field(default_factory=lambda: Response(200))

    def get(self, path: str, status: int = 200) -> str:
        self.last = self.client.get(path)
        assert self.last.status_code == status, self.last.text[:3000]
        return self.last.text

    def post(self, path: str, data: dict[str, str], status: int = 200, files: object = None) -> str:
        token = csrf(self.last.text) or csrf(self.client.get("/sign-in").text) or csrf(self.client.get("/").text)
        self.last = self.client.post(path, data={"csrf": token, **data}, files=files)
        assert self.last.status_code == status, self.last.text[:3000]
        return self.last.text

    def sign_in(self, name: str) -> Person:
        self.get("/sign-in")
        self.post("/sign-in", {"name": name, "pin": PINS[name], "back": "/"})
        self.name = name
        return self

    def announce(self, **more: str) -> Person:
        self.get("/events/new?sheet=icf-2001-it")
        data = {
            "sheet": "icf-2001-it", "name": "Czech Open", "since": "2026-11-16", "until": "2026-11-18",
            "venue": "Praha", "rule": "guarded", "language": "en", "count_board": "3", "quota_striker": "2", **more,
        }  # fmt: skip
        self.post("/events/new", data)
        self.event = str(self.last.url).rsplit("/", 1)[-1]
        return self

    def at(self, rest: str = "") -> str:
        return f"/events/{self.event}{rest}"

    def inspect(self, owner: str = "Jan Novák", status: int = 200, files: object = None, **more: str) -> str:
        """Fill in the desk's form for a striker; gives the ticket."""
        page = self.get(self.at("/desk/striker"))
        data = striker_form(page, owner)
        data |= {names_of(page).get(key, key): value for key, value in more.items()}
        self.post(self.at("/desk/striker"), data, status, files)
        return str(self.last.url).rsplit("/", 1)[-1]

    def decide(self, ticket: str, decision: str, status: int = 200, **more: str) -> str:
        self.get(self.at(f"/tickets/{ticket}"))
        data = {"decision": decision, "pin": PINS[self.name], **more}
        return self.post(self.at(f"/tickets/{ticket}/decision"), data, status)


def csrf(page: str) -> str:
    match = re.search(r'name="csrf" value="([0-9a-f]{64})"', page)
    return match[1] if match else ""


def names_of(page: str) -> dict[str, str]:
    """The names of the desk's fields by what they ask for."""
    fields = re.findall(r'<label for="(q\d+)"><b>Striker, (\w+)', page)
    looks = re.findall(r'aria-labelledby="(q\d+)l" id="q\d+"><div><b id="q\d+l">([^<]+)', page)
    return {what: name for name, what in fields} | {what.split()[-1].strip("."): name for name, what in looks}


def striker_form(page: str, owner: str) -> dict[str, str]:
    """A striker that conforms."""
    names = names_of(page)
    ticket = re.search(r'name="ticket" value="(\w+)"', page)
    assert ticket is not None
    looks = {name: "yes" for what, name in names.items() if what not in GOOD}
    return {
        "ticket": ticket[1], "owner": owner, "text": "", "gauge_g": "scale-200g", "gauge_mm": "caliper-150",
        **looks, **{names[what]: value for what, value in GOOD.items()},
    }  # fmt: skip


@pytest.fixture
def referee(client: TestClient) -> Person:
    """The chief referee with an event."""
    return Person(client).sign_in("Renata").announce()


@pytest.fixture
def joined(station: Station, referee: Person) -> Callable[[str], Person]:
    """Others at the same event, each at their own browser."""

    def join(name: str) -> Person:
        person = Person(new_client(station)).sign_in(name)
        person.event = referee.event
        return person

    return join


@pytest.fixture(scope="session")
def photo() -> bytes:
    """A photograph of a striker, as a phone sends it."""
    image = Image.new("RGB", (1200, 900), "#c8b48a")
    ImageDraw.Draw(image).ellipse((350, 200, 850, 700), fill="#f4f1e4", outline="#333", width=6)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=85)
    return buffer.getvalue()


def _striker_on_the_mat(metal: tuple[float, float] | None = None, diameter: float = 41.2) -> bytes:
    """A white striker on the printed mat, photographed from 45 cm above."""
    from tests.scenes.render import photograph
    from tests.scenes.scene import Lens, Piece, Scene, Sensor, Stand
    from tests.scenes.table import COLOURS

    striker = Piece(0, 0, diameter, 8.0, 1.0, COLOURS["white"], "white", metal=metal)
    lens = Lens(1600, 1200, 2400.0, (799.5, 599.5))
    return photograph(Scene(lens, Stand(450, 0.08, 1.0, 1.57), (striker,), sensor=Sensor(1.0, 0.006), seed=3))


@pytest.fixture(scope="session")
def plain_striker() -> bytes:
    """A striker without metal, as wide as allowed but for a tenth of a millimetre."""
    return _striker_on_the_mat()


@pytest.fixture(scope="session")
def slim_striker() -> bytes:
    """A striker of 40.6 mm: far enough from the limit for a photo to decide."""
    return _striker_on_the_mat(diameter=40.6)


@pytest.fixture(scope="session")
def metal_striker() -> bytes:
    """A striker with a ring of metal in its face."""
    return _striker_on_the_mat((0.45, 0.8))


@pytest.fixture
def scale_port() -> Iterator[str]:
    """A scale that stands still at 14.82 g, on a socket."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        Thread(target=_weigh, args=(door,), daemon=True).start()
        yield f"socket://127.0.0.1:{door.getsockname()[1]}"


def _weigh(door: socket.socket) -> None:
    while True:
        try:
            line, _ = door.accept()
        except OSError:
            return
        with line:
            while asked := line.recv(64):
                line.sendall(b"S S      14.82 g\r\n" if asked[:1] == b"S" else b"ES\r\n")
