"""What can go wrong, each fault with where it stands, what is wrong and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in a file or an entry: its place, the reason, and a way out."""

    where: str
    why: str
    hint: str = ""

    def __str__(self) -> str:
        sentence = f"{self.where}: {self.why}" if self.where else self.why
        return f"{sentence} ({self.hint})" if self.hint else sentence


class InspectKitError(Exception):
    """Root of the errors a user can meet; `exit_code` is what the command line leaves with.

    `code` and `facts` are for doors that speak other languages: the key of the sentence in their wording, and its gaps.
    """

    exit_code = 4

    def __init__(
        self, why: str, *, where: str = "", hint: str = "", code: str = "", facts: Mapping[str, object] | None = None
    ) -> None:
        self.fault = Fault(where, why, hint)
        self.code, self.facts = code, dict(facts or {})
        super().__init__(str(self.fault))

    @property
    def where(self) -> str:
        """The file, line or option it is about; empty where that is plain."""
        return self.fault.where

    @property
    def why(self) -> str:
        """What is wrong."""
        return self.fault.why

    @property
    def hint(self) -> str:
        """A way out, where one is known."""
        return self.fault.hint


class UsageError(InspectKitError):
    """The command was called with something that does not exist or does not fit."""

    exit_code = 2


class BadInput(InspectKitError):
    """A file, photo or entry that cannot be used."""


def refuse_special_file(path: Path) -> None:
    """Refuse a pipe or a device: opening one may wait for ever, and reading one may never end."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise BadInput("is a device or a pipe", where=str(path), hint="name a file")


class BadSheet(InspectKitError):
    """A sheet with faults: all of them at once, each with its place."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        if not faults:
            raise ValueError("a bad sheet needs at least one fault")
        self.faults = faults
        super().__init__(faults[0].why, where=faults[0].where, hint=faults[0].hint)

    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)


class BrokenSeal(InspectKitError):
    """A digest, signature or chain that does not hold."""

    exit_code = 5
