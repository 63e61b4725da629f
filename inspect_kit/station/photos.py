"""Photos at the desk: kept as evidence, measured in their turn by a helper program, shown with what was found."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec import structs
from starlette.responses import Response, StreamingResponse

from inspect_kit.atomic_write import written_beside
from inspect_kit.bounded_process import BoundedPool, cores
from inspect_kit.capture.measurement_file import Photo
from inspect_kit.checkin import photo_reading
from inspect_kit.checkin.form import fields_of
from inspect_kit.errors import BadInput, Fault, InspectKitError, Notice, system_errors_as, worded_fact
from inspect_kit.inspection.record import open_record
from inspect_kit.registry.checkin.store import DeskInspection, is_ticket, recorded
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.station.web.visit import Visit, not_found

LINES: Final = "application/x-ndjson"
"""How a browser asks for news while it waits."""
_PATIENCE: Final = 180.0
"""Seconds in the line before one is sent away."""
_LONGEST: Final = 24
"""Photos that wait at most; each is held in memory."""

Tell = Callable[[int], None]
"""Told how many are before one, whenever that changes; 0 when it is one's turn."""


def ignore_progress(before: int) -> None:
    """Nobody listens."""
    del before


@dataclass(slots=True)
class WaitingLine:
    """First come, first served, `places` at a time."""

    places: int
    _changed: Condition = field(default_factory=Condition, init=False, repr=False)
    _waiting: list[object] = field(default_factory=list, init=False, repr=False)
    _busy: int = field(default=0, init=False, repr=False)

    @contextmanager
    def turn(self, tell: Tell = ignore_progress) -> Iterator[None]:
        """Wait for one's turn, and hold it."""
        self._take(tell)
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def _take(self, tell: Tell) -> None:
        me, until, told = object(), time.monotonic() + _PATIENCE, -1
        with self._changed:
            if len(self._waiting) >= _LONGEST:
                raise _too_many()
            self._waiting.append(me)
            try:
                while (before := self._before(me)) > 0:
                    if before != told:
                        tell(told := before)
                    if not self._changed.wait(until - time.monotonic()):
                        raise _too_many()
                self._busy += 1
            finally:
                self._waiting.remove(me)
                self._changed.notify_all()
        tell(0)

    def _before(self, me: object) -> int:
        """Photos that must be done before this one is begun."""
        return self._waiting.index(me) + 1 + self._busy - self.places


def _too_many() -> BadInput:
    return BadInput("too-much-being-worked-once")


def in_line(visit: Visit, work: Callable[..., Response]) -> Response:
    """The work done; a script that asks for news is told its place in the line meanwhile."""
    return streamed(work) if visit.request.headers.get("accept") == LINES else work()


def streamed(work: Callable[[Tell], Response]) -> Response:
    """What the work answers, after a line for every step forward: `{"before": 2}` … `{"status": 200, "part": "…"}`."""

    def told(put: PutLine) -> None:
        answer = work(lambda before: put({"before": before}))
        go = answer.headers.get("location", "")
        put({"status": answer.status_code, "part": bytes(answer.body).decode(), **({"go": go} if go else {})})

    return in_lines(told)


PutLine = Callable[[dict[str, object]], None]
"""Sends one line more to the browser."""


def in_lines(work: Callable[[PutLine], None]) -> Response:
    """One JSON document a line, each when the work puts it."""
    return StreamingResponse(_lines(work), media_type=LINES)


def _lines(work: Callable[[PutLine], None]) -> Iterator[str]:
    news: SimpleQueue[dict[str, object] | None] = SimpleQueue()

    def run() -> None:
        try:
            work(news.put)
        finally:
            news.put(None)

    Thread(target=run, name="lines", daemon=True).start()
    while (told := news.get()) is not None:
        yield json.dumps(told) + "\n"


