"""XML written as it goes, so that a long lot needs no tree in memory; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from xml.sax.saxutils import escape, quoteattr

_NOT_XML = frozenset(chr(code) for code in range(32) if chr(code) not in "\t\n\r") | {"\ufffe", "\uffff"}
"""Characters that XML 1.0 does not allow, surrogates aside."""


class Markup:
    """Elements one after the other; `taken` gives what was written since it was last asked."""

    def __init__(self) -> None:
        self._parts: list[str] = ['<?xml version="1.0" encoding="UTF-8"?>\n']
        self._depth = 0

    @contextmanager
    def element(self, path: str, **attributes: object) -> Iterator[None]:
        """An element around what is written inside; `a/b` is b within a, and the attributes are b's."""
        outer, _, name = path.rpartition("/")
        with self.element(outer) if outer else nullcontext():
            self._line(f"<{name}{_written(attributes)}>")
            self._depth += 1
            yield
            self._depth -= 1
            self._line(f"</{name}>")

    def leaf(self, path: str, text: object = None, /, **attributes: object) -> None:
        """An element with a text, or an empty one; `a/b` is b within a."""
        outer, _, name = path.rpartition("/")
        inner = f"{name}{_written(attributes)}"
        with self.element(outer) if outer else nullcontext():
            self._line(f"<{inner}/>" if text is None else f"<{inner}>{escape(_clean(str(text)))}</{name}>")

    def taken(self) -> bytes:
        """What was written so far, given away."""
        parts, self._parts = self._parts, []
        return "".join(parts).encode()

    def _line(self, text: str) -> None:
        self._parts.append("  " * self._depth + text + "\n")


def _written(attributes: dict[str, object]) -> str:
    """Attributes in the order given; `xmlns__dcc` is `xmlns:dcc`."""
    return "".join(f" {key.replace('__', ':')}={quoteattr(_clean(str(value)))}" for key, value in attributes.items())


def _clean(text: str) -> str:
    return "".join(sign for sign in text if sign not in _NOT_XML and not 0xD800 <= ord(sign) <= 0xDFFF)
