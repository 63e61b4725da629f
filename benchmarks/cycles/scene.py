"""Blender's side: meshes, materials, lamps, the camera, and the render as linear light."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import cv2
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from benchmarks.cycles.camera import Camera

Array = NDArray[np.float64]
Colour = tuple[float, float, float]

OVERSCAN = 64
"""Pixels drawn beyond each border, for the distortion to take from."""
MARGIN = 60
"""Pixels around the subject that are drawn in full."""


def fresh() -> None:
    """An empty world."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.world = bpy.data.worlds.new("room")


def mesh(name: str, vertices: Any, faces: Any, materials: list[Any], smooth: bool = True) -> Any:
    """An object; shading is smooth but for edges sharper than 25 degrees, and flat faces stay flat."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(vertices, [], faces)
    thing = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(thing)
    for each in materials:
        data.materials.append(each)
    if smooth:
        finish(thing)
    return thing


def finish(thing: Any) -> None:
    """Set the shading's normals."""
    thing.data.shade_smooth()
    thing.data.set_sharp_from_angle(angle=np.radians(25))
    weighted = thing.modifiers.new("normals", "WEIGHTED_NORMAL")
    weighted.keep_sharp, weighted.weight = True, 90


def turned(name: str, profile: Array, material: Any, oval: tuple[float, float] = (0, 0), segments: int = 360) -> Any:
    """A solid of revolution from (radius, height); `oval` is (amplitude mm, direction rad) of two lobes."""
    around = np.arange(segments) * 2 * np.pi / segments
    inner = profile[(profile[:, 0] > 1e-6)]
    radii = inner[:, :1] + oval[0] * np.cos(2 * (around - oval[1])) * (inner[:, :1] / inner[:, 0].max())
    rings = np.stack([radii * np.cos(around), radii * np.sin(around), np.repeat(inner[:, 1:], segments, 1)], -1)
    count = len(inner)
    i = np.arange((count - 1) * segments)
    j = i - i % segments + (i + 1) % segments
    faces = np.column_stack([i, j, j + segments, i + segments]).tolist()
    faces += [list(range(segments))[::-1], list(range((count - 1) * segments, count * segments))]
    return mesh(name, rings.reshape(-1, 3), faces, [material])


def ball(radius: float, material: Any, rings: int = 48) -> Any:
    """A sphere about the origin, without shading set."""
    polar = np.linspace(-np.pi / 2, np.pi / 2, rings + 1)[1:-1]
    thing = turned("ball", radius * np.column_stack([np.cos(polar), np.sin(polar)]), material, segments=2 * rings)
    thing.modifiers.clear()
    return thing


def box(name: str, low: Any, high: Any, material: Any) -> Any:
    """A plain block."""
    corners = [(x, y, z) for z in (low[2], high[2]) for y in (low[1], high[1]) for x in (low[0], high[0])]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return mesh(name, corners, faces, [material], smooth=False)


def prism(name: str, outline: Array, low: float, high: float, material: Any) -> Any:
    """A polygon (counter-clockwise) drawn upwards."""
    n = len(outline)
    vertices = [(*p, z) for z in (low, high) for p in outline]
    faces = [list(range(n))[::-1], list(range(n, 2 * n))] + [[i, (i + 1) % n, n + (i + 1) % n, n + i] for i in range(n)]
    return mesh(name, vertices, faces, [material], smooth=False)


def cut(thing: Any, tool: Any, operation: str = "DIFFERENCE") -> None:
    """Take the tool out of the thing (or all but the tool: INTERSECT); the cut has the tool's material."""
    before = len(thing.data.polygons)
    # Blender before 4.5 has no manifold solver.
    known = bpy.types.BooleanModifier.bl_rna.properties["solver"].enum_items.keys()
    for solver in (each for each in ("MANIFOLD", "EXACT") if each in known):
        step = thing.modifiers.new("cut", "BOOLEAN")
        step.object, step.solver, step.material_mode, step.operation = tool, solver, "TRANSFER", operation
        bpy.context.view_layer.objects.active = thing
        bpy.ops.object.modifier_apply(modifier="cut")
        if len(thing.data.polygons) != before:
            break
    else:
        raise RuntimeError("nothing was cut")
    bpy.data.objects.remove(tool)


def place(thing: Any, at: Any, turn: float = 0.0) -> Any:
    """Move to a place, turned about the vertical (rad)."""
    thing.location, thing.rotation_euler = at, (0, 0, turn)
    return thing


