"""Who may do what at an event: the tester records, the chief referee decides, a viewer only looks up."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from inspect_kit.certificate.content.wording import station_words
from inspect_kit.errors import ENGLISH, UsageError, worded_fact
from inspect_kit.judgement.verdict import Verdict


class Role(StrEnum):
    """A person's part. ITTF leaflet T9: a tester can neither validate nor disqualify."""

    VIEWER = "viewer"
    TESTER = "tester"
    REFEREE = "referee"


class Act(StrEnum):
    """What can be done."""

    LOOK_UP = "look-up"
    RECORD = "record"
    DECIDE = "decide"
    SET_UP = "set-up"


class Decision(StrEnum):
    """What a referee can decide; a condition is to play now and be inspected after the match."""

    APPROVE = "approve"
    REJECT = "reject"
    CONDITION = "condition"


_ALLOWED: Final = {
    Role.VIEWER: frozenset({Act.LOOK_UP}),
    Role.TESTER: frozenset({Act.LOOK_UP, Act.RECORD}),
    Role.REFEREE: frozenset(Act),
}

_EXPECTED: Final = {
    Decision.APPROVE: frozenset({Verdict.CONFORMS}),
    Decision.REJECT: frozenset({Verdict.FAILS, Verdict.UNDECIDED}),
    Decision.CONDITION: frozenset({Verdict.UNDECIDED}),
}
"""The verdicts that a decision follows from; beside any other it is an override."""


def allowed(role: str, act: Act) -> bool:
    """Whether a role may act so; an unknown role may nothing."""
    return role in _ALLOWED and act in _ALLOWED[Role(role)]


def overrides(decision: Decision, verdict: str) -> bool:
    """Whether the decision goes against what was measured."""
    return verdict not in _EXPECTED[decision]


def check_decision(decision: Decision, verdict: str, because: str) -> None:
    """An override needs its reason, which is printed."""
    if overrides(decision, verdict) and not because:
        raise UsageError("decision-goes-against-verdict-say", where="because")


def check_four_eyes(recorded_by: str, decided_by: str, *, wanted: bool) -> None:
    """Where an event wants four eyes, nobody decides on what they have recorded."""
    if wanted and recorded_by == decided_by:
        raise UsageError("event-wants-four-eyes-somebody")


class PeopleFault(StrEnum):
    """Why a person's part may not be changed so; the code of the sentence that says it."""

    OTHER_EVENTS = "people.other_events"
    LAST_CHIEF = "people.last_chief"
    NOT_ALLOWED = "people.not_allowed"


@dataclass(frozen=True, slots=True)
class PersonsPart:
    """A person's part: their role, the events they are limited to (none: all), and whether they are still here."""

    role: str
    events: tuple[str, ...] = ()
    active: bool = True

    @property
    def is_chief(self) -> bool:
        """A referee for all events."""
        return self.active and self.role == Role.REFEREE and not self.events


def change_fault(
    actor: PersonsPart, target: PersonsPart | None, wanted: PersonsPart, others: Iterable[PersonsPart]
) -> PeopleFault | None:
    """Why `actor` may not make `target` (nobody yet: `None`) into `wanted`; `others` are all but the target."""
    if not actor.active or not allowed(actor.role, Act.SET_UP):
        return PeopleFault.NOT_ALLOWED
    if actor.events and not all(_within(each, actor) for each in (target, wanted) if each is not None):
        return PeopleFault.OTHER_EVENTS
    demoted = target is not None and target.is_chief and not wanted.is_chief
    return PeopleFault.LAST_CHIEF if demoted and not any(each.is_chief for each in others) else None


def _within(who: PersonsPart, actor: PersonsPart) -> bool:
    """Whether somebody is limited to events that are the actor's too."""
    return bool(who.events) and set(who.events) <= set(actor.events)


# Who may do what at an event.


class DeskRefusal(UsageError):
    """Something that only a desk can be told; `reports/wording/<language>/station.toml` says it."""

    def said(self, language: str = ENGLISH) -> str:
        """In a language."""
        facts = {name: worded_fact(fact, language) for name, fact in self.told.facts}
        return station_words(language)[self.told.code].format_map(facts)
