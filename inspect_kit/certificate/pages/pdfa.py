"""Making a PDF fit for the archive: PDF/A-3b with the record inside, the same bytes for the same record."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from pikepdf import Array, AttachedFileSpec, Dictionary, Name, Object, ObjectStreamMode, Pdf, String

from inspect_kit.errors import BadInput
from inspect_kit.places import shipped

if TYPE_CHECKING:
    from inspect_kit.certificate.pages.tags import Element

RECORD_NAME: Final = "record.json"
DCC_NAME: Final = "dcc.xml"
"""What may be attached besides the record: the results of a lot in the shape of a calibration certificate."""
_LONG_CODE: Final = re.compile(rb"(?<=> <)([0-9A-F]{5,6})(?=>)")


@dataclass(frozen=True, slots=True)
class Label:
    """What the file says about itself."""

    title: str
    author: str
    language: str
    day: str
    software: str
    identifier: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """Pages, and what their parts are, in the order in which they are read."""

    pdf: bytes
    tree: Element


def archived(pages: Drawn, record: bytes, label: Label) -> bytes:
    """The finished file. The clock plays no part in it: its dates are those of the inspection or the issue."""
    with Pdf.open(io.BytesIO(pages.pdf)) as pdf:
        _describe(pdf, label)
        _add_tree(pdf, pages.tree)
        _mend_unicode(pdf)
        _add_output_intent(pdf)
        pdf.Root.AF = Array()
        _attach(pdf, RECORD_NAME, record, ("inspection record", "application/json", Name.Source))
        buffer = io.BytesIO()
        pdf.save(
            buffer, deterministic_id=True, min_version="1.7", object_stream_mode=ObjectStreamMode.generate,
            compress_streams=True, normalize_content=False,
        )  # fmt: skip
        return buffer.getvalue()


def _describe(pdf: Pdf, label: Label) -> None:
    root = pdf.Root
    root.Lang = String(label.language)
    root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
    root.Metadata = pdf.make_stream(_xmp(label), Type=Name.Metadata, Subtype=Name.XML)
    day = _stamp(label.day)
    pdf.trailer.Info = pdf.make_indirect(
        Dictionary(
            Title=String(label.title), Author=String(label.author), Creator=String(label.software),
            Producer=String(label.software), CreationDate=String(day), ModDate=String(day),
        )
    )  # fmt: skip


def _xmp(label: Label) -> bytes:
    fields = ("title", "author", "language", "day", "software", "identifier")
    template = (shipped("reports") / "layout" / "metadata.xml").read_text(encoding="utf-8").rstrip("\n")
    return template.format_map({name: escape(getattr(label, name)) for name in fields}).encode()


@cache
def _icc() -> bytes:
    return (shipped("reports") / "icc" / "srgb.icc").read_bytes()


def _mend_unicode(pdf: Pdf) -> None:
    """Characters beyond the first 65 536, which reportlab writes with five digits, as the pairs that PDF wants."""
    for item in pdf.objects:
        if isinstance(item, Dictionary) and item.get(Name.Type) == Name.Font and Name.ToUnicode in item:
            table = item.ToUnicode.read_bytes()
            mended = _LONG_CODE.sub(
                lambda code: chr(int(code[1], 16)).encode("utf-16-be").hex().upper().encode(), table
            )
            if mended != table:
                item.ToUnicode.write(mended)


def _add_output_intent(pdf: Pdf) -> None:
    profile = pdf.make_stream(_icc(), N=3)
    intent = Dictionary(
        Type=Name.OutputIntent, S=Name.GTS_PDFA1, OutputConditionIdentifier=String("sRGB"),
        Info=String("sRGB IEC61966-2.1"), RegistryName=String("http://www.color.org"), DestOutputProfile=profile,
    )  # fmt: skip
    pdf.Root.OutputIntents = Array([pdf.make_indirect(intent)])


def with_dcc(finished: bytes, dcc: bytes) -> bytes:
    """A finished file with the results as a calibration certificate; still the same bytes for the same input. Before
    signing, never after."""
    with Pdf.open(io.BytesIO(finished)) as pdf:
        _attach(pdf, DCC_NAME, dcc, (DCC_NAME, "application/xml", Name.Supplement))
        buffer = io.BytesIO()
        pdf.save(buffer, deterministic_id=True, object_stream_mode=ObjectStreamMode.generate)
        return buffer.getvalue()


def _attach(pdf: Pdf, name: str, content: bytes, what: tuple[str, str, Name]) -> None:
    """A file with its description, its type and what it is to the document, of the document's day."""
    description, mime, relationship = what
    day = str(pdf.docinfo[Name.CreationDate])
    spec = AttachedFileSpec(
        pdf, content, filename=name, description=description, mime_type=mime, creation_date=day, mod_date=day
    )
    spec.relationship = relationship
    before = len(pdf.Root.AF)
    pdf.attachments[name] = spec
    # Newer versions of pikepdf enter it among the associated files themselves.
    if len(pdf.Root.AF) == before:
        pdf.Root.AF.append(spec.obj)


