from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from inspect_kit.certificate.content.model import Issue as PrintedIssue
from inspect_kit.certificate.issue.issue import AlreadyIssued, Desk, Issued, Request, issue_certificate
from inspect_kit.certificate.issue.issue_journal import recover
from inspect_kit.certificate.issue.keys import Founding, found, unlock
from inspect_kit.certificate.issue.qr import read
from inspect_kit.errors import BadInput, Notice, UsageError, sentences
from inspect_kit.inspection.record import Record
from inspect_kit.registry.auditing import Audit
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.search import CertificateStatus, backing, find

Issue = Callable[..., Issued]
TODAY = date(2026, 11, 16)


def _standing(desk: Desk, number: str) -> CertificateStatus:
    with desk.registry.reading() as connection:
        found_one = find(connection, number)
    assert found_one is not None
    return found_one


def test_numbers_follow_each_other_without_a_gap(quick_desk: Desk, issue: Issue) -> None:
    numbers = [issue(quick_desk, f"Striker {place}").number for place in range(3)]
    assert [number[:15] for number in numbers] == ["PCK-2026-000001", "PCK-2026-000002", "PCK-2026-000003"]


def test_reports_are_counted_apart_from_certificates(quick_desk: Desk, issue: Issue, failing_record: Record) -> None:
    issue(quick_desk, "Striker 1")
    report = issue(quick_desk, "Striker 43", base=failing_record)
    assert report.number.startswith("PCK-2026-R000001-")
    assert report.verdict == "fails"
    assert issue(quick_desk, "Striker 2").number.startswith("PCK-2026-000002-")


def test_a_new_year_begins_a_new_series(blank: Desk, issue: Issue) -> None:
    issue(blank, "Striker 1")
    later = replace(blank, now=blank.now + timedelta(days=60))
    assert issue(later, "Striker 2").number.startswith("PCK-2027-000001-")


def test_two_issuers_in_one_registry_have_their_own_series(quick_desk: Desk, issue: Issue, tmp_path: Path) -> None:
    other = tmp_path / "other"
    found(other, Founding("Brno Carrom", "BRC", "Jan"), None, quick_desk.now)
    second = replace(quick_desk, home=other, key=unlock(other, "", None))
    assert issue(quick_desk, "Striker 1").number.startswith("PCK-2026-000001")
    assert issue(second, "Striker 2").number.startswith("BRC-2026-000001")
    assert issue(quick_desk, "Striker 3").number.startswith("PCK-2026-000002")


def test_everything_that_was_issued_is_in_the_registry(quick_desk: Desk, issue: Issue, record: Record) -> None:
    issued = issue(quick_desk, photos={"front": b"a photo"}, inspector="Řehoř Áron")
    standing = _standing(quick_desk, issued.number)
    assert (standing.subject, standing.owner, standing.sheet) == ("Striker 42", "Renata Řeháčková", "icf-2001-it")
    assert (standing.record, standing.qr) == (issued.digest, issued.qr)
    with quick_desk.registry.reading() as connection:
        behind = backing(connection, standing)
        files = {file["role"]: quick_desk.registry.shelf.take(connection, file["sha256"]) for file in behind.evidence}
    assert files["pdf"] == issued.pdf.read_bytes()
    assert files["photo"] == b"a photo"
    assert len(files["record"]) > 1000
    assert {gauge["id"] for gauge in behind.instruments} == {gauge.id for gauge in record.instruments}


def test_a_re_inspection_replaces_the_earlier_certificate_and_says_so(desk: Desk, issue: Issue, tmp_path: Path) -> None:
    first = issue(desk, out=tmp_path / "first.pdf")
    second = issue(desk, out=tmp_path / "second.pdf")
    assert second.replaces == (first.number,)
    assert _standing(desk, first.number).state(TODAY) == "replaced"
    assert _standing(desk, first.number).replaced_by == second.number
    from inspect_kit.certificate.issue.verify import read_back

    _, pages = read_back(second.pdf.read_bytes())
    assert any(first.number in page for page in pages)


