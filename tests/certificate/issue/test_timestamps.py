"""Time by the word of others: RFC 3161 timestamps of a real server, keys that end, clocks that are wrong."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.certificate.issue.keyring import read_authorities
from inspect_kit.certificate.issue.keys import Founding, found, own_keyring, retire, unlock
from inspect_kit.certificate.issue.seals import TimeAuthorities, counted
from inspect_kit.certificate.issue.time_server import TimeServer, stamped, stamped_pdf
from inspect_kit.certificate.issue.verify import TrustContext, Verification, verify_pdf, verify_qr
from inspect_kit.cli.app import app, run
from inspect_kit.errors import BadInput
from inspect_kit.registry.log.cosigner import open_cosigner
from inspect_kit.registry.log.notes import checkpoint_of
from inspect_kit.registry.log.tree import checkpoint, keep_checkpoint, request_since
from inspect_kit.registry.opening import open_registry
from tests.certificate.issue.time_servers import RunningTimeServer, running
from tests.registry.conftest import NOW

Issue = Callable[..., Issued]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningTimeServer]:
    with running(tmp_path_factory.mktemp("tsa")) as found_server:
        yield found_server


@pytest.fixture
def offline(desk: Desk, server: RunningTimeServer) -> TrustContext:
    """A referee's laptop: the issuer's keys and the server's CA, no registry."""
    rings = (own_keyring(desk.home),)
    return TrustContext(rings, "", None, date(2026, 11, 16), TimeAuthorities((), read_authorities(server.ca)))


def _said(seen: Verification, name: str) -> str:
    return next((check.said() for check in seen.checks if check.name == name), "")


def _stamped(desk: Desk, issued: Issued, server: RunningTimeServer) -> bytes:
    return stamped_pdf(issued.pdf.read_bytes(), TimeServer(server.url), own_keyring(desk.home))


def test_a_timestamp_is_added_behind_what_was_signed(
    desk: Desk, issue: Issue, offline: TrustContext, server: RunningTimeServer
) -> None:
    issued = issue(desk)
    pdf = _stamped(desk, issued, server)
    assert pdf.startswith(issued.pdf.read_bytes())
    seen = verify_pdf(pdf, offline)
    assert seen.holds
    assert _said(seen, "timestamp").startswith("timestamped by Test Time on 20")
    assert verify_pdf(pdf, replace(offline, registry=desk.registry, own="PCK")).holds
    again = stamped_pdf(pdf, TimeServer(server.url), own_keyring(desk.home))
    assert verify_pdf(again, offline).holds
    stranger = verify_pdf(pdf, replace(offline, believed=TimeAuthorities()))
    assert stranger.holds
    assert "not believed here" in _said(stranger, "timestamp")


def test_nothing_but_timestamps_may_be_added(
    blank: Desk, issue: Issue, offline: TrustContext, server: RunningTimeServer
) -> None:
    issued = issue(blank)
    honest = issued.pdf.read_bytes()
    pdf = _stamped(blank, issued, server)
    for forged in (pdf + b"\n", pdf[:-1], pdf + b"% more", pdf[: len(honest) + 300]):
        seen = verify_pdf(forged, offline)
        assert any(check.holds is False for check in seen.checks if check.name in ("signature", "unchanged"))


def test_a_changed_byte_in_what_was_added_is_noticed(
    blank: Desk, issue: Issue, offline: TrustContext, server: RunningTimeServer
) -> None:
    issued = issue(blank)
    pdf = _stamped(blank, issued, server)
    places = random.Random(16).sample(range(len(issued.pdf.read_bytes()), len(pdf)), 25)
    for place in places:
        forged = bytearray(pdf)
        forged[place] ^= 1
        seen = verify_pdf(bytes(forged), offline)
        assert any(c.holds is False for c in seen.checks if c.name in ("signature", "unchanged")), place


def test_after_a_theft_only_what_a_timestamp_proves_is_believed(
    blank: Desk, issue: Issue, offline: TrustContext, server: RunningTimeServer
) -> None:
    first, second = issue(blank, "Striker 1"), issue(blank, "Striker 2")
    pdf = _stamped(blank, first, server)
    retire(blank.home, "", None, datetime.now(UTC) + timedelta(hours=1), compromised=True)
    after = replace(offline, keyrings=(own_keyring(blank.home),))
    assert _said(verify_pdf(pdf, after), "signer").endswith(
        f"retired on {(datetime.now(UTC) + timedelta(hours=1)).date()}"
    )
    assert "no witness or timestamp proves" in _said(verify_pdf(second.pdf.read_bytes(), after), "signer")
    assert "no witness or timestamp proves" in _said(
        verify_pdf(pdf, replace(after, believed=TimeAuthorities())), "signer"
    )
    # A stamp that was made after the theft proves nothing.
    retired = retire_at(blank, NOW - timedelta(days=1))
    assert "compromised" in _said(verify_pdf(pdf, replace(after, keyrings=retired)), "signer")


