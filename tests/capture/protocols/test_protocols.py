from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspect_kit.capture.connections import _PROBES
from inspect_kit.capture.protocols.forms import plain
from inspect_kit.capture.protocols.reply import Load, Reply, Status
from inspect_kit.capture.protocols.table import PROTOCOLS, protocol_named, spoken_by
from inspect_kit.capture.simulated_replies import SIMULATED, Display, ReplyState
from inspect_kit.errors import UsageError

S, U = Status.STABLE, Status.UNSTABLE

DOCUMENTED = [
    ("mt-sics", "S S     100.00 g", Reply(S, "100.00", "g")),
    ("mt-sics", "S D     129.07 g", Reply(U, "129.07", "g")),
    ("mt-sics", "S S    -100.00 g", Reply(S, "-100.00", "g")),
    ("mt-sics", "S S      14.82 g", Reply(S, "14.82", "g")),
    ("mt-sics", "S S       0.00 g", Reply(S, "0.00", "g")),
    ("mt-sics", "S I", Reply(Status.BUSY)),
    ("mt-sics", "S +", Reply(Status.OVERLOAD)),
    ("mt-sics", "S -", Reply(Status.UNDERLOAD)),
    ("mt-sics", "S L", Reply(Status.ERROR)),
    ("mt-sics", "ES", Reply(Status.ERROR)),
    ("mt-sics", "ET", Reply(Status.ERROR)),
    ("mt-sics", "EL", Reply(Status.ERROR)),
    ("mt-sics", 'I4 A "B021002593"', Reply(Status.OTHER)),
    ("kcp", "S S     100.00 g", Reply(S, "100.00", "g")),
    ("kcp", "S D     100.00 kg", Reply(U, "100.00", "kg")),
    ("kcp", "S I", Reply(Status.BUSY)),
    ("and", "ST,+00123.45  g", Reply(S, "123.45", "g")),
    ("and", "US,-00012.30  g", Reply(U, "-12.30", "g")),
    ("and", "QT,+00012345 PC", Reply(Status.COUNTING, "12345", "PC")),
    ("and", "OL,+999999.9  g", Reply(Status.OVERLOAD)),
    ("and", "OL,-999999.9  g", Reply(Status.UNDERLOAD)),
    ("and", "OL,+9999999E+19", Reply(Status.OVERLOAD)),
    ("and", "ST,+0004775.7   g", Reply(S, "4775.7", "g")),
    ("and", "ST,+00000.00  g", Reply(S, "0.00", "g")),
    ("and", "EC,E01", Reply(Status.ERROR)),
    ("sbi", "+   123.56 g  ", Reply(S, "123.56", "g")),
    ("sbi", "-   123.56 g  ", Reply(S, "-123.56", "g")),
    ("sbi", "N     +   123.56 g  ", Reply(S, "123.56", "g", Load.NET)),
    ("sbi", "G     +   123.56 kg ", Reply(S, "123.56", "kg", Load.GROSS)),
    ("sbi", "+   123.56    ", Reply(U, "123.56")),
    ("sbi", "N     +   123.56    ", Reply(U, "123.56", "", Load.NET)),
    ("sbi", "+ 123.5[6] g  ", Reply(S, "123.5", "g", auxiliary="6")),
    ("sbi", "      0.00 g  ", Reply(S, "0.00", "g")),
    ("sbi", "Stat     ERR 054    ", Reply(Status.ERROR)),
    ("sbi", "Stat        AB      ", Reply(Status.BUSY)),
    ("sbi", "Stat        H       ", Reply(Status.OVERLOAD)),
    ("sbi", "Stat        L       ", Reply(Status.UNDERLOAD)),
    ("ohaus", "    192.21 g", Reply(S, "192.21", "g")),
    ("ohaus", "    192.21 g    ", Reply(S, "192.21", "g")),
    ("ohaus", "      0.01 g ?", Reply(U, "0.01", "g")),
    ("ohaus", "   -192.21 g", Reply(S, "-192.21", "g")),
    ("ohaus", "      192.21 g     N", Reply(S, "192.21", "g", Load.NET)),
    ("ohaus", "        12 PCS", Reply(Status.COUNTING, "12", "PCS")),
    ("ohaus", "ES", Reply(Status.ERROR)),
    # Defender 3000: manual EN-35 and recordings
    ("ohaus", "   0.360 kg    G", Reply(S, "0.360", "kg", Load.GROSS)),
    ("ohaus", "-  1.640 kg    N", Reply(S, "-1.640", "kg", Load.NET)),
    ("ohaus", "-  1.640 kg   ?N", Reply(U, "-1.640", "kg", Load.NET)),
    ("ohaus", "   0.360 kg    T", Reply(Status.OTHER, load=Load.TARE)),
    ("ohaus", "192.21 g", Reply(S, "192.21", "g")),
    # MS204TS: recording
    ("mt-sics", "     N       0.3749 g   ", Reply(S, "0.3749", "g", Load.NET)),
    ("mt-sics", "     G      10.0000 g   ", Reply(S, "10.0000", "g", Load.GROSS)),
    ("mt-sics", "     T       1.0000 g   ", Reply(Status.OTHER, load=Load.TARE)),
    ("mt-sics", "S S 100.00 g", Reply(S, "100.00", "g")),
    ("mt-sics", "S S         12 PCS", Reply(Status.COUNTING, "12", "PCS")),
    ("and", "ST,+14.82 g", Reply(S, "14.82", "g")),
    ("and", "ST,+00050.0  %", Reply(S, "50.0", "%")),
    # T-Scale: recordings; Tiger TI-02 and Dini Argeo: manuals
    ("st-gs", "ST,GS    20.7g  ", Reply(S, "20.7", "g", Load.GROSS)),
    ("st-gs", "US,GS   106.2g  ", Reply(U, "106.2", "g", Load.GROSS)),
    ("st-gs", "ST,NT-  1.234,kg", Reply(S, "-1.234", "kg", Load.NET)),
    ("st-gs", "STGS20.7g", Reply(S, "20.7", "g", Load.GROSS)),
    ("st-gs", "01ST,GS,     0.0,kg", Reply(S, "0.0", "kg", Load.GROSS)),
    ("st-gs", "ST GS 20.7 g", Reply(S, "20.7", "g", Load.GROSS)),
    ("st-gs", "ST,20.7 g", Reply(S, "20.7", "g")),
    ("st-gs", "OL,GS,+------,kg", Reply(Status.OVERLOAD)),
    ("st-gs", "ST,NT,   12.34,KG", Reply(S, "12.34", "kg", Load.NET)),
    ("st-gs", "OL", Reply(Status.OVERLOAD)),
    ("st-gs", "UL,GS", Reply(Status.UNDERLOAD)),
    ("st-gs", "ST,TR,     2.0,kg", Reply(Status.OTHER, load=Load.TARE)),
    ("st-gs", "ST,GS,     12,PCS", Reply(Status.COUNTING, "12", "PCS", Load.GROSS)),
    # Shinko Vibra HG and AJ: manuals
    ("vibra", "+00123.4 G S", Reply(S, "123.4", "g")),
    ("vibra", "-65.4321KG U", Reply(U, "-65.4321", "kg")),
    ("vibra", "+  12.3/4 G S", Reply(S, "12.3", "g", auxiliary="4")),
    ("vibra", "+     12PC S", Reply(Status.COUNTING, "12", "PC")),
    ("vibra", "+00123.4 G E", Reply(Status.ERROR)),
    # Defender 5000: manual, 5.6
    ("ticket", "Gross:     10.000 kg", Reply(S, "10.000", "kg", Load.GROSS)),
    ("ticket", "Tare        2.000 kg", Reply(Status.OTHER, load=Load.TARE)),
    ("ticket", "NET         8.000 kg", Reply(S, "8.000", "kg", Load.NET)),
    ("radwag", "S 123.45 g", Reply(S, "123.45", "g")),
    ("radwag", "S A", Reply(Status.ACCEPTED)),
    ("radwag", "S         123.45 g  ", Reply(S, "123.45", "g")),
    ("radwag", "S     -   123.45 g  ", Reply(S, "-123.45", "g")),
    ("radwag", "SI  ?     123.45 g  ", Reply(U, "123.45", "g")),
    ("radwag", "S   ^     999.99 g  ", Reply(Status.OVERLOAD)),
    ("radwag", "S   v -   999.99 g  ", Reply(Status.UNDERLOAD)),
    ("radwag", "S I", Reply(Status.BUSY)),
    ("radwag", "S ^", Reply(Status.OVERLOAD)),
    ("radwag", "S v", Reply(Status.UNDERLOAD)),
    ("radwag", "S E", Reply(U)),
    ("radwag", "ES", Reply(Status.ERROR)),
    ("mitutoyo", "01A+0000.123", Reply(S, "0.123")),
    ("mitutoyo", "01A+0000.125", Reply(S, "0.125")),
    ("mitutoyo", "01A+00.12345", Reply(S, "0.12345")),
    ("mitutoyo", "02A-00041.27", Reply(S, "-41.27")),
    ("mitutoyo", "911", Reply(Status.ERROR)),
    ("sylvac", "+041.27", Reply(S, "41.27")),
    ("sylvac", "-000.010", Reply(S, "-0.010")),
    ("sylvac", "+12.345<", Reply(S, "12.345")),
    ("sylvac", "+12.345=", Reply(S, "12.345")),
    ("sylvac", "+12.345>", Reply(S, "12.345")),
    ("sylvac", "ERR6", Reply(Status.ERROR)),
    ("sylvac", "?", Reply(Status.OTHER)),
    ("sylvac", "UNI?", Reply(Status.OTHER)),
    ("sylvac", "uni?", Reply(Status.OTHER)),
]

