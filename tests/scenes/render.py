"""Rendering a scene: every pixel is a few rays, met with the sheet or a solid, shaded, blurred, and stored as JPEG."""

from __future__ import annotations

import io
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image

from tests.scenes.scene import Lens, Piece, Scene

FINE = 2
"""Rays a pixel in each direction; the lens's blur comes after them."""
_NODES = 8
Ground = tuple[np.ndarray, tuple[float, float]]
"""A texture in linear light and its size in mm."""


@lru_cache(maxsize=4)
def sheet_light(name: str, paper: str = "a4", per_mm: float = 12.0) -> Ground:
    """A sheet's PDF, drawn by an independent renderer at twice the resolution and averaged in linear light."""
    import pypdfium2

    from inspect_kit.certificate.pages.targets import draw_targets
    from inspect_kit.vision.reference import sheets

    makers = {"mat": lambda: sheets.mat(sheets.Paper(paper)), "charuco": lambda: sheets.charuco(sheets.Paper(paper)),
              "card": lambda: sheets.card(1), "backdrop": sheets.backdrop}  # fmt: skip
    document = pypdfium2.PdfDocument(draw_targets([makers[name]()]))
    document_size = document[0].get_size()
    codes = document[0].render(scale=2 * per_mm * 25.4 / 72).to_numpy()[:, :, :3][:, :, ::-1]
    document.close()
    height, width = codes.shape[0] // 2 * 2, codes.shape[1] // 2 * 2
    fine = cv2.resize(to_linear(codes), (width, height), interpolation=cv2.INTER_LINEAR)
    size = tuple(side * 25.4 / 72 for side in document_size)
    return 0.04 + 0.82 * cv2.resize(fine, (width // 2, height // 2), interpolation=cv2.INTER_AREA), size  # type: ignore


def to_linear(codes: np.ndarray) -> np.ndarray:
    value = np.arange(256) / 255
    table = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return table[codes]


def to_codes(light: np.ndarray) -> np.ndarray:
    value = np.clip(light, 0, 1)
    return np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1 / 2.4) - 0.055) * 255


def ray_grid(lens: Lens, box: tuple[int, int, int, int], rotation: np.ndarray) -> np.ndarray:
    """Directions in the sheet's frame for every fine sample of a box of pixels (left, top, width, height)."""
    left, top, width, height = box
    # One node more on every side: between the outermost ones everything is interpolated, nothing held.
    across, down = int(np.ceil(width / _NODES)) + 2, int(np.ceil(height / _NODES)) + 2
    x, y = np.meshgrid(left - 0.5 + (np.arange(across) - 0.5) * _NODES, top - 0.5 + (np.arange(down) - 0.5) * _NODES)
    flat = _unbent(lens, (x - lens.centre[0]) / lens.focal, (y - lens.centre[1]) / lens.focal)
    directions = np.dstack([*flat, np.ones_like(x)]) @ rotation
    directions = (directions / np.linalg.norm(directions, axis=2, keepdims=True)).astype(np.float32)
    size = (across * _NODES * FINE, down * _NODES * FINE)
    first = _NODES * FINE
    wide = cv2.resize(directions, size, interpolation=cv2.INTER_LINEAR)
    return wide[first : first + height * FINE, first : first + width * FINE]


