"""Every form of the station, filled in by somebody who means harm: a sentence comes back, and every page still shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import quote_from_bytes

import pytest
from httpx2 import Response

from inspect_kit.checkin.roles import Act, allowed
from inspect_kit.station.app import ROUTES
from inspect_kit.station.station import Limits, Station
from inspect_kit.station.web.limits import TokenBucket
from tests.station.conftest import (  # fmt: skip
    PINS,
    ROLES,
    Person,
    _quick_pins,
    client,
    csrf,
    home,
    new_client,
    prepared,
    referee,
    station,
    striker_form,
)

__all__ = ["_quick_pins", "client", "home", "prepared", "referee", "station"]

_MOST_SENT = 1_000_000
"""Bytes of one form here: larger ones are slow to make, and refused by their length."""
Fields = Sequence[tuple[str, bytes]]
HOSTILE = {
    "half a character": b"\xed\xa0\x80",
    "no UTF-8": b"\xff\xfe\xc0\x80",
    "NUL": b"a\x00b",
    "a number of 400 digits": b"9" * 400,
    "a number of 5,000 digits": b"9" * 5000,
    "1e400": b"1e400",
    "an exponent beyond the machine": b"1e999999999999999999999",
    "not a number": b"NaN",
    "escape sequences": b"\x1b[2J\x1b]0;x\x07\x9b31m",
    "control characters and turned writing": b"a\x08\x7f\xc2\x85\xe2\x80\xae\xe2\x80\xa8b\r\nX: y",
    "600 KB": b"x" * 600_000,
}
_ALONE = [HOSTILE[each] for each in ("no UTF-8", "a number of 5,000 digits", "1e400", "escape sequences")]
"""What is tried in each field while all others are right; the rest in two of them, and in all together."""
_RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""What no page sends on, not even to those who sent it."""
_TURNED = "\u202e"
"""Is shown to its sender again, beside the sentence that refuses it, and to nobody else."""
_POSTS = [(path, act) for method, path, _, act in ROUTES if method == "POST"]
_PAGES = [path for method, path, _, _ in ROUTES if method == "GET" and not re.search(r"\{(token|language)\}", path)]


@pytest.fixture
def free(station: Station) -> Station:
    """Without the limit on how often somebody may ask, which would answer for everything else."""
    endless = TokenBucket(1e6, 1e6, lambda: 0.0)
    return replace(station, limits=Limits(endless, endless, station.limits.doors))


@pytest.fixture
def places(free: Station, referee: Person) -> dict[str, str]:
    """What stands in addresses: an event, a ticket of it, and a guided inspection under way."""
    ticket = referee.inspect()
    referee.get(referee.at("/guided/board"))
    referee.post(referee.at("/guided/board"), {"text": "B", "owner": ""})
    guided = str(referee.last.url).rsplit("/", 1)[-1]
    return {"event": referee.event, "ticket": ticket, "guided": guided}


def _address(path: str, places: dict[str, str]) -> str:
    known = {**places, "item": "striker"}
    if "guided" in path:
        known |= {"item": "board", "ticket": places["guided"]}
    return re.sub(r"{(\w+)}", lambda part: known[part[1]], path)


def _somebody(station: Station, act: Act | None) -> Person:
    """The one with the least rank who may do it."""
    names = sorted(PINS, key=lambda name: sum(allowed(ROLES[name], each) for each in Act))
    return Person(new_client(station)).sign_in(next(name for name in names if act is None or allowed(ROLES[name], act)))


def _form(person: Person, path: str, places: dict[str, str]) -> dict[str, str]:
    """A form as the page offers it, with what the station's other forms ask for."""
    address = _address(path, places)
    page = person.client.get(address if path in _PAGES else address.rsplit("/", 1)[0]).text
    names = re.findall(r'<(?:input|select|textarea|button)\b[^>]*\bname="([^"]+)"', page)
    good = striker_form(page, "Jan") if path.endswith("/desk/{item}") else {}
    more = {"decision": "approve", "pin": PINS[person.name], "own_pin": PINS[person.name], "sheet": "icf-2001-it",
            "name": "Cup", "since": "2026-11-16", "until": "2026-11-17", "rule": "guarded", "language": "en"}  # fmt: skip
    return {name: good.get(name, more.get(name, "1")) for name in names if name != "csrf"} or more


