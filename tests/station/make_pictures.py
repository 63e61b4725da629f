"""Pictures of the station's pages with things having happened: `python -m tests.station.make_pictures FOLDER [--all]`.

Without `--all` the three of the documentation; with it every page, on phone, tablet and desktop, light and dark, in
all languages, to be looked at.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from playwright.sync_api import sync_playwright

from inspect_kit.certificate.issue.keys import Founding, found
from inspect_kit.certificate.issue.seals import desk_key
from inspect_kit.registry.checkin import accounts
from inspect_kit.registry.checkin.entries import AccountSet
from inspect_kit.registry.opening import open_registry
from tests.station.conftest import CHROMIUM, FLAGS, NOW, PINS, ROLES, _striker_on_the_mat, names_of, striker_form
from tests.station.running import Desk, running
from tests.station.test_browser import PHONE

SCREENS: dict[str, dict[str, Any]] = {
    "phone": PHONE,
    "tablet": {"viewport": {"width": 820, "height": 1180}},
    "desktop": {"viewport": {"width": 1280, "height": 900}},
}
DOCUMENTED = {"station-event": "event", "station-verdict": "suspected", "station-phone": "lookup"}


def _prepared(home: Path) -> None:
    accounts._HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    found(home, Founding("Pražský carrom klub", "PCK", "Řehoř Áron"), None, NOW)
    registry = open_registry(home)
    for name, pin in PINS.items():
        accounts.set_account(registry, AccountSet(name, ROLES[name], by="test"), pin, NOW, desk_key(home).seal)


def _striker(desk: Desk, owner: str, photo: bytes | None = None, **values: str) -> str:
    """One inspection; gives the path of its page."""
    path = f"/events/{desk.event}/desk/striker"
    desk.page = desk.client.get(path).text
    names = names_of(desk.page)
    form = {**striker_form(desk.page, owner), **{names[what]: value for what, value in values.items()}}
    files = {"photo": ("p.jpg", photo, "image/jpeg")} if photo else None
    answer = desk.client.post(path, data={**form, "csrf": desk.client_token()}, files=files)
    desk.page = answer.text
    return answer.url.path


def _decided(desk: Desk, ticket: str, decision: str, **more: str) -> None:
    desk.page = desk.client.get(ticket).text
    desk.send(f"{ticket}/decision", {"decision": decision, "pin": PINS[desk.name], **more})


def _happened(desk: Desk) -> dict[str, str]:
    """A morning at the desk; gives the pages to look at."""
    event = f"/events/{desk.announce('Czech Open 2026')}"
    for owner in ("Jana Dvořáková", "Luca Bianchi", "Heike Müller-Lüdenscheidt", "Tomasz Wójcik", "Rashmi Kumari"):
        _decided(desk, _striker(desk, owner), "approve")
    fails = _striker(desk, "Petr Svoboda", mass="15.62")
    _decided(desk, fails, "reject")
    _decided(desk, _striker(desk, "Anna Rossi", mass="14.99"), "condition", after="Round 2, table 7")
    _striker(desk, "Karl-Heinz Übelhör", mass="14.99")
    good = _striker(desk, "Maria Irudayam", _striker_on_the_mat(None), diameter="41.05")
    suspected = _striker(desk, "Sandeep Deorukhkar", _striker_on_the_mat((0.45, 0.8)), diameter="")
    approved = _striker(desk, "Eva Nováková", _striker_on_the_mat(None), diameter="41.05")
    _decided(desk, approved, "approve")
    desk.page = desk.client.get(f"{event}/guided/board").text
    guided = desk.send(f"{event}/guided/board", {"text": "Carrom board 1", "owner": ""}).url.path
    return {
        "events": "/", "people": "/people", "sheets": "/events/new", "new": "/events/new?sheet=icf-2001-it",
        "event": event, "list": f"{event}/list", "desk": f"{event}/desk/striker", "start": f"{event}/guided/board",
        "guided": guided, "fails": fails, "good": good, "suspected": suspected, "approved": approved,
        "slip": f"{fails}/slip", "lookup": f"/look-up?q={approved.rsplit('/', 1)[-1]}", "nothing": "/nowhere",
    }  # fmt: skip


def _signed_in(browser: Any, url: str, **settings: Any) -> Any:
    page = browser.new_context(**settings).new_page()
    page.goto(f"{url}/sign-in")
    page.fill("[name=name]", "Renata")
    page.fill("[name=pin]", PINS["Renata"])
    page.press("[name=pin]", "Enter")
    page.wait_for_selector("a[href='/look-up']")
    return page


def _everything(browser: Any, url: str, pages: dict[str, str], folder: Path) -> None:
    for screen, settings in SCREENS.items():
        for scheme, language in (("light", "en"), ("dark", "de"), ("light", "cs"), ("dark", "it")):
            page = _signed_in(browser, url, color_scheme=scheme, locale=language, **settings)
            for name, path in pages.items():
                page.goto(url + path)
                wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                if wide > 1:
                    print(f"{name} {screen} {language}: {wide} pixels too wide")
                page.screenshot(path=folder / f"{name}-{screen}-{scheme}-{language}.png", full_page=True)
            page.context.close()


def _documented(browser: Any, url: str, pages: dict[str, str], folder: Path) -> None:
    for picture, name in DOCUMENTED.items():
        screen = SCREENS["phone"] if picture.endswith("phone") else {"viewport": {"width": 1280, "height": 860}}
        scheme = "dark" if picture.endswith("phone") else "light"
        page = _signed_in(browser, url, color_scheme=scheme, locale="en-GB", **screen)
        page.goto(url + pages[name])
        page.wait_for_load_state("networkidle")
        page.screenshot(path=folder / f"{picture}.png")
        page.context.close()


def main(folder: Path, *, everything: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        _prepared(home)
        with running(home) as station, sync_playwright() as driver:
            with closing(Desk(station.url, "Renata")) as desk:
                pages = _happened(desk)
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            (_everything if everything else _documented)(browser, station.url, pages, folder)
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), everything="--all" in sys.argv)
