"""Fuzzing by grammars: texts, files and forms that are nearly right, and what each reader makes of them.

A reader may accept or refuse with an error of ours; anything else is a fault of the program. Cases that made a reader
say something new are kept in `corpus/`, a folder for each reader, and are played again by every test run;
`python -m benchmarks fuzz --minutes 10` looks for more.
"""

from __future__ import annotations

import hashlib
import io
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from inspect_kit.errors import InspectKitError

CORPUS = Path(__file__).parent / "corpus"
REPOSITORY = Path(__file__).resolve().parents[2]
LARGEST = 6_000
"""Bytes of a case that is kept."""

Grammar = dict[str, tuple[str, ...]]
"""Names with their alternatives; `<name>` in one stands for any of that name's."""

_NUMBER: Grammar = {
    "number": ("<digits>", "<digits>.<digits>", "-<digits>", "<digits>,<digits>", "<digits>e<digits>", "<odd>"),
    "digits": ("0", "1", "14", "41", "007", "82", "999999999999", "<digits><digits>"),
    "odd": ("NaN", "inf", "", "-", "1e400", "1e-400", "٣", "1_000", "0x1f", "½", "--1", "1.2.3", "+", "1'000"),
    "unit": ("mm", "g", "Mg", "cm", "kg", "deg", "oz", "µm", "", "°", "furlong", "g\u200b", "<word>"),
    "word": (
        "striker", "striker.mass", "striker.diameter", "yes", "no", "ja", "sì", "\u202eabc", "x" * 300, "=1+1", "\x00",
        "\x1b[2J", "a b", "ř", "🎯", "../../etc/passwd", "é", "<word>.<word>", "none", "desk-scale",
    ),
}  # fmt: skip

