"""Power cuts by a recorded trace: what an act wrote and flushed, and every disk that a cut could have left of it.

strace records the calls that change files below a folder. They are played again onto a model of a disk, on which a
write lasts only once its file was flushed (fsync), and a name only once its folder was. A cut after any call leaves
what lasted; besides that, any part of the rest may have reached the disk too.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = (
    "openat,write,writev,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,lseek,close"
)
_LINE = re.compile(r"^(?:\d+\s+)?(\w+)\((.*)\)\s+= (-?\d+)(?:<(.*?)>)?")
_FILE = re.compile(r"^(\d+)<([^>]*)>")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass
class File:
    """A file's content as programs see it, and what would be left of it."""

    now: bytearray = field(default_factory=bytearray)
    lasting: bytes = b""
    loose: list[tuple[int, bytes]] = field(default_factory=list)
    """Writes since the last flush, at their places; a negative place cuts the file to that many bytes."""

    def write(self, place: int, content: bytes) -> None:
        self.loose.append((place, content))
        _put(self.now, place, content)

    def cut(self, size: int) -> None:
        self.loose.append((-1 - size, b""))
        _put(self.now, -1 - size, b"")

    def flush(self) -> None:
        self.lasting, self.loose = bytes(self.now), []

    def left(self, chance: random.Random | None) -> bytes:
        """What a cut leaves: what lasted, and of the rest each write or not."""
        content = bytearray(self.lasting)
        for place, part in self.loose:
            if chance and chance.random() < 0.5:
                _put(content, place, part)
        return bytes(content)


def _put(content: bytearray, place: int, part: bytes) -> None:
    if place < 0:
        size = -1 - place
        del content[size:]
        content.extend(bytes(size - len(content)))
        return
    content.extend(bytes(max(0, place - len(content))))
    content[place : place + len(part)] = part


@dataclass
class Disk:
    """Names and files below a folder: as programs see them, and as they would be after a cut."""

    root: Path
    now: dict[str, File] = field(default_factory=dict)
    lasting: dict[str, File] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    places: dict[str, int] = field(default_factory=dict)
    """Where the next plain write of an open file goes."""

    @classmethod
    def of(cls, root: Path) -> Disk:
        """A disk on which everything lasts."""
        disk = cls(root)
        for path in root.rglob("*"):
            if path.is_dir():
                disk.folders.add(str(path))
            else:
                disk.now[str(path)] = File(bytearray(path.read_bytes()), path.read_bytes())
        disk.lasting = dict(disk.now)
        return disk

    def flush_folder(self, folder: str) -> None:
        """The names in a folder last as they are now."""
        names = {name for name in (*self.now, *self.lasting) if str(Path(name).parent) == folder}
        for name in names:
            if name in self.now:
                self.lasting[name] = self.now[name]
            else:
                self.lasting.pop(name, None)

    def left_in(self, place: Path, chance: random.Random | None) -> None:
        """Write what a cut now would leave to another folder. Folders themselves are taken to last."""
        for folder in self.folders:
            (place / Path(folder).relative_to(self.root)).mkdir(parents=True, exist_ok=True)
        for name in {**self.lasting, **(self.now if chance else {})}:
            file = self.lasting.get(name)
            if chance and chance.random() < 0.5:
                file = self.now.get(name)
            if file is not None:
                path = place / Path(name).relative_to(self.root)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.left(chance))
                path.chmod(0o600)


def played(trace: Path, disk: Disk) -> Iterator[str]:
    """Carry out the calls of a trace on the disk, one after the other; gives each that changed something."""
    for line in trace.read_text(errors="replace").splitlines():
        found = _LINE.match(line)
        if found and int(found[3]) >= 0 and _carry_out(disk, found):
            yield found[1]


def _names(arguments: str) -> list[str]:
    return [bytes.fromhex(text.replace("\\x", "")).decode(errors="replace") for text in _TEXT.findall(arguments)]


def _spelt_out(path: str) -> str:
    """A path, which strace writes in hexadecimal too."""
    plain = bytes.fromhex(path.replace("\\x", "")).decode(errors="replace") if path.startswith("\\x") else path
    return plain.removesuffix(" (deleted)")


def _carry_out(disk: Disk, call: re.Match[str]) -> bool:
    name, arguments, result, opened = call[1], call[2], int(call[3]), call[4]
    handle = _FILE.match(arguments)
    path = _spelt_out(handle[2]) if handle else ""
    if name == "openat":
        return _open(disk, arguments, _spelt_out(opened or ""))
    if name in ("rename", "renameat", "renameat2"):
        source, target = _names(arguments)[:2]
        return _rename(disk, source, target)
    if name in ("unlink", "unlinkat"):
        return disk.now.pop(_names(arguments)[0], None) is not None
    if name == "mkdir":
        return _made(disk, _names(arguments)[0])
    if name in ("fsync", "fdatasync") and path in disk.folders | {str(disk.root)}:
        disk.flush_folder(path)
        return True
    return _on_file(disk, (name, path, arguments), result)


def _open(disk: Disk, arguments: str, opened: str) -> bool:
    if not opened.startswith(f"{disk.root}/") or opened in disk.folders:
        return False
    disk.places[opened] = 0
    fresh = opened not in disk.now
    if fresh and "O_CREAT" in arguments:
        disk.now[opened] = File()
    elif "O_TRUNC" in arguments and opened in disk.now:
        disk.now[opened].cut(0)
    if "O_APPEND" in arguments and opened in disk.now:
        disk.places[opened] = len(disk.now[opened].now)
    return fresh


def _rename(disk: Disk, source: str, target: str) -> bool:
    if source not in disk.now:
        return False
    disk.now[target] = disk.now.pop(source)
    return True


def _made(disk: Disk, folder: str) -> bool:
    if folder.startswith(f"{disk.root}/"):
        disk.folders.add(folder)
    return False


def _on_file(disk: Disk, call: tuple[str, str, str], result: int) -> bool:
    name, path, arguments = call
    file = disk.now.get(path)
    if file is None:
        return False
    if name == "lseek":
        disk.places[path] = result
    elif name == "write":
        place = disk.places.get(path, 0)
        file.write(place, _content(arguments)[:result])
        disk.places[path] = place + result
    elif name == "pwrite64":
        file.write(int(arguments.rsplit(",", 1)[1]), _content(arguments)[:result])
    elif name == "ftruncate":
        file.cut(int(arguments.rsplit(",", 1)[1]))
    elif name in ("fsync", "fdatasync"):
        file.flush()
    return name not in ("lseek", "close")


def _content(arguments: str) -> bytes:
    (text,) = _TEXT.findall(arguments)
    return bytes.fromhex(text.replace("\\x", ""))


def cuts(trace: Path, start: Path, place: Path, every: int = 1) -> Iterator[tuple[int, Path]]:
    """A folder for each cut: with only what lasted, and with a part of the rest by chance. It is gone with the next."""
    disk = Disk.of(start)
    chance = random.Random(16)
    for number, _ in enumerate(played(trace, disk)):
        if number % every:
            continue
        for luck in (None, chance):
            shutil.rmtree(place, ignore_errors=True)
            disk.left_in(place, luck)
            yield number, place
    # The last cut comes when everything was done and said.
    shutil.rmtree(place, ignore_errors=True)
    disk.left_in(place, None)
    yield -1, place
