"""Scalar outputs of a state: one number a name, and a name that carries a unit ends in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.geometry.centreline import Centreline, centreline
from vastus.measure.fields import Fields, stretch
from vastus.model import Bone, Drive, Model, Tissue
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.coordinates import of_joint
from vastus.skeleton.freedoms import Pair
from vastus.skeleton.joints import Joint
from vastus.state import State

Ends = list[tuple[bool, Ints]]


class Outputs:
    """The scalar outputs of any state of one model.

    Per joint: `_angle_deg`, zero at rest, and `_gap_m`, the largest distance between the two
    images of a shared point; `_shift_m` of a slider, `_first_deg` and `_second_deg` of a universal
    joint. Where a joint is driven, `_reaction_Nm` (or `_N`) is the moment about its axis that
    drives the second bone: the derivative of the energy by the coordinate.

    Per muscle: `_activation`; `_length_m`, of the centreline of its own
    muscle and tendon tets from origin to insertion; `_stretch`, the mean fibre stretch of its
    muscle tissue; `_force_N`, the size of its resultant force on the bone it moves:
    positive pulls into the muscle, negative pushes (the largest, if it moves several bones);
    `_volume_change`, relative, of its muscle tissue. For the whole: `bone_strain`, the largest
    entry of |A^T A - I|; `min_volume_ratio` and the number of `inverted` tets, among those that
    deform.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._fields = Fields(model)
        self._muscles = [MuscleOutputs(model, i) for i in range(len(model.muscles))]
        self._joints = [JointOutputs(model, joint) for joint in model.joints]

    def of(self, state: State) -> dict[str, float]:
        """The outputs by name."""
        F = self._model.mesh.deformation(state.x)
        P = self._fields.stress(F, state)
        out: dict[str, float] = {}
        for joint in self._joints:
            out |= joint.of(state)
        for muscle in self._muscles:
            out |= muscle.of(state, F, P)
        return out | _health(state.poses, np.linalg.det(F[self._model.soft]))


class JointOutputs:
    """The outputs of one joint."""

    def __init__(self, model: Model, joint: Joint) -> None:
        self._joint = joint
        self._bones = [model.bone(name) for name in joint.bones]
        self._points = joint.points(min(_extent(model, model.bones[b]) for b in self._bones))
        self._own = of_joint(model.joints, model.joints.index(joint))

    def of(self, state: State) -> dict[str, float]:
        """The outputs by name."""
        pair, name = state.poses[self._bones], self._joint.name
        first, second = Rotation.from_matrix(pair[:, :, :3]).as_matrix()
        images = np.einsum("bij,kj->bki", pair[:, :, :3], self._points) + pair[:, None, :, 3]
        gaps = np.linalg.norm(images[1] - images[0], axis=1)
        turned = float(np.degrees(self._joint.angle(first.T @ second)))
        gap = {f"{name}_gap_m": float(gaps.max(initial=0.0))}
        return {f"{name}_angle_deg": turned} | self._coordinates(state) | gap

    def _coordinates(self, state: State) -> dict[str, float]:
        """The coordinates, as they are driven where they are, and what drives them."""
        pair = Pair.of(state.poses[self._bones])
        driven, pushed = (state.memory.get(what) for what in ("joints", "reactions"))
        out = {}
        for k, freedom in enumerate(self._joint.freedoms):
            words = [self._joint.name, freedom.name] if freedom.name else [self._joint.name]
            given = np.nan if driven is None else driven[self._own][k]
            value = freedom.value(pair) if np.isnan(given) else float(given)
            what = freedom.what if not freedom.name else ""
            out["_".join([*words, *([what] if what else []), freedom.unit])] = freedom.scale * value
            if pushed is not None and not np.isnan(pushed[self._own][k]):
                out["_".join([*words, "reaction", freedom.effort])] = float(pushed[self._own][k])
        return out


@dataclass(frozen=True, eq=False)
class Pull:
    """How a muscle pulls at the `vertices` of one thing, by `levers` (tets, 3) [m^2] on its stress.

    `inner` is the centreline's point next to those vertices.
    """

    vertices: Ints
    levers: Floats
    inner: int

    def force(self, x: Floats, P: Floats, middle: Floats) -> float:
        """The size of the resultant force [N]; negative if it points out of the muscle: a push."""
        line = middle[self.inner] - x[self.vertices].mean(axis=0)
        resultant = np.einsum("mij,mj->i", P, self.levers)
        return float(np.copysign(np.linalg.norm(resultant), resultant @ line))


