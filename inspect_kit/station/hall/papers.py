"""Papers of a control desk: control sheets, rejections, labels, statistics, a table to export, a screen in the hall."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Final

from starlette.responses import Response

from inspect_kit.certificate.content.findings import groups_of
from inspect_kit.certificate.content.model import Group
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.issue.trust import suspected
from inspect_kit.certificate.pages.labels import STOCKS, draw_labels, sticker_of
from inspect_kit.checkin.certify import code_as_svg
from inspect_kit.checkin.progress import ThingState, state_of
from inspect_kit.csv_rows import harmless
from inspect_kit.inspection.record import open_record
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.registry.checkin.entries import EventSet
from inspect_kit.registry.checkin.store import DeskInspection, inspections
from inspect_kit.registry.search import find
from inspect_kit.station.rendering import safe
from inspect_kit.station.tickets import decides, pdf
from inspect_kit.station.web.visit import Refusal, Visit

_STOCKS: Final = ("62x29", "round-24", "a4-21", "a4-24", "avery-l7159", "avery-l7651", "avery-5160")
_MOST_LABELS: Final = 500
"""Labels of one print."""
_MOST_READ: Final = 600
"""Records opened for one page."""
_CALLED: Final = 24
"""Names that a screen in the hall holds."""


def seen_at(visit: Visit, event: EventSet) -> list[DeskInspection]:
    """All inspections of an event that count, the oldest first."""
    return visit.station.registry.ask(inspections, event.event)


def _printed(visit: Visit) -> str:
    return visit.station.now().strftime("%Y-%m-%d %H:%M")


def show_papers(visit: Visit) -> Response:
    """What can be printed and shown, and this desk's own address as a code for testers' phones."""
    event = visit.event()
    address = f"{'https' if visit.station.secure else 'http'}://{visit.request.headers.get('host', '')[:200]}/"
    owners = sorted({seen.owner for seen in seen_at(visit, event) if seen.owner})
    return visit.page(
        "papers.html", event=event, owners=owners, stocks=_STOCKS, address=address, code=safe(code_as_svg(address)),
        loopback=visit.station.loopback, check_code=safe(code_as_svg(f"{address}check")),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One piece on a control sheet, with what decided it."""

    seen: DeskInspection
    state: ThingState
    groups: tuple[Group, ...]


def _lines(visit: Visit, wanted: Iterable[DeskInspection], *, deciding: bool) -> Iterator[SheetLine]:
    with visit.station.registry.reading() as connection:
        for seen in list(wanted)[:_MOST_READ]:
            record = open_record(visit.station.registry.shelf.take(connection, seen.record))
            groups = groups_of(record, wording_for(visit.words.language, record.wording))
            kept = tuple(group for group in groups if decides(group) or not deciding)
            yield SheetLine(seen, state_of(seen.decision), kept)


def show_sheet(visit: Visit) -> Response:
    """The control sheet of one player: every piece, what was measured, and room for signatures."""
    event, owner = visit.event(), visit.query("owner").strip()
    mine = [seen for seen in seen_at(visit, event) if seen.owner == owner]
    return visit.page(
        "sheet.html", event=event, owner=owner, names=visit.item_names(), printed=_printed(visit),
        lines=list(_lines(visit, mine, deciding=False)),
    )  # fmt: skip


def show_rejections(visit: Visit) -> Response:
    """What was not admitted, with the clause, the value and the reason."""
    event = visit.event()
    wanted = [seen for seen in seen_at(visit, event) if state_of(seen.decision) is ThingState.FAILED]
    return visit.page(
        "rejections.html", event=event, names=visit.item_names(), printed=_printed(visit), total=len(wanted),
        lines=list(_lines(visit, wanted, deciding=True)),
    )  # fmt: skip


