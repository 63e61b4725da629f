"""Every route with random and hostile input, for a bounded number of tries: never a fault of ours."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

import pytest

from inspect_kit.station.app import ROUTES
from inspect_kit.station.station import CertificateWorker, Limits, Station
from inspect_kit.station.web.limits import TokenBucket
from tests.station.conftest import PINS, Person, new_client, striker_form

_TEXTS = (
    "", " ", "0", "-1", "1e999", "NaN", "14.82", "9" * 400, "x" * 5000, "\x00", "\ud7ff", "\u202e", "é" * 300, "../../etc/passwd",
    "' OR '1'='1", "<script>", "%s%n", "{{7*7}}", "\r\nSet-Cookie: a=b", "BCDEFGHJKLNPRSTU", "2026-13-45", "2026-11-16",
    "approve", "reject", "condition", "guarded", "icf-cs", "striker", "board", "yes", "no", "on", "[]", "null", "🎯", "a|b", "|",
)  # fmt: skip
_FIELDS = (
    "name", "pin", "again", "own_pin", "role", "event", "remove", "back", "since", "until", "venue", "sheet", "rule",
    "language", "house", "count_board", "quota_striker", "mark_2026-11-16", "mark_x", "four_eyes", "daily", "ticket", "owner",
    "text", "retest", "weigh", "look", "measure", "thickness", "print_scale", "q0", "q1", "q2", "q3", "gauge_g", "gauge_mm", "gauge_", "decision", "because", "after",
    "question", "value", "gauge", "skip", "undo", "finish",
)  # fmt: skip
_TRIES = 14


def _paths(path: str, known: dict[str, str], dice: random.Random) -> Iterator[str]:
    for _ in range(_TRIES):
        odd = dice.random() < 0.2

        def fill(match: re.Match[str], odd: bool = odd) -> str:
            return quote(_text(dice), safe="") if odd else known[match[1]]

        yield re.sub(r"{(\w+)}", fill, path)


def _text(dice: random.Random) -> str:
    """Something known to be nasty, or letters from anywhere."""
    if dice.random() < 0.7:
        return dice.choice(_TEXTS)
    letters = (
        chr(dice.randrange(1, 0xD7FF) if dice.random() < 0.8 else dice.randrange(0xE000, 0x10FFFF)) for _ in range(9)
    )
    return "".join(letters)


def _spoiled(good: dict[str, str], dice: random.Random) -> dict[str, str]:
    """A form that would do, with up to three fields changed, left out or added; now and then nothing but nonsense."""
    if dice.random() < 0.2:
        return {dice.choice(_FIELDS): _text(dice) for _ in range(dice.randrange(12))}
    data = dict(good)
    for _ in range(dice.randrange(4)):
        name = dice.choice((*good, *_FIELDS)) if good else dice.choice(_FIELDS)
        data[name] = _text(dice)
        if dice.random() < 0.3:
            del data[name]
    return data


def _forms(person: Person, question: str) -> dict[str, dict[str, str]]:
    """What each route would take, by the end of its path."""
    pin = PINS["Renata"]
    event = {"sheet": "icf-2001-it", "name": "Cup", "since": "2026-11-16", "until": "2026-11-17", "language": "de",
             "rule": "guarded", "count_board": "3", "quota_striker": "2", "mark_2026-11-16": "dot",
             "environment": "21 °C", "customer": "Club", "contact": "x", "protest": "until 18:00"}  # fmt: skip
    return {
        "/setup": {"name": "X", "pin": "918273", "again": "918273"},
        "/sign-in": {"name": "Renata", "pin": pin, "back": "/"},
        "/people": {"name": "Nobody", "own_pin": pin, "pin": "918273", "role": "viewer", "event": ""},
        "/events/new": event, "/settings": event,
        "/desk/{item}": striker_form(person.get(person.at("/desk/striker")), "Jan"),
        "/photo": {"thickness": "8.1", "print_scale": "0.998"},
        "/guided/{item}": {"text": "Board", "owner": "Jan"},
        "/guided/{item}/{ticket}": {"screen": question, "a0": "yes", "gauge_mm": "", "a1": "738"},
        "/players": {"name": "Eva", "team": "Brno", "badge": "7", "pieces": "Striker: blue", "player": ""},
        "/own-pin": {"own_pin": pin, "pin": "1", "again": "1"},
        "/player": {"owner": "Eva", "because": "x"},
        "/withdraw": {"because": "x", "pin": pin},
        "/decision": {"decision": "condition", "pin": pin, "because": "x", "after": "y", "maker": "Synco",
                      "serial": "7", "received_on": "2026-11-15", "remarks": "a\nb"},
    }  # fmt: skip


@pytest.mark.parametrize(("method", "path"), [(method, path) for method, path, _, _ in ROUTES if path != "/sign-out"])
def test_no_route_fails_whatever_it_is_sent(
    referee: Person, station: Station, method: str, path: str, photo: bytes
) -> None:
    endless = TokenBucket(1e6, 1e6, lambda: 0.0)
    free = replace(station, limits=Limits(endless, endless, station.limits.doors))
    person = Person(new_client(free)).sign_in("Renata")
    person.event = referee.event
    ticket = person.inspect()
    person.get(person.at("/guided/board"))
    person.post(person.at("/guided/board"), {"text": "B", "owner": ""})
    begun, page = str(person.last.url).rsplit("/", 1)[-1], person.last.text
    token, question = (re.search(rf'name="{name}" value="([^"]+)"', page) for name in ("csrf", "screen"))
    assert token is not None
    assert question is not None
    good = next((form for end, form in _forms(person, question[1]).items() if path.endswith(end)), {})
    dice = random.Random(f"{method} {path}")
    known = {"token": ticket, "event": person.event, "ticket": begun if "guided" in path else ticket, "language": "de",
             "item": "board" if "guided" in path else "striker"}  # fmt: skip
    for address in _paths(path, known, dice):
        if method == "GET":
            query = {dice.choice(("q", "back", "sheet", "retest", "owner", "text")): _text(dice)}
            answer = person.client.get(address, params=query, follow_redirects=False)
        else:
            blob = dice.choice(
                (photo, photo[: dice.randrange(len(photo))], b"GIF89a", b"%PDF", b"\x89PNG\r\n\x1a\n" + b"\0" * 60)
            )
            files = {"photo": ("x", blob, "image/jpeg")} if dice.random() < 0.4 else None
            data = {**_spoiled(good, dice), "csrf": token[1]}
            answer = person.client.post(address, data=data, files=files, follow_redirects=False)
        assert answer.status_code < 500, (address, answer.status_code)
    CertificateWorker(station).make_all()


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"--x\r\n", b"a" * 100_000, b"csrf=" + b"%" * 999])
@pytest.mark.parametrize(
    "kind",
    [
        "multipart/form-data; boundary=x",
        "multipart/form-data",
        "application/json",
        "text/plain",
        "",
        "application/x-www-form-urlencoded",
    ],
)
def test_a_body_that_is_no_form_is_refused(referee: Person, body: bytes, kind: str) -> None:
    answer = referee.client.post(referee.at("/desk/striker"), content=body, headers={"Content-Type": kind})
    assert 400 <= answer.status_code < 500
