from __future__ import annotations

import io
from collections.abc import Iterator

import pikepdf
import pytest

from inspect_kit.certificate.pages.render import make_certificate
from tests.certificate.records import ALL, board, striker


def elements(node: pikepdf.Object) -> Iterator[pikepdf.Object]:
    """Every structure element below a node, in the order in which it is read."""
    kids = node.get("/K", ())
    for kid in kids if isinstance(kids, pikepdf.Array) else (kids,):
        if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
            yield kid
            yield from elements(kid)


def kinds(pdf: bytes) -> list[str]:
    with pikepdf.open(io.BytesIO(pdf)) as document:
        return [str(each.S)[1:] for each in elements(document.Root.StructTreeRoot)]


@pytest.mark.parametrize("name", ALL)
def test_every_document_is_tagged_with_one_title_and_headings(name: str) -> None:
    pdf = make_certificate(ALL[name], language="de")
    found = kinds(pdf)
    assert found.count("H1") == 1
    assert found.count("H2") >= 3
    with pikepdf.open(io.BytesIO(pdf)) as document:
        assert bool(document.Root.MarkInfo.Marked)
        with document.open_metadata() as meta:
            assert meta["pdfuaid:part"] == "1"


def test_a_row_of_the_results_is_read_as_clause_name_requirement_result_means_and_verdict() -> None:
    with pikepdf.open(io.BytesIO(make_certificate(striker(), language="en"))) as document:
        tables = [each for each in elements(document.Root.StructTreeRoot) if each.S == "/Table"]
        head, *rows = list(tables[0].K)
        assert [str(cell.S) for cell in head.K] == ["/TH"] * 6
        assert all([str(cell.S) for cell in row.K] == ["/TD"] * 6 for row in rows)
        measured = rows[0]
        assert all(len(cell.K) > 0 for cell in measured.K)


def test_every_drawing_has_words_for_it_and_repeated_heads_are_read_once() -> None:
    with pikepdf.open(io.BytesIO(make_certificate(board(), language="it"))) as document:
        found = list(elements(document.Root.StructTreeRoot))
        assert all(str(each.Alt) for each in found if each.S == "/Figure")
        assert any(each.S == "/Figure" for each in found)
        tables = [each for each in found if each.S == "/Table"]
        assert all(sum(row.K[0].S == "/TH" for row in table.K) == 1 for table in tables)


def test_all_that_is_drawn_is_either_told_or_decoration() -> None:
    with pikepdf.open(io.BytesIO(make_certificate(board("fails"), language="cs"))) as document:
        for page in document.pages:
            depth = 0
            for step in pikepdf.parse_content_stream(page):
                operator = str(step.operator)
                depth += {"BDC": 1, "BMC": 1, "EMC": -1}.get(operator, 0)
                assert depth in (0, 1)
                assert depth == 1 or operator not in ("Tj", "TJ", "f", "S", "Do", "B")
            assert depth == 0
