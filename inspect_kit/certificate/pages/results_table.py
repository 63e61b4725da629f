"""The results table: clause, characteristic, requirement, value at its decimal sign, means, gauge, verdict."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.model import Group, Result, ResultRow, Results, Scale, VerdictMark
from inspect_kit.certificate.pages import styles
from inspect_kit.certificate.pages.flow import Piece, text_piece
from inspect_kit.certificate.pages.scale_bar import draw_gauge
from inspect_kit.certificate.pages.shapes import draw_rule, draw_verdict_box
from inspect_kit.certificate.pages.styles import LEFT, MM, RIGHT, WIDTH
from inspect_kit.certificate.pages.tags import Element, marked
from inspect_kit.certificate.pages.text import (
    baseline,
    height_of,
    measured,
    put,
    put_block,
    put_right,
    settled,
    shrunk,
    wrapped,
)

PAD: Final = 0.85 * MM
"""White above and below the text of a row, in points."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A column: where it starts, how wide it is."""

    left: float
    width: float


CLAUSE: Final = Slot(LEFT, 14 * MM)
"""Number of the clause."""
WHAT: Final = Slot(LEFT + 15.5 * MM, 51 * MM)
"""Name of the characteristic."""
REQUIREMENT: Final = Slot(LEFT + 68 * MM, 24 * MM)
"""What the clause demands."""
RESULT: Final = Slot(LEFT + 93 * MM, 28.5 * MM)
"""Value and uncertainty."""
MEANS: Final = Slot(LEFT + 122.5 * MM, 9 * MM)
"""By what the value was found: an instrument's letter, a photograph, an eye."""
GAUGE: Final = Slot(LEFT + 132 * MM, 15 * MM)
"""Drawing of the value between its limits."""
VERDICT: Final = Slot(LEFT + 148.5 * MM, RIGHT - LEFT - 148.5 * MM)
"""Verdict and its reason."""
SPANNED: Final = Slot(WHAT.left, MEANS.left - WHAT.left - 2 * MM)
"""What is only observed has a sentence for a requirement, over three columns."""

_DECIMAL: Final = RESULT.left + 6.2 * MM
"""Where the decimal signs of all values stand, in points from the page's left edge."""
_BETWEEN_ROWS: Final = styles.HAIRLINE * 1.4
"""Width in points of the line above a row."""
_MARK_GAP: Final = 1.2
"""White between a name and the marks of its notes, in points."""
_COLUMNS: Final = (CLAUSE, WHAT, REQUIREMENT, RESULT, MEANS, GAUGE, VERDICT)
_GAUGE_COLUMN: Final = 5
"""The drawing says nothing that the numbers do not, so those who listen are spared it."""
_READ_COLUMNS: Final = 6
"""Columns that are read aloud: all but the drawing."""


def _cells_of(row: Element) -> tuple[Element, ...]:
    """A row as it is read, one cell a column: all of them in the tree even where they stay empty."""
    made = tuple(row.child("TD") for _ in range(_READ_COLUMNS))
    for cell in made:
        cell.join()
    return made


def result_pieces(table: Results) -> Iterator[Piece]:
    """The table head, then every group."""
    tree = Element("Table")
    head = _table_head(table.heads, tree)
    yield replace(head, keep=True)
    last = len(table.groups) - 1
    for number, group in enumerate(table.groups):
        pieces = list(_group_pieces(group, head, tree, first=number == 0))
        yield from pieces[:-1]
        # The end of the table never stands alone on a page: not its rule, nor a single row.
        yield replace(pieces[-1], keep=number == last or (number == last - 1 and len(pieces) == 1) or pieces[-1].keep)
    yield Piece(0.5, draw_rule, keep=bool(table.legend))
    if table.legend:
        yield replace(text_piece(table.legend, styles.SMALL, WIDTH), space=4)


def _table_head(heads: tuple[str, ...], tree: Element) -> Piece:
    height = 6 * MM
    row = tree.child("TR")
    titles = {place: row.child("TH") for place in range(len(heads)) if place != _GAUGE_COLUMN}

    def draw(canvas: Canvas, top: float) -> None:
        for place, (slot, title) in enumerate(zip(_COLUMNS, heads, strict=True)):
            put(canvas, slot.left, top - height + 2 * MM, title, styles.HEAD, titles.get(place))
        draw_rule(canvas, top - height)

    return Piece(height, draw)