def _sent(person: Person, address: str, fields: Fields, token: str) -> Response:
    body = b"&".join(name.encode() + b"=" + quote_from_bytes(value).encode() for name, value in fields)
    kind = {"Content-Type": "application/x-www-form-urlencoded", "X-CSRF-Token": token}
    return person.client.post(address, content=body, headers=kind, follow_redirects=False)


def _spoiled(good: dict[str, str], value: bytes) -> Iterator[Fields]:
    """Each field alone, all of them, all of them twice."""
    right = [(name, text.encode()) for name, text in good.items()]
    alone = right if value in _ALONE else right[:2]
    for place, (name, _) in enumerate(alone):
        yield [*right[:place], (name, value), *right[place + 1 :]]
    bad = [(name, value) for name, _ in right[: _MOST_SENT // len(value)]]
    yield bad
    yield [*right, *bad]


def _check(answer: Response) -> None:
    assert answer.status_code < 500, answer.text[:300]
    assert answer.text or answer.status_code in (204, 303), answer.status_code
    assert not _RAW.search(answer.text), _RAW.search(answer.text)


def test_no_form_of_the_station_breaks_it(free: Station, places: dict[str, str]) -> None:
    """Every route that takes a form, by the one with the least rank who may fill it in; then every page is looked at."""
    people = {act: _somebody(free, act) for act in (None, *Act)}
    for path, act in sorted(_POSTS, key=lambda route: route[0] == "/sign-out"):
        person, address = people[act], _address(path, places)
        good, token = _form(person, path, places), csrf(person.client.get("/sign-in").text)
        for value in HOSTILE.values():
            for fields in _spoiled(good, value):
                _check(_sent(person, address, fields, token))
    for page in _PAGES:
        answer = people[Act.SET_UP].client.get(_address(page, places))
        if answer.headers.get("content-type", "").startswith("text/"):
            _check(answer)
            assert _TURNED not in answer.text, page


@pytest.mark.parametrize("value", ["Another", ""])
def test_a_field_that_stands_twice_with_two_values_is_refused(
    referee: Person, station: Station, places: dict[str, str], value: str
) -> None:
    """Whoever looks at the form and whoever takes it in might each take the other one."""
    address = _address("/events/{event}/desk/{item}", places)
    form = striker_form(referee.get(address), "Jan")
    fields = [*((name, text.encode()) for name, text in form.items()), ("owner", value.encode())]
    answer = _sent(referee, address, fields, csrf(referee.last.text))
    assert answer.status_code == 400
    assert "The form cannot be read." in answer.text


_CODECS = [
    "undefined",
    "idna",
    "punycode",
    "unicode_escape",
    "utf-7",
    "utf-16",
    "rot13",
    "zlib",
    "x\x00y",
    "utf-8\u00b2",
    "x" * 3000,
]


@pytest.mark.parametrize("codec", _CODECS, ids=lambda codec: repr(codec[:16]))
def test_no_encoding_that_a_sender_names_breaks_a_form(referee: Person, places: dict[str, str], codec: str) -> None:
    """`undefined` decodes nothing, and `unicode_escape` makes halves of characters out of plain letters."""
    address = _address("/events/{event}/desk/{item}", places)
    form = striker_form(referee.get(address), r"\ud800 +2AA- xn--a-!!!")
    part = '--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    body = "".join(part.format(name, text) for name, text in form.items()) + "--x--\r\n"
    kind = f'multipart/form-data; boundary=x; charset="{codec}"'.encode("latin-1")
    headers = [(b"Content-Type", kind), (b"X-CSRF-Token", csrf(referee.last.text).encode())]
    _check(referee.client.post(address, content=body.encode(), headers=headers, follow_redirects=False))
    _check(referee.client.get(referee.at("/list")))


@pytest.mark.parametrize(
    "size", ["\u00b2", "9" * 5000, "-1", "1e3", "0x10", " ", "1_0"], ids=lambda size: repr(size[:8])
)
def test_a_length_that_is_no_number_is_refused_in_a_sentence(referee: Person, size: str) -> None:
    headers = [(b"Content-Length", size.encode("latin-1")), (b"Content-Type", b"application/x-www-form-urlencoded")]
    answer = referee.client.post("/look-up", content=b"", headers=headers)
    assert answer.status_code == 413
    assert answer.text
