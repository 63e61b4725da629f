"""Run by a test: many desks at once, each a process of its own, issue certificates into one registry.

The desks are forked from a process that has everything loaded, so that they really race each other.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from msgspec import structs

from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate, load_slow_parts
from inspect_kit.certificate.issue.keys import unlock
from inspect_kit.inspection.record import Record, open_record
from inspect_kit.registry.opening import open_registry
from tests.registry.conftest import NOW, _blank


def main(home: Path, url: str, desks: int, each: int) -> int:
    """How many of the desks have failed; the numbers that were issued go to files beside the home."""
    record = open_record((home / "record.json").read_bytes())
    load_slow_parts()
    children = []
    for number in range(desks):
        child = os.fork()
        if child == 0:
            _run_desk(home, url, record, (f"desk{number}", each))
        children.append(child)
    return sum(os.waitpid(child, 0)[1] != 0 for child in children)


def _run_desk(home: Path, url: str, record: Record, task: tuple[str, int]) -> None:
    name, each = task
    code = 1
    try:
        # Opening is part of the race: all desks find the registry empty and want to make it.
        desk = replace(Desk(home, open_registry(home, url), unlock(home, "", None), NOW), draw=_blank)
        for place in range(each):
            subject = structs.replace(record.subject, text=f"{name}-{place}")
            out = home.parent / f"{name}-{place}.pdf"
            issued = issue_certificate(desk, Request(structs.replace(record, subject=subject), out))
            (home.parent / f"{name}-{place}.number").write_text(issued.number)
        code = 0
    except BaseException as problem:
        sys.stderr.write(f"{name}: {type(problem).__name__}: {problem}\n")
    finally:
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