def _unbent(lens: Lens, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    k1, k2, p1, p2, k3 = lens.bend
    x, y = u.copy(), v.copy()
    for _ in range(30):
        s = x * x + y * y
        radial = 1 + k1 * s + k2 * s**2 + k3 * s**3
        x, y = (
            (u - 2 * p1 * x * y - p2 * (s + 2 * x * x)) / radial,
            (v - p1 * (s + 2 * y * y) - 2 * p2 * x * y) / radial,
        )
    return x, y


def project(scene: Scene, points: np.ndarray) -> np.ndarray:
    """Where points of the sheet's frame are seen, for truth and for cutting out regions."""
    lens, seen = scene.lens, (points - scene.stand.place()) @ scene.stand.rotation().T
    x, y = seen[:, 0] / seen[:, 2], seen[:, 1] / seen[:, 2]
    k1, k2, p1, p2, k3 = lens.bend
    s = x * x + y * y
    radial = 1 + k1 * s + k2 * s**2 + k3 * s**3
    u = x * radial + 2 * p1 * x * y + p2 * (s + 2 * x * x)
    v = y * radial + p1 * (s + 2 * y * y) + 2 * p2 * x * y
    return np.column_stack([lens.focal * u + lens.centre[0], lens.focal * v + lens.centre[1]])


def render_light(scene: Scene, sheet: Ground | str = "mat", ground: float = 0.35) -> np.ndarray:
    """The picture in linear light, before noise; `sheet` is a sheet's name or a texture with its size."""
    texture = sheet_light(sheet) if isinstance(sheet, str) else sheet
    left, top, width, height = box = _drawn_box(scene, texture[1])
    canvas = np.empty((height * FINE, width * FINE, 3), np.float32)
    for start in range(0, height, 256):
        rows = min(256, height - start)
        part = _ground_light(scene, texture, ground, (left, top + start, width, rows))
        canvas[start * FINE : (start + rows) * FINE] = part
    for piece in sorted(scene.pieces, key=lambda p: -np.linalg.norm(scene.stand.place()[:2] - [p.x, p.y])):
        _draw_piece(canvas, scene, piece, box)
    soft = cv2.GaussianBlur(canvas, (0, 0), scene.sensor.blur * FINE)
    # Away from the sheet there is nothing but the plain table.
    way = scene.lamp.way[2] / float(np.linalg.norm(scene.lamp.way))
    plain = ground * (scene.lamp.strength * way + scene.lamp.everywhere)
    light = np.full((scene.lens.height, scene.lens.width, 3), plain, np.float32)
    light[top : top + height, left : left + width] = cv2.resize(soft, (width, height), interpolation=cv2.INTER_AREA)
    return light * _evenness(scene)[:, :, None] * np.array(scene.lamp.tint, np.float32)


def _drawn_box(scene: Scene, size: tuple[float, float]) -> tuple[int, int, int, int]:
    """The part of the picture in which the sheet and the pieces lie, with room for blur and shadows."""
    x, y = (side * scene.print_scale / 2 + 25 for side in size)
    reach = [(p.x + a * p.diameter, p.y + b * p.diameter) for p in scene.pieces for a in (-1, 1) for b in (-1, 1)]
    edge = [(u * x, v * y) for u in (-1, -0.5, 0, 0.5, 1) for v in (-1, -0.5, 0, 0.5, 1)]
    seen = project(scene, np.array([(*place, 0.0) for place in (*edge, *reach)]))
    low = np.clip(np.floor(seen.min(axis=0)), 0, [scene.lens.width - 8, scene.lens.height - 8]).astype(int)
    high = np.clip(np.ceil(seen.max(axis=0)), low + 8, [scene.lens.width, scene.lens.height]).astype(int)
    return int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1])


def _evenness(scene: Scene) -> np.ndarray:
    lens, lamp = scene.lens, scene.lamp
    x = np.linspace(-1, 1, lens.width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, lens.height, dtype=np.float32)[:, None]
    return (1 + lamp.slope[0] * x + lamp.slope[1] * y) * (1 - lamp.vignette * (x * x + y * y) / 2)


def _ground_light(scene: Scene, sheet: Ground, ground: float, box: tuple[int, int, int, int]) -> np.ndarray:
    texture, size = sheet
    directions = ray_grid(scene.lens, box, scene.stand.rotation())
    place = scene.stand.place().astype(np.float32)
    reach = -place[2] / directions[:, :, 2]
    x, y = place[0] + reach * directions[:, :, 0], place[1] + reach * directions[:, :, 1]
    rows, columns = texture.shape[:2]
    # The renderer of the PDF stretches the page to whole pixels: its true scale is the picture's size over the page's.
    wide, high = (side * scene.print_scale for side in size)
    u = x * np.float32(columns / wide) + np.float32(columns / 2 - 0.5)
    v = y * np.float32(-rows / high) + np.float32(rows / 2 - 0.5)
    value = cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(ground,) * 3)
    way = np.array(scene.lamp.way) / np.linalg.norm(scene.lamp.way)
    lit, open_sky = np.ones_like(x), np.ones_like(x)
    for piece in scene.pieces:
        window = _window(scene, piece, box)
        if window is not None:
            _darken(scene, piece, way, x[window] - piece.x, y[window] - piece.y, lit[window], open_sky[window])
    return (
        value
        * (np.float32(scene.lamp.strength * way[2]) * lit + np.float32(scene.lamp.everywhere) * open_sky)[:, :, None]
    )


