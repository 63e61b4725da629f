"""Evidence: files known by the SHA-256 of their content, in a folder, or in the database where desks share one."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from inspect_kit.atomic_write import sync_folder, written_beside
from inspect_kit.errors import BadInput, BrokenSeal
from inspect_kit.registry.tables import FILES

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class EvidenceFolder:
    """Files in folders named by the first two digits of their digest."""

    root: Path

    def put(self, connection: Connection, content: bytes) -> str:
        """Keep a content for good before the transaction ends; gives its SHA-256.

        Written beside, made to last, then renamed: there is never half a file under a digest.
        """
        del connection
        digest = hashlib.sha256(content).hexdigest()
        path = self.path(digest)
        if not (path.is_file() and path.stat().st_size == len(content)):
            try:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                written_beside(path, content).replace(path)
                sync_folder(path.parent)
            except OSError as problem:
                raise BadInput("evidence-cannot-kept", where=str(self.root), reason=problem.strerror) from None
        return digest

    def take(self, connection: Connection, digest: str) -> bytes:
        """The content, if it is still what it was: missing or changed is a broken seal."""
        del connection
        try:
            content = self.path(digest).read_bytes()
        except FileNotFoundError:
            raise BrokenSeal("is-missing", where=f"evidence {self.path(digest)}") from None
        except OSError as problem:
            raise BadInput("not-readable", where=str(self.path(digest)), reason=problem.strerror) from None
        return _unchanged(content, digest, str(self.path(digest)))

    def path(self, digest: str) -> Path:
        """Where a content lies."""
        return self.root / digest[:2] / digest

    def digests(self, connection: Connection) -> Iterator[str]:
        """All whole files."""
        del connection
        return (path.name for path in self.root.glob("??/*") if _DIGEST.fullmatch(path.name))

    def clear(self, connection: Connection, digests: Iterable[str]) -> int:
        """Remove contents that nobody names, and drafts that were left, for good; gives how many files went."""
        del connection
        left = [*map(self.path, digests), *self.root.glob("??/.*.part")]
        try:
            for path in left:
                path.unlink(missing_ok=True)
        except OSError as problem:
            raise BadInput("not-removed", where=str(self.root), reason=problem.strerror) from None
        return len(left)


@dataclass(frozen=True, slots=True)
class EvidenceTable:
    """Contents in the database itself, so that every desk has them."""

    def put(self, connection: Connection, content: bytes) -> str:
        """A row, which comes and goes with the transaction."""
        from sqlalchemy.dialects.postgresql import insert

        digest = hashlib.sha256(content).hexdigest()
        row = {"sha256": digest, "content": content}
        connection.execute(insert(FILES).values(row).on_conflict_do_nothing())
        return digest

    def take(self, connection: Connection, digest: str) -> bytes:
        """The content, if it is still what it was."""
        content = connection.scalar(select(FILES.c.content).where(FILES.c.sha256 == digest))
        if content is None:
            raise BrokenSeal("is-missing", where=f"evidence {digest}")
        return _unchanged(bytes(content), digest, digest)

    def digests(self, connection: Connection) -> Iterator[str]:
        """All contents."""
        return iter(connection.scalars(select(FILES.c.sha256)))

    def clear(self, connection: Connection, digests: Iterable[str]) -> int:
        """Nothing: rows come and go with their transaction, and history is only ever added to."""
        del connection, digests
        return 0


Shelf = EvidenceFolder | EvidenceTable
"""Where evidence is kept."""


def _unchanged(content: bytes, digest: str, where: str) -> bytes:
    if hashlib.sha256(content).hexdigest() != digest:
        raise BrokenSeal("changed-sha-256-another", where=f"evidence {where}")
    return content
