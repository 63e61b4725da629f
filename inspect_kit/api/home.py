"""Where a program's keys, cameras and registry live: the place that was named, else that of the commands."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import click

from inspect_kit.api.rows import Paths

Result = TypeVar("Result")


def away_from_loops(work: Callable[[], Result]) -> Result:
    """Signing starts an event loop of its own, which a notebook's does not allow beside it: then in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def context(home: Paths | None) -> click.Context:
    """What the commands' own helpers ask for their home."""
    named = home or os.environ.get("INSPECT_KIT_HOME")
    return click.Context(click.Command("inspect-kit"), obj=Path(named) if named else None)
