"""What a file or photos tell of a thing in a guided inspection, at its start and under way; it is not asked again."""

from dataclasses import dataclass, replace
from typing import Final

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.checkin.form import kind_for, measured_photos, on_kept_photos, read_file
from inspect_kit.checkin.photo_reading import EvidencePhoto, TypedBeside
from inspect_kit.checkin.roles import Act, DeskRefusal
from inspect_kit.inspection.figure_team import FULL_TEAM, SPARE
from inspect_kit.inspection.guided import GuidedEntry
from inspect_kit.inspection.walk import refuse_later_readings
from inspect_kit.measure.stated import LENGTHS
from inspect_kit.rulebook.sheet import Item
from inspect_kit.station.desk import InspectionPlace
from inspect_kit.station.photos import PLAIN_REFERENCES, DeskPhoto, PhotoWorkers, Tell, ignore_progress, pending_photos
from inspect_kit.station.web.visit import Visit

_READING: Final = 20.0
"""Seconds for a measurement file."""
_MEASURING: Final = 120.0
"""Seconds for the photos of a board, a coin set, a figure or dice."""
_ON_PAPER: Final = ("coins", "checkers", "striker", "dice")
"""What may lie on plain paper or beside a card instead of the printed mat."""
FIGURE: Final = "figure"


@dataclass(frozen=True, slots=True)
class UploadedReadings:
    """What was told, and the names under which its photos wait."""

    file: MeasurementFile | None = None
    photos: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PhotoForm:
    """What a page asks beside the photos of an item; `kind` is empty where photos tell nothing of it."""

    kind: str
    lengths: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    """Which figure of a team it is; empty where there is only one thing."""


def photo_form(place: InspectionPlace) -> PhotoForm:
    """For the pages that take photos."""
    kind = kind_for(place.sheet, place.item.id)
    if not kind:
        return PhotoForm("")
    lengths = tuple(name for name in ("thickness", "standoff", "gap") if name in LENGTHS[kind])
    references = PLAIN_REFERENCES if kind in _ON_PAPER else ()
    return PhotoForm(kind, lengths, references, _figures(place.item) if kind == FIGURE else ())


def _figures(item: Item) -> tuple[str, ...]:
    return (*(str(number) for number in range(1, FULL_TEAM + 1)), SPARE) if item.pieces else ()


def uploaded_readings(visit: Visit, place: InspectionPlace, tell: Tell = ignore_progress) -> UploadedReadings:
    """What a measurement file says, or what photos of the thing give."""
    workers: PhotoWorkers = visit.request.app.state.workers
    content = visit.files.get("file")
    file = _of_uploader(visit, workers.opening.do(_READING, read_file, content)) if content else None
    found = UploadedReadings(file)
    if any(name.startswith("photos") for name in visit.files):
        found = with_uploaded(found, _measured(visit, place, workers, tell))
    if found.file is not None:
        asked = {each.characteristic for each in GuidedEntry(place.sheet, place.item.id).questions()}
        if not any(reading.characteristic in asked for reading in found.file.readings):
            raise DeskRefusal("guided.nothing_in")
        by = visit.person.name if visit.may(Act.DECIDE) else ""
        if any(reading.decision and reading.by != by for reading in found.file.readings):
            raise DeskRefusal("guided.decided_in_file")
    return found


def _of_uploader(visit: Visit, file: MeasurementFile) -> MeasurementFile:
    """The file of whoever uploads it: nobody else is named as the one who read it, and nothing in it is yet to come."""
    refuse_later_readings(file.readings, visit.station.today)
    return replace(file, readings=tuple(each if each.decision else replace(each, by="") for each in file.readings))


def _measured(visit: Visit, place: InspectionPlace, workers: PhotoWorkers, tell: Tell) -> UploadedReadings:
    contents = tuple(content for name, content in visit.files.items() if name.startswith("photos"))
    form = photo_form(place)
    if not form.kind:
        raise DeskRefusal("guided.nothing_in")
    with workers.line.turn(tell):
        told, kept = workers.measuring.do(
            _MEASURING, measured_photos, contents, form.kind, _stated(visit, form), visit.station.home
        )
    return UploadedReadings(on_kept_photos(told, kept), tuple(_keep(visit, place, each) for each in kept))


def _stated(visit: Visit, form: PhotoForm) -> TypedBeside:
    """What was typed beside the photos, as far as it can be stated of them."""
    typed = {name: visit.form.get(name, "").strip()[:40] for name in (*form.lengths, "print_scale", "reference")}
    if form.figures:
        typed["instance"] = visit.form.get("instance", "")
        if typed["instance"] not in form.figures:
            raise DeskRefusal("guided.which_figure")
    if typed["reference"] not in form.references:
        typed["reference"] = ""
    elif typed["reference"]:
        # Only a printed reference has a scale of print.
        typed["print_scale"] = ""
    return tuple((name, text) for name, text in typed.items() if text)


def _keep(visit: Visit, place: InspectionPlace, photo: EvidencePhoto) -> str:
    token, who = visit.station.ticket(), visit.person.name
    look = DeskPhoto(place.event.event, who, photo.content, photo.sha256, photo.width, photo.height, photo.name)
    pending_photos(visit).keep(token, look)
    return token


def with_uploaded(before: UploadedReadings, more: UploadedReadings, *, team: bool = False) -> UploadedReadings:
    """All of it: what is measured anew counts instead, and a photo speaks only of the figure it was last sent for."""
    if before.file is None or more.file is None:
        return UploadedReadings(more.file or before.file, (*before.photos, *more.photos))
    names = {photo.file for photo in more.file.photos}
    told = {(each.characteristic, each.instance) for each in more.file.readings}
    again = {each.instance for each in before.file.readings if each.photo in names}
    again |= {each.instance for each in more.file.readings if each.instance and each.from_photo}
    kept = [
        each
        for each in before.file.readings
        if (each.characteristic, each.instance) not in told
        and not (each.from_photo and (not team or each.instance in again))
    ]
    photos = (*(photo for photo in before.file.photos if photo.file not in names), *more.file.photos)
    file = replace(
        before.file, readings=(*kept, *more.file.readings), photos=photos,
        warnings=(*before.file.warnings, *more.file.warnings), notices=(*before.file.notices, *more.file.notices),
    )  # fmt: skip
    return UploadedReadings(file, (*before.photos, *more.photos))
