"""A real browser at a real station: the whole walk, by keyboard, on a phone, without scripts, without a network."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from inspect_kit.capture.connections import Connection, connections_file, connections_text
from inspect_kit.capture.line import Address
from inspect_kit.capture.simulated_replies import Display
from inspect_kit.capture.simulator import Simulation, script_of, simulated
from inspect_kit.certificate.issue.keys import own_keyring
from inspect_kit.certificate.issue.verify import TrustContext, verify_pdf
from inspect_kit.registry.opening import open_registry
from tests.station.conftest import CHROMIUM, FLAGS, PINS
from tests.station.running import Desk, Running, running

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
TRACED = Path(__file__).parents[1] / "scenes" / "traced" / "cached"

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser(driver: Any) -> Iterator[Any]:
    opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def place(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Running, str]]:
    """A running station with an event that some things have happened at."""
    home = tmp_path_factory.mktemp("browser") / "home"
    shutil.copytree(prepared, home)
    with running(home) as station:
        with closing(Desk(station.url, "Renata")) as desk:
            event = desk.announce()
            desk.inspect("Earlier Player")
        yield home, station, f"{station.url}/events/{event}"


@pytest.fixture
def page_for(browser: Any, place: tuple[Path, Running, str]) -> Iterator[Open]:
    """A signed-in page; each in its own browser window."""
    contexts = []

    def open_page(name: str = "Renata", **settings: Any) -> Any:
        context = browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1280, "height": 900}, **settings})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(place[1].url + "/sign-in")
        page.fill("[name=name]", name)
        page.fill("[name=pin]", PINS[name])
        page.press("[name=pin]", "Enter")
        page.wait_for_selector("h1:has-text('Events')")
        return page

    yield open_page
    for context in contexts:
        context.close()


def fill(page: Any, owner: str, mass: str = "14.82") -> None:
    """By keyboard, as a badge scanner, a caliper and a scale type it: each ends with Return."""
    page.fill("#owner", owner)
    for field, text in page.eval_on_selector_all(".asked label", "all => all.map(e => [e.htmlFor, e.textContent])"):
        page.fill(f"#{field}", mass if "mass" in text else "41.0")
    for choice in page.locator(".choice").all():
        choice.locator("input[value=yes]").check()


def test_the_whole_walk_by_keyboard_from_sign_in_to_a_verified_pdf(
    page_for: Open, place: tuple[Path, Running, str], photo: bytes, tmp_path: Path
) -> None:
    home, _, event = place
    page = page_for()
    page.goto(f"{event}/desk/striker")
    page.set_input_files("#photo", {"name": "p.jpg", "mimeType": "image/jpeg", "buffer": photo})
    page.focus("#owner")
    page.keyboard.type("Jan Novák\n")
    assert page.evaluate("document.activeElement.name") == "text"
    for field, text in page.eval_on_selector_all(".asked label", "all => all.map(e => [e.htmlFor, e.textContent])"):
        page.focus(f"#{field}")
        page.keyboard.type("14,82 g\n" if "mass" in text else "41.00\n")
    page.focus("[data-all-yes]")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Show the verdict"
    page.keyboard.press("Enter")
    page.wait_for_selector("#verdict:has-text('Conforms')")
    page.focus("[name=pin]")
    page.keyboard.type(PINS["Renata"] + "\n")
    link = page.wait_for_selector("a:has-text('Certificate PCK-')")
    pdf = page.request.get(link.evaluate("a => a.href")).body()
    counter = TrustContext((own_keyring(home),), "PCK", open_registry(home), date.today())
    with ThreadPoolExecutor(1) as aside:  # The browser's driver keeps this thread's event loop to itself.
        seen = aside.submit(verify_pdf, pdf, counter).result()
    assert seen.holds, seen.checks
    assert page.locator("figure img").evaluate("i => i.complete && i.naturalWidth > 0")


def test_the_basic_path_works_without_scripts(page_for: Open, place: tuple[Path, Running, str]) -> None:
    page = page_for(java_script_enabled=False)
    page.goto(f"{place[2]}/desk/striker")
    page.fill("#owner", "No Script")
    for label in page.locator(".asked label").all():
        page.fill(
            "#" + (label.get_attribute("for") or ""), "14.80" if "mass" in (label.text_content() or "") else "41.00"
        )
    for choice in page.locator(".choice").all():
        choice.locator("input[value=yes]").check()
    page.click("button.big")
    assert page.text_content("#verdict") == "Conforms"
    page.fill("[name=pin]", PINS["Renata"])
    page.click("button.big")
    page.wait_for_selector("a:has-text('Certificate PCK-')")


def test_on_a_phone_nothing_is_cut_off_and_targets_are_large(page_for: Open, place: tuple[Path, Running, str]) -> None:
    page = page_for(**PHONE)
    for path in ("", "/desk/striker", "/list", "/settings"):
        page.goto(place[2] + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), path
        small = page.evaluate(
            "[...document.querySelectorAll('button, .button, select, input:not([type=hidden], [type=radio], [type=checkbox], [type=file])')]"
            ".filter(e => e.offsetParent && e.getBoundingClientRect().height < 24).length"
        )
        assert small == 0, path
    fill_page = f"{place[2]}/desk/striker"
    page.goto(fill_page)
    fill(page, "Phone Player")
    page.click("button.big")
    page.wait_for_selector("#verdict:has-text('Conforms')")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")


def test_two_desks_at_once_and_the_referee_sees_both(page_for: Open, place: tuple[Path, Running, str]) -> None:
    first, second, referee = page_for("Tomáš"), page_for("Oskar"), page_for("Renata")
    for page, owner in ((first, "Left Desk"), (second, "Right Desk")):
        page.goto(f"{place[2]}/desk/striker")
        fill(page, owner)
    for page in (first, second):
        page.click("button.big")
    for page in (first, second):
        page.wait_for_selector("#verdict:has-text('Conforms')")
    assert "The chief referee decides" in first.inner_text("main")
    referee.goto(place[2])
    assert {"Left Desk", "Right Desk"} <= set(re.findall(r"\w+ Desk", referee.inner_text(".columns")))


def test_a_desk_whose_network_breaks_keeps_what_was_typed_and_goes_on(
    page_for: Open, place: tuple[Path, Running, str]
) -> None:
    page = page_for()
    page.goto(f"{place[2]}/desk/striker")
    fill(page, "Lost Network")
    page.context.set_offline(True)
    page.click("button.big")
    page.wait_for_selector("#lost:has-text('No connection')")
    assert page.input_value("#owner") == "Lost Network"
    page.context.set_offline(False)
    page.wait_for_selector("#verdict:has-text('Conforms')")
    page.goto(place[2])
    assert page.inner_text(".columns").count("Lost Network") == 1


def test_what_was_typed_outlives_a_closed_page(page_for: Open, place: tuple[Path, Running, str]) -> None:
    page = page_for()
    page.goto(f"{place[2]}/desk/striker")
    page.fill("#owner", "Half Typed")
    page.goto(place[2])
    page.goto(f"{place[2]}/desk/striker")
    assert page.input_value("#owner") == "Half Typed"


def test_another_photo_takes_away_what_the_last_one_said_and_more_said_measures_again(
    page_for: Open, place: tuple[Path, Running, str], metal_striker: bytes, photo: bytes
) -> None:
    """The diameter of the first photo had stayed in the form under the second one, which could not be measured."""
    page = page_for(bypass_csp=True)
    page.goto(f"{place[2]}/desk/striker")
    page.set_input_files("#photo", {"name": "p.jpg", "mimeType": "image/jpeg", "buffer": metal_striker})
    page.wait_for_selector(".shot")
    field = page.eval_on_selector("#looked", "part => part.dataset.fill")
    first = page.inner_text(".shot")
    page.click("details.known summary")
    page.fill("#thickness", "8.0")
    page.press("#thickness", "Tab")
    page.wait_for_function(
        "before => (document.querySelector('.shot') || { innerText: before }).innerText !== before", arg=first
    )
    assert page.input_value(f"#{field}").startswith("41.")
    page.set_input_files("#photo", {"name": "q.jpg", "mimeType": "image/jpeg", "buffer": photo})
    page.wait_for_selector("#looked figcaption")
    assert page.input_value(f"#{field}") == ""
    page.select_option("#reference", "paper:a4")
    assert page.is_hidden("#print_scale")


def test_a_photo_on_the_mat_is_measured_while_the_rest_is_typed(
    page_for: Open, place: tuple[Path, Running, str], metal_striker: bytes
) -> None:
    page = page_for(bypass_csp=True)
    page.goto(f"{place[2]}/desk/striker")
    page.set_input_files("#photo", {"name": "p.jpg", "mimeType": "image/jpeg", "buffer": metal_striker})
    page.wait_for_selector(".shot .suspect")
    assert "Metal is suspected" in page.inner_text(".shot")
    field = page.eval_on_selector("#looked", "part => part.dataset.fill")
    assert page.input_value(f"#{field}").startswith("41.")
    page.goto(place[2])
    page.goto(f"{place[2]}/desk/striker")
    page.wait_for_selector(".shot .suspect")
    assert _axe_here(page) == []
    page.fill("#owner", "Photo Player")
    mass = page.eval_on_selector_all(".asked label", "all => all.find(e => e.textContent.includes('mass')).htmlFor")
    page.fill(f"#{mass}", "14.82")
    page.click("[data-all-yes]")
    page.click("button.big")
    page.wait_for_selector("#verdict")
    assert page.locator(".shot .suspect").count() == 1
    for language in ("en", "de", "cs", "it"):
        page.context.add_cookies([{"name": "inspect_kit_language", "value": language, "url": place[1].url}])
        page.set_viewport_size({"width": 390, "height": 844})
        page.reload()
        assert page.evaluate("document.documentElement.scrollHeight") <= 2 * 844, language
    assert _axe_here(page) == []
    image = page.locator(".shot image").get_attribute("href") or ""
    assert page.request.get(place[1].url + image).headers["content-type"] == "image/jpeg"


def test_the_scale_on_its_port_is_read_live_with_its_lamp(page_for: Open, place: tuple[Path, Running, str]) -> None:
    shown = Simulation("mt-sics", Display("14.82"), script_of(",".join(["unstable"] * 12 + ["stable"])))
    kept = connections_file(place[0])
    with simulated(shown) as scale:
        kept.write_text(connections_text({"scale-200g": Connection(Address(scale.port), "mt-sics")}))
        page = page_for()
        page.goto(f"{place[2]}/desk/striker")
        page.click("[data-weigh]")
        page.wait_for_selector(".lamp.waiting")
        page.wait_for_selector(".moving:has-text(' g')")
        page.wait_for_selector(".lamp.stable")
        field = page.get_attribute("[data-weigh]", "data-weigh")
        assert page.input_value(f"#{field}") == "14.82 g"
        assert page.inner_text(".value:has([data-weigh]) .steady") == "stable"
        assert page.input_value("[name=gauge_g]") == "scale-200g"
    kept.unlink()


def test_the_referees_page_changes_by_itself(page_for: Open, place: tuple[Path, Running, str]) -> None:
    referee, desk = page_for("Renata"), page_for("Tomáš")
    referee.goto(f"{place[2]}/queue")
    referee.wait_for_selector("[data-line]:has-text('changes by itself')")
    desk.goto(f"{place[2]}/desk/striker")
    fill(desk, "Just Came")
    desk.click("button.big")
    desk.wait_for_selector("#verdict")
    referee.wait_for_selector(".queue li:has-text('Just Came')")
    page = page_for("Renata")
    page.goto(desk.url)
    page.fill("[name=pin]", PINS["Renata"])
    page.click("button.big")
    desk.wait_for_selector("#verdict:has-text('Approved')")
    referee.wait_for_selector("body:not(:has-text('Just Came'))")


def test_a_player_is_found_while_the_name_is_typed(page_for: Open, place: tuple[Path, Running, str]) -> None:
    page = page_for()
    page.goto(f"{place[2]}/players")
    page.fill("[name=name]", "Žofie Dvořáková")
    page.fill("[name=team]", "Brno")
    page.click("aside button.main")
    page.wait_for_selector("td:has-text('Žofie')")
    page.goto(f"{place[2]}/desk/striker")
    page.focus("#owner")
    page.keyboard.type("dvora")
    page.wait_for_selector(".found li:has-text('Brno')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.input_value("#owner") == "Žofie Dvořáková"
    page.goto(f"{place[2]}/players?q=dvora")
    page.click("text=Correct")
    page.click("text=Take off the list")
    page.wait_for_selector("text=No player is on the list yet")


def test_without_a_network_the_desk_goes_on_and_sends_each_inspection_once(
    page_for: Open, place: tuple[Path, Running, str]
) -> None:
    from playwright.sync_api import expect

    page = page_for()
    page.goto(f"{place[2]}/desk/striker")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.wait_for_selector("#connection:has-text('Connected')")
    page.context.set_offline(True)
    for owner in ("Cellar One", "Cellar Two"):
        fill(page, owner)
        page.click("button.big")
        page.wait_for_selector("#lost:has-text('kept on this device') button")
        page.click("#lost button")
        expect(page.locator("#owner")).to_have_value("", timeout=60_000)
    assert page.inner_text("#connection") == "Not connected"
    page.goto(place[2])
    page.wait_for_selector("h1:has-text('Not connected')")
    page.wait_for_selector("[data-outbox] li:has-text('Cellar Two')")
    page.context.set_offline(False)
    page.goto(place[2])
    page.wait_for_selector("#lost a:has-text('Cellar Two')")
    page.reload()
    text = page.inner_text(".columns")
    assert (text.count("Cellar One"), text.count("Cellar Two")) == (1, 1)


def test_value_limit_and_button_are_seen_without_scrolling(page_for: Open, place: tuple[Path, Running, str]) -> None:
    page = page_for(viewport={"width": 1280, "height": 800})
    page.goto(f"{place[2]}/desk/striker")
    for part in (".value input[data-next]", ".limit", "button.big"):
        for each in page.locator(part).all():
            box = each.bounding_box()
            assert 0 <= box["y"] <= 800 - box["height"], part
    fill(page, "In View", "14.99")
    page.click("button.big")
    page.wait_for_selector("#verdict")
    for part in ("#verdict", ".why", ".decisions", "[name=pin]", "button.big"):
        box = page.locator(part).first.bounding_box()
        assert 0 <= box["y"] <= 800 - box["height"], part


NEW_EVENT = ("/events/new", "/events/new?sheet=icf-2001-it")


def test_on_phones_pages_are_short_and_nothing_overflows(page_for: Open, place: tuple[Path, Running, str]) -> None:
    page = page_for(**{**PHONE, "viewport": {"width": 320, "height": 640}})
    page.context.add_cookies([{"name": "inspect_kit_language", "value": "de", "url": place[1].url}])
    for rest in (
        "",
        "/desk/striker",
        "/queue",
        "/players",
        "/papers",
        "/settings",
        "/list",
        "/guided/board",
        "/statistics",
    ):
        page.goto(place[2] + rest)
        assert page.evaluate("document.documentElement.scrollWidth <= 320"), rest
    page.set_viewport_size({"width": 390, "height": 844})
    own = ("", "/desk/striker", "/queue", "/guided/board", "/settings", "/papers", "/statistics", "/screen")
    for address in (*(place[2] + rest for rest in own), *(place[1].url + rest for rest in NEW_EVENT)):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollHeight") <= 2 * 844, address


def test_on_a_phone_a_fault_is_in_view_with_the_focus_on_its_field(
    page_for: Open, place: tuple[Path, Running, str]
) -> None:
    page = page_for(**PHONE)
    page.goto(f"{place[2]}/desk/striker")
    fill(page, "Wrong Mass", mass="heavy")
    page.click("button.big")
    page.wait_for_selector(".wrong:has-text('is not a number')")
    page.wait_for_selector("[aria-invalid=true]:focus")
    box = page.locator(".asked .wrong").bounding_box()
    assert 0 < box["y"] < 844 - box["height"]
    assert page.input_value("#owner") == "Wrong Mass"


def test_a_file_that_is_too_large_is_not_sent_and_says_so(page_for: Open, place: tuple[Path, Running, str]) -> None:
    page = page_for()
    page.goto(f"{place[2]}/desk/striker")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    page.evaluate(
        """() => { const field = document.getElementById("photo"), all = new DataTransfer();
        all.items.add(new File([new Uint8Array(26e6)], "large.jpg", { type: "image/jpeg" }));
        field.files = all.files; field.dispatchEvent(new Event("change", { bubbles: true })); }"""
    )
    assert "at most 25 MB" in page.inner_text("#photofault")
    assert "POST" not in asked
    assert page.evaluate("document.activeElement.id") == "photo"


def test_badges_typed_line_by_line_give_the_name_and_return_on_a_radio_sends_nothing(
    page_for: Open, place: tuple[Path, Running, str]
) -> None:
    page = page_for()
    page.goto(f"{place[2]}/desk/striker")
    page.focus("#owner")
    page.keyboard.type("BEGIN:VCARD\nVERSION:3.0\nN:Malá;Eva;;;\nFN:Eva Malá\nEND:VCARD\n")
    assert page.input_value("#owner") == "Eva Malá"
    assert page.evaluate("document.activeElement.name") == "text"
    page.fill("#owner", "")
    page.focus("#owner")
    page.keyboard.type("MECARD:N:Novák,Jan;;\n")
    assert page.input_value("#owner") == "Jan Novák"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('.value input')")
    page.locator(".choice input").first.focus()
    for _ in page.locator(".choice").all():
        page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Show the verdict"
    assert page.url.endswith("/desk/striker")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page(page_for: Open, place: tuple[Path, Running, str], scheme: str) -> None:
    home, station, event = place
    page = page_for(color_scheme=scheme, bypass_csp=True)
    page.goto(f"{event}/desk/striker")
    fill(page, f"Axe {scheme}", "14.99")
    page.click("button.big")
    page.wait_for_selector("#verdict")
    ticket = page.url
    page.goto(f"{event}/guided/board")
    page.fill("[name=text]", "Carrom board 1")
    page.click("main button.main")
    page.wait_for_selector("#asked")
    guided = page.url
    paths = [
        station.url + "/", f"{station.url}/people", f"{station.url}/look-up?q={ticket.rsplit('/', 1)[-1]}",
        f"{station.url}/events/new", f"{station.url}/events/new?sheet=icf-cs", event, f"{event}/list",
        f"{event}/settings", f"{event}/desk/striker", f"{event}/guided/board", guided, ticket, f"{ticket}/slip",
        f"{event}/queue", f"{event}/players", f"{event}/players/badges", f"{event}/papers", f"{event}/rejections",
        f"{event}/sheet?owner=Axe%20{scheme}", f"{event}/statistics", f"{event}/screen", f"{station.url}/check?q=x", f"{station.url}/own-pin",
        f"{station.url}/nowhere",
    ]  # fmt: skip
    found = [fault for path in paths for fault in _axe(page, path)]
    page.context.clear_cookies()
    found += _axe(page, f"{station.url}/sign-in")
    assert found == []
    del home


def _axe(page: Any, path: str) -> list[str]:
    page.goto(path)
    return _axe_here(page)


def _axe_here(page: Any) -> list[str]:
    page.evaluate(AXE.read_text())
    told = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})")
    return [
        f"{page.url}: {fault['id']} ({fault['impact']}): {fault['nodes'][0]['html'][:120]}"
        for fault in told["violations"]
        if fault["impact"] in ("serious", "critical", "moderate")
    ]


SERIAL = """
window.opened = []; window.written = [];
const said = (stable) => new TextEncoder().encode(stable ? "S S      14.82 g\\r\\n" : "S D      14.80 g\\r\\n");
const port = {
  open: async (how) => { window.opened.push(how); port.readable = new ReadableStream({ start: (c) => { port.out = c; } });
                         port.writable = new WritableStream({ write: (b) => { window.written.push(...b); port.out.enqueue(said(window.written.length > 4)); } }); },
  close: async () => { document.documentElement.dataset.shut = "yes"; },
};
Object.defineProperty(navigator, "serial", { value: { requestPort: async () => { window.chosen = true; return port; } } });
"""
"""A scale at the browser's own computer that answers when it is asked; the real interface needs a real device."""


