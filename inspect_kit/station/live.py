"""Live at the desk: the gauge while it settles, then its stable value; and the camera, frame by frame."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Final

from starlette.responses import JSONResponse, Response

from inspect_kit.capture.gauges.own import MOST_BYTES, at_browser, read_received
from inspect_kit.capture.protocols.reply import Reply
from inspect_kit.capture.readings import InstrumentReading
from inspect_kit.checkin.photo_reading import DisplayProposal, display_proposal, frame_seen
from inspect_kit.clock import now
from inspect_kit.errors import InspectKitError, sentence
from inspect_kit.inspection.guided import display_line, display_picture
from inspect_kit.station.desk import place_of
from inspect_kit.station.photos import DeskPhoto, PhotoWorkers, PutLine, in_lines, kind_of, pending_photos
from inspect_kit.station.sent_readings import sealed, shown
from inspect_kit.station.web.visit import Refusal, Visit, not_found

_UNITS: Final = ("g", "mm")
_READING: Final = 45.0
"""Seconds for one photo of a display: one of work, and a helper that may have to be started on a busy laptop."""


def _asked(visit: Visit) -> tuple[str, str]:
    """The unit and the gauge that this browser wants to read."""
    place_of(visit)
    unit = visit.query("unit") or "g"
    if unit not in _UNITS:
        raise not_found()
    return unit, visit.query("gauge")[:64]


def weigh_live(visit: Visit) -> Response:
    """One JSON document a line; the last one is the stable value with its instrument, or why there is none."""
    return in_lines(partial(_read, visit, *_asked(visit)))


def _read(visit: Visit, unit: str, wanted: str, put: PutLine) -> None:
    def watch(reply: Reply) -> None:
        put({"moving": f"{reply.number} {reply.unit}".strip()})

    try:
        put(_told(visit, *visit.station.read(unit, wanted, watch)))
    except InspectKitError as problem:
        put({"fault": visit.words.told(problem)})


def _told(visit: Visit, name: str, reading: InstrumentReading) -> dict[str, object]:
    carried = sealed(visit.station.secret, visit.query("ticket"), name, reading)
    return {"value": shown(reading), "raw": reading.raw, "instrument": name, "sent": carried}


# An instrument at the computer that shows the page: the browser passes its bytes on raw (Web Serial).


def read_bytes_passed_on(visit: Visit) -> Response:
    """What the browser has received so far: the stable value, what moves, or at the end why there is none."""
    unit, wanted = _asked(visit)
    found = visit.station.connected(unit, wanted)
    if found is None or found[0] != wanted or not at_browser(found[1]):
        raise not_found()
    moving: list[str] = []
    ended = visit.query("ended") == "1"
    data = visit.files.get("bytes", b"")[:MOST_BYTES]
    try:
        reading = read_received(
            visit.station.gauge(wanted), found[1], data, lambda reply: moving.append(f"{reply.number} {reply.unit}"),
            ended=ended,
        )  # fmt: skip
    except InspectKitError as problem:
        return JSONResponse({"fault": visit.words.told(problem)} if ended else {"moving": moving[-1] if moving else ""})
    return JSONResponse(_told(visit, wanted, reading))


# The photo of a display.


def propose_display(visit: Visit) -> Response:
    """What the display shows, with its picture and a seal; it counts once somebody has confirmed it on the page."""
    _, wanted = _asked(visit)
    if not wanted:
        return JSONResponse({"fault": visit.words("desk.display_gauge")})
    workers: PhotoWorkers = visit.request.app.state.workers
    try:
        gauge = visit.station.gauge(wanted)
        proposal = workers.opening.do(_READING, display_proposal, visit.files.get("photo", b""), gauge)
    except InspectKitError as problem:
        return JSONResponse({"fault": visit.words.told(problem)})
    if proposal.told is not None:
        return JSONResponse({"fault": sentence(proposal.told, visit.words.language)})
    token, picture = visit.station.ticket(), display_picture(proposal.sha256)
    look = DeskPhoto(visit.path("event"), visit.person.name, proposal.picture, proposal.sha256, 0, 0, picture)
    pending_photos(visit).keep(token, look)
    reading = _displayed(proposal, picture, gauge.serial)
    href = f"/events/{visit.path('event')}/desk/{visit.path('item')}/look/{token}/photo"
    return JSONResponse({**_told(visit, wanted, reading), "token": token, "picture": href})


def _displayed(proposal: DisplayProposal, picture: str, serial: str) -> InstrumentReading:
    line = display_line(f"{proposal.value} {proposal.unit}", picture)
    return InstrumentReading(proposal.value, proposal.unit, line, "display", now(), serial=serial or None)


# The live camera: each small frame is looked at and forgotten; the answer is what to do next with the camera.


_MOST: Final = 600_000
"""Bytes of one frame: 960 pixels across, as JPEG, take a third of it."""
_LOOKING: Final = 8.0
"""Seconds for one frame, those included in which the helper starts."""
_BUSY: Final = {"aim": "busy", "say": "", "outline": ()}


@dataclass(slots=True)
class FramesInHand:
    """Whose frames are being looked at: one for each browser, further ones are dropped."""

    _browsers: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock, repr=False)

    @contextmanager
    def one_of(self, browser: str) -> Iterator[bool]:
        """Whether this browser's frame may be looked at; it is in hand until the end."""
        with self._lock:
            free = browser not in self._browsers
            self._browsers.add(browser)
        try:
            yield free
        finally:
            if free:
                with self._lock:
                    self._browsers.discard(browser)


def look_at_frame(visit: Visit) -> Response:
    """What to do next, in the desk's language, and where the mat lies in the frame."""
    place = place_of(visit)
    frame = visit.files.get("frame", b"")
    if not kind_of(place.sheet, place.item.id):
        raise not_found()
    if not frame or len(frame) > _MOST:
        raise Refusal(413 if frame else 400, "refused.form")
    in_hand: FramesInHand = visit.request.app.state.frames
    with in_hand.one_of(visit.token) as free:
        return JSONResponse(_seen(visit, frame) if free else _BUSY)


def _seen(visit: Visit, frame: bytes) -> dict[str, object]:
    """A frame that cannot be looked at in time is dropped as well: the next one is on its way."""
    workers: PhotoWorkers = visit.request.app.state.workers
    try:
        aim, outline = workers.aiming.do(_LOOKING, frame_seen, frame)
    except InspectKitError:
        return dict(_BUSY)
    return {"aim": aim, "say": visit.words(f"live.{aim}"), "outline": outline}
