"""Tet meshes (VTU, Gmsh, Medit) and triangle surfaces (OBJ, STL, PLY, VTP, GLB, GLTF) as files.

The region of each tet is the cell data `region` in every format, whatever the file calls it.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError
from vastus.files.bounds import Limit, Lzma, Zlib, require_xml
from vastus.files.foreign import built, by_suffix, existing, loaded, writing
from vastus.files.surface_formats import SURFACE_FORMATS
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh

Arrays = Mapping[str, np.ndarray]

REGION = "region"
# What else files call it, best first.
_ALIASES = (REGION, "gmsh:physical", "medit:ref", "gmsh:geometrical")
# The parts of meshio's modules that read. They believe whatever a file announces, so while they do
# they see another `numpy`, `range`, `zlib` and `lzma`, which make no more than the file can hold.
_INSIDE: dict[str, tuple[str, ...]] = {
    "vtu": ("vtu._vtu",),
    "gmsh": ("gmsh.common", "gmsh._gmsh22", "gmsh._gmsh40", "gmsh._gmsh41"),
    "medit": ("medit._medit",),
}
_one_at_a_time = threading.Lock()


def read_raw(path: Path, module: str) -> Any:
    """What meshio's module makes of a file, in bounded memory and time."""
    read = import_module(f"meshio.{module}").read
    if module == "vtu":
        require_xml(str(existing(path)))
    with _one_at_a_time, _bounded(existing(path), _INSIDE[module]):
        return loaded(path, read)


@contextmanager
def _bounded(path: Path, modules: tuple[str, ...]) -> Iterator[None]:
    from unittest.mock import patch  # loads servers and encryption

    limit = Limit.of(path)
    seen = {"np": _Numpy(limit), "range": limit.range, "zlib": Zlib(limit), "lzma": Lzma(limit)}
    with ExitStack() as stack:
        for name in modules:
            inside = import_module(f"meshio.{name}")
            for word, ours in seen.items():
                if word == "range" or hasattr(inside, word):
                    stack.enter_context(patch.object(inside, word, ours, create=True))
        yield


