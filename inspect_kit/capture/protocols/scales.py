"""How scales write a weighing, maker by maker: the forms of their lines, and what each part of a form says.

Where a line's width is documented, a shorter one has lost a character and is not `whole`.
"""

import re
from typing import Final

from inspect_kit.capture.protocols.forms import NUMBER, always, first_match, plain, right_justified
from inspect_kit.capture.protocols.reply import UNKNOWN, Detail, InstrumentKind, Load, Protocol, Reply, Settings, Status

_CAPITALS: Final = {"G": "g", "KG": "kg", "Kg": "kg", "MG": "mg", "CT": "ct", "OZ": "oz"}
"""Units in capitals, for lines in which a G at the unit's place cannot be the sign for a gross weight."""
_COUNTS: Final = frozenset({"PCS", "pcs", "Pcs", "PC", "pc"})
"""Units of a scale that counts pieces."""
_NO_WEIGHT: Final = frozenset({Status.OVERLOAD, Status.UNDERLOAD, Status.BUSY, Status.ERROR})
_SCALE: Final = InstrumentKind.SCALE


def _weighing(
    status: Status, number: str, unit: str, load: Load = Load.UNSAID, auxiliary: str = "", *, whole: bool = False
) -> Reply:
    """A weight, unless the state says that there is none, it is a tare, or pieces are counted."""
    if load is Load.TARE:
        return Reply(Status.OTHER, load=load)
    if status in _NO_WEIGHT:
        return Reply(status)
    return Reply(Status.COUNTING if unit in _COUNTS else status, number, unit, load, auxiliary, whole=whole)


def _stable_if(stable: object) -> Status:
    return Status.STABLE if stable else Status.UNSTABLE


# Tickets of several lines: each weight under its name (gross, tare, net), among dates, times and other text.

_LETTERS: Final = {"N": Load.NET, "G": Load.GROSS, "B": Load.GROSS, "T": Load.TARE, "PT": Load.TARE}
_WORDS: Final = {
    "NET": Load.NET, "NETT": Load.NET, "NETTO": Load.NET, "NET WT": Load.NET, "NET WEIGHT": Load.NET, "NT": Load.NET,
    "GROSS": Load.GROSS, "BRUTTO": Load.GROSS, "LORDO": Load.GROSS, "GROSS WT": Load.GROSS,
    "GROSS WEIGHT": Load.GROSS, "GS": Load.GROSS,
    "TARE": Load.TARE, "TARA": Load.TARE, "PRESET TARE": Load.TARE, "TARE WT": Load.TARE, "TARE WEIGHT": Load.TARE,
}  # fmt: skip
"""What scales print before a weight in English, German, Czech and Italian."""
_LABELLED: Final = rf" *([A-Za-z]+(?: [A-Za-z]+)?)(?:\.| *[:=]| ) *([+-]?) *({NUMBER}) *([A-Za-z%]{{1,5}})( *\?)? *"
_PRINTED: Final = 24
"""Characters of a line that a Mettler Toledo balance prints; seen in recordings of an MS204TS."""


def _labelled(found: re.Match[str], labels: dict[str, Load]) -> Reply:
    label, sign, digits, unit, doubt = found.groups()
    load = labels.get(label.upper())
    if load is None:
        return UNKNOWN
    reply = _weighing(
        Status.STABLE, plain(sign, digits), _CAPITALS.get(unit, unit), load, whole=len(found.string) == _PRINTED
    )
    return reply.unsettled() if doubt else reply


TICKET: Final = Protocol(
    "ticket", "scales that print tickets", _SCALE, first_match((_LABELLED, lambda found: _labelled(found, _WORDS))), ()
)

# Mettler Toledo MT-SICS: `S S     100.00 g`; `S D` dynamic, `S +` overload, `S -` underload, `S I` not now. `SI`
# answers with the id `S`, like `S`. Also what the PRINT key sends, `     N       0.3749 g   `, in any order with `G`
# and `T` lines. Kern's KCP is a close relative with the same lines; commands in capitals, ended by CR LF, one at a
# time.