def show_labels(visit: Visit) -> Response:
    """All labels of the event at once, on the stock that was chosen; `skip` begins on a sheet that was used before."""
    event, stock = visit.event(), visit.query("stock")
    numbers = [seen.number for seen in seen_at(visit, event) if seen.number and not seen.override][:_MOST_LABELS]
    with visit.station.registry.reading() as connection:
        standings = [found for number in numbers if (found := find(connection, number)) is not None]
    bad = suspected(visit.station.home)
    valid = [each for each in standings if each.state(visit.station.today) == "valid" and each.number not in bad]
    if not valid:
        raise Refusal(404, "refused.no_certificate")
    issuer = visit.station.key.issuer.name if visit.station.key else ""
    skip = int(visit.query("skip")) if visit.query("skip").isdecimal() and len(visit.query("skip")) < 3 else 0
    chosen = STOCKS[stock] if stock in _STOCKS else STOCKS["a4-24"]
    stickers = [sticker_of(each, issuer, event.language) for each in valid]
    return pdf(draw_labels(stickers, chosen, skip % chosen.on_a_page), "labels")


_HEAD: Final = ("item", "piece", "player", "verdict", "state", "override", "reason", "attempt", "number", "recorded_by",
                "recorded_at", "decided_by", "decided_at", "ticket")  # fmt: skip


def export_table(visit: Visit) -> Response:
    """Every inspection that counts, a row each; opens in spreadsheets, whose formulas are kept out."""
    event = visit.event()
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_HEAD)
    for seen in seen_at(visit, event):
        row = (seen.item, seen.text, seen.owner, seen.verdict, state_of(seen.decision).value,
               "yes" if seen.override else "no", seen.because, seen.attempt, seen.number, seen.by, seen.at,
               seen.decided_by, seen.decided_at, seen.ticket)  # fmt: skip
        writer.writerow([harmless(str(cell)) for cell in row])
    headers = {"Content-Disposition": 'attachment; filename="inspections.csv"'}
    return Response("\ufeff" + out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


@dataclass(frozen=True, slots=True)
class ItemFigures:
    """What happened to one kind of thing."""

    item: str
    pieces: int
    approved: int
    failed: int
    open: int
    overrides: int
    again: int


def show_statistics(visit: Visit) -> Response:
    """Figures of the event: how many, what failed most often, how long a decision took."""
    event = visit.event()
    seen = seen_at(visit, event)
    failing = [each for each in seen if each.verdict != Verdict.CONFORMS]
    reasons: Counter[str] = Counter()
    for line in _lines(visit, failing, deciding=True):
        reasons.update({group.name for group in line.groups})
    spans = [tuple(map(datetime.fromisoformat, (each.at, each.decided_at))) for each in seen if each.decided_at]
    waits = [(until - since).total_seconds() / 60 for since, until in spans]
    hours = Counter(visit.words.time(each.at)[:13] + ":00" for each in seen)
    return visit.page(
        "statistics.html", event=event, names=visit.item_names(), figures=_figures(seen), printed=_printed(visit),
        reasons=reasons.most_common(12), wait=f"{median(waits):.0f}" if waits else "", hours=sorted(hours.items()),
        busiest=max(hours.values(), default=1), total=len(seen),
    )  # fmt: skip


def _figures(seen: list[DeskInspection]) -> list[ItemFigures]:
    found = []
    for item in dict.fromkeys(each.item for each in seen):
        mine = [each for each in seen if each.item == item]
        states = Counter(state_of(each.decision) for each in mine)
        waiting = states[ThingState.WAITING] + states[ThingState.CONDITIONAL]
        overrides, again = sum(bool(each.override) for each in mine), sum(each.attempt > 1 for each in mine)
        pieces, approved = len({(each.owner, each.text) for each in mine}), states[ThingState.APPROVED]
        found.append(ItemFigures(item, pieces, approved, states[ThingState.FAILED], waiting, overrides, again))
    return found


def show_screen(visit: Visit) -> Response:
    """For the hall: who is called to the desk, and whose things are ready; names and things, and no reasons."""
    event = visit.event()
    newest = {(seen.item, seen.text, seen.owner): seen for seen in seen_at(visit, event) if seen.owner}
    stands = [(seen, state_of(seen.decision)) for seen in newest.values()]
    called = [seen for seen, state in stands if state in (ThingState.CONDITIONAL, ThingState.FAILED)]
    ready = [seen for seen, state in stands if state is ThingState.APPROVED]
    ready.sort(key=lambda seen: seen.decided_at, reverse=True)
    return visit.page(
        "screen.html", event=event, called=called[-_CALLED:], ready=ready[:_CALLED], names=visit.item_names()
    )
