"""Photographs made to keep a decoder busy."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.errors import BadInput


def _progressive(scans: int) -> bytes:
    """A progressive JPEG whose last pass is said again and again."""
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize((800, 600)).save(buffer, "JPEG", progressive=True, quality=50)
    content = buffer.getvalue()
    last = content.rindex(b"\xff\xda")
    return content[:last] + content[last:-2] * scans + content[-2:]


def test_a_jpeg_of_four_thousand_scans_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(BadInput, match="too many scans"):
        open_photograph(_progressive(4000), "slow.jpg")


def test_a_progressive_jpeg_is_read() -> None:
    assert open_photograph(_progressive(1), "usual.jpg").width == 800
