"""Bodies with line muscles in OpenSim files, placed by OpenSim."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vastus.control.activations.inverse_dynamics import Chain, joined_masses
from vastus.control.activations.line_body import Coordinate, LineBody, chosen_coordinates
from vastus.errors import FileError
from vastus.modelling.lines.lines import chosen
from vastus.modelling.lines.osim import items, open_osim, pose_model
from vastus.modelling.lines.osim_joints import leaders_of, transform, vector
from vastus.numerics.types import Floats

_ROTATION = 1  # how OpenSim marks a coordinate that is an angle, which only then is in degrees


def osim_coordinates(path: Path) -> dict[str, Coordinate]:
    """The coordinates that are neither locked nor follow others, by name."""
    opensim, model = open_osim(path)
    model.initSystem()
    followers, free = leaders_of(opensim, model), {}
    for c in items(model.getCoordinateSet()):
        if c.getName() not in followers and not c.getDefaultLocked():
            free[c.getName()] = Coordinate(c.getName(), c.getMotionType() == _ROTATION)
    return free


def osim_body(path: Path, driven: Sequence[str], muscles: Sequence[str]) -> LineBody:
    """The body, some of whose coordinates are driven.

    Arms are OpenSim's own, which differ a little from how its lines shorten.
    Around an object a line of OpenSim is not quite the shortest, so that its arm by forces, which
    is the one here, is not quite minus the derivative of its length.
    """
    _, model = open_osim(path)
    free = osim_coordinates(path)
    coordinates = chosen_coordinates(driven, free)
    state = model.initSystem()
    found = {muscle.getName(): muscle for muscle in items(model.getMuscles())}
    if not found:
        raise FileError(f"'{path}' has no muscle")
    names = chosen(tuple(muscles), list(found))
    moved = [model.getCoordinateSet().get(name) for name in driven]
    for coordinate in moved:
        coordinate.setClamped(state, False)
    bodies = list(items(model.getBodySet()))

    def places(q: Floats) -> tuple[Floats, Floats]:
        pose_model(model, state, dict(zip(driven, q.tolist(), strict=True)))
        both = [transform(body, state) for body in bodies]
        return np.array([R for R, _ in both]), np.array([t for _, t in both])

    def arms(q: Floats) -> Floats:
        pose_model(model, state, dict(zip(driven, q.tolist(), strict=True)))
        lines = [found[name].getGeometryPath() for name in names]
        return np.array([[line.computeMomentArm(state, c) for line in lines] for c in moved])

    rows = []
    for body in bodies:
        six = body.get_inertia()
        xx, yy, zz, xy, xz, yz = (six.get(k) for k in range(6))
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        rows.append((body.getMass(), vector(body.getMassCenter()), inertia))
    return LineBody(
        coordinates,
        tuple(names),
        np.array([found[name].getMaxIsometricForce() for name in names]),
        np.array([found[name].getMinControl() for name in names]),
        Chain(joined_masses(rows), places, vector(model.getGravity())),
        arms,
        tuple(name for name in free if name not in driven),
    )
