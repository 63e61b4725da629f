"""A sheet: one edition of one federation's equipment rules, or a house's own, as frozen values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from inspect_kit.errors import Notice, UsageError, nearest, notice
from inspect_kit.rulebook.clause import Clause
from inspect_kit.values.formula import Formula
from inspect_kit.values.plausible import Plausible


class SheetAuthority(StrEnum):
    """Whose rules a sheet holds."""

    FEDERATION = "federation"
    HOUSE = "house"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class CheckAgain:
    """An occasion on which the rules want an item checked again."""

    clause: str
    when: str


@dataclass(frozen=True, slots=True)
class Pieces:
    """Of what an item is made: so many pieces as are counted, each judged by the clauses of its own item."""

    item: str
    counted_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A thing that is inspected as a whole and gets a certificate: a board, a coin set, a striker.

    A `piece` is one thing of which several may be inspected together: an instance is then a whole piece.
    """

    id: str
    name: str
    check_again: tuple[CheckAgain, ...] = ()
    piece: bool = False
    pieces: tuple[Pieces, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """What has to be said of an item so that it is known which clauses apply: of which type it is, how it is used."""

    characteristic: str
    item: str
    asks: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A sentence of the text about equipment that the sheet has no clause for, and why."""

    clause: str
    says: str
    because: str


@dataclass(frozen=True, slots=True)
class Derived:
    """A characteristic that is worked out from others."""

    characteristic: str
    formula: Formula


@dataclass(frozen=True, slots=True)
class Overlay:
    """A sheet laid over another: whose it is and why it differs."""

    id: str
    title: str
    because: str
    standing: SheetAuthority


Wording = Mapping[str, Mapping[str, str]]
"""Language → English sentence or characteristic → its wording; for sheets that bring their own."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One edition, complete: for an overlay the clauses in force, each naming the sheet it comes from."""

    id: str
    title: str
    body: str
    edition: str
    language: str
    standing: SheetAuthority
    clauses: tuple[Clause, ...]
    items: tuple[Item, ...]
    derived: tuple[Derived, ...] = ()
    publisher: str = ""
    disclaimer: str = ""
    prevails: str = ""
    """Which text holds in case of doubt, in a sentence."""
    superseded: str = ""
    """Which later editions there are, in a sentence."""
    since: date | None = None
    until: date | None = None
    overlays: tuple[Overlay, ...] = ()
    choices: tuple[Choice, ...] = ()
    plausible: Mapping[str, Plausible] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    wording: Wording = field(default_factory=dict)
    texts: tuple[bytes, ...] = ()
    """The files it was read from, the lowest first."""
    own: tuple[str, ...] = ()
    """The ids of those of them that are given as a federation's and are not shipped."""
    dropped: tuple[Clause, ...] = ()
    """Clauses that rules which are not shipped have taken out."""

    @property
    def digest(self) -> str:
        """The SHA-256 of its text, each one that lies over another taken together with that one's own."""
        from hashlib import sha256

        found = ""
        for text in self.texts:
            found = sha256(text + found.encode()).hexdigest()
        return found

    def item(self, item_id: str) -> Item:
        """The item of that name, or an error that suggests one."""
        for item in self.items:
            if item.id == item_id:
                return item
        names = [item.id for item in self.items]
        raise UsageError(
            "no-such-item",
            hint=nearest(item_id, names) or notice("there-are", names=", ".join(names)),
            id=self.id,
            item_id=item_id[:40],
        )

    def clauses_of(self, item_id: str) -> tuple[Clause, ...]:
        """The clauses of one item, in the order of the sheet."""
        return tuple(clause for clause in self.clauses if clause.item == item_id)

    def words_of(self, characteristic: str) -> tuple[str, ...]:
        """The words that answer a characteristic that only conditions ask for."""
        chosen = [choice.words for choice in self.choices if choice.characteristic == characteristic]
        wanted = [c.when.words for c in self.clauses if c.when is not None and c.when.characteristic == characteristic]
        return tuple(dict.fromkeys(word for words in (*chosen, *wanted) for word in words))

    def in_force(self, on: date) -> bool:
        """Whether the edition holds on that day, as far as its dates are known."""
        return (self.since is None or self.since <= on) and (self.until is None or on <= self.until)

    def cautions(self, item_id: str, on: date) -> Iterator[Notice]:
        """What a reader of a verdict should know of the rules it was found by."""
        if not self.in_force(on):
            yield notice("sheet-not-in-force", sheet=self.id, day=on.isoformat())
        yield from (notice("sheet-not-shipped", sheet=name) for name in self.own)
        items = (item_id, *(part.item for part in self.item(item_id).pieces))
        missed = [clause.characteristic for clause in self.dropped if clause.item in items and clause.binding]
        if missed:
            yield notice("left-out-by-house", sheet=self.id, names=", ".join(dict.fromkeys(missed)))


# Two editions side by side: what a referee has to know when the other one is in force.


class Change(StrEnum):
    """What differs, the weightiest first."""

    LIMITS = "limits"
    ONLY_A = "only-in-a"
    ONLY_B = "only-in-b"
    REQUIREMENT = "requirement"
    FORCE = "force"
    PRINT = "print"
    CLAUSE = "clause"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: either side's clause, and either side in words."""

    change: Change
    characteristic: str
    item: str
    before: str
    after: str
    clause_a: Clause | None = None
    clause_b: Clause | None = None


def diff(left: Sheet, right: Sheet) -> tuple[Difference, ...]:
    """All differences, numbers first, each group in the order of the sheets."""
    ours = {(clause.item, clause.characteristic): clause for clause in left.clauses}
    theirs = {(clause.item, clause.characteristic): clause for clause in right.clauses}
    found = [entry for key in {**ours, **theirs} for entry in _compare(ours.get(key), theirs.get(key))]
    order = list(Change)
    return tuple(sorted(found, key=lambda entry: order.index(entry.change)))


def _compare(left: Clause | None, right: Clause | None) -> Iterator[Difference]:
    if left is None or right is None:
        yield from _lone(left, right)
        return
    sides = (left, right)
    if _numbers(left) != _numbers(right):
        yield _difference(Change.LIMITS, sides, left.printed or left.kind, right.printed or right.kind)
    elif left.printed != right.printed:
        yield _difference(Change.PRINT, sides, left.printed, right.printed)
    if left.requires != right.requires:
        yield _difference(Change.REQUIREMENT, sides, left.requires, right.requires)
    if left.force != right.force or left.binding != right.binding:
        yield _difference(Change.FORCE, sides, _force(left), _force(right))
    if left.number != right.number:
        yield _difference(Change.CLAUSE, sides, left.number, right.number)


def _lone(left: Clause | None, right: Clause | None) -> Iterator[Difference]:
    if left is not None:
        yield _difference(Change.ONLY_A, (left, None), left.printed or left.requires, "")
    if right is not None:
        yield _difference(Change.ONLY_B, (None, right), "", right.printed or right.requires)


def _difference(change: Change, sides: tuple[Clause | None, Clause | None], before: str, after: str) -> Difference:
    known = sides[0] or sides[1]
    assert known is not None
    return Difference(change, known.characteristic, known.item, before, after, *sides)


def _numbers(clause: Clause) -> tuple[object, ...]:
    """What decides, in base units, so that 4.45 cm and 44.5 mm are the same."""
    return clause.limits, clause.bounds.nominal_in_base, clause.unit.base if clause.unit else ""


def _force(clause: Clause) -> str:
    return clause.force.value if clause.binding else f"{clause.force.value}, not binding"
