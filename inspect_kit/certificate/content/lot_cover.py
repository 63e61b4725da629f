"""The first page of a lot certificate in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from inspect_kit.certificate.content.cover import authorisation, reference_of
from inspect_kit.certificate.content.lot_sections import (
    MOST_PIECES,
    at_least,
    lot_remarks,
    name_of,
    requirement_of,
    result_text,
    short_plan,
)
from inspect_kit.certificate.content.model import Box, Content, Cover, Field, Issue, OpenClause, Running
from inspect_kit.certificate.content.wording import Wording
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.lot.record import Delivery, LotRecord, Nonconforming

_MOST_PLACES: Final = 4
"""Pieces of one clause that the first page names; the rest is counted."""
_MOST_ENTRIES: Final = 12
"""Entries of a box on the first page."""


def lot_content(record: LotRecord, words: Wording, issue: Issue) -> Content:
    """The frame of the document: everything but its sections."""
    good = record.verdict == Verdict.CONFORMS
    title = _title(record, words)
    return Content(
        language=words.language,
        is_certificate=good,
        cover=_cover(record, words, issue),
        running=Running(
            issuer=record.subject.issuer,
            title=title,
            reference_label=words.say("document.number" if issue.number else "document.reference"),
            reference=issue.number or reference_of(record),
            digest=words.say("document.digest", digest=reference_of(record)),
            page=words.frame["document.page"],
            band="" if good else words.say("document.band"),
        ),
        sections=(),
        end_mark=words.say("document.end_certificate" if good else "document.end_report"),
        document_title=f"{title} – {_item(record, words)} – {record.subject.text}",
        author=record.subject.issuer or record.software,
        day=issue.issued_on or record.inspected_on,
    )


def _title(record: LotRecord, words: Wording) -> str:
    return words.say("document.certificate" if record.verdict == Verdict.CONFORMS else "document.report")


def _item(record: LotRecord, words: Wording) -> str:
    return words.name("item", record.item.name or record.item.id)


def _cover(record: LotRecord, words: Wording, issue: Issue) -> Cover:
    sheet = record.sheet
    rules = words.say("statement.rules", title=words.sentence(sheet.title), edition=words.sentence(sheet.edition))
    section = words.say("heading.results")
    return Cover(
        title=_title(record, words),
        item=_item(record, words),
        subject=record.subject.text,
        verdict=record.verdict,
        verdict_word=words.say(f"overall.{record.verdict}"),
        statement=" ".join(
            (words.say(f"statement.{record.verdict}", rules=rules, section=section), *lot_remarks(record, words))
        ),
        tally=tuple(_tally(record, words)),
        tally_heading=words.say("tally.heading"),
        boxes=tuple(box for box in (_box(record, key, words) for key in ("fails", "undecided")) if box.entries),
        more=words.frame["box.more"].replace("{section}", words.say("heading.pieces")),
        identification=tuple(field for field in _identification(record, words, issue) if field.text),
        authorisation=authorisation(record.subject, record.inspected_on, words, issue),
    )


def _tally(record: LotRecord, words: Wording) -> Iterable[tuple[str, int | str]]:
    lot = record.lot
    # A piece that nobody looked at is among the undecided ones: it is told apart here.
    undecided = max(0, lot.undecided - lot.lacking)
    good = lot.inspected - lot.failed - undecided
    for verdict, count in (("conforms", good), ("fails", lot.failed), ("undecided", undecided)):
        yield words.say(f"tally.{verdict}"), count
    if lot.lacking:
        yield words.say("tally.not_inspected"), at_least(lot.lacking, lot, words)


def _box(record: LotRecord, verdict: str, words: Wording) -> Box:
    """The pieces by characteristic: the first few by name, the others counted."""
    odd = [piece for piece in record.lot.nonconforming[:MOST_PIECES] if piece.verdict == verdict]
    entries = []
    for series in record.lot.series:
        here = [piece for piece in odd if piece.characteristic == series.characteristic]
        if here:
            total = series.fail if verdict == Verdict.FAILS else series.undecided
            entries.append(
                OpenClause(
                    series.clause, name_of(series, words), requirement_of(series, words),
                    _places(here, total, record, words),
                )
            )  # fmt: skip
    return Box(verdict, words.say(f"box.{verdict}"), tuple(entries[:_MOST_ENTRIES]))


def _places(pieces: Sequence[Nonconforming], total: int, record: LotRecord, words: Wording) -> str:
    series = {part.characteristic: part for part in record.lot.series}
    shown = "; ".join(
        f"{piece.piece}: {result_text(piece, series[piece.characteristic], words)} – {_reason(piece, words)}"
        for piece in pieces[:_MOST_PLACES]
    )
    return f"{shown}; … (+{total - _MOST_PLACES})" if total > _MOST_PLACES else shown


def _reason(piece: Nonconforming, words: Wording) -> str:
    return words.say(f"reason.{piece.reason}")


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


def _identification(record: LotRecord, words: Wording, issue: Issue) -> Iterable[Field]:
    subject, sheet, lot = record.subject, record.sheet, record.lot
    texts = {
        "item": _item(record, words),
        "subject": subject.text,
        "owner": subject.owner,
        "lot_size": at_least(lot.size, lot, words),
        "inspected": words.number(Decimal(lot.inspected)),
        **_delivered(record, words),
        "covered": "; ".join(name_of(series, words) for series in lot.series),
        "plan": short_plan(record, words),
        "place": subject.place,
        "inspected_on": words.day(record.inspected_on, where="inspected_on"),
        "issued_on": words.day(issue.issued_on, where="issued_on") if issue.issued_on else "",
        "rules": f"{words.sentence(sheet.title)} [{sheet.id}]",
        "edition": words.sentence(sheet.edition),
        "publisher": " – ".join(part for part in (sheet.body, sheet.publisher) if part),
        "overlay": "; ".join(words.sentence(over.title) for over in sheet.overlays),
        "rule": words.frame.get(f"rule.{record.rule}", record.rule),
        "issuer": ", ".join(part for part in (subject.issuer, subject.issuer_address) if part)
        or words.say("document.issuer_unknown"),
        "inspector": subject.inspector,
        "replaces": issue.replaces,
        "replaced_because": issue.replaced_because,
    }
    return (Field(words.say(f"field.{key}"), text) for key, text in texts.items())
