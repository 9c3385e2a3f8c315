"""Activations that make the joints of a plant follow a reference: one quadratic program an arm.

With activations a, constant over a control period, an arm accelerates at

    qdd = M^-1 (tau0 + G a + r - c + d),    tau0 = -J^T (F - dF/da a0),    G = -J^T diag(dF/da),

with pulls F at the present activations a0, in which they are linear for lines and nearly so for
bellies. Here c is the bias of weights and speeds, d what an observer has found to act besides, and
r reserve torques, which are zero unless asked for. Wanted is

    qdd* = qdd_ref + kp (q_ref - q) + 2 sqrt(kp) (qd_ref - qd).

Pulls are those in the middle of the period, to which lengths and speeds are continued with the
present speeds and the reference's acceleration: the hold of the activations costs less so.
Masses of different arms do not couple when the trunk is fixed, so that each has a program of its
own; where it is not, what the other arm does counts as a disturbance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vastus.bellies.law import Pull
from vastus.control.observer import Observer
from vastus.control.plant import Motion, Payload, Plant
from vastus.control.tasks import (
    Dynamics,
    Effort,
    Follow,
    Limit,
    Range,
    Situation,
    Smoothness,
    Task,
    joint_bounds,
    require_positive,
)
from vastus.numerics.qp import quadratic_program
from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    from vastus.bodies.body import Arm, Body

PERIOD = 2e-3  # [s] of control
_RESERVE_WEIGHT = 10.0  # of a reserve at its greatest against an activation of one
_AT_BOUND = 1e-6


class Reference(NamedTuple):
    """Angles (n,) [rad] at the plant's `dofs`, speeds, and mean accelerations over the period."""

    q: Floats
    qd: Floats
    qdd: Floats


# What trackers remember of each arm: unknowns, predicted accelerations and what disturbs it.
Memory = tuple[tuple[Floats, Floats | None, Observer | None], ...]


class Command(NamedTuple):
    """Activations (m,), the torques (n,) [N m] that they do not reach, and reserves (n,) [N m].

    `full` (m,) tells the units that are at the most they can.
    """

    activation: Floats
    missing: Floats
    reserve: Floats
    full: Floats


class Shortfall(NamedTuple):
    """A torque [N m] that is missing at a joint, and the units at their bound that would help."""

    joint: str
    torque: float
    units: tuple[str, ...]

    def __str__(self) -> str:
        full = f" ({', '.join(self.units)} can no more)" if self.units else ""
        return f"{self.joint} lacks {self.torque:+.1f} N m{full}"


@dataclass
class _Limb:
    """What a tracker keeps of an arm."""

    arm: Arm
    dofs: Ints
    units: Ints
    places: Ints  # of its angles in MuJoCo's positions
    rows: slice  # of the arm in vectors over the plant's dofs
    before: Floats  # (m + r,) the unknowns of the last period
    predicted: Floats | None = None  # (n,) [rad/s^2] what the last period should have brought
    observer: Observer | None = None


