"""The bones of a model, tied to each other by its joints."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.parts import Drive
from vastus.skeleton.bones import Skeleton, Tie, turning_centres


def make_skeleton(model: Model, *, tied: bool = False) -> Skeleton:
    """The bones of a model; joints are eliminated, or, if `tied`, their points carried twice."""
    owner = model.bone_of_vertex
    carried = owner >= 0
    free = np.array([i for i, b in enumerate(model.bones) if b.drive is Drive.FREE], np.int64)
    X, owner = model.mesh.X[carried], owner[carried]
    ties = tuple(tie for tie in _ties(model, X, owner) if {tie.a, tie.b} & set(free.tolist()))
    centre = turning_centres(X, owner, len(model.bones), ties)
    skeleton = Skeleton(X, owner, free, len(model.bones), centre, ties)
    if not tied or not ties:
        return skeleton
    points = np.concatenate([t.points for t in ties])
    sides = [np.repeat([getattr(t, s) for t in ties], [len(t.points) for t in ties]) for s in "ab"]
    return Skeleton(
        np.concatenate([X, points, points]),
        np.concatenate([owner, *sides]),
        free,
        skeleton.count,
        centre,
    )


def _ties(model: Model, X: Floats, owner: Ints) -> list[Tie]:
    ties = []
    for number, joint in enumerate(model.joints):
        a, b = (model.bone(name) for name in joint.bones)
        around = X[(owner == a) | (owner == b)]
        # Shared points this far apart make a hinge's equations well conditioned.
        span = 0.2 * float(np.ptp(around, axis=0).max()) if len(around) else 0.1
        held, normals = joint.planes(span)
        ties.append(Tie(a, b, joint.points(span), None, held, normals, joint.slips, number))
    return ties


def refuse_planes(model: Model, who: str) -> None:
    """Refuse joints that are more than shared points."""
    for joint in model.joints:
        if len(joint.planes(1.0)[0]):
            raise ModelError(
                f"joint '{joint.name}' is a {joint.kind}, which {who} cannot be; "
                "solve with Newton or QuasiNewton and rigid bones"
            )
