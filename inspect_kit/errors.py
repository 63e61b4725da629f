"""What can go wrong: a code with facts, where it stands and what to do about it, in words only at the edge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from inspect_kit.notices import ENGLISH, Notice, advice_on, notice, place, sentence


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in a file or an entry: its place, what it is, and a way out where one is known."""

    where: str
    told: Notice
    advice: str | Notice = ""
    """A way out that this place knows; else the code's own, if it has one."""
    also: Notice | None = None
    """Where in the file that is, for instance."""

    @property
    def why(self) -> str:
        """What is wrong, in English."""
        return sentence(self.told)

    @property
    def hint(self) -> str:
        """A way out, in English."""
        return self.way_out()

    def way_out(self, language: str = ENGLISH) -> str:
        """What to do about it, or nothing."""
        told = sentence(self.advice, language) if isinstance(self.advice, Notice) else self.advice
        parts = (told or advice_on(self.told, language), sentence(self.also, language) if self.also else "")
        return "; ".join(part for part in parts if part)

    def said(self, language: str = ENGLISH) -> str:
        """The whole of it in a sentence."""
        why, hint = sentence(self.told, language), self.way_out(language)
        said = f"{place(self.where, language)}: {why}" if self.where else why
        return f"{said} ({hint})" if hint else said

    def __str__(self) -> str:
        return self.said()


def fault(where: str, code: str, hint: str | Notice = "", /, **facts: object) -> Fault:
    """A fault with its facts by name."""
    return Fault(where, notice(code, **facts), hint)


class InspectKitError(Exception):
    """Root of the errors a user can meet, as `reports/wording/<language>/errors.toml` words them; `exit_code` is what
    the command line leaves with."""

    exit_code = 4

    def __init__(self, code: str, /, *, where: str = "", hint: str | Notice = "", **facts: object) -> None:
        self.fault = Fault(where, notice(code, **facts), hint)
        super().__init__(code)

    @classmethod
    def of(cls, fault: Fault, **changed: str | Notice) -> Self:
        """An error of this kind that says what another one said, at another place or with other advice."""
        error = cls.__new__(cls)
        InspectKitError.__init__(error, fault.told.code)
        error.fault = replace(fault, **changed)  # type: ignore[arg-type]
        return error

    @classmethod
    @contextmanager
    def located(cls, where: str) -> Iterator[None]:
        """What goes wrong within the block, as an error of this kind at a place that the block does not know."""
        try:
            yield
        except InspectKitError as problem:
            raise cls.of(problem.fault, where=where) from None

    def said(self, language: str = ENGLISH) -> str:
        """The error in a language."""
        return self.fault.said(language)

    def __str__(self) -> str:
        return self.said()

    def notices(self) -> tuple[Notice, ...]:
        """What is wrong and where, as notices within another one."""
        return tuple(replace(fault.told, where=fault.where) for fault in getattr(self, "faults", (self.fault,)))

    @property
    def told(self) -> Notice:
        """What is wrong: its code and facts."""
        return self.fault.told

    @property
    def where(self) -> str:
        """The file, line or option it is about; empty where that is plain."""
        return self.fault.where

    @property
    def why(self) -> str:
        """What is wrong, in English."""
        return self.fault.why

    @property
    def hint(self) -> str:
        """A way out, where one is known, in English."""
        return self.fault.hint


class UsageError(InspectKitError):
    """The command was called with something that does not exist or does not fit."""

    exit_code = 2


class BadInput(InspectKitError):
    """A file, photo or entry that cannot be used."""


@contextmanager
def system_errors_as(code: str, where: Path | str) -> Iterator[None]:
    """What the system refuses within the block, as an error of ours with its reason."""
    try:
        yield
    except OSError as problem:
        raise BadInput(code, where=str(where), reason=problem.strerror or problem) from None


def refuse_special_file(path: Path) -> None:
    """Refuse a pipe or a device: opening one may wait for ever, and reading one may never end."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise BadInput("device-or-pipe", where=str(path))


class BadSheet(InspectKitError):
    """A sheet with faults: all of them at once, each with its place."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        if not faults:
            raise ValueError("a bad sheet needs at least one fault")
        self.faults = faults
        super().__init__(faults[0].told.code)
        self.fault = faults[0]

    def said(self, language: str = ENGLISH) -> str:
        """All of them, a line each."""
        return "\n".join(fault.said(language) for fault in self.faults)


class BrokenSeal(InspectKitError):
    """A digest, signature or chain that does not hold."""

    exit_code = 5
