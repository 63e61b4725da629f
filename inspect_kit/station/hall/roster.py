"""The players of an event: found by any part of the name, added, corrected, read from a list; badges to print."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs
from starlette.responses import JSONResponse, Response

from inspect_kit.checkin.certify import code_as_svg
from inspect_kit.checkin.roles import Act, DeskRefusal
from inspect_kit.checkin.roster import ListedPlayer, bare, listed, matching, resembling, rows_in
from inspect_kit.inspection.names import clean, name_key
from inspect_kit.registry.checkin.entries import EventSet, PlayerSet, PlayersPiece
from inspect_kit.registry.checkin.roster import player_entries, roster, set_players
from inspect_kit.registry.checkin.store import inspections
from inspect_kit.rulebook.sheet import Item, Sheet
from inspect_kit.station.photos import PhotoWorkers
from inspect_kit.station.rendering import safe
from inspect_kit.station.web.visit import Visit, not_found, shown_again

_SHOWN = 200
"""Players on the page; a search finds the others."""
_OFFERED = 8
"""Players that are offered while a name is typed."""
_READING = 20.0
"""Seconds for a list of players."""


def show_players(visit: Visit, fault: str = "", done: str = "") -> Response:
    """The list, a search that needs no script, and a form for one more or for a correction."""
    event = visit.event()
    sheet = visit.station.sheet(event)
    asked, chosen = visit.query("q").strip(), visit.query("player") or visit.form.get("player", "")
    with visit.station.registry.reading() as connection:
        players = roster(connection, event.event)
        entries = player_entries(connection, event.event)
        seen = inspections(connection, event.event)
    of_owner = defaultdict(list)
    for each in seen:
        of_owner[each.owner].append(each)
    mine = next((each for each in players if each.player == chosen), None)
    names = {item.id: visit.words.item(item.name) for item in sheet.items}
    return visit.page(
        "players.html", 422 if fault else 200, event=event, sheet=sheet, asked=asked, total=len(players), mine=mine,
        players=matching(players, asked, _SHOWN), seen=of_owner, fault=fault, done=done, names=names,
        given=visit.form if fault else _as_form(mine, names), before=_names_before(entries, mine),
        items=_handed_in(event, sheet),
    )  # fmt: skip


def _as_form(player: PlayerSet | None, names: Mapping[str, str]) -> Mapping[str, str]:
    if player is None:
        return {}
    pieces = "\n".join(f"{names.get(piece.item, piece.item)}: {piece.text}" for piece in player.pieces)
    return {"name": player.name, "team": player.team, "badge": player.badge, "pieces": pieces}


def _names_before(entries: Iterable[tuple[object, PlayerSet]], mine: PlayerSet | None) -> str:
    """What a player was called before; nothing is forgotten."""
    names = [body.name for _, body in entries if mine and body.player == mine.player and body.name != mine.name]
    return ", ".join(dict.fromkeys(names))


def _handed_in(event: EventSet, sheet: Sheet) -> Sequence[Item]:
    """What players bring: the items with a quota; where none has one, what the event expects."""
    quotas = {each.item for each in event.expected if each.per_player}
    wanted = quotas or {each.item for each in event.expected}
    return [item for item in sheet.items if item.id in wanted] or sheet.items[:3]


def find_players(visit: Visit) -> Response:
    """For the desk's field while somebody types: the first few, with their teams and pieces."""
    found = matching(visit.station.roster(visit.event().event), visit.query("q")[:80], _OFFERED)
    pieces = [[piece.text for piece in each.pieces if piece.item == visit.query("item")] for each in found]
    return JSONResponse(
        [{"name": each.name, "team": each.team, "badge": each.badge, "pieces": texts}
         for each, texts in zip(found, pieces, strict=True)]
    )  # fmt: skip


@shown_again(show_players)
def change_player(visit: Visit) -> Response:
    """Add a player, correct one, or take one off the list; what was there stays in the chain."""
    event = visit.event()
    set_players(visit.station.registry, [_changed(visit, event)], visit.station.now(), visit.station.seal)
    return visit.go(f"/events/{event.event}/players")


