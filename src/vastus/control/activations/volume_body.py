"""Activations that hold volumes of muscle in poses of their joints.

The joints of a model are driven to a pose, tissue finds its equilibrium, and the reaction M of each
driven joint says what is not balanced: the weight of all, loads, and what stretched tissue pulls
with. Activation a_i of a muscle changes it by the arm of its fibres and their tension, both at the
present shape (see `measure.work_arms`):

    dM_j/da_i = -r_ji T_i

This is exact, so that balancing the reaction to first order, and finding the equilibrium of the new
activations, is Newton's method: a few repetitions leave no reaction. Muscles may instead be taken
as straight lines that pull with activation times greatest force, as line models do; the reaction
that is then left says what they are as volumes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vastus.control.activations.key_frames import Activations, Poses, Watch
from vastus.control.activations.line_body import Coordinate
from vastus.control.activations.static_optimisation import distribute
from vastus.errors import ModelError, SolveError, known
from vastus.inputs import Inputs, as_in
from vastus.measure.fibre_tension import FibreTension
from vastus.measure.moments import crossings
from vastus.measure.work_arms import WorkArms
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.skeleton.coordinates import of_joint
from vastus.skeleton.joints import Ball, Hinge, Joint, Weld
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import State, rest
from vastus.timeloop import Solver, Stepper

TURN = np.radians(15.0)  # [rad] at most from one equilibrium to the next
PASSES = 8  # of Newton's method
SETTLED = 1e-4  # a change of activation that is none


def hinges_of(model: Model) -> list[Coordinate]:
    """The hinges of a model that a motion may drive."""
    return [Coordinate(j.name) for j in model.joints if isinstance(j, Hinge) and _free(model, j)]


def _free(model: Model, joint: Joint) -> bool:
    bones = [model.bones[model.bone(name)] for name in joint.bones]
    return any(bone.drive is Drive.FREE for bone in bones)


@dataclass(frozen=True, eq=False)
class VolumeBody:
    """A model whose named hinges are driven; every other joint is held where the model has it."""

    given: Model
    solver: Solver
    driven: tuple[str, ...]

    @cached_property
    def model(self) -> Model:
        """The model with balls as welds, since nothing else holds them."""
        joints = tuple(
            Weld(j.name, j.bones, j.centre) if isinstance(j, Ball) else j for j in self.given.joints
        )
        return self.given.with_(joints=joints)

    @cached_property
    def hinges(self) -> list[Hinge]:
        """Those that are driven, in order."""
        free = [c.name for c in hinges_of(self.model)]
        for name in self.driven:
            if name not in free:
                raise known("hinge", name, free)
        found = {joint.name: joint for joint in self.model.joints}
        return [found[name] for name in self.driven]  # type: ignore[misc]

    @cached_property
    def stepper(self) -> Stepper:
        """What finds equilibria: the solver, or the usual one in place of motion in time."""
        still = QuasiNewton() if isinstance(self.solver, Dynamic) else self.solver
        return still.prepare(self.model)

    @cached_property
    def _own(self) -> list[int]:
        joints = self.model.joints
        return [of_joint(joints, joints.index(hinge)).start for hinge in self.hinges]

    def inputs(self, time: float, q: Floats, activations: Floats) -> Inputs:
        """Hinges at angles q (c,) [rad], and activations (m,)."""
        joints = as_in(self.model)["joints"]
        for index, joint in enumerate(self.model.joints):
            if _free(self.model, joint):
                joints[of_joint(self.model.joints, index)] = 0.0
        joints[self._own] = q
        return replace(Inputs.rest(self.model, time), excitation=activations, joints=joints)

    def reached(self, state: State, time: float, q: Floats, activations: Floats) -> State:
        """The equilibrium at angles q (c,) [rad] and activations (m,), from another one."""
        before = Inputs.of(state)
        now = np.zeros(len(q)) if before.joints is None else before.joints[self._own]
        target = self.inputs(time, q, activations)
        start = self.inputs(state.time, now, state.activation)
        count = max(1, int(np.ceil(np.abs(q - now).max() / TURN)))
        for k in range(1, count + 1):
            state, report = self.stepper.step(state, start.towards(target, k / count))
            if not report.converged:
                raise SolveError(f"no equilibrium was found in the pose at {time:g} s", state)
        return state

    def reactions(self, state: State) -> Floats:
        """(c,) [N m] what holds each driven hinge."""
        return np.asarray(state.memory["reactions"][self._own])


class VolumeLeverage:
    """Arms (c, m) [m] and tensions (m,) [N] at full activation of volumes, by virtual work."""

    def __init__(self, body: VolumeBody) -> None:
        self._arms = [WorkArms(body.model, hinge) for hinge in body.hinges]

    def of(self, state: State) -> tuple[Floats, Floats]:
        """In an equilibrium."""
        both = [arms.leverage(state) for arms in self._arms]
        found, tensions = np.array([arms for arms, _ in both]), both[0][1]
        if np.isnan(found[:, tensions > 0]).any():
            raise SolveError(f"the equilibrium at {state.time:g} s is unstable, so has no arms")
        return np.nan_to_num(found), tensions


class LineLeverage:
    """Arms (c, m) [m] of straight lines between attachments, and their greatest forces (m,) [N]."""

    def __init__(self, body: VolumeBody) -> None:
        model = body.model
        self._hinges = body.hinges
        self._crossings = [crossings(model, index) for index in range(len(model.muscles))]
        self._forces = np.array([_greatest_force(model, k) for k in range(len(model.muscles))])

    def of(self, state: State) -> tuple[Floats, Floats]:
        """In an equilibrium."""
        arms = np.zeros((len(self._hinges), len(self._crossings)))
        for k, muscle in enumerate(self._crossings):
            for crossing in muscle:
                if crossing.joint in self._hinges:
                    centre, axes = crossing.place(state)
                    arm = crossing.string.arm(state.x, centre, axes[""])
                    arms[self._hinges.index(crossing.joint), k] = arm
        return arms, self._forces


def _greatest_force(model: Model, muscle: int) -> float:
    return FibreTension(model, muscle).strongest


def volume_activations(
    body: VolumeBody,
    poses: Poses,
    *,
    lines: bool = False,
    least: float | None = None,
    watch: Watch | None = None,
) -> Activations:
    """The activations of volumes that hold them still in poses; angles count from rest.

    `lines` takes muscles as straight lines. Torques are what muscles have to balance, and reserves
    what the volumes leave of it.
    """
    if poses.speeds is not None:
        raise ModelError("volumes are held still in poses: a motion of theirs must be static")
    muscles = tuple(muscle.name for muscle in body.model.muscles)
    low = np.full(len(muscles), least or 0.0)
    rows = []
    for row in _by_lines(body, poses, low) if lines else _by_volumes(body, poses, low):
        rows.append(row)
        if watch:
            watch(len(rows), len(poses.values))
    activations, torques, reserves, arms = (np.array(column) for column in zip(*rows, strict=True))
    coordinates = tuple(Coordinate(name) for name in body.driven)
    return Activations(
        poses.times, muscles, coordinates, activations, poses.values, torques, reserves, arms
    )


Row = tuple[Floats, Floats, Floats, Floats]  # activations, torques, reserves and arms of a pose


def _by_volumes(body: VolumeBody, poses: Poses, low: Floats) -> Iterator[Row]:
    """Newton's method in each pose, from the activations of the one before."""
    leverage, high = VolumeLeverage(body), limits(body.model)
    state, a = rest(body.model), low
    for time, q in zip(poses.times.tolist(), poses.values, strict=True):
        state = body.reached(state, time, q, a)
        arms, tensions = leverage.of(state)
        for _ in range(PASSES):
            wanted = body.reactions(state) + arms * tensions @ a
            before, a = a, distribute(arms * tensions, wanted, low=low, high=high).activations
            state = body.reached(state, time, q, a)
            arms, tensions = leverage.of(state)
            if float(np.abs(a - before).max()) < SETTLED:
                break
        left = body.reactions(state)
        yield a, arms * tensions @ a + left, left, arms


def _by_lines(body: VolumeBody, poses: Poses, low: Floats) -> Iterator[Row]:
    """What lines would do for the torques of idle volumes, and what volumes leave of them."""
    leverage, high = LineLeverage(body), limits(body.model)
    idle = state = rest(body.model)
    for time, q in zip(poses.times.tolist(), poses.values, strict=True):
        idle = body.reached(idle, time, q, low)
        arms, forces = leverage.of(idle)
        wanted = body.reactions(idle) + arms * forces @ low
        a = distribute(arms * forces, wanted, low=low, high=high).activations
        state = body.reached(state, time, q, a)
        yield a, wanted, body.reactions(state), arms


def limits(model: Model) -> Floats:
    """(m,) the largest activation of each muscle."""
    return np.array([muscle.limit for muscle in model.muscles], float)