def _window(scene: Scene, piece: Piece, box: tuple[int, int, int, int]) -> tuple[slice, slice] | None:
    """The fine samples of a box that can lie in a piece's shadow."""
    reach = piece.diameter / 2 + 2.5 * piece.thickness
    corners = np.array([[piece.x + a * reach, piece.y + b * reach, 0.0] for a in (-1, 1) for b in (-1, 1)])
    seen = (project(scene, corners) - [box[0], box[1]]) * FINE
    low = np.maximum(seen.min(axis=0).astype(int) - 4, 0)
    high = np.minimum(seen.max(axis=0).astype(int) + 4, [box[2] * FINE, box[3] * FINE])
    return (slice(low[1], high[1]), slice(low[0], high[0])) if np.all(high > low) else None


def _darken(scene: Scene, piece: Piece, way: np.ndarray, px: np.ndarray, py: np.ndarray, lit: np.ndarray,
            open_sky: np.ndarray) -> None:  # fmt: skip
    """Lamp light less the shadow the piece casts, and light from everywhere less what it hides close by."""
    shift = -way[:2] / way[2] * piece.thickness
    along = np.clip((px * shift[0] + py * shift[1]) / max(shift @ shift, 1e-9), 0, 1)
    outside = np.hypot(px - along * shift[0], py - along * shift[1]) - piece.diameter / 2
    width = 0.03 + scene.lamp.softness * piece.thickness * along
    lit *= np.clip(0.5 + outside / (2 * width), 0, 1)
    apart = np.maximum(np.hypot(px, py) - piece.diameter / 2 + piece.rim * 0.5, 0)
    open_sky *= 1 - 0.45 * np.exp(-apart / (0.35 * piece.thickness))


def _draw_piece(canvas: np.ndarray, scene: Scene, piece: Piece, drawn: tuple[int, int, int, int]) -> None:
    around = np.linspace(0, 2 * np.pi, 32)
    r = piece.diameter / 2 * 1.03
    ring = np.concatenate([np.column_stack([piece.x + r * np.cos(around), piece.y + r * np.sin(around),
                                            np.full(32, z)]) for z in (0.0, piece.thickness)])  # fmt: skip
    seen = project(scene, ring)
    low = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 3, drawn[:2])
    high = np.minimum(np.ceil(seen.max(axis=0)).astype(int) + 4, [drawn[0] + drawn[2], drawn[1] + drawn[3]])
    if np.any(high - low < 2):
        return
    box = (int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))
    directions = ray_grid(scene.lens, box, scene.stand.rotation()).astype(np.float64)
    hit, points, normals = _meet(scene, piece, directions.reshape(-1, 3))
    left, top = box[0] - drawn[0], box[1] - drawn[1]
    part = canvas[top * FINE : (top + box[3]) * FINE, left * FINE : (left + box[2]) * FINE]
    flat = part.reshape(-1, 3)
    flat[hit] = _shade(scene, piece, points, normals, directions.reshape(-1, 3)[hit])
    part[:] = flat.reshape(part.shape)