def _changed(visit: Visit, event: EventSet) -> PlayerSet:
    form, players = visit.form, visit.station.roster(event.event)
    there = next((each for each in players if each.player == form.get("player", "")), None)
    if form.get("player") and there is None:
        raise not_found()
    if "remove" in form and there is not None:
        return structs.replace(there, active=False, by=visit.person.name)
    name = clean(form.get("name", ""), where=visit.words("people.name"), needed=True)
    wanted = ListedPlayer(
        name, clean(form.get("team", ""), where=visit.words("players.team")),
        clean(form.get("badge", ""), where=visit.words("players.badge")), _pieces(visit, event),
    )  # fmt: skip
    others = [each for each in players if each != there]
    _check_badge(wanted, others)
    like = resembling(name, (each.name for each in others)) or next((e.name for e in others if e.name == name), "")
    if like and "other_player" not in form:
        raise DeskRefusal("players.alike", name=like)
    return _body(visit, event, wanted, there)


def _pieces(visit: Visit, event: EventSet) -> tuple[PlayersPiece, ...]:
    columns = _columns(visit, visit.station.sheet(event))
    found = []
    for line in visit.form.get("pieces", "").splitlines()[:20]:
        item, _, text = line.partition(":")
        if text.strip() and bare(item) in columns:
            found.append(PlayersPiece(columns[bare(item)], clean(text, where=visit.words("players.pieces"))))
    return tuple(found)


def _check_badge(wanted: ListedPlayer, others: Iterable[PlayerSet]) -> None:
    for each in others:
        if wanted.badge and bare(each.badge) == bare(wanted.badge):
            raise DeskRefusal("players.badge_taken", badge=each.badge, name=each.name)


def _body(visit: Visit, event: EventSet, wanted: ListedPlayer, there: PlayerSet | None) -> PlayerSet:
    player = there.player if there else visit.station.ticket()
    return PlayerSet(event.event, player, wanted.name, visit.person.name, wanted.team, wanted.badge, wanted.pieces)


def _columns(visit: Visit, sheet: Sheet) -> dict[str, str]:
    """What columns of a list may be called: an item's code, or its name in this language and in English."""
    found = {bare(item.id): item.id for item in sheet.items}
    return found | {bare(name): item.id for item in sheet.items for name in (item.name, visit.words.item(item.name))}


@shown_again(show_players)
def import_players(visit: Visit) -> Response:
    """Players from a list; one who is there already is changed, and nobody is taken off."""
    event = visit.event()
    workers: PhotoWorkers = visit.request.app.state.workers
    rows = workers.opening.do(_READING, rows_in, visit.files.get("list", b""))
    wanted = listed(rows, _columns(visit, visit.station.sheet(event)))
    known = {each.player for each in visit.station.roster(event.event)}
    bodies, same = _merged(visit, event, wanted)
    set_players(visit.station.registry, bodies, visit.station.now(), visit.station.seal)
    changed = sum(each.player in known for each in bodies)
    done = visit.words("players.imported", new=len(bodies) - changed, changed=changed, same=same)
    twice = _twice(visit.station.roster(event.event))
    return show_players(visit, done=f"{done} {visit.words('players.twice', names=twice)}" if twice else done)


def _twice(players: Iterable[PlayerSet]) -> str:
    """Players whose names differ by accents or order only, who may be one person; the first of them."""
    alike = defaultdict(list)
    for each in players:
        alike[name_key(each.name)].append(each.name)
    return "; ".join([" = ".join(names) for names in alike.values() if len(names) > 1][:_OFFERED])


def _merged(visit: Visit, event: EventSet, wanted: Iterable[ListedPlayer]) -> tuple[list[PlayerSet], int]:
    """Rows against the roster: by badge, else by name."""
    players = {each.player: each for each in visit.station.roster(event.event)}
    bodies, same = dict[str, PlayerSet](), 0
    for row in wanted:
        there = _found(players.values(), row)
        body = _body(visit, event, row, there)
        if there is not None and structs.replace(body, by=there.by) == there:
            same += 1
            continue
        bodies[body.player] = players[body.player] = body
    return list(bodies.values()), same


def _found(players: Iterable[PlayerSet], row: ListedPlayer) -> PlayerSet | None:
    everybody = list(players)
    badge = next((each for each in everybody if row.badge and bare(each.badge) == bare(row.badge)), None)
    return badge or next((each for each in everybody if each.name == row.name and each.team == row.team), None)


def show_badges(visit: Visit) -> Response:
    """A badge a player, with a code that the desk's scanner types."""
    event = visit.event()
    codes = [(each, safe(code_as_svg(each.badge or each.player))) for each in visit.station.roster(event.event)]
    return visit.page("badges.html", event=event, badges=codes, may_record=visit.may(Act.RECORD))
