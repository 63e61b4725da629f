"""Photos and what is typed beside them: lengths with their spread, the print's scale, the reference in the picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from inspect_kit.capture.photographs import Photograph, read_photograph
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.measure.pieces import stated_scale
from inspect_kit.values.quantity import UNITS, parse_number, parse_quantity
from inspect_kit.vision.reference.find import Reference, marker_dictionary

MOST_PHOTOS: Final = 24
_PLUS_MINUS: Final = re.compile(r"\s*(?:±|\+/-|\+-)\s*")


def read_photos(paths: tuple[Path, ...]) -> list[Photograph]:
    """Not more than can be held at once."""
    if len(paths) > MOST_PHOTOS:
        raise UsageError(f"{len(paths)} photos at once, {MOST_PHOTOS} at most", hint="measure them in groups")
    return [read_photograph(path) for path in paths]


def parse_length(text: str | None, option: str, low: float, high: float) -> tuple[float, float | None] | None:
    """`8.1±0.1mm`, `8.1 mm` or `8.1`, in mm."""
    if text is None:
        return None
    parts = _PLUS_MINUS.split(text.strip())
    if len(parts) > 2:
        raise UsageError(f"expected a length such as 8.1±0.1mm, got {text[:40]!r}", where=option)
    try:
        spread = parse_quantity(parts[1], UNITS["mm"]) if len(parts) == 2 else None
        # `8.1±0.1mm`: the unit behind the spread is that of both.
        value = parse_quantity(parts[0], spread.unit if spread else UNITS["mm"])
        size = float(value.to("mm").number)
        standard = float(spread.to("mm").number) if spread else None
    except BadInput as problem:
        raise UsageError(problem.fault.why, where=option, hint="for example 8.1±0.1mm") from None
    if not low <= size <= high or (standard is not None and not 0 <= standard <= high):
        raise UsageError(f"{text[:40]} is not between {low:g} and {high:g} mm", where=option)
    return size, standard


def parse_scale(text: str | None) -> tuple[float, float] | None:
    """The scale as it was typed, with its relative uncertainty."""
    if text is None:
        return None
    try:
        number = parse_number(text)
    except BadInput as problem:
        raise UsageError(problem.fault.why, where="--print-scale", hint="for example 0.998") from None
    if not 0.9 <= number <= 1.1:
        raise UsageError(f"{text[:40]} is no print scale", where="--print-scale", hint="measured ÷ nominal, about 1")
    return stated_scale(number)


def parse_reference(text: str) -> Reference:
    """`auto`, `chessboard:12.5mm`, `aruco:DICT_4X4_50:40mm`."""
    match text.split(":"):
        case ["auto"]:
            return Reference()
        case ["chessboard", size]:
            return Reference("chessboard", _side(size))
        case ["aruco", dictionary, size]:
            try:
                marker_dictionary(dictionary)
            except BadInput as problem:
                raise UsageError(problem.fault.why, where="--reference", hint=problem.fault.hint) from None
            return Reference("aruco", _side(size), dictionary)
    raise UsageError(f"unknown reference {text[:40]!r}", where="--reference",
                     hint="auto, chessboard:12.5mm, or aruco:DICT_4X4_50:40mm")  # fmt: skip


def _side(text: str) -> float:
    found = parse_length(text, "--reference", 1.0, 500.0)
    assert found is not None
    return found[0]
