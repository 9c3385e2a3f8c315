"""The files that a scene names: a labelled mesh, a saved model, a table of activations."""

from __future__ import annotations

import csv
import io
from math import isfinite
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.geometry.tetmesh import TetMesh
from vastus.io.limits import TEXT, read_bytes
from vastus.io.meshes import read_surface
from vastus.io.model_file import load_model
from vastus.io.tet_sets import read_tets
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.scene.anatomy import MeshFile
from vastus.scene.places import Places
from vastus.scene.scene import LabelledMesh, Shells
from vastus.scene.schema import Description
from vastus.scene.sets import members
from vastus.scene.surfaces import Surfaces


def read_base(
    said: Description, folder: Path, places: Places
) -> LabelledMesh | Model | Shells | None:
    """The mesh [m], model or surfaces that the scene starts from; None if it is procedural."""
    if said.surfaces is not None:
        return _shells(said.surfaces, folder, places)
    if said.mesh is not None:
        return _mesh(said.mesh, folder, places)
    if said.model is not None and said.model.file is not None:
        with places.blame("model", "file"):
            return load_model(folder / said.model.file)
    return None


def _shells(said: Surfaces, folder: Path, places: Places) -> Shells:
    shells = {}
    for name, part in said.parts.items():
        with places.blame("surfaces", "parts", name, "file"):
            shells[name] = read_surface(folder / said.folder / part.file)
    return shells


def _mesh(said: MeshFile, folder: Path, places: Places) -> LabelledMesh:
    with places.blame("mesh", "file"):
        found = read_tets(folder / said.file)
        mesh = TetMesh(found.mesh.X * said.metres, found.mesh.T)
    if (mesh.volumes < 0).all():  # another convention for the order of vertices, not an error
        mesh = mesh.oriented()
    base = LabelledMesh(mesh, found.cell_data, found.point_data)
    with places.blame("mesh", "ignore"):
        left_out = _left_out(said, base)
    return base.keeping(~left_out) if left_out.any() else base


def _left_out(said: MeshFile, base: LabelledMesh) -> np.ndarray:
    """(m,) the tets with a label, or in a set, that is to be ignored."""
    labels = [given for given in said.ignore if isinstance(given, int)]
    sets = [given for given in said.ignore if isinstance(given, str)]
    out = np.zeros(base.mesh.n_tets, bool)
    if labels and said.labels in base.cells:
        out |= np.isin(base.cells[said.labels], labels)
    for name in sets:
        out |= members(base.cells, name)
    return out


def read_curves(said: Description, folder: Path, places: Places) -> dict[str, Floats]:
    """The columns (k,) of the activation file: `time` [s], and a muscle's name each."""
    if said.inputs.activation_file is None:
        return {}
    with places.blame("inputs", "activation_file"):
        return _columns(folder / said.inputs.activation_file)


def _columns(path: Path) -> dict[str, Floats]:
    try:
        rows = list(csv.reader(io.StringIO(read_bytes(path, TEXT).decode("utf-8", "replace"))))
    except csv.Error:
        raise FileError(f"'{path}' is not a table in CSV") from None
    names = [name.strip() for name in rows[0]] if rows else []
    if "time" not in names or len(rows) < 3:
        raise FileError(f"'{path}' needs a column 'time' and at least two rows")
    written = [(line, row) for line, row in enumerate(rows, 1) if row and line > 1]
    table = [_numbers(row, len(names), f"'{path}', line {line}") for line, row in written]
    columns = dict(zip(names, np.array(table).T, strict=True))
    if (np.diff(columns["time"]) <= 0).any():
        raise FileError(f"the times in '{path}' do not increase")
    return columns


def _numbers(row: list[str], count: int, where: str) -> list[float]:
    if len(row) != count:
        raise FileError(f"{where}: there are {len(row)} values, but {count} columns")
    for cell in row:
        try:
            good = isfinite(float(cell))
        except ValueError:
            good = False
        if not good:
            raise FileError(f"{where}: '{cell.strip()}' is not a finite number")
    return [float(cell) for cell in row]
