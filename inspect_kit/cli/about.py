"""What else a certificate may state: options of `certify`, a TOML file for all of them, the issuer's defaults."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from inspect_kit.capture.files import read_bytes
from inspect_kit.cli.options import FILE, stacked
from inspect_kit.errors import BadInput, nearest
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import About
from inspect_kit.tomlfile import read_toml

if TYPE_CHECKING:
    from inspect_kit.certificate.issue.desk import Statements

DEFAULTS: Final = "about.toml"
"""In the home: what the issuer states on all its certificates."""

ADDRESS: Final = "issuer_address"
_LONGEST: Final = 4000
"""Characters of a remark."""
_MOST_REMARKS: Final = 40
"""Remarks on one certificate."""
_MAX_PICTURE: Final = 30_000_000
"""Bytes of one picture's file."""
_PICTURES: Final = ("picture", "logo")
_TEXTS: Final = {
    "customer": "Who asked for the inspection.",
    "contact": "How to reach them.",
    "environment": "Where it matters: temperature, humidity, light.",
    "function": "What the signatory is: chief referee, head of quality.",
    "traceability": "To which standards the instruments are traceable.",
    "maker": "Who made the item.",
    "serial": "Its serial number.",
    "protest": "To whom and until when a protest may be made.",
}
LOOKUP: Final = "lookup"
TIMESTAMP: Final = "timestamp"
"""In the defaults: the address of the timestamp server that certificates get a timestamp from."""
_KNOWN: Final = (*_TEXTS, "received_on", "remarks", *_PICTURES, ADDRESS, LOOKUP, TIMESTAMP)


about_options = stacked(
    click.option("--about", type=FILE, help="A TOML file with any of what follows."),
    *(click.option(f"--{name}", default="", help=said) for name, said in _TEXTS.items()),
    click.option("--received", "received_on", default="", metavar="DAY", help="When the item came in."),
    click.option("--remark", "remarks", multiple=True, help="A remark, as long as it must be; may be repeated."),
    click.option("--picture", type=FILE, help="A photo of the item, JPEG or PNG."),
    click.option("--logo", type=FILE, help="The issuer's logo, JPEG or PNG."),
)
"""All of them optional."""


def stated_by(given: Mapping[str, Any], home: Path) -> Statements:
    """What was given: the options, over the file that was named, over the issuer's own defaults."""
    from inspect_kit.certificate.issue.desk import Statements

    told = {name: given[name] for name in _KNOWN if given.get(name)}
    told |= {name: str(told[name].resolve()) for name in _PICTURES if name in told}
    files = (_from(home / DEFAULTS, needed=False), _from(given["about"], needed=True))
    found = {**files[0], **files[1], **told}
    remarks = [text for each in (*files, told) for text in _remarks(each.get("remarks", ()))]
    pictures = {name: read_bytes(Path(str(found[name])), _MAX_PICTURE) for name in _PICTURES if name in found}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in pictures.items()}
    texts = {name: clean(str(found[name]), where=name) for name in (*_TEXTS, "received_on") if name in found}
    about = About(**texts, **digests, remarks=tuple(remarks))
    by_digest = {digests[name]: content for name, content in pictures.items()}
    return Statements(about, by_digest, str(found.get(ADDRESS, "")), _address(found.get(LOOKUP, "")))


def timestamp_setting(home: Path) -> str:
    """The timestamp server that the issuer uses; empty for none."""
    return str(_from(home / DEFAULTS, needed=False).get(TIMESTAMP, ""))


def _address(given: object) -> str:
    """The address of a page that a phone may open."""
    address = clean(str(given), where=LOOKUP)
    if address and not (address.isascii() and address.startswith("https://") and " " not in address):
        raise BadInput("not-address-begins-https", where=LOOKUP)
    return address


def _from(path: Path | None, *, needed: bool) -> dict[str, object]:
    if path is None or (not needed and not path.is_file()):
        return {}
    data = read_toml(path)
    for name in data:
        if name not in _KNOWN:
            raise BadInput("nothing-a-certificate-states", where=str(path), hint=nearest(name, _KNOWN), name=name[:40])
    beside: dict[str, object] = {name: str(path.parent / str(data[name])) for name in _PICTURES if name in data}
    return {**data, **beside}


def _remarks(given: object) -> tuple[str, ...]:
    texts = [given] if isinstance(given, str) else list(given) if isinstance(given, list | tuple) else []
    if len(texts) > _MOST_REMARKS:
        raise BadInput("too-many-remarks", where="--remark", count=len(texts), most_remarks=_MOST_REMARKS)
    return tuple(clean(str(text), where="--remark", longest=_LONGEST) for text in texts)
