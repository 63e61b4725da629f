"""QR codes in pictures: read when there, refused in words when not."""

from __future__ import annotations

import base64
import io
import random

import numpy as np
import pytest
import segno
from PIL import Image

from inspect_kit.errors import BadInput
from inspect_kit.vision.reference.qr_code import read_code


def _picture(text: str, side: int, turned: float = 0.0, noise: float = 0.0) -> bytes:
    buffer = io.BytesIO()
    segno.make(text, error="m", micro=False).save(buffer, kind="png", scale=8, border=6)
    code = Image.open(buffer).convert("RGB").rotate(turned, expand=True, fillcolor="white")
    canvas = np.asarray(code.resize((side, side))).astype(float)
    grained = np.clip(canvas * 0.8 + 20 + np.random.default_rng(2).normal(0, noise, canvas.shape), 0, 255)
    out = io.BytesIO()
    Image.fromarray(grained.astype(np.uint8)).save(out, format="JPEG", quality=80)
    return out.getvalue()


@pytest.mark.parametrize(("side", "turned", "noise"), [(600, 0, 0), (900, 12, 6), (3200, 0, 12)])
def test_a_code_is_read_at_any_size_turned_and_grained(side: int, turned: float, noise: float) -> None:
    assert read_code(_picture("OF-2026-000042-K", side, turned, noise)) == "OF-2026-000042-K"


def test_no_code_of_a_signed_checkpoint_is_given_up_on() -> None:
    """One way of OpenCV's reads nine of ten such codes, clean ones as these."""
    chance = random.Random(7)
    for _ in range(30):
        text = "log.example/pck\n3\n" + base64.b64encode(chance.randbytes(180)).decode()
        assert read_code(_picture(text, 700)) == text


def test_a_picture_without_a_code_is_refused() -> None:
    out = io.BytesIO()
    Image.fromarray(np.random.default_rng(1).integers(0, 255, (600, 800, 3), dtype=np.uint8)).save(out, format="PNG")
    with pytest.raises(BadInput) as refused:
        read_code(out.getvalue())
    assert refused.value.told.code == "no-code-can-read-photo"


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(BadInput):
        read_code(b"%PDF-1.7 not a picture")
