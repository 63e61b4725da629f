"""Photos at the desk: measured on the mat, metal suspected and shown, kept as evidence whatever they show."""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from inspect_kit.bounded_process import BoundedProcess
from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.certificate.issue.verify import TrustContext, verify_pdf
from inspect_kit.checkin.photo_reading import (
    KIND_OF,
    PhotoGain,
    PhotoReading,
    kind_among,
    most_gain,
    open_photo_reading,
)
from inspect_kit.errors import BadInput, UsageError, notice
from inspect_kit.inspection.catalogue import all_names
from inspect_kit.inspection.record import open_record
from inspect_kit.measure.photos import KINDS
from inspect_kit.measure.stated import stated_by
from inspect_kit.registry.checkin.store import inspection, recorded
from inspect_kit.registry.search import RegistryQuery, backing, listing
from inspect_kit.station.photos import MOST_KEPT, DeskPhoto, PendingPhotos, shot_of
from inspect_kit.station.rendering import drawn, words_of
from inspect_kit.station.station import CertificateWorker, Station
from inspect_kit.values.measurement import Reading, StatedPart
from tests.station.conftest import NOW, Person, names_of, new_client, striker_form
from tests.station.running import ROOT

TICKET = "BCDFGHJKLNPRSTVW"


def _sent(content: bytes) -> dict[str, tuple[str, bytes, str]]:
    return {"photo": ("IMG_1.jpg", content, "image/jpeg")}


def _sent_ahead(person: Person, content: bytes, status: int = 200, **more: str) -> str:
    person.get(person.at("/desk/striker"))
    return person.post(person.at("/desk/striker/photo"), more, status, _sent(content))


def _token(part: str) -> str:
    found = re.search(r'data-token="(\w+)"', part)
    assert found is not None, part
    return found[1]


def _value(part: str) -> Decimal:
    found = re.search(r'data-value="([\d.]+)"', part)
    assert found is not None, part
    return Decimal(found[1])


def test_a_striker_on_the_mat_gives_its_diameter(referee: Person, plain_striker: bytes) -> None:
    part = _sent_ahead(referee, plain_striker)
    assert abs(_value(part) - Decimal("41.2")) < Decimal("0.25")
    assert "No sign of metal" in part
    assert '<polygon class="outline"' in part
    assert 'class="suspect"' not in part


def test_thickness_and_print_scale_make_the_uncertainty_smaller(referee: Person, plain_striker: bytes) -> None:
    def expanded(part: str) -> Decimal:
        found = re.search(r"± ([\d.]+) mm across", part)
        assert found is not None
        return Decimal(found[1])

    wide = expanded(_sent_ahead(referee, plain_striker))
    narrow = expanded(_sent_ahead(referee, plain_striker, thickness="8,0 mm", print_scale="1.000"))
    assert narrow < wide * Decimal("0.6")


def test_the_one_thing_that_would_gain_most_is_said_and_holds(referee: Person, plain_striker: bytes) -> None:
    part = _sent_ahead(referee, plain_striker)
    told = re.search(r"state the print scale.* U falls from ([\d.]+) to about ([\d.]+) mm", part)
    assert told is not None, part
    done = re.search(r"± ([\d.]+) mm across", _sent_ahead(referee, plain_striker, print_scale="1.000"))
    assert done is not None
    assert abs(float(done[1]) - float(told[2])) < 0.1 * float(told[2]) + 0.01


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "on a printed and checked mat it would be about 0.39 mm"), ("de", "wären es etwa 0,39 mm"),
     ("cs", "by bylo asi 0,39 mm"), ("it", "sarebbe circa 0,39 mm")],
)  # fmt: skip
def test_beside_an_everyday_thing_the_desk_says_what_the_printed_mat_would_gain(language: str, said: str) -> None:
    reading = Reading(
        "striker.diameter", "41.00", unit="mm", standard="0.47", budget=(StatedPart("edge", "0.47"),), outline=OUTLINE
    )
    notices = (
        notice("glare", "photo", piece="1"),
        notice("mat-would-gain", expanded="0.94", reached="0.39"),
        notice("thickness-unstated", value="8", spread="1.5"),
    )
    told = PhotoReading(MeasurementFile((reading,), (Photo("photo", "0" * 64, 800, 600),), (), notices))
    part = drawn("look.html", {"t": words_of(language), "fault": "", "look": None, "shot": shot_of("/photo", told)})
    assert said in part
    assert part.count('class="suspected"') == 1
    assert "inspect-kit" not in part


