"""The live camera: each small frame is looked at and forgotten; the answer is what to do next with the camera."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from starlette.responses import JSONResponse, Response

from inspect_kit.checkin.photo_reading import frame_seen
from inspect_kit.errors import InspectKitError
from inspect_kit.station.desk import place_of
from inspect_kit.station.photos import PhotoWorkers, kind_of
from inspect_kit.station.web.visit import Refusal, Visit, not_found

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