def retire_at(desk: Desk, moment: datetime) -> tuple[object, ...]:
    """The issuer's keyring as it would be, had the key been stolen at another moment."""
    ring = own_keyring(desk.home)
    (signer,) = ring.signers
    assert signer.retired is not None
    return (replace(ring, signers=(replace(signer, retired=replace(signer.retired, since=moment)),)),)


def test_one_timestamp_over_the_log_covers_every_certificate(
    blank: Desk, issue: Issue, offline: TrustContext, server: RunningTimeServer, tmp_path: Path
) -> None:
    before = issue(blank, "Striker 1")
    with blank.registry.reading() as connection:
        note = checkpoint(connection, "PCK").signed(blank.key.qr_key)
    note = checkpoint_of(str(stamped(note, TimeServer(server.url))))
    with blank.registry.writing() as connection:
        keep_checkpoint(connection, note)
    after = issue(blank, "Striker 2")
    retire(blank.home, "", None, datetime.now(UTC) + timedelta(hours=1), compromised=True)
    desk = replace(offline, keyrings=(own_keyring(blank.home),), registry=blank.registry, own="PCK")
    seen = verify_qr(before.qr, desk)
    assert seen.holds
    assert "in the log, timestamped by Test Time on" in _said(seen, "log")
    assert not verify_qr(after.qr, desk).holds
    # Another tool agrees: OpenSSL checks the token over the checkpoint's text.
    (token,) = note.tokens()
    (tmp_path / "token").write_bytes(token)
    (tmp_path / "body").write_text(note.body)
    given = ("-in", tmp_path / "token", "-token_in", "-data", tmp_path / "body", "-CAfile", server.ca)
    told = subprocess.run(["openssl", "ts", "-verify", *map(str, given)], capture_output=True, text=True, check=False)
    assert "Verification: OK" in told.stdout + told.stderr


def test_a_token_over_another_log_counts_nothing(blank: Desk, issue: Issue, server: RunningTimeServer) -> None:
    issue(blank)
    with blank.registry.reading() as connection:
        note = checkpoint(connection, "PCK")
    believed = TimeAuthorities((), read_authorities(server.ca))
    good = stamped(note, TimeServer(server.url))
    assert counted((good,), believed).stamp is not None
    other = replace(note, size=note.size + 1).stamped("127.0.0.1", good.tokens()[0])
    assert counted((other,), believed).stamp is None
    assert counted((note.stamped("x", b"no token"),), believed).stamp is None


# As a user calls it