def test_advice_rests_on_the_same_figures_as_measuring() -> None:
    from inspect_kit.checkin.photo_reading import CALIPER, CHECKED_SHARE
    from inspect_kit.measure.stated import GIVEN, MEASURED_PRINT, UNKNOWN_PRINT

    assert CALIPER == GIVEN
    assert CHECKED_SHARE == MEASURED_PRINT / UNKNOWN_PRINT


def test_where_nothing_helps_much_nothing_is_advised() -> None:
    reading = Reading(
        "striker.diameter", "41.00", unit="mm", standard="0.05", budget=(StatedPart("edge", "0.05"),), outline=OUTLINE
    )
    notices = (notice("thickness-unstated", value="8", spread="1.5"),)
    assert PhotoReading(MeasurementFile((reading,), (), (), notices)).most_gain is None


def test_of_several_pieces_the_gain_is_that_of_the_largest_u() -> None:
    def reading(height: str) -> Reading:
        parts = StatedPart("edge", "0.05"), StatedPart("piece height", height)
        return Reading("coin.diameter", "31", unit="mm", standard=str(math.hypot(0.05, float(height))), budget=parts)

    told = (notice("thickness-unstated", value="8", spread="0.5"),)
    gain = most_gain(MeasurementFile((reading("0.1"), reading("0.2")), (), (), told))
    assert gain == PhotoGain("thickness", "0.41", "0.13")


def test_metal_is_suspected_where_it_is_and_the_referee_sees_it(
    referee: Person, station: Station, metal_striker: bytes
) -> None:
    part = _sent_ahead(referee, metal_striker)
    assert "Metal is suspected in the marked region" in part
    ticket = referee.inspect(look=_token(part), diameter=str(_value(part)))
    page = referee.get(referee.at(f"/tickets/{ticket}"))
    assert 'class="suspect"' in page
    with station.registry.reading() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        kept = {file.role: file.sha256 for file in recorded(connection, seen).evidence}
        content = station.registry.shelf.take(connection, kept["look"])
    told = open_photo_reading(content, Photo("", ""))
    assert told.region is not None
    assert told.reading.pixel is not None
    left, top, width, height = told.region
    assert abs(left + width / 2 - told.reading.pixel[0]) < 0.03 * told.size[0]
    assert abs(top + height / 2 - told.reading.pixel[1]) < 0.03 * told.size[1]


def test_a_suspicion_answers_no_question(referee: Person, metal_striker: bytes) -> None:
    page = _sent_ahead(referee, metal_striker)
    asked = referee.get(referee.at("/desk/striker"))
    data = {**striker_form(asked, "Jan Novák"), "look": _token(page), "measure": "1"}
    looks = {name for what, name in names_of(asked).items() if what not in ("mass", "diameter")}
    shown = referee.post(referee.at("/desk/striker"), {key: text for key, text in data.items() if key not in looks})
    assert " checked>" not in shown


def test_what_the_photo_measured_enters_the_record_with_the_photos_budget(
    referee: Person, station: Station, plain_striker: bytes
) -> None:
    ticket = referee.inspect(diameter="", files=_sent(plain_striker))
    with station.registry.reading() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        record = open_record(station.registry.shelf.take(connection, seen.record))
    line = next(line for line in record.lines if line.characteristic == "striker.diameter")
    assert line.value is not None
    assert abs(Decimal(line.value) - Decimal("41.2")) < Decimal("0.25")
    assert {"piece height", "print scale"} <= {part.source for part in line.budget}
    assert line.instruments == ()
    assert line.verdict == "undecided"
    assert len(record.photos) == 1


