"""Selections of an author as vertices, and loads as forces on vertices."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.queries import locate, nearest_vertex
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.parts import Load
from vastus.scene.selection import LoadPart, Selection


def vertices_in(selection: Selection, model: Model) -> Ints:
    """The vertices (k,) that a selection chooses; none is an error that says where the model is."""
    X = model.mesh.X
    if selection.region is not None:
        return np.unique(model.mesh.T[model.tets_of([selection.region])])
    chosen = np.flatnonzero(_inside(selection, X))
    if not len(chosen):
        low, high = (", ".join(f"{c:.4g}" for c in f(X, axis=0)) for f in (np.min, np.max))
        raise ModelError(f"no vertex lies there; the model spans [{low}] to [{high}] m")
    return chosen


def tets_in(selection: Selection, model: Model) -> Ints:
    """The tets (k,) of a region, or whose middle lies in a place."""
    if selection.region is not None:
        return model.tets_of([selection.region])
    return np.flatnonzero(_inside(selection, model.mesh.centroids))


def _inside(selection: Selection, X: Floats) -> np.ndarray:
    if selection.box is not None:
        low, high = np.array(selection.box)
        return ((low <= X) & (high >= X)).all(axis=1)
    if selection.sphere is not None:
        offset = X - np.array(selection.sphere.centre)
        return np.linalg.norm(offset, axis=1) <= selection.sphere.radius
    assert selection.plane is not None
    return (X - np.array(selection.plane.point)) @ np.array(selection.plane.normal) >= 0


def load(name: str, part: LoadPart, model: Model) -> Load:
    """The load that an author describes."""
    if part.faces is not None:
        return _on_faces(name, part, model)
    vertices, weights = _at_point(part, model)
    return Load(name, vertices, weights, np.array(part.force, float))


def _on_faces(name: str, part: LoadPart, model: Model) -> Load:
    """A force shared by area, or a traction times the area."""
    assert part.faces is not None
    faces = model.mesh.boundary
    faces = faces[np.isin(faces, vertices_in(part.faces, model)).all(axis=1)]
    areas = _areas(model.mesh, faces)
    if not areas.sum() > 0:
        raise ModelError("no boundary face lies there")
    vertices, corner = np.unique(faces, return_inverse=True)
    weights = np.bincount(corner.ravel(), np.repeat(areas / 3, 3))
    force = part.force if part.force is not None else np.array(part.traction) * areas.sum()
    return Load(name, vertices, weights / weights.sum(), np.array(force, float))


def _areas(mesh: TetMesh, faces: Ints) -> Floats:
    a, b, c = mesh.X[faces].transpose(1, 0, 2)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def _at_point(part: LoadPart, model: Model) -> tuple[Ints, Floats]:
    """Vertices and weights that stand for a point of the tissue, or of a bone's body."""
    if part.bone is not None:
        return _on_bone(part, model)
    point = np.array([part.point], float)
    found = locate(model.mesh, point)
    if found.tets[0] < 0:
        _, distance = nearest_vertex(model.mesh.X, point)
        raise ModelError(
            f"the point is outside the model, {distance[0]:.3g} m from its nearest vertex; "
            "move it inside, or name the bone that carries it"
        )
    return model.mesh.T[found.tets[0]], found.weights[0]


def _on_bone(part: LoadPart, model: Model) -> tuple[Ints, Floats]:
    """The smallest weights whose mean is the point: exact however the bone turns or stretches."""
    assert part.bone is not None
    vertices = np.flatnonzero(model.bone_of_vertex == model.bone(part.bone))
    X = model.mesh.X[vertices]
    middle = X.mean(axis=0)
    offset = np.zeros(3) if part.point is None else np.array(part.point) - middle
    size = np.abs(X - middle).max()
    rows = np.vstack([np.ones(len(X)), (X - middle).T / size])
    return vertices, np.linalg.pinv(rows) @ np.append(1.0, offset / size)