MEMORY: Final = 3_000_000_000
"""Bytes for one photo: to measure twelve megapixels takes a third of it."""
_OPENING: Final = 45.0
"""Seconds for opening a photo and making it small; a helper may have to be started first, on a busy laptop."""
_MEASURING: Final = 30.0
"""Seconds for measuring one piece."""
_ROOM: Final = 0.18
"""Room around the piece in its picture, as a share of its longer side."""
MOST_KEPT: Final = 600
"""Photos that wait for the form around them; older ones were given up."""

PLAIN_REFERENCES: Final = ("paper:a4", "paper:letter", "card")
"""What the desk offers besides the printed mat; a coin takes too long to find for people who wait."""

Result = TypeVar("Result")


class PhotoWorker(Protocol):
    """Where heavy work is done."""

    def do(self, seconds: float, task: Callable[..., Result], *given: Any) -> Result:
        """What the task gives."""


@dataclass(frozen=True, slots=True)
class PhotoWorkers:
    """Three of them: while photos are measured, others can be opened and kept, and live cameras are told how to aim."""

    opening: PhotoWorker
    measuring: PhotoWorker
    aiming: PhotoWorker
    line: WaitingLine = field(default_factory=lambda: WaitingLine(cores()))

    def warm(self) -> None:
        """Load everything ahead of the first photo: whoever takes one waits for the measuring only."""
        needed = ((self.opening, "certificate.pages.photos"), (self.measuring, "measure.pieces"),
                  (self.aiming, "vision.reference.aiming"))  # fmt: skip
        for worker, module in needed:
            if isinstance(worker, BoundedPool):
                worker.warm(partial(_load, f"inspect_kit.{module}"))


def _load(module: str) -> None:
    # A module itself cannot be sent back by the helper.
    import_module(module)


