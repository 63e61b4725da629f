"""The roster of an event: lists as clubs send them, a player by any part of the name, names that may be one person."""

import csv
import io
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import Final

from inspect_kit.capture.spreadsheet import read_table_text
from inspect_kit.checkin.roles import DeskRefusal
from inspect_kit.errors import BadInput
from inspect_kit.inspection.names import clean, name_key
from inspect_kit.registry.checkin.entries import PlayerSet, PlayersPiece

MOST_PLAYERS: Final = 5000
"""Rows of a list: the largest opens have some hundred players."""
_ALIKE: Final = 0.8
"""Share of letters in the same order above which two parts of a name may be one, mistyped: one slip in five letters."""
_LEAST_LETTERS: Final = 4
"""Shorter parts differ by one letter too often to ask each time: Jan and Jana, Eva and Ema."""
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "name": ("name", "player", "spieler", "jmeno", "hrac", "giocatore", "nome e cognome"),
    "family": ("surname", "family name", "last name", "nachname", "prijmeni", "cognome"),
    "given": ("first name", "given name", "vorname", "krestni jmeno", "nome"),
    "team": ("team", "club", "mannschaft", "verein", "tym", "klub", "squadra", "circolo", "country", "land"),
    "badge": ("badge", "code", "id", "number", "nr", "ausweis", "prukaz", "cartellino", "startnummer"),
}
"""What columns are called, small and without accents."""

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """One row of a list."""

    name: str
    team: str = ""
    badge: str = ""
    pieces: tuple[PlayersPiece, ...] = ()


@lru_cache(maxsize=20_000)
def bare(text: str) -> str:
    """Small letters without accents, which is how names are searched for."""
    plain = unicodedata.normalize("NFKD", text)
    return " ".join("".join(sign for sign in plain if not unicodedata.combining(sign)).casefold().split())


def rows_in(content: bytes) -> list[Row]:
    """The rows of a CSV, .xlsx or .ods file by their column names, small and without accents."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "list"
        path.write_bytes(content)
        try:
            text = read_table_text(path)
        except BadInput as problem:
            raise BadInput.of(problem.fault, where=path.name) from None
    head = text.lstrip().splitlines()[:1]
    if not head:
        raise DeskRefusal("players.no_name_column")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head[0].count))
    try:
        table = list(lines)
    except csv.Error:
        raise BadInput("not-csv", where=f"line {lines.line_num}") from None
    names = [bare(cell) for cell in table[0]]
    if len(table) > MOST_PLAYERS + 1:
        raise DeskRefusal("players.too_many", most=MOST_PLAYERS)
    return [dict(zip(names, (cell.strip() for cell in row), strict=False)) for row in table[1:] if any(row)]


def listed(rows: Iterable[Row], items: Mapping[str, str]) -> tuple[ListedPlayer, ...]:
    """The players in the rows; `items` gives the item by what its column is called."""
    found = tuple(_listed(row, items) for row in rows)
    if not found or not any(player.name for player in found):
        raise DeskRefusal("players.no_name_column")
    return tuple(player for player in found if player.name)


def _listed(row: Row, items: Mapping[str, str]) -> ListedPlayer:
    said = {part: next((row[name] for name in names if row.get(name)), "") for part, names in _COLUMNS.items()}
    # `Příjmení, Jméno`: beside a family name, a column that is called name holds the given one.
    first = said["given"] or (said["name"] if bare(said["family"]) not in bare(said["name"]) else "")
    whole = f"{first} {said['family']}" if said["family"] and first else said["name"] or said["given"] or said["family"]
    pieces = ((item, row[column]) for column, item in items.items() if row.get(column))
    return ListedPlayer(
        clean(whole, where="name"), clean(said["team"], where="team"), clean(said["badge"], where="badge"),
        tuple(PlayersPiece(item, clean(text, where=item)) for item, text in pieces),
    )  # fmt: skip


def matching(players: Iterable[PlayerSet], text: str, most: int) -> list[PlayerSet]:
    """Those in whose name, team or badge every word begins somewhere; the names that begin with it come first."""
    words = bare(text).split()
    found = [each for each in players if _holds(f"{each.name} {each.team} {each.badge}", words)]
    return sorted(found, key=lambda each: (not bare(each.name).startswith(words[0] if words else ""), each.name))[:most]


def _holds(text: str, words: Sequence[str]) -> bool:
    whole = f" {bare(text)}"
    return all(f" {word}" in whole for word in words)


def by_badge(players: Iterable[PlayerSet], text: str) -> PlayerSet | None:
    """The player with that badge."""
    wanted = bare(text)
    return next((each for each in players if wanted and wanted in (bare(each.badge), each.player.lower())), None)


def resembling(name: str, known: Iterable[str]) -> str:
    """A known name that may be the same person: by accents, the order of its parts, or a slip of the hand."""
    key = name_key(name)
    others = [each for each in known if each != name]
    same = next((each for each in others if name_key(each) == key), "")
    return same or next((each for each in others if _close(key, name_key(each))), "")


def _close(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """All parts but one the same, and that one nearly."""
    if len(one) < 2 or len(one) != len(other) or set(one).isdisjoint(other):
        return False
    left, right = Counter(one) - Counter(other), Counter(other) - Counter(one)
    if left.total() != 1 or right.total() != 1:
        return False
    mine, theirs = next(iter(left)), next(iter(right))
    long = min(len(mine), len(theirs)) >= _LEAST_LETTERS and mine.isalpha() and theirs.isalpha()
    return long and SequenceMatcher(None, mine, theirs).ratio() >= _ALIKE
