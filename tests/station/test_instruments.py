"""Instruments at the desk: each browser reads the one it is beside, and line, time, serial and gauge reach the paper."""

from __future__ import annotations

import json

import cv2
import pikepdf
import pytest

from inspect_kit.capture.connections import Connection, connections_file, connections_text
from inspect_kit.capture.daily_checks import Check, Point, add_check
from inspect_kit.capture.gauges.own import read_received
from inspect_kit.capture.instruments import load_instruments
from inspect_kit.capture.line import BROWSER, Address
from inspect_kit.capture.simulated_replies import Display
from inspect_kit.capture.simulator import Simulation, simulated
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record, open_record
from inspect_kit.registry.checkin.store import inspection
from inspect_kit.station.station import CertificateWorker, Station
from inspect_kit.values.quantity import parse_strict
from tests.scenes.display import Scene, photograph
from tests.station.conftest import NOW, Person, names_of, striker_form

LINE = b"S S      14.82 g\r\n"


def ticket_in(page: str) -> str:
    return page.partition('name="ticket" value="')[2][:16]


def connect(station: Station, **gauges: Connection) -> None:
    names = {name.replace("_", "-"): line for name, line in gauges.items()}
    connections_file(station.home).write_text(connections_text(names))
    folder = station.home / "instruments"
    folder.mkdir(exist_ok=True)
    for name in names:
        like = "caliper-150" if "caliper" in name else "scale-200g"
        shipped = load_instruments([like])[like]
        (folder / f"{name}.toml").write_text(
            f'format = 1\nid = "{name}"\nname = "{shipped.name}"\nkind = "{shipped.kind}"\nserial = "B021002593"\n'
            f'resolution = "{shipped.resolution}"\n[[uncertainty]]\nsource = "calibration"\nexpanded = "{shipped.resolution}"\n'
        )


def told(person: Person, path: str, files: object = None) -> dict[str, str]:
    answer: dict[str, str] = json.loads(person.post(person.at(path), {}, files=files).splitlines()[-1])
    return answer


def recorded(person: Person, station: Station) -> Record:
    ticket = str(person.last.url).rpartition("/")[2]
    with station.registry.reading() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        return open_record(station.registry.shelf.take(connection, seen.record))


def test_each_browser_reads_the_gauge_it_is_beside(referee: Person, station: Station) -> None:
    with (
        simulated(Simulation("mt-sics", Display("14.82"))) as one,
        simulated(Simulation("kcp", Display("9.10"))) as two,
    ):
        connect(station, scale_a=Connection(Address(one.port), "mt-sics"), scale_b=Connection(Address(two.port), "kcp"))
        referee.get(referee.at("/desk/striker"))
        assert told(referee, "/desk/striker/weigh?unit=g&gauge=scale-a")["value"] == "14.82 g"
        assert told(referee, "/desk/striker/weigh?unit=g&gauge=scale-b")["value"] == "9.10 g"
        for unsaid in ("", "scale-200g"):
            assert "the one you are beside" in told(referee, f"/desk/striker/weigh?unit=g&gauge={unsaid}")["fault"]


def test_another_desks_scale_is_never_read_for_the_chosen_one(referee: Person, station: Station) -> None:
    with simulated(Simulation("mt-sics")) as one:
        line = Connection(Address(one.port), "mt-sics")
        connect(station, scale_a=line, scale_b=line)
        connections_file(station.home).write_text(connections_text({"scale-a": line}))
        referee.get(referee.at("/desk/striker"))
        assert "not connected" in told(referee, "/desk/striker/weigh?unit=g&gauge=scale-b")["fault"]


def test_a_caliper_is_read_live_as_the_scale_is(referee: Person, station: Station) -> None:
    with simulated(Simulation("mitutoyo", Display("41.02", "mm"))) as caliper:
        connect(station, desk_caliper=Connection(Address(caliper.port), "mitutoyo", "mm"))
        page = referee.get(referee.at("/desk/striker"))
        assert "Read the caliper" in page
        assert told(referee, "/desk/striker/weigh?unit=mm&gauge=desk-caliper")["value"] == "41.02 mm"
        data = {
            **striker_form(page, "Jan Novák"),
            names_of(page)["diameter"]: "",
            "weigh": names_of(page)["diameter"],
            "gauge_mm": "desk-caliper",
        }
        assert 'value="41.02 mm"' in referee.post(referee.at("/desk/striker"), data)


def test_bytes_that_a_browser_passes_on_are_read_by_the_same_protocols(referee: Person, station: Station) -> None:
    connect(station, far_scale=Connection(Address(BROWSER), "mt-sics"))
    page = referee.get(referee.at("/desk/striker"))
    assert "&#34;baudRate&#34;: 9600" in page
    at = "/desk/striker/bytes?unit=g&gauge=far-scale"
    sent = lambda data: {"bytes": ("bytes", data, "application/octet-stream")}  # noqa: E731
    assert told(referee, at, sent(b"S D      14.80 g\r\nS S     14")) == {"moving": "14.80 g"}
    answer = told(referee, at, sent(b"S D      14.80 g\r\n" + LINE * 2))
    assert (answer["value"], answer["raw"], answer["instrument"]) == ("14.82 g", LINE.decode().strip(), "far-scale")
    assert "stable" in told(referee, f"{at}&ended=1", sent(b"S D      14.80 g\r\n" * 3))["fault"]
    assert "hangs at the computer" in told(referee, "/desk/striker/weigh?unit=g&gauge=far-scale")["fault"]
    referee.post(referee.at("/desk/striker/bytes?unit=g&gauge=scale-200g"), {}, 404, sent(LINE * 2))
    referee.post(referee.at("/desk/striker/bytes?unit=kg&gauge=far-scale"), {}, 404, sent(LINE * 2))


