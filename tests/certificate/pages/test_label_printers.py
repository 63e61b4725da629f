from __future__ import annotations

import cv2
import numpy as np
import pypdfium2
import pytest
import zxingcpp
from PIL import Image, ImageOps

from inspect_kit.certificate.pages.label_printers import MEDIA, brother_raster, label_picture, zpl
from inspect_kit.certificate.pages.labels import SAME, STOCKS, Sticker, draw_labels, stock_of
from inspect_kit.certificate.pages.shapes import qr_modules

QR = "KIT" + "0123456789BCDEFGHIJKLNOPRSTUVX" * 8
STICKER = Sticker(
    "PCC-2026-000123-J", QR, "Striker 42", ("Conforms", "valid until 30 June 2027"), "Conforms", "until 2027-06-30"
)


def decoded(picture: np.ndarray) -> set[str]:
    return {found.text for found in zxingcpp.read_barcodes(picture)}


def seen_by_a_phone(picture: np.ndarray, tilt: float, blur: float, seed: int) -> np.ndarray:
    """The label as a phone sees it from 10 cm, 24 pixels a millimetre: tilted, out of focus, noisy."""
    height, width = picture.shape
    depth = np.sin(np.radians(tilt)) * 0.25
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    moved = corners + np.array([[depth * width, 0], [-depth * width, 0], [0, 0], [0, 0]], np.float32)
    moved[:2, 1] += height * (1 - np.cos(np.radians(tilt)))
    turned = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(corners, moved), (width, height), borderValue=200)
    noise = np.random.default_rng(seed).normal(0, 8, turned.shape)
    return np.clip(cv2.GaussianBlur(turned, (0, 0), blur).astype(float) * 0.8 + 30 + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("tilt", [0, 15, 30])
@pytest.mark.parametrize("blur", [1.0, 1.8])
def test_the_round_label_is_read_by_a_phone_at_ten_centimetres(tilt: float, blur: float) -> None:
    page = pypdfium2.PdfDocument(draw_labels([STICKER], STOCKS["round-24"]))[0]
    printed = page.render(scale=300 / 72).to_pil().convert("1").convert("L")
    close = np.array(printed.resize(((24 * 24), (24 * 24)), Image.Resampling.NEAREST))
    assert decoded(seen_by_a_phone(close, tilt, blur, seed=7)) == {QR}


def test_the_round_label_is_no_wider_than_24_mm_and_all_of_it_lies_in_the_circle() -> None:
    page = pypdfium2.PdfDocument(draw_labels([STICKER], STOCKS["round-24"]))[0]
    assert page.get_width() == pytest.approx(24 * 72 / 25.4, abs=0.01)
    picture = np.array(page.render(scale=8).to_pil().convert("L"))
    rows, columns = np.nonzero(picture < 128)
    middle = picture.shape[0] / 2
    assert np.hypot(rows - middle, columns - middle).max() < middle * 0.99


@pytest.mark.parametrize("name", MEDIA)
def test_what_a_brother_printer_is_sent_is_the_label(name: str) -> None:
    sent = brother_raster([STICKER], MEDIA[name])
    assert sent.startswith(bytes(200) + b"\x1b@")
    assert sent.endswith(b"\x1a")
    start = sent.index(b"M\x00g\x00") + 2
    lines = [sent[place + 3 : place + 93] for place in range(start, len(sent) - 1, 93)]
    assert len(lines) == MEDIA[name].dots[1]
    dots = Image.frombytes("1", (720, len(lines)), b"".join(lines))
    assert decoded(np.array(ImageOps.mirror(ImageOps.invert(dots.convert("L"))))) == {QR}


def test_what_a_zebra_printer_is_sent_is_the_label() -> None:
    head, _, tail = zpl([STICKER], MEDIA["62x29"]).decode().partition("^GFA,")
    assert head.startswith("^XA^PW696^LL271")
    length, _, wide, content = tail.split(",")
    dots = bytes.fromhex(content.partition("^FS")[0])
    assert len(dots) == int(length)
    picture = Image.frombytes("1", (int(wide) * 8, 271), dots)
    assert decoded(np.array(ImageOps.invert(picture.convert("L")))) == {QR}


def test_nothing_on_a_printers_label_is_grey_and_modules_are_whole_dots() -> None:
    picture = label_picture(STICKER, MEDIA["round-24"])
    assert picture.mode == "1"
    assert len(qr_modules(QR, "l")) * 3 <= 236


def test_stocks_are_known_by_their_makers_names_and_fit_their_pages() -> None:
    for name in (*STOCKS, *SAME):
        stock = stock_of(name)
        right = stock.corner[0] + (stock.across - 1) * stock.pitch[0] + stock.size[0]
        foot = stock.corner[1] + (stock.down - 1) * stock.pitch[1] + stock.size[1]
        assert right <= stock.page[0] + 0.1
        assert foot <= stock.page[1] + 0.1
