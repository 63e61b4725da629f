"""Running the service until it is stopped."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

from inspect_kit.errors import UsageError
from inspect_kit.station.app import LOOPBACK
from inspect_kit.station.service.app import create_service
from inspect_kit.station.service.tokens import read_tokens
from inspect_kit.station.service.work import Service
from inspect_kit.station.web.serving import ServerAddress, is_loopback, names_here, run_until_stopped

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
