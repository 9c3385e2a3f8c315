"""Fibres as an author asks for them: between two bones or regions, along a line, or as data."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.model import Model
from vastus.modelling.fibres import laplace_fibres
from vastus.numerics.types import Floats, Ints
from vastus.scene.base import unknown
from vastus.scene.fibres import Fibres
from vastus.scene.scene import LabelledMesh, Scene


def with_fibres(scene: Scene, model: Model) -> Model:
    """The model with the fibres of each muscle and its tendons; other tissue has none."""
    if not isinstance(scene.base, LabelledMesh):
        return model
    fibre = np.zeros_like(model.fibre)
    for name, part in scene.description.muscles.items():
        with scene.places.blame("muscles", name):
            if part.fibres is None:
                raise ModelError("the key 'fibres' is missing")
        tets = np.flatnonzero(model.muscle_of_tet == model.muscle(name))
        with scene.places.blame("muscles", name, "fibres"):
            fibre[tets] = _unit(_fibres(part.fibres, scene.base, model, tets))
    return model.with_(fibre=fibre)


def _fibres(said: Fibres, base: LabelledMesh, model: Model, tets: Ints) -> Floats:
    """(k, 3) the directions in the given tets, of any length."""
    if said.direction is not None:
        return np.tile(said.direction, (len(tets), 1))
    if said.data is not None:
        return _data(said.data, base)[tets]
    own = np.unique(model.mesh.T[tets])
    named = (said.start or (), said.end or ())
    ends = [np.concatenate([_end(n, model, own) for n in names]) for names in named]
    return laplace_fibres(model.mesh, tets, *ends)


def _end(name: str, model: Model, own: Ints) -> Ints:
    """The vertices of a muscle's own that belong to the bone or region called `name`."""
    bones, regions = [b.name for b in model.bones], [r.name for r in model.regions]
    if name in bones:
        shared = own[model.bone_of_vertex[own] == bones.index(name)]
    elif name in regions:
        shared = np.intersect1d(own, model.mesh.T[model.tets_of([name])])
    else:
        raise ModelError(unknown("bone or region", name, [*bones, *regions]))
    if not len(shared):
        raise ModelError(f"the muscle touches '{name}' nowhere: they share no vertex")
    return shared


def _data(name: str, base: LabelledMesh) -> Floats:
    vectors = [n for n, values in base.cells.items() if np.shape(values)[1:] == (3,)]
    if name not in vectors:
        raise ModelError(unknown("cell vectors", name, vectors))
    return np.asarray(base.cells[name], float)


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=1)
    bad = ~(size > 0)
    if bad.any():
        raise ModelError(f"{bad.sum()} of {len(size)} tets of the muscle have no fibre direction")
    return vectors / size[:, None]
