"""README and documentation walked literally: every command of a page, in its order, in an empty home."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspect_kit.inspection.guided import GuidedEntry
from inspect_kit.inspection.screens import screens_of
from inspect_kit.places import shipped
from inspect_kit.rulebook.library import load
from tests.cli.photo.test_measure_figure import SCENES as FIGURES
from tests.scenes import shots
from tests.scenes.board_cases import LEGAL_SHOT
from tests.scenes.board_photos import camera_json, jpeg_of
from tests.scenes.dice import Body, photograph_roll
from tests.scenes.figure import photograph as photograph_figure
from tests.scenes.render import photograph
from tests.scenes.scene import Lamp, Piece, Scene, Sensor, Stand
from tests.scenes.table import COLOURS
from tests.scenes.throws import set_out

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    "README.md", "docs/station.md", "docs/instruments.md", "specs/README.md", "docs/command-line.md", "docs/photos.md",
    "docs/quality.md", "docs/registry.md",
)  # fmt: skip
"""Every page with commands; the examples of docs/python.md are run by tests/api."""

ELSEWHERE = {
    r"camera calibrate": "eight photos of a printed sheet by a camera; tests/vision has them",
    r"…": "a text that the page shortens",
    r"measure .*--watch": "it waits for photos until it is stopped",
    r"--cluster tcp:": "a cluster of computers",
    r"https://freetsa.org": "a server on the internet",
    r"registry witness": "another desk, with its own keys and its own home",
    r"registry accept-older": "a registry that has lost entries",
    r"--port (/dev/ttyUSB0|COM4|\./scale)|instruments find|instruments check": "an instrument on a cable",
}
"""What a page shows that needs more than this computer, and why. Every line must be needed."""
NUMBER = re.compile(r"\b[A-Z]{2,4}-\d{4}-\d{6}-[A-Z0-9]\b")
VERDICTS = (0, 1, 3)
"""Exit codes of a command that did its work: conforms, fails, undecided."""


CONFORMING = """characteristic,value,unit,u
striker.shape,yes,,
striker.diameter,41.0,mm,0.01
striker.mass,14.8,g,0.01
striker.material,yes,,
striker.visible_metal,yes,,
striker.engraving,none,,
"""


def commands_of(page: str) -> Iterator[str]:
    """The commands of a page in order; a table that is printed before one is given as its file."""
    text = re.sub(r"\\\n\s*", "", (ROOT / page).read_text())
    for block in re.findall(r"(?:^(?: {4}|\t|\$ ).*\n)+", text, re.MULTILINE):
        lines = [re.sub(r"\s{2,}(#|every fault|how it).*$", "", line.strip("$ \t")) for line in block.splitlines()]
        if lines[0].startswith("characteristic,"):
            yield "\n".join(lines)
        yield from (line for line in lines if line.startswith("inspect-kit "))


@pytest.fixture(scope="session")
def cast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What people bring: photos, readings, lots, a camera file."""
    folder, examples = tmp_path_factory.mktemp("cast"), shipped("reports") / "examples"
    lens = LEGAL_SHOT.lens
    (folder / "phone.json").write_text(camera_json(lens))
    (folder / "IMG_2041.jpg").write_bytes(shots.striker_photo())
    (folder / "IMG_2043.jpg").write_bytes(jpeg_of(LEGAL_SHOT))
    black = Body(colour=(0.02, 0.02, 0.022), pip_colour=(0.85, 0.85, 0.82), rounding=0.4)
    roll = set_out((4, 6), black, ground="mat", edge=16.0, tilt=0.06, lens=lens, gap=2.4)
    (folder / "IMG_2045.jpg").write_bytes(photograph_roll(roll))
    coin = Piece(0, 0, 31.0, 8.0, 1.0, COLOURS["white"], "white")
    tray = photograph(Scene(lens, Stand(470, 0.1, 2.0, 1.57), (coin,), Lamp(), Sensor(1.0, 0.006), seed=4))
    rolled = (folder / "IMG_2045.jpg").read_bytes()
    for name, content in (("trays", tray), ("strikers", shots.striker_photo()), ("rolls", rolled)):
        (folder / name).mkdir()
        (folder / name / "1.jpg").write_bytes(content)
    (folder / "photo.jpg").write_bytes(tray)
    (folder / "face-1.jpg").write_bytes(rolled)
    seen = {name: photograph_figure(FIGURES[name]) for name in ("front", "side")}
    for name, content in seen.items():
        for number in ("", "3-"):
            (folder / f"{number}{name}.jpg").write_bytes(content)
    (folder / "desk.toml").write_text('customer = "Prague Carrom Club"\nenvironment = "21 °C, 45 % r. h."\n')
    lot = (examples / "coin-lot.csv").read_text().splitlines(keepends=True)
    # Without the columns of gauges that only the examples have.
    (folder / "coins.csv").write_text("".join(",".join(row.split(",")[:5]).strip() + "\n" for row in lot[:51]))
    (folder / "masses.csv").write_text("value\n" + "".join(f"5.{250 + 7 * n % 11}\n" for n in range(50)))
    _write_studies(folder)
    coins = "".join(f"coin.mass,{number},5.3,g,0.01\n" for number in range(1, 20))
    (folder / "lot.csv").write_text(f"characteristic,instance,value,unit,u\n{coins}")
    (folder / "board-3.json").write_text(
        '{"format": 1, "measurements": [{"characteristic": "surface.thickness", "value": 9, "unit": "mm", "u": 0.1}]}'
    )
    rest = "characteristic,value,unit,u\nstriker.mass,14.8,g,0.01\nstriker.shape,yes,,\nstriker.material,yes,,\n"
    (folder / "new.csv").write_text(CONFORMING)
    (folder / "striker.csv").write_text(CONFORMING)
    for name in ("rest.csv", "hand.csv", "readings.csv"):
        (folder / name).write_text(
            rest if name != "hand.csv" else "characteristic,value,unit,u\nsurface.thickness,9,mm,0.1\n"
        )
    shutil.copytree(examples / "instruments", folder / "gauges")
    (folder / "my-club.toml").write_text(
        'format = 1\nid = "my-club"\ntitle = "My club"\nstanding = "house"\ndisclaimer = "Ours."\nbecause = "So."\n'
        'over = "icf-cs"\n[[clause]]\ncharacteristic = "striker.mass"\nlimits = { upper = "14.9 g" }\nbecause = "So."\n'
    )
    (folder / "stick").mkdir()
    return folder


