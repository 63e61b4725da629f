"""A gauge's display in a photo, within the guided way: proposed with its picture, and taken over by one key."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_kit.atomic_write import written_beside
from inspect_kit.clock import now
from inspect_kit.errors import system_errors_as
from inspect_kit.inspection.guided import Answer, display_line, display_picture
from inspect_kit.inspection.screens import Screen

if TYPE_CHECKING:
    from inspect_kit.cli.guided.session import GuidedSession


def proposed(session: GuidedSession, screen: Screen, path: Path) -> GuidedSession:
    """What the display shows, for the first open place; nothing is an answer before somebody has confirmed it."""
    from inspect_kit.capture.photographs import read_photograph
    from inspect_kit.cli.instruments.display import LEAST_PIXELS
    from inspect_kit.measure.displayed import displayed

    question = screen.questions[0]
    gauge = session.gauge(question)
    if gauge is None:
        return replace(session, told=(session.say("none_chosen"),))
    reading = displayed(read_photograph(path, LEAST_PIXELS), gauge)
    doubt = reading.doubt_in(session.words.language)
    if not reading.picture or not reading.certain:
        shown = f"{reading.value} {reading.unit}".strip() or "–"
        return replace(session, told=(session.say("display_unsure", shown=shown, doubt=doubt),))
    picture = display_picture(hashlib.sha256(reading.picture).hexdigest())
    with system_errors_as("not-written", session.pictures / picture):
        written_beside(session.pictures / picture, reading.picture).replace(session.pictures / picture)
    text, time = f"{reading.value} {reading.unit}", now().isoformat(timespec="seconds")
    answer = Answer(question, text, gauge.id, display_line(text, picture), time, gauge.serial)
    told = (
        session.say("display_shows", shown=text, picture=session.pictures / picture), session.say("display_confirm"),
    )  # fmt: skip
    return replace(session, proposal=answer, told=told)