_SICS_WIDTH: Final = 10
"""Characters of the weight with the blanks before it."""
_SICS_STATES: Final = {"+": Status.OVERLOAD, "-": Status.UNDERLOAD, "I": Status.BUSY, "L": Status.ERROR}
_ABOUT: Final = r'(I[0-9]{1,2}) [AB](?: [0-9]{1,3})? "([^"]{1,80})".{0,100}'


def _sics_weight(found: re.Match[str]) -> Reply:
    state, field, unit = found.groups()
    number = right_justified(field)
    return _weighing(_stable_if(state == "S"), number, unit, whole=len(field) >= _SICS_WIDTH) if number else UNKNOWN


def _sics_about(line: str, what: str) -> str | None:
    """The quoted text of `I2 A "…"` or `I4 A "…"`, if that is what the line is."""
    found = re.fullmatch(_ABOUT, line, re.ASCII)
    return found[2].strip() or None if found and found[1] == what else None


_SICS: Final = first_match(
    (r"S ([SD]) ([ 0-9.\-]{1,20}) (\S{1,5})", _sics_weight),
    (_ABOUT, always(Status.OTHER)),
    (r"S ([+\-IL])", lambda found: Reply(_SICS_STATES[found[1]])),
    (r"ES|ET|EL", always(Status.ERROR)),
    (_LABELLED, lambda found: _labelled(found, _LETTERS)),
)
"""A weight, what the balance says of itself, a state, an error, a printed line."""
_SICS_DETAILS: Final = (
    Detail("instrument", b"I2\r\n", lambda line: _sics_about(line, "I2")),
    Detail("serial", b"I4\r\n", lambda line: _sics_about(line, "I4")),
)
_SICS_REQUESTS: Final = (b"SI\r\n", b"S\r\n")
MT_SICS: Final = Protocol("mt-sics", "Mettler Toledo, many Ohaus", _SCALE, _SICS, _SICS_REQUESTS, details=_SICS_DETAILS)
KCP: Final = Protocol("kcp", "Kern", _SCALE, _SICS, _SICS_REQUESTS, details=_SICS_DETAILS)

# A&D: `ST,+00123.45  g`; ST stable, US unstable, OL out of range, QT a count, `EC,E01` an error. Its CSV format has one
# more comma, `ST,+000.1278,  g`.

_AND_WIDTH: Final = 8
"""Sign and eight characters at least; some models send one digit more."""
_AND_UNIT: Final = 3
"""Characters of the unit with the blanks before it."""
_AND_STATES: Final = {"ST": Status.STABLE, "US": Status.UNSTABLE, "QT": Status.COUNTING}


def _and_weight(found: re.Match[str]) -> Reply:
    header, sign, digits, blanks, unit = found.groups()
    whole = len(digits) >= _AND_WIDTH and len(blanks + unit) >= _AND_UNIT
    return _weighing(_AND_STATES[header], plain(sign, digits), unit, whole=whole)


AND: Final = Protocol(
    "and", "A&D", _SCALE,
    first_match(
        (rf"(ST|US|QT),([+-])({NUMBER})(,? *)([A-Za-z%]{{0,3}})", _and_weight),
        (r"OL,\+[0-9.E+ ]{5,14} {0,4}\S{0,3}", always(Status.OVERLOAD)),
        (r"OL,-[0-9.E+ ]{5,14} {0,4}\S{0,3}", always(Status.UNDERLOAD)),
        (r"EC,E[0-9]{2}", always(Status.ERROR)),
    ),
    (b"Q\r\n", b"SI\r\n", b"S\r\n"), (Settings(2400, 7, "E", 1), Settings()),
)  # fmt: skip
"""A&D's scales, with the settings of a line that are tried in turn."""

# Sartorius SBI: 14 characters `+   123.56 g  `, or 20 with a name in front; a blank unit says "not stable". Brackets
# set off the digit that is not verified: `123.5[6]` reads 123.5 and, beside it, 6.