def _group_pieces(group: Group, head: Piece, tree: Element, *, first: bool) -> Iterator[Piece]:
    if len(group.rows) == 1:
        yield replace(_row_piece(group, group.rows[0], tree, rule=not first), head=head)
        return
    yield replace(_heading_piece(group, tree, rule=not first), keep=True, head=head)
    yield from (replace(piece, head=head) for piece in grid_pieces(group, tree))


# What stands on the left: clause, name, requirement


def _left_height(group: Group) -> float:
    name = 0.0 if _run_in(group) else height_of(group.name, styles.TABLE_STRONG, _name_width(group))
    below = styles.TABLE.leading if _run_in(group) else height_of(_below(group), styles.SMALL, _below_width(group))
    right = height_of(group.requirement, styles.TABLE, REQUIREMENT.width)
    return max(name + below, right, height_of(group.clause, styles.TABLE, CLAUSE.width))


def _slot_of(group: Group) -> Slot:
    """What is only looked at has the room of requirement and result too, but for a word that stands as its result."""
    if group.requirement:
        return WHAT
    row = group.rows[0]
    worded = len(group.rows) == 1 and row.result.text and not (row.result.word and _goes_without(row))
    return replace(SPANNED, width=RESULT.left - SPANNED.left - 2 * MM) if worded else SPANNED


def _below_width(group: Group) -> float:
    """What stands small below the name may run on below a requirement of one line."""
    one_line = height_of(group.requirement, styles.TABLE, REQUIREMENT.width) <= styles.TABLE.leading
    return RESULT.left - WHAT.left - 2 * MM if one_line and group.requirement else _slot_of(group).width


def _run_in(group: Group) -> bool:
    """Whether name and sentence of what is observed share one line."""
    wide = _named_width(group) + measured(_below(group), styles.SMALL)
    return not group.requirement and "\n" not in _below(group) and wide + 3 * MM <= _slot_of(group).width


def _named_width(group: Group) -> float:
    """What the name and the numbers of its notes take on one line."""
    return measured(group.name, styles.TABLE_STRONG) + measured(_marks(group), styles.NOTE_MARK)


def _marks(group: Group) -> str:
    return ",".join(str(number) for number in group.notes)


def _name_width(group: Group) -> float:
    """What the numbers of its notes leave for the name."""
    return _slot_of(group).width - (measured(_marks(group), styles.NOTE_MARK) + _MARK_GAP if group.notes else 0)


def _below(group: Group) -> str:
    """What stands small below the name; details continue the sentence only if they find room on its last line."""
    details, width = "; ".join(group.details), _below_width(group)
    joined = f"{group.sentence} · {details}"
    fits = height_of(joined, styles.SMALL, width) == height_of(group.sentence, styles.SMALL, width)
    if group.sentence and details and fits:
        return joined
    return "\n".join(line for part in (group.sentence, details) if part for line in settled(part, styles.SMALL, width))


def _draw_left(canvas: Canvas, group: Group, top: float, cells: Sequence[Element]) -> None:
    slot, width = _slot_of(group), _name_width(group)
    put_block(canvas, CLAUSE.left, top, group.clause, styles.TABLE, CLAUSE.width, cells[0])
    with marked(canvas, cells[1]):
        put_block(canvas, slot.left, top, group.name, styles.TABLE_STRONG, width)
        _draw_note_marks(canvas, group, top)
        if _run_in(group):
            x = slot.left + _named_width(group) + 2.4 * MM
            put(canvas, x, baseline(top, styles.TABLE), _below(group), styles.SMALL)
        else:
            below = top - height_of(group.name, styles.TABLE_STRONG, width)
            put_block(canvas, slot.left, below, _below(group), styles.SMALL, _below_width(group))
    if group.requirement:
        put_block(canvas, REQUIREMENT.left, top, group.requirement, styles.TABLE, REQUIREMENT.width, cells[2])


def _draw_note_marks(canvas: Canvas, group: Group, top: float) -> None:
    if not group.notes:
        return
    lines = wrapped(group.name, styles.TABLE_STRONG.font, styles.TABLE_STRONG.size, _name_width(group))
    x = WHAT.left + measured(lines[-1], styles.TABLE_STRONG) + _MARK_GAP
    y = top - len(lines) * styles.TABLE_STRONG.leading + 5.6
    put(canvas, x, y, _marks(group), styles.NOTE_MARK)


# A single value, or what was seen


