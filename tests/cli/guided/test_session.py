from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from inspect_kit.capture.instruments import load_instruments
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.cli.guided.fullscreen import run
from inspect_kit.cli.guided.session import GuidedSession, guided_words
from inspect_kit.errors import BadInput
from inspect_kit.inspection.guided import GuidedEntry
from inspect_kit.inspection.walk import Task
from inspect_kit.judgement.rules import RuleName
from inspect_kit.places import shipped
from inspect_kit.rulebook.library import load
from inspect_kit.tomlfile import read_toml
from tests.cli.conftest import Kit, Result

CALL = ("inspect", "--spec", "icf-cs", "--item", "striker", "--instrument", "caliper-150", "--instrument", "scale-200g")
BOARD = ("inspect", "--spec", "icf-2001-it", "--item", "board", "--instrument", "caliper-150",
         "--instrument", "tape-3m", "--instrument", "scale-200g", "--instrument", "protractor")  # fmt: skip
STRIKER = "y\n4,11 cm\n14.82\n"
LANGUAGES = ("en", "de", "cs", "it")


def screens(result: Result) -> int:
    return result.err.count("] > ")


# How much has to be typed


def test_a_striker_takes_at_most_7_screens(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed=STRIKER)
    assert result.code == 0
    assert screens(result) <= 7


def test_a_board_by_hand_takes_at_most_30_screens_and_150_keystrokes(kit: Kit, tmp_path: Path) -> None:
    entry = GuidedEntry(load("icf-2001-it"), "board")
    asked = {question.key for question in entry.questions()}
    typed = board_line_by_line(tmp_path)
    result = kit(*BOARD, "-o", tmp_path / "b.json", typed=typed)
    assert screens(result) <= 30
    assert len(typed) <= 150
    data = json.loads((tmp_path / "b.json").read_text())
    given = {(e["characteristic"], e["instance"]) for e in (*data["measurements"], *data["observations"])}
    assert given == asked


def board_line_by_line(tmp_path: Path) -> str:
    """The shortest honest answers: all in order, every measure as printed or nearly so, the same at all places."""
    values = {
        "surface.thickness": "9", "surface.side": "738", "surface.diagonal": "1044", "surface.runs": "3",
        "surface.runs.striker_mass": "15", "frame.height": "20", "frame.width": "70", "pocket.diameter": "44.5",
        "baseline.count": "2", "baseline.length": "470", "baseline.lower.thickness": "5",
        "baseline.lower.distance": "101", "baseline.spacing": "32", "basecircle.diameter": "32",
        "basecircle.inner": "25", "basecircle.gap": "50", "arrow.thickness": "5", "arrow.angle": "45",
        "arrow.tip": "50", "arrow.length": "267", "arc.diameter": "63", "centre.diameter": "32",
        "outer.diameter": "170", "net.capacity": "10",
    }  # fmt: skip
    from inspect_kit.inspection.screens import screens_of

    found = screens_of(GuidedEntry(load("icf-2001-it"), "board"))
    lines = (
        "y" if each.checklist
        else values[each.questions[0].characteristic] + ("*" if len(each.questions) > 1 else "")
        for each in found
    )  # fmt: skip
    return "\n".join(lines) + "\n"


