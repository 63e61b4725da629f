"""Photographs drawn over with what was measured in them and what was said of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.certificate.content.model import OVERLAY
from inspect_kit.certificate.content.wording import Wording, fixed
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record
from inspect_kit.inspection.walk import Outcome
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.values.measurement import Reading
from inspect_kit.vision.optics.overlay import Mark, Tone, draw_close

_TONES: Final = {Verdict.FAILS: Tone.BAD, Verdict.UNDECIDED: Tone.DOUBT}
Key = tuple[str, str]


def overlays_of(outcome: Outcome, photos: Mapping[str, bytes], words: Wording) -> dict[str, bytes]:
    """For each photo in which something was outlined: the photo with outlines, values and verdicts, in a language."""
    names = {photo.sha256: photo.file for photo in outcome.photos}
    said = (((each.clause.characteristic, each.instance), each.verdict) for each in outcome.judgement.findings)
    return _overlays(photos, names, outcome.readings, _worst(said), words)


def desk_overlays(
    record: Record, photos: Mapping[str, bytes], readings: Iterable[Reading], words: Wording
) -> dict[str, bytes]:
    """The same for photos that were measured at the desk, as far as no caliper was believed instead; the verdicts are
    those of the record."""
    said = [((each.characteristic, each.instance), each) for each in record.lines if each.photographed is True]
    believed = {key for key, _ in said}
    shown = [each for each in readings if each.photo and (each.characteristic, each.instance) in believed]
    names = {photo.sha256: photo.file for photo in record.photos}
    return _overlays(photos, names, shown, _worst((key, Verdict(line.verdict)) for key, line in said), words)


def _overlays(
    photos: Mapping[str, bytes], names: Mapping[str, str], readings: Sequence[Reading],
    verdicts: Mapping[Key, Verdict], words: Wording,
) -> dict[str, bytes]:  # fmt: skip
    drawn = {}
    for digest, content in photos.items():
        seen = _seen_in(readings, names.get(digest, ""), len(photos))
        marks = tuple(_marks(seen, verdicts, words))
        if marks:
            drawn[OVERLAY + digest] = _drawn(content, names[digest], marks)
    return drawn


def _drawn(content: bytes, name: str, marks: Sequence[Mark]) -> bytes:
    photo = open_photograph(content, name, where=name)
    size = np.array([photo.width, photo.height])
    for mark in marks:
        if np.abs(mark.outline - size / 2).max() > size.max():
            raise BadInput("outline-outside-photo", where=name)
    return draw_close(photo.pixels, marks)


def _worst(all_said: Iterable[tuple[Key, Verdict]]) -> dict[Key, Verdict]:
    """The worst that was said of each instance: a failure outweighs a doubt, a doubt outweighs a pass."""
    order = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.CONFORMS)
    said: dict[Key, Verdict] = {}
    for key, verdict in all_said:
        if verdict in order:
            said[key] = min(said.get(key, Verdict.CONFORMS), verdict, key=order.index)
    return said


def _seen_in(readings: Iterable[Reading], file: str, photos: int) -> Iterator[Reading]:
    return (each for each in readings if each.outline and (each.photo == file or (not each.photo and photos == 1)))


def _marks(readings: Iterable[Reading], verdicts: Mapping[Key, Verdict], words: Wording) -> Iterator[Mark]:
    """Pieces that lie apart carry their values; what overlaps, as the parts of a figure do, has them beside it."""
    marks, lines = [], []
    for reading in readings:
        verdict = verdicts.get((reading.characteristic, reading.instance), Verdict.CONFORMS)
        marks.append(Mark(np.array(reading.outline), tuple(_lines(reading, words)), _TONES.get(verdict, Tone.GOOD)))
        # With a colon, lest a number of a piece be read as part of its value.
        name = f"{words.instance(reading.instance)} {words.name('characteristic', reading.characteristic)}".strip()
        lines.append(" ".join((f"{name}:", *_values(reading, words))))
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


def _lines(reading: Reading, words: Wording) -> Iterator[str]:
    """As short as can be: which piece, the value, the expanded uncertainty."""
    if reading.instance:
        yield words.instance(reading.instance)
    yield from _values(reading, words)


def _values(reading: Reading, words: Wording) -> Iterator[str]:
    if not reading.standard:
        yield words.name("word", words.localised(reading.value))
        return
    yield fixed(float(reading.value), 2, words)
    yield f"± {fixed(2 * float(reading.standard), 2, words)} {words.unit(reading.unit)}"
