"""No command waits for what it does not use; the list of commands waits for none of them."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from inspect_kit.cli.app import app
from inspect_kit.cli.lazy import LazyGroup
from inspect_kit.places import shipped

HEAVY = frozenset(
    {"cv2", "scipy", "matplotlib", "reportlab", "sqlalchemy", "skimage", "starlette", "numpy", "PIL", "pikepdf"}
    | {"pyhanko", "onnxruntime", "dask", "distributed"}
)
"""What takes a tenth of a second or more to load."""

STATISTICS = frozenset({"numpy", "scipy"})
PAPER = frozenset({"reportlab", "PIL"})
REGISTRY = frozenset({"sqlalchemy"})
ALLOWED = {
    "camera": frozenset({"cv2", "numpy", "PIL"}),
    "certify": REGISTRY,
    "demo": REGISTRY,
    "dice": frozenset({"numpy", "PIL"}),
    "label": PAPER | REGISTRY,
    "registry": REGISTRY,
    "station": REGISTRY,
    "target": PAPER,
    "verify": REGISTRY | {"pikepdf"},
    "qa capability": STATISTICS,
    "qa chart": STATISTICS,
    "qa dice": STATISTICS,
    "qa export": STATISTICS,
    "qa grr": STATISTICS,
    "qa lot": STATISTICS,
    "qa oc": STATISTICS,
    "qa sampling": STATISTICS,
    "qa trend": STATISTICS | REGISTRY,
}
"""What a command may load before it has read a single file; those that are not named here, nothing."""


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


def groups(group: click.Group, name: str = "inspect-kit") -> list[tuple[str, LazyGroup]]:
    ctx = click.Context(group)
    below = ((f"{name} {each}", group.get_command(ctx, each)) for each in group.list_commands(ctx))
    found = [pair for path, each in below if isinstance(each, click.Group) for pair in groups(each, path)]
    return [(name, group), *found] if isinstance(group, LazyGroup) else found


def commands() -> list[str]:
    """Every command that is loaded by itself."""
    within = {path.removeprefix("inspect-kit").strip(): group for path, group in groups(app)}
    return ["", *(f"{path} {name}".strip() for path, group in within.items() for name in group.lazy)]


@pytest.mark.parametrize("command", commands())
def test_a_command_loads_only_what_it_uses(command: str) -> None:
    loaded = loaded_by(*command.split(), "--help")
    assert not (HEAVY & loaded) - ALLOWED.get(command, frozenset())


def test_what_commands_are_allowed_to_load_is_said_of_commands_there_are() -> None:
    assert ALLOWED.keys() <= set(commands())


def test_a_certificate_without_photos_is_made_without_opencv(striker_csv: str, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    assert "numpy" not in loaded_by("--home", home, "keys", "init", "--name", "Hall", "--no-passphrase")
    what = (striker_csv, "--spec", "icf-2001-it", "--item", "striker", "--subject", "Striker 7")
    loaded = loaded_by("--home", home, "certify", *what, "-o", str(tmp_path / "striker.pdf"))
    assert "reportlab" in loaded
    assert not {"cv2", "scipy", "skimage", "matplotlib", "starlette"} & loaded


def test_judging_readings_loads_neither_vision_nor_paper_nor_database(striker_csv: str) -> None:
    loaded = loaded_by("judge", striker_csv, "--spec", "icf-2001-it", "--item", "striker")
    assert not HEAVY & loaded
    assert not [name for name in loaded if name.startswith(("inspect_kit.vision", "inspect_kit.registry"))]
    assert not {"platformdirs", "zipfile", "tempfile", "difflib", "hashlib", "json", "multiprocessing"} & loaded
    assert "inspect_kit.inspection.figure_team" not in loaded


def test_judging_repeated_readings_of_a_gauge_waits_for_no_statistics() -> None:
    examples = shipped("reports") / "examples"
    gauges = ("--instruments", str(examples / "instruments"), "--on", "2026-09-12")
    loaded = loaded_by("judge", str(examples / "striker-42.csv"), "--spec", "icf-2001-it", "--item", "striker", *gauges)
    assert "inspect_kit.judgement.risk" in loaded
    assert not HEAVY & loaded


def test_what_asks_for_a_photo_loads_no_vision_as_the_process_that_measures_does() -> None:
    program = (
        "import sys\n"
        "import inspect_kit.cli.photo.measure\n"
        "from inspect_kit.measure.stated import stated_by\n"
        "stated_by('coins', {'reference': 'paper:a4', 'thickness': '8mm'})\n"
        "print('\\n'.join(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not HEAVY & frozenset(done.stdout.split())


@pytest.fixture
def striker_csv(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("striker") / "striker.csv"
    path.write_text("characteristic,value,unit,u\nstriker.diameter,41.0,mm,0.01\n")
    return str(path)


@pytest.mark.parametrize(("name", "group"), groups(app))
def test_the_list_of_commands_says_what_the_commands_say_of_themselves(name: str, group: LazyGroup) -> None:
    told = {each: lazy.help for each, lazy in group.lazy.items()}
    assert told == {each: lazy.load().get_short_help_str(limit=1000) for each, lazy in group.lazy.items()}


def test_measuring_discs_loads_nothing_of_boards_figures_and_dice() -> None:
    photo = shipped("reports") / "examples" / "striker-44.jpg"
    program = (
        "import sys\nfrom pathlib import Path\nfrom inspect_kit.inspection.photo_work import PhotoWork, measured\n"
        "from inspect_kit.measure.stated import stated_by\n"
        f"measured(PhotoWork('discs', (Path({str(photo)!r}),), stated_by('discs', {{}}), None, Path('none')))\n"
        "print('\\n'.join(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = frozenset(done.stdout.split())
    assert "inspect_kit.vision.disc.measure" in loaded
    others = ("inspect_kit.vision.board", "inspect_kit.vision.figure", "inspect_kit.vision.dice")
    assert not [name for name in loaded if name.startswith(others)]
    assert not loaded & {"matplotlib", "reportlab", "sqlalchemy", "starlette", "scipy", "click"}


@pytest.mark.parametrize("kind", ["pieces", "figure", "dice"])
def test_measuring_does_not_wait_for_scipy(kind: str) -> None:
    program = f"import sys, inspect_kit.measure.{kind}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "scipy" not in done.stdout.split()
