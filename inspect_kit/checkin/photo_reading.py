"""Photos at the check-in desk: one round piece measured, fitted to the small photo that is kept; a display read."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from inspect_kit.capture.measurement_file import MeasurementFile, Photo, as_json, measurements_in
from inspect_kit.errors import BadInput, Notice
from inspect_kit.strict_json import parse_json
from inspect_kit.values.measurement import Reading, StatedPart

if TYPE_CHECKING:
    from inspect_kit.capture.instruments import Instrument

KIND_OF: Final = {"striker": "striker", "checker": "checkers"}
"""Pieces that come one at a time: the first word of their characteristics, and what `measure` calls them."""
_KEPT: Final = Path("photo")
_LEAST_FRAME: Final = 60_000
"""Pixels of a live camera's frame, at least."""
TypedBeside = tuple[tuple[str, str], ...]
"""What was typed beside the photo, by name."""


@dataclass(frozen=True, slots=True)
class PhotoGain:
    """What to do (`thickness`, `scale`, `distance`), what U is and would be then (mm), and from how far (m)."""

    way: str
    expanded: str
    reached: str
    better: str = ""


CALIPER: Final = 0.1
"""mm, standard, of a thickness that is stated without its spread."""
CHECKED_SHARE: Final = 0.0002 / 0.003
"""What is left of the print's error when its check bar was measured."""
_WORTH_SAYING: Final = 0.85
"""Share of U that must be reached for an advice to be given."""
_DOUBTS: Final = ("glare", "outline-in-doubt", "sheet-bent")
"""What makes a value doubtful, so that people look themselves."""


def on_the_mat(notices: Iterable[Notice]) -> Notice | None:
    """What the printed mat would gain, where the last photos were measured without it."""
    return next((told for told in reversed(tuple(notices)) if told.code == "mat-would-gain"), None)


def most_gain(file: MeasurementFile) -> PhotoGain | None:
    """The one thing that would make U smaller most, of the piece whose U is the largest, computed from its budget;
    nothing where none helps much."""
    diameters = [each for each in file.readings if each.characteristic.endswith(".diameter") and each.standard]
    if not diameters:
        return None
    worst = max(diameters, key=lambda each: float(each.standard))
    told = {notice.code: dict(notice.facts) for notice in file.notices}
    best = min(_gains(worst, told), key=lambda gain: float(gain.reached), default=None)
    return best if best and float(best.reached) < _WORTH_SAYING * 2 * float(worst.standard) else None


def _gains(found: Reading, told: Mapping[str, Mapping[str, Any]]) -> Iterator[PhotoGain]:
    now = f"{2 * float(found.standard):.2f}"
    if "thickness-unstated" in told:
        spread = float(str(told["thickness-unstated"]["spread"]))
        yield PhotoGain("thickness", now, _reached(found, "piece height", CALIPER / max(spread, CALIPER)))
    if "print-scale-unstated" in told:
        yield PhotoGain("scale", now, _reached(found, "print scale", CHECKED_SHARE))
    if "better-distance" in told:
        facts = told["better-distance"]
        yield PhotoGain("distance", now, str(facts["reached"]), str(facts["better"]))


def _reached(found: Reading, source: str, share: float) -> str:
    """U if one source were smaller, mm."""
    parts = (float(part.standard) * (share if part.source == source else 1) for part in found.budget)
    return f"{2 * math.hypot(*parts):.2f}"


