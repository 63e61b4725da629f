"""Photographs from strangers: JPEG, PNG and HEIC, upright, bounded in bytes, pixels and time, with their SHA-256."""

import io
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, UnidentifiedImageError

from inspect_kit.capture.files import read_bytes, sha256
from inspect_kit.errors import BadInput

LEAST_PIXELS: Final = 100_000
"""Pixels, width × height, below which a photo is too small to measure, unless its reader says otherwise."""
MOST_PIXELS: Final = 51_000_000
"""Pixels, width × height, above which a photo is refused."""
LONGEST_SIDE: Final = 20_000
"""Pixels of the longer side, so that a narrow strip is refused as well."""
_FORMATS: Final = (JpegImagePlugin.JpegImageFile.format, PngImagePlugin.PngImageFile.format,
                   MpoImagePlugin.MpoImageFile.format, "HEIF")  # fmt: skip
"""By their plugins, so that each is loaded before a file asks for it."""
_TROUBLE: Final = (
    OSError, ValueError, SyntaxError, TypeError, LookupError, ArithmeticError, RuntimeError, MemoryError, EOFError,
)  # fmt: skip
"""What decoders raise on damaged files."""
_TURNS: Final = {3: 2, 4: 2, 5: 3, 6: 1, 7: 1, 8: 3}
"""Quarters clockwise that set a picture upright, by EXIF orientation."""
_MIRRORED: Final = frozenset({2, 4, 5, 7})
"""EXIF orientations in which left and right are exchanged."""
_MOST_SCANS: Final = 100
"""Passes over a JPEG: a camera writes one, a progressive picture about ten; thousands keep a decoder busy for hours."""
_ORIENTATION, _EXIF, _MAKE, _MODEL = 0x0112, 0x8769, 0x010F, 0x0110
"""EXIF tags in the picture's own directory: orientation, place of the camera's directory, make, model."""
_FOCAL, _FOCAL_35 = 0x920A, 0xA405
"""EXIF tags in the camera's directory: focal length in mm, and as it would be on 35 mm film."""
_TAKEN, _FRACTION = 0x9003, 0x9291
"""EXIF tags in the camera's directory: when the picture was taken, to the second, and the fraction of it."""
_WIDE, _HIGH = 0xA002, 0xA003
"""EXIF tags in the camera's directory: pixels across and down, as the camera wrote them."""
_STANDARD_TABLE: Final = 3688.0
"""Sum of the steps for brightness in the standard's own table."""
_PLANE_X, _PLANE_UNIT = 0xA20E, 0xA210
"""EXIF tags in the camera's directory: pixels of the sensor per unit across, and which unit that is."""


@dataclass(frozen=True)
class Photograph:
    """A photo set upright. `quarters` is how far it was turned clockwise from the way the sensor saw it."""

    file: str
    sha256: str
    pixels: NDArray[np.uint8] = field(repr=False)
    quarters: int = 0
    focal: float | None = None
    """Focal length in pixels, where the photo's own notes tell it."""
    camera: str = ""
    colour_spread: float = 0.0
    """Pixels by which the format blurs colour (not brightness): 0 where it stores both alike."""
    jpeg_quality: int | None = None
    """From 1 to 100, as the makers of JPEG's first program count it; none for other formats."""
    as_taken: bool = True
    """False where its notes tell of a picture of another size: it was cut out of that, or made smaller."""

    @property
    def width(self) -> int:
        """Across, as a viewer shows it."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Down, as a viewer shows it."""
        return int(self.pixels.shape[0])


def shot_of(content: bytes) -> str:
    """Camera and instant of a shot, however often it was saved again or cut; empty where its notes do not tell it."""
    _allow_heif()
    try:
        with warnings.catch_warnings(), Image.open(io.BytesIO(content)) as image:
            warnings.simplefilter("ignore")
            return str(_exif(image).get("shot", ""))
    except (*_TROUBLE, Image.DecompressionBombError):
        return ""


def read_photograph(path: Path, least: int = LEAST_PIXELS) -> Photograph:
    """The photo in this file, or `BadInput` in a sentence."""
    content = read_bytes(path)
    return open_photograph(content, path.name, where=str(path), least=least)


def open_photograph(content: bytes, name: str, *, where: str = "", least: int = LEAST_PIXELS) -> Photograph:
    """The photo in these bytes; one of fewer than `least` pixels is refused."""
    _allow_heif()
    if content.startswith(b"\xff\xd8") and content.count(b"\xff\xda") > _MOST_SCANS:
        raise BadInput("too-many-scans", where=where)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known = [name for name in _FORMATS if name in Image.OPEN]
            with Image.open(io.BytesIO(content), formats=known) as image:
                _check_size(image, where, least)
                exif = _exif(image)
                spread, quality = _colour_spread(image), _jpeg_quality(image)
                pixels = _decoded(image)
    except BadInput:
        raise
    except UnidentifiedImageError:
        raise BadInput("not-jpeg-png-heic-photo", where=where) from None
    except Image.DecompressionBombError:
        raise BadInput("too-many-megapixels", where=where) from None
    except _TROUBLE:
        raise BadInput("damaged-cut-off", where=where) from None
    orientation = exif.get("orientation", 1)
    quarters = _TURNS.get(orientation, 0)
    upright = np.ascontiguousarray(np.rot90(pixels[:, ::-1] if orientation in _MIRRORED else pixels, -quarters))
    return Photograph(name, sha256(content), upright, quarters, _focal_pixels(exif, pixels.shape[1], pixels.shape[0]),
                      exif.get("camera", ""), spread, quality, _as_noted(exif, pixels.shape))  # fmt: skip


