from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from inspect_kit.certificate.issue.keyring import bundle_of, parse_keyring
from inspect_kit.certificate.issue.keys import (  # fmt: skip
    Founding,
    add,
    chosen,
    folder_of,
    found,
    needs_passphrase,
    own_keyring,
    retire,
    unlock,
)
from inspect_kit.errors import BadInput, BrokenSeal, InspectKitError, UsageError

CLUB = Founding("Pražský carrom klub", "PCK", "Řehoř Áron")


def test_keys_are_files_that_only_their_owner_can_read(tmp_path: Path, now: datetime) -> None:
    found(tmp_path / "home", CLUB, b"secret", now)
    folder = folder_of(tmp_path / "home")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert len(list(folder.iterdir())) == 4


def test_keys_open_with_their_passphrase_only(tmp_path: Path, now: datetime) -> None:
    found(tmp_path, CLUB, b"secret", now)
    assert needs_passphrase(tmp_path)
    assert unlock(tmp_path, "", b"secret").signer.name == "Řehoř Áron"
    with pytest.raises(BadInput, match="does not open the key"):
        unlock(tmp_path, "", b"Secret")
    with pytest.raises(UsageError, match="needs its passphrase"):
        unlock(tmp_path, "", None)


def test_the_passphrase_guards_the_keys_on_disk(tmp_path: Path, now: datetime) -> None:
    from cryptography.hazmat.primitives.serialization import pkcs12

    found(tmp_path, CLUB, b"secret", now)
    for path in folder_of(tmp_path).glob("*.p12"):
        with pytest.raises(ValueError, match="password"):
            pkcs12.load_key_and_certificates(path.read_bytes(), b"")


def test_a_key_without_a_passphrase_opens_with_any(home: Path) -> None:
    assert not needs_passphrase(home)
    assert unlock(home, "", b"left over in the environment").signer.name == "Řehoř Áron"


def test_a_key_that_others_can_read_is_refused(home: Path) -> None:
    for path in folder_of(home).glob("*.p12"):
        path.chmod(0o640)
    with pytest.raises(BadInput, match="can be read by others"):
        unlock(home, "", None)


def test_keys_are_never_overwritten(home: Path, now: datetime) -> None:
    before = {path.name: path.read_bytes() for path in folder_of(home).iterdir()}
    with pytest.raises(UsageError, match="there are keys already"):
        found(home, CLUB, None, now)
    assert {path.name: path.read_bytes() for path in folder_of(home).iterdir()} == before


def test_without_keys_the_error_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="keys init --name"):
        unlock(tmp_path, "", None)


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "a\u202eb", "a\x00b"])
def test_a_name_that_hides_something_or_does_not_fit_is_refused(tmp_path: Path, now: datetime, name: str) -> None:
    with pytest.raises(InspectKitError):
        found(tmp_path, Founding(name, "PCK", "Jan"), None, now)
    with pytest.raises(InspectKitError):
        found(tmp_path, Founding("Club", "PCK", name), None, now)
    assert not folder_of(tmp_path).exists()
    assert list(tmp_path.iterdir()) == []


def test_a_second_inspector_has_keys_of_their_own(home: Path, now: datetime) -> None:
    signer = add(home, "Jan Novák", (None, b"other"), now)
    assert unlock(home, "Jan Novák", b"other").signer.id == signer.id
    assert unlock(home, signer.id, b"other").signer.name == "Jan Novák"
    assert unlock(home, "Řehoř Áron", None).signer.name == "Řehoř Áron"
    with pytest.raises(UsageError, match="several inspectors have keys here"):
        unlock(home, "", None)
    with pytest.raises(UsageError, match="has keys already"):
        add(home, "Jan Novák", (None, None), now)


def test_a_retired_inspector_signs_no_more(home: Path, now: datetime) -> None:
    add(home, "Jan Novák", (None, None), now)
    retire(home, "Jan Novák", None, now)
    with pytest.raises(UsageError, match="has no keys in use here"):
        unlock(home, "Jan Novák", None)
    keyring = own_keyring(home)
    assert [(each.name, each.retired is not None) for each in keyring.signers] == [
        ("Řehoř Áron", False),
        ("Jan Novák", True),
    ]
    assert len(list(folder_of(home).glob("*.p12"))) == 3
    assert chosen(keyring, "").name == "Řehoř Áron"


