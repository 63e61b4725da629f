"""Photographs drawn over with what was measured in them and what was said of it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from PIL import Image

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.certificate.content import OVERLAY
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record
from inspect_kit.inspection.walk import Outcome
from inspect_kit.judgement.finding import Finding, Verdict
from inspect_kit.measure.at_desk import Told
from inspect_kit.values.measurement import Reading
from inspect_kit.vision.overlay import Mark, Tone, draw_close

_TONES: Final = {Verdict.FAILS: Tone.BAD, Verdict.UNDECIDED: Tone.DOUBT}
Key = tuple[str, str]


def overlays_of(outcome: Outcome, photos: Mapping[str, bytes]) -> dict[str, bytes]:
    """For each photo in which something was outlined: the photo with outlines, values and verdicts."""
    verdicts = _verdicts(outcome.judgement.findings)
    names = {photo.sha256: photo.file for photo in outcome.photos}
    drawn = {}
    for digest, content in photos.items():
        marks = tuple(_marks(_seen_in(outcome.readings, names.get(digest, ""), len(photos)), verdicts))
        if marks:
            drawn[OVERLAY + digest] = _drawn(content, names[digest], marks)
    return drawn


def told_overlays(record: Record, photos: Mapping[str, bytes], told: Told) -> dict[str, bytes]:
    """The same for a photo that was measured at the desk; the verdicts are those of the record."""
    lines = [line for line in record.lines if line.characteristic == told.characteristic and line.photographed is True]
    if not lines:
        return {}  # A caliper was believed instead.
    said = {line.verdict for line in lines}
    tone = next((_TONES[verdict] for verdict in (Verdict.FAILS, Verdict.UNDECIDED) if verdict in said), Tone.GOOD)
    drawn = {}
    for digest, content in photos.items():
        with Image.open(io.BytesIO(content)) as image:
            reading = told.reading("", image.size)
        mark = Mark(np.array(reading.outline), tuple(_lines(reading)), tone)
        drawn[OVERLAY + digest] = _drawn(content, digest, (mark,))
    return drawn


def _drawn(content: bytes, name: str, marks: Sequence[Mark]) -> bytes:
    photo = open_photograph(content, name, where=name)
    size = np.array([photo.width, photo.height])
    for mark in marks:
        if np.abs(mark.outline - size / 2).max() > size.max():
            raise BadInput("an outline of the measurement file lies outside of the photo", where=name)
    return draw_close(photo.pixels, marks)


def _verdicts(findings: Iterable[Finding]) -> dict[Key, Verdict]:
    """The worst that was said of each instance: a failure outweighs a doubt, a doubt outweighs a pass."""
    order = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.CONFORMS)
    said: dict[Key, Verdict] = {}
    for finding in findings:
        key = finding.clause.characteristic, finding.instance
        if finding.verdict in order:
            said[key] = min(said.get(key, Verdict.CONFORMS), finding.verdict, key=order.index)
    return said


def _seen_in(readings: Iterable[Reading], file: str, photos: int) -> Iterator[Reading]:
    return (each for each in readings if each.outline and (each.photo == file or (not each.photo and photos == 1)))


def _marks(readings: Iterable[Reading], verdicts: Mapping[Key, Verdict]) -> Iterator[Mark]:
    """Pieces that lie apart carry their values; what overlaps, as the parts of a figure do, has them beside it."""
    marks, lines = [], []
    for reading in readings:
        verdict = verdicts.get((reading.characteristic, reading.instance), Verdict.CONFORMS)
        marks.append(Mark(np.array(reading.outline), tuple(_lines(reading)), _TONES.get(verdict, Tone.GOOD)))
        # With a colon, lest a number of a piece be read as part of its value.
        name = f"{reading.instance} {reading.characteristic.partition('.')[2]}".strip()
        lines.append(" ".join((f"{name}:", *_values(reading))))
    yield from _beside(marks, lines) if _overlapping(marks) else marks


def _overlapping(marks: Sequence[Mark]) -> bool:
    middles = np.array([mark.outline.mean(axis=0) for mark in marks]).reshape(-1, 2)
    reach = np.array([np.ptp(mark.outline, axis=0).max() for mark in marks])
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2) + np.diag(np.full(len(marks), np.inf))
    return bool((apart < 0.3 * reach[:, None]).any())


def _beside(marks: Sequence[Mark], lines: Sequence[str]) -> Iterator[Mark]:
    everything = np.concatenate([mark.outline for mark in marks])
    low, high = everything.min(axis=0), everything.max(axis=0)
    wide = float(max(high - low))
    yield from (replace(mark, lines=()) for mark in marks)
    yield Mark(np.array([[high[0] + 0.5 * wide, (low[1] + high[1]) / 2]]), tuple(lines), room=0.8 * wide)


def _lines(reading: Reading) -> Iterator[str]:
    """As short as can be, in no language: the instance, the value, the expanded uncertainty."""
    if reading.instance:
        yield reading.instance
    yield from _values(reading)


def _values(reading: Reading) -> Iterator[str]:
    if not reading.standard:
        yield reading.value
        return
    yield f"{float(reading.value):.2f}"
    yield f"± {2 * float(reading.standard):.2f} {reading.unit}"
