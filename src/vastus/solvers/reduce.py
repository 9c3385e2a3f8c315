"""From a model to the bodies and unknowns that the solvers move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.energies.bodies import Springs
from vastus.model import Drive, Model
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.skeleton import Skeleton, Tie, turning_centres


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Which scalars of x (n, 3) are free, carried by bones, or fixed."""

    free: Ints  # (f,) free scalars, as positions in x.ravel()
    carried: Ints  # (v,) vertices that bones carry
    touching: Ints  # (t,) positions in `carried` of those that soft tets share with a free bone
    free_index: Ints  # (3 n,) position in `free`, or -1
    touching_index: Ints  # (3 n,) position in the scalars of `touching`, or -1

    @classmethod
    def of(cls, model: Model, skeleton: Skeleton) -> Unknowns:
        """The unknowns of a model."""
        owner = model.bone_of_vertex
        soft = np.zeros(model.mesh.n_vertices, bool)
        soft[np.unique(model.mesh.T[model.soft])] = True
        free = np.flatnonzero((soft & (owner < 0))[:, None] & ~model.held)
        carried = np.flatnonzero(owner >= 0)
        touching = np.flatnonzero(soft[carried] & np.isin(owner[carried], skeleton.free))
        scalars = 3 * np.repeat(carried[touching], 3) + np.tile(np.arange(3), len(touching))
        size = 3 * model.mesh.n_vertices
        return cls(free, carried, touching, _inverse(free, size), _inverse(scalars, size))


def make_skeleton(model: Model, joint_stiffness: float | None) -> tuple[Skeleton, Springs | None]:
    """The bones of a model; joints are eliminated, or springs if a stiffness [N/m] is given."""
    owner = model.bone_of_vertex
    carried = owner >= 0
    free = np.array([i for i, b in enumerate(model.bones) if b.drive is Drive.FREE], np.int64)
    X, owner = model.mesh.X[carried], owner[carried]
    ties = tuple(tie for tie in _ties(model, X, owner) if {tie.a, tie.b} & set(free.tolist()))
    centre = turning_centres(X, owner, len(model.bones), ties)
    skeleton = Skeleton(X, owner, free, len(model.bones), centre, ties)
    if joint_stiffness is None or not ties:
        return skeleton, None
    points = np.concatenate([t.points for t in ties])
    sides = [np.repeat([getattr(t, s) for t in ties], [len(t.points) for t in ties]) for s in "ab"]
    first = np.arange(len(points)) + len(X)
    loose = Skeleton(
        np.concatenate([X, points, points]),
        np.concatenate([owner, *sides]),
        free,
        skeleton.count,
        centre,
    )
    return loose, Springs(joint_stiffness, first, first + len(points))


def _ties(model: Model, X: Floats, owner: Ints) -> list[Tie]:
    ties = []
    for joint in model.joints:
        a, b = (model.bone(name) for name in joint.bones)
        around = X[(owner == a) | (owner == b)]
        # Shared points this far apart make a hinge's equations well conditioned.
        span = 0.2 * float(np.ptp(around, axis=0).max()) if len(around) else 0.1
        ties.append(Tie(a, b, joint.points(span)))
    return ties


def _inverse(positions: Ints, size: int) -> Ints:
    index = np.full(size, -1)
    index[positions] = np.arange(len(positions))
    return index