def sheet(name: str, points: Array, material: Any) -> Any:
    """A printed sheet as a grid of points (rows from the top, columns, 3), the print over all of it."""
    rows, columns = points.shape[:2]
    faces = [(r * columns + c, (r + 1) * columns + c, (r + 1) * columns + c + 1, r * columns + c + 1)
             for r in range(rows - 1) for c in range(columns - 1)]  # fmt: skip
    thing = mesh(name, points.reshape(-1, 3), faces, [material], smooth=False)
    thing.data.shade_smooth()
    layer = thing.data.uv_layers.new()
    for loop in thing.data.loops:
        row, column = divmod(loop.vertex_index, columns)
        layer.data[loop.index].uv = (column / (columns - 1), 1 - row / (rows - 1))
    return thing


# materials ------------------------------------------------------------------------------------------------------------


def plain(colour: Colour, **inputs: float) -> Any:
    """One colour; further inputs of the principled shader by name with underscores."""
    material = bpy.data.materials.new("plain")
    material.use_nodes = True
    shader = _shader(material)
    shader.inputs["Base Color"].default_value = (*colour, 1)
    for name, value in inputs.items():
        shader.inputs[name.replace("_", " ")].default_value = value
    return material


def veined(light: Colour, dark: Colour, scale: tuple[float, float, float], detail: float = 3, **inputs: float) -> Any:
    """Two colours by stretched noise: wood along the small scale (1/mm), marble where all are alike."""
    material = plain(light, **inputs)
    ramp = _noise(material, scale, detail)
    for stop, colour in zip(ramp.color_ramp.elements, (dark, light), strict=True):
        stop.color = (*colour, 1)
    material.node_tree.links.new(ramp.outputs[0], _shader(material).inputs["Base Color"])
    return material


def printed(print_file: Path, paper: Colour, ink: float, **inputs: float) -> Any:
    """A print: black ink reflects `ink`, the paper `paper`."""
    material = plain(paper, **inputs)
    link, node = material.node_tree.links.new, material.node_tree.nodes.new
    picture, tone = node("ShaderNodeTexImage"), node("ShaderNodeVectorMath")
    picture.image, picture.extension = bpy.data.images.load(str(print_file)), "EXTEND"
    tone.operation = "MULTIPLY_ADD"
    tone.inputs[1].default_value, tone.inputs[2].default_value = [p - ink for p in paper], [ink] * 3
    link(picture.outputs[0], tone.inputs[0])
    link(tone.outputs[0], _shader(material).inputs["Base Color"])
    return material


def inked(material: Any, masks: Path, side: float, inks: list[Colour], wear: float) -> Any:
    """Lay up to three inks, given as coverage in the channels of a picture, over a material in the object's x and y."""
    link, node = material.node_tree.links.new, material.node_tree.nodes.new
    shader = _shader(material)
    where, mapping, picture = node("ShaderNodeTexCoord"), node("ShaderNodeMapping"), node("ShaderNodeTexImage")
    mapping.inputs["Scale"].default_value = (1 / side, 1 / side, 1)
    mapping.inputs["Location"].default_value = (0.5, 0.5, 0)
    picture.image, picture.extension = bpy.data.images.load(str(masks)), "CLIP"
    picture.image.colorspace_settings.name = "Non-Color"
    split, worn = node("ShaderNodeSeparateColor"), _noise(material, (0.15, 0.15, 0.15), 3)
    worn.color_ramp.elements[0].color = (1 - wear, 1 - wear, 1 - wear, 1)
    link(where.outputs["Object"], mapping.inputs[0])
    link(mapping.outputs[0], picture.inputs[0])
    link(picture.outputs[0], split.inputs[0])
    for channel, colour in enumerate(inks):
        mix, share = node("ShaderNodeMix"), node("ShaderNodeMath")
        mix.data_type, share.operation = "RGBA", "MULTIPLY"
        link(split.outputs[channel], share.inputs[0])
        link(worn.outputs[0], share.inputs[1])
        link(share.outputs[0], mix.inputs["Factor"])
        socket = shader.inputs["Base Color"]
        if socket.links:
            link(socket.links[0].from_socket, mix.inputs[6])
        else:
            mix.inputs[6].default_value = socket.default_value
        mix.inputs[7].default_value = (*colour, 1)
        link(mix.outputs[2], socket)
    return material


