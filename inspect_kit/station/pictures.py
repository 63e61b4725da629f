"""Small drawings that show where to measure; the place in question stands out."""

from functools import cache
from typing import Final

from markupsafe import Markup

from inspect_kit.certificate.content.sections import board_layout
from inspect_kit.inspection.catalogue import WORD
from inspect_kit.inspection.guided import Question
from inspect_kit.station.rendering import drawn, safe

_THINGS: Final = {
    "board": ("surface", "frame", "pocket", "baseline", "basecircle", "arrow", "arc", "centre", "outer", "board"),
    "disc": ("striker", "coin", "checker", "disc", "ball"), "figure": ("fig",), "die": ("die",), "goal": ("goal",),
    "pitch": ("pitch", "table", "fence", "cloth", "shot"),
}  # fmt: skip
"""The drawing, by how the names of characteristics begin that it serves."""


def picture_for(question: Question) -> Markup:
    """The drawing for a question."""
    return _picture(question.characteristic, question.instance, question.unit)


@cache
def _picture(characteristic: str, instance: str, unit: str) -> Markup:
    """By the thing that is measured; else by how it is measured."""
    part, _, rest = characteristic.partition(".")
    usual = "eye" if unit == WORD else "rule"
    mine = next((thing for thing, parts in _THINGS.items() if part in parts), usual)
    place = {"part": part, "rest": rest, "instance": instance, "unit": unit, "size": board_layout()}
    lines = drawn("where.svg", {"thing": "scale" if unit == "g" else mine, **place}).splitlines()
    return safe("".join(line.strip() for line in lines))