def _row_piece(group: Group, row: ResultRow, tree: Element, *, rule: bool) -> Piece:
    named = replace(group, name=f"{group.name}, {row.label}") if row.label else group
    shown = replace(row, result=Result()) if not group.requirement and row.result.word and _goes_without(row) else row
    if row.mark.verdict == "reported" and row.mark.reason:
        named = replace(named, details=(*named.details, row.mark.reason))
        shown = replace(shown, mark=replace(row.mark, reason=""))
    height = max(_left_height(named), _right_height(shown)) + 2 * PAD
    tagged = tree.child("TR")

    def draw(canvas: Canvas, top: float) -> None:
        cells = _cells_of(tagged)
        if rule:
            draw_rule(canvas, top, styles.FAINT, _BETWEEN_ROWS)
        _draw_left(canvas, named, top - PAD, cells)
        if shown.result.text:
            with marked(canvas, cells[3]):
                _draw_result(canvas, shown.result, top - PAD)
        _draw_right(canvas, shown.means, (shown.scale,), shown.mark, top - PAD, cells)

    return Piece(height, draw)


def _goes_without(row: ResultRow) -> bool:
    """Whether the observed word is what the verdict says: met, not met."""
    return row.mark.verdict in ("conforms", "fails") and not row.mark.reason


def _right_height(row: ResultRow) -> float:
    verdict = styles.TABLE.leading + height_of(row.mark.reason, styles.SMALL, VERDICT.width)
    return max(verdict, _result_height(row.result), height_of(row.means, styles.SMALL_INK, MEANS.width))


def _result_height(result: Result) -> float:
    if result.number:
        return styles.TABLE.leading * (1 if _result_fits(result) else 2)
    return height_of(result.word, styles.TABLE, RESULT.width)


def _result_fits(result: Result) -> bool:
    whole, tail = _at_decimal(result)
    left, right = _DECIMAL - measured(whole, styles.TABLE), _DECIMAL + measured(tail, styles.TABLE)
    return left >= RESULT.left - MM and right <= RESULT.left + RESULT.width


def _at_decimal(result: Result) -> tuple[str, str]:
    """The text before the decimal sign and from it on."""
    cut = next((place for place, sign in enumerate(result.number) if sign in ".,"), len(result.number))
    return result.number[:cut], result.text[cut:]


def _draw_right(
    canvas: Canvas, means: str, scales: Sequence[Scale | None], mark: VerdictMark, top: float, cells: Sequence[Element]
) -> None:
    if means:
        put_block(canvas, MEANS.left, top - 0.6, means, styles.SMALL_INK, MEANS.width, cells[4])
    drawn = [scale for scale in scales if scale is not None]
    if drawn:
        draw_gauge(canvas, drawn, GAUGE.left, top - styles.TABLE.leading / 2, GAUGE.width)
    with marked(canvas, cells[5]):
        draw_mark(canvas, mark, VERDICT, top)


def _draw_result(canvas: Canvas, result: Result, top: float) -> None:
    y = baseline(top, styles.TABLE)
    if not result.number:
        put_block(canvas, RESULT.left, top, result.word, styles.TABLE, RESULT.width)
    elif _result_fits(result):
        whole, rest = _at_decimal(result)
        put_right(canvas, _DECIMAL, y, whole, styles.TABLE)
        put(canvas, _DECIMAL, y, rest, styles.TABLE)
    else:
        put_right(canvas, RESULT.left + RESULT.width, y, f"{result.number} {result.expanded}".strip(), styles.TABLE)
        put_right(canvas, RESULT.left + RESULT.width, y - styles.TABLE.leading, result.unit.strip(), styles.TABLE)


def draw_mark(canvas: Canvas, mark: VerdictMark, slot: Slot, top: float) -> None:
    """The verdict: white on black where it fails, framed where it is open, plain otherwise; the reason below."""
    style = {"fails": styles.REVERSED, "conforms": styles.TABLE_STRONG, "undecided": styles.TABLE_STRONG}.get(
        mark.verdict, styles.TABLE_QUIET
    )
    style = shrunk(mark.word, style, slot.width, 6.5)
    if mark.verdict in ("fails", "undecided"):
        high = styles.TABLE.leading
        box = (slot.left - 2, top - high + 0.4, measured(mark.word, style) + 4, high - 0.6)
        draw_verdict_box(canvas, mark.verdict, box, 0.9)
    put(canvas, slot.left, baseline(top, replace(style, leading=styles.TABLE.leading)), mark.word, style)
    put_block(canvas, slot.left, top - styles.TABLE.leading - 0.4, mark.reason, styles.SMALL, slot.width)