NOT_A_VALUE = [
    ("mt-sics", "S S     10S S     100.00 g"),
    ("mt-sics", "S S     1e2.00 g"),
    ("mt-sics", "S S        NaN g"),
    ("mt-sics", "S S     100,00 g"),
    ("mt-sics", "S S     100.00"),
    ("mt-sics", "S S  1 0 0.0 0 g"),
    ("mt-sics", " S S     100.00 g"),
    ("mt-sics", "SI S     100.00 g"),
    ("mt-sics", "S S     １00.00 g"),
    ("and", "ST,00123.45  g"),
    ("st-gs", "ST,VL,   123.4,uV"),
    ("st-gs", "ST,RZ,   12345,g"),
    ("st-gs", "T,GS    20.7g  "),
    ("st-gs", "S    20.7g  "),
    ("vibra", "+0123.4 G S"),
    ("vibra", "+00123.4 G  "),
    ("vibra", "+  12./34 G S"),
    ("ohaus", "   0.360    G"),
    ("ohaus", "   0.360 G"),
    ("ticket", "Date: 16.11.2026"),
    ("ticket", "12.10.2026 10:11"),
    ("ticket", "pH 7.00 pH"),
    ("and", "OL"),
    ("sbi", "T1    +   123.56 g  "),
    ("sbi", "Qnt   +       12 pcs"),
    ("sbi", "+  123.56 g  "),
    ("sbi", "+ 123.[5]6 g  "),
    ("sbi", "    123.56 g  "),
    ("ohaus", "    192.21 g  T"),
    ("ohaus", "    192.21"),
    ("radwag", "S A        123.45 g  "),
    ("mitutoyo", "01A+0000.12"),
    ("mitutoyo", "1A+0000.123"),
    ("mitutoyo", "01A+0000.1234"),
    ("mitutoyo", "01A 0000.123"),
    ("mitutoyo", "01A+0000.123g"),
    ("sylvac", "+41"),
    ("sylvac", "+041.27+041.27"),
    ("sylvac", "+04 1.27"),
    ("sylvac", "41,27"),
]


