"""The scale at the desk, live: every value while it settles, then the stable one, each a line for the page's script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Thread

from starlette.responses import Response, StreamingResponse

from inspect_kit.capture.protocols.reply import Reply
from inspect_kit.errors import InspectKitError
from inspect_kit.station.desk import place_of
from inspect_kit.station.rendering import Words
from inspect_kit.station.sent_readings import sealed, shown
from inspect_kit.station.station import Station
from inspect_kit.station.visit import Visit

News = SimpleQueue[dict[str, object] | None]


def weigh_live(visit: Visit) -> Response:
    """One JSON document a line; the last one is the stable value with its instrument, or why there is none."""
    place_of(visit)
    return StreamingResponse(_lines(visit.station, visit.words), media_type="application/x-ndjson")


def _lines(station: Station, words: Words) -> Iterator[str]:
    news: News = SimpleQueue()
    Thread(target=_weigh, args=(station, words, news), name="scale", daemon=True).start()
    while (told := news.get()) is not None:
        yield json.dumps(told) + "\n"


def _weigh(station: Station, words: Words, news: News) -> None:
    def watch(reply: Reply) -> None:
        news.put({"moving": f"{reply.number} {reply.unit}".strip()})

    try:
        name, reading = station.weigh(watch)
        carried = sealed(station.secret, name, reading)
        news.put({"value": shown(reading), "raw": reading.raw, "instrument": name, "sent": carried})
    except InspectKitError as problem:
        news.put({"fault": words.told(problem)})
    finally:
        news.put(None)
