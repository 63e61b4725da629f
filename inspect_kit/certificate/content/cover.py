"""The first page in words: title, verdict, what is wrong or open, identification, authorisation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from inspect_kit.certificate.content import model
from inspect_kit.certificate.content.findings import groups_of
from inspect_kit.certificate.content.sections import FULL, overlay_key, sections_of
from inspect_kit.certificate.content.wording import Wording, wording_for
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record, about_of, stated
from inspect_kit.judgement.verdict import Verdict, overall

_REFERENCE_DIGITS: Final = 16
"""Hexadecimal digits of the record's digest that are printed as its reference, in fours."""
_MOST_PLACES: Final = 4
"""Places of one clause that the first page names; the rest is counted."""
LONG_AGO: Final = 30
"""Days between an inspection and its issue from which on that is told: things wear, and gauges are recalibrated."""
_DECIDING: Final = (Verdict.FAILS, Verdict.UNDECIDED)


def content_of(
    record: Record, language: str, issue: model.Issue, pictures: tuple[model.Picture, ...] = ()
) -> model.Content:
    """Everything that the document says."""
    words = wording_for(language, record.wording)
    _refuse_contradiction(record, words)
    source = model.Source(record, words, issue, groups_of(record, words, full=issue.detail == FULL), pictures)
    return framed(record, words, issue, _cover(source), sections_of(source))


def framed(
    record: Record, words: Wording, issue: model.Issue, cover: model.Cover, sections: tuple[model.Section, ...] = ()
) -> model.Content:
    """The first page and the sections with what stands on every page."""
    good = record.verdict == Verdict.CONFORMS
    return model.Content(
        language=words.language,
        is_certificate=good,
        cover=cover,
        issuer=record.subject.issuer,
        reference_label=words.say("document.number" if issue.number else "document.reference"),
        reference=issue.number or reference_of(record),
        digest=words.say("document.digest", digest=reference_of(record)),
        page=words.frame["document.page"],
        band="" if good else words.say("document.band"),
        sections=sections,
        end_mark=words.say("document.end_certificate" if good else "document.end_report"),
        document_title=f"{cover.title} – {cover.item} – {record.subject.text}",
        author=record.subject.issuer or record.software,
        day=issue.issued_on or record.inspected_on,
    )


def _refuse_contradiction(record: Record, words: Wording) -> None:
    """A record that says `conforms` above lines that fail was not made by us, and gets no certificate."""
    if f"decision.{record.rule}" not in words.frame:
        raise BadInput("unknown-decision-rule", where="rule", rule=record.rule[:40])
    known = {verdict.value for verdict in Verdict}
    for number, line in enumerate(record.lines):
        if line.verdict not in known:
            raise BadInput("unknown-verdict", where=f"lines[{number}].verdict", verdict=line.verdict[:40])
    verdict = overall(Verdict(line.verdict) for line in record.lines)
    if record.verdict != verdict:
        raise BadInput("verdict-unlike-lines", where="verdict", verdict=record.verdict[:40], verdict2=verdict.value)


def reference_of(record: Record) -> str:
    """The start of the record's digest in groups of four: what identifies a document without a number."""
    start = record.digest[:_REFERENCE_DIGITS].upper()
    return " ".join(start[place : place + 4] for place in range(0, _REFERENCE_DIGITS, 4))


def item_of(record: Record, words: Wording) -> str:
    """What kind of thing was inspected, by its name."""
    return words.name("item", record.item.name or record.item.id)


@dataclass(frozen=True, slots=True)
class Findings:
    """What the first page says of the findings; `section` is where the boxes' readers find the rest."""

    statement: str
    tally: tuple[tuple[str, int | str], ...]
    boxes: Iterable[model.Box]
    section: str


def cover_of(
    record: Record, words: Wording, issue: model.Issue, findings: Findings, identification: Mapping[str, str]
) -> model.Cover:
    """The first page of any document; of the identification, only what is stated."""
    kind = "certificate" if record.verdict == Verdict.CONFORMS else "report"
    return model.Cover(
        title=words.say(f"document.{kind}"),
        item=item_of(record, words),
        subject=record.subject.text,
        verdict=record.verdict,
        verdict_word=words.say(f"overall.{record.verdict}"),
        statement=findings.statement,
        tally=findings.tally,
        tally_heading=words.say("tally.heading"),
        boxes=tuple(box for box in findings.boxes if box.entries),
        more=words.frame["box.more"].replace("{section}", words.say(findings.section)),
        identification=tuple(
            model.Field(words.say(f"field.{key}"), text) for key, text in identification.items() if text
        ),
        authorisation=_authorisation(record, words, issue),
    )


