"""Photographs as evidence: checked, turned upright, made small, freed of everything but the picture."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from PIL import Image, ImageCms, ImageOps
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.capture.files import read_bytes
from inspect_kit.capture.measurement_file import Photo
from inspect_kit.capture.photographs import open_photograph
from inspect_kit.certificate.content.model import OVERLAY, Picture, Pictures
from inspect_kit.certificate.content.wording import Wording, fixed, wording_for
from inspect_kit.certificate.pages.flow import Piece
from inspect_kit.certificate.pages.page import HAIR, HAIRLINE, LEFT, MM, WIDTH
from inspect_kit.certificate.pages.styles import SMALL
from inspect_kit.certificate.pages.tags import Element, marked
from inspect_kit.certificate.pages.text import height_of, put_block
from inspect_kit.errors import BadInput, BrokenSeal
from inspect_kit.inspection.record import Record
from inspect_kit.inspection.walk import Outcome
from inspect_kit.judgement.verdict import Finding, Verdict
from inspect_kit.notices import Notice, notice
from inspect_kit.values.measurement import Reading
from inspect_kit.vision.optics.overlay import Mark, Tone, draw_close

MAX_PIXELS: Final = 120_000_000
"""Pixels, width × height, above which a photo is refused as evidence."""
LONG_SIDE: Final = 1500
"""Pixels of the longer side to which a photo is made small for printing."""
MAX_HEIGHT: Final = 62 * MM
"""Height of a photo on the page, in points."""
_DISPLAY_HEIGHT: Final = 16 * MM
"""Of a gauge's display: evidence of one number, which stays readable at this size."""
_QUALITY: Final = 82
"""JPEG quality (of 100) of the photos in a PDF; chosen."""


