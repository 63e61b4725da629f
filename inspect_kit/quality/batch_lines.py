"""What a batch writes: JSON lines, a heading first, then one line a photo in the order of the photos."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import PurePath
from typing import Any, Final

from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.errors import BadInput
from inspect_kit.values.measurement import Reading

FORMAT: Final = 1
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
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


def parsed(line: str | bytes, where: str) -> dict[str, Any]:
    """One line as an object; numbers keep their digits."""
    try:
        data = json.loads(line, parse_float=Decimal)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"is not JSON: {str(problem)[:60]}", where=where) from None
    if not isinstance(data, dict):
        raise BadInput("expected an object", where=where)
    return data


def measured_photos(text: str, where: str) -> Iterator[tuple[str, MeasurementFile | str]]:
    """Every photo with its measurements, or with the sentence why it has none."""
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{where}: line {number}"
        if number == 1 or not line.strip():
            continue
        data = parsed(line, place)
        name = data.get("photo")
        if not isinstance(name, str) or not name:
            raise BadInput("names no photo", where=place)
        result = data.get("result")
        yield name, _measured(result, place) if isinstance(result, dict) else str(data.get("error", "no result"))[:200]


def _measured(result: Mapping[str, Any], place: str) -> MeasurementFile:
    entries = result.get("measurements", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadInput("expected a list of measurements", where=place)
    readings = tuple(_reading(entry, f"{place}: measurements[{number}]") for number, entry in enumerate(entries))
    photos = tuple(_photo(entry, place) for entry in result.get("photos", []))
    return MeasurementFile(readings, photos, tuple(str(text)[:400] for text in result.get("warnings", [])))


def _reading(entry: Mapping[str, Any], place: str) -> Reading:
    cells = {key: entry.get(key, "") for key in ("characteristic", "value", "instance", "unit", "u")}
    for key, cell in cells.items():
        if isinstance(cell, bool) or not isinstance(cell, str | int | Decimal):
            raise BadInput(f"{key}: expected text or a number, got {cell!r:.40}", where=place)
    texts = {key: f"{cell:f}" if isinstance(cell, Decimal) else str(cell) for key, cell in cells.items()}
    if not texts["characteristic"] or not texts["value"]:
        raise BadInput("has no characteristic or no value", where=place)
    return Reading(texts["characteristic"], texts["value"], texts["instance"], texts["unit"], texts["u"], where=place)


def _photo(entry: object, place: str) -> Photo:
    match entry:
        case {"file": str(file), "sha256": str(digest)} if _SHA256.fullmatch(digest):
            return Photo(PurePath(file).name[:200], digest)
    raise BadInput("photos: expected a file and its SHA-256", where=place)