_SBI_VALUE: Final = rf"{NUMBER}|[0-9]{{1,8}}(?:\.[0-9]{{0,8}})?\[[0-9]\]"
_SBI_WIDTH: Final = 8
"""Characters of the weight with the blanks before it; with fewer the line is not understood."""
_SBI_NAMES: Final = {"": Load.UNSAID, "N": Load.NET, "G": Load.GROSS}
"""Net and gross are weighings; tare, limits, means and counts under other names are not."""
_SBI_STATES: Final = {
    "H": Status.OVERLOAD, "HH": Status.OVERLOAD, "L": Status.UNDERLOAD, "LL": Status.UNDERLOAD,
    "C": Status.BUSY, "AB": Status.BUSY, "--": Status.BUSY,
}  # fmt: skip
_SBI_ERROR: Final = re.compile(r"(?:ERR|Err|APP\.ERR|DIS\.ERR|PRT\.ERR) ?[0-9]{0,3}", re.ASCII)


def _sbi_weight(found: re.Match[str]) -> Reply:
    name, sign, field, unit = found.groups()
    digits, _, auxiliary = field.strip(" ]").partition("[")
    unsigned = sign == " " and digits.strip("0.")
    label = (name or "").strip(" ")
    if label not in _SBI_NAMES or len(field) < _SBI_WIDTH or unsigned:
        return UNKNOWN
    return _weighing(_stable_if(unit), plain(sign, digits), unit or "", _SBI_NAMES[label], auxiliary, whole=True)


def _sbi_state(found: re.Match[str]) -> Reply:
    if _SBI_ERROR.fullmatch(found[1]):
        return Reply(Status.ERROR)
    # A state stands in the middle of a line of blanks; a lone letter without them may be the rest of something.
    return Reply(_SBI_STATES[found[1]]) if found[1] in _SBI_STATES and len(found.string) >= 8 else UNKNOWN


SBI: Final = Protocol(
    "sbi", "Sartorius", _SCALE,
    first_match(
        (rf"(?:(.{{6}}))?([+\- ]) ( *(?:{_SBI_VALUE}))(?: (\S{{1,3}}) {{0,2}}| {{0,4}})", _sbi_weight),
        (r"(?:Stat)? *([A-Za-z.\-]{1,7}(?: ?[0-9]{1,3})?) *", _sbi_state),
    ),
    (b"\x1bP\r\n",), (Settings(1200, 7, "O", 1), Settings(9600, 7, "O", 1), Settings()),
)  # fmt: skip
"""Sartorius's balances, with the settings of a line that are tried in turn."""

# Ohaus Navigator, Scout, Explorer: `    192.21 g`, with `?` behind the unit while it is not stable. Defender 3000 puts
# the sign first, `-  1.640 kg   ?N`, Defender 5000 the unit at the right of five characters, `      123.45     g ? N`;
# they and the Ranger (`   123.45 kg   B/G`) say at the end whether it is gross, net or tare. `ES` says that a command
# is unknown, or that nothing was stable in the scale's own time.

_OHAUS_WIDTH: Final = 10
"""Characters of the weight; the Defender's line has 16 in all instead."""
_OHAUS_LEGENDS: Final = {**_LETTERS, "NET": Load.NET, "B/G": Load.GROSS}
_OHAUS_LOADS: Final = {"Err8.3": Status.OVERLOAD, "Err8.4": Status.UNDERLOAD}


def _ohaus_weight(found: re.Match[str]) -> Reply:
    field, unit, doubt, legend = found.groups()
    number = right_justified(field)
    # A lone G, N, T or B is a legend whose unit was lost, or the other way round.
    if number is None or unit in _OHAUS_LEGENDS:
        return UNKNOWN
    load = _OHAUS_LEGENDS.get(legend or "", Load.UNSAID)
    reply = _weighing(Status.STABLE, number, unit, load, whole=len(field) >= _OHAUS_WIDTH)
    return reply.unsettled() if doubt else reply


