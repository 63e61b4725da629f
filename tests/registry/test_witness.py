"""Chains that were cut, rolled back or replaced: the next command refuses instead of covering it up."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import text

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.certificate.issue.keys import own_keyring
from inspect_kit.certificate.issue.seals import own_desk, seal_fault, seal_of_signer, vouch
from inspect_kit.certificate.issue.verify import TrustContext, verify_qr
from inspect_kit.errors import BadInput, BrokenSeal, UsageError
from inspect_kit.registry.amendments import Acceptance, accept_older, revoke
from inspect_kit.registry.auditing import Audit
from inspect_kit.registry.backup import back_up, restore
from inspect_kit.registry.chain import append
from inspect_kit.registry.entries import AcceptedOlder
from inspect_kit.registry.last_seen import LastSeenEntry, Memory
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.tables import METADATA
from tests.registry.conftest import NOW

Issue = Callable[..., Issued]
ByHand = Callable[..., None]


def _revoked(desk: Desk, number: str) -> None:
    revoke(desk.registry, number, "the scale was wrong", "desk 1", NOW, seal_of_signer(desk.key, NOW))


def _cut(desk: Desk, by_hand: ByHand) -> None:
    """The last entry, a revocation, is taken out with all that follows from it."""
    by_hand(desk.registry, "DELETE FROM revocations")
    by_hand(desk.registry, "DELETE FROM entries WHERE id = 2")
    by_hand(desk.registry, "DELETE FROM log_nodes WHERE (level = 0 AND place = 1) OR level = 1")


def test_after_a_revocation_was_cut_off_nothing_is_issued(quick_desk: Desk, issue: Issue, by_hand: ByHand) -> None:
    _revoked(quick_desk, issue(quick_desk, "Striker 1").number)
    _cut(quick_desk, by_hand)
    with pytest.raises(BrokenSeal, match="1 entries are gone that this computer has seen"):
        issue(quick_desk, "Striker 2")


@pytest.mark.parametrize(
    ("language", "told", "way_out"),
    [
        ("en", "1 entries are gone", "if that is lost: inspect-kit registry accept-older"),
        ("de", "Einträge fehlen", "ist er verloren: inspect-kit registry accept-older"),
        ("cs", "chybějí položky", "pokud je ztracen: inspect-kit registry accept-older"),
        ("it", "mancano voci", "se è perso: inspect-kit registry accept-older"),
    ],
)
def test_what_is_lost_and_the_way_out_are_said_in_every_language(
    blank: Desk, issue: Issue, by_hand: ByHand, language: str, told: str, way_out: str
) -> None:
    _revoked(blank, issue(blank, "Striker 1").number)
    _cut(blank, by_hand)
    with pytest.raises(BrokenSeal) as refused:
        issue(blank, "Striker 2")
    assert told in refused.value.said(language)
    assert way_out in refused.value.said(language)


def test_verify_says_so_too_instead_of_that_it_holds(quick_desk: Desk, issue: Issue, by_hand: ByHand) -> None:
    first = issue(quick_desk, "Striker 1")
    _revoked(quick_desk, first.number)
    _cut(quick_desk, by_hand)
    counter = TrustContext((own_keyring(quick_desk.home),), "PCK", quick_desk.registry, date(2026, 11, 16))
    seen = verify_qr(first.qr, counter)
    assert not seen.holds
    assert any("entries are gone" in check.said() for check in seen.checks if check.holds is False)


def test_an_older_registry_gives_out_no_number_again(desk: Desk, issue: Issue, tmp_path: Path) -> None:
    issue(desk, "Striker 1")
    shutil.copy(desk.home / "registry.db", tmp_path / "older.db")
    issue(desk, "Striker 2")
    desk.registry.engine.dispose()
    for path in desk.home.glob("registry.db*"):
        path.unlink()
    shutil.copy(tmp_path / "older.db", desk.home / "registry.db")
    with pytest.raises(BrokenSeal, match="cut off, or an older copy"):
        issue(replace(desk, registry=open_registry(desk.home)), "Striker 3")


def test_it_is_the_same_registry_under_another_path(desk: Desk, issue: Issue, tmp_path: Path) -> None:
    issue(desk, "Striker 1")
    desk.registry.engine.dispose()
    shutil.copytree(desk.home, tmp_path / "moved")
    issue(desk, "Striker 2")
    with pytest.raises(BrokenSeal, match="older copy"):
        issue(replace(desk, registry=open_registry(tmp_path / "moved")), "Striker 3")
    (tmp_path / "link").symlink_to(desk.home)
    assert open_registry(tmp_path / "link").place == desk.registry.place


@pytest.mark.parametrize("begun", [False, True], ids=["empty", "another"])
def test_another_registry_in_its_place_is_refused(desk: Desk, issue: Issue, tmp_path: Path, begun: bool) -> None:
    issue(desk, "Striker 1")
    desk.registry.engine.dispose()
    for path in desk.home.glob("registry.db*"):
        path.unlink()
    if begun:
        shutil.copytree(desk.home, tmp_path / "other", ignore=shutil.ignore_patterns("registry*", "evidence"))
        issue(replace(desk, registry=open_registry(tmp_path / "other")), "Striker 9")
        shutil.copy(tmp_path / "other" / "registry.db", desk.home / "registry.db")
    with pytest.raises(BrokenSeal, match="another registry, or an empty one"):
        issue(replace(desk, registry=open_registry(desk.home)), "Striker 2")


def test_an_older_backup_is_not_restored_over_what_was_seen(desk: Desk, issue: Issue, tmp_path: Path) -> None:
    issue(desk, "Striker 1")
    back_up(desk.registry, tmp_path / "older.zip")
    issue(desk, "Striker 2")
    with pytest.raises(BrokenSeal, match="entries are gone"):
        restore(open_registry(tmp_path / "new"), tmp_path / "older.zip")
    back_up(desk.registry, tmp_path / "newest.zip")
    assert restore(open_registry(tmp_path / "new"), tmp_path / "newest.zip").entries == 2


def test_what_is_remembered_moves_only_forward_and_outlives_damage(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for entries in (5, 9, 7):
        memory.note("here", "i" * 64, LastSeenEntry(entries, f"{entries:064x}"))
    assert memory.recall("i" * 64) == LastSeenEntry(9, f"{9:064x}")
    with next(tmp_path.glob("*.seen")).open("ab") as stream:
        stream.write(b"12 ab")
    assert memory.recall("i" * 64) == LastSeenEntry(9, f"{9:064x}")


def test_it_is_kept_apart_from_the_database(desk: Desk, issue: Issue) -> None:
    issue(desk, "Striker 1")
    memory = desk.registry.memory
    assert memory is not None
    assert list(memory.folder.glob("*.seen"))
    assert not memory.folder.is_relative_to(desk.home)


def test_an_entry_is_never_dated_before_its_predecessor(quick_desk: Desk, issue: Issue) -> None:
    from datetime import timedelta

    from inspect_kit.registry.chain import last_entry

    issue(quick_desk, "Striker 1")
    issue(replace(quick_desk, now=NOW - timedelta(minutes=5)), "Striker 2")
    with quick_desk.registry.reading() as connection:
        last = last_entry(connection)
    assert last is not None
    assert last.at == "2026-11-16T09:30:00+00:00"


@pytest.mark.parametrize(("hours", "told"), [(-3, "this clock is slow"), (900 * 24, "this clock is fast")])
def test_a_clock_that_is_far_off_is_refused(
    quick_desk: Desk, issue: Issue, hours: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import timedelta

    issue(quick_desk, "Striker 1")
    far = replace(quick_desk, now=NOW + timedelta(hours=hours))
    with pytest.raises(BadInput, match=told):
        issue(far, "Striker 2")
    monkeypatch.setenv("INSPECT_KIT_CLOCK", "checked")
    assert issue(far, "Striker 2").number


def test_going_on_from_an_old_backup_is_said_in_the_chain_and_gives_no_number_twice(
    quick_desk: Desk, issue: Issue, audited: Callable[[Desk], Audit], tmp_path: Path
) -> None:
    issue(quick_desk, "Striker 1")
    back_up(quick_desk.registry, tmp_path / "old.zip")
    lost = [issue(quick_desk, f"Striker {number}").number for number in (2, 3)]
    _emptied(quick_desk)
    with pytest.raises(BrokenSeal, match="2 entries are gone"):
        restore(quick_desk.registry, tmp_path / "old.zip")
    restore(quick_desk.registry, tmp_path / "old.zip", older=True)
    with pytest.raises(BrokenSeal, match="2 entries are gone"):
        issue(quick_desk, "Striker 4")
    seal, word = seal_of_signer(quick_desk.key, NOW), Acceptance("PCK", "the disk broke", "Chief")
    assert accept_older(quick_desk.registry, word, NOW, seal) == 2
    after = issue(quick_desk, "Striker 4")
    assert after.number not in lost
    assert "000004" in after.number
    found = audited(quick_desk)
    assert found.faults == ()
    assert (found.entries, found.certificates) == (3, 2)
    with pytest.raises(UsageError, match="nothing is lost here"):
        accept_older(quick_desk.registry, word, NOW, seal)


def _emptied(desk: Desk) -> None:
    """The disk is new."""
    if desk.registry.engine.dialect.name == "postgresql":
        with desk.registry.engine.begin() as connection:
            connection.execute(text("SET session_replication_role = replica"))
            for table in reversed(METADATA.sorted_tables):
                connection.execute(text(f"DELETE FROM {table.name}"))
        return
    desk.registry.engine.dispose()
    for path in desk.home.glob("registry.db*"):
        path.unlink()
    open_registry(desk.home)


def test_an_accepted_loss_that_nobody_signed_is_a_fault(
    blank: Desk, issue: Issue, audited: Callable[[Desk], Audit]
) -> None:
    issue(blank, "Striker 1")
    with blank.registry.writing() as connection:
        append(connection, AcceptedOlder(9, "0" * 64, "trust me", "Nobody"), NOW)
    vouch(blank.registry, own_desk(blank.home, blank.key), blank.key, NOW)
    assert blank.registry.memory is not None
    with blank.registry.writing() as connection:
        append(connection, AcceptedOlder(9, "0" * 64, "trust me again", "Nobody"), NOW)
    assert any("entry 4" in str(fault) and "of nobody" in str(fault) for fault in audited(blank).faults)


def test_another_history_is_no_older_state(blank: Desk, issue: Issue, tmp_path: Path) -> None:
    issue(blank, "Striker 1")
    back_up(blank.registry, tmp_path / "old.zip")
    issue(blank, "Striker 2")
    _emptied(blank)
    other = replace(blank, registry=replace(open_registry(blank.home), memory=None))
    restore(other.registry, tmp_path / "old.zip")
    issue(other, "Another striker 2")
    issue(other, "Another striker 3")
    with pytest.raises(UsageError, match="no older state but another history"):
        accept_older(open_registry(blank.home), Acceptance("PCK", "x", "y"), NOW, seal_of_signer(blank.key, NOW))


def test_an_acceptance_that_nobody_signed_convinces_no_other_computer(
    blank: Desk, issue: Issue, tmp_path: Path
) -> None:
    """Somebody with the database writes the history anew and says himself that the old one was given up."""
    issue(blank, "Striker 1")
    back_up(blank.registry, tmp_path / "old.zip")
    issue(blank, "Striker 2")
    _emptied(blank)
    other = replace(blank, registry=replace(open_registry(blank.home), memory=None))
    restore(other.registry, tmp_path / "old.zip")
    with other.registry.writing() as connection:
        append(connection, AcceptedOlder(9, "0" * 64, "trust me", "Nobody"), NOW)
    issue(other, "Another striker 2")
    rings = (own_keyring(blank.home),)
    word = Acceptance("PCK", "x", "y", is_signed=lambda entry: not seal_fault(entry, rings))
    with pytest.raises(UsageError, match="another history"):
        accept_older(open_registry(blank.home), word, NOW, seal_of_signer(blank.key, NOW))


@pytest.fixture
def kit(
    blank: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Commands as a person types them; gives the exit code and all that was said."""
    from inspect_kit.cli.app import app, run

    def typed(*arguments: object) -> tuple[int, str]:
        monkeypatch.setenv("INSPECT_KIT_HOME", str(blank.home))
        monkeypatch.setenv("INSPECT_KIT_CLOCK", "checked")
        capsys.readouterr()
        code = run(app, [str(argument) for argument in arguments])
        told = capsys.readouterr()
        return code, told.out + told.err

    return typed


