"""A batch in processes of its own that are all killed in the middle: `python -m tests.quality.batch.run_batch PHOTOS OUT AFTER`."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path

from inspect_kit.quality.batch.run import Batch, find_photos, run
from inspect_kit.quality.batch.workers import Pool, Work


def killed_at(last: int, finished: int) -> None:
    """The system takes the whole session, workers and all, without a warning."""
    if finished == last:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    work = Work("disc", (("print_scale", "0.5"),), "tests.quality.batch.photo_measuring:measure")
    batch = Batch(find_photos([Path(sys.argv[1])]), work, Path(sys.argv[2]))
    run(batch, Pool(2), partial(killed_at, int(sys.argv[3])))
