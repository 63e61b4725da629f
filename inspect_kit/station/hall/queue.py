"""The referee's own page: all who wait, the oldest first; it changes by itself when something happens."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from anyio.to_thread import run_sync
from starlette.responses import Response, StreamingResponse

from inspect_kit.registry.log.tree import log_size
from inspect_kit.station.station import Station
from inspect_kit.station.web.visit import Visit

_BETWEEN: Final = 1.0
"""Seconds between looks at the registry, for each page that listens."""
_LONGEST: Final = 600
"""Looks after which a page has to ask anew: one that went away without a word is forgotten then."""
_QUIET: Final = 15
"""Looks without news after which a sign of life is sent."""


def show_queue(visit: Visit) -> Response:
    """Who waits for a decision, and what is out on a condition."""
    return visit.page("queue.html", event=visit.event(), **visit.queues(), names=visit.item_names())


def show_news(visit: Visit) -> Response:
    """Server-sent events: the number of the newest entry whenever it changes, and nothing else."""
    visit.event()
    return StreamingResponse(_news(visit.station), media_type="text/event-stream")


async def _news(station: Station) -> AsyncIterator[str]:
    seen, quiet = -1, 0
    for _ in range(_LONGEST):
        newest = await run_sync(station.registry.ask, log_size)
        quiet = 0 if newest != seen else quiet + 1
        if newest != seen:
            yield f"data: {newest}\n\n"
            seen = newest
        elif quiet % _QUIET == 0:
            yield ": still here\n\n"
        await asyncio.sleep(_BETWEEN)
