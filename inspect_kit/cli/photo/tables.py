"""What `measure` prints for people: the value, U, what dominates it, and what was seen, in the reader's language."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.certificate.content.wording import Wording
from inspect_kit.errors import ENGLISH, notice, sentence
from inspect_kit.values.measurement import Reading

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """The words of a table. In English names are those of the file, which people copy into others."""

    words: Wording

    def say(self, code: str, **facts: object) -> str:
        """A heading, or what was seen."""
        return sentence(notice(code, **facts), self.words.language)

    def name(self, section: str, key: str) -> str:
        """A name of the file in the reader's language."""
        return key if self.words.language == ENGLISH else self.words.name(section, key)

    def instance(self, code: str) -> str:
        """Which piece, or where."""
        return code if self.words.language == ENGLISH else self.words.instance(code)

    def quantity(self, size: float, unit: str) -> str:
        """To the hundredth."""
        return self.words.localised(f"{size:.2f}") + ("°" if unit == "deg" else f" {unit}")

    def percent(self, share: float) -> str:
        """A share; only English writes its sign without a space."""
        return f"{share:.0%}" if self.words.language == ENGLISH else f"{100 * share:.0f}\u00a0%"

    def value(self, reading: Reading) -> str:
        """What was measured."""
        return self.quantity(float(reading.value), reading.unit)

    def expanded(self, *readings: Reading) -> str:
        """The largest U."""
        return f"± {self.quantity(2 * max(float(each.standard) for each in readings), readings[0].unit)}"

    def mostly(self, reading: Reading) -> str:
        """The source with the largest share of the variance."""
        shares: dict[str, float] = {}
        for part in reading.budget:
            shares[part.source] = shares.get(part.source, 0.0) + float(part.standard) ** 2
        largest = max(shares, key=lambda source: shares[source])
        return f"{self.name('source', largest)}, {self.percent(shares[largest] / float(reading.standard) ** 2)}"


Rows = Callable[[MeasurementFile, Terms], Iterator[Row]]


def piece_rows(file: MeasurementFile, terms: Terms) -> Iterator[Row]:
    """Coins, strikers and other discs."""
    names = dict.fromkeys(reading.instance for reading in file.readings)
    rounded = any(reading.characteristic.endswith(".roundness") for reading in file.readings)
    roundness = terms.say("head-roundness") if rounded else ""
    yield (*map(terms.say, ("head-piece", "head-diameter")), "U", terms.say("head-mostly"), roundness,
           terms.say("head-seen"))  # fmt: skip
    for name in names:
        found = {each.characteristic.rpartition(".")[2]: each for each in file.readings if each.instance == name}
        diameter = found["diameter"]
        yield (
            terms.instance(name) or "1", terms.value(diameter), terms.expanded(diameter), terms.mostly(diameter),
            terms.value(found["roundness"]) if rounded else "", _seen(found, terms),
        )  # fmt: skip


def _seen(found: dict[str, Reading], terms: Terms) -> str:
    if "visible_metal" in found:
        return terms.say("metal-suspected" if found["visible_metal"].value == "suspected" else "metal-none")
    return terms.name("word", found["colour"].value) if "colour" in found else ""


def board_rows(file: MeasurementFile, terms: Terms) -> Iterator[Row]:
    """Every dimension of a board."""
    yield (terms.say("head-dimension"), "", terms.say("head-value"), "U", terms.say("head-mostly"))
    for each in file.readings:
        if each.unit:
            name = terms.name("characteristic", each.characteristic)
            yield (name, terms.instance(each.instance), terms.value(each), terms.expanded(each), terms.mostly(each))


def figure_rows(file: MeasurementFile, terms: Terms) -> Iterator[Row]:
    """Height, base and top of a figure."""
    yield (terms.say("head-characteristic"), terms.say("head-value"), "U", terms.say("head-mostly"))
    for each in file.readings:
        name = terms.name("characteristic", each.characteristic)
        if each.unit:
            yield (name, terms.value(each), terms.expanded(each), terms.mostly(each))
        else:
            sure = terms.say("so-sure", percent=terms.percent(float(each.confidence)))
            yield (name, terms.name("word", each.value), "", sure)


def dice_rows(file: MeasurementFile, terms: Terms) -> Iterator[Row]:
    """Dice with their numbers and edges."""
    edges = (terms.say("head-edge", axis=axis) for axis in "ab")
    front, back = ("head-die", "head-face", "head-sure"), ("head-mostly", "head-photo")
    yield (*map(terms.say, front), *edges, "U", *map(terms.say, back))
    found = {(each.characteristic, each.instance): each for each in file.readings}
    for face in file.readings:
        if face.characteristic == "die.face":
            yield _die(
                face, [each for axis in "ab" if (each := found.get(("die.edge", f"{face.instance}.{axis}")))], terms
            )


def _die(face: Reading, edges: list[Reading], terms: Terms) -> Row:
    sizes = (*map(terms.value, edges), terms.expanded(*edges), terms.mostly(edges[0])) if edges else ("", "", "", "")
    return (face.instance, face.value, terms.percent(float(face.confidence)), *sizes, face.photo)
