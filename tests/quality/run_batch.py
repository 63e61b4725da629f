"""A batch as a process of its own, so that a test can kill it: `python -m tests.quality.run_batch PHOTOS OUT`."""

from __future__ import annotations

import sys
from pathlib import Path

from inspect_kit.quality.batch import Batch, find_photos, run
from inspect_kit.quality.batch_pool import Pool
from inspect_kit.quality.batch_work import Work

if __name__ == "__main__":
    work = Work("disc", (("print_scale", "0.5"),), "tests.quality.photo_measuring:measure")
    run(Batch(find_photos([Path(sys.argv[1])]), work, Path(sys.argv[2])), Pool(2), lambda _: None)