GRAMMARS: dict[str, Grammar] = {
    "csv": {
        **_NUMBER,
        "start": ("<head>\n<rows>", "<rows>", "\ufeff<head>\r\n<rows>", "<head>;<head>\n<rows>"),
        "head": (
            "characteristic,instance,value,unit,u,instrument", "characteristic;value;unit", "characteristic,value",
            "characteristic\tvalue", "value,characteristic,value", "<word>,<word>", "Characteristic,Value,Unit",
        ),
        "rows": ("<row>\n", "<row>\n<rows>", "<row>\r\n<rows>", "\n<rows>", ""),
        "row": (
            "<name>,,<number>,<unit>,<number>,<word>", "<name>,<word>,<number>,<unit>", "<name>,<number> <unit>",
            '"<name>","<number>","<unit>', "<name>;<number>;<unit>", "<word>", ",,,,,,,,", '"<word>\n<word>",1',
            "#<word>", "<name>,,<number>±<number>,<unit>",
        ),
        "name": ("striker.mass", "striker.diameter", "striker.shape", "disc.diameter", "<word>"),
    },
    "json": {
        **_NUMBER,
        "start": ('{"format": <one>, <lists>}', "<value>", '{"format": 1}', "[<value>]", '{"measurements": <rows>}'),
        "one": ("1", "1.0", "2", '"1"', "null", "true", "1e400"),
        "lists": (
            '"photos": [], "measurements": <rows>, "observations": [], "warnings": []',
            '"photos": [<photo>], "measurements": <rows>, "observations": <rows>, "warnings": [<text>]',
            '"measurements": <rows>, "measurements": <rows>', '"photos": <value>, "measurements": <rows>',
        ),
        "rows": ("[<row>]", "[<row>, <row>]", "[]", "<value>", "[[[[[[[[<row>]]]]]]]]"),
        "row": (
            '{"characteristic": <text>, "value": <value>, "unit": <text>}',
            '{"characteristic": "striker.mass", "value": <number>, "unit": "g", "pixel": [<number>, <number>]}',
            '{"characteristic": "striker.mass", "value": 14.8, "unit": "g", "u": <number>, "budget": <value>}',
            '{"characteristic": "striker.mass", "value": 1, "value": 2}', "<value>",
            '{"characteristic": "die.face", "value": <value>, "instance": <text>, "confidence": <number>}',
        ),
        "photo": ('{"file": <text>, "sha256": <text>, "width": <number>, "height": <number>}', "<value>"),
        "text": ('"<word>"', '"\\ud800"', '"\\u0000"', '"striker.mass"', '""', "<value>"),
        "value": ("<number>", '"<word>"', "null", "true", "[]", "{}", '{"a": <value>}', "[<value>, <value>]"),
    },
    "toml": {
        **_NUMBER,
        "start": ("<head>\n<tables>", "<tables>", "<head>"),
        "head": (
            'format = 1\nid = "x"\ntitle = "X"\nbody = "X"\nedition = "1"',
            'format = <value>\nid = <value>\nover = "icf-cs"', 'format = 1\nover = "<word>"\nid = "house"',
            'id = "s"\nname = "S"\nkind = "scale"\nresolution = "<number> <unit>"\nserial = <value>',
        ),
        "tables": ("<table>\n", "<table>\n<tables>", ""),
        "table": (
            '[[clauses]]\nid = <value>\ncharacteristic = "<word>"\nmin = "<number> <unit>"\nmax = <value>',
            '[[items]]\nid = <value>\nname = <value>\nclauses = [<value>]', "[<word>]\n<key> = <value>", "<key> = <value>",
            '[[effects]]\nsource = "<word>"\nform = "<word>"\nsize = "<number> <unit>"', "[[<word>]]\n[<word>.<word>]",
            '[[derived]]\nname = "<word>"\nformula = "<word> + <number> * (<word>"',
        ),
        "key": ("id", "format", '"<word>"', "a.b.c", "min", "max", "nominal", "tolerance", "formula"),
        "value": ('"<word>"', '"<number> <unit>"', "<number>", "true", "[<value>, <value>]", "{a = <value>}", "'''x",
                  "2026-13-45", "1979-05-27T07:32:00Z"),
    },
    "qr": {
        **_NUMBER,
        "start": ("<kit>", "<number_>", "<note>", "<request>", "<proof>", "<word> <kit>"),
        "kit": ("KIT2<letters>", "KIT1<letters>", "KIT9<letters>", "kit2<letters>", "KIT2"),
        "letters": ("<letter>", "<letter><letters>", "<letter><letter><letter><letters>"),
        "letter": ("N", "O", "S", "I", "U", "E", "H", "P", "4", "D", "7", "A", "2", "=", "é", " "),
        "number_": ("PCC-2026-000123-J", "PCC-<digits>-<digits>-J", "PCC=ěéěž=ééé+ěš=J", "<word>-<digits>", "PCC-2026-R000012-T"),
        "note": ("inspect-kit/PCC/abc\n<digits>\n<b64>\n\n<line>", "<word>\n<digits>\n<b64>\n\n<line><line>", "\n\n\n"),
        "request": ("old <digits>\n<b64>\n\n<note>", "old <number>\n\n<note>", "old 0\n\n<note>"),
        "proof": ("c2sp.org/tlog-proof@v1\nindex <digits>\n<b64>\n\n<note>",
                  "c2sp.org/tlog-proof@v1\nextra <b64>\nindex <digits>\n<b64>\n\n<note>"),
        "line": ("— <word> <b64>\n", "— name <b64>\n", "<word>\n", "— \n"),
        "b64": ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AAAA", "====", "<word>", "q83vEjRWeJA="),
    },
    "line": {
        **_NUMBER,
        "start": (
            "S S <pad><number> <unit>", "S D <pad><number> <unit>", "ST,+<pad><number>  <unit>", "US,NT,-<number><unit>",
            "+ <pad><number> <unit>", "N  + <pad><number> <unit>", "01A+<number>", "<number> <unit>", "I4 A \"<word>\"",
            "S I", "ES", "S +", "OL", "G/W  +<number> <unit>", "Net <number> <unit>", "<start>\r\n<start>", "<word>",
            "SI ? <number> <unit>", "QT,+<number> PC", "TARE <number> <unit>", "  <number> <unit> ?", "02<start>",
        ),
        "pad": ("", " ", "      ", "0000", "\t"),
    },
    "form": {
        **_NUMBER,
        "start": ("<fields>", "csrf=<word>&<fields>", "<fields>&<fields>", "%%%", "a=%zz&<fields>"),
        "fields": ("<field>", "<field>&<fields>"),
        "field": ("<key>=<word>", "<key>=<number>", "<key>=", "=<word>", "<key>", "<key>=%00", "<key>=%F0%9F%8E%AF"),
        "key": ("name", "pin", "again", "csrf", "back", "event", "q", "role", "text", "owner", "language", "photo"),
    },
}  # fmt: skip
_HOLE = re.compile(r"<(\w+)>")


def written(grammar: Grammar, dice: random.Random, name: str = "start", depth: int = 0) -> str:
    """A text by the grammar."""
    choices = grammar[name]
    if depth > 12:
        choices = tuple(each for each in choices if not _HOLE.search(each)) or ("",)
    text = dice.choice(choices)
    return _HOLE.sub(lambda hole: written(grammar, dice, hole[1], depth + 1) if hole[1] in grammar else hole[0], text)


def mutated(case: bytes, others: list[bytes], dice: random.Random) -> bytes:
    """A case with a part changed, left out, said again, or taken from another one."""
    content = bytearray(case)
    for _ in range(dice.randrange(1, 4)):
        start, end = sorted(dice.randrange(len(content) + 1) for _ in range(2))
        end = min(end, start + dice.choice((1, 2, 8, 64)))
        other = dice.choice(others) if others else b""
        content[start:end] = dice.choice(
            (
                b"", bytes(content[start:end]) * 3, other[start : start + 40], bytes([dice.randrange(256)]),
                dice.choice((b"\x00", b"\xff", b'"', b"\n", b"9" * 40, b"<", b"\xed\xa0\x80", b"\xff\xda", b"\xff\xd8")),
            )
        )  # fmt: skip
    return bytes(content[: 4 * LARGEST])


