"""Where a program's keys, cameras and registry live: the place that was named, else that of the commands."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from inspect_kit.api.rows import Paths
from inspect_kit.notices import Notice, sentences
from inspect_kit.places import home_at

Result = TypeVar("Result")


def away_from_loops(work: Callable[[], Result]) -> Result:
    """Signing starts an event loop of its own, which a notebook's does not allow beside it: then in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def home_of(named: Paths | None) -> Path:
    """The place that was named, else that of the commands."""
    return home_at(str(named) if named else os.environ.get("INSPECT_KIT_HOME"))


def print_warnings(notices: Iterable[Notice]) -> None:
    """What a person must be told, as Python tells it."""
    for text in sentences(notices):
        warnings.warn(text, stacklevel=4)