def readable(key: str, content: bytes) -> Image.Image:
    """The picture, upright and in plain sRGB; anything but a JPEG or PNG of bearable size is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(content), formats=("JPEG", "PNG"))
            if image.width * image.height > MAX_PIXELS:
                raise BadInput("more-than-million-pixels", where=key, max_pixels=MAX_PIXELS // 1_000_000)
            image.draft("RGB", (LONG_SIDE, LONG_SIDE))
            upright = ImageOps.exif_transpose(image)
            upright.thumbnail((LONG_SIDE, LONG_SIDE))
            return _srgb(upright)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning) as problem:
        raise BadInput("not-jpeg-png-can-read", where=key, problem=str(problem)[:80]) from None


def _srgb(image: Image.Image) -> Image.Image:
    """In the colours of the page; on white where the picture is transparent."""
    profile = image.info.get("icc_profile")
    if image.mode in ("RGBA", "LA", "PA", "P"):
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    if profile and image.mode == "RGB":
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            image = ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB")) or image
        except (ImageCms.PyCMSError, OSError):
            pass  # A broken profile says nothing about the picture.
    return image.convert("RGB")


def jpeg(image: Image.Image) -> bytes:
    """Encoded anew from its pixels: no EXIF, no thumbnails, no place where it was taken."""
    bare = Image.new("RGB", image.size)
    bare.paste(image)
    buffer = io.BytesIO()
    bare.save(buffer, "JPEG", quality=_QUALITY, optimize=True)
    return buffer.getvalue()


def digest_of(content: bytes) -> str:
    """SHA-256 of the photograph as it was given."""
    return hashlib.sha256(content).hexdigest()


def picture_pieces(block: Pictures, photos: Mapping[str, bytes]) -> Iterator[Piece]:
    """Each picture with its caption below."""
    for picture in block.pictures:
        yield _picture(picture, readable(picture.key, photos[picture.key]))


def _picture(picture: Picture, image: Image.Image) -> Piece:
    highest = _DISPLAY_HEIGHT if picture.small else MAX_HEIGHT
    factor = min(WIDTH / image.width, highest / image.height)
    wide, tall = image.width * factor, image.height * factor
    caption = height_of(picture.caption, SMALL, WIDTH)
    encoded = jpeg(image)
    figure = Element("Figure", alt=picture.caption)

    def draw(canvas: Canvas, top: float) -> None:
        with marked(canvas, figure):
            canvas.drawImage(ImageReader(io.BytesIO(encoded)), LEFT, top - tall, wide, tall)
        canvas.setStrokeColor(HAIR)
        canvas.setLineWidth(HAIRLINE)
        canvas.rect(LEFT, top - tall, wide, tall, stroke=1, fill=0)
        with marked(canvas, "P"):
            put_block(canvas, LEFT, top - tall - 1 * MM, picture.caption, SMALL, WIDTH)

    return Piece(tall + caption + 2 * MM, draw, space=3 * MM)


# Photographs drawn over with what was measured in them and what was said of it.

_TONES: Final = {Verdict.FAILS: Tone.BAD, Verdict.UNDECIDED: Tone.DOUBT}
Key = tuple[str, str]


def overlays_of(outcome: Outcome, photos: Mapping[str, bytes], words: Wording) -> dict[str, bytes]:
    """For each photo in which something was outlined: the photo with outlines, values and verdicts, in a language."""
    verdicts = _verdicts(outcome.judgement.findings)
    names = {photo.sha256: photo.file for photo in outcome.photos}
    drawn = {}
    for digest, content in photos.items():
        seen = _seen_in(outcome.readings, names.get(digest, ""), len(photos))
        marks = tuple(_marks(seen, verdicts, words))
        if marks:
            drawn[OVERLAY + digest] = _drawn(content, names[digest], marks)
    return drawn


def desk_overlays(record: Record, photos: Mapping[str, bytes], reading: Reading, words: Wording) -> dict[str, bytes]:
    """The same for a photo that was measured at the desk; the verdicts are those of the record."""
    name = reading.characteristic
    lines = [line for line in record.lines if line.characteristic == name and line.photographed is True]
    if not lines:
        return {}  # A caliper was believed instead.
    said = {line.verdict for line in lines}
    tone = next((_TONES[verdict] for verdict in (Verdict.FAILS, Verdict.UNDECIDED) if verdict in said), Tone.GOOD)
    mark = Mark(np.array(reading.outline), tuple(_lines(reading, words)), tone)
    return {OVERLAY + digest: _drawn(content, digest, (mark,)) for digest, content in photos.items()}


def _drawn(content: bytes, name: str, marks: Sequence[Mark]) -> bytes:
    photo = open_photograph(content, name, where=name)
    size = np.array([photo.width, photo.height])
    for mark in marks:
        if np.abs(mark.outline - size / 2).max() > size.max():
            raise BadInput("outline-outside-photo", where=name)
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


# Photographs that belong to an inspection, read where they lie.

MAX_BYTES: Final = 60_000_000
"""Bytes of a photo's file."""


@dataclass(frozen=True, slots=True)
class PhotoEvidence:
    """Photos as they were taken, by digest, and drawn over, by `OVERLAY` and digest; and what could not be had."""

    photos: Mapping[str, bytes] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


def gathered(outcome: Outcome, language: str = "en") -> PhotoEvidence:
    """The photographs that lie beside their measurement files, with their overlays."""
    photos, notices = _file_beside(outcome.photos)
    if photos and any(reading.outline for reading in outcome.readings):
        # OpenCV is loaded only where there is something to draw.

        photos |= overlays_of(outcome, photos, wording_for(language, outcome.task.sheet.wording))
    return PhotoEvidence(photos, notices)


def _file_beside(stated: Iterable[Photo]) -> tuple[dict[str, bytes], tuple[Notice, ...]]:
    """Photos by digest; one that was changed since is refused, one that is missing is only spoken of."""
    found: dict[str, bytes] = {}
    missing = []
    for photo in stated:
        path = photo.folder / photo.file
        if not path.is_file():
            missing.append(notice("photo-not-beside", photo.file))
            continue
        content = read_bytes(path, MAX_BYTES)
        if hashlib.sha256(content).hexdigest() != photo.sha256:
            raise BrokenSeal("not-measured-photo", where=str(path))
        found[photo.sha256] = content
    return found, tuple(missing)
