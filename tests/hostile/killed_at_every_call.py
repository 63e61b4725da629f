"""Run by a test and a benchmark: one act is begun again and again, and killed at one system call after another.

A child is forked for each kill from this process, which has everything loaded, and stepped through its system calls
by ptrace: it is killed where it enters one. Afterwards the registry must be as if nothing had happened, or all of it.
The benchmark kills at every call (`python -m benchmarks kills`), the tests at every so manieth.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from msgspec import structs

from inspect_kit.certificate.issue import issue as issuing
from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate, load_slow_parts
from inspect_kit.certificate.issue.issue_journal import recover
from inspect_kit.certificate.issue.keys import own_keyring, unlock
from inspect_kit.certificate.issue.seals import desk_key, own_desk, seals_in, vouch
from inspect_kit.inspection.record import open_record
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.backup import back_up, restore
from inspect_kit.registry.checkin.entries import Decided, Recorded
from inspect_kit.registry.checkin.store import EvidenceFile, decide, inspection, record, ticket_from
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.search import RegistryQuery, listing
from tests.registry.conftest import NOW, _blank, unsigned

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_TRACE_ME, _NEXT_CALL, _OPTIONS = 0, 24, 0x4200
_MARKED, _DIES_WITH_US = 0x1, 0x100000
"""PTRACE_O_TRACESYSGOOD and PTRACE_O_EXITKILL of Linux."""
_FORMAT_3 = Path(__file__).resolve().parents[1] / "registry" / "formats" / "registry-3.zip"
_MOST = 20_000
Act = Callable[[int], None]


def _killed(act: Act, attempt: int, call: int) -> bool:
    """Whether the act was killed where it entered that system call, and not finished before it."""
    child = os.fork()
    if child == 0:
        _LIBC.ptrace(_TRACE_ME, 0, None, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        try:
            act(attempt)
        except BaseException:
            os._exit(3)
        os._exit(0)
    os.waitpid(child, 0)
    _LIBC.ptrace(_OPTIONS, child, None, _MARKED | _DIES_WITH_US)
    status = _stepped(child, call)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the act was refused"
    return os.WIFSIGNALED(status)


def _stepped(child: int, call: int) -> int:
    """Let a child run from one system call to the next, and kill it at that one; gives how it ended."""
    stops, passed_on = 0, 0
    while True:
        _LIBC.ptrace(_NEXT_CALL, child, None, passed_on)
        _, status = os.waitpid(child, 0)
        if not os.WIFSTOPPED(status):
            return status
        at_a_call = os.WSTOPSIG(status) == signal.SIGTRAP | 0x80
        passed_on = 0 if at_a_call else os.WSTOPSIG(status)
        if at_a_call and stops == 2 * call:
            os.kill(child, signal.SIGKILL)
        stops += at_a_call


def _everywhere(act: Act, after: Callable[[int], None], every: int) -> int:
    """Kill at every so manieth call until the act gets through; `after` looks at what each kill has left."""
    for attempt, call in enumerate(range(0, _MOST, every)):
        killed = _killed(act, attempt, call)
        after(attempt)
        if not killed:
            return attempt
    raise AssertionError("the act never gets through")


def certify(home: Path, every: int) -> int:
    """Numbers without gap or double, every registered certificate with its PDF."""
    base = open_record((home / "record.json").read_bytes())
    load_slow_parts()
    issuing.sign = unsigned

    def act(attempt: int) -> None:
        desk = Desk(home, open_registry(home), unlock(home, "", None), NOW, draw=_blank)
        about = structs.replace(base.subject, text=f"Striker {attempt}")
        issue_certificate(desk, Request(structs.replace(base, subject=about), home.parent / f"{attempt}.pdf"))

    def an_hour_passes(_: int) -> None:
        # A lock that a kill left is cleared when it is old; young ones would make every act longer than the last.
        for lock in (home / "pending").glob("*.lock"):
            os.utime(lock, (0, 0))

    act(-1)  # Whatever is still to be imported is no part of the act.
    killed = _everywhere(act, an_hour_passes, every)
    registry = open_registry(home)
    recover(home, registry)
    with registry.reading() as connection:
        issued = {each.subject for each in listing(connection, RegistryQuery(), NOW.date())}
    files = {f"Striker {path.stem}" for path in home.parent.glob("*.pdf")}
    assert issued == files, issued ^ files
    _clean(home)
    return killed


def decision(home: Path, every: int) -> int:
    """A decision is there once or not at all, and its record with it."""
    registry, seal = open_registry(home), desk_key(home).seal
    vouch(registry, own_desk(home, unlock(home, "", None)), unlock(home, "", None), NOW)
    event, tickets = ticket_from(7), [ticket_from(number * 12_345_678_901) for number in range(1, 1600 // every)]
    for ticket in tickets:
        body = Recorded(ticket, event, "striker", f"Striker {ticket}", "Jan", "conforms", "0" * 64, "Tomáš")
        record(registry, body, [], NOW, seal)

    def act(attempt: int) -> None:
        ticket = tickets[attempt]
        content = f"record {ticket}".encode()
        body = Decided(ticket, event, "approve", "Renata")
        decide(open_registry(home), body, [EvidenceFile("record", content)], NOW + timedelta(seconds=1), 0, seal)

    killed = _everywhere(act, lambda _: None, every)
    with registry.reading() as connection:
        found = {inspection(connection, ticket).decision for ticket in tickets[: killed + 1]}  # type: ignore[union-attr]
    assert found <= {"", "approve"}
    _clean(home)
    return killed


def backup(home: Path, every: int) -> int:
    """There is no backup, or a whole one."""
    base = open_record((home / "record.json").read_bytes())
    desk = Desk(home, open_registry(home), unlock(home, "", None), NOW, draw=_blank)
    issue_certificate(desk, Request(base, home.parent / "1.pdf"))
    out = home.parent / "backup.zip"

    def after(_: int) -> None:
        if out.exists():
            with zipfile.ZipFile(out) as archive:
                assert archive.testzip() is None
            out.unlink()

    killed = _everywhere(lambda _: back_up(open_registry(home), out) and None, after, every)
    back_up(open_registry(home), out)
    assert restore(open_registry(home.parent / "again", remembered=False), out).entries == 1
    return killed


def migration(home: Path, every: int) -> int:
    """An old registry is brought up to date, or is as it was."""
    old = home.parent / "old"

    def fresh(_: int = 0) -> None:
        for path in old.glob("registry.db*"):
            path.unlink()
        with zipfile.ZipFile(_FORMAT_3) as archive:
            archive.extractall(old)

    def after(attempt: int) -> None:
        registry = open_registry(old, remembered=False)
        assert audit(registry, lambda _: lambda _: None, files=False).entries == 5
        registry.engine.dispose()
        fresh(attempt)

    fresh()
    return _everywhere(lambda _: open_registry(old, remembered=False) and None, after, every)


def _clean(home: Path) -> None:
    rings = (own_keyring(home),)
    found = audit(open_registry(home), lambda connection: seals_in(connection, rings).fault)
    assert found.faults == (), found.faults[:3]


if __name__ == "__main__":
    print(
        {"certify": certify, "decision": decision, "backup": backup, "migration": migration}[sys.argv[1]](
            Path(sys.argv[2]), int(sys.argv[3])
        )
    )
