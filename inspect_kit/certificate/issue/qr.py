"""The text in the QR code: what a certificate says in a few words, signed, so that it can be checked without a network.

`KIT` and digits and letters that every keyboard layout leaves in place (thirty of them, a number in base 30), which
also is what a QR code packs best. Inside: number, subject, item, verdict, days, sheet, the start of the record's
digest, and an Ed25519 signature. Long texts are cut; the registry and the PDF have them whole.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from inspect_kit.errors import BadInput
from inspect_kit.registry.numbers import DIGIT_ROWS, LETTERS, Number

PREFIX: Final = "KIT"
ALPHABET: Final = "0123456789BCDEFGHIJKLNOPRSTUVX"
DIGEST_BYTES: Final = 6
"""First bytes of the record's digest that the code carries."""
_VERSION: Final = 1
"""First byte of what is signed: the order of what follows."""
_DOMAIN: Final = b"inspect-kit qr 1\x00"
_SIGNATURE: Final = 64
"""Bytes of an Ed25519 signature, the last ones of the code."""
_VERDICTS: Final = ("conforms", "fails", "undecided")
_EPOCH: Final = date(2000, 1, 1)
"""Day 0 of the days in the code."""
LAST_DAY: Final = date(2179, 6, 6)
"""The last day that two bytes can count to from 2000-01-01."""
_LONGEST_TEXT: Final = 700
"""Characters of the signed text; a longer one is not tried."""
_LONGEST_SCAN: Final = 2000
"""Characters, with the words before the signed text."""
_SHORTEST: Final = 100
"""Characters: a signature alone takes more, spelled in this alphabet."""
_ROOM: Final = {"sheet": 24, "item": 16, "subject": 40, "event": 24}
"""Bytes that each text may take."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a QR text says. `digest` is the start of the record's; `event` is set if it holds for that event only."""

    number: str
    verdict: str
    issued_on: str
    valid_until: str
    sheet: str
    item: str
    subject: str
    event: str
    digest: str


@dataclass(frozen=True, slots=True)
class SignedClaim:
    """A claim with the signature under it, not yet checked."""

    claim: Claim
    signer: str
    message: bytes
    signature: bytes


def compose(number: Number, claim: Claim, signer: str, sign: Callable[[bytes], bytes]) -> str:
    """The text for the QR code."""
    head = bytes((_VERSION,)) + bytes.fromhex(signer) + bytes((_VERDICTS.index(claim.verdict), number.report))
    place = _packed(number.issuer.encode()) + bytes((number.year - 2000,)) + number.serial.to_bytes(4)
    days = _day_number(claim.issued_on).to_bytes(2) + _day_number(claim.valid_until).to_bytes(2)
    texts = b"".join(_packed(_cut(getattr(claim, name), room)) for name, room in _ROOM.items())
    payload = head + place + days + bytes.fromhex(claim.digest)[:DIGEST_BYTES] + texts
    return PREFIX + _spelled(payload + sign(_DOMAIN + payload))


def looks_like_qr(text: str) -> bool:
    """Whether somebody has scanned a certificate, and not named a file."""
    return len(text) <= _LONGEST_SCAN and len(signed_part(text)) > _SHORTEST


def signed_part(text: str) -> str:
    """The signed text, without the words before it that a phone shows."""
    whole = text.strip()
    place = whole.upper().rfind(f" {PREFIX}") + 1
    part = whole[place:]
    return part if part.upper().startswith(PREFIX) else ""


def words_before(text: str) -> str:
    """What a phone shows before the signed text."""
    return text.strip().removesuffix(signed_part(text)).strip()


def read(text: str) -> SignedClaim:
    """What a scanned text says; also if a scanner has typed it through another keyboard layout."""
    text = (signed_part(text) or text) if len(text) <= _LONGEST_SCAN else text
    if len(text) <= _LONGEST_TEXT:
        for row in DIGIT_ROWS:
            content = _unspelled(_through(text, row))
            signed = content and _unpacked(content)
            if signed:
                return signed
    raise BadInput("not-qr-text", where=f"{text[:20]}…")


def _through(text: str, row: str) -> str:
    moved = {ord(sign): digit for sign, digit in zip(row, "0123456789", strict=True)}
    plain = unicodedata.normalize("NFC", "".join(text.split())).lower()
    return plain.translate(moved).upper()


def _spelled(content: bytes) -> str:
    value, signs = int.from_bytes(content), ""
    while value:
        value, rest = divmod(value, len(ALPHABET))
        signs = ALPHABET[rest] + signs
    return signs


def _unspelled(text: str) -> bytes:
    if not text.startswith(PREFIX) or any(sign not in ALPHABET for sign in text):
        return b""
    value = 0
    for sign in text.removeprefix(PREFIX):
        value = value * len(ALPHABET) + ALPHABET.index(sign)
    content = value.to_bytes((value.bit_length() + 7) // 8)
    # One spelling only: leading zeros would make a second text of the same content.
    return content if PREFIX + _spelled(content) == text else b""


def _packed(content: bytes) -> bytes:
    return bytes((len(content),)) + content


def _cut(text: str, room: int) -> bytes:
    """As much of a text as fits, ending in an ellipsis if that is not all."""
    content = text.encode()
    if len(content) <= room:
        return content
    return content[: room - 3].decode(errors="ignore").encode() + "…".encode()


def shortened(name: str, text: str) -> str:
    """A text as the QR code carries it, to compare with."""
    return _cut(text, _ROOM[name]).decode()


def _day_number(day: str) -> int:
    return (date.fromisoformat(day) - _EPOCH).days if day else 0


def _day(number: int) -> str:
    return (_EPOCH + timedelta(days=number)).isoformat() if number else ""


class _Reader:
    """Takes a payload apart from the front."""

    def __init__(self, content: bytes) -> None:
        self.rest = content

    def take(self, count: int) -> bytes:
        if len(self.rest) < count:
            raise ValueError("too short")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def integer(self, count: int = 1) -> int:
        return int.from_bytes(self.take(count))

    def text(self) -> str:
        return self.take(self.integer()).decode()


def _unpacked(content: bytes) -> SignedClaim | None:
    payload, signature = content[:-_SIGNATURE], content[-_SIGNATURE:]
    try:
        signer, claim = _claim(_Reader(payload))
    except (ValueError, IndexError, OverflowError):
        return None
    return SignedClaim(claim, signer, _DOMAIN + payload, signature)


def _claim(reader: _Reader) -> tuple[str, Claim]:
    if reader.integer() != _VERSION:
        raise ValueError("another version")
    signer = reader.take(3).hex().upper()
    verdict, report = _VERDICTS[reader.integer()], reader.integer()
    code = reader.text()
    if report > 1 or not 2 <= len(code) <= 6 or any(letter not in LETTERS for letter in code):
        raise ValueError("no number")
    number = Number(code, 2000 + reader.integer(), reader.integer(4), report=bool(report))
    issued_on, valid_until = _day(reader.integer(2)), _day(reader.integer(2))
    digest = reader.take(DIGEST_BYTES).hex()
    sheet, item, subject, event = (reader.text() for _ in _ROOM)
    if reader.rest:
        raise ValueError("too long")
    return signer, Claim(str(number), verdict, issued_on, valid_until, sheet, item, subject, event, digest)
