"""Certificates drawn by several threads of one program at once are the certificates drawn one by one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from inspect_kit.certificate.pages.render import make_certificate
from tests.certificate.records import striker


def test_threads_that_draw_at_once_do_not_mix_their_letters() -> None:
    languages = ["en", "de", "cs", "it"] * 4
    alone = {language: make_certificate(striker(), language=language) for language in set(languages)}
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda language: make_certificate(striker(), language=language), languages))
    assert drawn == [alone[language] for language in languages]
