"""Why somebody does not get the page they asked for."""

from __future__ import annotations


class Refusal(Exception):
    """The answer's status and the key of its sentence in the wording."""

    def __init__(self, status: int, key: str, sentence: str = "") -> None:
        self.status = status
        self.key = key
        self.sentence = sentence
        super().__init__(f"{status} {key}")


def not_found() -> Refusal:
    """Nothing here, or nothing for this person: the two look the same, so that nobody can guess."""
    return Refusal(404, "refused.not_found")
