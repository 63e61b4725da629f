"""Programs that we did not write agree on what we have made."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from msgspec import structs

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.certificate.issue.keys import own_keyring
from inspect_kit.certificate.pages.labels import STOCKS, draw_labels, sticker_of
from inspect_kit.inspection.record import Record
from inspect_kit.registry.search import known

Issue = Callable[..., Issued]
Tool = Callable[..., "subprocess.CompletedProcess[str]"]
LONG = "Striker " + "ř" * 150
EVENT = "Otevřené mistrovství Prahy v carromu 2026, turnaj dvouher"


@pytest.fixture
def trust(desk: Desk, tool: Tool, tmp_path: Path) -> str:
    """An NSS database that trusts the issuer."""
    folder = tmp_path / "nss"
    folder.mkdir()
    (tmp_path / "ca.pem").write_bytes(own_keyring(desk.home).ca.public_bytes(Encoding.PEM))
    assert tool("certutil", "-N", "-d", f"sql:{folder}", "--empty-password").returncode == 0
    added = tool("certutil", "-A", "-d", f"sql:{folder}", "-n", "ca", "-t", "CT,C,C", "-i", tmp_path / "ca.pem")
    assert added.returncode == 0, added.stderr
    return f"sql:{folder}"


def test_pdfsig_finds_the_signature_valid_trusted_and_over_the_whole_file(
    desk: Desk, issue: Issue, tool: Tool, trust: str
) -> None:
    told = tool("pdfsig", "-nssdir", trust, issue(desk).pdf).stdout
    assert "Signature Validation: Signature is Valid." in told
    assert "Certificate Validation: Certificate is Trusted." in told
    assert "Total document signed" in told
    assert "Signer Certificate Common Name: Řehoř Áron" in told
    assert "ETSI.CAdES.detached" in told
    assert told.count("Signature #") == 1


def test_qpdf_finds_no_fault_in_the_file(desk: Desk, issue: Issue, tool: Tool) -> None:
    done = tool("qpdf", "--check", issue(desk).pdf)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No syntax or stream encoding errors found" in done.stdout


def test_pdfdetach_gives_the_record_back_byte_for_byte(
    desk: Desk, issue: Issue, tool: Tool, record: Record, tmp_path: Path
) -> None:
    issued = issue(desk)
    done = tool("pdfdetach", "-save", "1", "-o", tmp_path / "out.json", issued.pdf)
    assert done.returncode == 0, done.stderr
    subject = structs.replace(record.subject, text="Striker 42")
    assert (tmp_path / "out.json").read_bytes() == structs.replace(record, subject=subject).canonical()


@pytest.mark.parametrize("subject", ["Striker 42", LONG], ids=["usual", "as long as can be"])
def test_zbar_reads_the_code_from_a_certificate_rendered_at_150_dpi(
    desk: Desk, issue: Issue, tool: Tool, tmp_path: Path, subject: str
) -> None:
    issued = issue(desk, subject, event=EVENT, out=tmp_path / "c.pdf")
    assert _scanned(tool, issued.pdf, 150, tmp_path)[-1] == issued.qr


@pytest.mark.parametrize("stock", list(STOCKS))
def test_zbar_reads_the_code_from_every_kind_of_label(
    desk: Desk, issue: Issue, tool: Tool, tmp_path: Path, stock: str
) -> None:
    issued = [issue(desk, f"{LONG[:100]} {place}", event=EVENT, out=tmp_path / f"{place}.pdf") for place in range(2)]
    with desk.registry.reading() as connection:
        stickers = [sticker_of(known(connection, each.number), "Pražský carrom klub", "cs") for each in issued]
    (tmp_path / "labels.pdf").write_bytes(
        draw_labels(stickers, STOCKS[stock], skip=2 if STOCKS[stock].on_a_page > 2 else 0)
    )
    scanned = _scanned(tool, tmp_path / "labels.pdf", 300 if STOCKS[stock].round else 200, tmp_path)
    assert sorted(scanned) == sorted(each.qr for each in issued)


def _scanned(tool: Tool, pdf: Path, resolution: int, folder: Path) -> list[str]:
    assert tool("pdftoppm", "-r", resolution, "-png", pdf, folder / "page").returncode == 0
    pages = sorted(folder.glob("page-*.png"))
    done = [tool("zbarimg", "-q", "--raw", "-Sdisable", "-Sqrcode.enable", page).stdout.split() for page in pages]
    return [line for lines in done for line in lines]
