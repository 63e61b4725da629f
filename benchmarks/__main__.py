"""`python -m benchmarks [NAME…]`: run all benchmarks, or the named ones, and print their figures as ratios."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main() -> None:
    """Run what was asked for."""
    known = sorted(
        module.name for module in pkgutil.iter_modules(benchmarks.__path__) if not module.name.startswith("_")
    )
    for name in sys.argv[1:] or known:
        print(f"── {name} " + "─" * (70 - len(name)))
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
