"""Which camera a photo is measured with: the one that was named, or a kept one that the photo's notes name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from inspect_kit.capture.photographs import Photograph
from inspect_kit.cli.options import home_of
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.camera_files import camera_of, kept_cameras, read_camera, shelf_in


def shelf_of(ctx: click.Context) -> Path:
    """Where the user's own cameras are kept."""
    return shelf_in(home_of(ctx))


def chosen_camera(named: Path | None, photos: Sequence[Photograph]) -> Camera | None:
    """The camera of `--camera`, or the kept one for these photos; without either the lens is estimated."""
    if named is not None:
        return read_camera(named).camera
    context = click.get_current_context()
    if context.find_root().info_name == "measure":
        # A batch runs on other machines too, which have other shelves: it uses what is named, and nothing else.
        return None
    kept = camera_of(photos, kept_cameras(shelf_of(context)))
    if kept is None:
        return None
    click.echo(f"measured with the camera that is kept for {kept.stored.model} ({kept.name})", err=True)
    return kept.stored.camera
