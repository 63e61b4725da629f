"""inspect-kit: equipment compliance inspection for table sports, from a reading to a certificate.

In Python: `import inspect_kit as ik`, then `ik.measure`, `ik.judge`, `ik.certify`, `ik.verify`, `ik.sheet`, `ik.qa`.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__version__ = "0.1.0"
__all__ = ["InspectKitError", "certify", "judge", "measure", "qa", "sheet", "verify"]

_PLACES = {
    "InspectKitError": "inspect_kit.errors",
    "certify": "inspect_kit.api.certifying",
    "judge": "inspect_kit.api.judging",
    "measure": "inspect_kit.api.judging",
    "sheet": "inspect_kit.api.judging",
    "verify": "inspect_kit.api.certifying",
}


def __getattr__(name: str) -> Any:
    """Loaded when it is asked for, so that whoever only judges does not wait for OpenCV, nor help for anything."""
    if name == "qa":
        return import_module("inspect_kit.api.qa")
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _Package(ModuleType):
    """The package: `measure` is a function for those who use it, and a folder for those who build it."""

    def __setattr__(self, name: str, value: object) -> None:
        # Importing the folder would put it in the function's place.
        if not (name == "measure" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
