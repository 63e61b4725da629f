"""Documentation that cannot rot: what is documented exists, and what exists is documented."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from inspect_kit.cli.app import app


def _commands(group: click.Group, path: str = "") -> dict[str, click.Command]:
    context = click.Context(group)
    found: dict[str, click.Command] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found[f"{path}{name}"] = command
        if isinstance(command, click.Group):
            found.update(_commands(command, f"{path}{name} "))
    return found


COMMANDS = _commands(app)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_and_shows_an_example(name: str, repository: Path) -> None:
    text = "".join(path.read_text() for path in (repository / "docs").glob("*.md"))
    assert name in text
    assert "Example" in (COMMANDS[name].help or "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_every_line_of_the_table_of_attackers_is_tried(repository: Path) -> None:
    section = (repository / "docs" / "registry.md").read_text().split("### Who can do what")[1].split("### ")[0]
    source = "".join(path.read_text() for path in (repository / "tests").rglob("test_*.py"))
    there = set(re.findall(r"^def test_(\w+)", source, re.MULTILINE))
    lines = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| ")][1:]
    assert len(lines) >= 13
    held = " ".join(who for who, *_ in lines)
    assert all(each in held for each in ("database", "key", "desk's files", "clock", "printer", "one witness"))
    for who, *_, tests in lines:
        named = re.findall(r"`(\w+)`", tests)
        assert named, f"{who} is not tried"
        assert set(named) <= there, set(named) - there


def test_every_link_in_the_documentation_leads_somewhere(repository: Path) -> None:
    pages = [*repository.glob("*.md"), *(repository / "docs").glob("*.md"), *(repository / "specs").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_every_room_of_the_package_is_in_the_picture(repository: Path) -> None:
    text = (repository / "docs" / "architecture.md").read_text()
    for room in (repository / "inspect_kit").iterdir():
        if room.is_dir() and (room / "__init__.py").exists():
            assert f"`{room.name}/`" in text


def test_every_room_within_a_room_is_in_the_picture(repository: Path) -> None:
    within = (repository / "docs" / "architecture.md").read_text().partition("## Rooms within the rooms")[2]
    rows = dict(re.findall(r"^\| `(\w+)/` \| (.+) \|$", within, re.MULTILINE))
    found = [each.parent for each in (repository / "inspect_kit").glob("*/*/__init__.py")]
    assert len(found) > 25
    for room in found:
        assert f"`{room.name}`" in rows[room.parent.name], room


def test_every_key_of_a_sheet_is_taught(repository: Path) -> None:
    text = (repository / "specs" / "README.md").read_text()
    source = (repository / "inspect_kit" / "rulebook" / "reading.py").read_text()
    source += (repository / "inspect_kit" / "rulebook" / "library.py").read_text()
    keys = set(re.findall(r'\.(?:text|flag|word|texts|either|parsed|table|tables|day)\(\s*"([a-z_]+)"', source))
    assert len(keys) > 25
    for key in keys:
        assert re.search(rf"\b{key}\b", text), key
