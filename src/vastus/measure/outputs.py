"""Scalar outputs of a state: one number a name, and a name that carries a unit ends in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.measure.actuator_outputs import ActuatorOutputs
from vastus.measure.contact_outputs import ContactOutputs
from vastus.measure.energy_balance import energy_columns
from vastus.measure.fields import Fields
from vastus.measure.muscle_outputs import Fibres, Measured, MuscleOutputs, Row, joined
from vastus.measure.resultants import added, fused, group_name
from vastus.model import Model
from vastus.numerics.small import determinants
from vastus.numerics.types import Floats
from vastus.parts import Bone
from vastus.skeleton.coordinates import of_joint
from vastus.skeleton.freedoms import Pair
from vastus.skeleton.joints import Ball, Joint
from vastus.state import State


class Outputs:
    """The scalar outputs of any state of one model; each is defined in `docs/reference/outputs.md`.

    Per joint: angle, gap, and the moment of all muscles. Per muscle: activation, fibre tension,
    lengths, stretch, forces on what holds it, through sections and tendons, moments and arms,
    work. Per group of muscles that share vertices: tension, and forces on what holds them. Per
    muscle and bone in contact: force, largest pressure, area, smallest gap. Per cavity: volume,
    pressure; per cable: length, tension. For the whole: strain of bones, smallest volume ratio,
    number of inverted tets; in motion, energies and their balance.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._fields = Fields(model)
        self._usual: Outputs | None = None  # of the same shape
        self._last: tuple[State, list[Fibres]] | None = None

    @cached_property
    def _groups(self) -> list[tuple[int, ...]]:
        return self._usual._groups if self._usual else fused(self._model)

    @cached_property
    def muscles(self) -> list[MuscleOutputs]:
        """Those of the muscles."""
        if self._usual:
            return [muscle.with_laws(self._model) for muscle in self._usual.muscles]
        together = {muscle for group in self._groups for muscle in group}
        return [
            MuscleOutputs(self._model, index, alone=index not in together)
            for index in range(len(self._model.muscles))
        ]

    def muscle(self, name: str) -> MuscleOutputs:
        """Those of a muscle, which may be one of few; see `only`."""
        return next(muscle for muscle in self.muscles if muscle.name == name)

    @cached_property
    def _joints(self) -> list[JointOutputs]:
        if self._usual:
            return self._usual._joints
        return [JointOutputs(self._model, joint) for joint in self._model.joints]

    @cached_property
    def _further(self) -> list[ContactOutputs | ActuatorOutputs]:
        if self._usual:
            return [part.with_laws(self._model) for part in self._usual._further]
        return [ContactOutputs(self._model), ActuatorOutputs(self._model)]

    def with_laws(self, model: Model) -> Outputs:
        """The same for a model with other laws, strengths or fibres, in the same shape."""
        if model is self._model:
            return self
        other = Outputs(model)
        other._fields, other._usual = self._fields.with_laws(model), self
        return other

    def only(self, names: Collection[str], state: State) -> Outputs:
        """The same for these columns at least, without the parts that they do not need.

        A state tells which part has which columns; it may be any.
        """
        wanted, other = set(names), copy(self)
        other._joints = [joint for joint in self._joints if wanted & set(joint.of(state))]
        other._further = [part for part in self._further if wanted & set(part.of(state))]
        if not self._groups:
            F, P = self._fields.soft(state)
            other.muscles = [
                muscle for muscle in self.muscles if wanted & set(muscle.of(state, F, P).row)
            ]
        other._last = None
        return other

    def of(self, state: State, before: State | None = None) -> Row:
        """The outputs by name; work is done since the state `before`, if there is one."""
        F, P = self._fields.soft(state)
        then = self._fibres(before) if before else [None] * len(self.muscles)
        found = [
            muscle.of(state, F, P, fibres)
            for muscle, fibres in zip(self.muscles, then, strict=True)
        ]
        self._last = (state, [measured.fibres for measured in found])
        return joined(
            *(joint.of(state) for joint in self._joints),
            *(measured.row for measured in found),
            *(self._together(group, found) for group in self._groups),
            *(part.of(state) for part in self._further),
            _health(state.poses, determinants(F)),
            energy_columns(state),
        )

    def _fibres(self, state: State) -> Sequence[Fibres | None]:
        """The fibres of all muscles in a state; those of the last one measured are at hand."""
        if self._last and self._last[0] is state:
            return self._last[1]
        F = self._model.mesh.deformation(state.x)
        tensions = [muscle.tension for muscle in self.muscles]
        return [Fibres(state.time, t.at(state, F[t.tets])) for t in tensions]

    def _together(self, group: tuple[int, ...], found: list[Measured]) -> Row:
        """The tension of a group and its forces on what holds it."""
        name = group_name(self._model, group)
        out = {f"{name}_force_N": sum(found[muscle].tension for muscle in group)}
        holders = {holder: None for muscle in group for holder in found[muscle].on}
        for holder in holders:
            parts = [found[m].on[holder] for m in group if holder in found[m].on]
            out |= added(parts).columns(f"{name}_on_{holder}")
        return out


class JointOutputs:
    """The outputs of one joint."""

    def __init__(self, model: Model, joint: Joint) -> None:
        self._joint = joint
        self._bones = [model.bone(name) for name in joint.bones]
        self._points = joint.points(min(_extent(model, model.bones[b]) for b in self._bones))
        self._own = of_joint(model.joints, model.joints.index(joint))

    def of(self, state: State) -> Row:
        """The outputs by name."""
        pair, name = state.poses[self._bones], self._joint.name
        first, second = Rotation.from_matrix(pair[:, :, :3]).as_matrix()
        images = np.einsum("bij,kj->bki", pair[:, :, :3], self._points) + pair[:, None, :, 3]
        gaps = np.linalg.norm(images[1] - images[0], axis=1)
        turned = float(np.degrees(self._joint.angle(first.T @ second)))
        gap = {f"{name}_gap_m": float(gaps.max(initial=0.0))}
        own = self._coordinates(state) | self._swing(state)
        return {f"{name}_angle_deg": turned} | own | gap

    def _swing(self, state: State) -> Row:
        """Swing and twist of a ball that has limits for them."""
        if not isinstance(self._joint, Ball) or self._joint.range is None:
            return {}
        angles = self._joint.range.angles(Pair.of(state.poses[self._bones]))
        given = [what for what in ("swing", "twist") if what in angles]
        return {f"{self._joint.name}_{w}_deg": float(np.degrees(angles[w])) for w in given}

    def _coordinates(self, state: State) -> Row:
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


def joint_columns(model: Model, state: State) -> Row:
    """The columns of all joints alone, which need no tet."""
    return joined(*(JointOutputs(model, joint).of(state) for joint in model.joints))


def _extent(model: Model, bone: Bone) -> float:
    """The diagonal of the box around a bone [m], or 1 for a bone of no extent."""
    X = model.mesh.X[model.bone_of_vertex == model.bone(bone.name)]
    return float(np.linalg.norm(np.ptp(X, axis=0))) if len(X) > 1 else 1.0


def _health(poses: Floats, J: Floats) -> Row:
    A = poses[:, :, :3]
    strain = np.abs(np.swapaxes(A, 1, 2) @ A - np.eye(3))
    return {
        "bone_strain": float(strain.max(initial=0.0)),
        "min_volume_ratio": float(J.min()) if len(J) else 1.0,
        "inverted": float((J <= 0).sum()),
    }
