"""What every request passes: the Host it asks for, how large it is, and the headers that every answer carries."""

import re
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from anyio import move_on_after
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inspect_kit.errors import notice, sentence
from inspect_kit.station.rendering import language_from

MOST_MEGABYTES: Final = 25
"""A photo of a phone."""
MOST_BYTES: Final = MOST_MEGABYTES * 1_000_000 + 1_000_000
"""The photo, and the form around it."""
_MOST_THROWN_AWAY: Final = 5 * MOST_BYTES
"""Of something too large, how much is taken in without keeping it, so that its sender reads the answer."""
_PATIENCE: Final = 60.0
"""Seconds in which something too large may be sent to its end."""

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' blob:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), geolocation=(), microphone=(), payment=(), serial=(self)",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """Stands before the station. `hosts` are the names it answers to; others may be a trick to reach this machine."""

    app: ASGIApp
    hosts: frozenset[str]
    secure: bool = False
    addresses: bool = False
    """Whether it also answers to bare addresses: a name can be made to lead here from outside, an address cannot."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        counted = _Counted(receive, _announced(headers) or 0)
        refusal = self._refusal(headers)
        answer = refusal or self.app

        async def adorned(message: Message) -> None:
            if message["type"] == "http.response.start":
                _adorn(message, scope["path"], secure=self.secure)
            await send(message)

        await answer(scope, counted, adorned)

    def _refusal(self, headers: Headers) -> ASGIApp | None:
        host = _host(headers.get("host", ""))
        if host not in self.hosts and not (self.addresses and _is_address(host)):
            return PlainTextResponse(_said("station-other-name", headers), 421)
        size = _announced(headers)
        if size is None or size > _MOST_THROWN_AWAY:
            return PlainTextResponse(_said("sent-too-large", headers), 413)
        return None


def _announced(headers: Headers) -> int | None:
    """How many bytes follow, by the sender's word; nothing where that is no number, or one without bounds."""
    told = headers.get("content-length", "0")
    return int(told) if re.fullmatch("[0-9]{1,18}", told) else None


def _said(code: str, headers: Headers) -> str:
    return sentence(notice(code), language_from("", headers.get("accept-language", "")))


def _host(header: str) -> str:
    """The name without its port."""
    name = header.strip().lower()
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0]


def _is_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


class TooLarge(Exception):
    """More was sent than was announced or is allowed."""


async def not_too_large(request: Request) -> None:
    """What is announced as too large is thrown away as it comes, up to a bound: a browser that is cut off while it
    sends shows no page, and its person would not know why."""
    announced = _announced(request.headers)
    if announced is not None and announced <= MOST_BYTES:
        return
    with move_on_after(_PATIENCE):
        with suppress(TooLarge, ClientDisconnect):
            async for _ in request.stream():
                pass
    raise TooLarge


class _Counted:
    """Reads a request no further than it may go, whatever its headers say."""

    def __init__(self, receive: Receive, announced: int) -> None:
        self._receive = receive
        self._seen = 0
        # What is announced as too large is only thrown away.
        self._most = _MOST_THROWN_AWAY if announced > MOST_BYTES else MOST_BYTES

    async def __call__(self) -> Message:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self._seen > self._most:
            raise TooLarge
        return message


def _adorn(message: Message, path: str, *, secure: bool) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in HEADERS.items():
        headers[name] = value
    if not path.startswith(("/static/", "/fonts/")):
        headers["Cache-Control"] = "no-store"
    if secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