class MuscleOutputs:
    """The outputs of one muscle, by its position."""

    def __init__(self, model: Model, index: int) -> None:
        self._model, self._index = model, index
        self._own = np.flatnonzero(model.muscle_of_tet == index)
        self._contractile = self._own[model.is_tissue(Tissue.MUSCLE)[self._own]]
        ends = _attachments(model, self._own)
        self._vertices, self._line = _centreline(model, self._own, ends)
        self._pulls = _pulls(model, self._own, ends, self._middle(model.mesh.X))

    def of(self, state: State, F: Floats, P: Floats) -> dict[str, float]:
        """The outputs by name, for the gradients F and stresses P [Pa] of all tets (m, 3, 3)."""
        name = self._model.muscles[self._index].name
        tets, middle = self._contractile, self._middle(state.x)
        forces = [pull.force(state.x, P[self._own], middle) for pull in self._pulls]
        return {
            f"{name}_activation": float(state.activation[self._index]),
            f"{name}_length_m": self._line.length(state.x[self._vertices]),
            f"{name}_stretch": self._mean(stretch(F[tets], self._model.fibre[tets])),
            f"{name}_force_N": max(forces, key=abs, default=0.0),
            f"{name}_volume_change": self._mean(np.linalg.det(F[tets]) - 1.0),
        }

    def _middle(self, x: Floats) -> Floats:
        """(points, 3) the centreline when the model's vertices are at x [m]."""
        return np.asarray(self._line.weights @ x[self._vertices])

    def _mean(self, values: Floats) -> float:
        return float(np.average(values, weights=self._model.mesh.volumes[self._contractile]))


def _attachments(model: Model, tets: Ints) -> Ends:
    """What holds these tets: whether it can move, and the vertices; what is fixed comes first."""
    used = np.unique(model.mesh.T[tets])
    owner = model.bone_of_vertex[used]
    held = [(False, np.intersect1d(used, pin.vertices)) for pin in model.pins if all(pin.axes)]
    for index, bone in enumerate(model.bones):
        held.append((bone.drive is not Drive.PINNED, used[owner == index]))
    return sorted((end for end in held if len(end[1])), key=lambda end: end[0])


def _centreline(model: Model, tets: Ints, ends: Ends) -> tuple[Ints, Centreline]:
    """The muscle's vertices, and their line from origin to insertion.

    The origin is all that cannot move, the insertion all that can; where there is only one kind,
    they are the first thing and the last, and where there is only one thing, it and the far end.
    """
    mesh, kept = model.mesh.submesh(tets)
    sides = [[vertices for free, vertices in ends if free is kind] for kind in (False, True)]
    if not all(sides):
        sides = [[vertices] for _, vertices in ends[:1] + ends[1:][-1:]]
    none = np.zeros(0, np.int64)
    found = [np.searchsorted(kept, np.concatenate(side)) for side in sides] + [none, none]
    return kept, centreline(mesh, found[0], found[1])


def _pulls(model: Model, tets: Ints, ends: Ends, middle: Floats) -> list[Pull]:
    """The pulls on each thing that the muscle can move; where all is pinned, all of it counts."""
    moved = [vertices for free, vertices in ends if free] or [vertices for _, vertices in ends]
    return [
        Pull(vertices, _levers(model, tets, vertices), _inner(model.mesh.X[vertices], middle))
        for vertices in moved
    ]


def _levers(model: Model, tets: Ints, vertices: Ints) -> Floats:
    """(tets, 3) such that the tets pull these vertices by `sum P lever`.

    A tet of volume V pulls its vertex a by -V P B_a.
    """
    weighted = model.mesh.gradients[tets] * -model.mesh.volumes[tets, None, None]
    held = np.isin(model.mesh.T[tets], vertices)[:, :, None]
    return np.asarray((held * weighted).sum(axis=1))


def _inner(X: Floats, middle: Floats) -> int:
    """The second point of the centreline seen from its end that is nearer to vertices X (k, 3)."""
    to_start, to_end = np.linalg.norm(middle[[0, -1]] - X.mean(axis=0), axis=1)
    return 1 if to_start < to_end else len(middle) - 2


def _extent(model: Model, bone: Bone) -> float:
    """The diagonal of the box around a bone [m], or 1 for a bone of no extent."""
    X = model.mesh.X[model.bone_of_vertex == model.bone(bone.name)]
    return float(np.linalg.norm(np.ptp(X, axis=0))) if len(X) > 1 else 1.0


def _health(poses: Floats, J: Floats) -> dict[str, float]:
    A = poses[:, :, :3]
    strain = np.abs(np.swapaxes(A, 1, 2) @ A - np.eye(3))
    return {
        "bone_strain": float(strain.max(initial=0.0)),
        "min_volume_ratio": float(J.min()) if len(J) else 1.0,
        "inverted": float((J <= 0).sum()),
    }
