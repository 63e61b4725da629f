"""Opening files from strangers: bounded in size, UTF-8, regular, and any trouble said in a sentence."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from inspect_kit.errors import BadInput, refuse_special_file

MAX_TEXT_BYTES: Final = 32_000_000


def read_text(path: Path, limit: int = MAX_TEXT_BYTES) -> str:
    """The file as text; an empty, oversized, binary or wrongly encoded one is an error."""
    content = read_bytes(path, limit)
    if b"\0" in content:
        raise BadInput("has NUL bytes, so it is not a text file", where=str(path), hint="export it as CSV or JSON")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise BadInput(
            f"is not UTF-8 (byte {problem.start})", where=str(path), hint="in a spreadsheet choose CSV UTF-8"
        ) from None
    if not text.strip():
        raise BadInput("is empty", where=str(path))
    return text


def read_bytes(path: Path, limit: int) -> bytes:
    """The file's content, at most `limit` bytes of it."""
    try:
        if path.is_dir():
            raise BadInput("is a folder", where=str(path), hint="name a file in it")
        refuse_special_file(path)
        with path.open("rb") as stream:
            content = stream.read(limit + 1)
    except FileNotFoundError:
        raise BadInput("no such file", where=str(path)) from None
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise BadInput(f"cannot be read: {reason}", where=str(path)) from None
    if len(content) > limit:
        raise BadInput(f"is larger than {limit // 1_000_000} MB", where=str(path), hint="split it into several files")
    return content


def sha256(content: bytes) -> str:
    """The digest by which evidence is known."""
    return hashlib.sha256(content).hexdigest()
