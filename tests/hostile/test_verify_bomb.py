"""A small PDF that unpacks to gigabytes is taken apart in a process with bounds, and refused."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path


def _bomb() -> bytes:
    """A quarter of a megabyte whose object stream unpacks to ten thousand times that."""
    packer = zlib.compressobj(9)
    block = b"0" * 10_000_000
    content = b"".join(packer.compress(block) for _ in range(260)) + packer.flush()
    head = b"%PDF-1.7\n/ByteRange\n1 0 obj <</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length "
    body = head + str(len(content)).encode() + b">>stream\n" + content + b"\nendstream endobj\n"
    return body + b"trailer <</Root 1 0 R/Size 2>>\nstartxref\n0\n%%EOF\n"


def test_a_pdf_bomb_is_refused_within_bounds(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pdf"
    path.write_bytes(_bomb())
    # Not RUSAGE_SELF: Linux counts the memory of the program that started this one into it, here all of pytest's.
    script = (
        "import re, resource, sys; from inspect_kit.cli.app import app, run; code = run(app, ['verify', sys.argv[1]]);"
        "own = int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]);"
        "print(max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode in (4, 5), done.stderr
    assert int(done.stdout.split()[-1]) < 1_600_000
