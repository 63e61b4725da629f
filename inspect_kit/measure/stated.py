"""What was stated of photos besides them: sizes with their spread, the print's scale, the reference, a known side."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from inspect_kit.errors import BadInput, Notice, UsageError, nearest, notice
from inspect_kit.values.quantity import UNITS, parse_number, parse_quantity
from inspect_kit.vision.reference.everyday import COINS, PAPERS
from inspect_kit.vision.reference.wanted import Reference

GIVEN: Final = 0.1
"""Standard uncertainty (mm) of a thickness or rim radius that was stated without one."""
UNKNOWN_PRINT: Final = 0.003
"""Relative standard uncertainty of a print whose check bar nobody measured."""
UNKNOWN_SHARE: Final = "0.3"
"""The same in %, as it is said."""
MEASURED_PRINT: Final = 0.0002
"""Relative standard uncertainty of a check bar measured with a caliper."""
TAPE: Final = 0.5
"""Standard uncertainty (mm) of a side taken with a tape, where none is stated."""
_WORST_TAPE: Final = 20.0
"""mm: a larger uncertainty is none of a tape."""
_KNOWN: Final = "surface.side"
_KNOWN_EXAMPLE: Final = notice("for-example", example="--known surface.side=738.2mm")
_SIDES: Final = (600.0, 900.0)
"""mm between which a board's side can lie at all."""
_LONGEST_NAME: Final = 40
"""Characters of a stated name."""
_ROUND: Final = ("coins", "striker", "checkers", "discs")
"""Kinds among which a coin can be the reference."""
_PLUS_MINUS: Final = re.compile(r"\s*(?:±|\+/-|\+-)\s*")

Length = tuple[float, float | None]
"""A stated size in mm, and its standard uncertainty where that was stated too."""
Bounds = tuple[float, float]

_PIECE: Final[Mapping[str, Bounds]] = MappingProxyType({"thickness": (0.2, 60.0), "edge_radius": (0.0, 30.0)})
"""mm between which the stated sizes of a round piece must lie."""
LENGTHS: Final[Mapping[str, Mapping[str, Bounds]]] = MappingProxyType(
    {
        "coins": _PIECE, "striker": _PIECE, "checkers": _PIECE, "discs": _PIECE,
        "dice": {"thickness": (5.0, 40.0), "edge_radius": (0.0, 8.0)},
        "figure": {"standoff": (10.0, 60.0)},
        "board": {"gap": (0.0, 2.4)},
    }
)  # fmt: skip
"""The sizes that can be stated of each kind of photo, in mm, and the bounds they must lie within."""
_OTHERS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    dict.fromkeys(LENGTHS, frozenset({"print_scale", "reference"}))
    | {
        "figure": frozenset({"print_scale", "reference", "instance"}),
        "dice": frozenset({"print_scale", "reference", "one_die"}),
        "board": frozenset({"print_scale", "known"}),
    }
)


def with_spread(stated: Length, usual: float = GIVEN) -> tuple[float, float]:
    """A length that was stated, with the usual standard uncertainty where none was."""
    value, standard = stated
    return value, usual if standard is None else standard


@dataclass(frozen=True)
class Stated:
    """What the user stated: each a value and a standard uncertainty, or nothing."""

    thickness: Length | None = None
    rim: Length | None = None
    print_scale: tuple[float, float] | None = None
    reference: Reference = field(default_factory=Reference)
    standoff: Length | None = None
    known_side: tuple[float, float] | None = None
    gap: Length | None = None
    """Between a board's surface and its walls, by a feeler gauge."""
    instance: str = ""
    """Which figure of a team it is."""
    one_die: bool | None = None
    """Six photos show the faces of one die; where nobody says, six photos with one die each do."""

    @property
    def scale(self) -> tuple[float, float]:
        """Of the reference, with its standard uncertainty: what is not printed has no scale of print."""
        return self.print_scale or (1.0, UNKNOWN_PRINT if self.reference.printed else 0.0)


def stated_by(kind: str, given: Mapping[str, object]) -> Stated:
    """As people type it: `thickness`, `edge_radius`, `standoff`, `gap`, `print_scale`, `reference`, `known`, …"""
    typed = {name: text for name, text in given.items() if text is not None}
    lengths, others = LENGTHS[kind], _OTHERS[kind]
    for name in typed:
        if name not in lengths and name not in others:
            raise UsageError(
                "no-such-option",
                where=option(name),
                kind=kind,
                value=", ".join(map(option, sorted({*lengths, *others}))),
            )
    size = {name: _length(str(typed[name]), name, bounds) for name, bounds in lengths.items() if name in typed}
    reference = _reference(kind, str(typed.get("reference", "auto")))
    if "print_scale" in typed and not reference.printed:
        raise UsageError("print-scale-of-nothing-printed", where="--print-scale")
    if "gap" in typed and "known" in typed:
        raise UsageError("gap-without-cards", where="--gap")
    one_die = typed.get("one_die")
    return Stated(
        thickness=size.get("thickness"),
        rim=size.get("edge_radius"),
        print_scale=_scale(str(typed["print_scale"])) if "print_scale" in typed else None,
        reference=reference,
        standoff=size.get("standoff"),
        known_side=_known_side(str(typed["known"])) if "known" in typed else None,
        gap=size.get("gap"),
        instance=_instance(str(typed.get("instance", ""))),
        one_die=one_die if isinstance(one_die, bool) else None,
    )


