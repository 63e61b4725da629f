"""Strangers at the door: forged forms, foreign hosts, floods, markup in every field, and what pages and logs give away."""

from __future__ import annotations

import io
import logging
import re
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from inspect_kit.certificate.content.wording import station_words
from inspect_kit.checkin.certify import code_as_svg
from inspect_kit.checkin.form import name_on_badge
from inspect_kit.errors import LANGUAGES, UsageError
from inspect_kit.registry.checkin import accounts
from inspect_kit.registry.opening import open_registry
from inspect_kit.station.app import create_app
from inspect_kit.station.station import CertificateWorker, Station, open_station
from inspect_kit.station.web.limits import PinThrottle, TokenBucket
from inspect_kit.station.web.serving import ServerAddress, is_loopback, serve
from inspect_kit.station.web.visit import SESSION, back_to
from tests.station.conftest import PINS, Person, new_client, striker_form

MARKUP = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>{{7*7}}"


def test_a_form_without_its_token_is_refused(referee: Person) -> None:
    page = referee.get(referee.at("/desk/striker"))
    for token in ("", "0" * 64, "ř"):
        answer = referee.client.post(referee.at("/desk/striker"), data={**striker_form(page, "X"), "csrf": token})
        assert answer.status_code == 403
    assert "Nobody waits." in referee.get(referee.at())


def test_the_token_of_another_session_is_refused(referee: Person, station: Station) -> None:
    other = Person(new_client(station)).sign_in("Oskar")
    token = re.search(r'name="csrf" value="(\w+)"', other.get("/"))
    assert token is not None
    page = referee.get(referee.at("/desk/striker"))
    answer = referee.client.post(referee.at("/desk/striker"), data={**striker_form(page, "X"), "csrf": token[1]})
    assert answer.status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil", "192.168.1.9"])
def test_another_host_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/sign-in", headers={"Host": host}).status_code == 421


def test_on_the_network_bare_addresses_are_served_and_names_from_outside_are_not(home: Path) -> None:
    station = open_station(Station(home, open_registry(home), loopback=False))
    client = TestClient(create_app(station), base_url="http://192.168.1.9")
    assert client.get("/sign-in").status_code == 200
    assert client.get("/sign-in", headers={"Host": "evil.example"}).status_code == 421
    assert client.get("/setup").status_code == 403


def test_the_cookie_is_for_this_station_only(client: TestClient) -> None:
    cookie = client.get("/sign-in").headers["set-cookie"]
    assert SESSION in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_signing_in_changes_the_session(client: TestClient) -> None:
    person = Person(client)
    person.get("/sign-in")
    before = client.cookies[SESSION]
    person.sign_in("Renata")
    assert client.cookies[SESSION] != before


def test_signing_out_ends_the_session_on_the_server(referee: Person) -> None:
    stolen = referee.client.cookies[SESSION]
    referee.get("/")
    referee.post("/sign-out", {})
    referee.client.cookies.clear()
    referee.client.cookies.set(SESSION, stolen)
    referee.get(referee.at())
    assert "/sign-in" in str(referee.last.url)


def test_every_answer_carries_strict_headers(referee: Person) -> None:
    for path in ("/", "/sign-in", "/nowhere", "/static/station.css", referee.at("/desk/striker")):
        headers = referee.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_pages_name_no_outside_address_and_no_inline_script_or_style(referee: Person) -> None:
    ticket = referee.inspect()
    for path in ("/", "/people", "/look-up", referee.at(), referee.at("/desk/striker"), referee.at("/settings"),
                 referee.at(f"/tickets/{ticket}"), referee.at(f"/tickets/{ticket}/slip")):  # fmt: skip
        page = referee.get(path)
        assert not re.findall(r'(?:src|href|action)="(?:https?:)?//', page)
        assert not re.findall(r"<script(?! src=)|<style|\sstyle=|\son\w+=", page)


def test_markup_in_every_field_comes_back_as_text(referee: Person, station: Station) -> None:
    referee.announce(name=f"Cup {MARKUP}"[:190], venue=MARKUP[:100], **{"mark_2026-11-16": MARKUP[:60]})
    ticket = referee.inspect(owner=f"Jan {MARKUP}", text=f"S {MARKUP}"[:110])
    pages = [referee.last.text]
    pages.append(referee.decide(ticket, "approve", because=MARKUP))
    assert CertificateWorker(station).make_all() == 1
    referee.inspect(owner=f"Eva {MARKUP}", mass=MARKUP, diameter=MARKUP, status=422)
    pages.append(referee.last.text)
    odd = referee.inspect(owner=f"Eva {MARKUP}", mass="14.99")
    pages.append(referee.decide(odd, "condition", after=MARKUP[:100], because=MARKUP))
    for path in ("/", referee.at(), referee.at("/list"), referee.at("/settings"), referee.at("/desk/striker"),
                 referee.at(f"/tickets/{ticket}"), referee.at(f"/tickets/{odd}/slip"), f"/look-up?q={odd}",
                 "/look-up?q=" + MARKUP, referee.at("/guided/board") + "?text=" + MARKUP,
                 referee.at("/desk/striker") + "?owner=" + MARKUP, "/sign-in?back=" + MARKUP):  # fmt: skip
        pages.append(referee.get(path))
    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
    pdf = referee.client.get(referee.at(f"/tickets/{ticket}/certificate.pdf"))
    assert pdf.status_code == 200
    assert b"/JavaScript" not in pdf.content
    assert b"/JS" not in pdf.content


