"""Files that outlive a power cut: written beside, flushed to the disk, and only then given their name."""

import os
from collections.abc import Iterable
from pathlib import Path

from inspect_kit.errors import BadInput, system_errors_as


def written_beside(path: Path, content: bytes | Iterable[bytes]) -> Path:
    """The content on disk for good, in a hidden file beside `path`; nothing is left where that fails."""
    from tempfile import mkstemp

    handle, name = mkstemp(dir=path.parent, prefix=f".{path.name[:60]}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines((content,) if isinstance(content, bytes) else content)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def flush_file(path: Path) -> None:
    """Make the content of a file last that somebody else has written."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Make a new name itself last; not every system lets a folder be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def apply_umask(path: Path) -> None:
    """Readable as any file that the user makes: hidden ones are made for their owner alone."""
    current = os.umask(0)
    os.umask(current)
    path.chmod(0o666 & ~current)


def write_whole(path: Path, content: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Write a file so that there is either the old one or the whole new one, also after a power cut.

    What comes in parts is written as it comes; what is `private` only its owner can read, at any moment.
    """
    if path.is_dir():
        raise BadInput("is-folder", where=str(path))
    if path.exists() and not path.is_file():
        # Renaming over a device or a pipe would put a file in its place, for everybody on the machine.
        raise BadInput("device-or-pipe", where=str(path))
    if "\0" in str(path):
        raise BadInput("cannot-written-no-file-such", where=str(path))
    with system_errors_as("not-written", path):
        part = written_beside(path, content)
        try:
            if not private:
                apply_umask(part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    sync_folder(path.parent)