@pytest.mark.parametrize(("name", "line", "reply"), DOCUMENTED)
def test_a_documented_line_says_what_its_maker_means(name: str, line: str, reply: Reply) -> None:
    assert PROTOCOLS[name].parse(line) == reply


@pytest.mark.parametrize(("name", "line"), NOT_A_VALUE)
def test_a_line_that_is_not_whole_gives_no_number(name: str, line: str) -> None:
    assert PROTOCOLS[name].parse(line).number == ""


SCRIPTED = {"mt-sics", "kcp", "and", "sbi", "ohaus", "radwag", "mitutoyo", "sylvac"}


def test_the_names_are_those_that_users_script_against() -> None:
    assert set(PROTOCOLS) == SCRIPTED | {"st-gs", "vibra", "shimadzu", "ticket", "hid-pos", "sylvac-ble"}
    with pytest.raises(UsageError, match="did you mean"):
        protocol_named("mt-sisc")


def test_everything_that_is_ever_sent_only_reads() -> None:
    sent = {command for p in PROTOCOLS.values() for command in p.requests}
    sent |= {detail.command for p in PROTOCOLS.values() for detail in p.details} | set(_PROBES)
    reading = {"", "S", "SI", "I2", "I4", "Q", "IP", "SP", "\x1bP", "1", "?", "UNI?", "ID?", "NUM?", "BAT?", "NCAL?"}
    assert {command.decode().rstrip("\r\n") for command in sent} <= reading


def test_scales_commands_end_with_cr_lf_and_calipers_with_cr() -> None:
    for protocol in PROTOCOLS.values():
        end = b"\r\n" if protocol.kind == "scale" else b"\r"
        for command in (*protocol.requests, *(detail.command for detail in protocol.details)):
            assert command.endswith(end)
            assert command.rstrip(b"\r\n") == command[: -len(end)]


NUMBERS = st.decimals(min_value=-9999, max_value=9999, places=2).map(lambda d: f"{d:.2f}")
SCALES = st.sampled_from([name for name in SIMULATED if PROTOCOLS[name].kind == "scale"])
ANY = st.sampled_from(list(SIMULATED))


def spoken(name: str, value: str, state: ReplyState = ReplyState.STABLE) -> str:
    """The value's line in a protocol, from the simulator's side."""
    unit = "g" if PROTOCOLS[name].kind == "scale" else "mm"
    lines = SIMULATED[name].value_line("S", state, Display(value, unit))
    return lines.replace("\r\n", "\r").rstrip("\r").split("\r")[-1]