def option(name: str) -> str:
    """As the command line calls it."""
    return f"--{name.replace('_', '-')}"


def stated_scale(number: Decimal) -> tuple[float, float]:
    """A print's scale that was typed, and its relative uncertainty: by the caliper, and by half of the last digit, at
    least the third."""
    rounding = 0.5 * 10.0 ** -max(-int(number.as_tuple().exponent), 3) / 3**0.5
    return float(number), (MEASURED_PRINT**2 + rounding**2) ** 0.5


def _scale(text: str) -> tuple[float, float]:
    try:
        number = parse_number(text)
    except BadInput as problem:
        raise UsageError.of(
            problem.fault, where="--print-scale", advice=notice("for-example", example="0.998")
        ) from None
    if not 0.9 <= number <= 1.1:
        raise UsageError("no-print-scale", where="--print-scale", text=text[:40])
    return stated_scale(number)


def _length(text: str, name: str, bounds: Bounds) -> Length:
    """`8.1±0.1mm`, `8.1 mm` or `8.1`, in mm."""
    low, high = bounds
    size, standard = _with_spread(text, option(name), notice("for-example", example="8.1±0.1mm"))
    if standard == 0:
        raise UsageError("uncertainty-cannot-zero", where=option(name))
    if not low <= size <= high or (standard is not None and not 0 <= standard <= high):
        raise UsageError("length-out-of-range", where=option(name), text=text[:40], low=f"{low:g}", high=f"{high:g}")
    return size, standard


def _with_spread(text: str, where: str, example: Notice) -> Length:
    parts = _PLUS_MINUS.split(text.strip())
    if len(parts) > 2:
        raise UsageError("expected-length", where=where, text=text[:40])
    try:
        spread = parse_quantity(parts[1], UNITS["mm"]) if len(parts) == 2 else None
        # `8.1±0.1mm`: the unit behind the spread is that of both.
        value = parse_quantity(parts[0], spread.unit if spread else UNITS["mm"])
        return float(value.to("mm").number), float(spread.to("mm").number) if spread else None
    except BadInput as problem:
        raise UsageError.of(problem.fault, where=where, advice=example) from None


def _known_side(text: str) -> tuple[float, float]:
    """`surface.side=738.2mm`, `surface.side=738.2±0.3mm`, also in cm."""
    name, sign, typed = text.partition("=")
    if not sign or name.strip() != _KNOWN:
        raise UsageError("expected-known-length", where="--known", hint=_KNOWN_EXAMPLE, known=_KNOWN, text=text[:40])
    value, stated = _with_spread(typed, "--known", _KNOWN_EXAMPLE)
    spread = TAPE if stated is None else stated
    low, high = _SIDES
    if not low <= value <= high:
        raise UsageError(
            "length-out-of-range",
            where="--known",
            hint=_KNOWN_EXAMPLE,
            text=typed.strip()[:40],
            low=f"{low:g}",
            high=f"{high:g}",
        )
    if not 0 < spread <= _WORST_TAPE:
        raise UsageError("mm-no-uncertainty-tape", where="--known", hint=_KNOWN_EXAMPLE, spread=f"{spread:g}")
    return value, spread


def _reference(kind: str, text: str) -> Reference:
    """`auto`, `chessboard:12.5mm`, `aruco:DICT_4X4_50:40mm`, `paper:a4`, `card`, `coin:2eur`, `coin:25.75mm`."""
    if kind == "figure" and text != "auto":
        raise UsageError("figure-measured-before-printed-backdrop", where="--reference", text=text[:40])
    match text.split(":"):
        case ["auto"]:
            return Reference()
        case ["chessboard", size]:
            return Reference("chessboard", _length(size, "reference", (1.0, 500.0))[0])
        case ["aruco", dictionary, size]:
            _check_dictionary(dictionary)
            return Reference("aruco", _length(size, "reference", (1.0, 500.0))[0], dictionary)
        case ["paper", name] if name in PAPERS:
            return Reference("paper", name=name)
        case ["card"]:
            return Reference("card")
        case ["coin", name] if kind in _ROUND:
            return _coin(name)
    raise UsageError("unknown-reference", where="--reference", text=text[:40])


def _check_dictionary(name: str) -> None:
    # The names are OpenCV's, which nobody else need wait for.
    from inspect_kit.vision.reference.find import marker_dictionary

    try:
        marker_dictionary(name)
    except BadInput as problem:
        raise UsageError.of(problem.fault, where="--reference") from None


def _coin(name: str) -> Reference:
    """`2eur`, or the diameter of any coin."""
    if name in COINS:
        return Reference("coin", COINS[name].diameter, name=name)
    if not name[:1].isdigit() or not name.endswith("mm"):
        hint = nearest(name, COINS)
        raise UsageError("unknown-coin", where="--reference", hint=hint, name=name[:40], coins=", ".join(COINS))
    return Reference("coin", _length(name, "reference", (10.0, 60.0))[0])


def _instance(text: str) -> str:
    if len(text) > _LONGEST_NAME or not text.isprintable():
        raise UsageError("expected-short-name", where="--instance", text=text[:40])
    return text
