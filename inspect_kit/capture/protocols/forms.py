"""Forms of lines: patterns that a whole line must have, and the number that stands in it."""

import re
from collections.abc import Callable
from typing import Final

from inspect_kit.capture.protocols.reply import UNKNOWN, Parser, Reply, Status

NUMBER: Final = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
"""Decimal point always; never an exponent, a grouping sign, NaN or a bare point."""
_RIGHT_JUSTIFIED: Final = re.compile(rf" *([+-]?) *({NUMBER})", re.ASCII)
_LEADING_ZEROS: Final = re.compile(r"^0+(?=[0-9])", re.ASCII)
Reader = Callable[[re.Match[str]], Reply]
"""What a line of a form says."""


def first_match(*forms: tuple[str, Reader]) -> Parser:
    """Lines of several forms: the first whose pattern fits the whole line tells what it says."""
    compiled = [(re.compile(pattern, re.ASCII), read) for pattern, read in forms]

    def parse(line: str) -> Reply:
        return next((read(found) for pattern, read in compiled if (found := pattern.fullmatch(line))), UNKNOWN)

    return parse


def always(status: Status) -> Reader:
    """Lines of a form that say nothing else."""
    return lambda _: Reply(status)


def plain(sign: str, digits: str) -> str:
    """The number without leading zeros and plus sign, every other digit as sent."""
    return ("-" if sign == "-" else "") + _LEADING_ZEROS.sub("", digits)


def right_justified(field: str) -> str | None:
    """The number in a field that is filled with blanks on the left; the sign may stand at its beginning."""
    found = _RIGHT_JUSTIFIED.fullmatch(field)
    return plain(found[1], found[2]) if found else None