def clear(colour: Colour, roughness: float = 0.02) -> Any:
    """Coloured, see-through, refracting; lets light through into its own shadow."""
    material = plain(colour, Roughness=roughness, Transmission_Weight=1.0, IOR=1.49)
    link, node = material.node_tree.links.new, material.node_tree.nodes.new
    path, glass, mix = node("ShaderNodeLightPath"), node("ShaderNodeBsdfTransparent"), node("ShaderNodeMixShader")
    glass.inputs[0].default_value = (*[0.6 * c + 0.1 for c in colour], 1)
    link(path.outputs["Is Shadow Ray"], mix.inputs[0])
    link(_shader(material).outputs[0], mix.inputs[1])
    link(glass.outputs[0], mix.inputs[2])
    link(mix.outputs[0], material.node_tree.nodes["Material Output"].inputs[0])
    return material


def _shader(material: Any) -> Any:
    return next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")


def _noise(material: Any, scale: tuple[float, float, float], detail: float) -> Any:
    link, node = material.node_tree.links.new, material.node_tree.nodes.new
    where, mapping, noise, ramp = map(
        node, ("ShaderNodeTexCoord", "ShaderNodeMapping", "ShaderNodeTexNoise", "ShaderNodeValToRGB")
    )
    mapping.inputs["Scale"].default_value = scale
    noise.inputs["Scale"].default_value, noise.inputs["Detail"].default_value = 1.0, detail
    noise.inputs["Distortion"].default_value = 0.6
    ramp.color_ramp.elements[0].position, ramp.color_ramp.elements[1].position = 0.3, 0.7
    link(where.outputs["Object"], mapping.inputs[0])
    link(mapping.outputs[0], noise.inputs[0])
    link(noise.outputs[0], ramp.inputs[0])
    return ramp


# light and camera -----------------------------------------------------------------------------------------------------


def lamp(at: Any, target: Any, size: tuple[float, float], power: float, colour: Colour) -> None:
    """A rectangle that shines at the target; `power` is its irradiance there if it faced it, of about 1."""
    light = bpy.data.lights.new("lamp", "AREA")
    light.shape, light.size, light.size_y, light.color = "RECTANGLE", *size, colour
    gap = np.asarray(target, float) - at
    light.energy = power * 4 * np.pi * float(gap @ gap)
    thing = bpy.data.objects.new("lamp", light)
    thing.location = at
    thing.rotation_euler = Vector(gap).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(thing)


def lights(rng: np.random.Generator, reach: float) -> dict[str, Any]:
    """A room's light on a subject of some size at the origin: a window, lamps, a ceiling, in all mixtures."""
    kind = str(rng.choice(["window", "lamps", "overcast", "window and lamp", "desk lamp"]))
    warm = tuple(float(x) for x in (1, rng.uniform(0.75, 0.92), rng.uniform(0.5, 0.8)))
    cool = tuple(float(x) for x in (rng.uniform(0.82, 1), rng.uniform(0.9, 1), 1))
    turn, placed = rng.uniform(0, 2 * np.pi), []
    if "window" in kind:
        away, width = rng.uniform(1200, 2500) + reach, rng.uniform(350, 700)
        middle = np.array([np.cos(turn) * away, np.sin(turn) * away, rng.uniform(600, 1300)])
        across = np.array([-np.sin(turn), np.cos(turn), 0])
        for pane in (-0.55, 0.55):
            lamp(middle + across * pane * width, (0, 0, 0), (0.98 * width, 1.6 * width), rng.uniform(0.5, 1), cool)
        placed.append("window")
    if "lamp" in kind:
        for _ in range(int(rng.integers(1, 4)) if kind == "lamps" else 1):
            angle, high = (
                rng.uniform(0, 2 * np.pi),
                rng.uniform(1200, 2000) if "desk" not in kind else rng.uniform(450, 700),
            )
            out = rng.uniform(0.15, 0.8) * high + 0.5 * reach
            side = rng.uniform(60, 500) if "desk" not in kind else rng.uniform(40, 120)
            lamp(
                (np.cos(angle) * out, np.sin(angle) * out, high + 0.5 * reach),
                (0, 0, 0),
                (side, side),
                rng.uniform(0.4, 1),
                warm,
            )
            placed.append("lamp")
    world = bpy.context.scene.world
    world.use_nodes = True
    level = rng.uniform(0.8, 1.4) if kind == "overcast" else rng.uniform(0.12, 0.5)
    world.node_tree.nodes["Background"].inputs[0].default_value = (*(cool if rng.random() < 0.5 else warm), 1)
    world.node_tree.nodes["Background"].inputs[1].default_value = float(level)
    return {"kind": kind, "lamps": placed, "ambient": float(level)}