def _write_studies(folder: Path) -> None:
    """What a maker brings: diameters in subgroups, studies of a gauge, a sample, rolls of a die."""
    sizes = [f"{31 + (7 * n % 11 - 5) / 100:.2f}" for n in range(50)]
    tables = {
        "diameters": ["value,subgroup", *(f"{size},{n // 5 + 1}" for n, size in enumerate(sizes))],
        "study": ["part,operator,trial,value"] + [
            f"{part},{who},{trial},{30 + part / 10 + (part * 3 + trial * 5 + ord(who)) % 7 / 1000:.3f}"
            for part in range(1, 11) for who in "ABC" for trial in (1, 2, 3)
        ],
        "one-part": ["value", *(f"{30 + (7 * n % 11 - 5) / 1000:.3f}" for n in range(50))],
        "blocks": ["reference,value"] + [f"{size},{size + (n % 5 - 2) / 1000:.3f}" for size in (10, 20, 30, 40) for n in range(12)],
        "sample": ["value", *(str(value) for value in (197, 188, 184, 205, 201))],
        "rolls": ["face", *(str(n % 6 + 1) for n in range(120))],
    }  # fmt: skip
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")


def typed_for(command: str) -> str:
    """What somebody answers: everything in order, measures as the sheet prints them, the rest passed over."""
    if " inspect " not in command:
        return ""
    sheet, item = (re.search(rf"--{name} (\S+)", command)[1] for name in ("spec", "item"))  # type: ignore[index]
    screens = screens_of(GuidedEntry(load(sheet), item))
    if "board-3-photo.json" in command or " board-3.json --spec" in command:
        return "y\n" + "\n" * 200
    return "".join("y\n" if screen.checklist else "\n" for screen in screens) + "\n" * 200


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_works_in_its_order_in_an_empty_home(page: str, cast: Path, tmp_path: Path) -> None:
    folder = tmp_path / "walk"
    shutil.copytree(cast, folder)
    if page == "README.md":
        (folder / "board-3.json").unlink()  # There it is made by the walk itself.
    if page == "docs/quality.md":
        (folder / "lot.csv").unlink()
    environment = {
        **os.environ, "INSPECT_KIT_HOME": str(tmp_path / "home"), "INSPECT_KIT_PASSPHRASE": "correct horse", "INSPECT_KIT_PIN": "402861",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    numbers: list[str] = []
    table = ""
    for command in commands_of(page):
        if command.startswith("characteristic,"):
            table = command
            continue
        if any(re.search(pattern, command) for pattern in ELSEWHERE):
            continue
        wanted = re.search(r"\S+\.csv", command)
        if table and wanted:
            (folder / wanted[0]).write_text(table + "\n")
            table = ""
        if NUMBER.search(command) and not numbers:
            numbers.append(issue_one(folder, environment))
        # What a page calls by a number is the newest that there is.
        said = NUMBER.sub(lambda _: max(numbers), command)
        code, out = run(said, folder, environment)
        if page == "README.md" and "certify striker-42.csv" in said:
            assert code == 0, f"the first example is a certificate, not a report:\n{out}"
        replaced = code == 5 and "it was replaced by" in out
        assert code in VERDICTS or replaced, f"{page}: {said}\nexit {code}\n{out}"
        numbers.extend(NUMBER.findall(out))


def issue_one(folder: Path, environment: dict[str, str]) -> str:
    """A page that speaks of a certificate by its number means one that the reader has: made here."""
    (folder / "own.csv").write_text(CONFORMING)
    run('inspect-kit keys init --name "Prague Carrom Club"', folder, environment)
    code, out = run(
        'inspect-kit certify own.csv --spec icf-2001-it --item striker --subject "Striker 7" --event "Prague Open" -o striker.pdf',
        folder,
        environment,
    )
    assert code == 0, out
    return NUMBER.findall(out)[0]


MEASURED: dict[str, tuple[int, str, dict[str, bytes]]] = {}
"""What photos gave that several pages measure in the same words: it takes a while."""


def run(command: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """One command in a shell, as it is printed; what was measured in the same words is not measured again."""
    if not command.startswith("inspect-kit measure "):
        return run_once(command, folder, environment)
    if command not in MEASURED:
        before = set(folder.iterdir())
        code, out = run_once(command, folder, environment)
        MEASURED[command] = (code, out, {path.name: path.read_bytes() for path in set(folder.iterdir()) - before})
    code, out, files = MEASURED[command]
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return code, out


def run_once(command: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """In a shell; a station is stopped once it is there."""
    if re.match(r"inspect-kit (station|serve)(?! user| token)", command):
        return run_station(f"{command} --port 0" if "--port" not in command else command, folder, environment)
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, input=typed_for(command), capture_output=True,
                          text=True, timeout=300, check=False)  # fmt: skip
    return done.returncode, done.stdout[-3000:] + done.stderr[-3000:]


def run_station(command: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    with subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=folder, env={**environment, "PYTHONUNBUFFERED": "1"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as station:  # fmt: skip
        assert station.stdout is not None
        lines: list[str] = []
        for line in station.stdout:
            lines.append(line)
            if re.match("The (station|service) is at", line):
                station.send_signal(signal.SIGTERM)
                return 0, "".join(lines)
        return station.wait(), "".join(lines)


def test_nothing_is_left_out_that_is_not_there() -> None:
    commands = [command for page in PAGES for command in commands_of(page)]
    for pattern in ELSEWHERE:
        assert any(re.search(pattern, command) for command in commands), pattern
