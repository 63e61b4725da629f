"""What the commands around certificates share: home, registry, the issuers that are trusted, and the passphrase."""

from __future__ import annotations

import getpass
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspect_kit.certificate.issue.keys import PASSPHRASE, Founding, Passphrase, found, needs_passphrase, unlock
from inspect_kit.certificate.issue.trust import own_issuer
from inspect_kit.cli.options import home_folder
from inspect_kit.cli.terminal import lang, said, warn
from inspect_kit.clock import now
from inspect_kit.errors import UsageError, sentences
from inspect_kit.registry.numbers import code_for

if TYPE_CHECKING:
    from inspect_kit.certificate.issue.issue import Desk
    from inspect_kit.registry.opening import Registry

NEW_PASSPHRASE = "INSPECT_KIT_NEW_PASSPHRASE"


def registry_here() -> Registry:
    """The registry, made where there is none; what an earlier command left unfinished is finished first."""
    # Imported here, so that the commands that only look at keys do not wait for the database.
    from inspect_kit.certificate.issue.desk import registry_at

    registry, told = registry_at(home_folder())
    warn(*sentences(told, lang()))
    return registry


def registry_if_any() -> Registry | None:
    """The registry, unless this desk has none: looking at a foreign certificate does not make one."""
    from inspect_kit.certificate.issue.desk import has_registry

    return registry_here() if has_registry(home_folder()) else None


def desk_of(signer: str = "", inspector: str = "") -> Desk:
    """The desk of an inspector: the one who is named, else the one who inspected, else the only one with keys."""
    from inspect_kit.certificate.issue.desk import opened_key
    from inspect_kit.certificate.issue.issue import Desk

    home = home_folder()
    key = opened_key(home, signer, inspector, passphrase_for)
    return Desk(home, registry_here(), key, now())


def throwaway_desk(home: Path, issuer: str, inspector: str) -> Desk:
    """A desk for a demonstration: keys without a passphrase and a registry, in a folder of their own."""
    from inspect_kit.certificate.issue.issue import Desk
    from inspect_kit.registry.opening import open_registry

    if own_issuer(home) is None:
        found(home, Founding(issuer, code_for(issuer), inspector), None, now())
    return Desk(home, open_registry(home, remembered=False), unlock(home, "", None), now())


def passphrase_for(home: Path, who: str | None) -> Passphrase:
    """The passphrase of an inspector's keys (of the CA's for `None`), asked for only if there is one."""
    if not needs_passphrase(home, who):
        return None
    prompt = "ask-passphrase-issuer" if who is None else "ask-passphrase-inspector"
    return _asked(PASSPHRASE, said(prompt), again=False)


def new_passphrase(*, variable: str = PASSPHRASE) -> Passphrase:
    """A passphrase for new keys, typed twice."""
    return _asked(variable, said("ask-new-passphrase"), again=True)


def _asked(variable: str, prompt: str, *, again: bool) -> Passphrase:
    given = os.environ.get(variable)
    if given:
        return given.encode()
    if not sys.stdin.isatty():
        raise UsageError("passphrase-needed", passphrase=PASSPHRASE)
    typed = str(click.prompt(prompt, hide_input=True, confirmation_prompt=again, err=True))
    return typed.encode()


def person() -> str:
    """Who sits here, as the system knows them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