class DeskPhoto(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A photo that was taken for one inspection, with what it tells or why it tells nothing."""

    event: str
    by: str
    content: bytes
    sha256: str
    width: int
    height: int
    name: str
    measured: bytes = b""
    """What it tells, as a measurement file; empty if nothing."""
    why: str = ""
    code: str = ""
    """Where the sentence why stands in the wording, if it does."""
    facts: dict[str, str] = {}

    @property
    def photo(self) -> Photo:
        """As a record names it."""
        return Photo(self.name, self.sha256, self.width, self.height)

    @property
    def refusal(self) -> BadInput | None:
        """Why it tells nothing, to be put into words."""
        return BadInput.of(Fault("", Notice(self.code, tuple(self.facts.items())))) if self.why else None

    @property
    def told(self) -> photo_reading.PhotoReading | None:
        """What it tells."""
        return photo_reading.open_photo_reading(self.measured, self.photo) if self.measured else None


@dataclass(frozen=True, slots=True)
class PendingPhotos:
    """Photos between the moment they are taken and the moment the form is sent; they outlive a restart."""

    folder: Path

    def keep(self, token: str, look: DeskPhoto) -> None:
        """Under a name that nobody can guess."""
        with system_errors_as("photo-cannot-kept", self.folder):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = self._path(token)
            written_beside(path, msgspec.msgpack.encode(look)).replace(path)
            for old in sorted(self.folder.glob("*.look"), key=_age)[:-MOST_KEPT]:
                old.unlink(missing_ok=True)

    def find(self, token: str, event: str, by: str) -> DeskPhoto | None:
        """One's own photo at this event; anything else is as good as none."""
        if not is_ticket(token):
            return None
        try:
            look = msgspec.msgpack.decode(self._path(token).read_bytes(), type=DeskPhoto)
        except (OSError, msgspec.DecodeError):
            return None
        return look if (look.event, look.by) == (event, by) else None

    def _path(self, token: str) -> Path:
        return self.folder / f"{token}.look"


def _age(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def pending_photos(visit: Visit) -> PendingPhotos:
    """Where this station's photos wait."""
    return PendingPhotos(visit.station.home / "station" / "looks")


def kind_of(sheet: Sheet, item: str) -> str:
    """What a photo can measure at this desk; empty if nothing."""
    return photo_reading.kind_among(
        field.question.characteristic for field in fields_of(sheet, item) if not field.question.instance
    )


def look_at(
    visit: Visit, content: bytes, kind: str, given: Mapping[str, str], tell: Tell = ignore_progress
) -> DeskPhoto:
    """A photo that cannot be measured is evidence all the same; one that cannot be opened is refused."""
    workers: PhotoWorkers = visit.request.app.state.workers
    photo: photo_reading.EvidencePhoto = workers.opening.do(_OPENING, photo_reading.evidence_photo, content)
    look = DeskPhoto(
        visit.path("event"), visit.person.name, photo.content, photo.sha256, photo.width, photo.height, photo.name
    )
    if not kind:
        return look
    stated = _stated(given)
    try:
        with workers.line.turn(tell):
            file = workers.measuring.do(
                _MEASURING, photo_reading.measured_piece, content, kind, stated, visit.station.home
            )
    except InspectKitError as problem:
        facts = {name: worded_fact(fact)[:200] for name, fact in problem.told.facts}
        return structs.replace(look, why=str(problem)[:500], code=problem.told.code, facts=facts)
    return structs.replace(look, measured=photo_reading.on_kept_photo(file, look.photo).written())


def _stated(given: Mapping[str, str]) -> photo_reading.TypedBeside:
    """What was typed beside the photo. Only a printed reference has a scale of print, which this browser remembers."""
    reference = given.get("reference", "").strip()
    plain = reference in PLAIN_REFERENCES
    stated = tuple((name, given.get(name, "").strip()[:40]) for name in ("thickness", "print_scale")[: 2 - plain])
    return (*stated, ("reference", reference)) if plain else stated


def taken(
    visit: Visit, kind: str, given: Mapping[str, str], tell: Tell = ignore_progress
) -> tuple[str, DeskPhoto | None]:
    """The photo that came with this form, or the one that was sent before; with its token."""
    looks = pending_photos(visit)
    if "photo" in visit.files:
        look, token = look_at(visit, visit.files["photo"], kind, given, tell), visit.station.ticket()
        looks.keep(token, look)
        return token, look
    token = given.get("look", "")
    found = looks.find(token, visit.path("event"), visit.person.name)
    return (token, found) if found else ("", None)


def show_picture(visit: Visit) -> Response:
    """The photo itself, to the one who took it."""
    found = pending_photos(visit).find(visit.path("token"), visit.event().event, visit.person.name)
    if found is None:
        raise not_found()
    return Response(found.content, media_type="image/jpeg")


@dataclass(frozen=True, slots=True)
class PhotoCut:
    """A photo cut to the piece on it, with its outline and the suspected region, as an SVG takes it."""

    href: str
    size: tuple[int, int]
    window: str
    outline: str
    region: tuple[float, float, float, float] | None
    told: photo_reading.PhotoReading


def shot_of(href: str, told: photo_reading.PhotoReading) -> PhotoCut:
    """The piece with some room around it."""
    points = told.reading.outline
    left, top = (min(point[axis] for point in points) for axis in (0, 1))
    wide, tall = (max(point[axis] for point in points) - start for axis, start in ((0, left), (1, top)))
    room = _ROOM * max(wide, tall)
    window = (left - room, top - room, wide + 2 * room, tall + 2 * room)
    return PhotoCut(
        href, told.size, " ".join(f"{value:.1f}" for value in window), " ".join(f"{x:.1f},{y:.1f}" for x, y in points),
        told.region, told,
    )  # fmt: skip


def kept_shot(visit: Visit, seen: DeskInspection) -> PhotoCut | None:
    """The photo of an inspection with what was found in it, if it was measured."""
    registry = visit.station.registry
    with registry.reading() as connection:
        kept = {file.role: file.sha256 for file in recorded(connection, seen).evidence}
        if "look" not in kept:
            return None
        content = registry.shelf.take(connection, kept["look"])
        photo = open_record(registry.shelf.take(connection, seen.record)).photos[0]
    told = photo_reading.open_photo_reading(content, Photo(photo.file, photo.sha256, photo.width, photo.height))
    return shot_of(f"/events/{seen.event}/tickets/{seen.ticket}/photo", told)
