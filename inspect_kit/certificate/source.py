"""All that a certificate is made from, on its way into words."""

from __future__ import annotations

from dataclasses import dataclass

from inspect_kit.certificate.content import Group, Picture
from inspect_kit.certificate.issue import Issue
from inspect_kit.certificate.wording import Wording
from inspect_kit.inspection.record import Line, Record
from inspect_kit.judgement.finding import Verdict


@dataclass(frozen=True, slots=True)
class Source:
    """A record with its language, its issue and its pictures; `groups` are its findings in words."""

    record: Record
    words: Wording
    issue: Issue
    groups: tuple[Group, ...]
    pictures: tuple[Picture, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that apply to the item."""
        return applied(self.record)


def applied(record: Record) -> tuple[Line, ...]:
    """The lines of a record without those that do not apply to the item."""
    return tuple(line for line in record.lines if line.verdict != Verdict.NOT_APPLICABLE)
