"""Notices from a file that somebody else may have written."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from inspect_kit.errors import BadInput, Notice, codes, error_codes, fact_names

_CODE: Final = re.compile(r"[a-z][a-z0-9-]{0,60}")
_MOST_FACTS: Final = 20
"""Facts of one notice: ours have five at most."""
_LONGEST_FACT: Final = 500
"""Characters of one fact: a path or a list of names."""
_DEEPEST: Final = 3
"""Notices within notices."""


def notices_in(data: object, where: str) -> tuple[Notice, ...]:
    """The notices of a file; codes that this version does not know are left to their sentences."""
    if not isinstance(data, Sequence) or isinstance(data, str) or len(data) > 10_000:
        raise BadInput("expected-list-notices", where=where)
    found = (_notice_in(entry, f"{where}[{number}]", 0) for number, entry in enumerate(data))
    return tuple(each for each in found if _known(each))


def _known(told: Notice) -> bool:
    """A code of ours with all the facts that its words need."""
    inner = [each for _, fact in told.facts if not isinstance(fact, str)
             for each in (fact if isinstance(fact, tuple) else (fact,))]  # fmt: skip
    named = {name for name, _ in told.facts}
    return told.code in (*codes(), *error_codes()) and fact_names(told.code) <= named and all(map(_known, inner))


def _notice_in(entry: Any, where: str, depth: int) -> Notice:
    if not isinstance(entry, Mapping) or depth > _DEEPEST:
        raise BadInput("expected-notice", where=where)
    code, facts = entry.get("code"), entry.get("facts", {})
    if not isinstance(code, str) or not _CODE.fullmatch(code) or not isinstance(facts, Mapping):
        raise BadInput("expected-notice", where=where)
    if len(facts) > _MOST_FACTS:
        raise BadInput("more-than-facts", where=where, most_facts=_MOST_FACTS)
    read = tuple((str(name)[:40], _fact_in(fact, f"{where}.{name}"[:200], depth)) for name, fact in facts.items())
    return Notice(code, read, str(entry.get("where", ""))[:_LONGEST_FACT])


def _fact_in(fact: Any, where: str, depth: int) -> str | Notice | tuple[Notice, ...]:
    if isinstance(fact, Mapping):
        return _notice_in(fact, where, depth + 1)
    if isinstance(fact, list):
        return tuple(_notice_in(each, where, depth + 1) for each in fact[:_MOST_FACTS])
    return str(fact)[:_LONGEST_FACT]
