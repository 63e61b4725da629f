"""The desk as an installed page: its manifest, the worker that serves it without a network, and the page for then."""

from starlette.responses import JSONResponse, Response

from inspect_kit.station.rendering import STATIC, static_version
from inspect_kit.station.web.visit import Visit


def show_manifest(visit: Visit) -> Response:
    """What a phone needs to know to put the desk among its programs."""
    icon = {"src": f"/static/icon.svg?{static_version()}", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}
    manifest = {
        "name": visit.words("app.title"), "short_name": visit.words("app.title"), "id": "/", "start_url": "/",
        "scope": "/", "display": "standalone", "lang": visit.words.language, "background_color": "#f6f5f1",
        "theme_color": "#14375e", "icons": [icon],
    }  # fmt: skip
    return JSONResponse(manifest, media_type="application/manifest+json")


def show_worker(visit: Visit) -> Response:
    """The service worker, at the root so that it serves every page."""
    del visit
    return Response((STATIC / "worker.js").read_bytes(), media_type="text/javascript")


def show_offline(visit: Visit) -> Response:
    """What is shown when the station cannot be reached: what waits on this device, and nothing of anybody else."""
    return visit.page("offline.html")
