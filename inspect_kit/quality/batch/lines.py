"""What a batch writes: JSON lines, a heading first, then one line a photo in the order of the photos."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from inspect_kit.capture.measurement_file import MeasurementFile, measurements_in, with_origin
from inspect_kit.errors import BadInput, UsageError, system_errors_as
from inspect_kit.strict_json import parse_json

FORMAT: Final = 1
"""Version of a batch's file, in its heading."""
NOT_MEASURED: Final = "not measured: "
"""How the reason begins why a photo has no values."""
MAX_LINE: Final = 16_000_000
"""Bytes of one line."""
_KEY: Final = '"batch"'


@dataclass(frozen=True, slots=True)
class Heading:
    """What was done to every photo: the same heading means that results can be taken over."""

    measure: str
    options: Mapping[str, str] = field(default_factory=dict)
    function: str = ""

    def line(self) -> bytes:
        """The first line of the file."""
        return canonical({
            "batch": FORMAT, "measure": self.measure, "options": dict(self.options), "function": self.function,
        })  # fmt: skip


def canonical(data: object) -> bytes:
    """One line of JSON: sorted keys, no white space, so that the same result is the same bytes everywhere."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"


def is_batch(start: str) -> bool:
    """Whether a text begins as a batch's results do."""
    return start.startswith("{" + _KEY + ":")


def begins_as_batch(path: Path) -> bool:
    """Whether a file begins as a batch's results do; what cannot be read is another's matter."""
    try:
        # A pipe can be read once only, and not by us.
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return is_batch(stream.read(20).decode("utf-8", "replace"))
    except (OSError, ValueError):
        return False


def parsed(line: str | bytes, where: str) -> dict[str, Any]:
    """One line as an object; numbers keep their digits."""
    data = parse_json(line, where)
    if not isinstance(data, dict):
        raise BadInput("expected-object", where=where)
    return data


def measured_photos(path: Path) -> Iterator[tuple[str, MeasurementFile | str]]:
    """Every photo with its measurements, or with the sentence why it has none; one line in memory at a time."""
    return ((photo, found) for photo, found, _ in measured_lines(path))


def measured_lines(path: Path) -> Iterator[tuple[str, MeasurementFile | str, bytes]]:
    """The same with each line as it stands."""
    for number, line in enumerate(_lines(path), 1):
        place = f"{path}: line {number}"
        if number == 1 or not line.strip():
            continue
        data = parsed(line, place)
        name = data.get("photo")
        if not isinstance(name, str) or not name:
            raise BadInput("names-no-photo", where=place)
        if "result" in data:
            yield name, with_origin(measurements_in(data["result"], Path(place)), name), line
        else:
            yield name, str(data.get("error", "no result"))[:200], line


def _lines(path: Path) -> Iterator[bytes]:
    with system_errors_as("not-readable", path), path.open("rb") as stream:
        while line := stream.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise BadInput("line-too-large", where=str(path), max_line=MAX_LINE // 1_000_000)
            yield line


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key by which 2 comes before 10, and `tray 9` before `tray 10`."""
    parts = re.findall(r"\d{1,18}|\D+", text.casefold())
    return tuple((0, int(part), "") if part[0].isdecimal() else (1, 0, part) for part in parts)


def tray_names(photos: Iterable[str]) -> dict[str, str]:
    """Each photo by what its pieces are called after: its bare name, or where two have the same, with its folders."""
    bare = {photo: _bare(photo.rpartition("/")[2]) for photo in photos}
    count = Counter(bare.values())
    return {photo: name if count[name] == 1 else _bare(photo) for photo, name in bare.items()}


def _bare(name: str) -> str:
    return name.rpartition(".")[0] or name


def first_line(path: Path, most: int) -> bytes | None:
    """How what is already there begins: nothing if it is no plain file, and `None` if nothing is there."""
    if path.is_dir():
        raise UsageError("is-folder", where=str(path))
    if not path.exists():
        return None
    if not path.is_file():
        return b""
    with path.open("rb") as stream:
        return stream.readline(most)
