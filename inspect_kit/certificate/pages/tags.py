"""Tags for readers who listen: what each part of a page is, in the order in which it is read (PDF/UA-1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from reportlab.pdfgen.canvas import Canvas

_ARTIFACT: Final = "/Artifact BMC"
_END: Final = "EMC"


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """A stretch of a page's content, by the number it bears there."""

    page: int
    number: int


@dataclass(slots=True, eq=False)
class Element:
    """A heading, paragraph, table, row, cell or figure; it joins its parent when it is first drawn."""

    kind: str
    parent: Element | None = None
    alt: str = ""
    span: int = 1
    """Columns that a cell takes."""
    lang: str = ""
    parts: list[Element | MarkedPart] = field(default_factory=list)

    def child(self, kind: str, *, alt: str = "", span: int = 1, lang: str = "") -> Element:
        """A part of this one."""
        return Element(kind, self, alt, span, lang)

    def join(self) -> None:
        """Take its place in the tree, with all above it."""
        if self.parent is not None:
            self.parent.join()
            if not any(part is self for part in self.parent.parts):
                self.parent.parts.append(self)

    @property
    def topmost(self) -> Element:
        """What it is a part of in the end."""
        return self if self.parent is None else self.parent.topmost


class TaggedCanvas(Canvas):  # type: ignore[misc]
    """A canvas on which all that is not marked is decoration."""

    def begin(self, root: Element) -> None:
        """Start a page's content; `root` holds what is not told where it belongs."""
        self.root = root
        self.marks = 0
        self.inside = False
        self._code.append(_ARTIFACT)

    def end(self) -> None:
        """End it."""
        self._code.append(_END)

    @contextmanager
    def marked(self, element: Element) -> Iterator[None]:
        """What is drawn inside belongs to the element; drawn again on another page, it is a running head."""
        page = int(self.getPageNumber()) - 1
        drawn = [part for part in element.parts if isinstance(part, MarkedPart)]
        if self.inside or any(part.page != page for part in drawn):
            yield
            return
        if element.topmost is not self.root.topmost:
            element.topmost.parent = self.root
        element.join()
        element.parts.append(MarkedPart(page, self.marks))
        self._code += [_END, f"/{element.kind} <</MCID {self.marks}>> BDC"]
        self.marks += 1
        self.inside = True
        yield
        self.inside = False
        self._code += [_END, _ARTIFACT]


Tag = Element | str | None
"""What a part is; a bare kind belongs to the document itself, nothing to what is marked around it."""


@contextmanager
def marked(canvas: Canvas, tag: Tag) -> Iterator[None]:
    """Mark what is drawn inside, on a canvas that knows tags."""
    if isinstance(canvas, TaggedCanvas) and tag is not None:
        with canvas.marked(Element(tag) if isinstance(tag, str) else tag):
            yield
    else:
        yield
