"""The state that a motion begins with: which bodies fly and spin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from vastus.errors import known
from vastus.model import Model
from vastus.numerics.types import Bools, Floats
from vastus.parts import Drive
from vastus.scene.scene import Scene
from vastus.solvers.ties import make_skeleton
from vastus.state import State, rest

Three = tuple[float, float, float]


@dataclass(frozen=True)
class Flight:
    """A velocity [m/s], and a spin [rad/s] about a body's centre of mass."""

    velocity: Three = (0.0, 0.0, 0.0)
    spin: Three = (0.0, 0.0, 0.0)


def set_off(model: Model, flights: Flight | Mapping[str, Flight]) -> State:
    """The model as it was meshed, all of it in flight, or the named bodies.

    A body is a bone, a muscle with its tendons, or a region. Where bodies share vertices the later
    counts, but a bone moves all that it carries; pinned and scripted bones, and pins, stay.
    """
    state, X = rest(model), model.mesh.X
    whole = {"": flights} if isinstance(flights, Flight) else flights
    centres = make_skeleton(model, tied=False).centre
    v, twists = state.v.copy(), state.twists.copy()
    mass = _masses(model)
    for name, flight in whole.items():
        part = _vertices(model, name)
        centre = mass[part] @ X[part] / mass[part].sum()
        spin, velocity = np.array(flight.spin, float), np.array(flight.velocity, float)
        v[part] = velocity + np.cross(spin, X[part] - centre)
        for index, bone in enumerate(model.bones):
            if bone.drive is Drive.FREE and name in ("", bone.name):
                linear = velocity + np.cross(spin, centres[index] - centre)
                twists[index] = np.concatenate([spin, linear])
    for index in range(len(model.bones)):
        carried = model.bone_of_vertex == index
        spin, linear = twists[index, :3], twists[index, 3:]
        v[carried] = linear + np.cross(spin, X[carried] - centres[index])
    return replace(state, v=np.where(model.held, 0.0, v), twists=twists)


def started(scene: Scene, model: Model) -> State | None:
    """The state that a scene begins with, if it says so."""
    given = scene.description.start
    if given is None:
        return None
    with scene.places.blame("start"):
        if isinstance(given, dict):
            return set_off(
                model, {name: Flight(**part.model_dump()) for name, part in given.items()}
            )
        return set_off(model, Flight(**given.model_dump()))


def _masses(model: Model) -> Floats:
    """(n,) a quarter of each tet's mass [kg] at its corners."""
    density = np.array([r.density for r in model.regions])[model.region]
    share = np.repeat(density * model.mesh.volumes / 4, 4)
    return np.asarray(np.bincount(model.mesh.T.ravel(), share, minlength=model.mesh.n_vertices))


def _vertices(model: Model, name: str) -> Bools:
    """(n,) the vertices of a body; of all without a name."""
    bones, muscles = [b.name for b in model.bones], [m.name for m in model.muscles]
    regions = [r.name for r in model.regions]
    if name in bones:
        return np.asarray(model.bone_of_vertex == model.bone(name))
    if name in muscles:
        tets = model.muscle_of_tet == model.muscle(name)
    elif name in regions:
        tets = model.region == regions.index(name)
    elif name:
        raise known("body", name, dict.fromkeys([*bones, *muscles, *regions]))
    else:
        tets = np.ones(model.mesh.n_tets, bool)
    found = np.zeros(model.mesh.n_vertices, bool)
    found[model.mesh.T[tets]] = True
    return found
