"""Line muscles and bones of an OpenSim model (.osim), in its default pose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from vastus.errors import FileError, MissingExtra, known
from vastus.files.foreign import existing
from vastus.files.meshes import SURFACE_FORMATS, read_surface
from vastus.geometry.signed_distance import merged
from vastus.geometry.surface import Surface
from vastus.materials.fibres.curves import Rows
from vastus.modelling.lines.lines import (
    LineBone,
    LineMuscle,
    Lines,
    LineWrap,
    chosen,
    usable,
)
from vastus.modelling.lines.osim_joints import JointOf, leaders_of, transform, vector
from vastus.numerics.types import Floats

_SWEEP = 7  # values of each coordinate at which lengths are taken


def placed(frame: Any, state: Any, point: Floats) -> Floats:
    """(3,) where a point of a frame is in the ground."""
    A, t = transform(frame, state)
    return A @ point + t


def bones_of(
    opensim: ModuleType, model: Any, state: Any, folder: Path, touched: set[str]
) -> tuple[LineBone, ...]:
    """The bodies, and the ground if it is `touched`, with their joints.

    Surfaces are read where their files are there; others are missing.
    """
    bodies = model.getBodySet()
    found = {}
    for k in range(bodies.getSize()):
        body = bodies.get(k)
        found[body.getName()] = _surface(opensim, body, state, folder)
    joints, leaders = model.getJointSet(), leaders_of(opensim, model)
    hung = {}
    for k in range(joints.getSize()):
        joint = joints.get(k)
        parent = joint.getParentFrame().findBaseFrame()
        child = joint.getChildFrame().findBaseFrame()
        if parent.getName() in found:
            found_joint = JointOf(model, state, joint, leaders).line_joint()
            hung[child.getName()] = (parent.getName(), found_joint)
    ground = [LineBone(name, None) for name in sorted(touched - set(found))]
    bones = [
        replace(LineBone(name, shape, *hung.get(name, ())), missing=missing)
        for name, (shape, missing) in found.items()
    ]
    return tuple(ground + bones)


def _surface(
    opensim: ModuleType, body: Any, state: Any, folder: Path
) -> tuple[Surface | None, tuple[str, ...]]:
    """The surface of a body, if it has one, and the files of its geometry that are not there."""
    shapes, missing = [], []
    for k in range(body.getPropertyByName("attached_geometry").size()):
        mesh = opensim.Mesh.safeDownCast(body.get_attached_geometry(k))
        file = None if mesh is None else _file(folder, mesh.get_mesh_file())
        if file is not None:
            raw = read_surface(file)
            A, t = transform(body, state)
            X = raw.X * vector(mesh.get_scale_factors())
            shapes.append(Surface(X @ A.T + t, raw.faces))
        elif mesh is not None:
            missing.append(str(mesh.get_mesh_file()))
    return merged(shapes) if shapes else None, tuple(missing)


def _file(folder: Path, name: str) -> Path | None:
    """The file of a mesh, or one of the same name in a format that can be read."""
    for place in (folder, folder / "Geometry"):
        for suffix in (Path(name).suffix, *SURFACE_FORMATS):
            file = (place / name).with_suffix(suffix)
            if suffix in SURFACE_FORMATS and file.exists():
                return file
    return None


def read_osim(
    path: str | Path, muscles: Sequence[str] = (), *, pose: Mapping[str, float] | None = None
) -> Lines:
    """The named muscles of an .osim file, or all, and its bodies.

    `pose` gives values of coordinates [rad or m]; the others stay at their defaults.
    """
    path = Path(path)
    opensim, model = open_osim(path)
    state = model.initSystem()
    pose_model(model, state, pose or {})
    found = {m.getName(): m for m in items(model.getMuscles())}
    if not found:
        raise FileError(f"'{path}' has no muscle")
    names = chosen(tuple(muscles), list(found))
    lines = [_muscle(opensim, state, found[name]) for name in names]
    shortest = _shortest(model, state, [found[name] for name in names])
    lines = [replace(l, shortest=min(s, l.length)) for l, s in zip(lines, shortest, strict=True)]
    touched = {bone for line in lines for bone in line.bones}
    touched |= {wrap.bone for line in lines for wrap in line.wraps}
    bones = bones_of(opensim, model, state, path.parent, touched)
    return Lines(path.stem, tuple(lines), bones, vector(model.getGravity()))


def osim_lengths(
    path: Path, muscles: Sequence[str], poses: Sequence[Mapping[str, float]]
) -> Floats:
    """(poses, muscles) the lengths [m] of lines of an .osim file in poses [rad or m]."""
    _, model = open_osim(path)
    state = model.initSystem()
    found = {m.getName(): m for m in items(model.getMuscles())}
    for coordinate in items(model.getCoordinateSet()):
        coordinate.setClamped(state, False)
    rows = []
    for pose in poses:
        pose_model(model, state, pose)
        rows.append([found[name].getLength(state) for name in muscles])
    return np.array(rows)


def open_osim(path: Path) -> tuple[ModuleType, Any]:
    """OpenSim, and the model of a file as it reads it."""
    try:
        import opensim
    except ImportError:
        raise MissingExtra("opensim", "osim") from None
    opensim.Logger.setLevelString("Off")
    try:
        return opensim, opensim.Model(str(existing(path)))
    except RuntimeError:
        raise FileError(f"'{path}' is not a model that OpenSim can read") from None


def items(collection: Any) -> Iterator[Any]:
    """The members of a set of OpenSim's."""
    return (collection.get(k) for k in range(collection.getSize()))


