"""Guided inspection in the browser: any item of any sheet, in few screens; what files and photos tell is not asked."""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import pypdfium2
import pytest

import inspect_kit
from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.certificate.issue.verify import TrustContext, verify_pdf
from inspect_kit.checkin.photo_reading import EvidencePhoto, TypedBeside
from inspect_kit.errors import notice
from inspect_kit.inspection.catalogue import all_names
from inspect_kit.inspection.guided import GuidedEntry
from inspect_kit.inspection.record import open_record
from inspect_kit.inspection.screens import screens_of
from inspect_kit.registry.checkin.store import inspection, recorded
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.station import uploads
from inspect_kit.station.pictures import picture_for
from inspect_kit.station.station import CertificateWorker, Station
from inspect_kit.values.measurement import Reading
from tests.station.conftest import NOW, Person, csrf

Join = Callable[[str], Person]
PACKAGE = Path(inspect_kit.__file__).parent
TRACED = Path(__file__).parents[1] / "scenes" / "traced" / "cached"


def begin(person: Person, item: str, text: str = "Coins 1", files: object = None, status: int = 200) -> str:
    person.get(person.at(f"/guided/{item}"))
    person.post(person.at(f"/guided/{item}"), {"text": text, "owner": ""}, status, files)
    return str(person.last.url.path)


def asked(page: str) -> str:
    found = re.search(r'name="screen" value="([^"]*)"', page)
    return html.unescape(found[1]) if found else ""


def answer(person: Person, where: str, status: int = 200, **values: str) -> str:
    return person.post(where, {"screen": asked(person.last.text), "gauge_mm": "", "gauge_g": "", **values}, status)


def skip(person: Person, where: str) -> str:
    return person.post(where, {"screen": asked(person.last.text), "skip": "1"})


def go_to(person: Person, where: str, characteristic: str) -> None:
    while not asked(person.last.text).startswith(characteristic):
        assert asked(person.last.text), characteristic
        skip(person, where)


def test_a_board_takes_at_most_thirty_screens_with_their_pictures(referee: Person) -> None:
    where = begin(referee, "board", "Carrom board 1")
    seen = 0
    while asked(referee.last.text):
        assert (
            "data-all-yes" in referee.last.text
            or '<svg class="where"' in referee.last.text
            or "segments" in referee.last.text
        )
        seen += 1
        skip(referee, where)
    assert seen == len(screens_of(GuidedEntry(load("icf-2001-it"), "board"))) <= 30
    assert "All questions are answered" in referee.last.text
    assert "Passed over" in referee.last.text


def test_four_sides_are_four_fields_of_one_screen(referee: Person) -> None:
    where = begin(referee, "board", "Carrom board 1")
    go_to(referee, where, "surface.side")
    page = answer(referee, where, 422, a0="738", a1="738.5", a2="x", a3="")
    assert "is not a number" in page
    assert 'value="738.5"' in page
    page = answer(referee, where, a0="738", a1="738.5", a2="738", a3="738")
    assert not asked(page).startswith("surface.side")


