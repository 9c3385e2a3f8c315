"""What the files that a scene names hold: meshes, surfaces, fibres, curves and tables of laws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError, ModelError
from vastus.files.foreign import by_suffix, existing
from vastus.files.meshes import MESH_FORMATS, LabelledMesh, read_raw, read_surface
from vastus.files.model_file import load_model
from vastus.files.motion_files import (
    TIME,
    Motion,
    csv_rows,
    finite_numbers,
    read_motion,
    read_table,
)
from vastus.files.solids import Curves, load_solids, read_fascicles
from vastus.files.tet_sets import read_tets
from vastus.geometry.bspline.solid import BSplineSolid
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats
from vastus.scene.body import TABLE, Material, MeshFile, Term
from vastus.scene.fibres import FibrePart, Fibres, Samples, Sheet, SolidFibres
from vastus.scene.scene import Description, Shape, Shells, Source
from vastus.scene.schema import Path as Keys
from vastus.scene.schema import Places, Unit, unknown
from vastus.scene.surfaces import Surfaces

VECTOR_FORMATS = {suffix: MESH_FORMATS[suffix].module for suffix in (".vtu", ".msh")}


def files_of_fibres(said: Description) -> list[tuple[Keys, Path]]:
    """The files that a scene names for fibres, each with the key that names it."""
    named = [(_key(name, "file"), f.file) for name, f in _fibres(said) if f.file is not None]
    curves = [(_key(n, "curves"), f.curves) for n, f in _solids(said) if f.curves is not None]
    return named + curves + [(_key(name, "pennation"), sheet.file) for name, sheet in _sheets(said)]


def read_vectors(said: Description, folder: Path, places: Places) -> dict[str, Samples]:
    """The fibre vectors of each muscle whose author names a file of them."""
    found = {}
    for name, fibres in _fibres(said):
        if isinstance(fibres, Fibres) and fibres.file is not None:
            with places.blame(*_key(name, "file")):
                scale = _metres(fibres.units, said, fibres.file)
                points, vectors = read_samples(folder / fibres.file, str(fibres.data))
                found[name] = Samples(points * scale, vectors)
    return found


def read_solids(
    said: Description, folder: Path, places: Places
) -> dict[str, dict[str, BSplineSolid]]:
    """The solids [m] of each muscle whose author names a file of them."""
    found = {}
    for name, fibres in _solids(said):
        if fibres.file is not None:
            with places.blame(*_key(name, "file")):
                found[name] = load_solids(folder / fibres.file)
    return found


def read_curves_of_fibres(said: Description, folder: Path, places: Places) -> dict[str, Curves]:
    """The curves [m] of each muscle whose author names a file of them."""
    found = {}
    for name, fibres in _solids(said):
        if fibres.curves is not None:
            with places.blame(*_key(name, "curves")):
                scale = _metres(fibres.units, said, fibres.curves)
                curves = read_fascicles(folder / fibres.curves)
                found[name] = {g: [scale * c for c in own] for g, own in curves.items()}
    return found


def read_sheets(said: Description, folder: Path, places: Places) -> dict[str, Surface]:
    """The aponeurosis [m] of each muscle whose author names a file of it."""
    found = {}
    for name, sheet in _sheets(said):
        with places.blame(*_key(name, "pennation")):
            scale = _metres(sheet.units, said, sheet.file)
            surface = read_surface(folder / sheet.file)
            found[name] = Surface(surface.X * scale, surface.faces)
    return found


def read_samples(path: Path, name: str) -> tuple[Floats, Floats]:
    """The places and values (k, 3) of the vectors called `name` that are not zero.

    Vectors on cells of any kind are placed at their middle. Where cells and points have vectors of
    that name, those of the cells are taken.
    """
    raw = read_raw(path, by_suffix(existing(path), VECTOR_FORMATS))
    places = _on_points(raw) | _on_cells(raw)
    if name not in places:
        raise FileError(f"'{path}': {unknown('vectors', name, list(places))}")
    points, vectors = places[name]
    if not np.isfinite(vectors).all():
        raise FileError(f"'{path}' has vectors '{name}' that are not finite numbers")
    some = vectors.any(axis=1)
    if not some.any():
        raise FileError(f"the vectors '{name}' of '{path}' are all zero")
    return points[some], vectors[some]


def _on_points(raw: Any) -> dict[str, tuple[Floats, Floats]]:
    return {n: (raw.points, np.asarray(v, float)) for n, v in raw.point_data.items() if _three(v)}


def _on_cells(raw: Any) -> dict[str, tuple[Floats, Floats]]:
    names = [n for n, blocks in raw.cell_data.items() if all(_three(v) for v in blocks)]
    if not names:
        return {}
    middle = np.concatenate([raw.points[block.data].mean(axis=1) for block in raw.cells])
    return {n: (middle, np.concatenate(raw.cell_data[n]).astype(float)) for n in names}


def _three(values: np.ndarray) -> bool:
    return np.shape(values)[1:] == (3,)


def _metres(given: Unit | None, said: Description, file: Path) -> float:
    """The unit of a file [m]: its own if given, else that of what the scene starts from."""
    if given is None and said.mesh is not None:
        return said.mesh.metres
    unit = given or (said.surfaces.units if said.surfaces else Unit.M)
    if unit is None:
        raise FileError(f"the units of '{file}' are not given, nor are those of the surfaces")
    return unit.metres


def _solids(said: Description) -> list[tuple[str, SolidFibres]]:
    return [(name, part) for name, part in _fibres(said) if isinstance(part, SolidFibres)]


def _fibres(said: Description) -> list[tuple[str, FibrePart]]:
    return [(name, part.fibres) for name, part in said.muscles.items() if part.fibres is not None]


def _sheets(said: Description) -> list[tuple[str, Sheet]]:
    pennate = [(name, f.pennation) for name, f in _fibres(said) if f.pennation is not None]
    return [(n, p.aponeurosis) for n, p in pennate if isinstance(p.aponeurosis, Sheet)]


def _key(name: str, *keys: str) -> Keys:
    return ("muscles", name, "fibres", *keys)


def read_source(said: Description, folder: Path, places: Places) -> Source:
    """What the scene starts from: its surfaces, its mesh [m], a saved model or a shape."""
    if said.surfaces is not None:
        return _shells(said.surfaces, folder, places)
    if said.mesh is not None:
        return _mesh(said.mesh, folder, places)
    assert said.model is not None
    if said.model.file is None:
        return Shape(str(said.model.shape), said.model.options)
    with places.blame("model", "file"):
        return load_model(folder / said.model.file)


def _shells(said: Surfaces, folder: Path, places: Places) -> Shells:
    shells = Shells()
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
    source = LabelledMesh(mesh, found.cell_data, found.point_data)
    with places.blame("mesh", "ignore"):
        left_out = _left_out(said, source)
    return source.keeping(~left_out) if left_out.any() else source


def _left_out(said: MeshFile, source: LabelledMesh) -> np.ndarray:
    """(m,) the tets with a label, or in a set, that is to be ignored."""
    labels = [given for given in said.ignore if isinstance(given, int)]
    sets = [given for given in said.ignore if isinstance(given, str)]
    out = np.zeros(source.mesh.n_tets, bool)
    if labels and said.labels in source.cell_data:
        out |= np.isin(source.cell_data[said.labels], labels)
    for name in sets:
        out |= in_set(source, name)
    return out


def in_set(mesh: LabelledMesh, name: str) -> np.ndarray:
    """(m,) whether each tet is in the set called `name`: cell data that are all one or zero."""
    sets = [other for other, values in mesh.cell_data.items() if _is_set(values)]
    if name not in sets:
        raise ModelError(unknown("set", name, sets))
    return np.asarray(mesh.cell_data[name]).astype(bool)


def _is_set(values: np.ndarray) -> bool:
    flags = np.asarray(values)
    return flags.ndim == 1 and flags.dtype.kind in "biu" and bool(np.isin(flags, (0, 1)).all())


def read_curves(said: Description, folder: Path, places: Places) -> dict[str, Floats]:
    """The columns (k,) of the activation file: `time` [s], and a muscle's name each."""
    if said.inputs.activation_file is None:
        return {}
    with places.blame("inputs", "activation_file"):
        read = read_table(folder / said.inputs.activation_file)
        return {TIME: read.times, **read.columns}


