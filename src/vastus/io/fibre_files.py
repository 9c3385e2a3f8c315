"""Files that a scene names for fibres: vectors on any mesh, and sheets of tendon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError
from vastus.geometry.surface import Surface
from vastus.io.foreign import by_suffix, existing
from vastus.io.meshes import MESH_FORMATS, read_surface
from vastus.io.meshio_files import read_raw
from vastus.numerics.types import Floats
from vastus.scene.base import unknown
from vastus.scene.fibres import Fibres, Samples, Sheet
from vastus.scene.places import Path as Keys
from vastus.scene.places import Places
from vastus.scene.schema import Description
from vastus.scene.units import Unit

VECTOR_FORMATS = {suffix: MESH_FORMATS[suffix].module for suffix in (".vtu", ".msh")}


def files_of_fibres(said: Description) -> list[tuple[Keys, Path]]:
    """The files that a scene names for fibres, each with the key that names it."""
    vectors = [(_key(name, "file"), f.file) for name, f in _fibres(said) if f.file is not None]
    return vectors + [(_key(name, "pennation"), sheet.file) for name, sheet in _sheets(said)]


def read_vectors(said: Description, folder: Path, places: Places) -> dict[str, Samples]:
    """The fibre vectors of each muscle whose author names a file of them."""
    found = {}
    for name, fibres in _fibres(said):
        if fibres.file is not None:
            with places.blame(*_key(name, "file")):
                scale = _metres(fibres.units, said, fibres.file)
                points, vectors = read_samples(folder / fibres.file, str(fibres.data))
                found[name] = Samples(points * scale, vectors)
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


def _fibres(said: Description) -> list[tuple[str, Fibres]]:
    return [(name, part.fibres) for name, part in said.muscles.items() if part.fibres is not None]


def _sheets(said: Description) -> list[tuple[str, Sheet]]:
    pennate = [(name, f.pennation) for name, f in _fibres(said) if f.pennation is not None]
    return [(n, p.aponeurosis) for n, p in pennate if isinstance(p.aponeurosis, Sheet)]


def _key(name: str, *keys: str) -> Keys:
    return ("muscles", name, "fibres", *keys)
