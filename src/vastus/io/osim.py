"""Line muscles and bodies of an OpenSim model (.osim), in its default pose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from vastus.errors import FileError, MissingExtra, known
from vastus.io.foreign import existing
from vastus.io.osim_bodies import bones_of, placed, vector
from vastus.modelling.lines.hill import usable
from vastus.modelling.lines.parts import LineMuscle, Lines, chosen
from vastus.numerics.types import Floats

_SWEEP = 7  # values of each coordinate at which lengths are taken


def read_osim(
    path: str | Path, muscles: Sequence[str] = (), *, pose: Mapping[str, float] | None = None
) -> Lines:
    """The named muscles of an .osim file, or all, and its bodies.

    `pose` gives values of coordinates [rad or m]; the others stay at their defaults.
    """
    opensim = _opensim()
    path = existing(Path(path))
    model = _model(opensim, path)
    state = model.initSystem()
    _pose(model, state, pose or {})
    found = {m.getName(): m for m in _items(model.getMuscles())}
    if not found:
        raise FileError(f"'{path}' has no muscle")
    names = chosen(tuple(muscles), list(found))
    lines = [_muscle(opensim, state, found[name]) for name in names]
    shortest = _shortest(model, state, [found[name] for name in names])
    lines = [replace(l, shortest=min(s, l.length)) for l, s in zip(lines, shortest, strict=True)]
    touched = {bone for line in lines for bone in line.bones}
    bones = bones_of(opensim, model, state, path.parent, touched)
    return Lines(path.stem, tuple(lines), bones, vector(model.getGravity()))


def _opensim() -> ModuleType:
    try:
        import opensim
    except ImportError:
        raise MissingExtra("opensim", "osim") from None
    opensim.Logger.setLevelString("Off")
    return opensim


def _model(opensim: ModuleType, path: Path) -> Any:
    try:
        return opensim.Model(str(path))
    except RuntimeError:
        raise FileError(f"'{path}' is not a model that OpenSim can read") from None


def _items(collection: Any) -> Iterator[Any]:
    return (collection.get(k) for k in range(collection.getSize()))


def _pose(model: Any, state: Any, pose: Mapping[str, float]) -> None:
    coordinates = {c.getName(): c for c in _items(model.getCoordinateSet())}
    for name, value in pose.items():
        if name not in coordinates:
            raise known("joint", name, coordinates)
        coordinates[name].setValue(state, value)
    model.realizePosition(state)


def _muscle(opensim: ModuleType, state: Any, muscle: Any) -> LineMuscle:
    points, bones = _path(opensim, state, muscle.getGeometryPath())
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    hill = usable(muscle.getOptimalFiberLength(), muscle.getTendonSlackLength(), length)
    return LineMuscle(
        muscle.getName(), points, bones, muscle.getMaxIsometricForce(),
        hill.fibre_length, hill.tendon_length, length, hill.notes,
    )  # fmt: skip


def _path(opensim: ModuleType, state: Any, path: Any) -> tuple[Floats, tuple[str, ...]]:
    """Way points, and the sampled arcs around wrapping objects, with the body of each."""
    points: list[Floats] = []
    bones: list[str] = []
    for point in _items(path.getCurrentPath(state)):
        body = point.getParentFrame().findBaseFrame()
        wrapped = opensim.PathWrapPoint.safeDownCast(point)
        arc = [] if wrapped is None else [vector(p) for p in _items(wrapped.getWrapPath(state))]
        inner = [placed(body, state, p) for p in arc[1:-1]]
        here = [*inner, vector(point.getLocationInGround(state))]
        points += here
        bones += [body.getName()] * len(here)
    return np.array(points), tuple(bones)


def _shortest(model: Any, state: Any, muscles: list[Any]) -> list[float]:
    """The least length [m] of each muscle as one coordinate after another goes over its range."""
    least = np.array([m.getLength(state) for m in muscles])
    for coordinate in _items(model.getCoordinateSet()):
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
