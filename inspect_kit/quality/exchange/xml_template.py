"""XML by a template of `reports/layout/`, written as it goes so that a long lot is never whole in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from markupsafe import Markup

from inspect_kit.places import shipped

if TYPE_CHECKING:
    from jinja2 import Environment

_NOT_XML: Final = frozenset(chr(code) for code in range(32) if chr(code) not in "\t\n\r") | {"\ufffe", "\uffff"}
"""Characters that XML 1.0 does not allow, surrogates aside."""
_TOGETHER: Final = 5_000
"""Texts after which what was written is handed on."""


def filled(template: str, **facts: object) -> Iterator[bytes]:
    """The template's text, some of it at a time; whatever is put into it is escaped."""
    stream = _templates().get_template(template).stream(facts)
    stream.enable_buffering(_TOGETHER)
    return (part.encode() for part in stream)


@cache
def _templates() -> Environment:
    # Loaded only where a lot is exported.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    # Jinja's own escaping is for HTML; `finalize` gets every value and escapes it for XML.
    environment = Environment(  # noqa: S701
        loader=FileSystemLoader(shipped("reports") / "layout"), finalize=_escaped, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, auto_reload=False,
    )  # fmt: skip
    environment.filters["quoted"] = _quoted
    return environment


def _escaped(value: object) -> str:
    return value if isinstance(value, Markup) else escape(_clean(str(value)))


def _quoted(value: object) -> Markup:
    """A text as an attribute, in its quotes."""
    return Markup(quoteattr(_clean(str(value))))  # noqa: S704 (escaped for XML)


def _clean(text: str) -> str:
    return "".join(sign for sign in text if sign not in _NOT_XML and not 0xD800 <= ord(sign) <= 0xDFFF)