def test_a_failed_re_inspection_ends_the_earlier_certificate(
    quick_desk: Desk, issue: Issue, failing_record: Record
) -> None:
    good = issue(quick_desk, "Striker 43", owner="Jan Novák")
    bad = issue(quick_desk, "Striker 43", base=failing_record)
    assert bad.replaces == (good.number,)


def test_an_undecided_inspection_replaces_no_certificate(quick_desk: Desk, issue: Issue, record: Record) -> None:
    issue(quick_desk, "Striker 1")
    assert issue(quick_desk, "Striker 1", base=structs.replace(record, verdict="undecided")).replaces == ()


def test_another_owner_event_or_sheet_is_not_replaced(quick_desk: Desk, issue: Issue, record: Record) -> None:
    issue(quick_desk, "Striker 1", event="Prague Open")
    assert issue(quick_desk, "Striker 1", event="Brno Open").replaces == ()
    assert issue(quick_desk, "Striker 1", event="Prague Open", owner="Jan Novák").replaces == ()
    other_sheet = structs.replace(record, sheet=structs.replace(record.sheet, id="icf-cs"))
    assert issue(quick_desk, "Striker 1", event="Prague Open", base=other_sheet).replaces == ()


def test_a_replaced_striker_needs_a_new_approval(quick_desk: Desk, issue: Issue) -> None:
    """ICF 117: the old approval does not pass on to the new striker; the new one names what it replaces, and why."""
    old = issue(quick_desk, "Striker 42")
    new = issue(quick_desk, "Striker 50", replaces=(old.number,), because="broken in play (ICF 117)")
    assert new.replaces == (old.number,)
    standing = _standing(quick_desk, old.number)
    assert (standing.replaced_by, standing.replaced_because) == (new.number, "broken in play (ICF 117)")
    assert read(new.qr).claim.subject == "Striker 50"


def test_a_replacement_needs_a_reason_and_something_to_replace(quick_desk: Desk, issue: Issue) -> None:
    old = issue(quick_desk, "Striker 1")
    with pytest.raises(UsageError, match="say why"):
        issue(quick_desk, "Striker 2", replaces=(old.number,))
    issue(quick_desk, "Striker 2", replaces=(old.number,), because="broken")
    with pytest.raises(UsageError, match="already replaced by PCK-2026-000002"):
        issue(quick_desk, "Striker 3", replaces=(old.number,), because="broken")
    with pytest.raises(UsageError, match="not in this registry"):
        issue(quick_desk, "Striker 3", replaces=("PCK-2026-000123-D",), because="broken")


@pytest.mark.parametrize(
    ("valid", "event", "until", "only_for"),
    [
        ("", "", "", ""),
        ("", "Prague Open", "", "Prague Open"),
        ("event", "Prague Open", "", "Prague Open"),
        ("day", "Prague Open", "2026-11-16", ""),
        ("2027-06-30", "", "2027-06-30", ""),
    ],
)
def test_a_certificate_holds_for_an_event_a_day_or_until_a_date(
    blank: Desk, issue: Issue, valid: str, event: str, until: str, only_for: str
) -> None:
    issued = issue(blank, event=event, valid=valid)
    standing = _standing(blank, issued.number)
    claim = read(issued.qr).claim
    assert (standing.valid_until, standing.valid_for) == (until, only_for)
    assert (claim.valid_until, claim.event) == (until, only_for)


@pytest.mark.parametrize("valid", ["event", "tomorrow", "2026-11-15", "2026-02-30"])
def test_a_validity_that_makes_no_sense_takes_no_number(blank: Desk, issue: Issue, valid: str) -> None:
    with pytest.raises(UsageError):
        issue(blank, valid=valid)
    assert issue(blank).number.startswith("PCK-2026-000001-")


