"""Running the station: where it listens, what it is called there, and what may be seen in its log."""

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.registry.checkin.accounts import anybody
from inspect_kit.station.app import LOOPBACK, create_app
from inspect_kit.station.station import Station, open_station
from inspect_kit.station.web.connections import BoundedConnection


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Address and port, and the files for TLS if it is wanted."""

    host: str
    port: int
    tls: tuple[Path, Path] | None = None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach that address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def names_here(host: str) -> tuple[str, ...]:
    """What others may call this machine."""
    own = socket.gethostname().lower()
    found = ["localhost", "127.0.0.1", own, f"{own}.local", host.lower(), *_addresses()]
    return tuple(dict.fromkeys(name for name in found if name and name not in ("0.0.0.0", "::")))  # noqa: S104


def _addresses() -> list[str]:
    """The address that the local network knows this machine by; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return [str(probe.getsockname()[0])]
        except OSError:
            return []


def serve(station: Station, listening: ServerAddress, ready: Callable[[str], None]) -> None:
    """Listen until it is stopped. On any address but loopback only with accounts, which strangers cannot set up."""
    loopback = is_loopback(listening.host)
    opened = open_station(replace(station, loopback=loopback, secure=listening.tls is not None))
    if not loopback and not opened.registry.ask(anybody):
        raise UsageError("accounts-needed", where=f"--host {listening.host}")
    hosts = LOOPBACK if loopback else LOOPBACK | set(names_here(listening.host))
    run_until_stopped(create_app(opened, frozenset(hosts)), listening, ready)


def run_until_stopped(
    app: Starlette, listening: ServerAddress, ready: Callable[[str], None], *, most: int = 400, path: str = "/"
) -> None:
    """Serve an application, at most so many requests at once; silent connections are ended."""
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, proxy_headers=False, timeout_keep_alive=20,
        limit_concurrency=most, timeout_graceful_shutdown=10, loop="asyncio", http=BoundedConnection, ws="none",
        ssl_certfile=listening.tls and str(listening.tls[0]), ssl_keyfile=listening.tls and str(listening.tls[1]),
    )  # fmt: skip
    with bound(listening) as door:
        scheme, port = "https" if listening.tls else "http", door.getsockname()[1]
        shown = "127.0.0.1" if is_loopback(listening.host) else names_here(listening.host)[-1]
        ready(f"{scheme}://{shown}:{port}{path}")
        uvicorn.Server(config).run(sockets=[door])


def bound(listening: ServerAddress) -> socket.socket:
    """The open door; a port that is taken is said in a sentence."""
    try:
        family = socket.AF_INET6 if ":" in listening.host.strip("[]") else socket.AF_INET
        return socket.create_server((listening.host.strip("[]"), listening.port), family=family, backlog=256)
    except (OSError, OverflowError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        where = f"{listening.host}:{listening.port}"
        raise BadInput("cannot-listen", where=where, reason=why) from None
