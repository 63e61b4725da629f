"""What an issuing body adds to a record: number, dates, the QR code's text. All of it optional."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Issue:
    """Dates are ISO 8601 (`2026-11-16`). Without a number the certificate prints the record's reference."""

    number: str = ""
    qr_text: str = ""
    issued_on: str = ""
    valid_until: str = ""
    valid_for: str = ""
    replaces: str = ""
    replaced_because: str = ""
    signed_by: str = ""
    """How the document is signed, in a sentence; printed in place of the line for a signature by hand."""