def test_a_scale_at_the_browsers_own_computer_is_read_by_its_bytes(
    page_for: Open, place: tuple[Path, Running, str]
) -> None:
    kept = connections_file(place[0])
    kept.write_text(connections_text({"scale-200g": Connection(Address("browser"), "mt-sics")}))
    page = page_for()
    page.add_init_script(SERIAL)
    answer = page.goto(f"{place[2]}/desk/striker")
    assert "serial=(self)" in answer.headers["permissions-policy"]
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    page.click("[data-weigh]")
    page.wait_for_selector(".lamp.stable")
    field = page.get_attribute("[data-weigh]", "data-weigh")
    assert page.input_value(f"#{field}") == "14.82 g"
    assert page.input_value(f"[name=sent_{field}]")
    assert page.evaluate("window.opened[0].baudRate") == 9600
    assert bytes(page.evaluate("window.written"))[:3] == b"SI\r"
    page.wait_for_selector("html[data-shut]")
    other = page_for()
    other.add_init_script("Object.defineProperty(navigator, 'serial', { value: undefined });")
    other.goto(f"{place[2]}/desk/striker")
    other.click("[data-weigh]")
    other.wait_for_selector(".steady:has-text('This browser cannot read instruments')")
    kept.unlink()


def test_a_display_is_proposed_beside_its_picture_and_taken_over_by_one_key(
    page_for: Open, place: tuple[Path, Running, str]
) -> None:
    import cv2

    from tests.scenes.display import Scene, photograph

    photo = cv2.imencode(".png", photograph(Scene("14.82")))[1].tobytes()
    page = page_for(bypass_csp=True)
    page.goto(f"{place[2]}/desk/striker")
    page.select_option("[name=gauge_g]", "scale-200g")
    mass = page.eval_on_selector_all(".asked label", "all => all.find(e => e.textContent.includes('mass')).htmlFor")
    bar = f".value:has(#{mass})"
    page.set_input_files(f"{bar} input[type=file]", {"name": "p.png", "mimeType": "image/png", "buffer": photo})
    page.wait_for_selector(f"{bar} .proposal img:visible", timeout=60_000)
    assert page.input_value(f"#{mass}") == ""
    assert page.evaluate("document.activeElement.textContent") == "✓ 14.82 g"
    assert _axe_here(page) == []
    page.keyboard.press("Enter")
    assert page.input_value(f"#{mass}") == "14.82 g"
    assert page.input_value(f"[name=display_{mass}]")
    # On a guided screen one button is for the next field that is empty.
    page.goto(f"{place[2]}/guided/striker")
    page.fill("[name=text]", "By its display")
    page.click("main button.main")
    page.wait_for_selector("#asked")
    page.goto(f"{page.url.partition('?')[0]}?at=striker.mass%7C")
    page.select_option("[name=gauge_g]", "scale-200g")
    page.set_input_files("[data-display] + input", {"name": "p.png", "mimeType": "image/png", "buffer": photo})
    page.wait_for_selector(".proposal img:visible", timeout=60_000)
    assert _axe_here(page) == []
    page.keyboard.press("Enter")
    assert page.input_value("#a0") == "14.82 g"
    page.click("button.big")
    page.wait_for_selector(".last:has-text('14.82')")