@dataclass(eq=False)
class Tracker:
    """Control of all arms of a body, each `period` [s].

    `gain` kp [1/s^2] pulls towards the reference. `reserve` [N m] is the greatest torque besides
    muscles, 0 for none. `dynamics` bounds how fast activations change, and `observer` is the
    pattern of the observers of the arms, both left out unless given.
    """

    body: Body
    period: float = PERIOD
    gain: float = 500.0
    tasks: tuple[Task, ...] = (Follow(), Effort(), Smoothness())
    limits: tuple[Limit, ...] = (Range(),)
    dynamics: Dynamics | None = None
    reserve: float = 0.0
    observer: Observer | None = None
    _limbs: list[_Limb] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_positive("a control period", self.period, "s")
        require_positive("a gain of tracking", self.gain, "1/s^2")
        self._limbs, start = [], 0
        for arm in self.body.arms:
            n, m = len(arm.dofs), len(arm.units)
            before = np.zeros(m + (n if self.reserve > 0 else 0))
            dofs, model = np.array(arm.dofs), self.body.model
            places = np.asarray(model.jnt_qposadr[model.dof_jntid[dofs]])
            watch = self.observer.new(n) if self.observer else None
            rows = slice(start, start + n)
            self._limbs.append(
                _Limb(arm, dofs, np.array(arm.units), places, rows, before, None, watch)
            )
            start += n

    def activation(
        self,
        plant: Plant,
        reference: Reference,
        payloads: Mapping[str, Sequence[Payload]] | None = None,
    ) -> Command:
        """What the units shall do for a period, while arms by name carry payloads."""
        m, n = len(self.body.units), len(plant.dofs)
        command = Command(np.zeros(m), np.zeros(n), np.zeros(n), np.zeros(m, bool))
        motion, half = plant.motion(), 0.5 * self.period
        speeding = motion.arms[:, plant.dofs] @ reference.qdd
        length, speed = plant.length + half * plant.speed, plant.speed + half * speeding
        pull = plant.law.forces(length, speed, plant.activation)
        idle = pull.force - pull.by_activation * plant.activation
        pull = replace(pull, force=idle)  # of no activation, as seen from the present one
        for limb in self._limbs:
            wanted = Reference(*(v[limb.rows] for v in reference))
            own = _loaded(plant, limb, motion, (payloads or {}).get(limb.arm.name, ()))
            self._drive(plant, limb, own, pull, wanted, command)
        return command

    def forget(self, arm: str) -> None:
        """Do not compare the next speeds of an arm with a prediction: its load has changed."""
        for limb in self._limbs:
            if limb.arm.name == arm:
                limb.predicted = None

    def shortfalls(self, plant: Plant, command: Command, least: float = 0.5) -> list[Shortfall]:
        """The joints at which more than `least` [N m] is missing, and the units at their bound."""
        lacking, found = np.flatnonzero(np.abs(command.missing) > least), []
        names = self.body.names if len(lacking) else ()
        for k in lacking:
            dof, lack = int(plant.dofs[k]), float(command.missing[k])
            helps = command.full & (-plant.arms[:, dof] * np.sign(lack) > 1e-3)
            strongest = np.argsort(plant.arms[:, dof] * np.sign(lack))
            units = tuple(names[i] for i in strongest if helps[i])
            found.append(Shortfall(self.body.dof_names[dof], lack, units))
        return sorted(found, key=lambda s: -abs(s.torque))

    def memory(self) -> Memory:
        """What it remembers of the last period, for `recall`."""
        return tuple((l.before, l.predicted, copy(l.observer)) for l in self._limbs)

    def recall(self, memory: Memory) -> None:
        """Remember what this tracker, or one like it in another process, did."""
        for limb, (before, predicted, observer) in zip(self._limbs, memory, strict=True):
            limb.before, limb.predicted, limb.observer = before, predicted, copy(observer)

    def copy(self) -> Tracker:
        """A tracker with the same memory that goes its own way."""
        other = copy(self)
        other._limbs = [copy(limb) for limb in self._limbs]
        for limb in other._limbs:
            limb.observer = copy(limb.observer)
        return other

    def _drive(
        self, plant: Plant, limb: _Limb, motion: Motion, pull: Pull, wanted: Reference, out: Command
    ) -> None:
        """Solve the program of an arm and write what it says into the command."""
        q, qd = plant.data.qpos[limb.places], plant.data.qvel[limb.dofs]
        stiff, damped = self.gain, 2.0 * np.sqrt(self.gain)
        aim = wanted.qdd + stiff * (wanted.q - q) + damped * (wanted.qd - qd)
        inverse = np.linalg.inv(motion.inertia)
        columns = [-motion.arms.T * pull.by_activation[limb.units]]
        if self.reserve > 0:
            columns.append(np.eye(len(limb.dofs)))
        held = -motion.arms.T @ pull.force[limb.units] - motion.bias
        if limb.observer is not None:
            held = held + limb.observer.torque(motion.inertia, qd, limb.predicted, self.period)
        response = np.asarray(inverse @ np.hstack(columns), float)
        s = Situation(response, inverse @ held, aim, limb.before, len(limb.units), self.period)
        x, high = self._solve(s)
        reached = s.free + s.response @ x
        limb.before, limb.predicted = x, reached
        m = s.units
        out.activation[limb.units] = x[:m]
        out.full[limb.units] = x[:m] > high[:m] - _AT_BOUND
        out.missing[limb.rows] = motion.inertia @ (aim - reached)
        if self.reserve > 0:
            out.reserve[limb.rows] = x[m:]

    def _solve(self, s: Situation) -> tuple[Floats, Floats]:
        """The unknowns (m + r,) of an arm, and their upper bounds."""
        size = len(s.before)
        H, f = np.zeros((size, size)), np.zeros(size)
        for task in self.tasks:
            A, b = task.terms(s)
            H += A.T @ A
            f -= A.T @ b
        limits = self.limits if self.dynamics is None else (*self.limits, self.dynamics)
        low, high = joint_bounds(limits, s)
        extra = size - s.units
        if extra:
            rows = range(s.units, size)
            H[rows, rows] += _RESERVE_WEIGHT / self.reserve**2
            low = np.append(low, np.full(extra, -self.reserve))
            high = np.append(high, np.full(extra, self.reserve))
        x = quadratic_program(H, f, A=np.zeros((0, size)), b=np.zeros(0), low=low, high=high)
        return x, high


def _loaded(plant: Plant, limb: _Limb, motion: Motion, payloads: Sequence[Payload]) -> Motion:
    """What moves an arm that carries payloads."""
    own = motion.of(limb.dofs, limb.units)
    for payload in payloads:
        J, force = plant.load(payload)
        J = J[:, limb.dofs]
        own = Motion(own.inertia + payload.mass * J.T @ J, own.bias + J.T @ force, own.arms)
    return own
