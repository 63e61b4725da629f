"""Measurement files, CSV and JSON, as users write and script them, turned into readings."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypedDict

from inspect_kit.capture.spreadsheet import read_table_text
from inspect_kit.errors import BadInput, Notice, nearest, notice, sentences
from inspect_kit.stored_notices import notices_in
from inspect_kit.strict_json import MAX_POWER, parse_json
from inspect_kit.values.measurement import Reading, StatedPart
from inspect_kit.values.words import plain_word

COLUMNS: Final = ("characteristic", "instance", "value", "unit", "u", "instrument")
DECISIONS: Final = ("accept", "reject")
FURTHER: Final = ("decision", "by", "because", "confirmed", "note")
"""Columns for what a person decided, confirmed or remarked."""
FORMAT: Final = 1
"""Version of the JSON file; another one is refused."""
GAUGE_STATED: Final = "gauge-values-stated"
"""The remark that values given as sent by a gauge are as whoever wrote the file states them."""
MAX_ROWS: Final = 1_000_000
"""Rows of a table, or entries of a list in JSON, that are read."""
MAX_CELL: Final = 2_000
"""Characters of one cell, value or warning."""
MAX_OUTLINE: Final = 400
"""Points of the outline of a piece in its photo."""
MOST_PIXELS: Final = 100_000
"""Pixels: farthest place of a point from the photo's corner, and longest side of a photo that a file may state."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*")
_NUMBER: Final = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Photo:
    """A photograph that measurements were taken from: its name, its digest, and where it was said to lie."""

    file: str
    sha256: str
    width: int = 0
    height: int = 0
    folder: Path = field(default_factory=Path)


@dataclass(frozen=True, slots=True)
class MeasurementFile:
    """What one file holds."""

    readings: tuple[Reading, ...]
    photos: tuple[Photo, ...] = ()
    warnings: tuple[str, ...] = ()
    """Sentences in English."""
    notices: tuple[Notice, ...] = ()
    """Those of them that can be said in other languages too."""
    measured: bool = False
    """Whether it is, unchanged, what was measured in the photos or entered by a guided inspection."""

    @property
    def measurements(self) -> tuple[Reading, ...]:
        """The values with a number, as under that name in JSON."""
        return tuple(each for each in self.readings if not _is_observation(each))

    @property
    def observations(self) -> tuple[Reading, ...]:
        """What was seen, without a number, as under that name in JSON."""
        return tuple(each for each in self.readings if _is_observation(each))


def read_measurements(path: Path) -> MeasurementFile:
    """Read a CSV, JSON, .xlsx or .ods file; which it is is told by the content, not by the name."""
    text = read_table_text(path)
    if text.lstrip().startswith(("{", "[")):
        return with_origin(measurements_in(parse_json(text, str(path)), path), path.name)
    return _read_csv(text, path)


def with_origin(file: MeasurementFile, name: str) -> MeasurementFile:
    """The file with the remark, where it holds values of photos or gauges, that they are as stated."""
    stated = {"photo-values-stated": any(reading.from_photo for reading in file.readings),
              GAUGE_STATED: any(reading.time for reading in file.readings)}  # fmt: skip
    told = tuple(notice(code, file=name[:80]) for code, so in stated.items() if so and not file.measured)
    return replace(file, warnings=(*file.warnings, *sentences(told)), notices=(*file.notices, *told))


def _read_csv(text: str, path: Path) -> MeasurementFile:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        columns, told = _header(next(lines), str(path))
        readings = tuple(_rows(lines, columns, str(path)))
    except csv.Error:
        raise BadInput("not-csv", where=f"{path}: line {lines.line_num}") from None
    if not readings:
        raise BadInput("header-no-measurement", where=str(path))
    return MeasurementFile(readings, warnings=sentences(told), notices=told)


def measurements_from(rows: Iterable[Mapping[str, str]], where: str) -> MeasurementFile:
    """Rows by their column names, as a CSV file would have them; what a row leaves out is empty."""
    table = list(rows)
    columns, told = _header(list(dict.fromkeys(name for row in table for name in row)), where)
    names = dict.fromkeys(columns, "")
    filled = ([{**names, **{key.strip().lower(): cell for key, cell in row.items()}}[name] for name in columns]
              for row in table)  # fmt: skip
    readings = tuple(_rows(filled, columns, where))
    if not readings:
        raise BadInput("no-measurement-in-it", where=where)
    return MeasurementFile(readings, warnings=sentences(told), notices=told)


def _delimiter(text: str) -> str:
    """Spreadsheets write `;` where the comma is the decimal sign."""
    header = text.lstrip().splitlines()[0]
    return max(",;\t", key=header.count)


