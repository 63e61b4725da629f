"""The registry as a transparency log: proofs by RFC 6962, notes by C2SP, and what an insider can no longer do."""

from __future__ import annotations

import hashlib
import shutil
from base64 import b64decode
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.certificate.issue.keys import own_keyring, retire
from inspect_kit.certificate.issue.seals import TimeAuthorities
from inspect_kit.certificate.issue.verify import TrustContext, Verification, verify_pdf, verify_qr
from inspect_kit.errors import BadInput, BrokenSeal, UsageError
from inspect_kit.registry.chain import entry_of
from inspect_kit.registry.log.cosigner import Cosigner, open_cosigner
from inspect_kit.registry.log.merkle import (
    completed_nodes,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    leaf_hash,
    root,
    root_from_inclusion,
)
from inspect_kit.registry.log.notes import Checkpoint, checkpoint_of, proof_of, request_of, verifier_of
from inspect_kit.registry.log.tree import checkpoint, keep_checkpoint, log_size, proof_in, request_since
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.search import known
from tests.registry.conftest import NOW

Issue = Callable[..., Issued]
ByHand = Callable[..., None]
LEAVES = [b"", b"\x00", b"\x10", b" !", b"01", b"@ABC", b"PQRSTUVW", b"`abcdefghijklmno"]
"""The leaves of the reference tree that implementations of RFC 6962 share (google/certificate-transparency)."""


def _tree(leaves: list[bytes]) -> Callable[[int, int], bytes]:
    stored: dict[tuple[int, int], bytes] = {}

    def nodes(level: int, place: int) -> bytes:
        return stored[level, place]

    for place, leaf in enumerate(leaves):
        for level, at, found in completed_nodes(leaf_hash(leaf), place, nodes):
            stored[level, at] = found
    return nodes


def test_the_reference_tree_has_the_published_roots() -> None:
    nodes = _tree(LEAVES)
    published = {
        0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    }
    assert {size: root(0, size, nodes).hex() for size in published} == published


def test_every_leaf_is_proven_in_every_tree_and_every_tree_in_every_larger_one() -> None:
    leaves = [str(number).encode() for number in range(23)]
    nodes = _tree(leaves)
    for size in range(1, 24):
        whole = root(0, size, nodes)
        for place in range(size):
            proof = inclusion_proof(place, size, nodes)
            assert root_from_inclusion(leaf_hash(leaves[place]), place, size, proof) == whole
            assert root_from_inclusion(leaf_hash(b"another"), place, size, proof) != whole
        for old in range(size + 1):
            proof = consistency_proof(old, size, nodes)
            assert is_consistent((old, root(0, old, nodes)), (size, whole), proof)
            if 0 < old < size:
                assert not is_consistent((old, b"\0" * 32), (size, whole), proof)
                assert not is_consistent((old, root(0, old, nodes)), (size, b"\0" * 32), proof)


def test_a_note_of_another_tool_is_read_and_its_signature_checked() -> None:
    """The example of the Go package that made the format (golang.org/x/mod/sumdb/note)."""
    key = verifier_of("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    text = (
        "If you think cryptography is the answer to your problem,\n"
        "then you don't know what your problem is.\n"
    )  # fmt: skip
    signature = b64decode(
        "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
    )
    assert signature[:4] == key.id
    Ed25519PublicKey.from_public_bytes(key.key).verify(signature[4:], text.encode())


def test_notes_and_proofs_come_back_as_they_were_written() -> None:
    key = Ed25519PrivateKey.generate()
    note = Checkpoint("inspect-kit/PCK/0123", 5, b"r" * 32).signed(key).cosigned("a.example/w", key, 1_800_000_000)
    assert checkpoint_of(str(note)) == note
    for text in (
        "",
        "a\nb\n",
        str(note).replace("\n5\n", "\n05\n"),
        str(note).replace("\n5\n", "\n-5\n"),
        "x" * 70_000,
    ):
        with pytest.raises(BadInput):
            checkpoint_of(text)
    for broken in ("old 01\n\n", "old x\n\n", "", "c2sp.org/tlog-proof@v1\nindex 1\nAA==\n\n"):
        with pytest.raises(BadInput):
            request_of(broken)
        with pytest.raises(BadInput):
            proof_of(broken)


@pytest.fixture
def witness(tmp_path: Path) -> Cosigner:
    """On a machine of its own."""
    return open_cosigner(tmp_path / "witness", "sister.example/desk-2")