@dataclass(frozen=True, slots=True)
class PhotoReading:
    """What the photo told, as a form shows it; places are pixels of the photo that is kept."""

    file: MeasurementFile

    @property
    def reading(self) -> Reading:
        """The diameter with its budget, to the digits that are shown."""
        found = next(each for each in self.file.readings if each.characteristic.endswith(".diameter"))
        return replace(found, value=self.diameter)

    @property
    def characteristic(self) -> str:
        """What was measured."""
        return self.reading.characteristic

    @property
    def diameter(self) -> str:
        """In mm."""
        return self._shown(".diameter")

    @property
    def expanded(self) -> str:
        """U in mm."""
        found = self._found(".diameter")
        return f"{2 * float(found.standard):.2f}" if found else ""

    @property
    def roundness(self) -> str:
        """In mm; empty where it is not asked for."""
        return self._shown(".roundness")

    @property
    def metal(self) -> str:
        """`none`, `suspected`, or empty where nobody looked."""
        found = self._found(".visible_metal")
        return found.value if found else ""

    @property
    def region(self) -> tuple[float, float, float, float] | None:
        """Where metal is suspected: left, top, width, height."""
        found = self._found(".visible_metal")
        return found.region if found and found.value == "suspected" else None

    @property
    def size(self) -> tuple[int, int]:
        """Of the photo that is kept."""
        return self.file.photos[0].width, self.file.photos[0].height

    @property
    def most_gain(self) -> PhotoGain | None:
        """The one thing that would make U smaller most."""
        return most_gain(self.file)

    @property
    def mat_gain(self) -> Notice | None:
        """What the printed mat would gain."""
        return on_the_mat(self.file.notices)

    @property
    def doubts(self) -> tuple[Notice, ...]:
        """What is doubtful about it."""
        return tuple(told for told in self.file.notices if told.code in _DOUBTS)

    def written(self) -> bytes:
        """As evidence: the measurement file."""
        return json.dumps(as_json(self.file), ensure_ascii=False).encode()

    def _found(self, ending: str) -> Reading | None:
        return next((each for each in self.file.readings if each.characteristic.endswith(ending)), None)

    def _shown(self, ending: str) -> str:
        found = self._found(ending)
        return f"{float(found.value):.2f}" if found else ""


def kind_among(characteristics: Iterable[str]) -> str:
    """The kind of piece whose diameter is asked for, as `measure` calls it; empty if a photo cannot tell any."""
    asked = set(characteristics)
    return next((name for first, name in KIND_OF.items() if f"{first}.diameter" in asked), "")


def measured_piece(content: bytes, kind: str, given: TypedBeside, home: Path | None) -> MeasurementFile:
    """Measure the one piece on the mat, or say why not; `home` is where the desk's calibrated cameras are kept."""
    file = measured_together({"photo": content}, kind, given, home)
    pieces = sum(each.characteristic.endswith(".diameter") for each in file.readings)
    if pieces != 1:
        raise BadInput("pieces-lie-sheet", where="photo", pieces=pieces)
    return file


def measured_together(photos: Mapping[str, bytes], kind: str, given: TypedBeside, home: Path | None) -> MeasurementFile:
    """Photos of one thing by their names, by the camera that is kept for them."""
    # Loading OpenCV takes a second, which only those with a photo wait for.
    from inspect_kit.capture.photographs import open_photograph
    from inspect_kit.measure.photos import kept_camera, measure
    from inspect_kit.measure.stated import stated_by

    stated = stated_by(kind, {name: text for name, text in given if text})
    opened = [open_photograph(content, name, where=name) for name, content in photos.items()]
    kept = None if home is None else kept_camera(home, opened)
    return measure(kind, opened, kept.stored.camera if kept else None, stated)


def frame_seen(content: bytes) -> tuple[str, tuple[tuple[float, float], ...]]:
    """What to do with a camera whose small picture this is, and where the mat's corners lie in it, as shares."""
    from inspect_kit.capture.photographs import open_photograph
    from inspect_kit.vision.reference.aiming import aimed

    sight = aimed(open_photograph(content, "frame", where="frame", least=_LEAST_FRAME).pixels)
    return sight.aim.value, sight.outline


def on_kept_photo(file: MeasurementFile, photo: Photo) -> PhotoReading:
    """The same with the places in the smaller photo that is kept as evidence."""
    taken = file.photos[0]
    across, down = photo.width / taken.width, photo.height / taken.height
    readings = tuple(resized(each, across, down, photo.file) for each in file.readings)
    return PhotoReading(replace(file, readings=readings, photos=(photo,)))


