"""JSON of strangers: what is ambiguous, without bounds or no text is refused with a sentence, at every door alike."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from inspect_kit.errors import BadInput

MAX_POWER: Final = 60
"""Powers of ten beyond which a number is no measurement."""
MOST_DIGITS: Final = 60
"""Digits of one whole number."""


def parse_json(text: str | bytes, where: str, real: Callable[[str], object] = Decimal) -> Any:
    """The data of a file; `real` makes its numbers with a point or exponent."""
    import json

    try:
        told = text if isinstance(text, str) else text.decode("utf-8-sig")
        data = json.loads(
            told, parse_float=lambda number: real(str(bounded(number))), parse_int=_whole,
            parse_constant=_refuse_constant, object_pairs_hook=_once_each,
        )  # fmt: skip
        _refuse_half_characters(told, data)
    except BadInput as problem:
        raise BadInput.of(problem.fault, where=where) from None
    except json.JSONDecodeError as problem:
        raise BadInput("not-json-at", where=where, line=problem.lineno, column=problem.colno) from None
    except (ValueError, RecursionError):
        raise BadInput("not-json", where=where) from None
    return data


def misfit(problem: Exception) -> str:
    """Where in a document something does not fit its form (`$.sheet.id`), out of the words of who decodes it."""
    at, key = re.search(r"- at `(\S+)`", str(problem)), re.search(r"(?:required|unknown) field `([^`]+)`", str(problem))
    return (at[1] if at else "$") + (f".{key[1][:40]}" if key else "")


def bounded(number: str) -> Decimal:
    """A number as a file writes it, if it can be one that was measured."""
    try:
        value = Decimal(number)
    except ArithmeticError:
        raise BadInput("exponent-too-large") from None
    if not value.is_finite():
        raise BadInput("not-number", word=number[:20])
    if value and abs(value.adjusted()) > MAX_POWER:
        raise BadInput("exponent-too-large")
    return value


def _whole(number: str) -> int:
    if len(number) > MOST_DIGITS:
        raise BadInput("number-too-long", digits=MOST_DIGITS)
    return int(number)


def _refuse_constant(word: str) -> None:
    raise BadInput("not-number", word=word)


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys stand once: of two values for one thing nobody knows which was meant."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput("stands-twice-one-object", twice=twice[:40])
    return found


def _refuse_half_characters(text: str, data: object) -> None:
    """Half of a pair of surrogates is no character: it can neither be stored nor printed."""
    import json

    try:
        # Only an escape can make one out of a text that holds none.
        (json.dumps(data, ensure_ascii=False, default=str) if "\\ud" in text.lower() else text).encode()
    except UnicodeEncodeError:
        raise BadInput("half-character") from None