def test_an_inspector_can_have_new_keys_after_the_old_ones_were_retired(home: Path, now: datetime) -> None:
    first = chosen(own_keyring(home), "")
    retire(home, first.name, None, now, compromised=True)
    second = add(home, first.name, (None, None), now)
    assert second.id != first.id
    assert unlock(home, first.name, None).signer.id == second.id


def test_adding_needs_the_issuers_own_key(home: Path, now: datetime) -> None:
    (folder_of(home) / "ca.p12").unlink()
    with pytest.raises(UsageError, match="own key is not on this desk"):
        add(home, "Jan", (None, None), now)
    assert unlock(home, "", None).signer.name == "Řehoř Áron"


# The public side


def _public(home: Path) -> bytes:
    return (folder_of(home) / "issuer.pem").read_bytes()


def test_the_public_file_holds_nothing_secret(home: Path) -> None:
    assert b"PRIVATE" not in _public(home)
    assert parse_keyring(_public(home), "x").fingerprint == own_keyring(home).fingerprint


def test_a_public_file_with_a_foreign_inspector_in_it_is_refused(home: Path, tmp_path: Path, now: datetime) -> None:
    found(tmp_path / "impostor", CLUB, None, now)
    mine, theirs = own_keyring(home), own_keyring(tmp_path / "impostor")
    pair = (theirs.signers[0].certificate, theirs.signers[0].qr_certificate)
    smuggled = _public(home) + b"".join(each.public_bytes(Encoding.PEM) for each in pair)
    with pytest.raises(BrokenSeal, match="has not signed"):
        parse_keyring(smuggled, "x")
    assert mine.fingerprint != theirs.fingerprint


def test_a_list_of_retired_keys_from_somebody_else_is_refused(home: Path, tmp_path: Path, now: datetime) -> None:
    found(tmp_path / "impostor", CLUB, None, now)
    lists = [
        content[content.index(b"-----BEGIN X509 CRL") :] for content in (_public(home), _public(tmp_path / "impostor"))
    ]
    with pytest.raises(BrokenSeal, match="list of retired keys"):
        parse_keyring(_public(home).replace(*lists), "x")


@pytest.mark.parametrize(
    "content", [b"", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", os.urandom(3000)]
)
def test_what_is_no_public_file_is_refused_in_a_sentence(content: bytes) -> None:
    with pytest.raises(BadInput, match="holds no issuer's public keys") as refused:
        parse_keyring(content, "x")
    assert refused.value.told.facts == (), "what a library says in English is not passed on"


def test_text_between_the_certificates_is_not_kept(home: Path) -> None:
    assert bundle_of(b"hello\n" + _public(home) + b"bye") == _public(home)


def test_the_certificates_are_ordinary_ones(
    home: Path, tool: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    ca, *_ = _public(home).split(b"-----END CERTIFICATE-----\n")
    (tmp_path / "ca.pem").write_bytes(ca + b"-----END CERTIFICATE-----\n")
    done = tool("openssl", "verify", "-CAfile", tmp_path / "ca.pem", tmp_path / "ca.pem")
    assert done.returncode == 0, done.stderr


def test_an_older_list_never_replaces_a_newer_one_and_a_retired_key_stays_retired(tmp_path: Path) -> None:
    from datetime import UTC, datetime, timedelta

    from inspect_kit.certificate.issue.keyring import older_than
    from inspect_kit.certificate.issue.keys import Founding, add, found, own_keyring, retire

    start = datetime(2026, 11, 16, tzinfo=UTC)
    before = found(tmp_path, Founding("Club", "CLB", "Anna"), None, start)
    add(tmp_path, "Jan", (None, None), start)
    retire(tmp_path, "Anna", None, start + timedelta(seconds=1))
    after = own_keyring(tmp_path)
    assert after.edition[0] == before.edition[0] + 2
    assert getattr(older_than(before, after), "code", "") == "keys-older-than-known"
    assert older_than(after, before) is older_than(after, after) is None
    unlisted = replace(before, edition=after.edition)
    assert getattr(older_than(unlisted, after), "code", "") == "keys-without-retirement"