def resized(reading: Reading, across: float, down: float, name: str) -> Reading:
    """A reading with its places in a smaller copy of its photo."""

    def moved(point: tuple[float, float]) -> tuple[float, float]:
        return round(point[0] * across, 2), round(point[1] * down, 2)

    region = reading.region
    return replace(
        reading, photo=name if reading.photo else "", pixel=moved(reading.pixel) if reading.pixel else None,
        outline=tuple(map(moved, reading.outline)),
        region=None if region is None else (*moved(region[:2]), *moved(region[2:])),
    )  # fmt: skip


def open_photo_reading(content: bytes, photo: Photo) -> PhotoReading:
    """What was kept of a photo; before 0.1 that was a form of its own, with places as shares of width and height."""
    data: dict[str, Any] = parse_json(content, "look")
    return PhotoReading(measurements_in(data, _KEPT) if "format" in data else _from_first_form(data, photo))


def _from_first_form(data: Mapping[str, Any], photo: Photo) -> MeasurementFile:
    size = photo.width, photo.height

    def pixels(point: Iterable[Any]) -> tuple[float, float]:
        x, y = point
        return float(x) * size[0], float(y) * size[1]

    diameter = Reading(
        f"{data['kind']}.diameter", data["diameter"], unit="mm", standard=data["standard"], photo=photo.file,
        pixel=pixels(data["centre"]), outline=tuple(map(pixels, data["outline"])),
        budget=tuple(StatedPart(source, u) for source, u in data["budget"]),
    )  # fmt: skip
    readings = [diameter]
    if data.get("roundness"):
        readings.append(Reading(f"{data['kind']}.roundness", data["roundness"], unit="mm"))
    if data.get("metal"):
        region = data.get("region")
        place = None if region is None else (*pixels(region[:2]), *pixels(region[2:]))
        readings.append(Reading(f"{data['kind']}.visible_metal", data["metal"], region=place))
    return MeasurementFile(tuple(readings), (photo,))


@dataclass(frozen=True, slots=True)
class EvidencePhoto:
    """A photograph as it is kept: upright, made small, without the notes of the camera that took it."""

    content: bytes
    sha256: str
    width: int
    height: int
    name: str


def evidence_photo(content: bytes) -> EvidencePhoto:
    """A photograph from a phone, checked by its content; its name tells the digest of the original."""
    from PIL import Image

    from inspect_kit.capture.photographs import open_photograph
    from inspect_kit.certificate.pages.photos import LONG_SIDE, digest_of, jpeg

    taken = open_photograph(content, "photo", where="photo")
    image = Image.fromarray(taken.pixels)
    image.thumbnail((LONG_SIDE, LONG_SIDE))
    small = jpeg(image)
    return EvidencePhoto(small, digest_of(small), image.width, image.height, f"photo-{taken.sha256[:16]}.jpg")


# A gauge's display: what it shows, as a proposal, with the picture that is kept.


@dataclass(frozen=True, slots=True)
class DisplayProposal:
    """What the display shows in g or mm, or why nothing is proposed."""

    value: str
    unit: str
    picture: bytes
    sha256: str
    told: Notice | None


def display_proposal(content: bytes, gauge: Instrument) -> DisplayProposal:
    """Read it within what this gauge can show; only what is certain is proposed."""
    from inspect_kit.capture.photographs import open_photograph
    from inspect_kit.capture.readings import in_base
    from inspect_kit.measure.displayed import displayed

    reading = displayed(open_photograph(content, "photo", where="photo"), gauge)
    sha256 = hashlib.sha256(reading.picture).hexdigest()
    if not reading.certain:
        return DisplayProposal("", "", reading.picture, sha256, reading.told)
    return DisplayProposal(*in_base(reading.value, reading.unit), reading.picture, sha256, None)
