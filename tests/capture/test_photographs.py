"""Photographs from strangers: upright, bounded, and refused in a sentence."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from inspect_kit.capture.photographs import open_photograph, read_photograph
from inspect_kit.errors import BadInput


def _picture(width: int = 800, height: int = 600) -> Image.Image:
    across = np.linspace(0, 255, width, dtype=np.uint8)
    return Image.fromarray(np.dstack([np.tile(across, (height, 1))] * 3))


def _saved(image: Image.Image, form: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def test_the_turn_noted_by_the_camera_is_applied() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    photo = open_photograph(_saved(_picture(), "JPEG", exif=exif), "a.jpg")
    assert (photo.width, photo.height, photo.quarters) == (600, 800, 1)
    assert photo.pixels[0, 300, 0] < 20
    assert photo.pixels[-1, 300, 0] > 200


def test_the_focal_length_noted_by_the_camera_is_given_in_pixels() -> None:
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0xA405] = 36
    photo = open_photograph(_saved(_picture(), "JPEG", exif=exif), "a.jpg")
    assert photo.focal == pytest.approx(36 * 1000 / np.hypot(36, 24))


@pytest.mark.parametrize(
    ("noted", "as_taken"), [((800, 600), True), ((600, 800), True), ((1000, 750), False), (None, True)]
)
def test_a_photo_whose_notes_tell_another_size_is_not_as_it_was_taken(
    noted: tuple[int, int] | None, as_taken: bool
) -> None:
    exif = Image.Exif()
    if noted:
        exif.get_ifd(0x8769).update({0xA002: noted[0], 0xA003: noted[1]})
    assert open_photograph(_saved(_picture(), "JPEG", exif=exif), "a.jpg").as_taken is as_taken


def _huge_png() -> bytes:
    head = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + b"IHDR" + head + struct.pack(">I", zlib.crc32(b"IHDR" + head))
    return b"\x89PNG\r\n\x1a\n" + chunk + struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not a JPEG"),
        (b"%PDF-1.7 not a photo", "not a JPEG"),
        (_saved(_picture(), "JPEG")[:2000], "damaged"),
        (_saved(_picture(1, 1), "PNG"), "fewer than 0.1"),
        (_huge_png(), "more than 50 megapixels"),
        (_saved(_picture(), "GIF"), "not a JPEG"),
    ],
)
def test_what_is_no_usable_photo_is_refused_in_a_sentence(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=why):
        read_photograph(path)


def test_a_file_beyond_the_bound_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    with pytest.raises(BadInput, match="larger than"):
        read_photograph(path)


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "LA", "1"])
def test_every_kind_of_png_becomes_three_colours(mode: str) -> None:
    photo = open_photograph(_saved(_picture().convert(mode), "PNG"), "a.png")
    assert photo.pixels.shape == (600, 800, 3)


def test_print_colours_and_sixteen_bits_are_read() -> None:
    assert open_photograph(_saved(_picture().convert("CMYK"), "JPEG"), "a.jpg").pixels.shape == (600, 800, 3)
    deep = Image.fromarray(np.tile(np.linspace(0, 65535, 800).astype(np.uint16), (600, 1)))
    assert open_photograph(_saved(deep, "PNG"), "a.png").pixels[0, -1, 0] == 255


def test_an_animated_picture_is_read_by_its_first_frame() -> None:
    frames = [_picture(), Image.new("RGB", (800, 600), "white")]
    content = _saved(frames[0], "PNG", save_all=True, append_images=frames[1:])
    assert open_photograph(content, "a.png").pixels[0, 0, 0] == 0


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_way_of_holding_the_camera_gives_the_same_upright_picture(orientation: int) -> None:
    upright = np.zeros((600, 800, 3), np.uint8)
    upright[:300, :400] = (255, 0, 0)
    upright[300:, 400:] = (0, 0, 255)
    stored = Image.fromarray(upright)
    for turn in _STORED_BY[orientation]:
        stored = stored.transpose(turn)
    exif = Image.Exif()
    exif[0x0112] = orientation
    photo = open_photograph(_saved(stored, "PNG", exif=exif), "a.png")
    assert np.array_equal(photo.pixels, upright)


_FLIP, _UPSIDE = Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.ROTATE_180
_LEFT, _RIGHT = Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_270
_STORED_BY = {1: (), 2: (_FLIP,), 3: (_UPSIDE,), 4: (_UPSIDE, _FLIP), 5: (Image.Transpose.TRANSPOSE,), 6: (_LEFT,),
              7: (Image.Transpose.TRANSVERSE,), 8: (_RIGHT,)}  # fmt: skip
"""How a sensor stores an upright scene, by the orientation that the camera notes (EXIF 2.3, tag 274)."""


def test_a_phones_heic_is_read_upright_and_knows_its_colour_is_coarser() -> None:
    from pillow_heif import from_pillow

    buffer = io.BytesIO()
    from_pillow(_picture()).save(buffer, quality=95)
    photo = open_photograph(buffer.getvalue(), "IMG.HEIC")
    assert (photo.width, photo.height, photo.colour_spread) == (800, 600, 1.0)
    assert photo.pixels[0, 0, 0] < 12
    assert photo.pixels[0, -1, 0] > 243


def _with_notes(size: int) -> bytes:
    """A JPEG with so many bytes of notes before its picture."""
    plain = _saved(_picture(), "JPEG")
    segment = b"\xff\xe1" + struct.pack(">H", 65_535) + b"Exif\x00\x00" + b"\xaa" * (65_533 - 6)
    return plain[:2] + segment * (size // len(segment)) + plain[2:]


def test_megabytes_of_notes_before_the_picture_are_bounded(tmp_path: Path) -> None:
    assert open_photograph(_with_notes(20_000_000), "a.jpg").width == 800
    path = tmp_path / "a.jpg"
    path.write_bytes(_with_notes(100_000_000))
    with pytest.raises(BadInput, match="larger than"):
        read_photograph(path)


def test_a_panorama_is_refused() -> None:
    with pytest.raises(BadInput, match="panorama"):
        open_photograph(_saved(Image.new("L", (25_000, 220)), "PNG"), "a.png")


_WHOLE = {form: _saved(_picture(640, 480), form) for form in ("JPEG", "PNG")}


@given(st.sampled_from(sorted(_WHOLE)), st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), max_size=12))
@settings(max_examples=60)
def test_a_damaged_file_is_a_photo_or_a_sentence_and_never_anything_else(
    form: str, damage: list[tuple[int, int]]
) -> None:
    content = bytearray(_WHOLE[form])
    for place, value in damage:
        content[place % len(content)] = value
    try:
        photo = open_photograph(bytes(content), "a")
    except BadInput as problem:
        assert "\n" not in str(problem)
    else:
        assert photo.pixels.ndim == 3


@pytest.mark.parametrize("quality", [30, 60, 92])
def test_how_coarsely_a_jpeg_is_stored_is_told(quality: int) -> None:
    content = io.BytesIO()
    Image.new("RGB", (700, 700), (90, 120, 150)).save(content, "JPEG", quality=quality)
    assert open_photograph(content.getvalue(), "a.jpg").jpeg_quality == quality


def test_a_picture_that_loses_nothing_has_no_such_quality() -> None:
    content = io.BytesIO()
    Image.new("RGB", (700, 700)).save(content, "PNG")
    assert open_photograph(content.getvalue(), "a.png").jpeg_quality is None
