"""The results table: clause, characteristic, requirement, value at its decimal sign, gauge, verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.findings import GRID_FROM
from inspect_kit.certificate.content.model import Group, Result, Results, Row, VerdictMark
from inspect_kit.certificate.pages.flow import Piece, stacked
from inspect_kit.certificate.pages.page import FAINT, HAIR, HAIRLINE, INK, LEFT, MM, PAPER, RIGHT, THIN_RULE, WIDTH
from inspect_kit.certificate.pages.scale_bar import draw_gauge
from inspect_kit.certificate.pages.styles import (  # fmt: skip
    HEAD,
    NOTE_MARK,
    REVERSED,
    SMALL,
    SMALL_INK,
    TABLE,
    TABLE_QUIET,
    TABLE_STRONG,
)
from inspect_kit.certificate.pages.text import (
    Style,
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

# Many values of one clause as a compact grid, with what fails or is open marked in its cell and told below.

_GAP: Final = 2 * MM
_STACKED: Final = 8.4 * MM
_INLINE: Final = 4.9 * MM
_SHORT_LABEL: Final = 7 * MM
_REVERSED_LABEL: Final = Style(SMALL.font, SMALL.size, SMALL.leading, PAPER)


@dataclass(frozen=True, slots=True)
class Cells:
    """How the cells of one grid are laid out: labels beside their values where they are short, else above."""

    left: float
    columns: int
    width: float
    stacked: bool

    @property
    def height(self) -> float:
        """Of one row."""
        return _STACKED if self.stacked else _INLINE

    def x(self, column: int) -> float:
        """Where a cell starts."""
        return self.left + column * (self.width + _GAP)


def _cells(group: Group, left: float, width: float) -> Cells:
    labels = max(measured(row.label, SMALL) for row in group.rows)
    values = max(measured(_value(row), TABLE) for row in group.rows)
    stacked = labels > _SHORT_LABEL
    needed = (max(labels, values) if stacked else _SHORT_LABEL + values) + 3 * MM
    columns = max(1, min(len(group.rows), int((width + _GAP) / (needed + _GAP)), 5 if not stacked else 4))
    return Cells(left, columns, (width + _GAP) / columns - _GAP, stacked)


def _value(row: Row) -> str:
    """The unit stands in the requirement; repeating it nineteen times helps nobody."""
    result = row.result
    return f"{result.number} {result.expanded}".strip() if result.number else result.word


def grid_pieces(group: Group, left: float, width: float) -> Iterator[Piece]:
    """Rows of cells, then what was found in words."""
    cells = _cells(group, left, width)
    for start in range(0, len(group.rows), cells.columns):
        yield _cell_row(group.rows[start : start + cells.columns], cells)
    yield _told(group, left, width)


def _cell_row(rows: tuple[Row, ...], cells: Cells) -> Piece:
    def draw(canvas: Canvas, top: float) -> None:
        for column, row in enumerate(rows):
            _draw_cell(canvas, row, cells, cells.x(column), top)

    return Piece(cells.height, draw, keep=True)


def _draw_cell(canvas: Canvas, row: Row, cells: Cells, x: float, top: float) -> None:
    failed = row.mark.verdict == "fails"
    _draw_frame(canvas, row.mark.verdict, (x, top, cells.width, cells.height))
    label, value = (_REVERSED_LABEL, REVERSED) if failed else (SMALL, TABLE)
    inner = x + 1.2 * MM
    if cells.stacked:
        room = cells.width - 2.4 * MM
        put(canvas, inner, top - 3.1 * MM, row.label, shrunk(row.label, label, room, 5))
        put(canvas, inner, top - 6.9 * MM, _value(row), shrunk(_value(row), value, room, 5))
        return
    room = cells.width - _SHORT_LABEL - 1.6 * MM
    put_right(canvas, x + 5.4 * MM, top - 3.45 * MM, row.label, label)
    put(canvas, x + _SHORT_LABEL, top - 3.5 * MM, _value(row), shrunk(_value(row), value, room, 5))


def _draw_frame(canvas: Canvas, verdict: str, frame: tuple[float, float, float, float]) -> None:
    """Black where it fails, a heavy frame where it is open, a hairline below otherwise."""
    x, top, width, height = frame
    canvas.setStrokeColor(HAIR)
    canvas.setLineWidth(HAIRLINE)
    if verdict == "fails":
        canvas.setFillColor(INK)
        canvas.rect(x, top - height + 0.8, width, height - 1.2, stroke=0, fill=1)
    elif verdict == "undecided":
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(1.1)
        canvas.rect(x + 0.5, top - height + 1.1, width - 1, height - 1.8, stroke=1, fill=0)
    else:
        canvas.line(x, top - height + 0.3, x + width, top - height + 0.3)


def _told(group: Group, left: float, width: float) -> Piece:
    text = "   ".join(part for part in (_marks_in_words(group), group.spread) if part)
    pad = 1.2 * MM

    def draw(canvas: Canvas, top: float) -> None:
        put_block(canvas, left, top - pad, text, SMALL_INK, width)

    return Piece(height_of(text, SMALL_INK, width) + 2 * pad, draw)


def _marks_in_words(group: Group) -> str:
    """Each verdict with its reason, and which pieces it speaks of."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in group.rows:
        found.setdefault((row.mark.word, row.mark.reason), []).append(row.label)
    if len(found) == 1:
        ((word, reason),) = found
        return f"{len(group.rows)} × {word}: {reason}."
    return " ".join(
        f"{len(labels)} × {word}: {reason}"
        + (f" ({', '.join(labels)})." if len(labels) <= len(group.rows) / 2 else ".")
        for (word, reason), labels in found.items()
    )


