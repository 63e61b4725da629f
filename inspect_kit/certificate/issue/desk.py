"""An issuer's desk in a home: its registry, an inspector's opened keys, and issuing what was judged there."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from msgspec import structs

from inspect_kit.capture.files import read_bytes
from inspect_kit.capture.measurement_file import Photo
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.issue.issue import Desk, Issued, Request, first_of, issue_certificate
from inspect_kit.certificate.issue.issue_journal import recover
from inspect_kit.certificate.issue.keys import Passphrase, SigningKey, own_keyring, unlock
from inspect_kit.errors import BrokenSeal, Notice, notice, sentences
from inspect_kit.inspection.record import About, Record, Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Outcome
from inspect_kit.registry.opening import FILE_NAME, Registry, open_registry


def photos_beside(outcome: Outcome, language: str) -> tuple[dict[str, bytes], tuple[Notice, ...]]:
    """The photos that lie beside their measurement files, by digest, and drawn over, by `OVERLAY` and digest; and what
    could not be had."""
    photos, missing = _files_beside(outcome.photos)
    if photos and any(reading.outline for reading in outcome.readings):
        # OpenCV is loaded only where there is something to draw.
        from inspect_kit.certificate.pages.photo_overlays import overlays_of

        photos |= overlays_of(outcome, photos, wording_for(language, outcome.task.sheet.wording))
    return photos, missing


def _files_beside(stated: Iterable[Photo]) -> tuple[dict[str, bytes], tuple[Notice, ...]]:
    """Photos by digest; one that was changed since is refused, one that is missing is only spoken of."""
    found: dict[str, bytes] = {}
    missing = []
    for photo in stated:
        path = photo.folder / photo.file
        if not path.is_file():
            missing.append(notice("photo-not-beside", photo.file))
            continue
        content = read_bytes(path)
        if hashlib.sha256(content).hexdigest() != photo.sha256:
            raise BrokenSeal("not-measured-photo", where=str(path))
        found[photo.sha256] = content
    return found, tuple(missing)


# An issuer's desk in a home.


DATABASE: Final = "INSPECT_KIT_DB"
"""The environment's name for the database that several desks share."""


def registry_at(home: Path) -> tuple[Registry, tuple[Notice, ...]]:
    """The registry, made where there is none, and what was finished that had been left undone."""
    registry = open_registry(home, os.environ.get(DATABASE, ""))
    return registry, tuple(recover(home, registry))


def has_registry(home: Path) -> bool:
    """Whether this desk has one: looking at a foreign certificate does not make one."""
    return bool(os.environ.get(DATABASE)) or (home / FILE_NAME).is_file()


def opened_key(
    home: Path, signer: str, inspector: str, passphrase: Callable[[Path, str | None], Passphrase]
) -> SigningKey:
    """The keys of the inspector who is named, else of the one who inspected, else of the only one who has keys."""
    in_use = {each.name for each in own_keyring(home).signers if not each.retired}
    who = signer or (inspector if inspector in in_use else "")
    return unlock(home, who, passphrase(home, who))


@dataclass(frozen=True, slots=True)
class Statements:
    """What is stated besides, and the pictures that go with it, by their digests."""

    about: About = field(default_factory=About)
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    address: str = ""
    lookup: str = ""


def issue_outcome(
    desk: Desk, outcome: Outcome, subject: Subject, request_for: Callable[[Record], Request], about: About | None = None
) -> Issued:
    """Make the record of what was judged, number it, sign it, register it and write it."""
    told = tuple(named_otherwise(subject, desk))
    outcome = replace(outcome, warnings=(*outcome.warnings, *sentences(told)), notices=(*outcome.notices, *told))
    request = request_for(record_of(outcome, signed_subject(subject, desk), about or About()))
    photos, missing = photos_beside(outcome, first_of(request.language))
    issued = issue_certificate(desk, replace(request, photos={**photos, **request.photos}))
    return replace(issued, notices=(*missing, *issued.notices))


def named_otherwise(subject: Subject, desk: Desk) -> Iterator[Notice]:
    """That a certificate names another body than the one whose keys sign it."""
    if subject.issuer and subject.issuer != desk.key.issuer.name:
        yield notice("issuer-named-otherwise", name=subject.issuer, issuer=desk.key.issuer.name)


def signed_subject(subject: Subject, desk: Desk) -> Subject:
    """The subject with issuer and inspector as the keys name them, where nothing else was said."""
    issuer, inspector = desk.key.issuer.name, desk.key.signer.name
    return structs.replace(subject, issuer=subject.issuer or issuer, inspector=subject.inspector or inspector)
