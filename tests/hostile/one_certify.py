"""Run under strace: one certify in a home, with blank pages; says so when it is done."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from msgspec import structs

from inspect_kit.certificate.issue import issue as issuing
from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate
from inspect_kit.certificate.issue.keys import unlock
from inspect_kit.inspection.record import open_record
from inspect_kit.registry.opening import open_registry
from tests.registry.conftest import NOW, _blank, unsigned


def certified(home: Path, subject: str) -> str:
    """A certificate's number."""
    base = open_record((home / "record.json").read_bytes())
    desk = Desk(home, open_registry(home, remembered=False), unlock(home, "", None), NOW, draw=_blank)
    about = structs.replace(base.subject, text=subject)
    with patch.object(issuing, "sign", unsigned):
        return issue_certificate(desk, Request(structs.replace(base, subject=about), home / f"{subject}.pdf")).number


if __name__ == "__main__":
    print(certified(Path(sys.argv[1]), "Striker 2"))
