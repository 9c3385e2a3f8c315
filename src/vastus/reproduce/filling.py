"""Bodies filled with cubes of six tets, or read from a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.geometry.queries import inside
from vastus.geometry.tetmesh import TetMesh
from vastus.io.meshes import MESH_FORMATS, SURFACE_FORMATS, read_mesh, read_surface
from vastus.modelling.bar import box
from vastus.numerics.types import Bools, Floats

Inside = Callable[[Floats], Bools]
_ROUNDING = 1e-9


def egg(tets: int) -> TetMesh:
    """An egg of 15 cm that stands on its blunt end, y up."""

    def holds(points: Floats) -> Bools:
        height = points[:, 1] / 0.075
        radius = 0.055 * (1.0 - 0.15 * height)
        return points[:, 0] ** 2 + points[:, 2] ** 2 < radius**2 * np.clip(1 - height**2, 0, None)

    return filled(holds, np.array([[-0.07, -0.075, -0.07], [0.07, 0.075, 0.07]]), tets)


def body_from(path: Path, sizes: Sequence[int]) -> list[TetMesh]:
    """The tet mesh of a file, or a closed surface filled to several sizes."""
    if path.suffix.lower() in MESH_FORMATS:
        mesh = read_mesh(path).mesh.oriented()
        _require_volume(path, mesh.X, mesh.volumes.sum())
        return [_largest_piece(mesh)]
    if path.suffix.lower() not in SURFACE_FORMATS:
        known = ", ".join([*MESH_FORMATS, *SURFACE_FORMATS])
        raise FileError(f"'{path}' is neither a tet mesh nor a surface; known are {known}")
    surface = read_surface(path)
    if not surface.closed:
        edges = len(surface.boundary_edges)
        raise FileError(f"'{path}' is not closed: {edges} of its edges belong to one face only")
    _require_volume(path, surface.X, surface.volume)
    ends = np.array([surface.X.min(axis=0), surface.X.max(axis=0)])
    return [filled(lambda points: inside(surface, points), ends, tets) for tets in sizes]


def _require_volume(path: Path, X: Floats, volume: float) -> None:
    """Refuse a body of points X (n, 3) and a volume [m³] that is flat or nothing, to rounding."""
    sides = np.ptp(X, axis=0)
    if sides.min() <= _ROUNDING * sides.max():
        told = " x ".join(f"{side:g}" for side in sides)
        raise FileError(f"'{path}' is flat, {told} m; a body has three dimensions")
    if abs(volume) <= _ROUNDING * sides.prod():
        raise FileError(f"'{path}' encloses no volume; its faces must surround a body")


def filled(holds: Inside, ends: Floats, tets: int) -> TetMesh:
    """About so many tets in cubes whose middle `holds` contains, within the box `ends` (2, 3)."""
    size = ends[1] - ends[0]
    edge = float(np.cbrt(6 * size.prod() / tets))
    for _ in range(3):  # the box is fuller than the body
        mesh = _cubes(holds, ends, edge)
        edge *= float(np.cbrt(mesh.n_tets / tets))
    return _largest_piece(_cubes(holds, ends, edge))


def _cubes(holds: Inside, ends: Floats, edge: float) -> TetMesh:
    size = ends[1] - ends[0]
    nx, ny, nz = (max(2, round(side / edge)) for side in size)
    whole = box((nx, ny, nz), (float(size[0]), float(size[1]), float(size[2])))
    shift = ends.mean(axis=0) - (whole.X.min(axis=0) + whole.X.max(axis=0)) / 2
    middles = np.floor((whole.centroids - whole.X.min(axis=0)) / (size / (nx, ny, nz))) + 0.5
    places = middles * (size / (nx, ny, nz)) + ends[0]
    kept = np.flatnonzero(holds(places))
    if not len(kept):
        raise FileError("the body is too thin to be filled with cubes")
    mesh, _ = whole.submesh(kept)
    return TetMesh(mesh.X + shift, mesh.T)


def _largest_piece(mesh: TetMesh) -> TetMesh:
    pieces = np.bincount(mesh.components)
    return mesh.submesh(mesh.components == pieces.argmax())[0]
