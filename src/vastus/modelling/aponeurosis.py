"""The sheet that an author names as an aponeurosis, as a surface."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.rows import groups
from vastus.geometry.surface import Surface, boundary_surface
from vastus.geometry.tetmesh import FACES
from vastus.model import Model
from vastus.modelling.select import vertices_in
from vastus.numerics.types import Ints
from vastus.scene.base import unknown
from vastus.scene.selection import Selection


def named_sheet(name: str, model: Model) -> Surface:
    """The boundary of the bone or region called `name`."""
    bones = {b.name: b.regions for b in model.bones if b.regions}
    regions = {r.name: (r.name,) for r in model.regions}
    if name not in regions | bones:
        raise ModelError(unknown("bone or region", name, [*bones, *regions]))
    return boundary_surface(model.mesh.submesh(model.tets_of((bones | regions)[name]))[0])[0]


def chosen_sheet(selection: Selection, model: Model, tets: Ints) -> Surface:
    """The boundary of a region, or the faces of some tets whose vertices lie in a place."""
    if selection.region is not None:
        return named_sheet(selection.region, model)
    faces = model.mesh.T[tets][:, FACES].reshape(-1, 3)
    faces = faces[np.isin(faces, vertices_in(selection, model)).all(axis=1)]
    if not len(faces):
        raise ModelError("no face of the muscle lies there; make the place larger")
    order, starts = groups(np.sort(faces, axis=1))
    return _compact(model, faces[order[starts]])


def _compact(model: Model, faces: Ints) -> Surface:
    kept, own = np.unique(faces, return_inverse=True)
    return Surface(model.mesh.X[kept], own.reshape(-1, 3))
