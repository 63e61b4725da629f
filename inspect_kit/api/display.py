"""How results show themselves in a notebook: tables and pictures as HTML, everything escaped."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

_MOST_ROWS: Final = 200
"""Rows of a table that a notebook shows; the rest is counted below it."""
_TONES: Final = {"conforms": "#1a7f37", "fails": "#cf222e", "undecided": "#9a6700"}


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows under their heads; more than a page holds are counted, not shown."""
    every = list(rows)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in every[:_MOST_ROWS])
    more = f"<p>… and {len(every) - _MOST_ROWS} more</p>" if len(every) > _MOST_ROWS else ""
    heads = "".join(f'<th scope="col" style="text-align:left">{escape(each)}</th>' for each in head)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    text = "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    tone = _TONES.get(text)
    return f'<td style="text-align:left{f";color:{tone};font-weight:bold" if tone else ""}">{escape(text)}</td>'


def picture(content: bytes, kind: str, alt: str) -> str:
    """A picture that is part of the page."""
    data = base64.b64encode(content).decode()
    return f'<img alt="{escape(alt)}" style="max-width:100%;height:auto" src="data:image/{kind};base64,{data}">'


def paragraph(text: str) -> str:
    """A sentence."""
    return f"<p>{escape(text)}</p>"
