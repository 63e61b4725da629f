"""Run by a test in a name space of its own: mounts a tiny file system and issues until it is full."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate
from inspect_kit.certificate.issue.keys import Founding, found, own_keyring, unlock
from inspect_kit.certificate.issue.seals import seals_in
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import open_record
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.opening import open_registry
from tests.registry.conftest import NOW, _blank


def main(place: Path) -> None:
    """Prints how many were issued and what stopped it; any disorder afterwards is an error."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", str(place)], check=True)
    home, out = place / "home", place / "out"
    out.mkdir()
    found(home, Founding("Pražský carrom klub", "PCK", "Řehoř Áron"), None, NOW)
    desk = Desk(home, open_registry(home), unlock(home, "", None), NOW, draw=_blank)
    stored = Path(__file__).resolve().parents[2] / "inspection" / "formats" / "format-1.json"
    record = open_record(stored.read_bytes())
    issued = 0
    try:
        while True:
            issue_certificate(desk, Request(record, out / f"{issued}.pdf"))
            issued += 1
    except BadInput as problem:
        print(issued)
        print(f"BadInput: {problem}")
    with tempfile.TemporaryDirectory() as roomy:
        # The audit itself needs no room, but SQLite wants some beside the file to open it.
        copy = Path(roomy) / "home"
        shutil.copytree(home, copy)
        rings = (own_keyring(copy),)
        found_out = audit(open_registry(copy), lambda connection: seals_in(connection, rings).fault)
    assert found_out.faults == (), found_out.faults
    assert found_out.certificates == issued, (found_out.certificates, issued)
    names = {path.name for path in out.iterdir()}
    assert names == {f"{place}.pdf" for place in range(issued)}, names
    assert all(path.read_bytes().rstrip().endswith(b"%%EOF") for path in out.iterdir())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
