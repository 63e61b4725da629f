"""What a release is made of: every version by its hash, licences that may be passed on, a wheel without chance."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ALLOWED = re.compile(
    r"MIT|BSD|Apache|ISC|MPL|Mozilla|PSF|Python Software Foundation|LGPL|Lesser General Public|HPND|Unlicense|CC0|Zlib"
)
"""Licences under which a program of MIT licence may be passed on together with the library."""


@pytest.fixture(scope="module")
def lock(repository: Path) -> str:
    return (repository / "requirements.lock").read_text()


def test_the_lock_names_packages_and_no_address(lock: str) -> None:
    assert "://" not in lock
    assert not re.search(r"^(-|/|file:)", lock, re.MULTILINE)


def _locked(lock: str) -> dict[str, list[tuple[str, int]]]:
    """Versions of each package, and how many hashes each has."""
    found: dict[str, list[tuple[str, int]]] = {}
    for entry in re.split(r"\n(?=[a-z0-9])", lock):
        name, version = re.match(r"([\w.-]+)(?:\[[^]]*\])?==([^ ;\\]+)", entry).groups()
        found.setdefault(canonicalize_name(name), []).append(
            (version, len(re.findall("--hash=sha256:[0-9a-f]{64}", entry)))
        )
    return found


def test_every_locked_file_has_its_hash(lock: str) -> None:
    locked = _locked(lock)
    assert len(locked) > 40
    assert all(hashes for versions in locked.values() for _, hashes in versions)


BEHIND_OTHERS = {"python-multipart"}
"""Dependencies that no module imports: starlette reads forms with it."""


def test_every_dependency_is_imported_by_the_program(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    imported = {
        each.split(".")[0]
        for path in (repository / "inspect_kit").rglob("*.py")
        for each in re.findall(r"^\s*(?:from|import) ([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    used = {canonicalize_name(name) for each in imported for name in packages_distributions().get(each, [])}
    wanted = {canonicalize_name(Requirement(each).name) for each in project["dependencies"]}
    assert wanted - used == BEHIND_OTHERS


def test_every_dependency_is_locked_at_a_version_that_is_wanted(repository: Path, lock: str) -> None:
    locked = _locked(lock)
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    extras = (
        each for group in ("dask", "postgres", "hid", "bluetooth") for each in project["optional-dependencies"][group]
    )
    for wanted in map(Requirement, (*project["dependencies"], *extras)):
        versions = [version for version, _ in locked.get(canonicalize_name(wanted.name), [])]
        assert versions, f"{wanted} is not in requirements.lock: make lock"
        assert all(wanted.specifier.contains(version, prereleases=True) for version in versions), wanted


def _needed(name: str, found: dict[str, Distribution]) -> None:
    """All installed distributions that one needs, itself included."""
    key = canonicalize_name(name)
    if key in found:
        return
    try:
        found[key] = distribution(name)
    except PackageNotFoundError:
        return
    for text in found[key].requires or ():
        needed = Requirement(text)
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            _needed(needed.name, found)


def _licence(dist: Distribution) -> str:
    told = dist.metadata
    classifiers = [each for each in told.get_all("Classifier") or () if each.startswith("License ::")]
    return " ".join((told.get("License-Expression") or "", *classifiers, (told.get("License") or "")[:100]))


def test_every_dependency_has_a_licence_that_allows_to_pass_it_on() -> None:
    found: dict[str, Distribution] = {}
    _needed("inspect-kit", found)
    assert len(found) > 30
    strange = {name: _licence(dist) for name, dist in found.items() if not ALLOWED.search(_licence(dist))}
    assert not strange


def test_the_wheel_is_the_same_bytes_wherever_and_whenever_it_is_built(repository: Path, tmp_path: Path) -> None:
    kept = ("inspect_kit", "specs", "reports", "pyproject.toml", "README.md", "LICENSE")
    digests = []
    for folder in ("here", "there"):
        copy = tmp_path / folder
        for name in kept:
            source = repository / name
            ignored = shutil.ignore_patterns("__pycache__", "samples")
            shutil.copytree(source, copy / name, ignore=ignored) if source.is_dir() else shutil.copy(
                source, copy / name
            )
        os.utime(copy / "README.md", (0, 10**9 if folder == "here" else 1.5 * 10**9))
        command = [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            str(copy / "dist"),
            str(copy),
        ]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1790000000"}
        subprocess.run(command, check=True, capture_output=True, env=environment)
        (wheel,) = (copy / "dist").glob("*.whl")
        digests.append((wheel.name, hashlib.sha256(wheel.read_bytes()).hexdigest()))
    assert digests[0] == digests[1]


def test_the_bill_of_materials_names_every_dependency(repository: Path, tmp_path: Path) -> None:
    bill = tmp_path / "bill.json"
    command = [sys.executable, "-m", "cyclonedx_py", "requirements", str(repository / "requirements.lock"),
               "--of", "JSON", "--output-file", str(bill)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    told = json.loads(bill.read_text())
    assert told["bomFormat"] == "CycloneDX"
    names = {component["name"] for component in told["components"]}
    assert {"click", "pyhanko", "reportlab", "sqlalchemy", "filelock"} <= names
