"""The commands as a user calls them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.cli import app as commands
from inspect_kit.cli.app import run
from inspect_kit.inspection.record import Record

Issue = Callable[..., Issued]


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Kit = Callable[..., Result]


@pytest.fixture
def kit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path) -> Kit:
    monkeypatch.setenv("INSPECT_KIT_HOME", str(home))
    for variable in ("INSPECT_KIT_PASSPHRASE", "INSPECT_KIT_NEW_PASSPHRASE", "INSPECT_KIT_DB"):
        monkeypatch.delenv(variable, raising=False)

    def call(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        capsys.readouterr()
        code = run(commands.app, [str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.mark.parametrize(
    "path",
    [("keys",), ("keys", "init"), ("keys", "list"), ("keys", "add"), ("keys", "retire"), ("keys", "export"), ("keys", "trust"),
     ("verify",), ("label",), ("registry",), ("registry", "list"), ("registry", "show"), ("registry", "revoke"),
     ("registry", "describe"), ("registry", "audit"), ("registry", "export"), ("registry", "backup"), ("registry", "restore")],
    ids=" ".join,
)  # fmt: skip
def test_every_command_has_help_with_an_example(kit: Kit, path: tuple[str, ...]) -> None:
    result = kit(*path, "--help")
    assert result.code == 0
    assert "Example:" in result.out
    assert f"inspect-kit {path[0]}" in result.out or "inspect-kit --home" in result.out


def test_keys_are_made_listed_added_and_retired(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "fresh"))
    assert "No keys yet" in kit("keys", "list").out
    refused = kit("keys", "init", "--name", "Prague Carrom Club")
    assert (refused.code, refused.out) == (2, "")
    assert "INSPECT_KIT_PASSPHRASE" in refused.err
    monkeypatch.setenv("INSPECT_KIT_PASSPHRASE", "secret")
    made = kit("keys", "init", "--name", "Prague Carrom Club", "--inspector", "Jan", "--json")
    assert (made.code, made.data["code"], made.data["signers"][0]["name"]) == (0, "PCC", "Jan")
    assert kit("keys", "init", "--name", "Again").code == 2
    assert kit("keys", "add", "--name", "Eva", "--json").data["retired"] is None
    assert kit("keys", "retire", "Eva", "--json").data["retired"]
    monkeypatch.setenv("INSPECT_KIT_PASSPHRASE", "wrong")
    wrong = kit("keys", "add", "--name", "Ota")
    assert wrong.code == 4
    assert "does not open the key" in wrong.err
    (own,) = kit("keys", "list", "--json").data
    assert [(each["name"], bool(each["retired"])) for each in own["signers"]] == [("Jan", False), ("Eva", True)]
    assert "retired" in kit("keys", "list").out


def test_a_name_that_gives_no_code_asks_for_one(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "fresh"))
    refused = kit("keys", "init", "--name", "Ama", "--no-passphrase")
    assert refused.code == 2
    assert "--code" in refused.err
    assert kit("keys", "init", "--name", "Ama", "--code", "pck", "--no-passphrase", "--json").data["code"] == "PCK"


def test_verify_says_in_one_line_what_holds(kit: Kit, desk: Desk, issue: Issue) -> None:
    issued = issue(desk, valid="2099-06-30")
    for what in (issued.pdf, issued.qr):
        result = kit("verify", what)
        assert (result.code, result.err) == (0, "")
        assert len(result.out.splitlines()) == 1
        for part in (
            "GENUINE",
            "CONFORMS",
            issued.number,
            "Řehoř Áron",
            "registered",
            "not revoked",
            "valid until 2099-06-30",
        ):
            assert part in result.out


def test_verify_leaves_with_5_and_the_reason_if_anything_does_not_hold(kit: Kit, desk: Desk, issue: Issue) -> None:
    issued = issue(desk, valid="2099-06-30")
    assert kit("verify", issued.pdf, "--subject", "Striker 50").code == 5
    assert kit("verify", issued.qr, "--on", "2099-07-01").code == 5
    kit("registry", "revoke", issued.number, "--because", "wrong scale")
    result = kit("verify", issued.pdf)
    assert (result.code, len(result.out.splitlines())) == (5, 1)
    assert "wrong scale" in result.out
    data = kit("verify", issued.qr, "--json").data
    assert data["holds"] is False
    assert data["checks"]["revoked"]["holds"] is False
    issued.pdf.write_bytes(issued.pdf.read_bytes()[:-10])
    assert kit("verify", issued.pdf).code == 5


def test_verify_of_a_genuine_report_leaves_with_its_verdict(
    kit: Kit, desk: Desk, issue: Issue, failing_record: Record
) -> None:
    assert kit("verify", issue(desk, base=failing_record).pdf).code == 1


def test_a_number_with_a_wrong_character_is_not_taken_for_a_file(kit: Kit, desk: Desk, issue: Issue) -> None:
    number = issue(desk).number
    result = kit("verify", number[:-1] + ("B" if number[-1] != "B" else "C"))
    assert (result.code, "check letter" in result.err, "no such file" in result.err) == (2, True, False)


@pytest.mark.parametrize("what", ["nowhere.pdf", "KIT123", "", "x" * 300])
def test_verify_of_nothing_is_bad_input(kit: Kit, what: str) -> None:
    result = kit("verify", what)
    assert (result.code, result.out) == (4, "")
    assert len(result.err.splitlines()) == 1


def test_a_referee_checks_with_the_exported_keys_alone(
    kit: Kit, desk: Desk, issue: Issue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued = issue(desk)
    assert kit("keys", "export", "-o", tmp_path / "pck.pem").code == 0
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "referee"))
    stranger = kit("verify", issued.qr)
    assert stranger.code == 5
    assert kit("keys", "trust", tmp_path / "pck.pem", "--yes").code == 0
    for what in (issued.pdf, issued.qr):
        result = kit("verify", what)
        assert result.code == 0
        assert "revocation cannot be seen" in result.out
    assert not (tmp_path / "referee" / "registry.db").exists()
    assert kit("keys", "list", "--json").data[0]["own"] is False


def test_another_issuer_cannot_take_over_a_code(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kit("keys", "export", "-o", tmp_path / "honest.pem")
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "impostor"))
    kit("keys", "init", "--name", "Pražský carrom klub", "--code", "PCK", "--no-passphrase")
    kit("keys", "export", "-o", tmp_path / "forged.pem")
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "referee"))
    assert kit("keys", "trust", tmp_path / "honest.pem", "--yes").code == 0
    assert kit("keys", "trust", tmp_path / "honest.pem").code == 0
    refused = kit("keys", "trust", tmp_path / "forged.pem")
    assert refused.code == 2
    assert "another issuer" in refused.err


def test_outside_a_terminal_a_new_issuer_is_trusted_only_on_an_explicit_word(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit("keys", "export", "-o", tmp_path / "pck.pem")
    shown = kit("keys", "list", "--json").data[0]["fingerprint"]
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "referee"))
    silent = kit("keys", "trust", tmp_path / "pck.pem")
    assert (silent.code, silent.out) == (2, "")
    assert shown in silent.err
    assert kit("keys", "trust", tmp_path / "pck.pem", "--fingerprint", "00" * 32).code == 2
    assert kit("keys", "list", "--json").data == []
    assert kit("keys", "trust", tmp_path / "pck.pem", "--fingerprint", shown.upper()).code == 0


def test_the_registry_is_listed_shown_revoked_and_audited(kit: Kit, desk: Desk, issue: Issue, tmp_path: Path) -> None:
    issued = issue(desk, owner="Renata Řeháčková")
    assert issued.number in kit("registry", "list", "--owner", "renata").out
    assert kit("registry", "list", "--owner", "nobody").out == "Nothing found.\n"
    (row,) = kit("registry", "list", "--json").data
    assert (row["number"], row["state"], row["verdict"]) == (issued.number, "valid", "conforms")
    shown = kit(
        "registry", "show", issued.number, "--pdf", tmp_path / "again.pdf", "--record", tmp_path / "r.json", "--json"
    ).data
    assert (tmp_path / "again.pdf").read_bytes() == issued.pdf.read_bytes()
    assert shown["instruments"][0]["id"] == "desk-caliper"
    assert "desk-caliper" in kit("registry", "show", issued.number).out
    assert kit("registry", "revoke", issued.number, "--because", "lost", "--json").data["state"] == "revoked"
    assert kit("registry", "revoke", issued.number, "--because", "lost").code == 2
    assert kit("registry", "revoke", issued.number).code == 2
    clean = kit("registry", "audit")
    assert (clean.code, clean.out.startswith("the registry is clean: 2 entries")) == (0, True)


def test_an_audit_with_faults_leaves_with_5(kit: Kit, desk: Desk, issue: Issue, by_hand: Callable[..., None]) -> None:
    issue(desk)
    by_hand(desk.registry, "UPDATE certificates SET valid_until = '2099-01-01'")
    result = kit("registry", "audit")
    assert result.code == 5
    assert "valid_until differ from entry 1" in result.err
    data = kit("registry", "audit", "--json").data
    assert (data["clean"], data["faults"][0]["where"][:12]) == (False, "certificates")


def test_a_thing_is_described_with_maker_serial_and_photo(kit: Kit, desk: Desk, issue: Issue, tmp_path: Path) -> None:
    issued = issue(desk, owner="Jan")
    (tmp_path / "s.jpg").write_bytes(b"photo")
    about = ("--item", "striker", "--subject", "Striker 42", "--owner", "Jan")
    assert (
        kit("registry", "describe", *about, "--maker", "Synco", "--serial", "0417", "--photo", tmp_path / "s.jpg").code
        == 0
    )
    assert kit("registry", "show", issued.number, "--json").data["description"]["serial"] == "0417"
    assert "Synco 0417" in kit("registry", "show", issued.number).out
    assert kit("registry", "describe", *about).code == 2
    assert kit("registry", "audit").code == 0


def test_exports_go_to_a_file_or_to_standard_output(kit: Kit, desk: Desk, issue: Issue, tmp_path: Path) -> None:
    issued = issue(desk)
    assert json.loads(kit("registry", "export").out)["number"] == issued.number
    assert kit("registry", "export", "--format", "csv", "-o", tmp_path / "x.csv").out == ""
    assert (tmp_path / "x.csv").read_text().splitlines()[1].startswith("valid,PCK-2026-000001-")


def test_a_backup_is_restored_into_an_empty_home(kit: Kit, desk: Desk, issue: Issue, tmp_path: Path) -> None:
    issued = issue(desk)
    assert kit("registry", "backup", tmp_path / "b.zip", "--json").data["entries"] == 1
    assert kit("registry", "restore", tmp_path / "b.zip").code == 2
    new = tmp_path / "new"
    assert kit("--home", new, "registry", "restore", tmp_path / "b.zip").code == 0
    assert kit("--home", new, "registry", "list", "--json").data[0]["number"] == issued.number


def test_tables_that_the_entries_speak_against_get_no_label_and_are_shown_as_such(
    kit: Kit, desk: Desk, issue: Issue, by_hand: Callable[..., None], tmp_path: Path
) -> None:
    issued = issue(desk)
    by_hand(desk.registry, "UPDATE subjects SET text = 'Another striker'")
    done = kit("label", issued.number, "-o", tmp_path / "l.pdf")
    assert (done.code, (tmp_path / "l.pdf").exists()) == (5, False)
    assert "something else" in done.err
    shown = kit("registry", "show", issued.number, "--json")
    assert (shown.code, shown.data["number"]) == (5, issued.number)
    assert "not to be believed" in shown.err


def test_a_registry_that_was_cut_off_is_listed_with_that_word(
    kit: Kit, desk: Desk, issue: Issue, by_hand: Callable[..., None]
) -> None:
    issued = issue(desk)
    kit("registry", "revoke", issued.number, "--because", "lost")
    by_hand(desk.registry, "DELETE FROM revocations")
    by_hand(desk.registry, "DELETE FROM entries WHERE id = 2")
    listed = kit("registry", "list", "--json")
    assert (listed.code, listed.data[0]["number"]) == (5, issued.number)
    assert "not to be believed" in listed.err


def test_labels_are_printed_for_what_is_valid_only(
    kit: Kit, desk: Desk, issue: Issue, failing_record: Record, tmp_path: Path
) -> None:
    issued = issue(replace(desk))
    done = kit(
        "label",
        issued.number.lower(),
        issued.number,
        "--stock",
        "a4-21",
        "--skip",
        "2",
        "-o",
        tmp_path / "l.pdf",
        "--json",
    )
    assert (done.code, done.data["labels"]) == (0, [issued.number] * 2)
    assert (tmp_path / "l.pdf").read_bytes().startswith(b"%PDF")
    report = issue(desk, "Striker 43", base=failing_record)
    assert kit("label", report.number, "-o", tmp_path / "r.pdf").code == 2
    kit("registry", "revoke", issued.number, "--because", "lost")
    assert kit("label", issued.number, "-o", tmp_path / "r.pdf").code == 5
    assert kit("label", "PCK-2026-000123-D", "-o", tmp_path / "r.pdf").code == 2
    assert not (tmp_path / "r.pdf").exists()


def test_a_shared_registry_is_named_by_the_environment(
    kit: Kit, empty_database: str, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("INSPECT_KIT_DB", empty_database)
    assert kit("registry", "audit").code == 0
    assert not (home / "registry.db").exists()
    monkeypatch.setenv("INSPECT_KIT_DB", "mysql://x/y")
    refused = kit("registry", "list")
    assert (refused.code, refused.out) == (2, "")


def test_a_list_fits_a_terminal_of_80_columns_and_owners_are_found_by_any_part_of_their_name(
    kit: Kit, desk: Desk, issue: Issue
) -> None:
    issue(desk)
    listed = kit("registry", "list")
    assert max(map(len, listed.out.splitlines())) <= 80
    owner = kit("registry", "list", "--json").data[0]["owner"]
    middle = owner[2:6].upper()
    assert len(kit("registry", "list", "--owner", middle, "--json").data) == 1
    assert kit("registry", "list", "--owner", "nobody at all", "--json").data == []


def test_a_certificate_is_verified_by_its_number_and_a_folder_file_by_file(kit: Kit, desk: Desk, issue: Issue) -> None:
    issued = issue(desk)
    by_number = kit("verify", issued.number, "--lang", "cs")
    assert by_number.code == 0
    assert "PRAVÉ" in by_number.out
    folder = issued.pdf.parent / "folder"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(issued.pdf.read_bytes())
    (folder / "b.pdf").write_bytes(issued.pdf.read_bytes()[:-7] + b"forged!")
    both = kit("verify", folder)
    assert both.code == 5
    assert [line.partition(":")[0] for line in both.out.splitlines()] == ["a.pdf", "b.pdf"]


def test_words_before_a_code_that_say_something_else_are_told(kit: Kit, desk: Desk, issue: Issue) -> None:
    issued = issue(desk)
    assert kit("verify", f"{issued.number}, CONFORMS, somebody {issued.qr}").code == 0
    told = kit("verify", f"XX-2026-000009-A, CONFORMS, somebody {issued.qr}")
    assert told.code == 5
    assert "words before the code" in told.out