def shoot(camera: Camera, focus: Any, subject: Array, aperture: float, effort: tuple[int, int]) -> Array:
    """Render: linear light, rows from the top, `OVERSCAN` beyond the picture on each side, without distortion.

    Where the subject (points, mm) lies, each pixel is drawn with `effort` (samples, threads); what is around it at a
    quarter of the resolution.
    """
    width, height = camera.size[0] + 2 * OVERSCAN, camera.size[1] + 2 * OVERSCAN
    _camera(camera, width, focus, aperture)
    _settings(*effort)
    around = cv2.resize(_render(width // 4, height // 4, None), (width, height), interpolation=cv2.INTER_CUBIC)
    around = cv2.GaussianBlur(around, (0, 0), 6)
    pixels = camera.project(subject) + OVERSCAN
    low = np.clip(np.floor(pixels.min(0)) - MARGIN, 0, None).astype(int)
    high = np.minimum(np.ceil(pixels.max(0)) + MARGIN, [width, height]).astype(int)
    part = _render(width, height, (low[0], low[1], high[0], high[1]))
    x, y = (np.minimum(np.arange(n) + 1, np.arange(n)[::-1] + 1) / 20 for n in (part.shape[1], part.shape[0]))
    share = np.clip(np.minimum(x[None], y[:, None]), 0, 1)[..., None].astype(np.float32)
    window = around[low[1] : high[1], low[0] : high[0]]
    window += share * (part - window)
    return around


def _camera(camera: Camera, width: int, focus: Any, aperture: float) -> None:
    data = bpy.data.cameras.new("phone")
    data.sensor_fit, data.sensor_width = "HORIZONTAL", 36.0
    data.lens = 36.0 * camera.matrix[0, 0] / width
    data.shift_x = (camera.size[0] / 2 - 0.5 - camera.matrix[0, 2]) / width
    data.shift_y = (camera.matrix[1, 2] - camera.size[1] / 2 + 0.5) / width
    data.clip_start, data.clip_end = 5, 1e5
    data.dof.use_dof = aperture > 0
    data.dof.focus_distance = float(camera.rotation[2] @ (np.asarray(focus) - camera.position))
    data.dof.aperture_fstop = data.lens * 1e-3 / max(aperture, 1e-3)
    thing = bpy.data.objects.new("phone", data)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = camera.rotation.T * [1, -1, -1], camera.position
    thing.matrix_world = Matrix(pose.tolist())
    bpy.context.collection.objects.link(thing)
    bpy.context.scene.camera = thing
    body = box("body", (-40, -80, 6), (40, 80, 14), plain((0.02, 0.02, 0.02), Roughness=0.3))
    body.matrix_world = thing.matrix_world


def _settings(samples: int, threads: int) -> None:
    scene = bpy.context.scene
    scene.render.engine, scene.render.resolution_percentage = "CYCLES", 100
    scene.render.threads_mode, scene.render.threads = "FIXED", threads
    scene.render.use_persistent_data = True
    scene.render.image_settings.file_format = "OPEN_EXR"
    cycles = scene.cycles
    cycles.device, cycles.samples, cycles.use_denoising, cycles.use_adaptive_sampling = "CPU", samples, False, False
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces, cycles.transmission_bounces = 6, 1, 2, 6
    cycles.min_light_bounces = 3  # no roulette: at a few samples a pixel its noise is worse than its cost
    cycles.caustics_reflective = cycles.caustics_refractive = cycles.use_light_tree = False
    cycles.sample_clamp_indirect, cycles.sample_clamp_direct = 3.0, 20.0
    scene.world.cycles.sampling_method = "NONE"


def _render(width: int, height: int, part: tuple[int, int, int, int] | None) -> NDArray[np.float32]:
    """The whole picture, or its part from (left, top) to (right, bottom)."""
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = width, height
    render.use_border = render.use_crop_to_border = part is not None
    if part:
        render.border_min_x, render.border_max_x = (part[0] + 0.25) / width, (part[2] + 0.25) / width
        render.border_min_y, render.border_max_y = (
            (height - part[3] + 0.25) / height,
            (height - part[1] + 0.25) / height,
        )
        width, height = part[2] - part[0], part[3] - part[1]
    with tempfile.TemporaryDirectory() as folder:
        render.filepath = str(Path(folder) / "linear.exr")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(render.filepath)
        if tuple(image.size) != (width, height):
            raise RuntimeError(f"drew {tuple(image.size)} pixels instead of {width} x {height}")
        pixels = np.empty(width * height * 4, np.float32)
        image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return np.ascontiguousarray(pixels.reshape(height, width, 4)[::-1, :, :3])
