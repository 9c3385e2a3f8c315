"""Cavities and cables as an author describes them: hollows around points, lines through points."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vastus.actuators import Cable, Cavity
from vastus.errors import ModelError
from vastus.geometry.queries import inside, locate, nearest_on_surface
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model, index_of
from vastus.numerics.types import Floats, Ints
from vastus.scene.actuators import CablePart, CavityPart
from vastus.scene.scene import Scene

NEAR = 0.01  # of the model's length: how far a point of a cable may be from tissue unless said


def with_actuators(scene: Scene, model: Model) -> Model:
    """The model with the cavities and cables that its author describes or changes."""
    for name, part in scene.description.cavities.items():
        with scene.places.blame("cavities", name):
            model = _with_cavity(model, name, part)
    for name, cable in scene.description.cables.items():
        with scene.places.blame("cables", name):
            model = _with_cable(model, name, cable)
    return model


def _with_cavity(model: Model, name: str, part: CavityPart) -> Model:
    said = _said(part, "inside")
    others = tuple(cavity for cavity in model.cavities if cavity.name != name)
    if part.inside is None:
        with _new_needs("'inside', a point in its hollow"):
            old = model.cavities[index_of("cavity", name, model.cavities)]
        return model.with_(cavities=(*others, replace(old, **said)))
    cavity = Cavity(name, hollow(model.mesh, part.inside), **said)
    return model.with_(cavities=(*others, cavity))


def _with_cable(model: Model, name: str, part: CablePart) -> Model:
    said = _said(part, "through", "within")
    others = tuple(cable for cable in model.cables if cable.name != name)
    if part.through is None:
        with _new_needs("'through', the points that it runs through"):
            old = model.cables[index_of("cable", name, model.cables)]
        if part.tension is not None:
            said |= {"stiffness": None, "shortening": 0.0}
        if part.stiffness is not None:
            said |= {"tension": 0.0}
        return model.with_(cables=(*others, replace(old, **said)))
    points, weights = anchored(model.mesh, part.through, name=name, within=part.within)
    return model.with_(cables=(*others, Cable(name, points, weights, **said)))


@contextmanager
def _new_needs(place: str) -> Iterator[None]:
    """Say of one that the model does not have what else it would need."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{error}; a new one needs {place}") from None


def _said(part: CavityPart | CablePart, *without: str) -> dict[str, Any]:
    """What the author gives, without some keys."""
    return part.model_dump(exclude_none=True, exclude={*without})


def hollow(mesh: TetMesh, point: ArrayLike) -> Ints:
    """(k, 3) the wall of the smallest hollow of a mesh around a point (3,) [m], faces outward."""
    P = np.asarray(point, float).reshape(1, 3)
    boundary = Surface(mesh.X, mesh.boundary)
    found: list[tuple[float, Ints]] = []
    for piece in range(int(boundary.pieces.max(initial=-1)) + 1):
        # Outward of the tissue is inward of a hollow in it.
        wall = Surface(mesh.X, mesh.boundary[boundary.pieces == piece][:, ::-1])
        if wall.closed and wall.volume > 0 and inside(wall, P)[0]:
            found.append((wall.volume, wall.faces))
    place = ", ".join(f"{c:g}" for c in P[0])
    if not found:
        raise ModelError(
            f"the point [{place}] m lies in no hollow that the mesh closes; "
            "give a point inside of one whose wall has no hole"
        )
    if locate(mesh, P).tets[0] >= 0:
        raise ModelError(f"the point [{place}] m lies in tissue or bone, not in a hollow of it")
    return min(found, key=lambda each: each[0])[1]


def anchored(
    mesh: TetMesh, points: ArrayLike, *, name: str = "cable", within: float | None = None
) -> tuple[Ints, Floats]:
    """Vertices (k, 4) of tets and weights (k, 4) that stand for points (k, 3) [m] of a cable.

    A point outside counts as the nearest place of the surface, if that is `within` a distance [m],
    a hundredth of the mesh's length unless given.
    """
    P = np.asarray(points, float).reshape(-1, 3)
    reach = NEAR * float(np.ptp(mesh.X, axis=0).max()) if within is None else within
    found = locate(mesh, P)
    vertices, weights = mesh.T[found.tets], found.weights.copy()
    lost = np.flatnonzero(found.tets < 0)
    if len(lost):
        near = nearest_on_surface(Surface(mesh.X, mesh.boundary), P[lost])
        far = int(np.argmax(near.distances))
        if near.distances[far] > reach:
            place = ", ".join(f"{c:g}" for c in P[lost[far]])
            raise ModelError(
                f"a cable through nothing: point {lost[far]} of cable '{name}', [{place}] m, is "
                f"{near.distances[far]:.3g} m from the nearest tissue; {reach:.3g} m are allowed"
            )
        faces = mesh.boundary[near.faces]
        vertices[lost, :3], vertices[lost, 3] = faces, faces[:, 0]
        weights[lost, :3], weights[lost, 3] = near.weights, 0.0
    return vertices, weights
