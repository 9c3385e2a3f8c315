"""Tets whose regions are lists of tets with a name each: `.npz` files, and folders of DMAT files.

A set of tets becomes cell data, true where a tet is in it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.files.foreign import built, by_suffix
from vastus.files.meshes import MESH_FORMATS, LabelledMesh, read_mesh
from vastus.files.npz import Arrays, read_npz
from vastus.files.safe import read_bytes
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats

NPZ, DMAT = ".npz", ".dmat"
VERTICES, TETS = "V", "T"
PREFIX, SUFFIX = "idx_", "_indices"  # of names that are always sets
PREFERRED = "tet_mesh_"  # the mesh, where a folder has several
BINARY = (0, 0)  # a first line that no matrix has: a second one with the size follows
LIMIT = 64  # bytes that a line with a size may have


def read_dmat(path: Path) -> Floats:
    """The matrix (rows, columns) of a DMAT file; a line says columns and rows, which go down."""
    contents = read_bytes(path)
    try:
        return _matrix(contents)
    except (ValueError, OverflowError):
        raise FileError(f"'{path}' is truncated or not a .dmat file") from None


def _matrix(contents: bytes) -> Floats:
    size, rest = _size(contents)
    if size == BINARY:
        (columns, rows), rest = _size(rest)
        values = np.frombuffer(rest, "<f8", count=rows * columns)
    else:
        columns, rows = size
        values = np.array(rest.split(), dtype=np.float64)
    return values.reshape(columns, rows).T


def _size(contents: bytes) -> tuple[tuple[int, int], bytes]:
    """Columns and rows from the first line, and what follows it."""
    line, _, rest = contents.partition(b"\n")
    columns, rows = (int(word) for word in line[:LIMIT].split())
    if columns < 0 or rows < 0:
        raise ValueError("a size below zero")
    return (columns, rows), rest


def read_tets(path: Path) -> LabelledMesh:
    """The tets of a file in any format, or of a folder of DMAT files."""
    readers = {**dict.fromkeys(MESH_FORMATS, read_mesh), NPZ: read_sets}
    return read_folder(path) if os.path.isdir(path) else by_suffix(path, readers)(path)


def read_sets(path: str | Path) -> LabelledMesh:
    """The tets T (m, 4) and vertices V (n, 3) of a `.npz` file, with its sets and cell data.

    Arrays called `idx_...` or `..._indices`, and other rows of whole numbers, are sets unless they
    have a number for each tet; arrays with m rows are cell data. What else there is, is left out.
    """
    path = Path(path)
    arrays = read_npz(path)
    for name in (VERTICES, TETS):
        if name not in arrays:
            there = ", ".join(arrays) or "none"
            raise FileError(f"'{path}' has no array '{name}'; arrays: {there}")
    return _mesh(path, arrays.pop(VERTICES), arrays.pop(TETS), arrays)


def read_folder(path: str | Path) -> LabelledMesh:
    """The mesh in a folder of DMAT files, of which one ends in `_V` and one in `_T`.

    The others are sets and cell data, as in a `.npz` file, by the names of their files.
    """
    path = Path(path)
    files = {file.stem: file for file in sorted(path.glob(f"*{DMAT}"))}
    X, T = (read_dmat(files.pop(_only(path, list(files), name))) for name in (VERTICES, TETS))
    return _mesh(path, X, T, {name: _narrow(read_dmat(file)) for name, file in files.items()})


def _only(path: Path, names: list[str], wanted: str) -> str:
    """The one name of a folder that is, or ends in an underscore and, the wanted letter."""
    found = [name for name in names if name == wanted or name.endswith(f"_{wanted}")]
    preferred = [name for name in found if name == f"{PREFERRED}{wanted}"]
    if len(preferred or found) != 1:
        there = ", ".join(f"{name}{DMAT}" for name in found) or "none"
        raise FileError(f"'{path}' needs one file that ends in _{wanted}{DMAT}; there: {there}")
    return (preferred or found)[0]


def _narrow(matrix: np.ndarray) -> np.ndarray:
    return matrix[:, 0] if matrix.shape[1:] == (1,) else matrix


def _mesh(
    path: Path, X: np.ndarray, T: np.ndarray, others: Mapping[str, np.ndarray]
) -> LabelledMesh:
    mesh = built(path, TetMesh, X, _whole(T))
    cells: Arrays = {}
    for name, values in others.items():
        if _is_set(name, values, mesh.n_tets):
            cells[name] = _mask(path, name, _whole(values), mesh.n_tets)
        elif values.shape[:1] == (mesh.n_tets,):
            cells[name] = values
    return LabelledMesh(mesh, cells)


def _is_set(name: str, values: np.ndarray, count: int) -> bool:
    """Whether an array lists tets, by its name or by what it holds."""
    if name.startswith(PREFIX) or name.endswith(SUFFIX):
        return True
    whole = _whole(values)
    if whole.ndim != 1 or len(whole) == count or whole.dtype.kind not in "iu":
        return False
    return bool(((whole >= 0) & (whole < count)).all())


def _mask(path: Path, name: str, tets: np.ndarray, count: int) -> np.ndarray:
    """(m,) whether each tet is in the set."""
    if tets.size and (tets.ndim != 1 or tets.dtype.kind not in "iu"):
        raise FileError(f"'{path}': the set '{name}' is not a list of whole numbers")
    tets = tets.ravel().astype(np.int64)
    outside = tets[(tets < 0) | (tets >= count)]
    if len(outside):
        raise FileError(f"'{path}': the set '{name}' names tet {outside[0]}, but there are {count}")
    mask = np.zeros(count, bool)
    mask[tets] = True
    return mask


def _whole(values: np.ndarray) -> np.ndarray:
    """The values as whole numbers, if that is what they are."""
    if values.dtype.kind != "f":
        return values
    exact = (np.abs(values) < 2.0**53).all() and (values == np.round(values)).all()
    return values.astype(np.int64) if exact else values