def pose_model(model: Any, state: Any, pose: Mapping[str, float]) -> None:
    """Put coordinates of a state at values [rad or m]; those coupled to them follow."""
    coordinates = {c.getName(): c for c in items(model.getCoordinateSet())}
    for name, value in pose.items():
        if name not in coordinates:
            raise known("joint", name, coordinates)
        coordinates[name].setValue(state, value)
    model.realizePosition(state)


def _muscle(opensim: ModuleType, state: Any, muscle: Any) -> LineMuscle:
    points, bones, via = _path(opensim, state, muscle.getGeometryPath())
    wraps, left_out = _wraps(opensim, state, muscle.getGeometryPath())
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    hill = usable(muscle.getOptimalFiberLength(), muscle.getTendonSlackLength(), length)
    return LineMuscle(
        muscle.getName(), points, bones, muscle.getMaxIsometricForce(),
        hill.fibre_length, hill.tendon_length, length, (*hill.notes, *left_out),
        *_curves(opensim, muscle), via, wraps,
    )  # fmt: skip


def _wraps(
    opensim: ModuleType, state: Any, path: Any
) -> tuple[tuple[LineWrap, ...], tuple[str, ...]]:
    """The cylinders and spheres that a path runs around, and what is said of other objects."""
    found, notes = [], []
    for item in items(path.getWrapSet()):
        thing = item.getWrapObject()
        cylinder = opensim.WrapCylinder.safeDownCast(thing)
        round_one = cylinder or opensim.WrapSphere.safeDownCast(thing)
        if not thing.get_active():
            continue
        name, frame = str(thing.getName()), thing.getFrame()
        if round_one is None:
            kind = thing.getConcreteClassName()
            notes.append(f"what it runs around, '{name}', is a {kind}: its volume is not kept off")
            continue
        own = thing.getTransform()
        A, _ = transform(frame, state)
        axis = A @ np.array([own.R().get(i, 2) for i in range(3)]) if cylinder else np.zeros(3)
        centre = placed(frame, state, vector(own.p()))
        bone = str(frame.findBaseFrame().getName())
        found.append(LineWrap(name, bone, centre, axis, float(round_one.get_radius())))
    return tuple(found), tuple(notes)


def _curves(opensim: ModuleType, muscle: Any) -> tuple[str | Rows, float]:
    """The active force over the fibres' length, and the tendon's strain at the greatest force."""
    thelen = opensim.Thelen2003Muscle.safeDownCast(muscle)
    if thelen is not None:
        x = np.linspace(0.2, 1.8, 33)
        y = np.exp(-((x - 1.0) ** 2) / thelen.get_KshapeActive())
        rows = tuple((float(a), float(b)) for a, b in zip(x, y, strict=True))
        return rows, float(thelen.get_FmaxTendonStrain())
    millard = opensim.Millard2012EquilibriumMuscle.safeDownCast(muscle)
    if millard is not None:
        return "millard", float(millard.getTendonForceLengthCurve().getStrainAtOneNormForce())
    return LineMuscle.curve, LineMuscle.strain


def _path(
    opensim: ModuleType, state: Any, path: Any
) -> tuple[Floats, tuple[str, ...], tuple[int, ...]]:
    """Way points, and the sampled arcs around wrapping objects, with the body of each.

    The numbers are those of the via points, which are neither an end nor on an arc.
    """
    points: list[Floats] = []
    bones: list[str] = []
    ways: list[int] = []
    for point in items(path.getCurrentPath(state)):
        body = point.getParentFrame().findBaseFrame()
        wrapped = opensim.PathWrapPoint.safeDownCast(point)
        arc = [] if wrapped is None else [vector(p) for p in items(wrapped.getWrapPath(state))]
        inner = [placed(body, state, p) for p in arc[1:-1]]
        here = [*inner, vector(point.getLocationInGround(state))]
        ways += [len(points)] if wrapped is None else []
        points += here
        bones += [body.getName()] * len(here)
    return np.array(points), tuple(bones), tuple(ways[1:-1])


def _shortest(model: Any, state: Any, muscles: list[Any]) -> list[float]:
    """The least length [m] of each muscle as one coordinate after another goes over its range."""
    least = np.array([m.getLength(state) for m in muscles])
    for coordinate in items(model.getCoordinateSet()):
        if coordinate.isConstrained(state):
            continue
        kept = coordinate.getValue(state)
        for value in np.linspace(coordinate.getRangeMin(), coordinate.getRangeMax(), _SWEEP):
            coordinate.setValue(state, float(value))
            model.realizePosition(state)
            least = np.minimum(least, [m.getLength(state) for m in muscles])
        coordinate.setValue(state, kept)
    model.realizePosition(state)
    return least.tolist()
