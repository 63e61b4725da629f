"""No command waits for what it does not use; the list of commands waits for none of them."""

import subprocess
import sys

import click
import pytest

from inspect_kit.cli.app import app
from inspect_kit.cli.lazy import LazyGroup
from inspect_kit.places import shipped

HEAVY = frozenset({"cv2", "scipy", "matplotlib", "reportlab", "sqlalchemy", "skimage", "starlette", "numpy", "PIL"})

ALLOWED = {
    "": frozenset(),
    "judge": frozenset(),
    "inspect": frozenset(),
    "specs": frozenset(),
    "read": frozenset(),
    "instruments": frozenset(),
    "keys": frozenset(),
    "qa": frozenset(),
    "registry": frozenset({"sqlalchemy"}),
    "verify": frozenset({"sqlalchemy"}),
    "station": frozenset({"sqlalchemy"}),
    "target": frozenset({"reportlab", "PIL"}),
    "measure": frozenset(),
    "measure discs": frozenset(),
    "camera": frozenset({"cv2", "numpy", "PIL"}),
}
"""What each command may load before it has read a single file."""


def loaded_by(*arguments: str) -> frozenset[str]:
    """The names of all modules that a command has loaded when it ends."""
    program = (
        "import sys\n"
        "from inspect_kit.cli.app import run, app\n"
        f"run(app, {list(arguments)!r})\n"
        "print('\\n'.join(sorted(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return frozenset(done.stderr.split())


@pytest.mark.parametrize("command", ALLOWED)
def test_a_command_loads_only_what_it_uses(command: str) -> None:
    loaded = loaded_by(*command.split(), "--help")
    assert not (HEAVY & loaded) - ALLOWED[command]


def test_judging_readings_loads_neither_vision_nor_paper_nor_database(striker_csv: str) -> None:
    loaded = loaded_by("judge", striker_csv, "--spec", "icf-2001-it", "--item", "striker")
    assert not HEAVY & loaded
    assert not [name for name in loaded if name.startswith(("inspect_kit.vision", "inspect_kit.registry"))]


@pytest.fixture
def striker_csv(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("striker") / "striker.csv"
    path.write_text("characteristic,value,unit,u\nstriker.diameter,41.0,mm,0.01\n")
    return str(path)


def groups(group: click.Group, name: str = "inspect-kit") -> list[tuple[str, LazyGroup]]:
    ctx = click.Context(group)
    below = ((f"{name} {each}", group.get_command(ctx, each)) for each in group.list_commands(ctx))
    found = [pair for path, each in below if isinstance(each, click.Group) for pair in groups(each, path)]
    return [(name, group), *found] if isinstance(group, LazyGroup) else found


@pytest.mark.parametrize(("name", "group"), groups(app))
def test_the_list_of_commands_says_what_the_commands_say_of_themselves(name: str, group: LazyGroup) -> None:
    told = {each: lazy.help for each, lazy in group.lazy.items()}
    assert told == {each: lazy.load().get_short_help_str(limit=1000) for each, lazy in group.lazy.items()}


def test_measuring_discs_loads_nothing_of_boards_figures_and_dice() -> None:
    photo = shipped("reports") / "examples" / "striker-44.jpg"
    program = (
        "import sys\nfrom pathlib import Path\nfrom inspect_kit.cli.photo.measure import PhotoWork, measured\n"
        "from inspect_kit.measure.stated import stated_by\n"
        f"measured(PhotoWork('discs', (Path({str(photo)!r}),), stated_by('discs', {{}}), None, Path('none')))\n"
        "print('\\n'.join(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = frozenset(done.stdout.split())
    assert "inspect_kit.vision.disc.measure" in loaded
    others = ("inspect_kit.vision.board", "inspect_kit.vision.figure", "inspect_kit.vision.dice")
    assert not [name for name in loaded if name.startswith(others)]
    assert not loaded & {"matplotlib", "reportlab", "sqlalchemy", "starlette"}
