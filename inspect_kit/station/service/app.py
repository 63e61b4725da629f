"""The routes of the service: the JSON interface behind a token, and the page with the charts."""

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from inspect_kit.errors import InspectKitError, UsageError, sentence
from inspect_kit.judgement.verdict import Reason
from inspect_kit.places import shipped
from inspect_kit.quality.trend import PERIODS, STRATA
from inspect_kit.station.app import LOOPBACK
from inspect_kit.station.rendering import STATIC, Words, drawn, language_from, words_of
from inspect_kit.station.service.openapi import PREFIX, document
from inspect_kit.station.service.tokens import read_tokens, right_of
from inspect_kit.station.service.work import BODY, NotThere, Service, TrendNames
from inspect_kit.station.web.guard import MOST_MEGABYTES, Guard, TooLarge, not_too_large
from inspect_kit.station.web.serving import ServerAddress, is_loopback, names_here, run_until_stopped

_OURS: Final = re.compile(rf"[^\s'\"]*[/\\]{BODY}\.(csv|jsonl?)")
_TOKEN: Final = "inspect-kit serve token add NAME"
COOKIE: Final = "inspect-kit-page"
_OVERALL: Final = ("conforms", "fails", "undecided")
Answer = Callable[[Service, Request], Awaitable[Response]]


def create_service(service: Service, hosts: frozenset[str], key: str = "", *, secure: bool = False) -> Starlette:
    """The service as an ASGI application; `key` opens the page in a browser, for reading."""
    app = Starlette(
        routes=[
            Route("/", _page),
            Route("/chart.svg", _guarded(_chart)),
            Route(f"{PREFIX}/measurements", _guarded(_measurements, write=True), methods=["POST"]),
            Route(f"{PREFIX}/lots", _guarded(_lots, write=True), methods=["POST"]),
            Route(f"{PREFIX}/verdicts", _guarded(_verdicts)),
            Route(f"{PREFIX}/verdicts/{{id:int}}", _guarded(_verdict)),
            Route(f"{PREFIX}/trends", _guarded(_trends)),
            Route(f"{PREFIX}/openapi.json", _document),
            Mount("/static", StaticFiles(directory=STATIC)),
            Mount("/fonts", StaticFiles(directory=shipped("reports") / "fonts")),
        ],
        exception_handlers={404: _elsewhere, 405: _elsewhere},
        middleware=[Middleware(Guard, hosts=hosts, secure=secure, addresses=False)],
    )
    app.state.service, app.state.key = service, key or secrets.token_urlsafe(24)
    return app


def _guarded(answer: Answer, *, write: bool = False) -> Callable[[Request], Awaitable[Response]]:
    """Only for those with a token; what is wrong comes back as one sentence in parts."""

    async def guarded(request: Request) -> Response:
        service: Service = request.app.state.service
        refusal = await run_in_threadpool(_refusal, service, request, write)
        if refusal is not None:
            return refusal
        try:
            return await answer(service, request)
        except NotThere as problem:
            return _refused(request, 404, problem)
        except UsageError as problem:
            return _refused(request, 400, problem)
        except InspectKitError as problem:
            return _refused(request, 422, problem)
        except TooLarge:
            return _refused(request, 413, InspectKitError("service-too-large", most=MOST_MEGABYTES))

    return guarded


def _refusal(service: Service, request: Request, write: bool) -> Response | None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    token = right_of(service.home, secret.strip()) if scheme.lower() == "bearer" and secret else None
    if token is None and not write and _has_page(request):
        return None
    if token is None:
        return _refused(request, 401, InspectKitError("token-asks", where="Authorization", hint=_TOKEN))
    if write and not token.write:
        return _refused(request, 403, InspectKitError("token-only-reads", where="Authorization", hint=_TOKEN))
    return None


def _has_page(request: Request) -> bool:
    """Whether the browser has opened the page with its key; no other site can send that cookie."""
    return hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), str(request.app.state.key).encode())


def _refused(request: Request, code: int, problem: InspectKitError) -> Response:
    """What is wrong, in the language that is asked for; where it is wrong stays a name that programs know."""
    fault, language = problem.fault, _language(request)
    told = {"where": fault.where, "why": sentence(fault.told, language), "hint": fault.way_out(language)}
    # What was sent lay in a file of ours while it was read; where that was is nobody's matter.
    error = {name: _OURS.sub(BODY, text) for name, text in told.items()}
    headers = {"WWW-Authenticate": "Bearer"} if code == 401 else None
    return JSONResponse({"error": error}, code, headers=headers)


