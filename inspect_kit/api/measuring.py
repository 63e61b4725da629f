"""`ik.measure`: photos → the measurement file they give, with the picture of what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_kit.api.notebook import Paths, home_of, paragraph, paths_of, picture, table
from inspect_kit.capture.measurement_file import MeasurementFile, as_json, written
from inspect_kit.errors import worded
from inspect_kit.values.measurement import Reading

if TYPE_CHECKING:
    from inspect_kit.capture.photographs import Photograph
    from inspect_kit.vision.optics.camera import Camera


@dataclass(frozen=True)
class MeasuredPhotos(MeasurementFile):
    """A measurement file that came from photos: it can be judged, saved, looked at."""

    draw: Callable[[], bytes] | None = field(default=None, repr=False, compare=False)

    def overlay(self) -> bytes:
        """The first photo (of a board: the board from above) with what was found, as a PNG."""
        assert self.draw is not None
        return self.draw()

    def as_data(self) -> dict[str, object]:
        """As `measure --json` prints it."""
        return as_json(self)

    def save(self, path: Paths) -> Path:
        """Write the measurement file, whole or not at all."""
        from inspect_kit.atomic_write import write_whole

        write_whole(Path(path), written(self))
        return Path(path)

    def said(self, language: str = "en") -> list[str]:
        """What the measuring noticed, in words."""
        return worded(self.warnings, self.notices, language)

    def _repr_html_(self) -> str:
        rows = [(each.characteristic, each.instance, each.value, _expanded(each), each.unit) for each in self.readings]
        seen = picture(self.overlay(), "png", "what was measured, drawn into the photo") if self.draw else ""
        notes = "".join(map(paragraph, self.said()))
        return seen + table(("characteristic", "instance", "value", "U", "unit"), rows) + notes


def _expanded(reading: Reading) -> str:
    return f"± {2 * float(reading.standard):.3f}" if reading.standard else ""


def measure(
    kind: str,
    photos: Paths | Iterable[Paths],
    *,
    camera: Paths | None = None,
    home: Paths | None = None,
    **stated: object,
) -> MeasuredPhotos:
    """Measure coins, striker, checkers, discs, board, figure or dice in photos.

    `stated` takes what the command's options take, by the same names: `thickness="8.1±0.1mm"`, `print_scale=0.998`,
    `edge_radius`, `reference`, `standoff`, `known`, `gap`, `instance`, `one_die`.
    """
    from inspect_kit.capture.photographs import read_photograph
    from inspect_kit.measure.photos import check_count, check_kind, photo_session
    from inspect_kit.measure.stated import stated_by

    check_kind(kind)
    known = stated_by(kind, stated)
    paths = paths_of(photos)
    check_count(kind, len(paths))
    taken = [read_photograph(path) for path in paths]
    session = photo_session(kind, taken, _camera(camera, home, taken), known)
    file = session.file
    return MeasuredPhotos(file.readings, file.photos, file.warnings, file.notices, session.overlay)


def _camera(named: Paths | None, home: Paths | None, photos: Sequence[Photograph]) -> Camera | None:
    """The camera that was named, else the one that is kept for these photos."""
    from inspect_kit.measure.photos import kept_camera
    from inspect_kit.vision.optics.camera_files import read_camera

    if named is not None:
        return read_camera(Path(named)).camera
    kept = kept_camera(home_of(home), photos)
    return kept.stored.camera if kept else None
