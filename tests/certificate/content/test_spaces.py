from __future__ import annotations

import pytest

from inspect_kit.certificate.content.cover import content_of
from inspect_kit.certificate.content.model import Authorisation, Field, Issue, Tag
from inspect_kit.certificate.content.wording import bound, bound_text
from inspect_kit.errors import LANGUAGES
from tests.certificate.records import ALL


def shown(text: str) -> str:
    return text.replace("\u00a0", "_")


@pytest.mark.parametrize(
    ("text", "bound_as"),
    [
        ("at least 8 mm thick", "at least 8_mm thick"),
        ("nicht über 15 g, 2,5 %", "nicht über 15_g, 2,5_%"),
        ("a card of 90 x 9 mm²", "a card of 90 x 9_mm²"),
        ("3 minutes", "3 minutes"),
        ("on 16 November 2026", "on 16_November 2026"),
        ("am 14. Juli 1991", "am 14._Juli 1991"),
        ("in 1991 ratified 2002", "in 1991 ratified 2002"),
        ("Nr. 3, No. 4", "Nr._3, No._4"),
        ("coverage factor 𝑘 = 2", "coverage factor 𝑘_=_2"),
        ("guard band 𝑤 = 𝑈", "guard band 𝑤_=_𝑈"),
        ("19 × conforms", "19_× conforms"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_stays_with_what_belongs_to_it(text: str, bound_as: str, language: str) -> None:
    if language != "cs":
        assert shown(bound_text(text, language)) == bound_as


@pytest.mark.parametrize(
    ("text", "bound_as"),
    [
        ("leží v poli a s ním i druhý", "leží v_poli a_s_ním i_druhý"),
        ("O pozorovaných (k tomu z desky)", "O_pozorovaných (k_tomu z_desky)"),
        ("hlava nekončí krátce", "hlava nekončí krátce"),
        ("5 mm u okraje", "5_mm u_okraje"),
    ],
)
def test_a_short_czech_word_never_ends_a_line(text: str, bound_as: str) -> None:
    assert shown(bound_text(text, "cs")) == bound_as
    assert "u_okraje" not in shown(bound_text(text, "it"))


def test_codes_are_left_as_they_are() -> None:
    block = Authorisation({}, "n", "d 5 mm", "b", qr_text="IK1 5 mm")
    assert (bound(block, "en").place_date, bound(block, "en").qr_text) == ("d 5\u00a0mm", "IK1 5 mm")
    assert bound(Tag("a 5 mm", "n", "5 mm", "fails"), "en") == Tag("a 5 mm", "n", "5\u00a0mm", "fails")
    assert bound({"k": (Field("5 mm", ""),)}, "en") == {"k": (Field("5\u00a0mm", ""),)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_binding_changes_nothing_but_spaces(language: str) -> None:
    content = content_of(ALL["failing-board"], language, Issue())
    assert repr(bound(content, language)).replace("\\xa0", " ") == repr(content).replace("\\xa0", " ")
