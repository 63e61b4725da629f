"""The photograph that `inspect-kit demo` measures: a striker on the mat, drawn, with the notes of a made-up phone.

python -m tests.scenes.example
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from tests.scenes.render import photograph
from tests.scenes.scene import Lamp, Lens, Piece, Scene, Sensor, Stand
from tests.scenes.table import COLOURS

PLACE = Path(__file__).resolve().parents[2] / "reports" / "examples" / "striker-44.jpg"
DIAMETER = 40.92
WIDTH, HEIGHT, FOCAL = 2016, 1512, 1620.0


def drawn() -> bytes:
    rings = ((0.0, 0.16, 0.55), (0.42, 0.46, 0.6), (0.74, 0.79, 0.5))
    striker = Piece(4, -6, DIAMETER, 8.6, 1.0, COLOURS["ivory"], "striker", rings)
    lamp = Lamp((0.5, 0.35, 0.8), 0.6, 0.36, 0.16, (0.05, -0.03), 0.12, (1.0, 0.96, 0.9))
    scene = Scene(
        Lens(WIDTH, HEIGHT, FOCAL, (WIDTH / 2, HEIGHT / 2), (0.03, -0.02, 0.0, 0.0, 0.0)),
        Stand(330, 0.14, 2.4, 1.45), (striker,), lamp, Sensor(0.8, 0.008), seed=44,
    )  # fmt: skip
    return _noted(photograph(scene))


def _noted(content: bytes) -> bytes:
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Example", "Phone"
    exif.get_ifd(0x8769)[0xA405] = round(FOCAL / (WIDTH**2 + HEIGHT**2) ** 0.5 * (36**2 + 24**2) ** 0.5)
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(content)) as image:
        image.save(buffer, "JPEG", quality=88, exif=exif)
    return buffer.getvalue()


if __name__ == "__main__":
    PLACE.write_bytes(drawn())