PAD: Final = 1.25 * MM
_FEW: Final = 3
"""Groups of up to so many rows stay on one page."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A column: where it starts, how wide it is."""

    left: float
    width: float


CLAUSE: Final = Slot(LEFT, 13 * MM)
WHAT: Final = Slot(LEFT + 15.5 * MM, 45 * MM)
REQUIREMENT: Final = Slot(LEFT + 62 * MM, 26 * MM)
RESULT: Final = Slot(LEFT + 90 * MM, 30 * MM)
GAUGE: Final = Slot(LEFT + 121.5 * MM, 20 * MM)
VERDICT: Final = Slot(LEFT + 144 * MM, RIGHT - LEFT - 144 * MM)
SPANNED: Final = Slot(WHAT.left, REQUIREMENT.left + REQUIREMENT.width - WHAT.left)
"""What is only observed has a sentence for a requirement, over two columns."""

_DECIMAL: Final = RESULT.left + 6.2 * MM
_MARK_GAP: Final = 1.2
_COLUMNS: Final = (CLAUSE, WHAT, REQUIREMENT, RESULT, GAUGE, VERDICT)


def result_pieces(table: Results) -> Iterator[Piece]:
    """The table head, then every group."""
    head = _table_head(table.heads)
    yield replace(head, keep=True)
    last = len(table.groups) - 1
    for number, group in enumerate(table.groups):
        pieces = list(_group_pieces(group, head, table.continued, first=number == 0))
        yield from pieces[:-1]
        # The end of the table never stands alone on a page: not its rule, nor a single row.
        yield replace(pieces[-1], keep=number == last or (number == last - 1 and len(pieces) == 1) or pieces[-1].keep)
    yield replace(_closing_rule(), keep=bool(table.legend))
    if table.legend:
        yield _legend(table.legend)


def _legend(text: str) -> Piece:
    def draw(canvas: Canvas, top: float) -> None:
        put_block(canvas, LEFT, top, text, SMALL, WIDTH)

    return Piece(height_of(text, SMALL, WIDTH), draw, space=4)


def _table_head(heads: tuple[str, ...]) -> Piece:
    height = 6.2 * MM

    def draw(canvas: Canvas, top: float) -> None:
        for slot, title in zip(_COLUMNS, heads, strict=True):
            put(canvas, slot.left, top - height + 2 * MM, title, HEAD)
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(THIN_RULE)
        canvas.line(LEFT, top - height, RIGHT, top - height)

    return Piece(height, draw)


def _closing_rule() -> Piece:
    def draw(canvas: Canvas, top: float) -> None:
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(THIN_RULE)
        canvas.line(LEFT, top, RIGHT, top)

    return Piece(0.5, draw)


