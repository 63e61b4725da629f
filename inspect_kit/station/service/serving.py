"""Running the service until it is stopped."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import uvicorn

from inspect_kit.errors import UsageError
from inspect_kit.station.app import LOOPBACK
from inspect_kit.station.service.app import create_service
from inspect_kit.station.service.tokens import read_tokens
from inspect_kit.station.service.work import Service
from inspect_kit.station.web.serving import ServerAddress, bound, is_loopback, names_here


def serve(service: Service, listening: ServerAddress, ready: Callable[[str], None]) -> None:
    """Listen; for others than this machine only with TLS and once a token was given out."""
    loopback = is_loopback(listening.host)
    if not loopback and (listening.tls is None or not read_tokens(service.home)):
        raise UsageError("service-needs-token", where=f"--host {listening.host}")  # fmt: skip
    hosts = LOOPBACK if loopback else LOOPBACK | set(names_here(listening.host))
    key = secrets.token_urlsafe(24)
    app = create_service(service, frozenset(hosts), key, secure=listening.tls is not None)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, proxy_headers=False, limit_concurrency=100,
        timeout_keep_alive=20, timeout_graceful_shutdown=10, loop="asyncio", http="h11", ws="none",
        ssl_certfile=listening.tls and str(listening.tls[0]), ssl_keyfile=listening.tls and str(listening.tls[1]),
    )  # fmt: skip
    with bound(listening) as door:
        scheme, port = "https" if listening.tls else "http", door.getsockname()[1]
        shown = "127.0.0.1" if loopback else names_here(listening.host)[-1]
        ready(f"{scheme}://{shown}:{port}/?key={key}")
        uvicorn.Server(config).run(sockets=[door])
