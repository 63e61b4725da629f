"""`python -m benchmarks [NAME…]`: run all benchmarks, or the named ones, and print their figures as ratios.

`python -m benchmarks sensitivity [ROOM…]` and `python -m benchmarks traced` run that one only: they take long.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks

_LONG = ("sensitivity", "traced")


def main() -> None:
    """Run what was asked for."""
    known = sorted(
        module.name for module in pkgutil.iter_modules(benchmarks.__path__) if not module.name.startswith("_")
    )
    alone = sys.argv[1:2] in (["sensitivity"], ["traced"])
    for name in sys.argv[1:2] if alone else sys.argv[1:] or [name for name in known if name not in _LONG]:
        print(f"── {name} " + "─" * (70 - len(name)))
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