def test_a_team_of_eleven_takes_at_most_25_screens(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "t.json"
    call = ("inspect", "--spec", "fistf-4.0", "--item", "team", "--instrument", "caliper-150", "-o", out)
    figures = "y\nsports\ny\n6*\n20.8*\n10*\n5*\n36*\n"
    keeper = "sports\ny\n900\n35\n5\n20\n140\n3\n30\n"
    result = kit(*call, "--json", typed=figures + keeper)
    assert screens(result) <= 25
    told = json.loads(out.read_text())["measurements"]
    heights = {each["instance"] for each in told if each["characteristic"] == "fig.base.height"}
    assert heights == {*map(str, range(1, 11)), "spare"}
    assert not [each for each in result.data["findings"] if each["verdict"] == "fails"]
    left = {each["characteristic"] for each in result.data["findings"] if each["verdict"] == "undecided"}
    assert left == {"gk.volume"}  # Nobody has a gauge for it that states its uncertainty.


def test_a_choice_of_types_says_a_word_on_each_in_the_language(kit: Kit, tmp_path: Path) -> None:
    call = ("inspect", "--spec", "fistf-4.0", "--item", "figure", "--lang", "de", "-o", tmp_path / "f.json")
    shown = kit(*call, typed="q\n").err
    assert "sports: Sockeldurchmesser 21 mm; Gesamthöhe 35 mm – 37 mm" in shown
    assert "zeugo: Die Zeugo-Figur" in shown


def test_a_set_of_dice_takes_at_most_10_screens_and_three_edges_a_die_decide_p1(kit: Kit, tmp_path: Path) -> None:
    gauges = ("--instrument", "micrometer-25", "--instrument", "protractor", "--json")
    call = ("inspect", "--spec", "precision-dice", "--item", "dice", *gauges, "-o", tmp_path / "d.json")
    result = kit(*call, typed="no-clock\ny\n5\n14.288*\n0.05*\n0.01\ny\n")
    assert screens(result) <= 10
    spreads = [each for each in result.data["findings"] if each["clause"] == "P.1"]
    assert [each["instance"] for each in spreads] == ["1", "2", "3", "4"]
    assert {each["verdict"] for each in spreads} == {"conforms"}


# Answers


def test_the_guided_way_ends_in_a_file_that_can_be_certified(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "striker.json"
    result = kit(*CALL, "-o", out, typed=STRIKER)
    assert result.code == 0
    assert "CONFORMS" in result.out
    diameter = next(m for m in json.loads(out.read_text())["measurements"] if m["characteristic"] == "striker.diameter")
    assert (diameter["value"], diameter["unit"], diameter["raw"]) == (41.1, "mm", "4,11 cm")
    assert kit("judge", out, "--spec", "icf-cs", "--item", "striker").code == 0


def test_each_answer_shows_the_running_verdict(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed="yes\n42 mm\nq\n")
    assert "fails: above the upper limit" in result.err
    assert "1 fail" in result.err


@pytest.mark.parametrize("line", ["738.1 738.2 737.9 738.0", "738,1 738,2 737,9 738,0", "738.1; 738.2; 737.9; 738",
                                  "738.1 mm 73.82 cm 737.9mm 738", "n=738.1 e=738.2 s=737.9 w=738"])  # fmt: skip
def test_the_places_of_a_measure_are_typed_on_one_line(kit: Kit, tmp_path: Path, line: str) -> None:
    kit(*BOARD, "-o", tmp_path / "b.json", typed=f"y\n\n{line}\nq\n")
    answers = json.loads((tmp_path / "b.json.draft").read_text())["answers"]
    sides = {a["instance"]: a["text"] for a in answers if a["characteristic"] == "surface.side"}
    assert list(sides) == ["n", "e", "s", "w"]
    assert sides["n"].startswith("738")


def test_a_place_can_stay_open_and_a_number_that_does_not_match_is_told(kit: Kit, tmp_path: Path) -> None:
    result = kit(*BOARD, "-o", tmp_path / "b.json", typed="y\n\n738 738\n738 ? 738 738\nq\n")
    assert "4 values are asked for, 2 were typed" in result.err
    answers = json.loads((tmp_path / "b.json.draft").read_text())["answers"]
    assert [a["instance"] for a in answers if a["characteristic"] == "surface.side"] == ["n", "s", "w"]


def test_exceptions_of_a_checklist_are_named_by_number(kit: Kit, tmp_path: Path) -> None:
    kit(*CALL, "-o", tmp_path / "s.json", typed="2 3?\nq\n")
    answers = json.loads((tmp_path / "s.json.draft").read_text())["answers"]
    told = {a["characteristic"]: a["text"] for a in answers}
    assert told["striker.material"] == "no"
    assert "striker.visible_metal" not in told
    assert told["striker.shape"] == "yes"


def test_a_bare_no_to_several_asks_which(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed="no\nq\n")
    assert "the numbers of those that are not right" in result.err


def test_a_count_that_is_not_as_prescribed_is_given_as_a_number(kit: Kit, tmp_path: Path) -> None:
    kit(*BOARD, "-o", tmp_path / "b.json", typed="/9\n1=3\nq\n")
    answers = json.loads((tmp_path / "b.json.draft").read_text())["answers"]
    assert {a["characteristic"]: a["text"] for a in answers}["pocket.count"] == "3"


@pytest.mark.parametrize(("typed", "told"), [
    ("perhaps", "is not a number"), ("14 g", "this is in g, and mm is asked for"), ("-3", "cannot be negative"),
    ("738 !", "is beyond caliper-150"),
])  # fmt: skip
def test_a_wrong_answer_is_explained_and_asked_again(kit: Kit, tmp_path: Path, typed: str, told: str) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed=f"yes\n{typed}\n41.1\n14.82\n")
    assert told in result.err
    assert result.code == 0


def test_the_last_screen_can_be_undone(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed=f"1\n<\n{STRIKER}")
    assert result.code == 0
    assert "undone" in result.err


def test_a_question_mark_shows_the_drawing_and_how_to_measure(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed="yes\n?\nq\n")
    assert "⌀" in result.err
    assert "aliper" in result.err


def test_a_condition_asks_its_own_question_without_a_neighbours_limit(kit: Kit, tmp_path: Path) -> None:
    result = kit("inspect", "--spec", "fistf-4.0", "--item", "figure", "-o", tmp_path / "g.json", typed="q\n")
    shown = result.err.partition("[1 of")[2]
    assert "flat" in shown
    asked = "\n".join(line for line in shown.splitlines() if not re.match(r" +\w+: ", line))
    assert not re.search(r"\dmm|\d mm|\d cm", asked)  # Each type has its own below it, named as its own.


# Gauges


def test_the_gauge_is_chosen_by_range_and_said_on_each_screen(kit: Kit, tmp_path: Path) -> None:
    result = kit(*BOARD, "-o", tmp_path / "b.json", typed="y\n9\n738*\n/10\n44.5*\nq\n")
    side, pocket = (result.err.partition(name)[2] for name in ("surface, side length", "Pocket, diameter"))
    assert "tape-3m" in side.partition("] > ")[0]
    assert "caliper-150" in pocket.partition("] > ")[0]
    answers = json.loads((tmp_path / "b.json.draft").read_text())["answers"]
    used = {a["characteristic"]: a["instrument"] for a in answers}
    assert used["surface.side"] == "tape-3m"
    assert used["pocket.diameter"] == "caliper-150"


def test_another_gauge_can_be_named_for_one_answer(kit: Kit, tmp_path: Path) -> None:
    kit(*CALL, "-o", tmp_path / "s.json", typed="y\n41.1 @caliper-300\n14.8\n")
    data = json.loads((tmp_path / "s.json").read_text())
    assert {m["characteristic"]: m["instrument"] for m in data["measurements"]} == {
        "striker.diameter": "caliper-300", "striker.mass": "scale-200g",
    }  # fmt: skip


# Leaving, going on, coming back


def test_an_entry_can_be_left_and_taken_up_again(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    left = kit(*CALL, "-o", out, typed="yes\n41.1\nq\n")
    assert left.code == 3
    assert not out.exists()
    again = kit(*CALL, "-o", out, typed="14.82\n")
    assert again.code == 0
    assert "6 answers are there" in again.err
    assert not (tmp_path / "s.json.draft").exists()


def test_the_end_of_the_input_keeps_every_answer(kit: Kit, tmp_path: Path) -> None:
    kit(*CALL, "-o", tmp_path / "s.json", typed="yes\n41.1")
    assert len(json.loads((tmp_path / "s.json.draft").read_text())["answers"]) == 6


def test_what_was_passed_over_is_offered_again_at_the_end(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed="y\n\n14.82\n41.1\n")
    assert "1 screens were passed over" in result.err
    assert result.code == 0


def test_one_can_jump_to_any_screen_and_see_the_list(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed="/\n/3\n14.82\ny\n41.1\n")
    assert "Striker, mass" in result.err
    assert result.code == 0


def test_the_same_command_after_the_end_destroys_nothing(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    kit(*CALL, "-o", out, typed=STRIKER)
    before = out.read_bytes()
    for typed in ("", "q\n", "\n", "\n\n\n"):
        again = kit(*CALL, "-o", out, typed=typed)
        assert out.read_bytes() == before
        assert "opened for correction" in again.err
    assert not (tmp_path / "s.json.draft").exists()


def test_a_finished_file_is_corrected_with_its_history(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    kit(*CALL, "-o", out, typed=STRIKER)
    kit(*CALL, "-o", out, typed="/3\n14.9\n")
    mass = next(m for m in json.loads(out.read_text())["measurements"] if m["characteristic"] == "striker.mass")
    assert mass["value"] == 14.9
    (change,) = map(json.loads, (tmp_path / "s.json.history").read_text().splitlines())
    assert (change["was"], change["now"]) == ("14.82 g", "14.9")
    assert "changed before: 1 times" in kit(*CALL, "-o", out, typed="q\n").err


def test_a_file_of_something_else_is_never_written_over(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    out.write_text("my notes")
    result = kit(*CALL, "-o", out, typed=STRIKER)
    assert result.code == 2
    assert out.read_text() == "my notes"


def test_what_files_tell_is_not_asked_again(kit: Kit, tmp_path: Path) -> None:
    photo = tmp_path / "photo.json"
    value = {"characteristic": "striker.diameter", "instance": "", "value": 41.1, "unit": "mm", "u": 0.03}
    photo.write_text(json.dumps({"format": 1, "photos": [], "measurements": [value], "observations": []}))
    result = kit(*CALL, photo, "-o", tmp_path / "s.json", typed="y\n14.82\n")
    assert result.code == 0
    assert screens(result) == 2
    assert f"{photo} {tmp_path / 's.json'}" in result.err
    assert "striker.diameter" not in (tmp_path / "s.json").read_text()


def test_a_file_is_not_written_over_while_it_is_read(kit: Kit, tmp_path: Path) -> None:
    photo = tmp_path / "s.csv"
    photo.write_text("characteristic,value,unit,u\nstriker.mass,14.8,g,0.01\n")
    assert kit(*CALL, photo, "-o", photo, typed="y\n").code == 2
    assert "14.8" in photo.read_text()


def test_a_draft_of_something_else_is_refused(kit: Kit, tmp_path: Path) -> None:
    (tmp_path / "s.json.draft").write_text('{"format": 1, "spec": "icf-cs", "item": "board"}')
    result = kit(*CALL, "-o", tmp_path / "s.json")
    assert result.code == 4
    assert "is a draft for icf-cs board" in result.err


@pytest.mark.parametrize(
    "content", ["", "x", "[]", "{}", '{"format": 1, "spec": "icf-cs", "item": "striker", "answers": 3}']
)
def test_a_spoilt_draft_is_told_and_kept(kit: Kit, tmp_path: Path, content: str) -> None:
    draft = tmp_path / "s.json.draft"
    draft.write_text(content)
    assert kit(*CALL, "-o", tmp_path / "s.json").code == 4
    assert draft.read_text() == content


def test_the_findings_come_as_one_json_document_if_asked_for(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", "--json", typed=STRIKER)
    assert result.data["verdict"] == "conforms"


def test_a_slip_of_the_unit_is_named_and_a_confirmed_value_is_taken(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    result = kit(*CALL, "-o", out, typed="yes\n4.11\n25.1 mm !\n14.82\n")
    assert "4.11 mm? 4.11 cm is 41.1 mm" in result.err
    assert "≤ 41.3 mm  (≤ 4.13 cm)" in result.err
    (diameter,) = [m for m in json.loads(out.read_text())["measurements"] if m["characteristic"] == "striker.diameter"]
    assert (diameter["value"], diameter["confirmed"]) == (25.1, "yes")


def test_a_person_decides_where_the_text_prints_no_tolerance(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "ball.json"
    call = ("inspect", "--spec", "fistf-4.0", "--item", "ball", "--instrument", "caliper-150", "-o", out)
    result = kit(*call, typed="yes\n22.9\naccept: A. Referee: within what the maker states\n\n\n\n\n\n")
    assert "accept: NAME: WHY" in result.err
    (ball,) = json.loads(out.read_text())["measurements"]
    assert (ball["decision"], ball["by"], ball["because"]) == ("accept", "A. Referee", "within what the maker states")


# Languages


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_there_in_every_language_with_the_same_gaps(language: str) -> None:
    here, english = guided_words(language), guided_words("en")
    assert here.keys() == english.keys()
    for key, text in here.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", english[key])), key


@pytest.mark.parametrize(("language", "yes"), [("de", "ja"), ("cs", "ano"), ("it", "sì")])
def test_the_whole_walk_speaks_the_chosen_language(kit: Kit, tmp_path: Path, language: str, yes: str) -> None:
    typed = f"?\nnein\n9 9\n{yes}\nx\n14 g\n-1\n738\n41,1\n/\n<\n41,1\n14,82\n"
    result = kit(*CALL, "-o", tmp_path / "s.json", "--lang", language, typed=typed)
    assert result.code == 0
    for english in ("values", "asked", "screen", "gauge", "caliper ", "leave", "undone", "Look at", "passed"):
        assert english not in result.err, english


def test_the_guided_words_are_in_no_other_place() -> None:
    assert set(read_toml(shipped("reports") / "wording" / "en" / "guided.toml")) == set(guided_words("en"))


# The full screen


def test_the_full_screen_walks_the_same_state() -> None:
    sheet = load("icf-cs")
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16))
    saved: list[GuidedSession] = []
    with create_pipe_input() as pipe:
        pipe.send_text("y\r41.1\r14.8\r")
        session = GuidedSession(task, wording_for("it"), GuidedEntry(sheet, "striker"))
        ended = run(session, saved.append, pipe, DummyOutput())
    assert ended.finished
    assert len(saved) == 3
    assert {answer.text for answer in ended.entry.answers} == {"yes", "41.1", "14.8"}


def test_the_full_screen_is_left_by_control_c_with_every_answer() -> None:
    sheet = load("icf-cs")
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16))
    with create_pipe_input() as pipe:
        pipe.send_text("y\r\x03")
        ended = run(
            GuidedSession(task, wording_for("en"), GuidedEntry(sheet, "striker")), lambda _: None, pipe, DummyOutput()
        )
    assert ended.left
    assert len(ended.entry.answers) == 5


def test_why_a_gauge_cannot_be_read_is_said_in_the_persons_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = BadInput("nothing-came", where="COM4", seconds="5")

    def no_reading(*_: object) -> None:
        raise silent

    monkeypatch.setattr("inspect_kit.cli.guided.session.read_connections", lambda home: {"scale-200g": home})
    monkeypatch.setattr("inspect_kit.capture.gauges.own.read_gauge", no_reading)
    sheet = load("icf-cs")
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16), (), tmp_path)
    scale = load_instruments(("scale-200g",), ())["scale-200g"]
    entry = GuidedEntry(sheet, "striker")
    asked = GuidedSession(task, wording_for("de"), entry, gauges=(scale,), at=("striker.mass", ""))
    assert silent.said("de") != str(silent)
    assert asked.typed("!").told == (silent.said("de"),)
