"""A lot certificate in words: its first page, its own sections, and those that every certificate has."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from inspect_kit.certificate.content import lot_sections
from inspect_kit.certificate.content.cover import Findings, cover_of, framed, identification, item_of, rules_of
from inspect_kit.certificate.content.model import Box, Content, Issue, OpenClause, Paragraph, Section, Source
from inspect_kit.certificate.content.sections import sections_of
from inspect_kit.certificate.content.wording import Wording
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.lot.record import Delivery, LotRecord, MeasuredSeries, Nonconforming
from inspect_kit.quality.lot.study import LotStudy

_MOST_PLACES: Final = 4
"""Pieces of one clause that the first page names; the rest is counted."""
_MOST_ENTRIES: Final = 12
"""Entries of a box on the first page."""
_MOST_PHOTOS: Final = 60
"""Photographs that are named one by one; of more, their number."""


def lot_content(record: LotRecord, studies: Sequence[LotStudy], words: Wording, issue: Issue) -> Content:
    """Everything that the document says; its sections begin on the second page."""
    facts = {"rules": rules_of(record, words), "section": words.say("heading.results")}
    statement = " ".join((words.say(f"statement.{record.verdict}", **facts), *lot_sections.lot_remarks(record, words)))
    boxes = (_box(record, key, words) for key in ("fails", "undecided"))
    findings = Findings(statement, tuple(_tally(record, words)), boxes, "heading.pieces")
    cover = cover_of(record, words, issue, findings, _identification(record, words, issue))
    first, *own = lot_sections.lot_sections(record, studies, words)
    common = _common(record, words, issue)
    return framed(record, words, issue, cover, (replace(first, new_page=True), *own, *common))


def _common(record: LotRecord, words: Wording, issue: Issue) -> Iterator[Section]:
    """What every certificate has; when a single piece must be inspected again is no matter of a lot."""
    for section in sections_of(Source(record, words, issue, ())):
        if section.heading == words.say("heading.photos") and len(record.photos) > _MOST_PHOTOS:
            yield Section(section.heading, (Paragraph(words.say("pieces.photos", number=len(record.photos))),))
        elif section.heading != words.say("heading.again"):
            yield section


def _tally(record: LotRecord, words: Wording) -> Iterable[tuple[str, int | str]]:
    lot = record.lot
    # A piece that nobody looked at is among the undecided ones: it is told apart here.
    undecided = max(0, lot.undecided - lot.lacking)
    good = lot.inspected - lot.failed - undecided
    for verdict, count in (("conforms", good), ("fails", lot.failed), ("undecided", undecided)):
        yield words.say(f"tally.{verdict}"), count
    if lot.lacking:
        yield words.say("tally.not_inspected"), lot_sections.at_least(lot.lacking, lot, words)


def _box(record: LotRecord, verdict: str, words: Wording) -> Box:
    """The pieces by characteristic: the first few by name, the others counted."""
    odd = [piece for piece in record.lot.nonconforming[: lot_sections.MOST_PIECES] if piece.verdict == verdict]
    entries = []
    for series in record.lot.series:
        here = [piece for piece in odd if piece.characteristic == series.characteristic]
        if here:
            total = series.fail if verdict == Verdict.FAILS else series.undecided
            named = (series.clause, lot_sections.name_of(series, words), lot_sections.requirement_of(series, words))
            entries.append(OpenClause(*named, _places(here, total, series, words)))
    return Box(verdict, words.say(f"box.{verdict}"), tuple(entries[:_MOST_ENTRIES]))


def _places(pieces: Sequence[Nonconforming], total: int, series: MeasuredSeries, words: Wording) -> str:
    shown = "; ".join(
        f"{piece.piece}: {lot_sections.result_text(piece, series, words)} – {words.say(f'reason.{piece.reason}')}"
        for piece in pieces[:_MOST_PLACES]
    )
    return f"{shown}; … (+{total - _MOST_PLACES})" if total > _MOST_PLACES else shown


def _delivered(record: LotRecord, words: Wording) -> dict[str, str]:
    """Customer, order and article, as stated."""
    found = record.lot.delivery
    if not isinstance(found, Delivery):
        return {}
    return {
        "customer": found.customer, "order": found.order, "article": found.article, "drawing": found.drawing,
        "delivered": "" if found.delivered is None else words.number(Decimal(found.delivered)),
        "independence": words.say("delivery.independent") if found.independent else "",
    }  # fmt: skip


def _identification(record: LotRecord, words: Wording, issue: Issue) -> dict[str, str]:
    lot = record.lot
    return {
        "item": item_of(record, words),
        "subject": record.subject.text,
        "owner": record.subject.owner,
        "lot_size": lot_sections.at_least(lot.size, lot, words),
        "inspected": words.number(Decimal(lot.inspected)),
        **_delivered(record, words),
        "covered": "; ".join(lot_sections.name_of(series, words) for series in lot.series),
        "plan": lot_sections.short_plan(record, words),
        **identification(record, words, issue),
    }