OHAUS: Final = Protocol(
    "ohaus", "Ohaus", _SCALE,
    first_match(
        (r"([ 0-9.\-]{0,13}[0-9]) {1,5}([A-Za-z%]{1,5}) *(\?)? *(NET|B/G|PT|[NGBT])? *", _ohaus_weight),
        (r" *(?:ES|E[0-9]{1,2}|Err(?:or)? ?[0-9]{1,2}(?:\.[0-9]{1,2})?) *",
         lambda found: Reply(_OHAUS_LOADS.get("".join(found.string.split()), Status.ERROR))),
        (r"\s*OK!\s*", always(Status.OTHER)),
    ),
    (b"IP\r\n", b"SP\r\n"), (Settings(), Settings(2400, 7, "N", 2)), marked_start=False,
)  # fmt: skip
"""Ohaus's scales, with the settings of a line that are tried in turn."""

# Radwag: first `S A`, accepted: the mass is still to come, in a second line, `S        123.45 g  `; `?` not stable.

_RADWAG_WIDTH: Final = 20
"""Characters of a whole line: command, mark, sign, nine for the mass, three for the unit, and blanks between."""
_RADWAG_STATES: Final = {
    "A": Status.ACCEPTED, "E": Status.UNSTABLE, "I": Status.BUSY, "^": Status.OVERLOAD, "v": Status.UNDERLOAD,
    "": Status.STABLE, "?": Status.UNSTABLE,
}  # fmt: skip
"""`E`: the balance gave up waiting for a stable value, which is for us to wait on."""


def _radwag_mass(found: re.Match[str]) -> Reply:
    mark, sign, field, unit = found.groups()
    number = right_justified(f"{sign}{field}")
    whole = len(found.string) >= _RADWAG_WIDTH
    return _weighing(_RADWAG_STATES[mark], number, unit, whole=whole) if number else UNKNOWN


RADWAG: Final = Protocol(
    "radwag", "Radwag", _SCALE,
    first_match(
        (r"(?:(?:S|SI|SU) |SUI(?=[ ?^v])) {0,3}([?^v]?) *([\-]?)([ 0-9.]{1,16}) (\S{1,3}) *", _radwag_mass),
        (r"(?:S|SI|SU|SUI) ([AEI^v])", lambda found: Reply(_RADWAG_STATES[found[1]])),
        (r"ES", always(Status.ERROR)),
    ),
    (b"S\r\n", b"SI\r\n"),
)  # fmt: skip
"""Radwag's balances: a mass, a state in its stead, an error."""

# Weighing indicators: `ST,GS    20.7g  ` and `US,NT,   0.0,kg`; ST stable, US moving, OL over, UL under, TL not level.
# With or without commas and padding: T-Scale, Tiger TI-02, Dini Argeo and many that copy them.

_HEAD: Final = r"(?:[0-9]{2})?(ST|US|OL|UL|TL)(?:[, ]? *([A-Z]{2}))?"
"""State and kind of weight; two digits before them are the address on an RS-485 line."""
_INDICATOR_WIDTH: Final = 16
"""Characters of a whole line with its padding: state, kind, sign, seven for the weight, unit."""
_INDICATOR_LOADS: Final = {
    None: Load.UNSAID, "GS": Load.GROSS, "GR": Load.GROSS, "NT": Load.NET, "TR": Load.TARE, "PT": Load.TARE,
}  # fmt: skip
"""Anything else under these headers (microvolts, converter points) is no weight."""
_INDICATOR_STATES: Final = {
    "ST": Status.STABLE, "US": Status.UNSTABLE, "OL": Status.OVERLOAD, "UL": Status.UNDERLOAD, "TL": Status.BUSY,
}  # fmt: skip