def test_an_answer_shows_its_verdict_and_can_be_undone_and_corrected(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    first = asked(referee.last.text)
    page = answer(referee, where, a0="no")
    assert "fails" in page
    assert asked(page) != first
    page = referee.post(where, {"undo": "1"})
    assert asked(page) == first
    answer(referee, where, a0="no")
    page = referee.get(f"{where}?at={first}")
    assert asked(page) == first
    assert re.search(r'value="no" checked', page)
    answer(referee, where, a0="yes")
    assert "fails" not in referee.last.text


def test_a_wrong_answer_is_refused_at_once_and_kept_in_the_field(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    go_to(referee, where, "striker.mass")
    page = answer(referee, where, 422, a0="12 mm")
    assert 'value="12 mm"' in page
    assert 'role="alert"' in page
    assert "Give a value, or pass over" in answer(referee, where, 422, a0=" ")


def test_it_can_be_left_and_taken_up_again(referee: Person) -> None:
    where = begin(referee, "board", "Carrom board 1")
    skip(referee, where)
    second = asked(referee.last.text)
    page = referee.get(referee.at("/guided/board"))
    assert where in page
    assert asked(referee.get(where)) == second


def test_answers_of_a_screen_that_is_gone_land_nowhere(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    page = referee.post(where, {"screen": "nothing|such", "a0": "no"}, 422)
    assert "answered already" in page


def test_an_answer_that_was_lost_after_the_end_leads_to_the_inspection(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    screen = asked(referee.last.text)
    answer(referee, where, a0="yes")
    referee.post(where, {"finish": "1"})
    ticket = str(referee.last.url)
    referee.post(where, {"finish": "1"})
    assert str(referee.last.url) == ticket
    referee.post(where, {"screen": screen, "a0": "yes"})
    assert str(referee.last.url) == ticket


def test_nobody_takes_up_somebody_elses(referee: Person, joined: object) -> None:
    where = begin(referee, "striker", "S")
    other = joined("Oskar")  # type: ignore[operator]
    other.get(where, 404)


@pytest.mark.parametrize("sheet_id", sheet_ids())
def test_every_question_of_every_sheet_has_a_picture(sheet_id: str) -> None:
    sheet = load(sheet_id)
    for item in sheet.items:
        for question in GuidedEntry(sheet, item.id).questions():
            assert "<svg" in picture_for(question)


@pytest.mark.parametrize("sheet_id", sheet_ids())
def test_every_item_of_every_sheet_can_be_begun(referee: Person, sheet_id: str) -> None:
    sheet = load(sheet_id)
    referee.announce(sheet=sheet_id, count_board="", quota_striker="")
    referee.get(referee.at())
    for item in sheet.items:
        begin(referee, item.id, "One")
        assert asked(referee.last.text) or "All questions" in referee.last.text


def test_limits_and_gauges_are_written_as_the_readers_language_writes_them(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    referee.get(f"/language/cs?back={where}")
    go_to(referee, where, "striker.diameter")
    assert "≤ 41,3 mm (≤ 4,13 cm)" in referee.last.text
    page = referee.get(referee.at("/desk/striker"))
    assert "≤ 41,3 mm (≤ 4,13 cm)" in page
    assert "Digitální posuvka, 150 mm" in page
    assert "Digital caliper" not in page


def test_a_slip_of_the_unit_is_refused_until_it_is_confirmed(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    go_to(referee, where, "striker.diameter")
    assert "≤ 41.3 mm (≤ 4.13 cm)" in referee.last.text
    page = answer(referee, where, 422, a0="4.11")
    assert "4.11 cm is 41.1 mm" in page
    assert 'name="sure_a0"' in page
    page = answer(referee, where, a0="25.5", sure_a0="yes")
    assert not asked(page).startswith("striker.diameter")


def test_a_referee_decides_what_the_text_leaves_open_and_says_why(referee: Person) -> None:
    where = begin(referee, "board", "B")
    go_to(referee, where, "surface.runs.striker_mass")
    assert 'name="decision_a0"' in referee.last.text
    data = {"a0": "13.9", "gauge_g": "scale-200g", "decision_a0": "accept"}
    assert "needs its reason" in answer(referee, where, 422, **data)
    page = answer(referee, where, **data, because_a0="It runs as the maker’s own.")
    assert "conforms" in page


TABLE = b"characteristic,instance,value,unit,u\nsurface.side,n,738.0,mm,0.2\nsurface.side,e,738.1,mm,0.2\n" + (
    b"surface.side,s,738.0,mm,0.2\nsurface.side,w,737.9,mm,0.2\n"
)


def test_what_a_measurement_file_tells_is_not_asked_again_and_reaches_the_record(referee: Person) -> None:
    where = begin(referee, "board", "Carrom board 2", {"file": ("b.csv", TABLE, "text/csv")})
    assert "4 values from file or photos" in referee.last.text
    names = []
    while asked(referee.last.text):
        names.append(asked(referee.last.text).split("|")[0])
        skip(referee, where)
    assert "surface.side" not in names
    assert len(names) < len(screens_of(GuidedEntry(load("icf-2001-it"), "board")))
    page = referee.post(where, {"finish": "1"})
    assert "738.1" in page
    assert "/tickets/" in str(referee.last.url)


def test_what_was_measured_beside_paper_is_shown_with_what_the_printed_mat_would_gain(referee: Person) -> None:
    told = {
        "format": 1,
        "photos": [],
        "measurements": [{"characteristic": "striker.diameter", "value": 41.2, "unit": "mm", "u": 0.47}],
        "observations": [],
        "warnings": [],
        "notices": [notice("mat-would-gain", expanded="0.94", reached="0.39").as_data()],
    }
    begin(referee, "striker", "Striker 3", {"file": ("s.json", json.dumps(told).encode(), "application/json")})
    assert "U is up to 0.94 mm; on a printed and checked mat it would be about 0.39 mm" in referee.last.text


def _sent(**mass: object) -> dict[str, object]:
    read = {"characteristic": "striker.mass", "value": 14.82, "unit": "g", "instrument": "scale-200g", **mass}
    return {"file": ("s.json", json.dumps({"format": 1, "measurements": [read]}).encode(), "application/json")}


def test_a_file_is_of_whoever_brings_it(referee: Person, station: Station) -> None:
    where = begin(referee, "striker", "S", _sent(by="Oskar"))
    referee.post(where, {"finish": "1"})
    with station.registry.reading() as connection:
        seen = inspection(connection, str(referee.last.url).rsplit("/", 1)[-1])
        assert seen is not None
        record = open_record(station.registry.shelf.take(connection, seen.record))
    assert {each.by for each in record.readings} == {"Renata"}


def test_a_file_tells_nothing_that_is_yet_to_come_and_no_place_on_this_machine(referee: Person) -> None:
    begin(referee, "striker", "S", _sent(time="2031-01-01T00:00:00+00:00"), 422)
    assert "after the inspection" in referee.last.text
    assert "/tmp" not in referee.last.text


@pytest.mark.parametrize("content", [b"nonsense", b"characteristic,value\nno.such.thing,1 mm\n", b"{}", b"PK\x03\x04"])
def test_a_file_that_is_none_is_refused_in_a_sentence(referee: Person, content: bytes) -> None:
    begin(referee, "board", "B", {"file": ("b.csv", content, "text/csv")}, 422)
    assert 'role="alert"' in referee.last.text
    assert "/tmp" not in referee.last.text


def test_a_photo_of_the_striker_fills_the_guided_way_too(referee: Person, plain_striker: bytes) -> None:
    where = begin(referee, "striker", "S", {"photos": ("p.jpg", plain_striker, "image/jpeg")})
    assert "values from file or photos" in referee.last.text
    while asked(referee.last.text):
        assert not asked(referee.last.text).startswith("striker.diameter")
        skip(referee, where)
    page = referee.post(where, {"finish": "1"})
    assert re.search(r"41\.\d", page)
    assert "<img src=" in page


def _figure() -> tuple[str, bytes, str]:
    """A figure before the backdrop, drawn by path tracing."""
    return ("f.jpg", (TRACED / "figure-5.jpg").read_bytes(), "image/jpeg")


def _looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Photos that are measured at once: what is tried here is what the desk does with the values."""

    def measured(contents: Sequence[bytes], kind: str, given: TypedBeside, home: Path) -> object:
        assert kind == "figure"
        which, photo = dict(given)["instance"], f"photo-{hashlib.sha256(contents[0]).hexdigest()[:16]}.jpg"
        lengths = {"fig.base.height": "6.0", "fig.base.diameter": "19.0", "fig.height": "28.0", "fig.top.width": "8.0"}
        readings = tuple(
            Reading(name, value, which, unit="mm", standard="0.1", photo=photo) for name, value in lengths.items()
        )
        kept = EvidencePhoto(contents[0], hashlib.sha256(contents[0]).hexdigest(), 30, 20, photo)
        return MeasurementFile(readings, (Photo(photo, kept.sha256, 30, 20),)), [kept]

    monkeypatch.setattr(uploads, "measured_photos", measured)


def _sent_for(person: Person, where: str, figure: str, content: bytes, status: int = 200) -> str:
    return person.post(
        f"{where}/brought", {"instance": figure}, status, {"photos": ("p.jpg", content, "image/jpeg")}
    )  # fmt: skip


def test_a_figure_by_its_photo_is_asked_for_the_rest_and_certified_with_the_photo(
    referee: Person, station: Station
) -> None:
    referee.announce(sheet="fistf-4.0", count_board="", quota_striker="")
    referee.get(referee.at("/guided/figure"))
    data = {"text": "Keeper 1", "owner": "", "standoff": "20±0.3mm", "print_scale": "1.000"}
    referee.post(referee.at("/guided/figure"), data, 200, {"photos": _figure()})
    where = str(referee.last.url.path)
    names = []
    while asked(referee.last.text):
        names.append(asked(referee.last.text).partition("|")[0])
        skip(referee, where)
    assert not {"fig.height", "fig.base.diameter", "fig.top.width"} & set(names)
    assert "fig.top.thickness" in names
    referee.post(where, {"finish": "1"})
    ticket = str(referee.last.url).rsplit("/", 1)[-1]
    referee.decide(ticket, "approve", because="For the sample.")
    assert CertificateWorker(station).make_all() == 1
    assert referee.client.get(referee.at(f"/tickets/{ticket}/certificate.pdf")).content.startswith(b"%PDF")


def _coins_on_the_mat() -> bytes:
    """Nine white coins, nine black ones and the queen, of 31 mm, in rows on the printed mat."""
    from tests.scenes.render import photograph
    from tests.scenes.scene import Lens, Piece, Scene, Sensor, Stand
    from tests.scenes.table import COLOURS

    colours = ("white",) * 9 + ("black",) * 9 + ("red",)
    coins = tuple(
        Piece(36 * (place % 4) - 54, 38 * (place // 4) - 80, 31.0, 8.0, 1.0, COLOURS[colour], colour)
        for place, colour in enumerate(colours)
    )
    lens = Lens(1600, 1200, 2400.0, (799.5, 599.5))
    return photograph(Scene(lens, Stand(450, 0.08, 1.0, 1.57), coins, sensor=Sensor(1.0, 0.006), seed=3))


def test_a_coin_set_by_one_photo_and_a_file_of_masses_conforms_from_the_hand_in_to_the_signed_paper(
    referee: Person, station: Station
) -> None:
    masses = "".join(f"coin.mass,{number},5.25,g,0.01\n" for number in range(1, 20))
    file = f"characteristic,instance,value,unit,u\n{masses}".encode()
    referee.get(referee.at("/guided/coin-set"))
    referee.post(
        referee.at("/guided/coin-set"), {"text": "Coins 1", "owner": "", "thickness": "8 mm", "print_scale": "1.000"},
        files={"photos": ("c.jpg", _coins_on_the_mat(), "image/jpeg"), "file": ("m.csv", file, "text/csv")},
    )  # fmt: skip
    where = str(referee.last.url.path)
    answer(referee, where, **{f"a{number}": "yes" for number in range(5)})
    assert asked(referee.last.text).startswith("coin.height")
    answer(referee, where, **{f"a{number}": "8.02" for number in range(19)}, gauge_mm="caliper-150")
    referee.post(where, {"finish": "1"})
    assert 'class="verdict conforms"' in referee.last.text
    ticket = str(referee.last.url).rsplit("/", 1)[-1]
    referee.decide(ticket, "approve")
    assert CertificateWorker(station).make_all() == 1
    paper = referee.client.get(referee.at(f"/tickets/{ticket}/certificate.pdf")).content
    text = " ".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(paper))
    assert re.search(r"19 3[01]\.\d\d ± 0\.\d\d", text)
    assert "its lens was estimated from the photograph itself" in text
    assert "What was measured, drawn into the photograph" in text
    assert verify_pdf(paper, TrustContext(station.keyrings, "PCK", station.registry, NOW.date())).holds


def test_a_team_is_photographed_figure_by_figure_and_a_photo_speaks_of_one_figure_only(
    referee: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    _looked_up(monkeypatch)
    referee.announce(sheet="fistf-4.0", count_board="", quota_striker="")
    where = begin(referee, "team", "Team A")
    for number in range(1, 11):
        _sent_for(referee, where, str(number), b"figure %d" % number)
    page = _sent_for(referee, where, "spare", b"figure 10")
    assert "Measured in photos: 1, 2, 3, 4, 5, 6, 7, 8, 9, spare" in page
    page = _sent_for(referee, where, "10", b"figure ten")
    assert "44 values from file or photos" in page
    assert "Say which figure" in _sent_for(referee, where, "eleven", b"figure 11", 422)
    assert "Choose a file or photos first" in referee.post(f"{where}/brought", {"instance": "1"}, 422)
    answer(referee, where, a0="yes", a1="1", a2="10", a3="1")
    while asked(referee.last.text):
        assert asked(referee.last.text).partition("|")[0] not in ("fig.height", "fig.base.diameter", "fig.top.width")
        skip(referee, where)
    page = referee.post(where, {"finish": "1"})
    assert "/tickets/" in str(referee.last.url)
    assert page.count("28.0") >= 11


def test_an_answer_that_was_typed_gives_way_to_what_a_photo_measures(
    referee: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    _looked_up(monkeypatch)
    referee.announce(sheet="fistf-4.0", count_board="", quota_striker="")
    where = begin(referee, "team", "Team A")
    answer(referee, where, a0="yes", a1="1", a2="2", a3="1")
    go_to(referee, where, "fig.height")
    answer(referee, where, a0="28.5", a1="28.5", a2="28.5")
    page = _sent_for(referee, where, "1", b"figure 1")
    assert "4 values from file or photos" in page
    page = referee.get(f"{where}?at=fig.height|2")
    assert page.count('value="28.5"') == 2


def test_a_decision_in_a_file_counts_only_as_that_of_the_referee_who_brings_it(referee: Person, joined: Join) -> None:
    def file(by: str) -> dict[str, tuple[str, bytes, str]]:
        rows = f"surface.runs.striker_mass,13.9,g,0.05,accept,{by},as usual"
        return {"file": ("b.csv", f"characteristic,value,unit,u,decision,by,because\n{rows}\n".encode(), "text/csv")}

    begin(joined("Tomáš"), "board", "B", file("Renata"), 422)
    begin(joined("Tomáš"), "board", "B", file("Tomáš"), 422)
    begin(referee, "board", "B", file("Oskar"), 422)
    assert "Decisions are made here" in referee.last.text
    begin(referee, "board", "B", file("Renata"))


def test_the_owner_of_a_guided_item_is_asked_about_like_any_player(referee: Person) -> None:
    referee.inspect("Jan Novák")
    referee.get(referee.at("/guided/coin-set"))
    data = {"text": "Coins", "owner": "Novak Jan"}
    page = referee.post(referee.at("/guided/coin-set"), data, 422)
    assert "Is this Jan Novák?" in page
    assert 'name="other_player"' in page
    referee.post(referee.at("/guided/coin-set"), {**data, "other_player": "1"})
    assert asked(referee.last.text)


def test_a_display_photographed_on_a_guided_page_is_evidence_of_its_value(referee: Person, station: Station) -> None:
    from tests.scenes.display import Scene, photograph

    where = begin(referee, "striker", "S")
    go_to(referee, where, "striker.mass")
    assert "data-display" in referee.last.text
    photo = cv2.imencode(".png", photograph(Scene("14.82")))[1].tobytes()
    token = referee.client.post(
        referee.at(f"/desk/striker/display?unit=g&gauge=scale-200g&ticket={where[-16:]}"),
        data={"csrf": csrf(referee.last.text)}, files={"photo": ("d.png", photo, "image/png")},
    ).json()  # fmt: skip
    sent = {"gauge_g": "scale-200g", "a0": token["value"], "sent_a0": token["sent"], "display_a0": token["token"]}
    answer(referee, where, **sent)
    referee.post(where, {"finish": "1"})
    ticket = str(referee.last.url).rsplit("/", 1)[-1]
    with station.registry.reading() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        files = recorded(connection, seen).evidence
        record = open_record(station.registry.shelf.take(connection, seen.record))
    assert any(file.role == "photo" and file.name.startswith("display-") for file in files)
    assert any(reading.raw.startswith("display: 14.82 g") for reading in record.readings)


def test_a_script_is_told_its_place_in_the_line_and_then_where_to_go(referee: Person, plain_striker: bytes) -> None:
    referee.get(referee.at("/guided/striker"))
    answered = referee.client.post(
        referee.at("/guided/striker"), data={"csrf": csrf(referee.last.text), "text": "S", "owner": ""},
        files={"photos": ("p.jpg", plain_striker, "image/jpeg")}, headers={"Accept": "application/x-ndjson"},
    )  # fmt: skip
    told = [json.loads(line) for line in answered.text.splitlines()]
    assert told[0] == {"before": 0}
    assert told[-1]["go"].startswith(referee.at("/guided/striker/"))


def test_whatever_photos_can_give_is_known_to_those_who_judge() -> None:
    sources = [path.read_text() for room in ("measure", "vision") for path in (PACKAGE / room).rglob("*.py")]
    named = {name for text in sources for name in re.findall(r'"((?:die|fig|coin|striker|surface)\.[a-z_.]+)"', text)}
    assert {"die.pip_offset", "fig.tilt"} <= named
    assert named <= set(all_names())
