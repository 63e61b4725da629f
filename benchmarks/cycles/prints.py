"""The program's own printed sheets as pictures: made by `inspect-kit target`, rasterised at 600 dpi."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import cv2

DPI = 600
"""Dots an inch of the raster."""


@dataclass(frozen=True)
class Prints:
    """Sheets in a folder; made on first use by the interpreter that has the program."""

    folder: Path
    interpreter: str

    def page(self, kind: str, number: int = 1) -> Path:
        """One page's picture."""
        picture = self.file(f"{kind}-{number}.png")
        if not picture.exists():
            pdf = self.folder / f"{kind}.pdf"
            count = ["--count", "4"] if kind == "cards" else []
            subprocess.run([self.interpreter, "-m", "inspect_kit", "target", kind, *count, "-o", pdf], check=True)
            subprocess.run(["pdftoppm", "-r", str(DPI), "-png", pdf, self.folder / kind], check=True)
        return picture

    def file(self, name: str) -> Path:
        """Where a file of the folder is, or is to be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name

    def size(self, kind: str) -> tuple[float, float]:
        """Width and height of a page as rasterised, mm."""
        height, width = cv2.imread(str(self.page(kind)), cv2.IMREAD_GRAYSCALE).shape
        return width / DPI * 25.4, height / DPI * 25.4
