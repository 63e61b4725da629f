from __future__ import annotations

from pathlib import Path

import pytest

from inspect_kit.capture.learned_dialects import (
    LabelledRecording,
    LineState,
    dialect_text,
    dump,
    learn,
    read_dialect,
    read_recording,
    whole_lines,
)
from inspect_kit.capture.protocols.reply import Status
from inspect_kit.errors import BadInput, BadSheet

STILL = ("W:  7.122 g *",) * 6
MOVING = tuple(f"W:  {7 + n / 10:.3f} g  " for n in range(6))


@pytest.mark.parametrize("form", ["hex", "text", "bytes", "ours"])
def test_a_recording_is_read_whichever_way_it_was_taken(tmp_path: Path, form: str) -> None:
    data = b"ST,GS    20.7g  \r\n" * 4
    rows = [data[i : i + 16] for i in range(0, len(data), 16)]
    file = tmp_path / "scale.txt"
    if form == "hex":
        file.write_text(
            "".join(
                f"{row.hex(' ').upper()}    {row.decode().replace(chr(13), '.').replace(chr(10), '.')}\n"
                for row in rows
            )
        )
    elif form == "text":
        file.write_text("ST,GS    20.7g  ..\n" * 4)
    elif form == "ours":
        file.write_text(dump(data, "a note"))
    else:
        file.write_bytes(data)
    assert read_recording(file) == data
    assert whole_lines(data) == ("ST,GS    20.7g  ",) * 3


def test_a_dialect_is_learned_from_lines_and_what_was_shown(tmp_path: Path) -> None:
    dialect = learn("desk-scale", [LabelledRecording(STILL + MOVING, (("7.122", "g"),))], "today")
    assert (dialect.parse("W: 14.820 g *").status, dialect.parse("W: 14.820 g *").number) == (Status.STABLE, "14.820")
    assert dialect.parse("W: 14.820 g  ").status is Status.UNSTABLE
    assert dialect.parse("W:14.820 g *").status is Status.UNKNOWN
    assert dialect.parse("X: 14.820 g *").status is Status.UNKNOWN
    path = tmp_path / "desk-scale.dialect.toml"
    path.write_text(dialect_text(dialect), encoding="utf-8")
    assert read_dialect(path) == dialect


def test_a_value_in_kilograms_is_found_by_what_the_display_says_in_grams() -> None:
    dialect = learn("x", [LabelledRecording(("   0.360 kg    G",) * 5, (("360", "g"),))], "")
    assert dialect.parse("   0.480 kg    G").unit == "kg"


@pytest.mark.parametrize(
    ("lines", "shown", "why"),
    [
        (("7.122 g 7.122 g",) * 4, (("7.122", "g"),), "stands twice"),
        (("  7.122 g",) * 4, (("8.000", "g"),), "no line says"),
        (("  7122 g",) * 4, (("7.122", "g"),), "no decimal point"),
        (("ST   7.122 g", "US   7.122 g") * 5, (("7.122", "g"),), "which of them is stable"),
    ],
)
def test_what_is_ambiguous_is_refused_with_advice(
    lines: tuple[str, ...], shown: tuple[tuple[str, str], ...], why: str
) -> None:
    with pytest.raises(BadInput, match=why) as caught:
        learn("x", [LabelledRecording(lines, shown)], "")
    assert caught.value.fault.hint


def test_a_point_that_is_not_sent_is_believed_by_two_weights() -> None:
    samples = [
        LabelledRecording(("  7122 g",) * 4, (("7.122", "g"),)),
        LabelledRecording((" 14820 g",) * 4, (("14.820", "g"),)),
    ]
    assert learn("x", samples, "").parse("    50 g").number == "0.050"


def test_the_stable_form_is_told_by_where_the_value_changes() -> None:
    lines = ("ST  85.5g",) * 5 + ("US  86.0g", "US  88.0g", "US  85.9g", "US  85.5g") + ("ST  85.5g",) * 5
    dialect = learn("x", [LabelledRecording(lines + ("US  85.5g",) * 3, (("85.5", "g"),))], "")
    assert {form.before for form in dialect.forms if form.state is LineState.STABLE} == {"ST"}


def test_a_broken_dialect_says_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "x.dialect.toml"
    path.write_text('format = 1\nid = "x"\n[[line]]\nstate = "stable"\nbefore = ""\nafter = ""\nunit = "furlong"\n')
    with pytest.raises(BadSheet, match="furlong"):
        read_dialect(path)
