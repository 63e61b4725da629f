"""The house keeps its own rules: rooms that can be overlooked, names that mean one thing, numbers with a word."""

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tests.source import PACKAGE, trees

TESTS = Path(__file__).parent
OF_ALL_ROOMS = {"hostile", "published", "scenes", "verapdf"}
MOST_MODULES = 20
MOST_SHARED = 0.05


def private_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("inspect_kit"):
            yield from (f"{node.module}.{each.name}" for each in node.names if _is_private(each.name))


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def test_no_module_takes_a_private_name_of_another() -> None:
    taken = {path: list(private_imports(tree)) for path, tree in trees().items()}
    assert {path: names for path, names in taken.items() if names} == {}


def test_no_room_has_more_modules_than_one_can_overlook() -> None:
    rooms = Counter(path.rpartition("/")[0] for path in trees() if not path.endswith("__init__.py"))
    assert {room: count for room, count in rooms.items() if count > MOST_MODULES} == {}


def rooms_in(place: Path) -> set[Path]:
    """Folders with modules of their own, by their path from the place."""
    modules = (
        path.relative_to(place) for path in place.rglob("*.py") if path.name not in {"__init__.py", "conftest.py"}
    )
    rooms = {room for path in modules for room in path.parents if room != Path()}
    return {room for room in rooms if room.parts[0] not in OF_ALL_ROOMS and "migrations" not in room.parts}


def test_the_tests_have_the_rooms_of_the_package() -> None:
    package, tests = rooms_in(PACKAGE), rooms_in(TESTS)
    assert (package - tests, tests - package) == (set(), set())


def test_no_folder_of_tests_has_more_modules_than_one_can_overlook() -> None:
    folders = Counter(path.parent for path in TESTS.rglob("test_*.py"))
    assert {str(folder): count for folder, count in folders.items() if count > MOST_MODULES} == {}


def test_hardly_a_public_class_shares_its_name_with_another() -> None:
    names = Counter(node.name for tree in trees().values() for node in tree.body
                    if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))  # fmt: skip
    shared = sum(count for count in names.values() if count > 1)
    assert shared <= MOST_SHARED * names.total()


def constants_without_a_word(tree: ast.Module) -> Iterator[str]:
    for node, after in pairwise([*tree.body, ast.Pass()]):
        names = [each.id for target in _targets(node) for each in ast.walk(target) if isinstance(each, ast.Name)]
        told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if names and _holds_a_number(node) and all(name.strip("_").isupper() for name in names) and not told:
            yield from names


def _targets(node: ast.stmt) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []


def _holds_a_number(node: ast.stmt) -> bool:
    value = getattr(node, "value", None)
    return value is not None and any(
        isinstance(each, ast.Constant) and isinstance(each.value, int | float) and not isinstance(each.value, bool)
        for each in ast.walk(value)
    )


def test_every_number_has_a_word_after_it() -> None:
    silent = {path: list(constants_without_a_word(tree)) for path, tree in trees().items()}
    assert {path: names for path, names in silent.items() if names} == {}
