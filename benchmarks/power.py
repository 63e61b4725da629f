"""One certify with the power cut after every call that changes something on disk; unflushed writes lost, or half.

python -m benchmarks power [--every 1]
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.kills import issuing_home
from tests.hostile.one_certify import certified
from tests.hostile.power_cuts import cuts
from tests.hostile.test_power_cuts import _as_if_in, checked, traced


def main() -> None:
    """Print how many cuts the registry outlived, and how many came before and after the certificate was there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    every = parser.parse_known_args()[0].every
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        place = Path(folder)
        os.environ["INSPECT_KIT_WITNESS"] = str(place / "memory")
        home, start, trace = issuing_home(place), place / "start", place / "trace"
        certified(home, "Striker 1")
        shutil.copytree(home, start)
        traced(home, trace)
        _as_if_in(trace, home, start)
        begun = time.monotonic()
        held = Counter(checked(left) for _, left in cuts(trace, start, place / "left", every=every))
    told = f"{held[1]} before the certificate, {held[2]} after"
    print(f"{held.total()} cuts outlived: {told}; {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
