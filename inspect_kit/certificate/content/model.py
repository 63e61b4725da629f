"""What each page of a certificate says, in words and numbers, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inspect_kit.certificate.content.wording import Wording
from inspect_kit.inspection.record import Line, Record
from inspect_kit.judgement.verdict import Reason, Verdict

if TYPE_CHECKING:
    from inspect_kit.quality.drawing import Draw


@dataclass(frozen=True, slots=True)
class Field:
    """A label and what stands behind it."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class VerdictMark:
    """The verdict on one row: its code, its word, and why."""

    verdict: str
    word: str
    reason: str


@dataclass(frozen=True, slots=True)
class Scale:
    """What a gauge drawing shows, as plain numbers in the unit of the row."""

    value: float
    expanded: float
    lower: float | None
    upper: float | None
    nominal: float | None
    guarded: bool


@dataclass(frozen=True, slots=True)
class Result:
    """A value, its uncertainty and unit as printed; or a word where something was observed."""

    number: str = ""
    expanded: str = ""
    unit: str = ""
    word: str = ""

    @property
    def text(self) -> str:
        """All in one line, the unit at the end."""
        figures = "\u00a0".join(part for part in (self.number, self.expanded) if part)
        return figures + self.unit if self.number else self.word


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One finding."""

    label: str
    result: Result
    mark: VerdictMark
    scale: Scale | None = None
    means: str = ""
    """By what it was found, in a few letters."""


@dataclass(frozen=True, slots=True)
class Group:
    """All findings of one clause on one characteristic."""

    clause: str
    characteristic: str
    name: str
    requirement: str
    sentence: str
    details: tuple[str, ...]
    notes: tuple[int, ...]
    rows: tuple[ResultRow, ...]
    spread: str = ""
    """The uncertainty that all values of a grid have; then it is said once."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Columned:
    """Paragraphs set in two columns."""

    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels with their texts beside them, below a small title if there is one."""

    fields: tuple[Field, ...]
    label_share: float = 0.28
    title: str = ""


@dataclass(frozen=True, slots=True)
class ListingColumn:
    """A column of a listing: its head and its share of the width."""

    title: str
    share: float


def columns_of(words: Wording, *titles: tuple[str, float]) -> tuple[ListingColumn, ...]:
    """Columns by the codes of their heads and their shares of the width."""
    return tuple(ListingColumn(words.say(key if "." in key else f"column.{key}"), share) for key, share in titles)


@dataclass(frozen=True, slots=True)
class Listing:
    """A plain table; `ruled` sets a hairline above every row, where rows are tall."""

    columns: tuple[ListingColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    ruled: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """The table of findings with its column heads and the keys to its drawings and letters."""

    heads: tuple[str, ...]
    groups: tuple[Group, ...]
    legend: str


@dataclass(frozen=True, slots=True)
class Tag:
    """A value at its place on the drawing of a board."""

    characteristic: str
    instance: str
    text: str
    verdict: str


@dataclass(frozen=True, slots=True)
class BoardPlan:
    """The drawing of a carrom board with its values; `words` are its labels."""

    tags: tuple[Tag, ...]
    words: dict[str, str]


OVERLAY: Final = "overlay:"
"""Before a photo's digest: the key of the picture in which its measurements are drawn, printed in the photo's place."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A photograph, by the key it was given under, and its caption."""

    key: str
    caption: str
    small: bool = False
    """Whether it shows a single number and is printed small."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Photographs with their captions."""

    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing over the width of the page; its own words and numbers are in a language."""

    draw: Draw
    millimetres: float
    caption: str
    language: str


Block = Paragraph | Columned | Facts | Listing | Results | BoardPlan | Pictures | Plot


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it."""

    heading: str
    blocks: tuple[Block, ...]
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class OpenClause:
    """One clause that fails or is open, for the box on the first page."""

    clause: str
    name: str
    requirement: str
    text: str


@dataclass(frozen=True, slots=True)
class Box:
    """What does not conform, or what is still open. `more` has a gap for the number of entries that found no room."""

    verdict: str
    heading: str
    entries: tuple[OpenClause, ...]


@dataclass(frozen=True, slots=True)
class Authorisation:
    """Who stands for the document, and where the signature goes."""

    labels: dict[str, str]
    """`heading`, `place_date`, `signature`, `scan`."""
    name: str
    place_date: str
    signed_by: str
    qr_text: str
    qr_words: str = ""
    function: str = ""
    """What the signatory is there, such as chief referee."""


@dataclass(frozen=True, slots=True)
class Cover:
    """The first page."""

    title: str
    item: str
    subject: str
    verdict: str
    verdict_word: str
    statement: str
    tally: tuple[tuple[str, int | str], ...]
    tally_heading: str
    boxes: tuple[Box, ...]
    more: str
    identification: tuple[Field, ...]
    authorisation: Authorisation
    logo: str = ""
    """Digest of the issuer's logo."""


@dataclass(frozen=True, slots=True)
class Content:
    """A certificate, or a report that must not be mistaken for one."""

    language: str
    is_certificate: bool
    cover: Cover
    issuer: str
    reference_label: str
    reference: str
    digest: str
    page: str
    """At the foot of every page, with gaps for the numbers."""
    band: str
    """On every page of what is no certificate."""
    sections: tuple[Section, ...]
    end_mark: str
    document_title: str
    author: str
    day: str


# What an issuing body adds to a record: number, dates, the QR code's text. All of it optional.


@dataclass(frozen=True, slots=True)
class Issue:
    """Dates are ISO 8601 (`2026-11-16`). Without a number the certificate prints the record's reference."""

    number: str = ""
    qr_text: str = ""
    qr_words: str = ""
    """What a phone shows before the signed text of the code."""
    issued_on: str = ""
    valid_until: str = ""
    valid_for: str = ""
    replaces: str = ""
    replaced_because: str = ""
    detail: str = ""
    """`full` prints the uncertainty budgets and every reading as well."""
    signed_by: str = ""
    """How the document is signed, in a sentence; printed in place of the line for a signature by hand."""


# All that a certificate is made from, on its way into words.


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
    """The lines of a record that something was found on; what was not judged is listed apart."""
    return tuple(line for line in record.lines if not unjudged(line))


def unjudged(line: Line) -> str:
    """Why nothing was said of a clause, and need not be: it does not apply, or does not bind and was not looked at."""
    if line.verdict == Verdict.NOT_APPLICABLE:
        return "unseen" if line.reason == Reason.NOT_MEASURED else "condition"
    unseen = line.value is None and line.word is None
    return "unseen" if line.verdict == Verdict.REPORTED and unseen else ""
