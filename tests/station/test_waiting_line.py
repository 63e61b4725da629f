"""Photos that wait: first come, first served, and each is told how many are before it."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from starlette.responses import HTMLResponse, Response

from inspect_kit.errors import BadInput
from inspect_kit.station import photos
from inspect_kit.station.photos import LINES, Tell, WaitingLine
from tests.station.conftest import Person


def _until(true: Event) -> None:
    assert true.wait(30)


def test_photos_are_taken_in_the_order_they_came_and_told_their_place() -> None:
    line, order, told = WaitingLine(1), list[int](), dict[int, list[int]]()
    go, next_is_the_last, queued = Event(), Event(), {number: Event() for number in range(3)}

    def measured(number: int) -> None:
        def tell(before: int) -> None:
            told.setdefault(number, []).append(before)
            queued[number].set()
            if (number, before) == (2, 1):
                next_is_the_last.set()

        with line.turn(tell):
            order.append(number)
            if number < 2:
                _until((go, next_is_the_last)[number])

    with ThreadPoolExecutor(3) as threads:
        waiting = []
        for number in range(3):
            waiting.append(threads.submit(measured, number))
            _until(queued[number])
        go.set()
        for each in waiting:
            each.result()
    assert order == [0, 1, 2]
    assert told == {0: [0], 1: [1, 0], 2: [2, 1, 0]}


def test_as_many_as_there_are_places_do_not_wait() -> None:
    line, told = WaitingLine(2), list[int]()
    with line.turn(told.append), line.turn(told.append):
        pass
    assert told == [0, 0]


def test_a_photo_that_fails_gives_its_place_free() -> None:
    line = WaitingLine(1)
    with pytest.raises(ZeroDivisionError), line.turn():
        raise ZeroDivisionError
    with line.turn():
        pass


def test_nobody_waits_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    line = WaitingLine(1)
    monkeypatch.setattr(photos, "_PATIENCE", 0.05)
    with line.turn(), pytest.raises(BadInput, match="too much"), line.turn():
        pass
    with line.turn():
        pass


def test_a_line_that_is_full_takes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photos, "_LONGEST", 0)
    with pytest.raises(BadInput, match="too much"), WaitingLine(1).turn():
        pass


async def _told(response: Response) -> list[dict[str, object]]:
    lines = [str(chunk) async for chunk in response.body_iterator]  # type: ignore[attr-defined]
    return [json.loads(line) for line in lines]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_what_is_streamed_ends_with_the_page_and_its_status() -> None:
    def work(tell: Tell) -> Response:
        tell(2)
        tell(0)
        return HTMLResponse("<p>Příbor</p>", 422)

    told = await _told(photos.streamed(work))
    assert told == [{"before": 2}, {"before": 0}, {"status": 422, "part": "<p>Příbor</p>"}]


def test_a_script_is_told_its_place_and_then_what_the_photo_shows(referee: Person, photo: bytes) -> None:
    page = referee.get(referee.at("/desk/striker"))
    csrf = re.search(r'name="csrf" value="(\w+)"', page)
    assert csrf is not None
    answer = referee.client.post(
        referee.at("/desk/striker/photo"), headers={"Accept": LINES, "X-CSRF-Token": csrf[1]},
        files={"photo": ("p.jpg", photo, "image/jpeg")},
    )  # fmt: skip
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert told[0] == {"before": 0}
    assert told[-1]["status"] == 200
    assert "kept as evidence" in told[-1]["part"]
