"""The work on one photo, as it is done in another process or on another machine: nothing here needs the rest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from inspect_kit.errors import BadInput, InspectKitError, UsageError
from inspect_kit.quality.batch_lines import canonical

Measure = Callable[[str, Path, Mapping[str, str]], dict[str, Any]]
"""What is measured, the photo, the options → the result as `measure --json` prints it."""

MAX_ERROR = 300


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo by its name as given and its size, by which a changed one is known; `path` is where workers find it."""

    name: str
    size: int
    path: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Work:
    """What to do to every photo; the function by its name, so that another process can find it.

    `noted` is what the results say of an option instead of its text: of a file, its digest and not where it lies.
    """

    kind: str
    options: tuple[tuple[str, str], ...]
    function: str
    noted: tuple[tuple[str, str], ...] = ()


@cache
def found(name: str) -> Measure:
    """The measuring function `module:function`."""
    module, colon, function = name.partition(":")
    if not colon or not module or not function:
        raise UsageError(f"{name[:60]!r} does not name a function", hint="for example my_measuring:measure")
    try:
        measure = getattr(import_module(module), function)
    except (ImportError, AttributeError) as problem:
        raise UsageError(f"cannot find {name[:60]!r}: {str(problem)[:120]}") from None
    if not callable(measure):
        raise UsageError(f"{name[:60]!r} is not a function")
    return measure  # type: ignore[no-any-return]


def measured_chunk(photos: Sequence[Photo], work: Work) -> list[bytes]:
    """The lines of some photos, in their order."""
    _stay_on_one_core()
    return [_measured(photo, work) for photo in photos]


def _measured(photo: Photo, work: Work) -> bytes:
    """The line of one photo. Whatever goes wrong with it is its own matter and stops nobody else."""
    path = Path(photo.path or photo.name)
    try:
        if path.exists() and not path.is_file():
            # Opening a pipe would wait for somebody to write into it.
            raise BadInput("is no file")
        result = found(work.function)(work.kind, path, dict(work.options))
        return canonical({"photo": photo.name, "size": photo.size, "result": result})
    except InspectKitError as problem:
        reason = str(problem)
    except MemoryError:
        reason = "there is not enough memory for it"
    except Exception as problem:
        reason = f"a fault in the program, {type(problem).__name__}: {problem}"
    return failed(photo, reason)


def failed(photo: Photo, reason: str) -> bytes:
    """The line of a photo that could not be measured."""
    # The line names the photo already, and where it lies on a worker's disk is nobody's matter.
    named = (reason.replace(photo.path, photo.name) if photo.path else reason).removeprefix(f"{photo.name}: ")
    sentence = " ".join("".join(sign if sign.isprintable() else " " for sign in named).split())
    return canonical({"photo": photo.name, "size": photo.size, "error": sentence[:MAX_ERROR]})


def _stay_on_one_core() -> None:
    """Each process has its core; OpenCV would start threads on all of them."""
    cv2 = sys.modules.get("cv2")
    if cv2 is not None and cv2.getNumThreads() != 1:
        cv2.setNumThreads(1)


def check_function(work: Work) -> None:
    """Say at once that there is no such function, not two thousand times."""
    try:
        found(work.function)
    except UsageError:
        raise
    except Exception as problem:
        raise BadInput(f"{work.function[:60]!r} cannot be loaded: {str(problem)[:120]}") from None