def _elsewhere(request: Request, problem: Exception) -> Response:
    """A path or a method that is not there."""
    code = problem.status_code if isinstance(problem, HTTPException) else 404
    told = "service-no-path" if code == 404 else "service-no-method"
    return _refused(request, code, NotThere(told, document=f"{PREFIX}/openapi.json"))


async def _body(request: Request) -> bytes:
    await not_too_large(request)
    return await request.body()


async def _measurements(service: Service, request: Request) -> Response:
    body, kind = await _body(request), request.headers.get("content-type", "")
    found = await run_in_threadpool(service.measured, body, kind, dict(request.query_params))
    return JSONResponse(found, 201 if found["new"] else 200)


async def _lots(service: Service, request: Request) -> Response:
    body, kind = await _body(request), request.headers.get("content-type", "")
    names = request.query_params.getlist("characteristic")
    found = await run_in_threadpool(service.lot, body, kind, dict(request.query_params), names)
    return JSONResponse(found, 201 if found["new"] else 200)


async def _verdicts(service: Service, request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(service.verdicts, dict(request.query_params)))


async def _verdict(service: Service, request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(service.verdict, request.path_params["id"]))


async def _trends(service: Service, request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(service.trends, dict(request.query_params)))


async def _chart(service: Service, request: Request) -> Response:
    words = _words(request)
    shown = TrendNames(words.language, partial(_name, words), partial(_reason, words))
    drawing = await run_in_threadpool(service.drawn, dict(request.query_params), shown)
    return Response(drawing, media_type="image/svg+xml")


def _words(request: Request) -> Words:
    return words_of(_language(request))


def _language(request: Request) -> str:
    return language_from(request.query_params.get("lang", ""), request.headers.get("accept-language", ""))


def _name(words: Words, key: str) -> str:
    return words.certificate.name("characteristic", key)


def _reason(words: Words, code: str) -> str:
    return words.frame(f"reason.{code}") if code in list(Reason) else code


def _all_said(words: Words) -> dict[str, str]:
    """Codes and names for which the page has words."""
    reasons = {f"reason.{code}": _reason(words, code) for code in Reason}
    verdicts = {f"overall.{code}": words.frame(f"overall.{code}") for code in _OVERALL}
    names = {key: _name(words, key) for key in words.certificate.names.get("characteristic", {})}
    return {**reasons, **verdicts, **names}


async def _document(_: Request) -> Response:
    return JSONResponse(document())


async def _page(request: Request) -> Response:
    """The page; its key comes once in the address, then as a cookie that only this site gets."""
    words = _words(request)
    given = request.query_params.get("key")
    if given is not None and hmac.compare_digest(given.encode(), str(request.app.state.key).encode()):
        opened = RedirectResponse("/", 303)
        opened.set_cookie(COOKIE, given, httponly=True, samesite="strict", secure=request.url.scheme == "https")
        return opened
    allowed = _has_page(request)
    values = {"t": words, "lang": words.language, "allowed": allowed, "periods": PERIODS, "strata": STRATA,
              "said": _all_said(words), "interface": f"{PREFIX}/openapi.json"}  # fmt: skip
    return HTMLResponse(drawn("dashboard.html", values), 200 if allowed else 401)


# Running the service until it is stopped.


_MOST_AT_ONCE: Final = 100
"""Requests under way; more are told to come again."""


def serve(service: Service, listening: ServerAddress, ready: Callable[[str], None]) -> None:
    """Listen; for others than this machine only with TLS and once a token was given out."""
    loopback = is_loopback(listening.host)
    if not loopback and (listening.tls is None or not read_tokens(service.home)):
        raise UsageError("service-needs-token", where=f"--host {listening.host}")  # fmt: skip
    hosts = LOOPBACK if loopback else LOOPBACK | set(names_here(listening.host))
    key = secrets.token_urlsafe(24)
    app = create_service(service, frozenset(hosts), key, secure=listening.tls is not None)
    run_until_stopped(app, listening, ready, most=_MOST_AT_ONCE, path=f"/?key={key}")
