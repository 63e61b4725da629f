"""The Merkle tree of RFC 6962 (section 2.1): roots, inclusion and consistency proofs, made and checked.

A tree is read through `nodes`, which gives the hash of a complete subtree by its level and place: level 0 are the
leaves, and the node at (level, place) covers the leaves from place · 2^level on, 2^level of them.
"""

import hashlib
from collections.abc import Callable, Iterator

Nodes = Callable[[int, int], bytes]
"""The hash of a complete subtree, by level and place."""


def leaf_hash(content: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def completed_nodes(leaf: bytes, place: int, nodes: Nodes) -> Iterator[tuple[int, int, bytes]]:
    """The nodes that become complete with a leaf at `place`: (level, place, hash), the leaf first."""
    level, found = 0, leaf
    yield level, place, found
    while place & 1:
        found = node_hash(nodes(level, place - 1), found)
        level, place = level + 1, place >> 1
        yield level, place, found


def root(start: int, end: int, nodes: Nodes) -> bytes:
    """The hash over the leaves from `start` up to `end`: MTH(D[start:end])."""
    count = end - start
    if count == 0:
        return hashlib.sha256(b"").digest()
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return nodes(level, start >> level)
    middle = start + _split(count)
    return node_hash(root(start, middle, nodes), root(middle, end, nodes))


def _split(count: int) -> int:
    """The largest power of two below `count`."""
    return 1 << ((count - 1).bit_length() - 1)


def inclusion_proof(place: int, size: int, nodes: Nodes) -> list[bytes]:
    """PATH(place, D[size])."""
    if not 0 <= place < size:
        raise ValueError("no such leaf in a tree of that size")
    return _path(place, 0, size, nodes)


def _path(place: int, start: int, end: int, nodes: Nodes) -> list[bytes]:
    if end - start == 1:
        return []
    middle = start + _split(end - start)
    if place < middle:
        return [*_path(place, start, middle, nodes), root(middle, end, nodes)]
    return [*_path(place, middle, end, nodes), root(start, middle, nodes)]


def consistency_proof(old: int, size: int, nodes: Nodes) -> list[bytes]:
    """PROOF(old, D[size]): that the tree of `old` leaves is the beginning of that of `size`."""
    if not 0 <= old <= size:
        raise ValueError("a tree cannot be consistent with a smaller one")
    return [] if old in (0, size) else _subproof(old, 0, size, nodes, whole=True)


def _subproof(old: int, start: int, end: int, nodes: Nodes, *, whole: bool) -> list[bytes]:
    count = end - start
    if old == count:
        return [] if whole else [root(start, end, nodes)]
    middle = _split(count)
    if old <= middle:
        return [*_subproof(old, start, start + middle, nodes, whole=whole), root(start + middle, end, nodes)]
    rest = _subproof(old - middle, start + middle, end, nodes, whole=False)
    return [*rest, root(start, start + middle, nodes)]


def root_from_inclusion(leaf: bytes, place: int, size: int, proof: list[bytes]) -> bytes:
    """The root that a leaf and its proof lead to (RFC 9162, 2.1.3.2); what does not fit is a ValueError."""
    if not 0 <= place < size:
        raise ValueError("no such leaf in a tree of that size")
    number, last, found = place, size - 1, leaf
    for step in proof:
        if last == 0:
            raise ValueError("the proof is too long")
        if number & 1 or number == last:
            found = node_hash(step, found)
            while number and not number & 1:
                number, last = number >> 1, last >> 1
        else:
            found = node_hash(found, step)
        number, last = number >> 1, last >> 1
    if last:
        raise ValueError("the proof is too short")
    return found


def is_consistent(old: tuple[int, bytes], new: tuple[int, bytes], proof: list[bytes]) -> bool:
    """Whether the proof shows that the tree `old` (size, root) is the beginning of `new` (RFC 9162, 2.1.4.2)."""
    (first, old_root), (second, new_root) = old, new
    if first > second:
        return False
    if first == second:
        return not proof and old_root == new_root
    if first == 0:
        return not proof
    steps = [old_root, *proof] if first & (first - 1) == 0 else list(proof)
    if not steps:
        return False
    number, last = first - 1, second - 1
    while number & 1:
        number, last = number >> 1, last >> 1
    before = after = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if number & 1 or number == last:
            before, after = node_hash(step, before), node_hash(step, after)
            while number and not number & 1:
                number, last = number >> 1, last >> 1
        else:
            after = node_hash(after, step)
        number, last = number >> 1, last >> 1
    return last == 0 and before == old_root and after == new_root
