"""Fibres as an author asks for them: between bones or regions, along a line, or as data."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.model import Model, Tissue
from vastus.modelling.aponeurosis import chosen_sheet, named_sheet
from vastus.modelling.fibre_data import nearest_data, own_data
from vastus.modelling.fibres import laplace_fibres
from vastus.modelling.pennation import pennate
from vastus.numerics.types import Floats, Ints
from vastus.scene.base import unknown
from vastus.scene.fibres import Fibres, Pennation
from vastus.scene.scene import LabelledMesh, Scene
from vastus.scene.selection import Selection

MUSCLE = list(Tissue).index(Tissue.MUSCLE)


def with_fibres(scene: Scene, model: Model) -> Model:
    """The model with the fibres that its author gives; the other muscles keep theirs.

    A labelled mesh has none to keep, so there each muscle needs them.
    """
    fibre = model.fibre.copy()
    for name, part in scene.description.muscles.items():
        with scene.places.blame("muscles", name):
            if part.fibres is None and isinstance(scene.base, LabelledMesh):
                raise ModelError("the key 'fibres' is missing")
        if part.fibres is not None:
            tets = np.flatnonzero(model.muscle_of_tet == model.muscle(name))
            with scene.places.blame("muscles", name, "fibres"):
                fibre[tets] = _asked(scene, name, model, tets)
    return model.with_(fibre=fibre)


def _asked(scene: Scene, name: str, model: Model, tets: Ints) -> Floats:
    """(k, 3) the unit fibres of a muscle in its tets."""
    said = scene.description.muscles[name].fibres
    assert said is not None
    fibre = _unit(_along(said, scene, name, model, tets))
    if said.pennation is None:
        return fibre
    with scene.places.blame("muscles", name, "fibres", "pennation"):
        sheet = _sheet(said.pennation, scene.sheets.get(name), model, tets)
        return _pennate(said.pennation, sheet, model, tets, fibre)


def _along(said: Fibres, scene: Scene, name: str, model: Model, tets: Ints) -> Floats:
    """(k, 3) the directions in the given tets, of any length, without pennation."""
    if said.direction is not None:
        return np.tile(said.direction, (len(tets), 1))
    if name in scene.vectors:
        return nearest_data(scene.vectors[name], model.mesh, tets)
    if said.data is not None:
        if not isinstance(scene.base, LabelledMesh):
            raise ModelError("'data' are in the mesh's file, but there is no mesh: give a 'file'")
        return own_data(scene.base, said.data, tets)
    own = np.unique(model.mesh.T[tets])
    ends = (said.start or (), said.end or ())
    return laplace_fibres(model.mesh, tets, *(_attached(names, model, own) for names in ends))


def _attached(names: tuple[str, ...], model: Model, own: Ints) -> Ints:
    return np.concatenate([_shared(name, model, own) for name in names])


def _shared(name: str, model: Model, own: Ints) -> Ints:
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


def _sheet(said: Pennation, filed: Surface | None, model: Model, tets: Ints) -> Surface:
    if filed is not None:
        return filed
    if isinstance(said.aponeurosis, Selection):
        return chosen_sheet(said.aponeurosis, model, tets)
    return named_sheet(str(said.aponeurosis), model)


def _pennate(said: Pennation, sheet: Surface, model: Model, tets: Ints, fibre: Floats) -> Floats:
    """The fibres (k, 3), turned in muscle tissue; tendons pull along the muscle."""
    belly = model.tissue[tets] == MUSCLE
    middle = model.mesh.centroids[tets[belly]]
    out = fibre.copy()
    out[belly] = pennate(fibre[belly], middle, sheet, np.radians(said.angle), said.end)
    return out


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=1)
    bad = ~(size > 0)
    if bad.any():
        raise ModelError(f"{bad.sum()} of {len(size)} tets of the muscle have no fibre direction")
    return vectors / size[:, None]