# Several values of one clause: one row of cells, with what fails or is open marked in its cell and told below.

_GAP: Final = 1.2 * MM
"""White between two cells, in points."""
_CELL: Final = 4.7 * MM
"""Height of a cell, in points."""
_FEW: Final = 8
"""Pieces up to which each cell has its whole name; of more, the kind stands once and the cells are numbered."""
_NUMBERED: Final = re.compile(r"(.*\S) (\d+)")
_REVERSED_LABEL: Final = styles.Style(styles.SMALL.font, styles.SMALL.size, styles.SMALL.leading, styles.PAPER)


def _heading_piece(group: Group, tree: Element, *, rule: bool) -> Piece:
    """Name, requirement, what all values share, and where they lie between their limits."""
    scales = [row.scale for row in group.rows]
    mark = _common_mark(group)
    means = ", ".join(dict.fromkeys(row.means for row in group.rows if row.means))
    right = styles.TABLE.leading + height_of(mark.reason, styles.SMALL, VERDICT.width)
    spread = height_of(group.spread, styles.SMALL_INK, RESULT.width)
    height = max(_left_height(group), right, spread, height_of(means, styles.SMALL_INK, MEANS.width))
    tagged = tree.child("TR")

    def draw(canvas: Canvas, top: float) -> None:
        cells = _cells_of(tagged)
        if rule:
            draw_rule(canvas, top, styles.FAINT, _BETWEEN_ROWS)
        _draw_left(canvas, group, top - PAD, cells)
        if group.spread:
            put_block(canvas, RESULT.left, top - PAD - 0.6, group.spread, styles.SMALL_INK, RESULT.width, cells[3])
        _draw_right(canvas, means, scales, mark, top - PAD, cells)

    return Piece(height + PAD + 0.4 * MM, draw)


_ORDER: Final = ("fails", "undecided", "reported", "conforms")


def _common_mark(group: Group) -> VerdictMark:
    """The verdict that all instances share, else the worst one; reasons are told below."""
    marks = list(dict.fromkeys(row.mark for row in group.rows))
    worst = min(marks, key=lambda mark: _ORDER.index(mark.verdict) if mark.verdict in _ORDER else len(_ORDER))
    return replace(worst, reason="")


@dataclass(frozen=True, slots=True)
class Cells:
    """How the cells of one grid are laid out, labels before their values."""

    columns: int
    width: float
    label: float
    prefixed: bool
    """Whether what labels begin with stands once before the row: white, black."""

    def x(self, column: int) -> float:
        """Where a cell starts."""
        return WHAT.left + column * (self.width + _GAP)


