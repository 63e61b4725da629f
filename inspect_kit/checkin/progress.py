"""How far an event has come: what is approved, failed, conditional, waiting, and not yet seen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from inspect_kit.checkin.roles import Decision
from inspect_kit.registry.checkin.store import WITHDRAWN, DeskInspection


class ThingState(StrEnum):
    """Where a thing stands."""

    APPROVED = "approved"
    FAILED = "failed"
    CONDITIONAL = "conditional"
    WAITING = "waiting"
    UNSEEN = "unseen"


_STATES: Final[Mapping[str, ThingState]] = {
    "": ThingState.WAITING,
    Decision.APPROVE: ThingState.APPROVED,
    Decision.REJECT: ThingState.FAILED,
    Decision.CONDITION: ThingState.CONDITIONAL,
    WITHDRAWN: ThingState.WAITING,
}


def state_of(decision: str) -> ThingState:
    """Where a thing stands after its last decision; without one it waits."""
    return _STATES[decision]


@dataclass(frozen=True, slots=True)
class EventThing:
    """One thing of the event with its newest inspection."""

    item: str
    text: str
    owner: str
    state: ThingState
    ticket: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many things of an item stand where."""

    item: str
    counts: Mapping[ThingState, int]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.counts.values())

    @property
    def share(self) -> int:
        """How many in a hundred are approved."""
        return 100 * self.counts[ThingState.APPROVED] // self.total if self.total else 0


def things(expected: Iterable[tuple[str, str]], inspected: Iterable[DeskInspection]) -> tuple[EventThing, ...]:
    """Every thing that was announced or has come, by its newest inspection; `inspected` is in the order of time."""
    newest = {(item, text, ""): EventThing(item, text, "", ThingState.UNSEEN) for item, text in expected}
    for each in inspected:
        key = (each.item, each.text, "" if (each.item, each.text, "") in newest else each.owner)
        newest[key] = EventThing(each.item, each.text, each.owner, state_of(each.decision), each.ticket, each.number)
    return tuple(newest.values())


def tallies(all_things: Iterable[EventThing]) -> tuple[Tally, ...]:
    """Counts by item, in the order in which items first appear."""
    counts: dict[str, dict[ThingState, int]] = {}
    for thing in all_things:
        row = counts.setdefault(thing.item, dict.fromkeys(ThingState, 0))
        row[thing.state] += 1
    return tuple(Tally(item, row) for item, row in counts.items())


def labels(item_name: str, count: int) -> tuple[str, ...]:
    """What the announced things of an item are called: Board 1, Board 2, …"""
    return tuple(f"{item_name} {number}" for number in range(1, count + 1))