def _stamp(iso: str) -> str:
    """The beginning of a day as PDF writes it."""
    try:
        return f"D:{date.fromisoformat(iso):%Y%m%d}000000Z"
    except ValueError:
        raise BadInput("not-a-date", where="date", iso=iso[:40]) from None


# What each part is, for those who listen (PDF/UA-1)


def _add_tree(pdf: Pdf, root: Element) -> None:
    """Write the tree into a document whose pages are marked."""
    tree = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    owners: list[dict[int, Object]] = [{} for _ in pdf.pages]
    tree.K = _written(pdf, root, tree, owners)
    numbers = Array()
    for place, page in enumerate(pdf.pages):
        page.obj.StructParents = place
        page.obj.Tabs = Name.S
        numbers.append(place)
        numbers.append(pdf.make_indirect(Array([owners[place][number] for number in sorted(owners[place])])))
    tree.ParentTree = pdf.make_indirect(Dictionary(Nums=numbers))
    tree.ParentTreeNextKey = len(owners)
    pdf.Root.StructTreeRoot = tree
    pdf.Root.MarkInfo = Dictionary(Marked=True)


def _written(pdf: Pdf, element: Element, parent: Object, owners: list[dict[int, Object]]) -> Object:
    # Imported here: whoever only verifies a certificate draws none.
    from inspect_kit.certificate.pages.tags import Element

    made = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name(f"/{element.kind}"), P=parent))
    if element.alt:
        made.Alt = String(element.alt)
    if element.lang:
        made.Lang = String(element.lang)
    if element.kind == "TH":
        made.A = Dictionary(O=Name.Table, Scope=Name.Column)
    elif element.span > 1:
        made.A = Dictionary(O=Name.Table, ColSpan=element.span)
    kids = Array()
    for part in element.parts:
        if isinstance(part, Element):
            kids.append(_written(pdf, part, made, owners))
        else:
            owners[part.page][part.number] = made
            made.Pg = pdf.pages[part.page].obj
            kids.append(part.number)
    made.K = kids
    return made


def add_signature_field(pdf: Pdf, name: str, said: str) -> None:
    """An empty, invisible field for the signature, with its place in the tree: a signer could not tag it later."""
    page = pdf.pages[0].obj
    tree = pdf.Root.get(Name.StructTreeRoot)
    field = pdf.make_indirect(
        Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name.Sig, T=String(name), TU=String(said), F=132,
            Rect=Array([0, 0, 0, 0]), P=page,
        )
    )  # fmt: skip
    page.Annots = Array([field])
    pdf.Root.AcroForm = Dictionary(Fields=Array([field]))
    if tree is None:
        return
    key = int(tree.ParentTreeNextKey)
    form = pdf.make_indirect(
        Dictionary(Type=Name.StructElem, S=Name.Form, P=tree.K, Pg=page, Alt=String(said),
                   K=Dictionary(Type=Name.OBJR, Obj=field, Pg=page))
    )  # fmt: skip
    field.StructParent = key
    tree.K.K.append(form)
    tree.ParentTree.Nums.append(key)
    tree.ParentTree.Nums.append(form)
    tree.ParentTreeNextKey = key + 1