def _asked(desk: Desk, old: int = 0) -> str:
    with desk.registry.reading() as connection:
        signed = checkpoint(connection, desk.key.issuer.code).signed(desk.key.qr_key)
        return str(request_since(connection, signed, old))


def _witnessed(desk: Desk, witness: Cosigner, old: int = 0, later: int = 0) -> Checkpoint:
    note = witness.cosign(request_of(_asked(desk, old)), NOW + timedelta(seconds=later))
    with desk.registry.writing() as connection:
        keep_checkpoint(connection, note)
    return note


def _looked_at(desk: Desk, qr: str, witness: Cosigner | None = None, **more: object) -> Verification:
    counter = TrustContext((own_keyring(desk.home),), "PCK", desk.registry, date(2026, 11, 16))
    witnesses = (witness.verifier,) if witness else ()
    return verify_qr(qr, replace(counter, believed=TimeAuthorities(witnesses), **more))  # type: ignore[arg-type]


def _said(seen: Verification, name: str) -> str:
    return next((check.said() for check in seen.checks if check.name == name), "")


def test_verify_says_who_has_seen_a_certificate_in_the_log(
    quick_desk: Desk, issue: Issue, witness: Cosigner, tmp_path: Path
) -> None:
    first = issue(quick_desk, "Striker 1")
    assert "no witness has seen" in _said(_looked_at(quick_desk, first.qr, witness), "log")
    _witnessed(quick_desk, witness)
    second = issue(quick_desk, "Striker 2")
    _witnessed(quick_desk, open_cosigner(tmp_path / "other", "b.example/w"), later=60)
    seen = _looked_at(quick_desk, first.qr, witness)
    assert seen.holds
    assert _said(seen, "log") == "in the log, seen by 1 witness up to 2026-11-16 09:30 UTC"
    assert "no witness has seen" in _said(_looked_at(quick_desk, second.qr, witness), "log")


def test_a_proof_tells_it_to_somebody_without_the_registry(blank: Desk, issue: Issue, witness: Cosigner) -> None:
    issued = issue(blank, "Striker 1")
    note = _witnessed(blank, witness)
    with blank.registry.reading() as connection:
        entry = entry_of(connection, known(connection, issued.number).entry)
        assert entry is not None
        proof = proof_of(str(proof_in(connection, entry, note)))
    counter = TrustContext(
        (own_keyring(blank.home),), "", None, date(2026, 11, 16), TimeAuthorities((witness.verifier,)), proof
    )
    seen = verify_pdf(issued.pdf.read_bytes(), counter)
    assert _said(seen, "proof") == "proven to be in the log, seen by 1 witness up to 2026-11-16 09:30 UTC"
    other = issue(blank, "Striker 2")
    assert _said(verify_pdf(other.pdf.read_bytes(), counter), "proof") == "the proof is of another certificate"
    for broken in (
        replace(proof, index=1),
        replace(proof, extra=proof.extra + b" "),
        replace(proof, proof=(b"x" * 32,)),
    ):
        spoiled = verify_pdf(issued.pdf.read_bytes(), replace(counter, proof=broken))
        assert "the proof does not" in _said(spoiled, "proof")


def _rewritten(desk: Desk, issue: Issue, tmp_path: Path) -> Desk:
    """An insider with database, keys and the desk's files, the memory too, makes the history anew without a step."""
    fresh = tmp_path / "rewritten"
    shutil.copytree(desk.home, fresh, ignore=shutil.ignore_patterns("registry.db*", "evidence"))
    desk_again = replace(desk, home=fresh, registry=open_registry(fresh, remembered=False))
    for subject in ("Striker 1", "Striker 9", "Striker 3"):
        issue(desk_again, subject)
    return desk_again


def test_with_one_witness_an_insider_who_holds_everything_is_caught(
    blank: Desk, issue: Issue, witness: Cosigner, tmp_path: Path, audited: Callable[..., object]
) -> None:
    issue(blank, "Striker 1")
    lost = issue(blank, "Striker 2")
    note = _witnessed(blank, witness)
    rewritten = _rewritten(blank, issue, tmp_path)
    assert audited(rewritten).faults == ()  # type: ignore[attr-defined]
    # The registry itself is flawless; its witness refuses, and the proofs that are out there contradict it.
    asked = request_of(_asked(rewritten, note.size))
    with pytest.raises(BrokenSeal, match="is not the log of that issuer that this witness knows"):
        witness.cosign(request_of(_asked(rewritten)), NOW)
    # Nor under the name of the log that the witness knows.
    posing = replace(asked, checkpoint=replace(asked.checkpoint, origin=note.origin))
    with pytest.raises(BrokenSeal, match="it was rewritten"):
        witness.cosign(posing, NOW)
    with rewritten.registry.writing() as connection:
        keep_checkpoint(connection, note)
    assert not _looked_at(rewritten, lost.qr, witness).holds