class _Forms(HTMLParser):
    """Every form of a page: where it goes and what it sends, as a browser would."""

    def __init__(self, page: str, address: str) -> None:
        super().__init__()
        self.address = address
        self.found: list[tuple[str, dict[str, tuple[str, str]]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("method") == "post":
            self.found.append((given.get("action") or self.address, {}))
        elif self.found and tag in ("input", "textarea", "select") and given.get("name"):
            kind = given.get("type", "text") if tag == "input" else tag
            self.found[-1][1].setdefault(given["name"], (kind, given.get("value", "")))


_TYPED = ("text", "textarea", "password")
_HARMLESS = {
    "csrf",
    "ticket",
    "look",
    "retest",
    "sheet",
    "back",
    "question",
    "screen",
    "pin",
    "own_pin",
    "since",
    "until",
    "house",
}
"""What a page fills in itself, or what has to be right for the form to be read at all."""


def _sent_with_markup(person: Person, path: str, **right: str) -> Iterator[tuple[str, str]]:
    """Each text field of each form in turn with markup in it, the others as they were; gives field and answer."""
    page = person.get(path)
    for action, fields in _Forms(page, path).found:
        usual = {name: value for name, (kind, value) in fields.items() if kind not in ("file", "radio", "checkbox")}
        for name, (kind, _) in fields.items():
            if action != "/sign-out" and kind in _TYPED and name not in _HARMLESS:
                answer = person.client.post(action, data={**usual, **right, name: MARKUP[:110]})
                assert answer.status_code < 500, (action, name)
                yield f"{action} {name}", answer.text


def test_markup_in_each_field_of_each_form_comes_back_as_text(referee: Person) -> None:
    ticket = referee.inspect(mass="14.99")
    referee.get(referee.at("/guided/board"))
    referee.post(referee.at("/guided/board"), {"text": f"B {MARKUP}"[:100], "owner": MARKUP})
    guided = str(referee.last.url.path)
    pin = PINS["Renata"]
    tried = [
        *_sent_with_markup(referee, "/people", own_pin=pin, pin="918273", name="Nobody", role="viewer"),
        *_sent_with_markup(referee, "/events/new?sheet=icf-2001-it", name="Cup"),
        *_sent_with_markup(referee, referee.at("/settings"), name="Cup"),
        *_sent_with_markup(referee, referee.at("/desk/striker"), owner="Jan"),
        *_sent_with_markup(referee, referee.at("/guided/board"), text="Board"),
        *_sent_with_markup(referee, guided),
        *_sent_with_markup(referee, "/look-up"),
        *_sent_with_markup(referee, referee.at("/players"), other_player="1"),
        *_sent_with_markup(referee, referee.at(f"/tickets/{ticket}"), pin=pin, decision="condition"),
    ]
    assert len({field for field, _ in tried}) > 25
    tried += [(path, referee.get(path)) for path in ("/", "/people", referee.at(), referee.at("/list"), guided,
                                                     referee.at("/players"), referee.at("/players/badges"),
                                                     referee.at("/queue"), referee.at("/screen"), referee.at("/papers"),
                                                     referee.at("/rejections"), referee.at("/statistics"),
                                                     referee.at("/desk/striker"), referee.at("/guided/board"))]  # fmt: skip
    for field, page in tried:
        assert "<script>alert" not in page, field
        assert "<img src=x" not in page, field


def test_markup_is_printed_as_text_and_house_rules_with_it(referee: Person, station: Station) -> None:
    house = f"""
format = 1
id = "club"
title = "Club {_TOML}"
over = "icf-2001-it"
standing = "house"
because = "Because {_TOML}"
disclaimer = "Not {_TOML}"

[[clause]]
characteristic = "striker.mass"
limits = {{ upper = "14.9 g" }}
because = "Lighter {_TOML}"
"""
    referee.announce(house=house, name=f"Cup {_PRINTED}")
    ticket = referee.inspect(owner=f"Jan {_PRINTED}", text=f"S {_PRINTED}", mass="14.5")
    pages = [referee.last.text, referee.decide(ticket, "approve"), referee.get(referee.at("/settings"))]
    assert CertificateWorker(station).make_all() == 1
    pages.append(referee.get(referee.at(f"/tickets/{ticket}")))
    assert not any("<b>bold" in page or "<img src" in page for page in pages)
    pdf = referee.client.get(referee.at(f"/tickets/{ticket}/certificate.pdf")).content
    label = referee.client.get(referee.at(f"/tickets/{ticket}/label.pdf")).content
    for document in (pdf, label):
        assert not _active(document)
    printed = re.sub(r"\s+", "", _text_in(pdf))
    for text in (f"Jan{_PRINTED}", f"S{_PRINTED}", f"Cup{_PRINTED}", f"Because{_PRINTED}"):
        assert re.sub(r"\s+", "", text) in printed


_PRINTED = "<b>bold</b><img src='/etc/passwd'/>&amp;"
_TOML = _PRINTED.replace('"', "'")


def _text_in(pdf: bytes) -> str:
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    return "".join(page.get_textpage().get_text_range() for page in document)


def _active(pdf: bytes) -> set[str]:
    """Names in the file that make a viewer do something."""
    import pikepdf

    harmful = {"/JavaScript", "/JS", "/Launch", "/OpenAction", "/AA", "/SubmitForm", "/ImportData", "/RichMedia"}
    found: set[str] = set()
    with pikepdf.open(io.BytesIO(pdf)) as document:
        for thing in document.objects:
            if isinstance(thing, pikepdf.Dictionary | pikepdf.Stream):
                found |= harmful & set(thing.keys())
                found |= harmful & {str(thing.get("/S", ""))}
    return found


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/a\nb"]
)
def test_nobody_is_sent_elsewhere_after_signing_in(back: str) -> None:
    assert back_to(back) == "/"


def test_wrong_names_and_wrong_pins_look_the_same(client: TestClient) -> None:
    person = Person(client)
    person.get("/sign-in")
    pages = [person.post("/sign-in", {"name": name, "pin": "000000"}, 403) for name in ("Renata", "Nobody")]
    assert pages[0].replace("Renata", "") == pages[1].replace("Nobody", "")


def test_many_sign_ins_from_one_address_are_slowed_down(client: TestClient) -> None:
    person = Person(client)
    person.get("/sign-in")
    token = re.search(r'name="csrf" value="(\w+)"', person.last.text)
    assert token is not None
    codes = [
        client.post("/sign-in", data={"name": f"N{n}", "pin": "0", "csrf": token[1]}).status_code for n in range(25)
    ]
    assert codes.count(429) >= 4


def test_a_body_that_is_too_large_is_refused_before_it_is_read(referee: Person) -> None:
    answer = referee.client.post("/sign-in", content=b"", headers={"Content-Length": "99999999"})
    assert answer.status_code == 413

    def flood() -> Iterator[bytes]:
        for _ in range(40):
            yield b"x" * 1_000_000

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    assert referee.client.post("/look-up", content=flood(), headers=headers).status_code in (400, 403, 413)


def test_too_many_fields_are_refused(referee: Person) -> None:
    answer = referee.client.post("/sign-in", data={f"f{n}": "x" for n in range(2000)})
    assert answer.status_code in (400, 403)


def test_pins_are_hashed_with_argon2_and_never_logged(
    referee: Person, station: Station, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        referee.decide(referee.inspect(), "approve")
    assert not any(pin in caplog.text for pin in PINS.values())
    everything = b"".join(path.read_bytes() for path in station.home.rglob("*") if path.is_file())
    assert b"$argon2id$" in everything
    assert not any(pin.encode() in everything for pin in PINS.values())


def test_the_stations_own_hashing_is_not_the_tests() -> None:
    source = Path(accounts.__file__).read_text()
    assert "PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)" in source
    assert (
        PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        .hash("x")
        .startswith("$argon2id$v=19$m=19456,t=2")
    )


def test_the_stations_secret_is_its_owners_alone(station: Station) -> None:
    path = station.home / "station" / "secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == station.secret


def test_another_address_needs_accounts(tmp_path: Path) -> None:
    station = Station(tmp_path, open_registry(tmp_path))
    with pytest.raises(UsageError, match="accounts are set up"):
        serve(station, ServerAddress("0.0.0.0", 0), lambda _: None)


@pytest.mark.parametrize(
    ("host", "own"), [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("x", False)]
)
def test_loopback_is_known(host: str, own: bool) -> None:
    assert is_loopback(host) is own


def test_the_first_account_is_made_on_this_machine_and_only_once(tmp_path: Path) -> None:
    station = open_station(Station(tmp_path, open_registry(tmp_path)))
    person = Person(new_client(station))
    person.get("/")
    assert "/setup" in str(person.last.url)
    person.post("/setup", {"name": "Renata", "pin": "402861", "again": "402862"}, 422)
    person.post("/setup", {"name": "Renata", "pin": "402861", "again": "402861"})
    assert "Events" in person.last.text
    person.get("/setup", 403)


def test_buckets_fill_again_and_doors_open_again() -> None:
    clock = [0.0]
    bucket, doors = TokenBucket(1, 2, lambda: clock[0]), PinThrottle(lambda: clock[0])
    assert [bucket.take("a") for _ in range(3)] == [True, True, False]
    assert [doors.tries("a") for _ in range(6)] == [True] * 5 + [False]
    assert doors.tries("b")
    clock[0] = 15.0
    assert bucket.take("a")
    assert [doors.tries("a") for _ in range(2)] == [True, False]
    clock[0] = 44.0
    assert not doors.tries("a")
    clock[0] = 45.0
    assert doors.tries("a")
    doors.right("a")
    assert [doors.tries("a") for _ in range(6)] == [True] * 5 + [False]


def test_thirty_tries_at_once_count_as_thirty() -> None:
    doors = PinThrottle(lambda: 0.0)
    with ThreadPoolExecutor(30) as crowd:
        assert sum(crowd.map(lambda _: doors.tries("Renata"), range(30))) == 5


def test_strangers_wrong_pins_do_not_lock_out_who_is_signed_in(referee: Person, station: Station) -> None:
    stranger = new_client(station)
    page = stranger.get("/sign-in").text
    csrf = re.search(r'name="csrf" value="([0-9a-f]{64})"', page)
    form = {"csrf": csrf[1] if csrf else "", "name": "Renata", "back": "/"}
    codes = [stranger.post("/sign-in", data={**form, "pin": f"99{n:04d}"}).status_code for n in range(7)]
    assert codes == [403] * 5 + [429] * 2
    assert "approved" in referee.decide(referee.inspect(), "approve")


def test_the_slips_code_is_an_ordinary_qr_code() -> None:
    size = re.search(r'viewBox="0 0 (\d+)', code_as_svg("BCDFGHJK"))
    assert size is not None
    assert int(size[1]) >= 21 + 8


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_everything_with_the_same_gaps(language: str) -> None:
    english, other = station_words("en"), station_words(language)
    assert english.keys() == other.keys()
    for key, text in english.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", other[key])), key
        assert other[key].strip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_drawn_in_every_language(referee: Person, language: str) -> None:
    referee.client.get(f"/language/{language}?back=/")
    ticket = referee.inspect(mass="14.99", status=200) if language == "en" else _inspected(referee)
    for path in ("/", "/people", "/look-up", "/look-up?q=x", "/events/new", "/events/new?sheet=icf-cs", referee.at(),
                 referee.at("/list"), referee.at("/settings"), referee.at("/desk/striker"), referee.at("/guided/board"),
                 referee.at("/queue"), referee.at("/players"), referee.at("/players/badges"), referee.at("/papers"),
                 referee.at("/sheet?owner=X"), referee.at("/rejections"), referee.at("/statistics"),
                 referee.at("/screen"), "/check", "/check?q=x", "/own-pin", "/offline", referee.at(f"/tickets/{ticket}"),
                 referee.at(f"/tickets/{ticket}/slip")):  # fmt: skip
        assert f'<html lang="{language}">' in referee.get(path)


def _inspected(person: Person) -> str:
    page = person.get(person.at("/desk/striker"))
    ticket = re.search(r'name="ticket" value="(\w+)"', page)
    assert ticket is not None
    person.post(
        person.at("/desk/striker"), {"ticket": ticket[1], "owner": "X", "q0": "yes", "gauge_g": "", "gauge_mm": ""}
    )
    return ticket[1]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Jan Novák", "Jan Novák"),
        ("MECARD:N:Novák,Jan;;", "Jan Novák"),
        ("BEGIN:VCARD\nVERSION:3.0\nFN:Eva Malá\nEND:VCARD", "Eva Malá"),
        ("BEGIN:VCARD\r\nVERSION:3.0\r\nN:Malá;Eva;;;\r\nEND:VCARD", "Eva Malá"),
        ("BEGIN:VCARD\nVERSION:4.0\nN:Malá;Eva;;;\nFN;CHARSET=UTF-8:Eva Malá\\, jr.\nEND:VCARD", "Eva Malá, jr."),
        ("mecard:TEL:1;N:O\\;Neill,Rory;EMAIL:a@b.c;;", "Rory O;Neill"),
        ("MECARD:N:Pelé;;", "Pelé"),
        ("player:Petr", "Petr"),
        ("MECARD:" + "N" * 5000, "MECARD:" + "N" * 5000),
    ],
)
def test_badges_are_read(text: str, name: str) -> None:
    assert name_on_badge(text) == name