def _group_pieces(group: Group, head: Piece, continued: str, *, first: bool) -> Iterator[Piece]:
    rule = not first
    if len(group.rows) == 1 and not group.rows[0].label:
        yield replace(_row_piece(group, group.rows[0], rule=rule), head=head)
        return
    if len(group.rows) >= GRID_FROM:
        yield replace(_heading_piece(group, rule=rule, strip=True), keep=True, head=head)
        yield from (replace(piece, head=head) for piece in grid_pieces(group, WHAT.left, RIGHT - WHAT.left))
        return
    yield replace(_heading_piece(group, rule=rule), keep=True, head=head)
    again = stacked((head, _heading_piece(replace(group, name=f"{group.name} {continued}"), rule=False)))
    for number, row in enumerate(_without_common_reason(group.rows), 1):
        keep = number < len(group.rows) and (len(group.rows) <= _FEW or number in (1, len(group.rows) - 1))
        yield replace(_instance_piece(row), keep=keep, head=again)


def _common_mark(group: Group) -> VerdictMark | None:
    """The mark that all instances share; its reason is told once, in the heading row."""
    marks = {row.mark for row in group.rows}
    return group.rows[0].mark if len(marks) == 1 and len(group.rows) < GRID_FROM else None


def _without_common_reason(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    if len({row.mark for row in rows}) > 1:
        return rows
    return tuple(replace(row, mark=replace(row.mark, reason="")) for row in rows)


# What stands on the left: clause, name, requirement


def _left_height(group: Group) -> float:
    slot = _slot_of(group)
    left = height_of(group.name, TABLE_STRONG, _name_width(group)) + height_of(_below(group), SMALL, slot.width)
    right = height_of(group.requirement, TABLE, REQUIREMENT.width)
    return max(left, right, height_of(group.clause, TABLE, CLAUSE.width))


def _slot_of(group: Group) -> Slot:
    return WHAT if group.requirement else SPANNED


def _marks(group: Group) -> str:
    return ",".join(str(number) for number in group.notes)


def _name_width(group: Group) -> float:
    """What the numbers of its notes leave for the name."""
    return _slot_of(group).width - (measured(_marks(group), NOTE_MARK) + _MARK_GAP if group.notes else 0)


def _below(group: Group) -> str:
    """What stands small below the name; details continue the sentence only if they find room on its last line."""
    details, width = "; ".join(group.details), _slot_of(group).width
    joined = f"{group.sentence} · {details}"
    if group.sentence and details and height_of(joined, SMALL, width) == height_of(group.sentence, SMALL, width):
        return joined
    return "\n".join(line for part in (group.sentence, details) if part for line in settled(part, SMALL, width))


def _draw_left(canvas: Canvas, group: Group, top: float) -> None:
    slot, width = _slot_of(group), _name_width(group)
    put_block(canvas, CLAUSE.left, top, group.clause, TABLE, CLAUSE.width)
    put_block(canvas, slot.left, top, group.name, TABLE_STRONG, width)
    _draw_note_marks(canvas, group, top)
    put_block(canvas, slot.left, top - height_of(group.name, TABLE_STRONG, width), _below(group), SMALL, slot.width)
    put_block(canvas, REQUIREMENT.left, top, group.requirement, TABLE, REQUIREMENT.width)


def _draw_note_marks(canvas: Canvas, group: Group, top: float) -> None:
    if not group.notes:
        return
    lines = wrapped(group.name, TABLE_STRONG.font, TABLE_STRONG.size, _name_width(group))
    x = WHAT.left + measured(lines[-1], TABLE_STRONG) + _MARK_GAP
    y = top - len(lines) * TABLE_STRONG.leading + 5.6
    put(canvas, x, y, _marks(group), NOTE_MARK)


# Rows


def _row_piece(group: Group, row: Row, *, rule: bool) -> Piece:
    height = max(_left_height(group), _right_height(row)) + 2 * PAD

    def draw(canvas: Canvas, top: float) -> None:
        _draw_rule(canvas, top, LEFT, rule=rule)
        _draw_left(canvas, group, top - PAD)
        _draw_right(canvas, row, top - PAD)

    return Piece(height, draw)


def _heading_piece(group: Group, *, rule: bool, strip: bool = False) -> Piece:
    scales = [row.scale for row in group.rows if row.scale is not None] if strip else []
    left = RESULT.left + 1 * MM
    common = _common_mark(group)
    reason = common.reason if common else ""
    height = max(_left_height(group), 4.8 * MM if scales else 0, height_of(reason, SMALL, VERDICT.width))

    def draw(canvas: Canvas, top: float) -> None:
        _draw_rule(canvas, top, LEFT, rule=rule)
        _draw_left(canvas, group, top - PAD)
        if scales:
            draw_gauge(canvas, scales, left, top - PAD - 2.4 * MM, RIGHT - left)
        put_block(canvas, VERDICT.left, top - PAD, reason, SMALL, VERDICT.width)

    return Piece(height + PAD + 0.4 * MM, draw)


def _instance_piece(row: Row) -> Piece:
    label_width = SPANNED.width - 3 * MM
    height = max(height_of(row.label, TABLE, label_width), _right_height(row)) + 1.3 * PAD

    def draw(canvas: Canvas, top: float) -> None:
        canvas.setStrokeColor(HAIR)
        canvas.setLineWidth(HAIRLINE)
        canvas.line(WHAT.left + 3 * MM, top, RIGHT, top)
        put_block(canvas, WHAT.left + 3 * MM, top - 0.65 * PAD, row.label, TABLE, label_width)
        _draw_right(canvas, row, top - 0.65 * PAD)

    return Piece(height, draw)


def _draw_rule(canvas: Canvas, y: float, left: float, *, rule: bool) -> None:
    if rule:
        canvas.setStrokeColor(FAINT)
        canvas.setLineWidth(HAIRLINE * 1.4)
        canvas.line(left, y, RIGHT, y)


# What stands on the right: result, gauge, verdict


def _right_height(row: Row) -> float:
    verdict = TABLE.leading + height_of(row.mark.reason, SMALL, VERDICT.width)
    return max(verdict, _result_height(row.result))


def _result_height(result: Result) -> float:
    if result.number:
        return TABLE.leading * (1 if _result_fits(result) else 2)
    return height_of(result.word, TABLE, RESULT.width)


def _result_fits(result: Result) -> bool:
    whole, tail = _at_decimal(result)
    left, right = _DECIMAL - measured(whole, TABLE), _DECIMAL + measured(tail, TABLE)
    return left >= RESULT.left - MM and right <= RESULT.left + RESULT.width


def _at_decimal(result: Result) -> tuple[str, str]:
    """The text before the decimal sign and from it on."""
    cut = next((place for place, sign in enumerate(result.number) if sign in ".,"), len(result.number))
    return result.number[:cut], result.text[cut:]


def _draw_right(canvas: Canvas, row: Row, top: float) -> None:
    _draw_result(canvas, row.result, top)
    if row.scale is not None:
        draw_gauge(canvas, (row.scale,), GAUGE.left, top - TABLE.leading / 2, GAUGE.width)
    draw_mark(canvas, row.mark, VERDICT, top)


def _draw_result(canvas: Canvas, result: Result, top: float) -> None:
    y = baseline(top, TABLE)
    if not result.number:
        put_block(canvas, RESULT.left, top, result.word, TABLE, RESULT.width)
    elif _result_fits(result):
        whole, rest = _at_decimal(result)
        put_right(canvas, _DECIMAL, y, whole, TABLE)
        put(canvas, _DECIMAL, y, rest, TABLE)
    else:
        put_right(canvas, RESULT.left + RESULT.width, y, f"{result.number} {result.expanded}".strip(), TABLE)
        put_right(canvas, RESULT.left + RESULT.width, y - TABLE.leading, result.unit.strip(), TABLE)


def draw_mark(canvas: Canvas, mark: VerdictMark, slot: Slot, top: float) -> None:
    """The verdict: white on black where it fails, framed where it is open, plain otherwise; the reason below."""
    style = {"fails": REVERSED, "conforms": TABLE_STRONG, "undecided": TABLE_STRONG}.get(mark.verdict, TABLE_QUIET)
    if mark.verdict in ("fails", "undecided"):
        canvas.setFillColor(INK)
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(0.9)
        filled = mark.verdict == "fails"
        wide = measured(mark.word, style) + 4
        canvas.rect(slot.left - 2, top - TABLE.leading + 0.4, wide, TABLE.leading - 0.6, stroke=not filled, fill=filled)
    put(canvas, slot.left, baseline(top, style), mark.word, style)
    put_block(canvas, slot.left, top - TABLE.leading - 0.4, mark.reason, SMALL, slot.width)
