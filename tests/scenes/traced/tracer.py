"""Meshes before a camera, traced by Mitsuba 3 on the processor: linear light, noise as the samples leave it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.scenes.scene import Lamp, Lens, Stand
from tests.scenes.traced.meshes import Mesh

VARIANT = "scalar_rgb"
"""The plain one: needs no compiler on the machine."""
DEPTH = 6
"""Bounces of light, at most."""
FAR = 1500.0
"""mm to the lamp."""


@dataclass(frozen=True)
class View:
    """Camera and light of one picture; `aperture` is the lens's radius in mm, focused at `Stand.distance`."""

    lens: Lens
    stand: Stand
    lamp: Lamp
    aperture: float = 0.7
    samples: int = 16
    seed: int = 0


def traced(meshes: Sequence[Mesh], view: View) -> np.ndarray:
    """Linear light, rows × columns × 3."""
    import mitsuba as mi

    mi.set_variant(VARIANT)
    scene: dict[str, Any] = {
        "type": "scene", "integrator": {"type": "path", "max_depth": DEPTH}, "sensor": _sensor(mi, view),
        "sky": {"type": "constant", "radiance": {"type": "rgb", "value": [view.lamp.everywhere] * 3}},
        "lamp": _lamp(mi, view.lamp),
    }  # fmt: skip
    for number, mesh in enumerate(meshes):
        scene[f"mesh{number}"] = _shape(mi, mesh, number)
    return np.array(mi.render(mi.load_dict(scene), seed=view.seed), dtype=np.float32)[:, :, :3]


def _sensor(mi: Any, view: View) -> dict[str, Any]:
    """A pinhole's geometry with the middle of the picture as principal point."""
    lens = view.lens
    right, down, ahead = view.stand.rotation()
    matrix = np.eye(4)
    # Mitsuba's camera looks along +z with x to the left and y up.
    matrix[:3, :3] = np.column_stack([-right, -down, ahead])
    matrix[:3, 3] = view.stand.place()
    return {
        "type": "thinlens" if view.aperture else "perspective", "fov_axis": "x",
        "fov": math.degrees(2 * math.atan(lens.width / 2 / lens.focal)), "to_world": mi.ScalarTransform4f(matrix),
        "near_clip": 1.0, "far_clip": 1e5,
        **({"aperture_radius": view.aperture, "focus_distance": view.stand.distance} if view.aperture else {}),
        "film": {"type": "hdrfilm", "width": lens.width, "height": lens.height, "rfilter": {"type": "gaussian"},
                 "pixel_format": "rgb", "component_format": "float32"},
        "sampler": {"type": "independent", "sample_count": view.samples},
    }  # fmt: skip


def _lamp(mi: Any, lamp: Lamp) -> dict[str, Any]:
    """A square of light as wide as the lamp is soft, facing the middle."""
    way = np.array(lamp.way) / np.linalg.norm(lamp.way)
    half = FAR * math.tan(max(lamp.softness, 0.05))
    up = [0, 0, 1] if abs(way[2]) < 0.9 else [0, 1, 0]
    place = mi.ScalarTransform4f().look_at(origin=list(FAR * way), target=[0, 0, 0], up=up)
    power = lamp.strength * math.pi * FAR**2 / (2 * half) ** 2
    return {"type": "rectangle", "to_world": place @ mi.ScalarTransform4f().scale([half, half, 1]),
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": [power * tint for tint in lamp.tint]}}}  # fmt: skip


def _shape(mi: Any, mesh: Mesh, number: int) -> Any:
    properties = mi.Properties()
    properties["bsdf"] = mi.load_dict(_paint(mi, mesh))
    shape = mi.Mesh(f"mesh{number}", len(mesh.points), len(mesh.faces), has_vertex_normals=mesh.smooth,
                    has_vertex_texcoords=mesh.places is not None, props=properties)  # fmt: skip
    numbers = mi.traverse(shape)
    numbers["vertex_positions"] = mesh.points.astype(np.float32).ravel()
    numbers["faces"] = mesh.faces.astype(np.uint32).ravel()
    if mesh.places is not None:
        numbers["vertex_texcoords"] = mesh.places.astype(np.float32).ravel()
    if mesh.tints is not None:
        shape.add_attribute("vertex_tint", 3, mesh.tints.astype(np.float32).ravel())
    if mesh.smooth:
        numbers["vertex_normals"] = _normals(mesh).astype(np.float32).ravel()
    numbers.update()
    return shape


def _normals(mesh: Mesh) -> np.ndarray:
    """Means of the faces around each vertex, by their area."""
    a, b, c = (mesh.points[mesh.faces[:, k]] for k in range(3))
    own = np.cross(b - a, c - a)
    found = np.zeros_like(mesh.points)
    for k in range(3):
        np.add.at(found, mesh.faces[:, k], own)
    return found / np.maximum(np.linalg.norm(found, axis=1), 1e-12)[:, None]


def _paint(mi: Any, mesh: Mesh) -> dict[str, Any]:
    if mesh.clear:
        return {"type": "dielectric", "int_ior": 1.49,
                "specular_transmittance": {"type": "rgb", "value": [c**0.3 for c in mesh.colour]}}  # fmt: skip
    colour = _colour(mi, mesh)
    inner: dict[str, Any] = {"type": "diffuse", "reflectance": colour}
    if mesh.gloss:
        inner = {"type": "roughplastic", "diffuse_reflectance": colour, "alpha": float(0.45 * (1 - mesh.gloss) + 0.02),
                 "nonlinear": True}  # fmt: skip
    if mesh.gloss and mesh.tints is not None:
        # A rough plastic must know the mean of its colour, which one by the vertex has not.
        inner = {"type": "principled", "base_color": colour, "roughness": float(0.7 * (1 - mesh.gloss) + 0.05),
                 "specular": 0.5}  # fmt: skip
    both = {"type": "twosided", "inner": inner}
    if mesh.opaque is None:
        return both
    return {"type": "mask", "opacity": _picture(mi, mesh.opaque), "inner": both}


def _colour(mi: Any, mesh: Mesh) -> dict[str, Any]:
    if mesh.tints is not None:
        return {"type": "mesh_attribute", "name": "vertex_tint"}
    if mesh.picture is not None:
        return _picture(mi, mesh.picture)
    return {"type": "rgb", "value": [float(c) for c in mesh.colour]}


def _picture(mi: Any, values: np.ndarray) -> dict[str, Any]:
    wide = values if values.ndim == 3 else values[:, :, None]
    bitmap = mi.Bitmap(np.ascontiguousarray(wide.astype(np.float32)))
    return {"type": "bitmap", "bitmap": bitmap, "raw": True, "wrap_mode": "clamp"}
