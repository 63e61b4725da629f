"""The live camera over the mat: each fault of a frame has its word, and a good view takes the photo by itself."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter
from starlette.testclient import TestClient

from inspect_kit.errors import BadInput
from inspect_kit.station.live import FramesInHand
from inspect_kit.station.station import Station
from inspect_kit.vision.optics.camera import guessed
from inspect_kit.vision.optics.pose import Known, fit_view
from tests.scenes.render import photograph
from tests.scenes.scene import Lens, Piece, Scene, Sensor, Stand
from tests.scenes.table import COLOURS
from tests.station.conftest import CHROMIUM, FLAGS, PINS, Person, new_client
from tests.station.running import Desk, Running, running

LENS = Lens(960, 720, 1280.0, (479.5, 359.5))
GOOD = Stand(450, 0.08, 1.0, 1.57)


@cache
def _frame(stand: Stand = GOOD, blur: float = 0.7) -> bytes:
    """What a browser sends of a white striker on the A4 mat."""
    striker = Piece(0, 0, 41.2, 8.0, 1.0, COLOURS["white"], "white")
    return photograph(Scene(LENS, stand, (striker,), sensor=Sensor(blur, 0.006, jpeg=80), seed=3))


def _jpeg(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=85)
    return buffer.getvalue()


def _opened() -> Image.Image:
    return Image.open(io.BytesIO(_frame()))


def _dark() -> bytes:
    return _jpeg(_opened().point(lambda code: code // 10))


def _glaring() -> bytes:
    image, spot = _opened(), Image.new("L", (960, 720))
    ImageDraw.Draw(spot).ellipse((100, 100, 500, 450), fill=255)
    image.paste((255, 255, 255), mask=spot.filter(ImageFilter.GaussianBlur(30)))
    return _jpeg(image)


def _sent(person: Person, frame: bytes, status: int = 200) -> Any:
    person.get(person.at("/desk/striker"))
    person.post(person.at("/desk/striker/live"), {}, status, {"frame": ("f.jpg", frame, "image/jpeg")})
    return person.last.json() if status == 200 else None


def test_each_fault_of_a_frame_has_its_word(referee: Person, photo: bytes) -> None:
    frames = {
        "good": _frame(),
        "straighter": _frame(Stand(480, 0.6, 1.0, 1.57)),
        "not_whole": _frame(Stand(450, 0.08, 1.0, 1.57, (60, 0))),
        "closer": _frame(Stand(800, 0.08, 1.0, 1.57)),
        "still": _frame(blur=3.0),
        "light": _dark(),
        "glare": _glaring(),
        "no_sheet": photo,
    }
    assert {word: _sent(referee, frame)["aim"] for word, frame in frames.items()} == {word: word for word in frames}


def test_three_crossings_of_a_sheet_are_too_few_and_said_to_be() -> None:
    three = np.array([(-36.0, 127.5, 0.0), (-84.0, -40.5, 0.0), (-84.0, -112.5, 0.0)])
    with pytest.raises(BadInput, match="corners"):
        fit_view(guessed(960, 720, None), Known(three, 3 * three[:, :2] + 400, 12.0))


def test_the_outline_lies_around_the_pattern_of_the_mat(referee: Person) -> None:
    told = _sent(referee, _frame())
    assert len(told["outline"]) == 4
    corners = [(x * 960, y * 720) for x, y in told["outline"]]
    long = [abs(complex(*a) - complex(*b)) for a, b in pairwise(corners)]
    # 16 by 22 squares of 12 mm, 1280 pixels of focal length, 450 mm away.
    assert sorted(long)[-1] == pytest.approx(264 * 1280 / 450, rel=0.04)
    assert sorted(long)[0] == pytest.approx(192 * 1280 / 450, rel=0.04)


@pytest.mark.parametrize(("language", "said"), [("de", "Gerader"), ("cs", "Rovněji"), ("it", "Più dritto")])
def test_what_to_do_is_said_in_the_desks_language(referee: Person, language: str, said: str) -> None:
    referee.client.headers["Accept-Language"] = language
    assert _sent(referee, _frame(Stand(480, 0.6, 1.0, 1.57)))["say"].startswith(said)


def test_a_frame_leaves_nothing_behind(referee: Person, home: Path) -> None:
    before = sorted(home.rglob("*.look"))
    _sent(referee, _frame())
    assert sorted(home.rglob("*.look")) == before


def test_a_frame_that_is_no_picture_is_dropped_and_one_too_large_is_refused(referee: Person) -> None:
    assert _sent(referee, b"no picture")["aim"] == "busy"
    _sent(referee, b"\xff" * 700_000, 413)


def test_frames_need_a_person_who_may_record_and_the_forms_token(
    station: Station, referee: Person, joined: Any
) -> None:
    path, files = referee.at("/desk/striker/live"), {"frame": ("f.jpg", _frame(), "image/jpeg")}
    assert referee.client.post(path, files=files).status_code == 403
    stranger: TestClient = new_client(station)
    Person(stranger).get("/sign-in")
    assert stranger.post(path, files=files).status_code == 403
    viewer = joined("Vera")
    viewer.get("/")
    viewer.post(path, {}, 403, files)


def test_a_second_frame_of_the_same_browser_is_dropped_while_the_first_is_looked_at() -> None:
    frames = FramesInHand()
    with frames.one_of("mine") as first, frames.one_of("mine") as second, frames.one_of("other") as other:
        assert (first, second, other) == (True, False, True)
    with frames.one_of("mine") as again:
        assert again


# ------------------------------------------------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def place(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, str]]:
    home = tmp_path_factory.mktemp("live") / "home"
    shutil.copytree(prepared, home)
    with running(home) as station:
        with closing(Desk(station.url, "Renata")) as desk:
            event = desk.announce()
        yield station, f"{station.url}/events/{event}/desk/striker"


def _page(driver: Any, place: tuple[Running, str], flags: list[str]) -> Any:
    page = driver.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *flags]).new_page(locale="en-GB")
    page.set_default_timeout(60_000)
    page.goto(place[0].url + "/sign-in")
    page.fill("[name=name]", "Renata")
    page.fill("[name=pin]", PINS["Renata"])
    page.press("[name=pin]", "Enter")
    page.wait_for_selector("h1:has-text('Events')")
    page.goto(place[1])
    return page


def test_a_camera_over_the_mat_takes_the_photo_by_itself_and_the_diameter_is_filled_in(
    driver: Any, place: tuple[Running, str], plain_striker: bytes, tmp_path: Path
) -> None:
    film, buffer = tmp_path / "film.mjpeg", io.BytesIO()
    Image.open(io.BytesIO(plain_striker)).save(buffer, "JPEG", quality=92, subsampling="4:2:0")
    film.write_bytes(buffer.getvalue() * 5)
    camera = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
    page = _page(driver, place, [*camera, f"--use-file-for-fake-video-capture={film}"])
    problems: list[str] = []
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    page.click("#live")
    page.wait_for_selector("#aiming[data-aim=good]")
    page.wait_for_selector("#looked[data-fill]", state="attached")
    field = page.eval_on_selector("#looked", "part => part.dataset.fill")
    assert float(page.input_value(f"#{field}")) == pytest.approx(41.2, abs=0.3)
    assert page.eval_on_selector("#aiming video", "video => video.srcObject === null")
    assert page.is_hidden("#aiming")
    assert page.is_visible("#live")
    assert problems == []
    page.context.browser.close()


def test_where_the_camera_is_refused_the_desk_says_so_and_the_file_field_stays(
    driver: Any, place: tuple[Running, str]
) -> None:
    page = _page(driver, place, [])
    page.click("#live")
    page.wait_for_selector("#photofault:has-text('not available')")
    assert page.is_hidden("#aiming")
    assert page.is_visible("#photo")
    page.context.browser.close()