def test_a_caliper_overrules_the_photo(referee: Person, station: Station, plain_striker: bytes) -> None:
    ticket = referee.inspect(diameter="41.05", files=_sent(plain_striker))
    with station.registry.reading() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        record = open_record(station.registry.shelf.take(connection, seen.record))
    line = next(line for line in record.lines if line.characteristic == "striker.diameter")
    assert line.value == "41.05"
    assert line.instruments == ("caliper-150",)


def test_without_scripts_a_button_measures_and_gives_the_form_back(referee: Person, plain_striker: bytes) -> None:
    page = referee.get(referee.at("/desk/striker"))
    data = {**striker_form(page, "Jan Novák"), names_of(page)["diameter"]: "", "measure": "1"}
    page = referee.post(referee.at("/desk/striker"), data, files=_sent(plain_striker))
    assert 'value="Jan Novák"' in page
    token = _token(page)
    assert f'name="look" value="{token}"' in page
    assert re.search(rf'id="{names_of(page)["diameter"]}"[^>]*value="41\.', page)
    assert referee.client.get(referee.at(f"/desk/striker/look/{token}/photo")).headers["content-type"] == "image/jpeg"


def test_a_photo_without_a_mat_is_kept_as_evidence_with_a_sentence(
    referee: Person, station: Station, photo: bytes
) -> None:
    part = _sent_ahead(referee, photo)
    assert "kept as evidence. It was not measured:" in part
    assert "The printed mat cannot be found" in part
    ticket = referee.inspect(look=_token(part))
    assert f"/tickets/{ticket}/photo" in referee.last.text
    assert referee.client.get(referee.at(f"/tickets/{ticket}/photo")).content.startswith(b"\xff\xd8")


def test_a_file_that_is_no_photo_is_refused_in_a_sentence(referee: Person) -> None:
    part = _sent_ahead(referee, b"<svg onload=alert(1)>", 422)
    assert "This is no photo" in part
    assert "data-token" not in part


@pytest.mark.parametrize(
    ("thickness", "scale"), [("thick", ""), ("900 mm", ""), ("", "2"), ("8 g", ""), ("", "x" * 500)]
)
def test_what_is_known_wrongly_is_said_and_the_photo_kept(
    referee: Person, photo: bytes, thickness: str, scale: str
) -> None:
    part = _sent_ahead(referee, photo, thickness=thickness, print_scale=scale)
    assert "It was not measured:" in part
    assert _token(part)


def test_nobody_reads_the_waiting_photo_of_another(
    referee: Person, joined: Callable[[str], Person], photo: bytes
) -> None:
    token = _token(_sent_ahead(referee, photo))
    other = joined("Tomáš")
    other.get(other.at(f"/desk/striker/look/{token}/photo"), 404)
    assert "data-token" not in other.get(other.at(f"/desk/striker/look/{token}"))
    other.inspect(look=token)
    assert "/photo" not in other.last.text
    referee.announce()
    referee.get(referee.at(f"/desk/striker/look/{token}/photo"), 404)


@pytest.mark.parametrize("token", ["", "x", "../../secret", TICKET, "B" * 5000])
def test_a_token_that_is_none_is_no_photo(tmp_path: Path, token: str) -> None:
    assert PendingPhotos(tmp_path).find(token, "event", "Renata") is None


def test_a_waiting_photo_that_was_damaged_is_no_photo(tmp_path: Path) -> None:
    (tmp_path / f"{TICKET}.look").write_bytes(b"\x00\x01")
    assert PendingPhotos(tmp_path).find(TICKET, "event", "Renata") is None