def _header(cells: list[str], where: str) -> tuple[list[str], tuple[Notice, ...]]:
    names = [cell.strip().lower() for cell in cells]
    for wanted in ("characteristic", "value"):
        if wanted not in names:
            raise BadInput("header-no-column", where=f"{where}: line 1", wanted=wanted, columns=",".join(COLUMNS))
    if len(set(names)) < len(names):
        raise BadInput("column-stands-twice-header", where=f"{where}: line 1")
    return names, tuple(_unknown_columns(names, where))


def _unknown_columns(names: list[str], where: str) -> Iterator[Notice]:
    for name in names:
        if name in COLUMNS or name in FURTHER:
            continue
        meant = nearest(name, (*COLUMNS, *FURTHER))
        if meant:
            raise BadInput("unknown-column", where=f"{where}: line 1", hint=meant, name=name[:40])
        yield notice("column-unused", where, name=name[:40])


def _rows(lines: Iterator[list[str]], columns: list[str], where: str) -> Iterator[Reading]:
    for count, cells in enumerate(lines, 2):
        if count > MAX_ROWS:
            raise BadInput("more-than-rows", where=where, max_rows=f"{MAX_ROWS:,}")
        if not any(cell.strip() for cell in cells):
            continue
        place = f"{where}: line {count}"
        if len(cells) > len(columns):
            hint = notice("comma-in-quotes") if columns else ""
            raise BadInput("cells-unlike-header", where=place, hint=hint, count=len(cells), count2=len(columns))
        row = {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}
        reading = _row(row, place)
        if reading.value or reading.decision:
            yield reading


def _row(row: Mapping[str, str], place: str) -> Reading:
    for name, cell in row.items():
        if len(cell) > MAX_CELL:
            raise BadInput("cell-too-long", where=place, name=name[:20], count=f"{len(cell):,}")
    return Reading(
        characteristic=_characteristic(row.get("characteristic", ""), place),
        value=plain_word(row.get("value", "")),
        instance=row.get("instance", ""),
        unit=row.get("unit", ""),
        standard=row.get("u", ""),
        instrument=row.get("instrument", ""),
        where=place,
        **_persons_word({name: row.get(name, "") for name in FURTHER}, place),
    )


class _PersonsWord(TypedDict):
    decision: str
    by: str
    because: str
    confirmed: bool
    note: str


def _persons_word(stated: Mapping[str, str], place: str) -> _PersonsWord:
    """A decision with who and why, a confirmation, a remark; half a decision is refused."""
    decision, by, because = stated["decision"].lower(), stated["by"], stated["because"]
    if decision and decision not in DECISIONS:
        facts = {"decisions": " or ".join(DECISIONS), "decision": decision[:40]}
        raise BadInput("decision-unknown", where=place, hint=nearest(decision, DECISIONS), **facts)
    if decision and not (by and because):
        lacking = "who decided (by)" if not by else "why (because)"
        raise BadInput("decision-does-not-say", where=place, lacking=lacking)
    confirmed = plain_word(stated["confirmed"]).lower()
    if confirmed not in ("", "yes", "no"):
        raise BadInput("confirmed-unclear", where=place, confirmed=confirmed[:40])
    return _PersonsWord(decision=decision, by=by, because=because, confirmed=confirmed == "yes", note=stated["note"])


def _characteristic(name: str, place: str) -> str:
    if not _NAME.fullmatch(name):
        raise BadInput("not-characteristic" if name else "characteristic-empty", where=place, name=name[:40])
    return name