def test_a_list_of_players_from_a_spreadsheet_is_taken_over_in_the_browser(
    page_for: Open, place: tuple[Path, Running, str], tmp_path: Path
) -> None:
    book = Workbook()
    for row in (("Příjmení", "Jméno", "Tým"), ("Nováková", "Eva", "Praha")):
        book.active.append(row)
    book.save(tmp_path / "players.xlsx")
    page = page_for()
    with closing(Desk(place[1].url, "Renata")) as desk:
        page.goto(f"{place[1].url}/events/{desk.announce('With a list')}/players")
    page.set_input_files("[name=list]", tmp_path / "players.xlsx")
    page.click("form[action$='/import'] button")
    page.wait_for_selector("[role=status]:has-text('1 new player')")
    assert "Eva Nováková" in page.inner_text("table")


def test_photos_of_a_figure_are_measured_while_the_page_says_so_and_fill_in_what_they_tell(
    page_for: Open, place: tuple[Path, Running, str]
) -> None:
    page = page_for(**PHONE, bypass_csp=True)
    with closing(Desk(place[1].url, "Renata")) as desk:
        event = f"{place[1].url}/events/{desk.announce('Subbuteo', sheet='fistf-4.0')}"
    page.goto(f"{event}/guided/team")
    page.fill("[name=text]", "Team A")
    page.click("main button.main")
    page.wait_for_selector("#asked")
    page.click("summary:has-text('Photos of another figure')")
    assert _axe_here(page) == []
    page.set_input_files("[name=photos]", TRACED / "figure-5.jpg")
    page.click("form[data-brought] button")
    page.wait_for_selector("[data-looking]:has-text('Measuring')")
    page.wait_for_selector("text=values from file or photos", timeout=120_000)
    page.click("summary:has-text('Photos of another figure')")
    assert "Measured in photos: 1" in page.inner_text("form[data-brought]")
    assert page.input_value("[name=instance]") == "2"