@pytest.mark.parametrize("cut", range(0, len(LINE), 3))
def test_no_cut_of_passed_on_bytes_gives_a_wrong_value(cut: int) -> None:
    gauge = load_instruments(["scale-200g"])["scale-200g"]
    line = Connection(Address(BROWSER), "mt-sics")
    for data in (LINE[cut:] + LINE, LINE + LINE[:cut], LINE[:cut] + LINE[cut + 1 :] + LINE):
        try:
            assert read_received(gauge, line, data, lambda _: None, ended=True).value == "14.82"
        except BadInput:
            continue


def test_line_time_serial_and_gauge_stay_with_the_value_from_the_wire_to_the_certificate(
    referee: Person, station: Station
) -> None:
    with simulated(Simulation("mt-sics", Display("14.82", serial="B021002593"))) as scale:
        connect(station, desk_scale=Connection(Address(scale.port), "mt-sics"))
        page = referee.get(referee.at("/desk/striker"))
        answer = told(referee, f"/desk/striker/weigh?unit=g&gauge=desk-scale&ticket={ticket_in(page)}")
    referee.get(referee.at("/desk/striker"))
    mass = names_of(page)["mass"]
    data = {
        **striker_form(page, "Jan Novák"),
        mass: answer["value"],
        f"sent_{mass}": answer["sent"],
        "gauge_g": "desk-scale",
    }
    referee.post(referee.at("/desk/striker"), data)
    ticket = str(referee.last.url).rpartition("/")[2]
    referee.decide(ticket, "approve")
    assert CertificateWorker(station).make_all() == 1
    content = referee.client.get(referee.at(f"/tickets/{ticket}/certificate.pdf")).content
    pdf = station.home / "c.pdf"
    pdf.write_bytes(content)
    with pikepdf.open(pdf) as opened:
        record = open_record(opened.attachments["record.json"].get_file().read_bytes())
    (reading,) = [each for each in record.readings if each.characteristic == "striker.mass"]
    assert (reading.raw, reading.serial, reading.instrument) == ("S S      14.82 g", "B021002593", "desk-scale")
    assert reading.time.startswith("20")
    import pypdfium2

    paper = pypdfium2.PdfDocument(pdf)
    text = " ".join(" ".join(paper[n].get_textpage().get_text_range() for n in range(len(paper))).split())
    for shown in ("S S 14.82 g", reading.time[:10], "B021002593"):
        assert shown in text


def test_a_display_is_proposed_at_the_desk_and_its_picture_stays_with_the_record(
    referee: Person, station: Station
) -> None:
    connect(station, desk_scale=Connection(Address("/dev/nowhere"), "mt-sics"))
    photo = cv2.imencode(".png", photograph(Scene("14.82")))[1].tobytes()
    page = referee.get(referee.at("/desk/striker"))
    assert "Photo of the display" in page
    at = f"/desk/striker/display?unit=g&gauge=desk-scale&ticket={ticket_in(page)}"
    answer = told(referee, at, {"photo": ("p.png", photo, "image/png")})
    assert (answer["value"], answer["instrument"]) == ("14.82 g", "desk-scale")
    assert referee.client.get(answer["picture"]).content.startswith(b"\xff\xd8")
    referee.get(referee.at("/desk/striker"))
    mass = names_of(page)["mass"]
    form = {**striker_form(page, "Jan Novák"), mass: "14.82 g", "gauge_g": "desk-scale"}
    data = {**form, f"sent_{mass}": answer["sent"], f"display_{mass}": answer["token"]}
    referee.post(referee.at("/desk/striker"), {**data, f"display_{mass}": ""}, 422)
    assert "picture of a display is gone" in referee.last.text
    referee.post(referee.at("/desk/striker"), data)
    record = recorded(referee, station)
    (reading,) = [each for each in record.readings if each.characteristic == "striker.mass"]
    assert reading.raw.startswith("display: 14.82 g (display-")
    assert record.photos[0].file in reading.raw
    ticket = str(referee.last.url).rpartition("/")[2]
    referee.decide(ticket, "approve")
    assert CertificateWorker(station).make_all() == 1


def test_a_display_that_is_not_certain_is_not_proposed(referee: Person, station: Station) -> None:
    connect(station, desk_scale=Connection(Address("/dev/nowhere"), "mt-sics"))
    photo = cv2.imencode(".png", photograph(Scene("148.5")))[1].tobytes()
    referee.get(referee.at("/desk/striker"))
    files = {"photo": ("p.png", photo, "image/png")}
    assert "whole digits" in told(referee, "/desk/striker/display?unit=g&gauge=desk-scale", files)["fault"]
    assert "Choose the instrument" in told(referee, "/desk/striker/display?unit=g&gauge=", files)["fault"]
    broken = {"photo": ("p.png", b"no picture", "image/png")}
    assert told(referee, "/desk/striker/display?unit=g&gauge=desk-scale", broken)["fault"]


def test_what_a_gauge_measured_that_has_failed_its_check_since_is_not_approved(
    referee: Person, station: Station
) -> None:
    connect(station, desk_scale=Connection(Address("/dev/nowhere"), "mt-sics"))
    ticket = referee.inspect(gauge_g="desk-scale")
    off = Point(parse_strict("100 g"), parse_strict("100.50 g"), parse_strict("0.02 g"))
    add_check(station.home, Check("desk-scale", NOW, (off,)))
    referee.decide(ticket, "approve", 409)
    assert "failed its check" in referee.last.text
    referee.decide(ticket, "reject", because="the scale was off")