def test_a_witness_refuses_a_log_that_was_changed_behind_it(
    quick_desk: Desk, issue: Issue, witness: Cosigner, by_hand: ByHand
) -> None:
    for subject in ("Striker 1", "Striker 2"):
        issue(quick_desk, subject)
    _witnessed(quick_desk, witness)
    issue(quick_desk, "Striker 3")
    good = request_of(_asked(quick_desk, 2))
    with pytest.raises(BrokenSeal, match="rewritten"):
        witness.cosign(replace(good, checkpoint=replace(good.checkpoint, root=b"x" * 32)), NOW)
    with pytest.raises(UsageError, match="has seen 2 entries"):
        witness.cosign(replace(good, old=0), NOW)
    assert witness.cosign(good, NOW).size == 3
    with pytest.raises((BrokenSeal, UsageError)):
        witness.cosign(replace(good, old=3, checkpoint=replace(good.checkpoint, size=2)), NOW)


def test_a_witness_that_has_lost_its_memory_signs_nothing(quick_desk: Desk, issue: Issue, witness: Cosigner) -> None:
    issue(quick_desk, "Striker 1")
    _witnessed(quick_desk, witness)
    next(witness.folder.glob("*.json")).write_text("{}")
    with pytest.raises(BrokenSeal, match="cannot be read"):
        witness.cosign(request_of(_asked(quick_desk)), NOW)


def test_changed_nodes_and_checkpoints_of_another_log_are_found_by_the_audit(
    quick_desk: Desk, issue: Issue, witness: Cosigner, by_hand: ByHand, audited: Callable[..., object]
) -> None:
    for subject in ("Striker 1", "Striker 2"):
        issue(quick_desk, subject)
    note = _witnessed(quick_desk, witness)
    assert audited(quick_desk).faults == ()  # type: ignore[attr-defined]
    with quick_desk.registry.writing() as connection:
        keep_checkpoint(connection, replace(note, root=b"x" * 32))
    by_hand(quick_desk.registry, f"UPDATE log_nodes SET hash = '{'0' * 64}' WHERE level = 0 AND place = 1")
    told = [fault.where for fault in audited(quick_desk).faults]  # type: ignore[attr-defined]
    assert told == ["the log's tree, node 0/1", "the checkpoint of 2 entries"]


def test_after_a_key_was_stolen_only_what_was_witnessed_before_is_believed(
    blank: Desk, issue: Issue, witness: Cosigner
) -> None:
    before, after = issue(blank, "Striker 1"), None
    _witnessed(blank, witness)
    after = issue(blank, "Striker 2")
    retire(blank.home, "", None, NOW + timedelta(hours=1), compromised=True)
    assert _looked_at(blank, before.qr, witness).holds
    assert not _looked_at(blank, after.qr, witness).holds
    assert "no witness or timestamp proves" in _said(_looked_at(blank, after.qr, witness), "signer")
    assert not _looked_at(blank, before.qr).holds


def test_the_tree_of_an_old_registry_is_the_one_that_a_new_one_would_have(desk: Desk, issue: Issue) -> None:
    for subject in ("Striker 1", "Striker 2", "Striker 3"):
        issue(desk, subject)
    with desk.registry.reading() as connection:
        leaves = [entry_of(connection, number) for number in range(1, log_size(connection) + 1)]
        tops = [checkpoint(connection, "PCK").root]
    nodes = _tree([leaf.leaf() for leaf in leaves if leaf])
    assert tops == [root(0, 3, nodes)]
    assert all(earlier != later for earlier, later in pairwise(leaves))
    assert hashlib.sha256(b"\x00" + leaves[0].leaf()).digest() == nodes(0, 0)  # type: ignore[union-attr]


