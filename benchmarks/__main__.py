"""`python -m benchmarks [NAME…]`: run all benchmarks, or the named ones, and print their figures as ratios.

These take long and are run only by name, with their options: `sensitivity [--into FOLDER] [ROOM…]`, `traced`,
`pictures FOLDER…`, `kills`, `power`, `soak --minutes 30`, `fuzz --minutes 10`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks

ALONE = ("sensitivity", "traced", "pictures", "kills", "power", "soak", "fuzz")


def main() -> None:
    """Run what was asked for."""
    known = sorted(
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if not module.ispkg and not module.name.startswith("_")
    )
    alone = sys.argv[1:2] and sys.argv[1] in ALONE
    for name in sys.argv[1:2] if alone else sys.argv[1:] or [name for name in known if name not in ALONE]:
        print(f"── {name} " + "─" * (70 - len(name)))
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
