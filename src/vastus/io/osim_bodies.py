"""Bodies of an OpenSim model as bones: surfaces in place, and joints seen from their motion."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.geometry.surface import Surface
from vastus.io.meshes import SURFACE_FORMATS, read_surface
from vastus.modelling.lines.distance import merged
from vastus.modelling.lines.parts import JointKind, LineBone, LineJoint
from vastus.numerics.types import Floats
from vastus.skeleton.skeleton import least_squares

_TURN = 0.1  # [rad] by which a coordinate is moved to see its axis
_PURE = 1e-3  # [m] that a hinge may shift


def vector(v: Any) -> Floats:
    """(3,) the numbers of a vector of OpenSim's."""
    return np.array([v.get(k) for k in range(3)])


def placed(frame: Any, state: Any, point: Floats) -> Floats:
    """(3,) where a point of a frame is in the ground."""
    A, t = _transform(frame, state)
    return A @ point + t


def bones_of(
    opensim: ModuleType, model: Any, state: Any, folder: Path, touched: set[str]
) -> tuple[LineBone, ...]:
    """The bodies, and the ground if it is `touched`, with their joints.

    Surfaces are read where their files are there and readable.
    """
    bodies = model.getBodySet()
    found = {}
    for k in range(bodies.getSize()):
        body = bodies.get(k)
        found[body.getName()] = _surface(opensim, body, state, folder)
    joints = model.getJointSet()
    hung = {}
    for k in range(joints.getSize()):
        joint = joints.get(k)
        parent = joint.getParentFrame().findBaseFrame()
        child = joint.getChildFrame().findBaseFrame()
        if parent.getName() in found:
            hung[child.getName()] = (parent.getName(), _joint(model, state, joint, parent, child))
    ground = [LineBone(name, None) for name in sorted(touched - set(found))]
    bones = [LineBone(name, shape, *hung.get(name, ())) for name, shape in found.items()]
    return tuple(ground + bones)


def _joint(model: Any, state: Any, joint: Any, parent: Any, child: Any) -> LineJoint:
    centre = vector(joint.getParentFrame().getPositionInGround(state))
    other = LineJoint(joint.getName(), JointKind.OTHER, centre, np.zeros(3))
    if joint.getConcreteClassName() == "BallJoint":
        return LineJoint(joint.getName(), JointKind.BALL, centre, np.zeros(3))
    if joint.numCoordinates() != 1:
        return other
    coordinate = joint.get_coordinates(0)
    screws = [_screw(model, state, coordinate, parent, child, sign) for sign in (-1, 1)]
    if any(screw is None for screw in screws):
        return other
    (one, way), (two, same) = screws  # type: ignore[misc]
    apart = np.linalg.norm(np.cross(two - one, way))
    if apart > _PURE or way @ same < 1 - 1e-4:
        return other
    A, t = _transform(parent, state)
    along = A @ way
    middle = A @ one + t
    middle = middle + along * ((centre - middle) @ along)
    return LineJoint(coordinate.getName(), JointKind.HINGE, middle, along)


def _screw(
    model: Any, state: Any, coordinate: Any, parent: Any, child: Any, sign: int
) -> tuple[Floats, Floats] | None:
    """A point and the unit way of the axis that a coordinate turns about, seen from the parent."""
    kept = coordinate.getValue(state)
    before = _relative(parent, child, state)
    coordinate.setValue(state, kept + sign * _TURN)
    model.realizePosition(state)
    after = _relative(parent, child, state)
    coordinate.setValue(state, kept)
    model.realizePosition(state)
    R = after[0] @ before[0].T
    t = after[1] - R @ before[1]
    turn = sign * Rotation.from_matrix(R).as_rotvec()
    angle = np.linalg.norm(turn)
    if angle < 0.5 * _TURN or abs(t @ turn) > _PURE * angle:
        return None
    return least_squares(np.eye(3) - R, t), turn / angle


def _relative(parent: Any, child: Any, state: Any) -> tuple[Floats, Floats]:
    (A, a), (B, b) = _transform(parent, state), _transform(child, state)
    return A.T @ B, A.T @ (b - a)


def _transform(frame: Any, state: Any) -> tuple[Floats, Floats]:
    whole = frame.getTransformInGround(state)
    R = whole.R()
    return np.array([[R.get(i, j) for j in range(3)] for i in range(3)]), vector(whole.p())


def _surface(opensim: ModuleType, body: Any, state: Any, folder: Path) -> Surface | None:
    shapes = []
    for k in range(body.getPropertyByName("attached_geometry").size()):
        mesh = opensim.Mesh.safeDownCast(body.get_attached_geometry(k))
        file = None if mesh is None else _file(folder, mesh.get_mesh_file())
        if file is not None:
            raw = read_surface(file)
            A, t = _transform(body, state)
            X = raw.X * vector(mesh.get_scale_factors())
            shapes.append(Surface(X @ A.T + t, raw.faces))
    return merged(shapes) if shapes else None


def _file(folder: Path, name: str) -> Path | None:
    """The file of a mesh, or one of the same name in a format that can be read."""
    for place in (folder, folder / "Geometry"):
        for suffix in (Path(name).suffix, *SURFACE_FORMATS):
            file = (place / name).with_suffix(suffix)
            if suffix in SURFACE_FORMATS and file.exists():
                return file
    return None
