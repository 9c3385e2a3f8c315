"""A limb of two bones end to end and a muscle between them, as surfaces to be spoilt."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vastus.files.meshes import write_surface
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints

SCENE = """\
vastus: 1
surfaces:
  units: m
  size: 0.02
  envelope: 0.002
  parts:
    upper: {file: upper.obj, tissue: bone}
    lower: {file: lower.obj, tissue: bone}
    flexor: {file: flexor.obj, tissue: muscle}
bones:
  upper: {drive: pinned}
joints:
  elbow: {kind: hinge, bones: [upper, lower], centre: [0, 0, 0.14], axis: [0, 1, 0]}
"""


def tube(centres: Floats, radii: Floats, around: int = 12) -> Surface:
    """A closed tube along centres (k, 3) in the plane y = 0, its first and last radius zero."""
    along = np.gradient(centres, axis=0)
    side = np.cross([0.0, 1.0, 0.0], along)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    angle = np.linspace(0, 2 * np.pi, around, endpoint=False)[:, None, None]
    ring = np.cos(angle) * side + np.sin(angle) * np.array([0.0, 1.0, 0.0])
    rings = (centres + radii[:, None] * ring).transpose(1, 0, 2)[1:-1]
    X = np.vstack([centres[:1], rings.reshape(-1, 3), centres[-1:]])
    return Surface(X, _tube_faces(len(rings), around))


def _tube_faces(rings: int, around: int) -> Ints:
    i, j = np.indices((rings, around))
    here, beside = 1 + i * around + j, 1 + i * around + (j + 1) % around
    first, last = np.zeros(around, int), np.full(around, rings * around + 1)
    a, b, c, d = (corner.ravel() for corner in (here[:-1], beside[:-1], here[1:], beside[1:]))
    rows = [(first, beside[0], here[0]), (last, here[-1], beside[-1]), (a, b, d), (a, d, c)]
    return np.concatenate([np.stack(row, axis=1) for row in rows])


def bone(low: float, high: float, radius: float = 0.012) -> Surface:
    """A rod along z with round ends [m]."""
    turn = np.linspace(0, np.pi / 2, 4)
    middle = np.linspace(low + radius, high - radius, 8)[1:-1]
    ends = radius * (1 - np.cos(turn))
    z = np.concatenate([low + ends, middle, high - ends[::-1]])
    radii = radius * np.concatenate([np.sin(turn), np.ones(len(middle)), np.sin(turn[::-1])])
    return tube(np.outer(z, [0.0, 0.0, 1.0]), radii)


def muscle(side: float = 1.0, low: float = 0.04, high: float = 0.24) -> Surface:
    """A spindle beside the bones whose tips are in them."""
    t = np.linspace(0, 1, 13)
    x = side * (0.011 + 0.016 * np.sin(np.pi * t))
    radii = 0.0035 + 0.0075 * np.sin(np.pi * t) ** 2
    radii[[0, -1]] = 0.0
    return tube(np.stack([x, 0 * t, low + (high - low) * t], axis=1), radii)


def limb() -> dict[str, Surface]:
    """The sound parts [m]."""
    return {"upper": bone(0.15, 0.28), "lower": bone(0.0, 0.13), "flexor": muscle()}


def write_limb(folder: Path, parts: dict[str, Surface], text: str = SCENE) -> Path:
    """Write the parts as OBJ files, and a scene; returns the scene's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in parts.items():
        write_surface(folder / f"{name}.obj", part)
    (folder / "scene.yaml").write_text(text)
    return folder / "scene.yaml"


def together(*bodies: Surface) -> Surface:
    """Several bodies as one surface."""
    starts = np.cumsum([0, *(body.n_vertices for body in bodies[:-1])])
    faces = [body.faces + start for body, start in zip(bodies, starts, strict=True)]
    return Surface(np.vstack([body.X for body in bodies]), np.vstack(faces))


def turned(body: Surface, faces: slice | np.ndarray = np.s_[:]) -> Surface:
    """The body with some faces the wrong way round."""
    rows = body.faces.copy()
    rows[faces] = rows[faces, ::-1]
    return Surface(body.X, rows)


def moved(body: Surface, *by: float) -> Surface:
    """The body elsewhere."""
    return Surface(body.X + np.array(by), body.faces)


def scaled(body: Surface, factor: float) -> Surface:
    """The body in other units."""
    return Surface(body.X * factor, body.faces)


def without(body: Surface, *faces: int) -> Surface:
    """The body with holes."""
    return Surface(body.X, np.delete(body.faces, faces, axis=0))


def with_corner(body: Surface, corner: Floats, *faces: list[int]) -> Surface:
    """The body with one more vertex, called -1 in some more faces."""
    rows = np.array(faces)
    rows[rows < 0] = body.n_vertices
    return Surface(np.vstack([body.X, corner]), np.vstack([body.faces, rows]))


def ball(radius: float, *centre: float) -> Surface:
    """A small round body."""
    turn = np.linspace(0, np.pi, 8)
    radii = radius * np.sin(turn)
    radii[[0, -1]] = 0.0
    return moved(tube(np.outer(-radius * np.cos(turn), [0.0, 0.0, 1.0]), radii), *centre)


def block(low: Floats, high: Floats, cuts: int = 4) -> Surface:
    """A box with flat sides, each cut into squares."""
    u, v = (a.ravel() for a in np.indices((cuts, cuts)))
    X, faces = [], []
    for axis in range(3):
        for level in (0, cuts):
            corners = [np.insert([u + i, v + j], axis, level, axis=0).T for i, j in _SQUARE]
            start = len(faces) * 4 * len(u)
            a, b, c, d = (start + k * len(u) + np.arange(len(u)) for k in range(4))
            both = np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3)
            X.append(np.concatenate(corners))
            faces.append(both if (axis == 1) == (level == 0) else both[:, ::-1])
    raw = np.concatenate(X)
    kept, place = np.unique(raw, axis=0, return_inverse=True)
    return Surface(low + kept / cuts * (np.array(high) - low), place.ravel()[np.concatenate(faces)])


_SQUARE = ((0, 0), (1, 0), (1, 1), (0, 1))