def measurements_in(data: object, path: Path) -> MeasurementFile:
    """What `measure --json` prints, already parsed with decimals for its numbers."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadInput("expected-measurement-file", where=str(path))
    readings = (
        *(_json_reading(entry, place, _MEASURED) for entry, place in _entries(data, "measurements", path)),
        *(_json_reading(entry, place, _OBSERVED) for entry, place in _entries(data, "observations", path)),
    )
    photos = tuple(_json_photo(entry, place, path.parent) for entry, place in _entries(data, "photos", path))
    if data.get("overlay") is not None:
        ((drawn, place),) = _entries({"overlay": [data["overlay"]]}, "overlay", path)
        photos += (_json_photo(drawn, place, path.parent),)
    warnings = data.get("warnings", [])
    if not isinstance(warnings, list):
        raise BadInput("expected-list", where=f"{path}: warnings")
    if not readings:
        raise BadInput("file-without-measurement", where=str(path))
    _refuse_unlisted_photos(readings, photos)
    said = tuple(str(warning)[:MAX_CELL] for warning in warnings)
    told = notices_in(data.get("notices", []), f"{path}: notices")
    return MeasurementFile(readings, photos, said, told, measured=data.get("mark") == _mark(data))


def _refuse_unlisted_photos(readings: Iterable[Reading], photos: Iterable[Photo]) -> None:
    """A value that was seen in a photo is as good as that photo, which is told by its digest."""
    listed = {photo.file for photo in photos}
    for reading in readings:
        if reading.photo and _file_name(reading.photo) not in listed:
            raise BadInput("photo-not-in-file", where=reading.where, photo=reading.photo[:60])


def _file_name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1][:200]


def _entries(data: Mapping[str, object], key: str, path: Path) -> Iterator[tuple[dict[str, object], str]]:
    entries = data.get(key, [])
    if not isinstance(entries, list) or len(entries) > MAX_ROWS:
        raise BadInput("expected-list-most-entries", where=f"{path}: {key}", max_rows=f"{MAX_ROWS:,}")
    for number, entry in enumerate(entries):
        place = f"{path}: {key}[{number}]"
        if not isinstance(entry, dict):
            raise BadInput("expected-object", where=place)
        yield entry, place


def _text(entry: Mapping[str, object], key: str, place: str, *, needed: bool = False) -> str:
    """A string or number as text; what was a number keeps its digits."""
    value = entry.get(key)
    if value is None and not needed:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise BadInput("is-missing" if value is None else "expected-text-or-number", where=f"{place}.{key}",
                       value=f"{value!r:.40}")  # fmt: skip
    if isinstance(value, Decimal) and (not value.is_finite() or abs(value.adjusted()) > MAX_POWER):
        # Written out, 1e999999999 would fill the memory.
        raise BadInput("not-number-can-measured", where=f"{place}.{key}", value=f"{value!s:.40}")
    text = f"{value:f}" if isinstance(value, Decimal) else str(value)
    if len(text) > MAX_CELL:
        raise BadInput("too-many-characters", where=f"{place}.{key}", count=f"{len(text):,}")
    return text


_MEASURED: Final = {"unit": "unit", "standard": "u", "instrument": "instrument", "raw": "raw", "time": "time",
                    "serial": "serial"}  # fmt: skip
_OBSERVED: Final = {"confidence": "confidence"}
"""Texts of a reading, and under which key each kind of entry has them."""


def _json_reading(entry: Mapping[str, object], place: str, keys: Mapping[str, str]) -> Reading:
    observed = keys is _OBSERVED
    value = _text(entry, "value", place, needed="decision" not in entry)
    texts: dict[str, Any] = {name: _text(entry, key, place) for name, key in keys.items()}
    return Reading(
        characteristic=_characteristic(_text(entry, "characteristic", place, needed=True), place),
        value=plain_word(value) if observed else value,
        instance=_text(entry, "instance", place),
        where=place,
        pixel=_pixel(entry.get("pixel"), f"{place}.pixel"),
        photo=_text(entry, "photo", place),
        outline=tuple(_outline(entry, place)),
        region=_region(entry.get("region"), f"{place}.region") if observed else None,
        budget=() if observed else tuple(_budget(entry, place)),
        **texts,
        **_json_persons_word(entry, place),
    )


def _json_persons_word(entry: Mapping[str, object], place: str) -> _PersonsWord:
    flag = entry.get("confirmed")
    confirmed = ("yes" if flag else "no") if isinstance(flag, bool) else _text(entry, "confirmed", place)
    stated = {name: _text(entry, name, place) for name in FURTHER if name != "confirmed"}
    return _persons_word({**stated, "confirmed": confirmed}, place)


def _budget(entry: Mapping[str, object], place: str) -> Iterator[StatedPart]:
    parts = entry.get("budget") or []
    if not isinstance(parts, list) or len(parts) > 100 or not all(isinstance(part, dict) for part in parts):
        raise BadInput("expected-budget", where=f"{place}.budget")
    for number, part in enumerate(parts):
        inner = f"{place}.budget[{number}]"
        source, standard = (_text(part, key, inner, needed=True) for key in ("source", "u"))
        yield StatedPart(source, standard, _text(part, "shared", inner))


def _outline(entry: Mapping[str, object], place: str) -> Iterator[tuple[float, float]]:
    points = entry.get("outline") or []
    if not isinstance(points, list) or len(points) > MAX_OUTLINE:
        raise BadInput("expected-list-most-points", where=f"{place}.outline", max_outline=MAX_OUTLINE)
    found = (_pixel(point, f"{place}.outline[{number}]") for number, point in enumerate(points))
    yield from (each for each in found if each is not None)


def _pixel(value: object, place: str) -> tuple[float, float] | None:
    match value:
        case None:
            return None
        case [int() | Decimal() as across, int() | Decimal() as down]:
            if max(abs(Decimal(across)), abs(Decimal(down))) > MOST_PIXELS:
                raise BadInput("lies-farther-away-than-pixels", where=place, most_pixels=f"{MOST_PIXELS:,}")
            return float(across), float(down)
    raise BadInput("expected-point", where=place)


def _region(value: object, place: str) -> tuple[float, float, float, float] | None:
    match value:
        case None:
            return None
        case [left, top, wide, high]:
            corner, size = _pixel([left, top], place), _pixel([wide, high], place)
            assert corner is not None
            assert size is not None
            return (*corner, *size)
    raise BadInput("expected-box", where=place)


def _json_photo(entry: Mapping[str, object], place: str, folder: Path) -> Photo:
    digest = _text(entry, "sha256", place, needed=True)
    if not _SHA256.fullmatch(digest):
        raise BadInput("expected-64-hexadecimal-digits", where=f"{place}.sha256")
    name = _text(entry, "file", place, needed=True)
    size = [entry.get(key, 0) for key in ("width", "height")]
    if not all(isinstance(side, int) and 0 <= side <= MOST_PIXELS for side in size):
        raise BadInput("expected-whole-numbers-pixels", where=f"{place}.width")
    width, height = (side for side in size if isinstance(side, int))
    return Photo(_file_name(name), digest, width, height, folder)


# The same file written: by whoever measures, and in one form only.


def as_json(file: MeasurementFile) -> dict[str, object]:
    """The file as `measure --json` prints it."""
    data: dict[str, object] = {
        "format": FORMAT,
        "photos": [
            {"file": photo.file, "sha256": photo.sha256, "width": photo.width, "height": photo.height}
            for photo in file.photos
        ],
        "measurements": list(map(_entry, file.measurements)),
        "observations": list(map(_entry, file.observations)),
        "warnings": list(file.warnings),
        **({"notices": [each.as_data() for each in file.notices]} if file.notices else {}),
    }
    return data | ({"mark": _mark(data)} if file.measured else {})


_UNMARKED: Final = ("mark", "overlay")
"""Keys of a file beside what was measured: the mark itself, and the drawing that may be added."""


def _mark(data: Mapping[str, object]) -> str:
    """A digest of what was measured: it shows that a file was edited, and is no signature."""
    import hashlib

    kept = {key: value for key, value in data.items() if key not in _UNMARKED}
    return hashlib.sha256(repr(_plain(kept)).encode()).hexdigest()


def _plain(value: object) -> object:
    """The same for a number however JSON writes it, and for keys in any order."""
    match value:
        case dict():
            return sorted((key, _plain(inner)) for key, inner in value.items())
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case bool() | None | str():
            return value
    return str(Decimal(str(value)).normalize())


def written(file: MeasurementFile) -> bytes:
    """The file as text, for people and programs."""
    import json

    return (json.dumps(as_json(file), ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _is_observation(reading: Reading) -> bool:
    """What has a confidence, or is a word and no number, was seen and not measured."""
    return not reading.unit and bool(reading.confidence or not _NUMBER.fullmatch(reading.value.strip()))


def _entry(reading: Reading) -> dict[str, object]:
    seen = _is_observation(reading)
    entry: dict[str, object] = {"characteristic": reading.characteristic, "instance": reading.instance}
    entry["value"] = reading.value if seen else _number(reading.value)
    if not seen:
        entry["unit"] = reading.unit
    places = {"pixel": reading.pixel, "budget": [_budget_line(part) for part in reading.budget]}
    further = {
        "u": _number(reading.standard), "confidence": _number(reading.confidence), **places,
        "instrument": reading.instrument, "raw": reading.raw, "time": reading.time, "serial": reading.serial,
        "photo": reading.photo, "outline": [list(point) for point in reading.outline], "region": reading.region,
        "decision": reading.decision, "by": reading.by, "because": reading.because,
        "confirmed": "yes" if reading.confirmed else "", "note": reading.note,
    }  # fmt: skip
    return entry | {key: list(value) if isinstance(value, tuple) else value for key, value in further.items()
                    if value not in ("", None, [])}  # fmt: skip


def _budget_line(part: StatedPart) -> dict[str, object]:
    line: dict[str, object] = {"source": part.source, "u": _number(part.standard)}
    return line | ({"shared": part.shared} if part.shared else {})


def _number(text: str) -> int | float | str:
    """As a number of JSON, where it is one."""
    if not _NUMBER.fullmatch(text.strip()):
        return text
    return float(text) if "." in text else int(text)
