"""What was measured and seen in photos as the readings of a measurement file."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import Notice, sentences
from inspect_kit.values.measurement import Reading, StatedPart
from inspect_kit.values.value import Contribution, Value
from inspect_kit.vision.arrays import Floats

_DIGITS: Final = 4
"""Decimals of a value: a tenth of a micrometre."""
_DIGITS_OF_U: Final = 5
"""Decimals of a standard uncertainty: one more than of a value."""
_LABEL: Final = 16
"""Digits of a photo's digest that tell shared errors of different photos apart."""


def photo_file(
    photos: Iterable[Photograph], readings: Iterable[Reading], notices: Iterable[Notice] = ()
) -> MeasurementFile:
    """The file that photos give."""
    taken = (Photo(photo.file, photo.sha256, photo.width, photo.height) for photo in photos)
    told = tuple(notices)
    return MeasurementFile(tuple(readings), tuple(taken), sentences(told), told, measured=True)


def reading_of(
    characteristic: str,
    value: Value,
    photos: Sequence[Photograph],
    *,
    instance: str = "",
    photo: int = 0,
    pixel: Sequence[float] | Floats | None = None,
    outline: Floats | None = None,
) -> Reading:
    """A value as a file holds it; errors that all values of these photos share are known by the first photo."""
    label = photos[0].sha256[:_LABEL]
    return Reading(
        characteristic, _text(value.value, _DIGITS), instance, value.unit, _text(value.standard, _DIGITS_OF_U),
        where=photos[photo].file, photo=photos[photo].file, pixel=place(pixel), outline=line(outline),
        budget=tuple(_stated(part, label) for part in value.budget),
    )  # fmt: skip


def seen(characteristic: str, word: str, instance: str = "", confidence: float | None = None) -> Reading:
    """What was seen and not measured."""
    sure = "" if confidence is None else _text(confidence, 3)
    return Reading(characteristic, word, instance, confidence=sure, where="photo")


def place(pixel: Sequence[float] | Floats | None) -> tuple[float, float] | None:
    """A pixel to a hundredth."""
    return None if pixel is None else (round(float(pixel[0]), 2), round(float(pixel[1]), 2))


def line(outline: Floats | None) -> tuple[tuple[float, float], ...]:
    """Pixels to a tenth."""
    points = () if outline is None else outline
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in points)


def thinned(outline: Floats, most: int) -> Floats:
    """Every so many points, so that the evidence stays small."""
    return outline[:: max(1, -(-len(outline) // most))]


def _stated(part: Contribution, label: str) -> StatedPart:
    shared = f"{part.shared} {label}" if part.shared else ""
    return StatedPart(part.source, _text(abs(part.standard), _DIGITS_OF_U), shared)


def _text(number: float, digits: int) -> str:
    return f"{Decimal(str(round(number, digits))):f}"
