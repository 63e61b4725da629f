"""The carrom board with the place in question standing out, drawn from the layout that certificates use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspect_kit.certificate.pages.board_plan import board_layout

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