def files_of_motions(said: Description) -> list[tuple[Keys, Path]]:
    """The files that a scene names for the motions of joints, each with the key that names it."""
    filed = said.inputs.filed_joints
    return [(("inputs", "joints", name, "file"), part.file) for name, part in filed.items()]


def read_motions(said: Description, folder: Path, places: Places) -> dict[str, Motion]:
    """The motion of each joint whose author names a file of it."""
    found, read = {}, dict[Path, Motion]()
    for name, part in said.inputs.filed_joints.items():
        with places.blame("inputs", "joints", name, "file"):
            found[name] = read.get(part.file) or read_motion(folder / part.file)
            read[part.file] = found[name]
    return found


def _read_tables(material: Material, folder: Path, places: Places, keys: Keys) -> Material:
    """The material with the tables that its laws name as CSV files below a folder."""
    read = [_with_tables(term, folder, places, at) for at, term in _terms(material, keys)]
    return read[0] if isinstance(material, Term) else tuple(read)


def _with_tables(term: Term, folder: Path, places: Places, keys: Keys) -> Term:
    tables = {}
    for name, file in _tables(term):
        with places.blame(*keys, name):
            tables[name] = _table(folder / file, name)
    return term.model_copy(update=tables)


def _table(path: Path, name: str) -> list[tuple[float, float]]:
    """The first column of a CSV file with the one of this name, or else with the second."""
    rows = [(k, row) for k, row in enumerate(csv_rows(path), 1) if row]
    head = [cell.strip() for cell in rows[0][1]] if rows else []
    named = any(not _is_number(cell) for cell in head)
    column = head.index(name) if name in head else 1
    if len(head) < 2 or len(rows) < 2 + named:
        raise FileError(f"'{path}' needs two columns and at least two rows of numbers")
    table = [finite_numbers(row, len(head), f"'{path}', line {k}") for k, row in rows[named:]]
    return [(row[0], row[column]) for row in table]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _tables(term: Term) -> list[tuple[str, Path]]:
    """The parameters of a law that name a table, with its file."""
    given = term.parameters.items()
    return [(k, Path(v)) for k, v in given if isinstance(v, str) and v.lower().endswith(TABLE)]