def _meet(scene: Scene, piece: Piece, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sphere tracing on the distance to the rounded cylinder: which rays hit, where, and the normals there."""
    place = scene.stand.place() - np.array([piece.x, piece.y, piece.thickness / 2])
    # Start where the ray enters the cylinder around the piece, from above or through its wall.
    radius = piece.diameter / 2 + 0.01
    a = (directions[:, :2] ** 2).sum(axis=1) + 1e-15
    b = directions[:, :2] @ place[:2]
    root = b * b - a * (place[:2] @ place[:2] - radius**2)
    t = (piece.thickness / 2 + 0.01 - place[2]) / directions[:, 2]
    t = np.maximum(t, (-b - np.sqrt(np.maximum(root, 0))) / a)
    alive = np.nonzero(root > 0)[0]
    for _ in range(120):
        gap = _distance(piece, place + t[alive, None] * directions[alive])
        t[alive] += gap
        below = place[2] + t[alive] * directions[alive, 2] < -piece.thickness / 2 - 0.01
        alive = alive[(gap > 2e-4) & ~below]
        if not len(alive):
            break
    points = place + t[:, None] * directions
    hit = np.nonzero((_distance(piece, points) < 1.5e-3) & (points[:, 2] > -piece.thickness / 2 - 0.005))[0]
    at, step = points[hit], 1e-4
    slopes = [_distance(piece, at + step * axis) - _distance(piece, at - step * axis) for axis in np.eye(3)]
    normals = np.stack(slopes, axis=1)
    return hit, at, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)


def _distance(piece: Piece, points: np.ndarray) -> np.ndarray:
    rim = min(piece.rim, piece.thickness / 2 - 1e-6)
    out = np.hypot(points[:, 0], points[:, 1]) - (piece.diameter / 2 - rim)
    up = np.abs(points[:, 2]) - (piece.thickness / 2 - rim)
    return np.minimum(np.maximum(out, up), 0) + np.hypot(np.maximum(out, 0), np.maximum(up, 0)) - rim


def _shade(scene: Scene, piece: Piece, points: np.ndarray, normals: np.ndarray, directions: np.ndarray) -> np.ndarray:
    lamp = scene.lamp
    way = np.array(lamp.way) / np.linalg.norm(lamp.way)
    share = np.hypot(points[:, 0], points[:, 1]) / (piece.diameter / 2)
    face = normals[:, 2] > 0.5
    albedo = np.repeat(np.array(piece.colour, np.float64)[None], len(points), axis=0)
    for inner, outer, factor in piece.rings:
        albedo[face & (share > inner) & (share < outer)] *= factor
    lit = np.maximum(normals @ way, 0)
    # The upper half of what a surface sees is sky, the lower half the sheet, which is darker the nearer to the foot.
    foot = np.clip(points[:, 2] / piece.thickness + 0.5, 0, 1)
    sky = 0.5 * (1 + normals[:, 2]) + 0.5 * (1 - normals[:, 2]) * (0.1 + 0.2 * foot)
    value = albedo * (lamp.strength * lit + lamp.everywhere * sky)[:, None]
    mirror = directions - 2 * np.sum(directions * normals, axis=1, keepdims=True) * normals
    gleam = np.maximum(mirror @ way, 0)
    value += piece.gloss * (gleam**40)[:, None]
    if piece.metal is not None:
        ring = face & (share > piece.metal[0]) & (share < piece.metal[1])
        angle = np.arctan2(points[ring, 1], points[ring, 0])
        streak = 0.35 + 0.3 * np.cos(2 * angle + 0.7) + 0.12 * np.cos(5 * angle)
        value[ring] = np.maximum(streak, 0.05)[:, None] * np.array([0.97, 1.0, 1.02])
    return value.astype(np.float32)


def photograph(scene: Scene, sheet: Ground | str = "mat", ground: float = 0.35) -> bytes:
    """The scene as a JPEG file."""
    light = render_light(scene, sheet, ground)
    random = np.random.default_rng(scene.seed)
    spread = np.sqrt(np.maximum(light, 0) * scene.sensor.noise**2 + scene.sensor.read_noise**2).astype(np.float32)
    light = light + spread * random.standard_normal(light.shape, dtype=np.float32)
    codes = np.clip(np.round(to_codes(light)), 0, 255).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(codes).save(buffer, "JPEG", quality=scene.sensor.jpeg)
    return buffer.getvalue()