def test_one_witness_alone_forges_nothing(blank: Desk, issue: Issue, witness: Cosigner) -> None:
    """It may sign a log that it made up: without the issuer's signature nobody counts it."""
    issued = issue(blank, "Striker 1")
    made_up = Checkpoint("inspect-kit/PCK/0123456789abcdef", 9, b"x" * 32)
    signed = made_up.signed(witness.key).cosigned(witness.name, witness.key, 1_800_000_000)
    with blank.registry.writing() as connection:
        keep_checkpoint(connection, signed)
    seen = _looked_at(blank, issued.qr, witness)
    assert _said(seen, "log") == "in the log, which no witness has seen with it yet"
    with blank.registry.reading() as connection:
        entry = entry_of(connection, 1)
        assert entry is not None
        proof = replace(proof_in(connection, entry, checkpoint(connection, "PCK")), checkpoint=signed)
    nowhere = TrustContext(
        (own_keyring(blank.home),), "", None, date(2026, 11, 16), TimeAuthorities((witness.verifier,)), proof
    )
    assert "not signed by the log of an issuer" in _said(verify_pdf(issued.pdf.read_bytes(), nowhere), "proof")


def test_without_a_witness_a_rewritten_history_shows_only_where_the_old_one_is_remembered(
    blank: Desk, issue: Issue, tmp_path: Path
) -> None:
    """What is not promised: a computer that has seen nothing of it cannot know."""
    issue(blank, "Striker 1")
    blank.registry.engine.dispose()
    for path in blank.home.glob("registry.db*"):
        path.unlink()
    forger = replace(blank, registry=open_registry(blank.home, remembered=False))
    forged = issue(forger, "Another striker 1", out=tmp_path / "forged.pdf")
    assert _looked_at(forger, forged.qr).holds
    remembering = replace(blank, registry=open_registry(blank.home))
    assert "another registry" in _said(_looked_at(remembering, forged.qr), "log")


def test_a_proof_of_another_certificate_proves_nothing_of_a_code(blank: Desk, issue: Issue, witness: Cosigner) -> None:
    """A thief of the key cannot lend a forged code the proof of an honest one."""
    honest = issue(blank, "Striker 1")
    note = _witnessed(blank, witness)
    with blank.registry.reading() as connection:
        entry = entry_of(connection, 1)
        assert entry is not None
        proof = proof_in(connection, entry, note)
    forged = issue(blank, "Striker 2")
    retire(blank.home, "", None, NOW + timedelta(hours=1), compromised=True)
    nowhere = TrustContext(
        (own_keyring(blank.home),), "", None, date(2026, 11, 16), TimeAuthorities((witness.verifier,)), proof
    )
    assert verify_qr(honest.qr, nowhere).holds
    assert "no witness or timestamp proves" in _said(verify_qr(forged.qr, nowhere), "signer")


def test_verify_says_only_once_that_it_is_in_the_log(blank: Desk, issue: Issue, witness: Cosigner) -> None:
    issued = issue(blank, "Striker 1")
    note = _witnessed(blank, witness)
    with blank.registry.reading() as connection:
        entry = entry_of(connection, 1)
        assert entry is not None
        proof = proof_in(connection, entry, note)
    seen = _looked_at(blank, issued.qr, witness, proof=proof)
    assert [check.said() for check in seen.checks if "in the log" in check.said()] == [_said(seen, "log")]
    assert _said(seen, "proof") == "its proof holds"


def test_checkpoints_travel_by_qr_code_there_and_back(
    blank: Desk, issue: Issue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Written as a picture here, read by the witness from it, and its answer as a picture back."""
    from inspect_kit.cli.app import app, run

    for subject in ("Striker 1", "Striker 2", "Striker 3"):
        number = issue(blank, subject).number
    other, issuer = tmp_path / "witness-home", tmp_path / "pck.pem"

    def kit(home: Path, *arguments: object) -> str:
        monkeypatch.setenv("INSPECT_KIT_HOME", str(home))
        capsys.readouterr()
        assert run(app, [str(argument) for argument in arguments]) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    kit(blank.home, "keys", "export", "-o", issuer)
    kit(other, "keys", "trust", issuer, "--yes")
    key = kit(other, "registry", "witness", "--name", "sister.example").strip()
    kit(blank.home, "keys", "witness", key)
    kit(blank.home, "registry", "checkpoint", "-o", tmp_path / "asked.png")
    kit(other, "registry", "witness", tmp_path / "asked.png", "-o", tmp_path / "signed.png")
    assert "sister.example: 3 entries" in kit(blank.home, "registry", "witnessed", tmp_path / "signed.png")
    assert "seen by 1 witness" in kit(blank.home, "verify", number)
    kit(blank.home, "registry", "proof", number, "-o", tmp_path / "proof.png")