def _terms(material: Material, keys: Keys) -> list[tuple[Keys, Term]]:
    if isinstance(material, Term):
        return [(keys, material)]
    return [((*keys, i), term) for i, term in enumerate(material)]


def _materials(said: Description) -> list[tuple[Keys, Material]]:
    """What a scene says tissues and regions are made of, each with its key."""
    regions = [
        (("regions", name, "material"), part.material) for name, part in said.regions.items()
    ]
    return [
        *((("materials", name), material) for name, material in said.materials.items()),
        *((keys, material) for keys, material in regions if material is not None),
    ]


def files_of_laws(said: Description) -> list[tuple[Keys, Path]]:
    """The tables that the laws of a scene name, each with the key that names it."""
    terms = [pair for keys, material in _materials(said) for pair in _terms(material, keys)]
    return [((*keys, name), file) for keys, term in terms for name, file in _tables(term)]


def with_law_tables(said: Description, folder: Path, places: Places) -> Description:
    """What a scene says, with the tables that its laws name."""
    read = {keys: _read_tables(m, folder, places, keys) for keys, m in _materials(said)}
    regions = {
        name: part.model_copy(update={"material": read.get(("regions", name, "material"))})
        for name, part in said.regions.items()
    }
    materials = {name: read["materials", name] for name in said.materials}
    return said.model_copy(update={"materials": materials, "regions": regions})