def _lost_disk(desk: Desk) -> None:
    desk.registry.engine.dispose()
    for path in desk.home.glob("registry.db*"):
        path.unlink()
    shutil.rmtree(desk.home / "evidence", ignore_errors=True)


def test_the_whole_way_from_a_broken_disk_to_the_next_certificate(
    blank: Desk, issue: Issue, kit: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    """As docs/registry.md tells it, each step by its command."""
    first = issue(blank, "Striker 1").number
    assert kit("registry", "backup", tmp_path / "old.zip")[0] == 0
    lost = issue(blank, "Striker 2")
    _lost_disk(blank)
    code, told = kit("registry", "restore", tmp_path / "old.zip")
    assert code == 5
    assert "inspect-kit registry accept-older" in told
    code, told = kit("registry", "accept-older", tmp_path / "old.zip", "--because", "disk broken; R. Novák")
    assert code == 0, told
    assert kit("registry", "audit")[0] == 0
    # What the lost entries gave out stays unknown, and its number is not given again.
    assert kit("verify", lost.qr)[0] == 5
    after = issue(replace(blank, registry=open_registry(blank.home)), "Striker 3").number
    assert (first, lost.number, after) == tuple(f"PCK-2026-00000{number}-{each[-1]}" for number, each in
                                                ((1, first), (2, lost.number), (3, after)))  # fmt: skip
    assert kit("registry", "revoke", first, "--because", "x")[0] == 0
    assert kit("registry", "accept-older", "--because", "again")[0] == 2
    assert kit("registry", "audit")[0] == 0


def test_on_a_new_computer_numbers_go_on_behind_the_newest_that_is_known(
    blank: Desk, issue: Issue, kit: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory was on the disk that broke: nothing here knows what was issued since the backup, but paper does."""
    issue(blank, "Striker 1")
    kit("registry", "backup", tmp_path / "old.zip")
    newest = [issue(blank, f"Striker {number}") for number in (2, 3, 4)][-1].number
    _lost_disk(blank)
    monkeypatch.setenv("INSPECT_KIT_WITNESS", str(tmp_path / "new memory"))
    accept = ("registry", "accept-older", tmp_path / "old.zip", "--because", "disk broken", "--after")
    code, told = kit(*accept, str(replace(number_of(newest), issuer="BCD")))
    assert code == 2
    assert "is no number of PCK" in told
    code, told = kit(*accept, newest)
    assert code == 0, told
    desk = replace(blank, registry=open_registry(blank.home))
    assert issue(desk, "Striker 5").number.startswith("PCK-2026-000005-")
    assert kit("registry", "audit")[0] == 0


@pytest.mark.parametrize(
    ("language", "nothing"),
    [("en", "nothing is lost"), ("de", "nichts verloren"), ("cs", "neztratilo se"), ("it", "non è perso nulla")],
)
def test_refusals_to_accept_an_older_state_are_in_the_language_of_the_terminal(
    blank: Desk, issue: Issue, kit: Callable[..., tuple[int, str]], language: str, nothing: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    issue(blank, "Striker 1")
    monkeypatch.setenv("INSPECT_KIT_LANG", language)
    code, told = kit("registry", "accept-older", "--because", "x")
    assert code == 2
    assert nothing in " ".join(told.split())
    assert "--after PCC-2026-000123-J" in told