def test_only_the_newest_photos_wait(tmp_path: Path) -> None:
    looks = PendingPhotos(tmp_path)
    for number in range(MOST_KEPT + 10):
        looks.keep(
            f"{number:016d}".translate(str.maketrans("0123456789", "BCDFGHJKLN")),
            DeskPhoto("e", "R", b"", "", 1, 1, ""),
        )
    assert len(list(tmp_path.glob("*.look"))) == MOST_KEPT


def test_each_kind_that_the_desk_measures_is_one_that_measure_knows() -> None:
    for first, name in KIND_OF.items():
        assert name in KINDS
        assert f"{first}.diameter" in all_names()
    assert kind_among(["striker.mass", "striker.diameter"]) == "striker"
    assert kind_among(["coin.mass"]) == ""


def test_what_is_not_stated_stays_unknown() -> None:
    assert stated_by("striker", {}).thickness is None
    stated = stated_by("striker", {"thickness": "0,81 cm", "print_scale": "0,998"})
    assert stated.thickness == (8.1, None)
    assert stated.print_scale is not None
    assert stated.print_scale[0] == 0.998
    with pytest.raises(UsageError, match="is no print scale"):
        stated_by("striker", {"print_scale": "0.5"})


OUTLINE = ((400.0, 400.0), (500.0, 320.0), (600.0, 400.0), (500.0, 480.0))


def test_the_shown_window_holds_the_whole_outline() -> None:
    reading = Reading("striker.diameter", "41.00", unit="mm", standard="0.05", outline=OUTLINE)
    told = PhotoReading(MeasurementFile((reading,), (Photo("a.jpg", "", 1000, 800),)))
    left, top, width, height = map(float, shot_of("/x", told).window.split())
    assert left < 400
    assert top < 320
    assert left + width > 600
    assert top + height > 480


def test_what_was_kept_of_a_photo_by_the_first_version_is_still_shown() -> None:
    kept = (
        b'{"kind":"striker","diameter":"41.00","expanded":"0.10","roundness":"0.02","standard":"0.05000",'
        b'"budget":[["edge","0.05000"]],"centre":[0.5,0.5],"outline":[[0.4,0.5],[0.5,0.4],[0.6,0.5],[0.5,0.6]],'
        b'"metal":"suspected","region":[0.1,0.2,0.3,0.4]}'
    )
    told = open_photo_reading(kept, Photo("a.jpg", "", 1000, 800))
    assert (told.diameter, told.expanded, told.roundness, told.metal) == ("41.00", "0.10", "0.02", "suspected")
    assert told.reading.outline == OUTLINE
    assert told.region == (100.0, 160.0, 300.0, 320.0)


def _sleep(seconds: float) -> None:
    time.sleep(seconds)


def _hog() -> int:
    return len(bytearray(1_300_000_000))


def _die() -> None:
    os._exit(3)


def _refuse() -> None:
    raise BadInput("is torn", where="page 3", hint="print it again")


def _stumble() -> None:
    raise ZeroDivisionError


def _identity() -> int:
    return os.getpid()


@pytest.fixture(scope="module")
def workshop() -> Any:
    shop = BoundedProcess(1_200_000_000)
    yield shop
    shop.close()


def test_a_task_is_done_in_another_program_which_stays(workshop: BoundedProcess) -> None:
    first, second = workshop.do(60, _identity), workshop.do(60, _identity)
    assert first == second != os.getpid()


def test_a_refusal_comes_back_with_its_place_and_hint(workshop: BoundedProcess) -> None:
    with pytest.raises(BadInput) as caught:
        workshop.do(60, _refuse)
    assert str(caught.value) == "page 3: is torn (print it again)"


def test_a_fault_in_a_task_is_a_sentence(workshop: BoundedProcess) -> None:
    with pytest.raises(BadInput, match="cannot be worked on"):
        workshop.do(60, _stumble)