@given(ANY, NUMBERS)
@example("mt-sics", "100.01")
@example("and", "-0.00")
def test_every_digit_arrives_as_it_was_sent(name: str, value: str) -> None:
    reply = PROTOCOLS[name].parse(spoken(name, value))
    assert (reply.status, reply.number) == (Status.STABLE, value)


@given(SCALES, NUMBERS)
def test_an_unstable_value_is_never_taken_for_a_stable_one(name: str, value: str) -> None:
    assert PROTOCOLS[name].parse(spoken(name, value, ReplyState.UNSTABLE)).status is Status.UNSTABLE


@given(ANY, NUMBERS, NUMBERS, st.data())
def test_half_a_line_and_a_whole_one_never_make_another_number(
    name: str, one: str, two: str, data: st.DataObject
) -> None:
    first, second = spoken(name, one), spoken(name, two)
    cut = data.draw(st.integers(1, len(first)))
    if name == "sylvac":
        second = second.replace("+", "-")
    reply = PROTOCOLS[name].parse(first[:cut] + second)
    assert reply.status is not Status.STABLE or reply.number == two


LINES = st.one_of(
    st.text(max_size=40),
    st.text(alphabet='S DAI+-.,?^v0123456789 gkEOLTUQN[]\x1b"<=>', max_size=24),
    st.sampled_from([line for _, line, _ in DOCUMENTED]).flatmap(
        lambda line: st.tuples(st.integers(0, len(line)), st.characters()).map(
            lambda change: line[: change[0]] + change[1] + line[change[0] + 1 :]
        )
    ),
)


@given(ANY, LINES)
def test_no_line_whatever_gives_a_number_that_does_not_stand_in_it(name: str, line: str) -> None:
    reply = PROTOCOLS[name].parse(line)
    if reply.number:
        assert re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", reply.number, re.ASCII)
        assert Decimal(reply.number).is_finite()
        assert reply.number.lstrip("-") in line
        assert ("-" in reply.number) == ("-" in line)
    for detail in PROTOCOLS[name].details:
        told = detail.read(line)
        assert told is None or told.strip() == told != ""


@given(st.text(alphabet="0123456789", min_size=1, max_size=9), st.text(alphabet="0123456789", min_size=1, max_size=5))
def test_only_zeros_before_the_first_digit_are_taken_off(whole: str, decimals: str) -> None:
    text = plain("+", f"{whole}.{decimals}")
    assert text == f"{int(whole)}.{decimals}"


def test_a_line_is_recognised_in_the_protocol_it_belongs_to() -> None:
    for name in SIMULATED:
        assert name in {p.name for p in spoken_by(spoken(name, "14.82"))}
    assert [p.name for p in spoken_by("S S      14.82 g")] == ["mt-sics", "kcp"]
    assert spoken_by("ES") == ()
    assert spoken_by("hello") == ()


def test_model_and_serial_number_are_taken_from_their_own_lines_only() -> None:
    model, serial = (detail.read for detail in PROTOCOLS["mt-sics"].details)
    assert serial('I4 A "B021002593"') == "B021002593"
    assert model('I4 A "B021002593"') is None
    assert serial("I4 I") is None
    assert model('I2 A "XS204 Excellence" "220.00900 g"') == "XS204 Excellence"
    assert serial('I4 A "') is None


DETAILS = {detail.name: detail.read for detail in PROTOCOLS["sylvac"].details}


@pytest.mark.parametrize(
    ("name", "line", "told"),
    [
        ("unit", "MM", "mm"),
        ("unit", "IN", "in"),
        ("unit", "mm", "mm"),
        ("unit", "UNI?MM", "mm"),
        ("unit", "UNI IN", "in"),
        ("unit", "UNI?", None),
        ("unit", "+041.27", None),
        ("unit", "CM", None),
        ("serial", "123456", "123456"),
        ("serial", "NUM?", None),
        ("serial", "+041.27", None),
        ("serial", "ERR6", None),
        ("serial", "MM", None),
        ("serial", "31.12.2027", None),
        ("instrument", "ID?SY235", "SY235"),
        ("battery", "BAT1", "ok"),
        ("battery", "BAT0", "low"),
        ("battery", "BAT?BAT0", "low"),
        ("battery", "BAT7", None),
        ("next_calibration", "31.12.2027", "2027-12-31"),
        ("next_calibration", "NCAL 31.12.2027", "2027-12-31"),
        ("next_calibration", "31.02.2027", None),
        ("next_calibration", "2027-12-31", None),
    ],
)
def test_what_a_caliper_tells_of_itself(name: str, line: str, told: str | None) -> None:
    assert DETAILS[name](line) == told