def _indicated(found: re.Match[str]) -> Reply:
    state, kind, sign, digits, unit = found.groups()
    if kind not in _INDICATOR_LOADS:
        return UNKNOWN
    number, whole = plain(sign, digits), len(found.string) >= _INDICATOR_WIDTH
    return _weighing(_INDICATOR_STATES[state], number, _CAPITALS.get(unit, unit), _INDICATOR_LOADS[kind], whole=whole)


def _indicator_state(found: re.Match[str]) -> Reply:
    status = _INDICATOR_STATES[found[1]]
    return Reply(status) if status in _NO_WEIGHT and found[2] in _INDICATOR_LOADS else UNKNOWN


INDICATOR: Final = Protocol(
    "st-gs", "T-Scale, Tiger, Dini Argeo", _SCALE,
    first_match(
        (rf"{_HEAD}[, ]? *([+-]?) *({NUMBER})(?: *, *| *)([A-Za-z%]{{1,3}}) *", _indicated),
        (rf"{_HEAD}(?:[, ].{{0,20}})?", _indicator_state),
    ),
    (), (Settings(), Settings(2400, 7, "E", 1)),
)  # fmt: skip
"""Indicators that send by themselves, with the settings of a line that are tried in turn."""

# Shimadzu and what is built like it (CAS CBL): `S-  1000.00g  `: S stable or U moving, sign, weight, unit at once;
# without the letter in front the balance was set not to tell whether it is stable.

SHIMADZU: Final = Protocol(
    "shimadzu", "Shimadzu, CAS CBL", _SCALE,
    first_match(
        (r"[SU]- *oL *", always(Status.UNDERLOAD)),
        (r"[SU] +oL *", always(Status.OVERLOAD)),
        (rf"([SU])([ \-]) *({NUMBER})([A-Za-z%]{{1,3}}) {{0,2}}",
         lambda found: _weighing(_stable_if(found[1] == "S"), plain(found[2], found[3]), found[4])),
    ),
    (), (Settings(1200), Settings(), Settings(2400)),
)  # fmt: skip
"""Balances that send by themselves, with the settings of a line that are tried in turn."""

# Shinko Vibra: `+0012.34 G S`: sign, seven or eight characters, unit in capitals, limit mark, S stable or U moving. `/`
# sets off the auxiliary digit: `  12.3/4` reads 12.3 and, beside it, 4; `12./4` has none before its point and is no
# number.

_VIBRA_WIDTHS: Final = (7, 8, 9)
"""Characters of the number: six or seven digits with the point, and one more for `/` before an auxiliary digit."""
_VIBRA_UNITS: Final = {" G": "g", "KG": "kg", "MG": "mg", "CT": "ct", "OZ": "oz", "GR": "GN"}
_VIBRA_STATES: Final = {"S": Status.STABLE, "U": Status.UNSTABLE, "E": Status.ERROR}


def _vibra_weight(found: re.Match[str]) -> Reply:
    sign, field, unit, _, state = found.groups()
    digits, _, auxiliary = field.strip(" ").partition("/")
    # Without a mark the balance was set not to tell whether it is stable.
    if len(field) not in _VIBRA_WIDTHS or state == " " or not re.fullmatch(NUMBER, digits, re.ASCII):
        return UNKNOWN
    if unit in _COUNTS:
        auxiliary = ""
    named = _VIBRA_UNITS.get(unit, unit.strip(" "))
    return _weighing(_VIBRA_STATES[state], plain(sign, digits), named, auxiliary=auxiliary, whole=unit not in _COUNTS)


VIBRA: Final = Protocol(
    "vibra", "Shinko Vibra", _SCALE,
    first_match(
        (rf"([+\- ])( *{NUMBER}(?:/[0-9])? ?)( G|KG|MG|[A-Za-z]{{2}}| %)([ LGH])([SUE ])", _vibra_weight)
    ),
    (), (Settings(1200, 8, "N", 2), Settings(), Settings(2400, 8, "N", 2)),
)  # fmt: skip
"""Vibra's scales, with the settings of a line that are tried in turn."""