def test_a_task_that_hangs_is_ended_and_the_next_one_done(workshop: BoundedProcess) -> None:
    workshop.do(60, _identity)
    with pytest.raises(BadInput, match="took longer than"):
        workshop.do(0.3, _sleep, 60)
    assert workshop.do(60, len, "next") == 4


def test_a_task_that_eats_memory_is_refused_and_the_next_one_done(workshop: BoundedProcess) -> None:
    with pytest.raises(BadInput, match="memory"):
        workshop.do(60, _hog)
    assert workshop.do(60, len, "next") == 4


def test_a_helper_that_dies_is_replaced(workshop: BoundedProcess) -> None:
    with pytest.raises(BadInput, match="could not be worked on"):
        workshop.do(60, _die)
    assert workshop.do(60, len, "next") == 4


_STARTER = """
import os, signal, sys
from inspect_kit.bounded_process import BoundedProcess
from tests.station.test_photos import _identity
if __name__ == "__main__":
    print(BoundedProcess(1_200_000_000).do(60, _identity), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_station_that_is_killed_leaves_no_helper_behind(tmp_path: Path) -> None:
    script = tmp_path / "starter.py"
    script.write_text(_STARTER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, timeout=120, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    deadline = time.monotonic() + 30
    while _lives(int(done.stdout)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(int(done.stdout))


def _lives(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def test_a_photo_that_takes_too_long_is_evidence_all_the_same(station: Station, referee: Person, photo: bytes) -> None:
    class Tired:
        def do(self, seconds: float, task: Callable[..., Any], *given: Any) -> Any:
            if task.__name__ == "measured_piece":
                raise BadInput(f"took longer than {seconds:g} s and was given up")
            return task(*given)

    person = Person(new_client(station, Tired())).sign_in("Renata")
    person.event = referee.event
    part = _sent_ahead(person, photo)
    assert "took longer than 30 s" in part
    assert _token(part)


@pytest.mark.parametrize(("caliper", "drawn"), [("", 1), ("41.05", 0)])
def test_what_the_photo_measured_is_drawn_into_it_on_the_paper_unless_a_caliper_was_believed(
    referee: Person, station: Station, plain_striker: bytes, caliper: str, drawn: int
) -> None:
    ticket = referee.inspect(diameter=caliper, files=_sent(plain_striker))
    referee.decide(ticket, "approve", because="The referee measured it anew")
    assert CertificateWorker(station).make_all() == 1
    with station.registry.reading() as connection:
        (issued,) = listing(connection, RegistryQuery(), date(2026, 1, 1))
        roles = [file["role"] for file in backing(connection, issued).evidence]
    assert roles.count("photo") == 1
    assert roles.count("overlay") == drawn


def test_a_striker_by_photo_and_scale_conforms_from_the_hand_in_to_the_signed_paper(
    referee: Person, station: Station, slim_striker: bytes
) -> None:
    known = {"thickness": "8.0 mm", "print_scale": "1.000"}
    part = _sent_ahead(referee, slim_striker, **known)
    ticket = referee.inspect(diameter="", look=_token(part), **known)
    assert 'class="verdict conforms"' in referee.last.text
    referee.decide(ticket, "approve")
    assert 'class="verdict conforms"' in referee.last.text
    assert CertificateWorker(station).make_all() == 1
    paper = referee.client.get(referee.at(f"/tickets/{ticket}/certificate.pdf"))
    first, second = (page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(paper.content))
    assert "Inspection Certificate" in first
    assert "Conforms" in first
    told = re.search(r"(40\.\d\d)\s±\s(0\.\d\d)\smm\s+photo\s+conforms", first)
    assert told is not None, first
    assert abs(Decimal(told[1]) - Decimal("40.6")) < Decimal(told[2])
    assert "its lens was estimated from the photograph itself" in first
    assert "What was measured, drawn into the photograph" in second
    assert verify_pdf(paper.content, TrustContext(station.keyrings, "PCK", station.registry, NOW.date())).holds
