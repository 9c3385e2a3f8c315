"""Lines and arrows in a model: its fibres, the axes of its joints, and forces of contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.app.look import Look
from vastus.geometry.queries import locate
from vastus.model import Model
from vastus.modelling.fibres.streamlines import fibre_lines
from vastus.numerics.types import Floats, Ints
from vastus.results.playback import Snapshot
from vastus.skeleton.joints import Joint

AXIS, POINT = 0.12, 0.03  # of the model's extent, of the lines that show joints
COUNT = 30  # lines in a muscle
EVERY = 3  # points of a line that is traced, one of which is drawn
NEAR = 1e-3  # by which a point on the surface may lie outside
HEAD = 0.1  # of the longest arrow; those that would be no longer than that are left out
NONE = np.zeros((0, 2, 3))


class JointLines:
    """The axis of each hinge or slider, and a small cross at each other joint."""

    def __init__(self, model: Model) -> None:
        extent = float(np.ptp(model.mesh.X, axis=0).max())
        self._lines = [
            (model.bone(joint.bones[0]), _lines(joint, extent)) for joint in model.joints
        ]

    def at(self, moment: Snapshot, look: Look) -> Floats:
        """(k, 2, 3) their segments [m], carried by the first bone of each; none unless shown."""
        shown = self._lines if look.joints else ()
        return np.concatenate([NONE, *(_moved(at, moment.poses[bone]) for bone, at in shown)])


def _lines(joint: Joint, extent: float) -> Floats:
    centre = np.asarray(joint.centre, float)
    if joint.direction is not None:
        half = AXIS * extent / 2 * joint.direction
        return np.array([[centre - half, centre + half]])
    return centre + np.stack([-np.eye(3), np.eye(3)], axis=1) * POINT * extent / 2


def _moved(lines: Floats, pose: Floats) -> Floats:
    return np.asarray(lines @ pose[:, :3].T + pose[:, 3])


@dataclass(frozen=True, eq=False)
class Bundle:
    """Points in tets: corners (p, 4) with weights (p, 4), and the segments (k, 2) between them."""

    corners: Ints
    weights: Floats
    segments: Ints

    def at(self, x: Floats) -> Floats:
        """(k, 2, 3) the segments when the mesh's vertices are at x (n, 3) [m]."""
        points = np.einsum("pa,pai->pi", self.weights, x[self.corners])
        return np.asarray(points[self.segments])


class FibreLines:
    """The fibres of a model's muscles; each muscle is traced when it is first asked for."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._bundles: dict[str, Bundle] = {}

    def at(self, x: Floats, muscles: list[str]) -> Floats:
        """(k, 2, 3) pieces of fibre of some muscles when vertices are at x (n, 3) [m]."""
        return np.concatenate([NONE, *(self._of(m).at(x) for m in muscles)])

    def _of(self, muscle: str) -> Bundle:
        if muscle not in self._bundles:
            self._bundles[muscle] = _traced(self._model, muscle)
        return self._bundles[muscle]


def _traced(model: Model, muscle: str) -> Bundle:
    lines = [line[::EVERY] for line in fibre_lines(model, muscle, COUNT)]
    points = np.concatenate([np.zeros((0, 3)), *lines])
    tets = np.flatnonzero(model.muscle_of_tet == model.muscle(muscle))
    part, kept = model.mesh.submesh(tets)
    found = locate(part, points, tolerance=NEAR)
    ends = np.cumsum([len(line) for line in lines])
    starts = np.setdiff1d(np.arange(len(points)), ends - 1)
    segments = np.column_stack([starts, starts + 1])
    inside = (found.tets[segments] >= 0).all(axis=1)
    return Bundle(kept[part.T[found.tets]], found.weights, segments[inside])


def arrows(x: Floats, forces: Floats, length: float, largest: float | None = None) -> Floats:
    """(k, 2, 3) arrows of forces (n, 3) [N] that begin at x (n, 3) [m].

    That of the `largest` force is `length` long [m]; those that would be all head are left out.
    """
    sizes = np.linalg.norm(forces, axis=1)
    unit = largest or float(sizes.max(initial=0.0))
    long = sizes > HEAD * unit
    starts = x[long]
    return np.stack([starts, starts + forces[long] * (length / (unit or 1.0))], axis=1)
