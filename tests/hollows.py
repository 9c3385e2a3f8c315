"""Hollow bodies that tests inflate: thick spheres of layers, and a box with a chamber."""

from __future__ import annotations

import numpy as np

from builders import PASSIVE, box, solid
from vastus import Cavity, Model
from vastus.geometry.indices import groups
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import Law
from vastus.modelling.actuators import hollow
from vastus.modelling.shapes.tube import prism_tets
from vastus.numerics.types import Floats, Ints
from vastus.parts import Pin


def sphere(n: int) -> tuple[Floats, Ints]:
    """Points (p, 3) of the unit sphere and triangles: an octahedron, its edges cut in n."""
    steps = [(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)]
    number = {step: k for k, step in enumerate(steps)}
    up = [((i, j, k), (i + 1, j, k - 1), (i, j + 1, k - 1)) for i, j, k in steps if k]
    down = [
        ((i + 1, j, k - 1), (i + 1, j + 1, k - 2), (i, j + 1, k - 1)) for i, j, k in steps if k > 1
    ]
    patch = np.array([[number[c] for c in face] for face in up + down])
    corners, faces = [], []
    for signs in np.array(np.meshgrid([1, -1], [1, -1], [1, -1])).reshape(3, -1).T:
        turned = patch if np.prod(signs) > 0 else patch[:, ::-1]
        faces.append(turned + len(steps) * len(corners))
        corners.append(np.array(steps) * signs)
    whole = np.concatenate(corners)
    order, starts = groups(whole)
    first = np.zeros(len(whole), np.int64)
    first[starts] = 1
    label = np.empty(len(whole), np.int64)
    label[order] = np.cumsum(first) - 1
    points = np.sin(0.5 * np.pi * whole[order[starts]] / n)  # more even than without the sine
    return points / np.linalg.norm(points, axis=1, keepdims=True), label[np.concatenate(faces)]


def shell(n: int, layers: int, inner: float, outer: float) -> tuple[TetMesh, Ints]:
    """A thick sphere of radii [m] about the origin, and the faces (k, 3) of its inner wall."""
    points, faces = sphere(n)
    radii = np.geomspace(inner, outer, layers + 1)
    X = np.concatenate([r * points for r in radii])
    T = [prism_tets(faces + k * len(points), len(points)) for k in range(layers)]
    return TetMesh(X, np.concatenate(T)).oriented(), faces


def ball(n: int, layers: int, laws: tuple[Law, ...], radii: tuple[float, float], **given) -> Model:
    """A thick sphere with the cavity 'hollow', free to grow and held against all rigid motion."""
    mesh, faces = shell(n, layers, *radii)
    inner = len(np.unique(faces))
    pins = []
    for axis in range(3):
        pole = int(np.argmax(mesh.X[:inner, axis]))
        pins.append(Pin(f"pole {axis}", [pole], tuple(bool(axis != a) for a in range(3))))
    cavity = Cavity("hollow", faces, **given)
    return solid(mesh, laws, pins=tuple(pins), cavities=(cavity,))


def hollow_box(cells: int = 3, size: float = 0.03, laws: tuple[Law, ...] = PASSIVE) -> Model:
    """A cube [m] whose middle cell is empty, held at its lowest face."""
    mesh = box((cells,) * 3, (size,) * 3)
    middle = np.abs(mesh.centroids - size / 2).max(axis=1) < size / cells / 2
    mesh, _ = mesh.submesh(np.flatnonzero(~middle))
    low = np.flatnonzero(mesh.X[:, 2] == 0)
    cavity = Cavity("chamber", hollow(mesh, [size / 2] * 3), pressure=2e3)
    return solid(mesh, laws, pins=(Pin("base", low),), cavities=(cavity,))