def _cover(source: model.Source) -> model.Cover:
    record, words, about = source.record, source.words, about_of(source.record)
    statement = words.say(f"statement.{record.verdict}", rules=rules_of(record, words))
    boxes = (_box(verdict, source) for verdict in _DECIDING)
    findings = Findings(statement, tuple(_tally(record, words)), boxes, "heading.results")
    stated = {
        "maker": about.maker, "serial": about.serial, "condition": record.subject.condition,
        "owner": record.subject.owner, "customer": about.customer, "contact": about.contact,
        "event": record.subject.event,
    }  # fmt: skip
    cover = cover_of(record, words, source.issue, findings, {**stated, **identification(record, words, source.issue)})
    return replace(cover, logo=about.logo, authorisation=replace(cover.authorisation, function=about.function))


def rules_of(record: Record, words: Wording) -> str:
    """The rules in a sentence, with their edition."""
    sheet = record.sheet
    return words.say("statement.rules", title=words.sentence(sheet.title), edition=words.sentence(sheet.edition))


def _tally(record: Record, words: Wording) -> Iterable[tuple[str, int]]:
    for verdict in Verdict:
        count = sum(line.missing or 1 for line in record.lines if line.verdict == verdict)
        if count or verdict in (Verdict.CONFORMS, Verdict.FAILS, Verdict.UNDECIDED):
            yield words.say(f"tally.{verdict}"), count


def _box(verdict: Verdict, source: model.Source) -> model.Box:
    entries = (_entry(group, verdict) for group in source.groups)
    return model.Box(verdict, source.words.say(f"box.{verdict}"), tuple(entry for entry in entries if entry.text))


def _entry(group: model.Group, verdict: Verdict) -> model.OpenClause:
    rows = [row for row in group.rows if row.mark.verdict == verdict]
    places = "; ".join(_place(row) for row in rows[:_MOST_PLACES])
    more = f"; … (+{len(rows) - _MOST_PLACES})" if len(rows) > _MOST_PLACES else ""
    return model.OpenClause(group.clause, group.name, group.requirement or group.sentence, places + more)


def _place(row: model.ResultRow) -> str:
    found = f"{row.label}: {row.result.text}" if row.label else row.result.text
    told = (found, row.mark.reason) if row.result.number or row.label or not row.mark.reason else (row.mark.reason,)
    return " – ".join(part for part in told if part)


def identification(record: Record, words: Wording, issue: model.Issue) -> dict[str, str]:
    """Where and when, by which rules and by whom: what a piece and a lot have in common."""
    subject, sheet, about = record.subject, record.sheet, about_of(record)

    def day(of: object, name: str) -> str:
        return words.day(getattr(of, name), where=name) if getattr(of, name) else ""

    return {
        "place": subject.place,
        "environment": about.environment,
        "received_on": day(about, "received_on"),
        "inspected_on": _inspected(record, words, issue),
        "issued_on": day(issue, "issued_on"),
        "valid_until": day(issue, "valid_until"),
        "valid_for": issue.valid_for,
        "rules": f"{words.sentence(sheet.title)} [{sheet.id}]",
        "edition": " – ".join(words.sentence(text) for text in (sheet.edition, stated(sheet.superseded)) if text),
        "disclaimer": words.sentence(sheet.disclaimer),
        "publisher": " – ".join(part for part in (sheet.body, sheet.publisher) if part),
        overlay_key(sheet, "overlay"): "; ".join(words.sentence(over.title) for over in sheet.overlays),
        "rule": words.frame.get(f"rule.{record.rule}", record.rule),
        "issuer": _issuer(record, words),
        "inspector": subject.inspector,
        "protest": about.protest,
        "replaces": issue.replaces,
        "replaced_because": issue.replaced_because,
    }


def _inspected(record: Record, words: Wording, issue: model.Issue) -> str:
    """The day of the inspection, and how long before the issue it lies where that is long."""
    day = words.day(record.inspected_on, where="inspected_on")
    if not issue.issued_on:
        return day
    words.day(issue.issued_on, where="issued_on")  # What is no date is refused by its name.
    days = days_between(record.inspected_on, issue.issued_on)
    return words.say("field.long_before", day=day, days=days) if days > LONG_AGO else day


def days_between(inspected: str, issued: str) -> int:
    """How many days an issue lies after its inspection."""
    return (date.fromisoformat(issued) - date.fromisoformat(inspected)).days


def _issuer(record: Record, words: Wording) -> str:
    """The issuer with its address, or that it is not known."""
    parts = (record.subject.issuer, record.subject.issuer_address)
    return ", ".join(part for part in parts if part) or words.say("document.issuer_unknown")


def _authorisation(record: Record, words: Wording, issue: model.Issue) -> model.Authorisation:
    """Who stands for a document, where and when."""
    subject, day = record.subject, words.day(issue.issued_on or record.inspected_on)
    return model.Authorisation(
        labels={key: words.say(f"authorisation.{key}") for key in ("heading", "place_date", "signature", "scan")},
        name=subject.inspector,
        place_date=", ".join(part for part in (subject.place, day) if part),
        signed_by=issue.signed_by,
        qr_text=issue.qr_text,
        qr_words=issue.qr_words,
    )
