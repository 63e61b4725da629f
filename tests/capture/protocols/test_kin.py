"""Lines of kindred instruments, as their makers' documents print them: each is read rightly or refused, by whatever protocol.

Written down from the documents after the parsers; where one was refused that should be read, the parser was widened.
"""

from __future__ import annotations

import pytest

from inspect_kit.capture.protocols.reply import InstrumentKind
from inspect_kit.capture.protocols.table import PROTOCOLS
from tests.capture.protocols.test_recorded_streams import lines, values

READ = {
    "A&D GH, MT format": ("S       0.1278 g", "0.1278"),
    "A&D GH, KF format": ("+    0.1278 g ", "0.1278"),
    "A&D AD-4212D, CSV format": ("ST,+000.1278,  g", "0.1278"),
    "CAS CI-600D, AND format of 18 bytes": ("ST,GS,000013.5kg", "13500"),
    "CAS CBL": ("S-  1000.00g ", "-1000.00"),
    "Adam Highland, continuous": ("ST,NT-     123.45 g ", "-123.45"),
    "Adam Highland, format 2": ("-      123.45 g ", "-123.45"),
    "Adam PGL": ("1234.567 g", "1234.567"),
    "Adam CBC": ("Net Wt.      1.234 Kg", "1234"),
    "Kern 440": ("         123.4 g  ", "123.4"),
    "Ohaus Defender 5000": ("      -23.45     g   G", "-23.45"),
    "Ohaus Ranger RC": ("   123.45 g    NET", "123.45"),
    "Ohaus Ranger RC, gross": ("   123.45 kg   B/G", "123450"),
    "Radwag R": ("S    -      8.5 g  ", "-8.5"),
    "Radwag R, SUI": ("SUI  -   58.237 kg ", "-58237"),
    "Radwag AS, PRINT key": ("  -     123.45 g  ", "-123.45"),
    "Shinko HG": ("-65.4321KG S", "-65432.1"),
    "Shinko, integer": ("+    123  G S", "123"),
    "Shinko, within limits": ("+ 123.45 GGS", "123.45"),
    "Dini Argeo 3590": ("ST,GS,  123.45,Kg", "123450"),
    "Triner TS-700": ("ST,GS,+   5.12,kg", "5120"),
    "Selleton SL-7515": ("ST, GS+ 5.12KG", "5120"),
    "Salter Brecknell S122": ("ST,NT,+  0.876kg", "876"),
    "Sartorius, 22 characters": ("N     +   123.56 g  ", "123.56"),
}
"""A line that says that it is stable, or that its maker sends only then, and the mass in g."""

REFUSED = {
    "A&D GH, MT format, moving": "SD      0.1278 g",
    "A&D GH, KF format, moving": "+     0.1278   ",
    "A&D GH, NU format": "+000.1278",
    "A&D, out of range": "OL,+999999.9  g",
    "A&D, pieces": "QT,+00012345 PC",
    "A&D, percent": "ST,+000123.4  %",
    "A&D, newton": "ST,+000123.4  N",
    "A&D, density": "ST,+0001.234 DS",
    "A&D, tola": "ST,+0001.234  t",
    "CAS CI-600D, 10 bytes": "000013.5",
    "CAS CBL, moving": "U    123.45g ",
    "CAS CBL, overload": "U    oL",
    "Adam Highland, total": "Total   123.45 g ",
    "Adam Highland, pieces": "          125PCS",
    "Adam CBC, unit weight": "Unit Wt.        123 g",
    "Adam MDW": "  80.00kgGR",
    "Kern 440, moving": "         123.4 ",
    "Ohaus Defender 5000, moving": "      123.45     g ? N",
    "Ohaus Defender 5000, tare": "      123.45     g   T",
    "Ohaus Ranger, pounds and ounces": "   1 lb    3.50 oz   N",
    "Radwag, moving": "SI ?       18.5 kg ",
    "Radwag, SUI moving": "SUI? -   58.237 kg ",
    "Radwag, newton": "SU   -  172.135 N  ",
    "Radwag, platform 1": "P1        36.2 kg ",
    "Radwag, PRINT key, moving": "?       123.45 g  ",
    "Shinko, moving": "-65.4321KG U",
    "Shinko, pieces": "+    123 PC S",
    "Shinko, troy ounce": "+ 12.345OT S",
    "Dini Argeo, AF string": "ST,1,    123.45kg,        0.00kg",
    "Dini Argeo, extended string": "1ST,1,     100.0,      20.8,         0,kg",
    "Dini Argeo, microvolts": "ST,VL,  123.45,mV",
    "Dini Argeo, underload": "UL,GS,  123.45,kg",
    "T-Scale ROW, con3": "\x01+0123.45 g0",
    "Toledo continuous": "\x02*0 001234000000",
    "Mettler Toledo, below the minimum weight": "S M     100.00 g",
    "Mettler Toledo, tael": "S S      12.34 tl",
    "Sartorius, tare": "T1    +   123.56 g  ",
    "Sartorius, pieces": "Qnt   +      25 pcs",
    "Mahr Millimar 1202": "1 +012.34 mm;2 ERR6;3 +001.00 mm =",
}
"""Lines that are no stable mass in a known unit, or do not say it."""
SCALES = [name for name, spoken in PROTOCOLS.items() if spoken.kind is InstrumentKind.SCALE]


@pytest.mark.parametrize("source", READ)
def test_a_line_as_its_maker_prints_it_is_read(source: str) -> None:
    line, truth = READ[source]
    read = [found for name in SCALES if (found := values(name, lines(line, times=4)))]
    assert read
    assert all(found == {truth} for found in read)


@pytest.mark.parametrize("source", REFUSED)
def test_a_line_that_is_no_stable_mass_is_read_by_nobody(source: str) -> None:
    assert {name: found for name in SCALES if (found := values(name, lines(REFUSED[source], times=4)))} == {}


@pytest.mark.parametrize(
    "ticket",
    [
        ("GS      123.45 g ", "No.         01", "Total   123.45 g "),
        ("Date 12/09/2006", "Time 14:56:27", "Gross Wt      1.234 Kg", "Unit Wt.        123 g", "PCS          10 pcs"),
        ("SCALE: 1", "G               123.45 kg  ", "T                20.00 kg  "),
    ],
    ids=["Adam Highland", "Adam CBC", "Ohaus Ranger RC"],
)
def test_a_gross_weight_on_a_ticket_is_read_by_nobody(ticket: tuple[str, ...]) -> None:
    assert {name: found for name in SCALES if (found := values(name, lines(*ticket, times=1) * 4))} == {}


def test_the_net_weight_of_a_ticket_is_read() -> None:
    ticket = ("G               123.45 kg  ", "T                20.00 kg  ", "N               103.45 kg  ")
    assert values("mt-sics", lines(*ticket, times=1) * 3) == {"103450"}
