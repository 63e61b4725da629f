"""Labels as label printers take them: black and white dots, in Brother's raster commands and in ZPL."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw, ImageFont, ImageOps

from inspect_kit.certificate.pages.fonts import BOLD, SANS
from inspect_kit.certificate.pages.labels import Sticker
from inspect_kit.certificate.pages.shapes import qr_modules
from inspect_kit.places import shipped

_DOTS: Final = 3
"""Dots of a module: at 300 dpi 0.254 mm, which a phone reads from 10 cm."""


@dataclass(frozen=True, slots=True)
class Media:
    """Die-cut labels of a printer: millimetres, printable dots at 300 dpi, dots to the right of them."""

    size: tuple[int, int]
    dots: tuple[int, int]
    right: int
    round: bool = False


MEDIA: Final = {
    "62x29": Media((62, 29), (696, 271), 12),
    "round-24": Media((24, 24), (236, 236), 42, round=True),
}
"""Brother DK-11209 and DK-11218: dots as the open driver `brother_ql` has them (62x29, d24); not tried on one."""

_HEAD: Final = 720
"""Pins of the print head of a QL printer for tapes of up to 62 mm."""


def label_picture(sticker: Sticker, media: Media) -> Image.Image:
    """The label in dots: the code's modules are whole dots, nothing is grey."""
    picture = Image.new("1", media.dots, 1)
    pen = ImageDraw.Draw(picture)
    rows = qr_modules(sticker.qr, "l")
    wide, high = media.dots
    dots = _DOTS if media.round else max(_DOTS, (high - 24) // len(rows))
    side = dots * len(rows)
    left, top = ((wide - side) // 2, (high - side) // 2 + 2) if media.round else (14, (high - side) // 2)
    for line, row in enumerate(rows):
        for column, dark in enumerate(row):
            if dark:
                x, y = left + column * dots, top + line * dots
                pen.rectangle((x, y, x + dots - 1, y + dots - 1), fill=0)
    if media.round:
        _write(pen, sticker.verdict.upper(), (wide / 2, top - 14), (BOLD, 24, wide * 0.62))
        _write(pen, sticker.number, (wide / 2, top + side + 13), (BOLD, 18, wide * 0.62))
        _write(pen, sticker.validity, (wide / 2, top + side + 29), (SANS, 15, wide * 0.5))
    else:
        _beside(pen, sticker, (left + side + 24, wide - 14, high))
    return picture


def _beside(pen: ImageDraw.ImageDraw, sticker: Sticker, room: tuple[float, float, float]) -> None:
    left, right, high = room
    lines = [(sticker.number, BOLD, 38), (sticker.subject, BOLD, 32), *((text, SANS, 28) for text in sticker.details)]
    y = max(24.0, (high - 40 * len(lines)) / 2 + 20)
    for text, name, size in lines[: int(high // 40)]:
        _write(pen, text, (left, y), (name, size, right - left), anchor="lm")
        y += 40


def _write(
    pen: ImageDraw.ImageDraw, text: str, at: tuple[float, float], face: tuple[str, int, float], anchor: str = "mm"
) -> None:
    """A line, smaller if it must be, cut if even that does not help."""
    name, size, room = face
    path = str(shipped("reports") / "fonts" / f"{name}.ttf")
    while size > 10 and pen.textlength(text, ImageFont.truetype(path, size)) > room:
        size -= 1
    font = ImageFont.truetype(path, size)
    while len(text) > 1 and pen.textlength(text, font) > room:
        text = text[:-2] + "…"
    pen.text(at, text, fill=0, font=font, anchor=anchor)


def brother_raster(stickers: Iterable[Sticker], media: Media) -> bytes:
    """What a Brother QL printer is sent, such as with `cat FILE > /dev/usb/lp0`.

    In the order of Brother's Raster Command Reference for the QL-710W and QL-720NW, 2.1: invalidate, initialise, then
    for each page raster mode, print information, cutting, margin, no compression, the lines, and print with feeding.
    """
    parts = [bytes(200), b"\x1b@"]
    for number, sticker in enumerate(stickers):
        parts += _page(label_picture(sticker, media), media, first=number == 0)
    return b"".join(parts)


def _page(picture: Image.Image, media: Media, *, first: bool) -> Iterator[bytes]:
    lines = picture.height
    known = 0x80 | 0x02 | 0x04 | 0x08 | 0x40
    yield b"\x1bia\x01"
    yield b"\x1biz" + bytes((known, 0x0B, *media.size)) + struct.pack("<L", lines) + bytes((0 if first else 1, 0))
    yield b"\x1biM\x40" + b"\x1biA\x01" + b"\x1biK\x08" + b"\x1bid\x00\x00" + b"M\x00"
    whole = Image.new("L", (_HEAD, lines), 255)
    whole.paste(picture.convert("L"), (_HEAD - picture.width - media.right, 0))
    # The head's first pin is at the right; a pin that is set prints black.
    dots = ImageOps.invert(ImageOps.mirror(whole)).convert("1").tobytes()
    wide = _HEAD // 8
    yield from (b"g\x00" + bytes((wide,)) + dots[start : start + wide] for start in range(0, len(dots), wide))
    yield b"\x1a"


def zpl(stickers: Iterable[Sticker], media: Media) -> bytes:
    """What a Zebra printer of 300 dpi is sent: each label as one graphic field."""
    return b"".join(_field(label_picture(sticker, media)) for sticker in stickers)


def _field(picture: Image.Image) -> bytes:
    dots = ImageOps.invert(picture.convert("L")).convert("1")
    content = dots.tobytes()
    wide = (picture.width + 7) // 8
    head = f"^XA^PW{picture.width}^LL{picture.height}^FO0,0^GFA,{len(content)},{len(content)},{wide},"
    return (head + content.hex().upper() + "^FS^XZ\n").encode()
