"""Every name and sentence of a sheet that a certificate prints, and which of them a language lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspect_kit.certificate.content.wording import Wording, wording_for
from inspect_kit.errors import LANGUAGES
from inspect_kit.rulebook.sheet import Sheet


def missing_wording(sheets: Iterable[Sheet]) -> tuple[str, ...]:
    """Every name and sentence of the sheets that some language lacks, each with the file it belongs into."""
    lacking: dict[str, None] = {}
    for sheet in sheets:
        for language in LANGUAGES:
            words = wording_for(language, sheet.wording)
            lacking.update(dict.fromkeys(_missing_names(sheet, words)))
            if language != "en":
                lacking.update(dict.fromkeys(_missing_sentences(sheet, words)))
    return tuple(lacking)


def _missing_names(sheet: Sheet, words: Wording) -> Iterator[str]:
    for section, key in sorted(set(_names_of(sheet))):
        if key not in words.own and key not in words.names.get(section, {}):
            yield f"{words.language}/names.toml: [{section}] {key}"


def _names_of(sheet: Sheet) -> Iterator[tuple[str, str]]:
    for item in sheet.items:
        yield "item", item.name
    for clause in sheet.clauses:
        if not clause.name:
            yield "characteristic", clause.characteristic
        if clause.unit is not None:
            yield from (("unit", clause.unit.symbol), ("unit", clause.unit.base))
        yield from (("instance", code) for code in clause.instances.names)


def _missing_sentences(sheet: Sheet, words: Wording) -> Iterator[str]:
    for text in sorted(set(_sentences_of(sheet))):
        if text not in words.own and text not in words.sentences:
            yield f"{words.language}/sentences.toml: {text}"


def _sentences_of(sheet: Sheet) -> Iterator[str]:
    """The sentences a certificate prints; what a text literally prints is quoted, never translated."""
    found = [sheet.title, sheet.edition, sheet.disclaimer, sheet.prevails, sheet.superseded]
    found += [part for overlay in sheet.overlays for part in (overlay.title, overlay.because)]
    found += [entry.when for item in sheet.items for entry in item.check_again]
    found += [part for entry in sheet.left_out for part in (entry.says, entry.because)]
    for clause in sheet.clauses:
        found += [clause.requires, clause.how, clause.note, clause.because, clause.name]
    return (text for text in found if text)
