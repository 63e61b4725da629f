"""Small drawings that show where to measure; the place in question stands out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final

from markupsafe import Markup

from inspect_kit.certificate.pages.board_plan import board_layout
from inspect_kit.inspection.catalogue import WORD
from inspect_kit.inspection.guided import Question
from inspect_kit.station.rendering import safe


def picture_for(question: Question) -> Markup:
    """The drawing for a question."""
    return _picture(question.characteristic, question.instance, question.unit)


@cache
def _picture(characteristic: str, instance: str, unit: str) -> Markup:
    """By the thing that is measured; else by how it is measured."""
    if unit == "g":
        return _drawing(_scale())
    first, _, rest = characteristic.partition(".")
    draw = _THINGS.get(first)
    if draw is not None:
        return _drawing(draw(first, rest, instance, unit))
    return _drawing(_eye() if unit == WORD else _rule())


def _drawing(parts: Iterator[str]) -> Markup:
    body = "".join(parts)
    return safe(f'<svg class="where" viewBox="0 0 120 120" aria-hidden="true" focusable="false">{body}</svg>')


Draw = Callable[[str, str, str, str], Iterator[str]]


def _board(first: str, rest: str, instance: str, unit: str) -> Iterator[str]:
    del unit
    return board(first, rest, instance)


def _disc(first: str, rest: str, instance: str, unit: str) -> Iterator[str]:
    """A round flat piece from above and from the side."""
    del first, instance
    if unit == WORD:
        yield from _eye()
        return
    tall = rest in ("height", "thickness")
    yield '<circle class="ink" cx="60" cy="44" r="34"/><rect class="ink" x="26" y="92" width="68" height="14" rx="4"/>'
    if tall:
        yield from _arrow(102, 92, 102, 106)
    elif rest == "roundness":
        yield '<circle class="hot" cx="60" cy="44" r="34"/>'
    else:
        yield from _arrow(26, 44, 94, 44)


def _figure(first: str, rest: str, instance: str, unit: str) -> Iterator[str]:
    """A figure on its base, from the side."""
    del first, instance, unit
    yield '<path class="ink" d="M34 92 Q34 74 52 72 H68 Q86 74 86 92 L80 106 H40 Z"/>'
    yield '<path class="ink" d="M54 72 V44 Q54 36 60 36 Q66 36 66 44 V72 Z"/>'
    yield '<circle class="ink" cx="60" cy="26" r="9"/>'
    yield '<line class="ink" x1="16" y1="106" x2="104" y2="106"/>'
    places = {
        "height": (100, 17, 100, 106), "base.height": (96, 72, 96, 106), "base.diameter": (34, 92, 86, 92),
        "base.top_diameter": (50, 72, 70, 72), "base.bottom_diameter": (40, 106, 80, 106),
        "base.dmax_depth": (92, 72, 92, 92), "top.width": (51, 36, 69, 36),
    }  # fmt: skip
    yield from _arrow(*places.get(rest, (34, 112, 86, 112)))


def _die(first: str, rest: str, instance: str, unit: str) -> Iterator[str]:
    """A die, from the front."""
    del first, rest, instance
    yield '<rect class="ink" x="30" y="30" width="60" height="60" rx="3"/>'
    for across, down in ((45, 45), (75, 45), (60, 60), (45, 75), (75, 75)):
        yield f'<circle class="solid" cx="{across}" cy="{down}" r="4"/>'
    if unit != WORD:
        yield from _arrow(30, 102, 90, 102)


def _goal(first: str, rest: str, instance: str, unit: str) -> Iterator[str]:
    """A goal, from the front."""
    del first, instance, unit
    yield '<path class="ink" d="M22 96 V34 H98 V96 M22 34 L34 46 H86 L98 34"/>'
    yield from _arrow(110, 34, 110, 96) if "height" in rest else _arrow(22, 106, 98, 106)


def _pitch(first: str, rest: str, instance: str, unit: str) -> Iterator[str]:
    """A playing field, from above."""
    del first, instance, unit
    yield '<rect class="ink" x="14" y="32" width="92" height="60"/><line class="ink" x1="60" y1="32" x2="60" y2="92"/>'
    yield '<circle class="ink" cx="60" cy="62" r="12"/>'
    yield from _arrow(110, 32, 110, 92) if "width" in rest or "breadth" in rest else _arrow(14, 102, 106, 102)


def _eye() -> Iterator[str]:
    """Something to look at."""
    yield '<path class="ink" d="M14 60 Q60 18 106 60 Q60 102 14 60 Z"/>'
    yield '<circle class="hot" cx="60" cy="60" r="18"/><circle class="solid" cx="60" cy="60" r="7"/>'


def _scale() -> Iterator[str]:
    """Something to weigh."""
    yield '<rect class="ink" x="24" y="66" width="72" height="34" rx="6"/><path class="ink" d="M32 56 H88 M60 56 V66"/>'
    yield '<rect class="hot" x="40" y="76" width="40" height="15" rx="2"/>'
    yield '<ellipse class="solid" cx="60" cy="48" rx="16" ry="6"/>'


def _rule() -> Iterator[str]:
    """Something to measure."""
    yield '<rect class="ink" x="12" y="48" width="96" height="24" rx="2"/>'
    for place in range(20, 108, 8):
        yield f'<line class="ink" x1="{place}" y1="48" x2="{place}" y2="{60 if place % 16 else 56}"/>'
    yield from _arrow(12, 86, 108, 86)


def _arrow(left: float, top: float, right: float, bottom: float) -> Iterator[str]:
    """A length between two ends."""
    yield f'<line class="hot" x1="{left}" y1="{top}" x2="{right}" y2="{bottom}"/>'
    upright = left == right
    for across, down in ((left, top), (right, bottom)):
        ends = (across - 5, down, across + 5, down) if upright else (across, down - 5, across, down + 5)
        yield '<line class="hot" x1="{}" y1="{}" x2="{}" y2="{}"/>'.format(*ends)


_THINGS: Final[dict[str, Draw]] = {
    **dict.fromkeys(
        ("surface", "frame", "pocket", "baseline", "basecircle", "arrow", "arc", "centre", "outer", "board"), _board
    ),
    **dict.fromkeys(("striker", "coin", "checker", "disc", "ball"), _disc),
    "fig": _figure,
    "die": _die,
    "goal": _goal,
    **dict.fromkeys(("pitch", "table", "fence", "cloth", "shot"), _pitch),
}


# The carrom board with the place in question standing out, drawn from the layout that certificates use.

_TURNS: Final = {"n": 0, "e": 90, "s": 180, "w": 270}
"""Degrees clockwise by which the drawing of the north side is turned to each side."""
_CORNERS: Final = {"nw": 0, "ne": 90, "se": 180, "sw": 270}
"""Degrees clockwise by which the drawing of the north-west corner is turned to each corner."""
_ROOM: Final = 116.0
"""Side of the board with its frame, in units of a picture that is 120 wide."""


def board(part: str, rest: str, instance: str) -> Iterator[str]:
    """All of it in thin lines, the part in strong ones; with an instance only that side or corner."""
    size = board_layout()
    whole = size["side"] + 2 * size["frame"]
    yield f'<g transform="translate(60 60) scale({_ROOM / whole:.4f})">'
    half = size["side"] / 2
    yield _square(whole / 2, hot=part == "frame")
    yield _square(half, hot=part in ("surface", "board") and not instance)
    for side, turn in _TURNS.items():
        yield f'<g transform="rotate({turn})">{"".join(_side(part, instance, side, size))}</g>'
    for corner, turn in _CORNERS.items():
        yield f'<g transform="rotate({turn})">{"".join(_corner(part, instance == corner or not instance, size))}</g>'
    yield _circle(0, 0, size["outer"] / 2, hot=part == "outer")
    yield _circle(0, 0, size["centre"] / 2, hot=part == "centre")
    yield "</g>"
    del rest


def _side(part: str, instance: str, side: str, size: Mapping[str, float]) -> Iterator[str]:
    """The upper side: its edge, its two lines, and the circles at their ends."""
    mine = not instance or instance.partition(".")[0] == side
    half = size["side"] / 2
    if part == "surface" and instance == side:
        yield _line(-half, -half, half, -half, hot=True)
    along, across = size["circle_along"], size["circle_across"]
    for line in ("lower_line", "upper_line"):
        yield _line(-along, -size[line], along, -size[line], hot=part == "baseline" and mine)
    ends = {"w": -1, "e": 1} if side == "n" else {"e": 1, "w": -1}
    for place in ends.values():
        wanted = part == "basecircle" and mine
        yield _circle(place * along, -across, size["circle"] / 2, hot=wanted)


def _corner(part: str, mine: bool, size: Mapping[str, float]) -> Iterator[str]:
    """The upper left corner: its pocket and its arrow."""
    half, radius = size["side"] / 2, size["pocket"] / 2
    yield _circle(-half + radius, -half + radius, radius, hot=part == "pocket" and mine)
    tip, tail = size["arrow_tip"], size["arrow_tail"]
    yield _line(-tip, -tip, -tail, -tail, hot=part in ("arrow", "arc") and mine)


def _name(hot: bool) -> str:
    return "hot" if hot else "ink"


def _square(half: float, *, hot: bool) -> str:
    return f'<rect class="{_name(hot)}" x="{-half}" y="{-half}" width="{2 * half}" height="{2 * half}"/>'


def _circle(across: float, down: float, radius: float, *, hot: bool) -> str:
    return f'<circle class="{_name(hot)}" cx="{across:.1f}" cy="{down:.1f}" r="{radius:.1f}"/>'


def _line(left: float, top: float, right: float, bottom: float, *, hot: bool) -> str:
    return f'<line class="{_name(hot)}" x1="{left:.1f}" y1="{top:.1f}" x2="{right:.1f}" y2="{bottom:.1f}"/>'
