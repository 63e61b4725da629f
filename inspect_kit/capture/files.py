"""Opening files from strangers: bounded in size, UTF-8, regular, and any trouble said in a sentence."""

from pathlib import Path
from stat import S_ISREG
from typing import Final

from inspect_kit.errors import BadInput, refuse_special_file

PHOTO_ENDINGS: Final = frozenset({".jpg", ".jpeg", ".png", ".heic", ".heif"})
Stamp = tuple[int, int]
"""Size of a file in bytes and its time of change in ns: what tells that it was written to."""
MAX_TEXT_BYTES: Final = 32_000_000
"""Bytes of a text file that is read, unless its reader says otherwise."""
MAX_BYTES: Final = 60_000_000
"""Bytes of a photo, and of any file whose reader does not say otherwise."""


def read_text(path: Path, limit: int = MAX_TEXT_BYTES) -> str:
    """The file as text; an empty, oversized, binary or wrongly encoded one is an error."""
    content = read_bytes(path, limit)
    if b"\0" in content:
        raise BadInput("nul-bytes", where=str(path))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise BadInput("not-utf-8", where=str(path), start=problem.start) from None
    if not text.strip():
        raise BadInput("is-empty", where=str(path))
    return text


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The file's content, at most `limit` bytes of it."""
    try:
        if path.is_dir():
            raise BadInput("is-folder", where=str(path))
        refuse_special_file(path)
        with path.open("rb") as stream:
            content = stream.read(limit + 1)
    except FileNotFoundError:
        raise BadInput("no-such-file", where=str(path)) from None
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise BadInput("not-readable", where=str(path), reason=reason) from None
    if len(content) > limit:
        raise BadInput("too-large-split", where=str(path), limit=limit // 1_000_000)
    return content


def stamp_of(path: Path) -> Stamp | None:
    """By which a file that is still being copied is known; nothing for what is no file, empty, or gone again."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return (found.st_size, found.st_mtime_ns) if S_ISREG(found.st_mode) and found.st_size else None


def sha256_of_file(path: Path) -> str:
    """The digest of a file of any size; empty for what cannot be read."""
    import hashlib

    try:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def sha256(content: bytes) -> str:
    """The digest by which evidence is known."""
    import hashlib

    return hashlib.sha256(content).hexdigest()
