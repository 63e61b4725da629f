"""What a check-in desk refuses, in the words of the station: the key of the sentence, and its gaps."""

from __future__ import annotations

from inspect_kit.certificate.content.wording import station_words
from inspect_kit.errors import ENGLISH, UsageError, worded_fact


class DeskRefusal(UsageError):
    """Something that only a desk can be told; `reports/wording/<language>/station.toml` says it."""

    def said(self, language: str = ENGLISH) -> str:
        """In a language."""
        facts = {name: worded_fact(fact, language) for name, fact in self.told.facts}
        return station_words(language)[self.told.code].format_map(facts)
