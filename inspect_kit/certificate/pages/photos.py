"""Photographs as evidence: checked, turned upright, made small, freed of everything but the picture."""

import hashlib
import io
import warnings
from collections.abc import Iterator, Mapping
from typing import Final

from PIL import Image, ImageCms, ImageOps
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.model import Picture, Pictures
from inspect_kit.certificate.pages.flow import Piece
from inspect_kit.certificate.pages.styles import HAIR, HAIRLINE, LEFT, MM, SMALL, WIDTH
from inspect_kit.certificate.pages.tags import Element, marked
from inspect_kit.certificate.pages.text import height_of, put_block
from inspect_kit.errors import BadInput

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
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise BadInput("not-jpeg-png-can-read", where=key) from None


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
        put_block(canvas, LEFT, top - tall - 1 * MM, picture.caption, SMALL, WIDTH, "P")

    return Piece(tall + caption + 2 * MM, draw, space=3 * MM)