def _cells(group: Group) -> Cells:
    room, prefixed = RIGHT - WHAT.left, _prefixed(group)
    label = max(measured(_label(row, prefixed=prefixed)[1], styles.SMALL) for row in group.rows)
    value = max(measured(_value(row, group), styles.TABLE) for row in group.rows)
    most = max(1, int((room + _GAP) / (label + value + 3.0 * MM + _GAP)))
    lines = -(-len(group.rows) // most)
    columns = most if prefixed else -(-len(group.rows) // lines)
    return Cells(columns, (room + _GAP) / max(columns, min(most, 4)) - _GAP, label, prefixed)


def _prefixed(group: Group) -> bool:
    """Whether the pieces of a set come in kinds that are numbered."""
    numbered = [row for row in group.rows if _NUMBERED.fullmatch(row.label)]
    return len(numbered) > len(group.rows) / 2 and len(group.rows) > _FEW


def _label(row: ResultRow, *, prefixed: bool) -> tuple[str, str]:
    """What stands before the row of cells, and in the cell."""
    if not prefixed:
        return "", row.label
    found = _NUMBERED.fullmatch(row.label)
    return (found[1], found[2]) if found else (row.label, "")


def _grid_rows(group: Group, cells: Cells) -> Iterator[tuple[ResultRow, ...]]:
    """As many values on a line as fit, those of one kind together."""
    for _, alike in groupby(group.rows, key=lambda row: _label(row, prefixed=cells.prefixed)[0]):
        rows = tuple(alike)
        yield from (rows[start : start + cells.columns] for start in range(0, len(rows), cells.columns))


def _value(row: ResultRow, group: Group) -> str:
    """What all values share stands in the heading: repeating it nineteen times helps nobody."""
    result = row.result
    shared = "" if group.spread else result.expanded
    return f"{result.number} {shared}".strip() if result.number else result.word


def grid_pieces(group: Group, tree: Element) -> Iterator[Piece]:
    """Rows of cells, then what was found in words where it is not the same for all."""
    cells = _cells(group)
    told = _marks_in_words(group)
    rows = list(_grid_rows(group, cells))
    for number, row in enumerate(rows, 1):
        yield replace(_cell_row(row, group, cells, tree), keep=bool(told) or number < len(rows))
    yield _told(told, tree) if told else Piece(0.6 * MM, lambda *_: None)


def _cell_row(rows: Sequence[ResultRow], group: Group, cells: Cells, tree: Element) -> Piece:
    cell = tree.child("TR").child("TD", span=_READ_COLUMNS)
    values = [cell.child("P") for _ in rows]

    kind = _label(rows[0], prefixed=cells.prefixed)[0]
    kinds = cell.child("P")

    def draw(canvas: Canvas, top: float) -> None:
        if kind:
            with marked(canvas, kinds):
                style = shrunk(kind, styles.SMALL, WHAT.left - CLAUSE.left - MM, 6)
                put_right(canvas, WHAT.left - MM, top - 3.35 * MM, kind, style)
        for column, (row, element) in enumerate(zip(rows, values, strict=True)):
            _draw_cell(canvas, row, group, cells, (cells.x(column), top), element)

    return Piece(_CELL, draw, keep=True)


def _draw_cell(
    canvas: Canvas, row: ResultRow, group: Group, cells: Cells, corner: tuple[float, float], element: Element
) -> None:
    x, top = corner
    _draw_frame(canvas, row.mark.verdict, (x, top, cells.width, _CELL))
    label, value = (_REVERSED_LABEL, styles.REVERSED) if row.mark.verdict == "fails" else (styles.SMALL, styles.TABLE)
    text = _value(row, group)
    start = x + cells.label + 2 * MM
    with marked(canvas, element):
        put(canvas, x + 1 * MM, top - 3.35 * MM, _label(row, prefixed=cells.prefixed)[1], label)
        put(canvas, start, top - 3.4 * MM, text, shrunk(text, value, x + cells.width - start - 0.6 * MM, 5))


def _draw_frame(canvas: Canvas, verdict: str, frame: tuple[float, float, float, float]) -> None:
    """Black where it fails, a heavy frame where it is open, a hairline below otherwise."""
    x, top, width, height = frame
    canvas.setStrokeColor(styles.HAIR)
    canvas.setLineWidth(styles.HAIRLINE)
    if verdict == "fails":
        canvas.setFillColor(styles.INK)
        canvas.rect(x, top - height + 0.8, width, height - 1.2, stroke=0, fill=1)
    elif verdict == "undecided":
        canvas.setStrokeColor(styles.INK)
        canvas.setLineWidth(1.1)
        canvas.rect(x + 0.5, top - height + 1.1, width - 1, height - 1.8, stroke=1, fill=0)
    else:
        canvas.line(x, top - height + 0.3, x + width, top - height + 0.3)


def _told(text: str, tree: Element) -> Piece:
    pad, cell = 0.8 * MM, tree.child("TR").child("TD", span=_READ_COLUMNS)
    plain = text_piece(text, styles.SMALL_INK, RIGHT - WHAT.left, left=WHAT.left, element=cell)
    return Piece(plain.height + 2 * pad, lambda canvas, top: plain.draw(canvas, top - pad))


def _marks_in_words(group: Group) -> str:
    """Each verdict with its reason, and which pieces it speaks of; nothing where all have the same and no reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in group.rows:
        found.setdefault((row.mark.word, row.mark.reason), []).append(row.label)
    if len(found) == 1:
        return next(reason for _, reason in found)
    return " ".join(_marked_alike(mark, labels, len(group.rows)) for mark, labels in found.items())


def _marked_alike(mark: tuple[str, str], labels: Sequence[str], of: int) -> str:
    told = ": ".join(part for part in mark if part).removesuffix(".")
    which = f" ({', '.join(label for label in labels if label)})" if len(labels) <= of / 2 and any(labels) else ""
    return f"{len(labels)} × {told}{which}."