class _Numpy:
    """numpy, but no array larger than the file can fill."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self.empty, self.zeros, self.ones, self.full = (
            self._made(make) for make in (np.empty, np.zeros, np.ones, np.full)
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def _made(self, make: Callable[..., Any]) -> Callable[..., Any]:
        def bounded(shape: Any, *rest: Any, **options: Any) -> Any:
            self._limit.require(8 * prod(int(n) for n in np.atleast_1d(shape)))
            return make(shape, *rest, **options)

        return bounded

    def arange(self, *ends: Any, **options: Any) -> Any:
        """Numbers in a row."""
        self._limit.require(8 * len(builtins.range(*(int(end) for end in ends))))
        return np.arange(*ends, **options)

    def fromfile(self, file: Any, dtype: Any = float, count: int = -1, **options: Any) -> Any:
        """Numbers of a file."""
        self._limit.require(int(count) * np.dtype(dtype).itemsize)
        return np.fromfile(file, dtype, count, **options)


@dataclass(frozen=True, eq=False)
class LabelledMesh:
    """A mesh with data on its tets (m, ...) and vertices (n, ...), by name."""

    mesh: TetMesh
    cell_data: Arrays = field(default_factory=dict)
    point_data: Arrays = field(default_factory=dict)

    def keeping(self, kept: np.ndarray) -> LabelledMesh:
        """The mesh and data of some tets, given as a mask (m,)."""
        mesh, vertices = self.mesh.submesh(kept)
        cells = {name: values[kept] for name, values in self.cell_data.items()}
        points = {name: values[vertices] for name, values in self.point_data.items()}
        return LabelledMesh(mesh, cells, points)


@dataclass(frozen=True)
class TetFormat:
    """How meshio handles a format: its module, its names for `region`, and options to write."""

    module: str
    labels: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    only_labels: bool = False


MESH_FORMATS: dict[str, TetFormat] = {
    # Compression would take four times as long as the rest of writing.
    ".vtu": TetFormat("vtu", (REGION,), {"compression": None}),
    # Version 4 keeps labels by geometric entity, which a bare mesh has none of; 2.2 by tet.
    ".msh": TetFormat("gmsh", ("gmsh:physical", "gmsh:geometrical"), {"fmt_version": "2.2"}),
    ".mesh": TetFormat("medit", ("medit:ref",), only_labels=True),
}


def read_mesh(path: str | Path) -> LabelledMesh:
    """The tets of a VTU, MSH or Medit file with their data; other cells are left out."""
    path = existing(Path(path))
    raw = read_raw(path, by_suffix(path, MESH_FORMATS).module)
    T = raw.get_cells_type("tetra")
    if not len(T):
        others = ", ".join(sorted({block.type for block in raw.cells})) or "no cells"
        raise FileError(f"'{path}' has no tets; it has {others}")
    cell_data = {name: raw.get_cell_data(name, "tetra") for name in raw.cell_data}
    return LabelledMesh(
        built(path, TetMesh, raw.points, T), _labelled(cell_data), _own(raw.point_data)
    )


def write_mesh(
    path: str | Path,
    mesh: TetMesh,
    *,
    cell_data: Arrays | None = None,
    point_data: Arrays | None = None,
) -> None:
    """Write a VTU (exact, binary), MSH or Medit file, whole or not at all.

    Data are (m,) or (m, k) on tets, (n,) or (n, k) on vertices. Medit holds only `region`; Gmsh
    keeps whole numbers only for `region`, and takes vectors of 1, 3 or 9 components.
    """
    path = Path(path)
    form = by_suffix(path, MESH_FORMATS)
    cells = _table(path, "cell", cell_data or {}, mesh.n_tets, "tets")
    points = _table(path, "point", point_data or {}, mesh.n_vertices, "vertices")
    surplus = [*(set(cells) - {REGION}), *points]
    if form.only_labels and surplus:
        name = min(surplus)
        raise FileError(f"cannot write '{name}' to '{path}': {path.suffix} holds only regions")
    with writing(path) as part:
        _save_tets(part, mesh, _renamed(path, cells, form), points, form)


def read_surface(path: str | Path) -> Surface:
    """The triangles of a surface file, in its units; vertices at the same place are joined.

    Polygons are cut into triangles. Of a GLB or GLTF file all meshes are taken, each where its
    nodes put it.
    """
    path = existing(Path(path))
    X, faces = loaded(path, by_suffix(path, SURFACE_FORMATS).read)
    if not len(faces):
        raise FileError(f"'{path}' has no triangles that can be read")
    return _joined(built(path, Surface, X, faces))


def write_surface(path: str | Path, surface: Surface) -> None:
    """Write an OBJ or VTP (exact), STL, PLY, GLB or GLTF (single precision) file, or nothing."""
    path = Path(path)
    form = by_suffix(path, SURFACE_FORMATS)
    with writing(path) as part:
        form.write(part, surface)


def _labelled(cell_data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    label = next((cell_data[name] for name in _ALIASES if name in cell_data), None)
    region = {} if label is None else {REGION: _whole(label)}
    return _own(cell_data) | region


def _renamed(path: Path, cells: dict[str, np.ndarray], form: TetFormat) -> dict[str, np.ndarray]:
    """The cell data with the region under the names that the format has for it."""
    label = cells.pop(REGION, None)
    if label is None:
        return cells
    if label.dtype.kind not in "iu" or label.ndim != 1:
        raise FileError(f"cannot write '{path}': each region must be one whole number")
    return cells | dict.fromkeys(form.labels, label)


def _whole(label: np.ndarray) -> np.ndarray:
    exact = np.isfinite(label).all() and (label == np.round(label)).all()
    return label.astype(np.int64) if exact else label


def _own(data: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The data without what formats keep for themselves."""
    return {name: a for name, a in data.items() if not name.startswith(("gmsh:", "medit:"))}


def _table(path: Path, kind: str, data: Arrays, rows: int, what: str) -> dict[str, np.ndarray]:
    """The data as arrays that formats know: native numbers in at most two dimensions."""
    out = {}
    for name, given in data.items():
        a = np.asarray(given)
        if a.shape[:1] != (rows,):
            shape = f"shape {a.shape}, but there are {rows} {what}"
            raise FileError(f"cannot write '{path}': {kind} data '{name}' has {shape}")
        a = a.astype(np.uint8) if a.dtype == bool else a
        out[name] = a.reshape(rows, -1) if a.ndim > 2 else a
    return out


def _save_tets(part: Path, mesh: TetMesh, cells: Arrays, points: Arrays, form: TetFormat) -> None:
    meshio = import_module("meshio")
    raw = meshio.Mesh(
        mesh.X,
        [("tetra", mesh.T.astype(np.int32))],
        point_data=dict(points),
        cell_data={name: [a] for name, a in cells.items()},
    )
    import_module(f"meshio.{form.module}").write(str(part), raw, **form.options)


def _joined(surface: Surface) -> Surface:
    """The surface with each place once, in the order of first mention."""
    _, first, place = np.unique(surface.X, axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return Surface(surface.X[np.sort(first)], rank[place.ravel()][surface.faces])
