"""Paths that commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

PATH: Final = click.Path(path_type=Path)
FILE: Final = click.Path(path_type=Path, dir_okay=False)
FOLDER: Final = click.Path(path_type=Path, file_okay=False)