@pytest.fixture
def kit(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("INSPECT_KIT_HOME", str(home))

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        capsys.readouterr()
        code = run(app, [str(argument) for argument in arguments])
        return (code, *capsys.readouterr())

    return call


def _certify(
    kit: Callable[..., tuple[int, str, str]], repository: Path, out: Path, *more: object
) -> tuple[int, str, str]:
    table = repository / "reports" / "examples" / "striker-42.csv"
    gauges = repository / "reports" / "examples" / "instruments"
    sheet = ("--spec", "icf-2001-it", "--item", "striker", "--instruments", gauges, "--on", "2026-11-16")
    return kit("certify", table, *sheet, "--subject", "Striker 42", "-o", out, *more)


def test_certify_with_a_server_and_without(
    kit: Callable[..., tuple[int, str, str]], repository: Path, tmp_path: Path, server: RunningTimeServer, home: Path
) -> None:
    out = tmp_path / "striker.pdf"
    code, _, err = _certify(kit, repository, out, "--timestamp", "http://127.0.0.1:9/")
    assert code == 0
    assert "issued without a timestamp" in err
    assert kit("keys", "timestamps", server.ca)[0] == 0
    assert "timestamp" not in kit("verify", out)[1]
    code, said, _ = kit("registry", "timestamp", out, "--url", server.url)
    assert (code, "has stamped 1 entries" in said, "and 1 PDFs" in said) == (0, True, True)
    told = kit("verify", out)[1]
    assert "timestamped by Test Time" in told
    (home / "about.toml").write_text(f'timestamp = "{server.url}"\n')
    second = tmp_path / "second.pdf"
    assert _certify(kit, repository, second)[2] == ""
    assert "timestamped by Test Time" in kit("verify", second)[1]
    assert _certify(kit, repository, tmp_path / "third.pdf", "--timestamp", "file:///etc/passwd")[0] == 2
    assert not (tmp_path / "third.pdf").exists()


def test_a_file_that_is_no_certificate_of_ours_gets_no_timestamp(
    kit: Callable[..., tuple[int, str, str]], repository: Path, tmp_path: Path, server: RunningTimeServer
) -> None:
    out = tmp_path / "striker.pdf"
    _certify(kit, repository, out)
    out.write_bytes(out.read_bytes() + b"\n")
    code, _, err = kit("registry", "timestamp", out, "--url", server.url)
    assert code == 4
    assert "no whole certificate" in err


# Keys that end, clocks that are wrong


@pytest.fixture
def old_desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk whose keys were made for one year, two years ago."""
    monkeypatch.setattr("inspect_kit.certificate.issue.keys._YEARS", 1)
    home, then = tmp_path / "old", datetime.now(UTC) - timedelta(days=365 * 2)
    found(home, Founding("Old Club", "PLD", "Jan Novák"), None, then)
    return Desk(home, open_registry(home), unlock(home, "", None), then + timedelta(days=1))


def test_a_key_that_has_ended_is_named_with_its_day(old_desk: Desk, issue: Issue, record: object) -> None:
    from msgspec import structs

    early = structs.replace(record, inspected_on=old_desk.now.date().isoformat())  # type: ignore[type-var]
    issued = issue(old_desk, base=early)
    ring = own_keyring(old_desk.home)
    ends = ring.signers[0].certificate.not_valid_after_utc.date()
    nowhere = TrustContext((ring,), "", None, date.today())
    for seen in (verify_pdf(issued.pdf.read_bytes(), nowhere), verify_qr(issued.qr, nowhere)):
        assert _said(seen, "signer").startswith(
            f"Jan Novák's key ended on {ends}, and no registry, witness or timestamp"
        )
    here = replace(nowhere, registry=old_desk.registry, own="PLD")
    for seen in (verify_pdf(issued.pdf.read_bytes(), here), verify_qr(issued.qr, here)):
        assert _said(seen, "signer").endswith(f"before that key ended on {ends}")
    with pytest.raises(BadInput, match=f"key ended on {ends}"):
        issue(replace(old_desk, now=datetime.now(UTC)), "Striker 2")


def test_a_clock_before_the_keys_beginning_is_refused(blank: Desk, issue: Issue) -> None:
    with pytest.raises(BadInput, match="key begins on 2026-11-15: this clock is slow"):
        issue(replace(blank, now=NOW - timedelta(days=3)))


def test_a_clock_before_what_a_witness_saw_is_refused(blank: Desk, issue: Issue, tmp_path: Path) -> None:
    issue(blank)
    witness = open_cosigner(tmp_path / "witness", "sister.example")
    with blank.registry.reading() as connection:
        asked = request_since(connection, checkpoint(connection, "PCK").signed(blank.key.qr_key), 0)
    signed = witness.cosign(asked, NOW + timedelta(hours=2))
    with blank.registry.writing() as connection:
        keep_checkpoint(connection, signed)
    with pytest.raises(BadInput, match="a witness saw this log at 2026-11-16 11:30 UTC: this clock is slow"):
        issue(replace(blank, now=NOW + timedelta(hours=1)), "Striker 2")
    issue(replace(blank, now=NOW + timedelta(hours=3)), "Striker 2")
    with blank.registry.reading() as connection:
        more = request_since(connection, checkpoint(connection, "PCK").signed(blank.key.qr_key), signed.size)
    with pytest.raises(BadInput, match="this witness has signed at 2026-11-16 11:30 UTC already"):
        witness.cosign(more, NOW)


def test_an_entry_dated_before_its_predecessor_is_a_fault(
    blank: Desk, issue: Issue, audited: Callable[[Desk], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    issue(blank, "Striker 1")
    monkeypatch.setattr("inspect_kit.registry.chain._in_order", lambda at, *_: at)
    issue(replace(blank, now=NOW - timedelta(hours=5)), "Striker 2")
    faults = [str(fault) for fault in audited(blank).faults]  # type: ignore[attr-defined]
    assert any("entry 2" in fault and "before an entry that precedes it" in fault for fault in faults)
