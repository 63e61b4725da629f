"""Recordings of what an instrument sends: written as a hex dump, read as hex dumps, text dumps or plain bytes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from inspect_kit.capture.files import read_bytes
from inspect_kit.capture.line import Framer
from inspect_kit.errors import BadInput

HEAD: Final = "# inspect-kit recording 1"
_LARGEST: Final = 4_000_000
"""Bytes of a recording that is read; a larger file is refused."""
_ROW: Final = 16
"""Bytes a line of a dump."""
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2} ){1,64}|(?:[0-9A-Fa-f]{2} ){0,63}[0-9A-Fa-f]{2}(?= {2,}|$)", re.ASCII)
_DOTS: Final = re.compile(r"\.\.$", re.MULTILINE)


def dump(data: bytes, notes: str = "") -> str:
    """A recording's text: bytes on the left, what they say on the right."""
    rows = (data[start : start + _ROW] for start in range(0, len(data), _ROW))
    lines = [f"{row.hex(' ').upper():<{_ROW * 3}}  {_readable(row)}".rstrip() for row in rows]
    note = [f"# {line}" for line in notes.splitlines()]
    return "\n".join((HEAD, *note, *lines, ""))


def _readable(row: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte <= 0x7E else "." for byte in row)


def read_recording(path: Path) -> bytes:
    """The bytes of a recording, whichever way its owner took it."""
    content = read_bytes(path, _LARGEST)
    if not content.strip():
        raise BadInput("recording-empty", where=str(path))
    text = content.decode("latin-1")
    rows = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    heads = [_HEX.match(row + " ") for row in rows]
    if rows and all(head is not None for head in heads):
        return b"".join(bytes.fromhex(head.group()) for head in heads if head)
    # A terminal's text shows the two bytes of a line end as two points.
    plain = _DOTS.sub("", text) if all(row.endswith("..") for row in rows) else text
    return plain.encode("latin-1").replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def whole_lines(data: bytes) -> tuple[str, ...]:
    """The clean lines, without the first one, which may have been joined in the middle."""
    framer = Framer()
    framer.skip_line()
    return tuple(frame.text for frame in framer.feed(data) if frame.clean)