def _allow_heif() -> None:
    if "HEIF" not in Image.OPEN:
        try:
            from pillow_heif import register_heif_opener
        except ImportError:
            return
        register_heif_opener(thumbnails=False)


def _colour_spread(image: Image.Image) -> float:
    """Colour at half the resolution is averaged over two pixels and drawn out again between them."""
    if image.format in ("JPEG", "MPO"):
        return 1.0 if JpegImagePlugin.get_sampling(image) in (1, 2) else 0.0
    return 1.0 if image.format == "HEIF" else 0.0


def _jpeg_quality(image: Image.Image) -> int | None:
    """By how much coarser or finer brightness is stored than by the table of the standard (ITU-T T.81, annex K)."""
    tables = getattr(image, "quantization", None)
    if image.format not in ("JPEG", "MPO") or not tables:
        return None
    coarser = 100 * float(sum(tables[min(tables)])) / _STANDARD_TABLE
    return round(max(1.0, 100 - coarser / 2 if coarser < 100 else 5000 / coarser))


def _check_size(image: Image.Image, where: str, least: int) -> None:
    width, height = image.size
    if width * height > MOST_PIXELS:
        raise BadInput("too-many-pixels", where=where, width=f"{width:,}", height=f"{height:,}")
    if max(width, height) > LONGEST_SIDE:
        raise BadInput("too-long-side", where=where, height=f"{max(width, height):,}", longest_side=f"{LONGEST_SIDE:,}")
    if width * height < least or min(width, height) ** 2 < least / 8:
        raise BadInput("too-few-pixels", where=where, width=width, height=height, least=f"{least / 1e6:g}")


def _decoded(image: Image.Image) -> NDArray[np.uint8]:
    image.seek(0)
    if image.mode in ("I;16", "I;16B", "I;16L", "I", "F"):
        return _from_deep(image)
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image.convert("RGBA"))
    return np.asarray(image if image.mode == "RGB" else image.convert("RGB"), dtype=np.uint8)


def _from_deep(image: Image.Image) -> NDArray[np.uint8]:
    """16 bits of grey; a picture that uses only part of the range is still read over the whole of it."""
    values = np.asarray(image, dtype=np.float32)
    grey = np.clip(values / 257.0, 0, 255).astype(np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def _exif(image: Image.Image) -> dict[str, Any]:
    """What the photo notes about itself; notes that make no sense are as good as none."""
    try:
        root = image.getexif()
        inner = root.get_ifd(_EXIF)
        orientation = root.get(_ORIENTATION, 1)
        return {
            "orientation": orientation if isinstance(orientation, int) else 1,
            "camera": f"{_word(root.get(_MAKE))} {_word(root.get(_MODEL))}".strip(),
            "focal": _number(inner.get(_FOCAL)),
            "focal35": _number(inner.get(_FOCAL_35)),
            "plane_x": _number(inner.get(_PLANE_X)),
            "plane_unit": inner.get(_PLANE_UNIT),
            "shot": _shot(_word(root.get(_MODEL)), _word(inner.get(_TAKEN)), _word(inner.get(_FRACTION))),
            "size": (_number(inner.get(_HIGH)), _number(inner.get(_WIDE))),
        }
    except Exception:
        return {}


def _shot(model: str, taken: str, fraction: str) -> str:
    """To a fraction of the second: within the same second, two cameras of one model may each take a picture."""
    told = model and taken.strip("0: ") and fraction.strip("0")
    return f"{model}|{taken}|{fraction}" if told else ""


def _word(value: object) -> str:
    return "".join(sign for sign in value if sign.isprintable())[:40].strip() if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    return number if 0 < number < 1e6 else None


def _as_noted(exif: dict[str, Any], shape: tuple[int, ...]) -> bool:
    """Some programs turn a photo and leave the notes as they were, so that width and height may be exchanged."""
    noted = exif.get("size", (None, None))
    return None in noted or sorted(noted) == sorted(shape[:2])


def _focal_pixels(exif: dict[str, Any], width: int, height: int) -> float | None:
    """From the focal length and the sensor's pitch, or from the 35 mm equivalent, which compares diagonals."""
    unit = {2: 25.4, 3: 10.0, 4: 1.0}.get(exif.get("plane_unit") or 0)
    focal, pitch, equivalent = exif.get("focal"), exif.get("plane_x"), exif.get("focal35")
    candidates = []
    if equivalent:
        candidates.append(equivalent * float(np.hypot(width, height)) / float(np.hypot(36, 24)))
    if focal and pitch and unit:
        candidates.append(focal * pitch / unit)
    sensible = [value for value in candidates if 0.3 < value / max(width, height) < 20]
    return sensible[0] if sensible else None
