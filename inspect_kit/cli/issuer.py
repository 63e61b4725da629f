"""What the commands around certificates share: home, registry, the issuers that are trusted, and the passphrase."""

from __future__ import annotations

import getpass
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import structs

from inspect_kit.certificate.issue.believed import own_issuer
from inspect_kit.certificate.issue.keys import Founding, Passphrase, found, needs_passphrase, own_keyring, unlock
from inspect_kit.cli.language import heard, said
from inspect_kit.cli.options import home_of
from inspect_kit.cli.output import warn
from inspect_kit.errors import UsageError
from inspect_kit.inspection.record import Subject
from inspect_kit.notices import sentences
from inspect_kit.registry.numbers import code_for

if TYPE_CHECKING:
    from inspect_kit.certificate.issue.issue import Desk
    from inspect_kit.registry.opening import Registry

PASSPHRASE = "INSPECT_KIT_PASSPHRASE"
NEW_PASSPHRASE = "INSPECT_KIT_NEW_PASSPHRASE"
DATABASE = "INSPECT_KIT_DB"


def now() -> datetime:
    """The time, in this place's zone."""
    return datetime.now(UTC).astimezone()


def registry_of(ctx: click.Context) -> Registry:
    """The registry, made where there is none; what an earlier command left unfinished is finished first."""
    # Imported here, so that the commands that only look at keys do not wait for the database.
    from inspect_kit.certificate.issue.issue_journal import recover
    from inspect_kit.registry.opening import open_registry

    registry = open_registry(home_of(ctx), os.environ.get(DATABASE, ""))
    warn(sentences(recover(home_of(ctx), registry), heard()))
    return registry


def registry_if_any(ctx: click.Context) -> Registry | None:
    """The registry, unless this desk has none: looking at a foreign certificate does not make one."""
    from inspect_kit.registry.opening import FILE_NAME

    return registry_of(ctx) if os.environ.get(DATABASE) or (home_of(ctx) / FILE_NAME).is_file() else None


def desk_of(ctx: click.Context, signer: str = "", inspector: str = "") -> Desk:
    """The desk of an inspector: the one who is named, else the one who inspected, else the only one with keys."""
    from inspect_kit.certificate.issue.issue import Desk

    home = home_of(ctx)
    keyring = own_keyring(home)
    in_use = {each.name for each in keyring.signers if not each.retired}
    who = signer or (inspector if inspector in in_use else "")
    key = unlock(home, who, passphrase_for(home, who))
    return Desk(home, registry_of(ctx), key, now())


def throwaway_desk(home: Path, issuer: str, inspector: str) -> Desk:
    """A desk for a demonstration: keys without a passphrase and a registry, in a folder of their own."""
    from inspect_kit.certificate.issue.issue import Desk
    from inspect_kit.registry.opening import open_registry

    if own_issuer(home) is None:
        found(home, Founding(issuer, code_for(issuer), inspector), None, now())
    return Desk(home, open_registry(home, remembered=False), unlock(home, "", None), now())


def signed_subject(subject: Subject, desk: Desk) -> Subject:
    """The subject with issuer and inspector as the keys name them, where nothing else was said."""
    issuer, inspector = desk.key.issuer.name, desk.key.signer.name
    return structs.replace(subject, issuer=subject.issuer or issuer, inspector=subject.inspector or inspector)


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