def test_pages_that_cannot_be_drawn_take_no_number(blank: Desk, issue: Issue, tmp_path: Path) -> None:
    def fails(*_: object, **__: object) -> bytes:
        raise BadInput("no font for it")

    with pytest.raises(BadInput, match="no font"):
        issue(replace(blank, draw=fails), out=tmp_path / "x.pdf")
    assert list(tmp_path.glob("*.pdf")) == []
    assert issue(blank).number.startswith("PCK-2026-000001-")


def test_while_a_certificate_is_drawn_other_desks_write(blank: Desk, issue: Issue, tmp_path: Path) -> None:
    drawn: list[str] = []

    def draws(*_: object, issue: PrintedIssue, **__: object) -> bytes:
        drawn.append(issue.number)
        if len(drawn) == 1:
            quicker.append(others(blank, "Striker 1", out=tmp_path / "quicker.pdf").number)
        return blank.draw(None, language="en", photos={}, issue=issue)  # type: ignore[arg-type]

    quicker: list[str] = []
    others = issue
    issued = issue(replace(blank, draw=draws), "Striker 2", out=tmp_path / "x.pdf")
    # Somebody was faster and has the number, so the pages were drawn again with the next one.
    assert [number[:15] for number in (*quicker, issued.number)] == ["PCK-2026-000001", "PCK-2026-000002"]
    assert [number[:15] for number in drawn] == ["PCK-2026-000001", "PCK-2026-000002"]
    assert issued.number == drawn[-1]


def test_a_record_that_may_be_issued_once_is_not_issued_twice(blank: Desk, issue: Issue, tmp_path: Path) -> None:
    issue(blank, once=True)
    with pytest.raises(AlreadyIssued):
        issue(blank, once=True, out=tmp_path / "again.pdf")
    assert not (tmp_path / "again.pdf").exists()
    assert issue(blank, "Striker 43", once=True).number.startswith("PCK-2026-000002-")