# The readers


def _file(suffix: str, reader: Callable[[Path], Any]) -> Callable[[bytes], Any]:
    def read(case: bytes) -> Any:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
            path = Path(place) / f"case.{suffix}"
            path.write_bytes(case)
            return reader(path)

    return read


def _toml(path: Path) -> Any:
    from inspect_kit.capture.instruments import read_instrument
    from inspect_kit.rulebook.library import check

    faults = check(path)
    return [len(faults), _refusal(read_instrument, path)]


def _table(path: Path) -> Any:
    """Read, and judged too."""
    from inspect_kit.capture.measurement_file import read_measurements
    from inspect_kit.inspection.walk import inspect

    return inspect(_task(), [read_measurements(path)]).judgement.verdict


@cache
def _task() -> Any:
    from datetime import date

    from inspect_kit.inspection.walk import Task
    from inspect_kit.judgement.rules import RuleName
    from inspect_kit.rulebook.library import load

    sheet = load("icf-2001-it")
    return Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16), ())


def _text(case: bytes) -> Any:
    from inspect_kit.certificate.issue.qr import read
    from inspect_kit.registry.log.notes import checkpoint_of, proof_of, request_of, verifier_of
    from inspect_kit.registry.numbers import number_of

    text = case.decode("utf-8", "surrogateescape")
    readers: tuple[Callable[[str], Any], ...] = (read, number_of, checkpoint_of, request_of, proof_of, verifier_of)
    return [_refusal(reader, text) for reader in readers]


def _line(case: bytes) -> Any:
    from inspect_kit.capture.protocols.table import PROTOCOLS
    from inspect_kit.capture.wedge import typed_by_instrument

    line = case.decode("latin-1")
    said = [str(protocol.parse(line).status) for protocol in PROTOCOLS.values()]
    return [*said, _refusal(typed_by_instrument, line)]


def _image(case: bytes) -> Any:
    from inspect_kit.capture.photographs import open_photograph

    return open_photograph(case, "case").width > 0


@cache
def _station() -> Any:
    from inspect_kit.registry.opening import open_registry
    from inspect_kit.station.station import Station
    from tests.station.conftest import new_client

    home = Path(tempfile.mkdtemp(prefix="kit-fuzz-"))
    return new_client(Station(home, open_registry(home, remembered=False)))


def _form(case: bytes) -> Any:
    """As it is, and with the token that the page would have sent along."""
    client = _station()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/setup").text)
    ours = b"&csrf=" + (token[1].encode() if token else b"")
    bodies = [(path, body) for path in ("/setup", "/sign-in", "/people") for body in (case, case + ours)]
    answers = [client.post(path, content=body, headers=kind, follow_redirects=False) for path, body in bodies]
    statuses = [answer.status_code for answer in answers]
    assert all(status < 500 for status in statuses), statuses
    return statuses


def _refusal(reader: Callable[[Any], Any], case: Any) -> str:
    """What a reader says: nothing, or the code of what is wrong."""
    try:
        reader(case)
    except InspectKitError as problem:
        return problem.told.code[:60]
    return ""


READERS: dict[str, Callable[[bytes], Any]] = {
    "csv": _file("csv", _table), "json": _file("json", _table), "toml": _file("toml", _toml), "qr": _text, "line": _line,
    "form": _form, "image": _image,
}  # fmt: skip


def said(name: str, case: bytes) -> str:
    """What a reader makes of a case; only errors of ours are caught."""
    answers: list[Any] = []
    refused = _refusal(lambda given: answers.append(READERS[name](given)), case)
    return refused or f"good {answers}"


def kept(name: str) -> list[bytes]:
    """The cases that were found worth keeping."""
    return [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]


def keep(name: str, case: bytes) -> None:
    """One more of them."""
    (CORPUS / name).mkdir(parents=True, exist_ok=True)
    (CORPUS / name / hashlib.sha256(case).hexdigest()[:16]).write_bytes(case)


def cases(name: str, dice: random.Random) -> Iterator[bytes]:
    """Cases without end: by the grammar, and out of those that were kept."""
    corpus = kept(name) or [_small_image()]
    while True:
        if name in GRAMMARS and dice.random() < 0.6:
            yield written(GRAMMARS[name], dice).encode("utf-8", "surrogatepass")
        else:
            yield mutated(dice.choice(corpus), corpus, dice)


def _small_image() -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.linear_gradient("L").resize((64, 48)).save(buffer, "JPEG", progressive=True, quality=40)
    return buffer.getvalue()
