"""All routes of the station, each with what a person must be allowed to do."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from inspect_kit.bounded_process import BoundedPool
from inspect_kit.checkin.roles import Act
from inspect_kit.places import shipped
from inspect_kit.station import desk, events, guided, live, lookup, people, photos, tickets
from inspect_kit.station.hall import papers, public, queue, roster
from inspect_kit.station.rendering import STATIC
from inspect_kit.station.station import CertificateWorker, DrawnInProcess, Station
from inspect_kit.station.web import offline
from inspect_kit.station.web.guard import Guard
from inspect_kit.station.web.visit import Handler, Visit, endpoint, not_found, page_limiters

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})

_EVENT: Final = "/events/{event}"
_TICKET: Final = "/events/{event}/tickets/{ticket}"
_DESK: Final = "/events/{event}/desk/{item}"
_GUIDED: Final = "/events/{event}/guided/{item}"

ROUTES: Final[tuple[tuple[str, str, Handler, Act | None], ...]] = (
    ("GET", "/", events.show_events, Act.LOOK_UP),
    ("GET", "/setup", people.show_setup, None),
    ("POST", "/setup", people.set_up, None),
    ("GET", "/sign-in", people.show_sign_in, None),
    ("POST", "/sign-in", people.sign_in, None),
    ("POST", "/sign-out", people.sign_out, None),
    ("GET", "/own-pin", people.show_own_pin, Act.LOOK_UP),
    ("POST", "/own-pin", people.change_own_pin, Act.LOOK_UP),
    ("GET", "/language/{language}", people.choose_language, None),
    ("GET", "/people", people.show_people, Act.SET_UP),
    ("POST", "/people", people.change_people, Act.SET_UP),
    ("GET", "/look-up", lookup.show_lookup, Act.LOOK_UP),
    ("POST", "/look-up", lookup.look_at_code, Act.LOOK_UP),
    ("GET", "/events/new", events.show_new, Act.SET_UP),
    ("POST", "/events/new", events.announce, Act.SET_UP),
    ("GET", _EVENT, events.show_event, Act.LOOK_UP),
    ("GET", f"{_EVENT}/settings", events.show_settings, Act.SET_UP),
    ("POST", f"{_EVENT}/settings", events.change_settings, Act.SET_UP),
    ("GET", f"{_EVENT}/list", events.show_list, Act.LOOK_UP),
    ("GET", _DESK, desk.show_desk, Act.RECORD),
    ("POST", _DESK, desk.inspect_now, Act.RECORD),
    ("POST", f"{_DESK}/weigh", live.weigh_live, Act.RECORD),
    ("POST", f"{_DESK}/bytes", live.read_bytes_passed_on, Act.RECORD),
    ("POST", f"{_DESK}/display", live.propose_display, Act.RECORD),
    ("POST", f"{_DESK}/photo", desk.take_photo, Act.RECORD),
    ("POST", f"{_DESK}/live", live.look_at_frame, Act.RECORD),
    ("GET", f"{_DESK}/look/{{token}}", desk.show_look, Act.RECORD),
    ("GET", f"{_DESK}/look/{{token}}/photo", photos.show_picture, Act.RECORD),
    ("GET", _GUIDED, guided.show_start, Act.RECORD),
    ("POST", _GUIDED, guided.start, Act.RECORD),
    ("GET", f"{_GUIDED}/{{ticket}}", guided.show_question, Act.RECORD),
    ("POST", f"{_GUIDED}/{{ticket}}", guided.answer, Act.RECORD),
    ("POST", f"{_GUIDED}/{{ticket}}/brought", guided.add, Act.RECORD),
    ("GET", _TICKET, tickets.show_ticket, Act.LOOK_UP),
    ("POST", f"{_TICKET}/decision", tickets.decide_now, Act.DECIDE),
    ("POST", f"{_TICKET}/withdraw", tickets.withdraw_now, Act.DECIDE),
    ("POST", f"{_TICKET}/player", tickets.correct_player, Act.RECORD),
    ("GET", f"{_EVENT}/queue", queue.show_queue, Act.LOOK_UP),
    ("GET", "/check", public.show_check, None),
    ("GET", "/offline", offline.show_offline, None),
    ("GET", "/manifest.webmanifest", offline.show_manifest, None),
    ("GET", "/worker.js", offline.show_worker, None),
    ("GET", f"{_EVENT}/papers", papers.show_papers, Act.LOOK_UP),
    ("GET", f"{_EVENT}/sheet", papers.show_sheet, Act.LOOK_UP),
    ("GET", f"{_EVENT}/rejections", papers.show_rejections, Act.LOOK_UP),
    ("GET", f"{_EVENT}/statistics", papers.show_statistics, Act.LOOK_UP),
    ("GET", f"{_EVENT}/screen", papers.show_screen, Act.LOOK_UP),
    ("GET", f"{_EVENT}/labels.pdf", papers.show_labels, Act.RECORD),
    ("GET", f"{_EVENT}/export.csv", papers.export_table, Act.RECORD),
    ("GET", f"{_EVENT}/players", roster.show_players, Act.LOOK_UP),
    ("POST", f"{_EVENT}/players", roster.change_player, Act.RECORD),
    ("POST", f"{_EVENT}/players/import", roster.import_players, Act.RECORD),
    ("GET", f"{_EVENT}/players/find", roster.find_players, Act.RECORD),
    ("GET", f"{_EVENT}/players/badges", roster.show_badges, Act.RECORD),
    ("GET", f"{_TICKET}/photo", tickets.show_photo, Act.LOOK_UP),
    ("GET", f"{_TICKET}/certificate.pdf", tickets.show_certificate, Act.LOOK_UP),
    ("GET", f"{_TICKET}/label.pdf", tickets.show_label, Act.RECORD),
    ("GET", f"{_TICKET}/slip", tickets.show_slip, Act.LOOK_UP),
)


_SLOW: Final = frozenset(
    {people.change_people, people.sign_in, people.change_own_pin, papers.show_labels, papers.show_statistics}
)
"""What waits for the hashing of a PIN, or reads or draws a whole event."""


def create_app(
    station: Station, hosts: frozenset[str] = LOOPBACK, worker: photos.PhotoWorker | None = None
) -> Starlette:
    """The station as an ASGI application; photos are worked on by `worker`, else by helper programs."""
    drawing = DrawnInProcess()
    helpers = BoundedPool(photos.MEMORY, 1), BoundedPool(photos.MEMORY), BoundedPool(photos.MEMORY, 1)
    limiters = page_limiters()
    certificates = CertificateWorker(station, drawing, lambda: limiters[False].borrowed_tokens > 0)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        certificates.start()
        yield
        certificates.stop()
        drawing.process.close()
        for helper in helpers:
            helper.close()

    routes = [
        Route(path, endpoint(handler, act, slow=handler in _SLOW), methods=[method])
        for method, path, handler, act in ROUTES
    ]
    app = Starlette(
        routes=[
            Route("/empty", _empty),
            *routes,
            Route(f"{_EVENT}/news", endpoint(queue.show_news, Act.LOOK_UP)),
            Mount("/static", StaticFiles(directory=STATIC)),
            Mount("/fonts", StaticFiles(directory=shipped("reports") / "fonts")),
            Route("/{rest:path}", endpoint(_nowhere, None), methods=["GET", "POST"]),
        ],
        middleware=[Middleware(Guard, hosts=hosts, secure=station.secure, addresses=not station.loopback)],
        lifespan=lifespan,
    )
    app.state.station, app.state.certificates, app.state.page_limiters = station, certificates, limiters
    app.state.workers = photos.PhotoWorkers(worker or helpers[0], worker or helpers[1], worker or helpers[2])
    app.state.frames = live.FramesInHand()
    return app


async def _empty(_: Request) -> Response:
    """A page with nothing on it, to see that the station answers."""
    return PlainTextResponse("")


def _nowhere(visit: Visit) -> Response:
    del visit
    raise not_found()