def test_an_output_that_is_a_folder_takes_no_number(blank: Desk, issue: Issue, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        issue(blank, out=tmp_path)
    with pytest.raises(BadInput, match="cannot be written"):
        issue(blank, out=tmp_path / "nowhere" / "x.pdf")
    assert issue(blank).number.startswith("PCK-2026-000001-")


def test_the_same_output_is_overwritten_whole(blank: Desk, issue: Issue, tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    out.write_bytes(b"something older")
    issue(blank, out=out)
    assert out.read_bytes().startswith(b"%PDF")
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


# What goes wrong on the disk


def _in_a_child(action: Callable[[], None]) -> str:
    """Run in a process of its own, as an ordinary user; gives the error's sentence."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            action()
            said = "nothing was raised"
        except BaseException as problem:
            said = f"{type(problem).__name__}: {problem}"
        os.write(writer, said.encode()[:4000])
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        return stream.read()


@pytest.mark.parametrize("room", [0, 300, 2_000, 8_000, 12_000])
def test_a_full_disk_leaves_no_number_and_no_half_file(
    blank: Desk, issue: Issue, audited: Callable[[Desk], Audit], tmp_path: Path, room: int
) -> None:
    """No file may grow beyond `room` bytes, which stops the work at another step each time."""
    issue(blank, "Striker 0", out=tmp_path / "before.pdf")

    def cramped() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        issue(blank, "Striker 1", out=tmp_path / "half.pdf")

    assert _in_a_child(cramped).startswith("BadInput")
    recover(blank.home, blank.registry)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["before.pdf"]
    assert audited(blank).faults == ()
    assert issue(blank, "Striker 2").number.startswith("PCK-2026-000002-")


def test_a_really_full_file_system_leaves_no_number_and_no_half_file(repository: Path, tmp_path: Path) -> None:
    """On a file system of 700 kB of its own, certificates are issued until nothing more fits."""
    script = repository / "tests" / "certificate" / "issue" / "full_disk.py"
    mounted = ["unshare", "--mount", "--map-root-user", sys.executable, str(script), str(tmp_path / "small")]
    (tmp_path / "small").mkdir()
    done = subprocess.run(mounted, capture_output=True, text=True, timeout=120, check=False, cwd=repository)
    assert done.returncode == 0, done.stdout + done.stderr
    issued, said = done.stdout.splitlines()
    assert int(issued) > 0
    assert said.startswith("BadInput")


@pytest.mark.parametrize("closed", ["out", "home"])
def test_a_folder_that_may_only_be_read_leaves_no_number(
    blank: Desk, issue: Issue, audited: Callable[[Desk], Audit], tmp_path: Path, closed: str
) -> None:
    issue(blank, "Striker 0", out=tmp_path / "before.pdf")
    out = tmp_path / "out"
    out.mkdir()
    locked = {"out": [out], "home": [blank.home, blank.home / "pending", blank.registry.shelf.root]}[closed]  # type: ignore[attr-defined]
    for folder in locked:
        folder.chmod(0o555)

    def unprivileged() -> None:
        if os.geteuid() == 0:
            _hand_over(tmp_path, 65534)
            os.setgid(65534)
            os.setuid(65534)
        issue(blank, "Striker 1", out=out / "x.pdf")

    said = _in_a_child(unprivileged)
    for folder in locked:
        folder.chmod(0o755)
    assert said.startswith("BadInput")
    assert "ermission" in said or "readonly" in said
    assert list(out.iterdir()) == []
    assert audited(blank).faults == ()
    assert issue(blank, "Striker 2").number.startswith("PCK-2026-000002-")


def _hand_over(folder: Path, user: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user)
    for parent in folder.parents:
        if parent.stat().st_uid == 0 and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)


def test_an_interrupted_certificate_gets_its_file_at_the_next_start(
    blank: Desk, issue: Issue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Cut off after the registry has it and before the file has its name."""

    def stops() -> None:
        monkeypatch.setattr("inspect_kit.certificate.issue.issue.complete_issue", lambda _: os._exit(9))
        issue(blank, "Striker 1", out=tmp_path / "one.pdf")

    _in_a_child(stops)
    assert not (tmp_path / "one.pdf").exists()
    (told,) = sentences(recover(blank.home, blank.registry))
    assert "is finished now" in told
    standing = _standing(blank, "PCK-2026-000001-" + told[16])
    with blank.registry.reading() as connection:
        assert (tmp_path / "one.pdf").read_bytes() == blank.registry.shelf.take(connection, standing.pdf)
    assert recover(blank.home, blank.registry) == ()
    assert not list(tmp_path.glob(".*.part"))


def test_recovery_never_overwrites_what_took_the_name_since(
    blank: Desk, issue: Issue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stops() -> None:
        monkeypatch.setattr("inspect_kit.certificate.issue.issue.complete_issue", lambda _: os._exit(9))
        issue(blank, "Striker 1", out=tmp_path / "one.pdf")

    _in_a_child(stops)
    (tmp_path / "one.pdf").write_bytes(b"newer")
    (told,) = sentences(recover(blank.home, blank.registry))
    assert "another file by now" in told
    assert (tmp_path / "one.pdf").read_bytes() == b"newer"


def test_recovery_leaves_a_desk_alone_that_is_just_issuing(blank: Desk, record: Record, tmp_path: Path) -> None:
    seen: list[tuple[Notice, ...]] = []
    from inspect_kit.certificate.issue import issue as issuing

    write_part = issuing.write_part

    def looked_at(note: object, content: bytes) -> None:
        write_part(note, content)  # type: ignore[arg-type]
        seen.append(recover(blank.home, open_registry(blank.home)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(issuing, "write_part", looked_at)
        issued = issue_certificate(blank, Request(record, tmp_path / "x.pdf"))
    assert seen == [()]
    assert issued.pdf.is_file()
