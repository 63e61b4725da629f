"""The photo of a gauge's display at the check-in desk: what it shows, as a proposal, with the picture that is kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_kit.capture.instruments import Instrument
    from inspect_kit.errors import Notice


@dataclass(frozen=True, slots=True)
class DisplayProposal:
    """What the display shows in g or mm, or why nothing is proposed."""

    value: str
    unit: str
    picture: bytes
    sha256: str
    told: Notice | None


def display_proposal(content: bytes, gauge: Instrument) -> DisplayProposal:
    """Read it within what this gauge can show; only what is certain is proposed."""
    from inspect_kit.capture.photographs import open_photograph
    from inspect_kit.capture.readings import in_base
    from inspect_kit.measure.displayed import displayed

    reading = displayed(open_photograph(content, "photo", where="photo"), gauge)
    sha256 = hashlib.sha256(reading.picture).hexdigest()
    if not reading.certain:
        return DisplayProposal("", "", reading.picture, sha256, reading.told)
    return DisplayProposal(*in_base(reading.value, reading.unit), reading.picture, sha256, None)
