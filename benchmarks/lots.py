"""A lot judged and certified: 100,000 pieces against 10,000; a million judged, against the bare figures by pandas."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (10_000, 100_000)
MILLION = 1_000_000
_PANDAS = """
import resource, sys
import pandas
values = pandas.read_csv(sys.argv[1])[sys.argv[2]]
outside = int(((values < 30.2) | (values > 31.8)).sum())
values.mean(), values.std(), values.describe()
print(outside)
"""
"""The bare figures of a column: mean, s, quantiles, and how many lie outside."""
_LOT = ("-m", "inspect_kit", "qa", "lot", "--spec", "icf-cs", "--item", "coin-set", "--characteristic", "coin.diameter",
        "--u", "0.01mm")  # fmt: skip
_ONE = """
import resource, sys, time
from benchmarks.lots import certified
from pathlib import Path
started = time.process_time()
pdf, verdict = certified(Path(sys.argv[1]))
print(time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(pdf), verdict)
"""


def certified(path: Path) -> tuple[bytes, str]:
    """Read, judge, record and certify a file of coins."""
    from datetime import date

    from inspect_kit.certificate.pages.lot_render import make_lot_certificate
    from inspect_kit.inspection.record import Subject
    from inspect_kit.inspection.walk import Task
    from inspect_kit.judgement.rules import RuleName
    from inspect_kit.quality.lot.column import ReadingDefaults
    from inspect_kit.quality.lot.file import WantedCharacteristics, read_lot
    from inspect_kit.quality.lot.judge import SamplingAgreement, judge_pieces, plan_for
    from inspect_kit.quality.lot.record import lot_record_of
    from inspect_kit.rulebook.library import load

    sheet = load("icf-cs")
    task = Task(sheet, sheet.item("coin-set"), RuleName.GUARDED, date(2026, 11, 16))
    file = read_lot(path, WantedCharacteristics(("coin.diameter",)))
    outcome = judge_pieces(task, file, plan_for(len(file.pieces), SamplingAgreement()), ReadingDefaults("0.01"))
    record = lot_record_of(outcome, Subject("Lot"))
    return make_lot_certificate(record, language="en"), record.verdict


def main() -> None:
    """Print processor seconds, peak memory and the ratios."""
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = _lot(Path(folder) / f"{size}.csv", size)
            run = subprocess.run([sys.executable, "-c", _ONE, str(path)], capture_output=True, text=True, check=True)
            seconds, peak, length, verdict = run.stdout.split()
            figures.append((float(seconds), float(peak)))
            used = f"{float(seconds):7.2f} s  peak {float(peak):6.0f} MB"
            print(f"{size:>8,} pieces  {used}  PDF {int(length):>9,} B  {verdict}")
    (short, small), (long, large) = figures
    print(f"ratio 100,000 : 10,000   time {long / short:5.1f}   memory {large / small:5.2f}")
    with tempfile.TemporaryDirectory() as folder:
        for name, column, row in (
            ("wide", "coin.diameter [mm]", "C{:07},{},{}"), ("long", "value", "coin.diameter,C{:07},{},mm,0.01,,{}"),
        ):  # fmt: skip
            _against_pandas(_million(Path(folder) / f"{name}.csv", column, row), column)


def _against_pandas(path: Path, column: str) -> None:
    """Processor seconds and peak memory of the whole command, and of pandas for the bare figures, in the same run."""
    bare, _ = _used("-c", _PANDAS, str(path), column)
    full, peak = _used(*_LOT[:4], str(path), *_LOT[4:])
    print(f"{MILLION:>9,} {path.stem}  pandas {bare:5.2f} s   qa lot {full:6.2f} s  ratio {full / bare:4.1f}", end="")
    print(f"   peak {peak:4.0f} MB")


def _used(*arguments: str) -> tuple[float, float]:
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL) as started:
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def _million(path: Path, column: str, row: str) -> Path:
    source = random.Random(1)
    heads = {"value": "characteristic,instance,value,unit,u,instrument,machine"}
    with path.open("w") as stream:
        stream.write(heads.get(column, f"piece,{column},machine") + "\n")
        for number in range(MILLION):
            stream.write(row.format(number, f"{source.gauss(31.0, 0.16):.2f}", number % 4) + "\n")
    return path


def _lot(path: Path, size: int) -> Path:
    source = random.Random(1)
    rows = (f"C{number:06},{source.gauss(31.0, 0.16):.2f}\n" for number in range(size))
    with path.open("w") as stream:
        stream.write("piece,coin.diameter [mm]\n")
        stream.writelines(rows)
    return path


if __name__ == "__main__":
    main()
