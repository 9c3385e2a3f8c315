"""What an examination of a joint finds: its rest, range and strength, and how it holds weights.

About a joint with the angle q, the others held, act the passive pulls of muscles, springs of joints
and the weight, and with activations a the active pulls:

    tau(q, a) = sum_i r_i(q) [ F_i(L_i, 0) + a_i dF_i/da ] + s(q) - w(q),    r_i = -dL_i/dq

A relaxed joint rests where tau(q, 0) = 0 and falls with q, or at a limit. Its strength in either
direction is the pull of all agonists, those with an arm in that direction, at full activation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from vastus.bodies.body import Body, mujoco_package
from vastus.bodies.paths import moment_arms
from vastus.control.activations.static_optimisation import distribute
from vastus.control.disorders.patient import Patient
from vastus.errors import ModelError, known
from vastus.numerics.types import Floats

STEPS = 180  # into which the range of a joint is divided
EXAMINER = 5.0  # [N m] with which an examiner moves a relaxed joint to the ends of its range


@dataclass(frozen=True)
class Weight:
    """A mass [kg] in the hand of an arm, at its palm or at a point (3,) [m] of the hand's frame."""

    mass: float
    arm: str
    point: tuple[float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class Station:
    """What acts about the degrees of freedom in one pose, of muscles (units, nv) [N m].

    `weight` (nv,) is what gravity turns joints with, and `springs` those of the joints.
    """

    arms: Floats  # (units, nv) [m]
    active: Floats
    passive: Floats
    weight: Floats
    springs: Floats

    @property
    def relaxed(self) -> Floats:
        """(nv,) the torques without activation [N m]."""
        return np.asarray(self.passive.sum(axis=0) + self.weight + self.springs)


@dataclass(frozen=True, eq=False)
class Sweep:
    """A joint at angles (k,) [rad]: arms (k, units) [m] and torques [N m]."""

    angles: Floats
    arms: Floats
    raising: Floats  # (k,) of all muscles that enlarge the angle, at full activation
    lowering: Floats  # (k,) of all that lessen it, below zero
    relaxed: Floats  # (k,) of passive muscles, springs and weight


@dataclass(frozen=True, eq=False)
class Holding:
    """Activations (units,) that hold a weight, and what is missing at each joint [N m]."""

    activations: Floats
    missing: Mapping[str, float]


class Examination:
    """A patient in a pose (nq,), at home unless given, under gravity or without it."""

    def __init__(
        self, patient: Patient, pose: Floats | None = None, *, gravity: bool = True
    ) -> None:
        self.patient, self.body, self.gravity = patient, patient.body, gravity
        self.pose: Floats = np.array(self.body.home if pose is None else pose, float)
        self._data: Any = self.body.data()

    def station(self, pose: Floats | None = None, weight: Weight | None = None) -> Station:
        """What acts in a pose (nq,), or in that of the examination, with a weight in a hand."""
        mj, m, d = mujoco_package(), self.body.model, self._data
        d.qpos[:] = self.pose if pose is None else pose
        for compute in (mj.mj_kinematics, mj.mj_comPos, mj.mj_tendon, mj.mj_comVel, mj.mj_passive):
            compute(m, d)
        lift = np.zeros(m.nv)
        mj.mj_rne(m, d, 0, lift)
        n = len(self.body.units)
        arms, length, still = moment_arms(self.body, d), np.array(d.ten_length[:n]), np.zeros(n)
        pull = self.patient.law.forces(length, still, still)
        turned = -lift * self.gravity + (0.0 if weight is None else self._load(weight))
        return Station(
            arms, arms * pull.by_activation[:, None], arms * pull.force[:, None],
            turned, np.array(d.qfrc_passive),
        )  # fmt: skip

    def sweep(self, joint: str) -> Sweep:
        """The joint over its range, the others held as they are."""
        dof, place, (low, high) = self._joint(joint)
        angles = np.linspace(low, high, STEPS + 1)
        found = [self.station(self._at(place, angle)) for angle in angles]
        full = np.array([s.active[:, dof] + s.passive[:, dof] for s in found])
        arms = np.array([s.arms[:, dof] for s in found])
        return Sweep(
            angles,
            arms,
            np.where(arms > 0, full, 0.0).sum(axis=1),
            np.where(arms < 0, full, 0.0).sum(axis=1),
            np.array([s.relaxed[dof] for s in found]),
        )

    def strength(self, joint: str) -> tuple[float, float]:
        """[N m] of all muscles that enlarge the angle in this pose, and of those that lessen it."""
        dof, _, _ = self._joint(joint)
        s = self.station()
        full, arm = s.active[:, dof] + s.passive[:, dof], s.arms[:, dof]
        return float(full[arm > 0].sum()), float(full[arm < 0].sum())

    def rest(self, joint: str, sweep: Sweep | None = None) -> float:
        """The angle [rad] to which the relaxed joint goes from the pose, the others held."""
        dof, place, _ = self._joint(joint)
        sweep = sweep or self.sweep(joint)
        tau, last = sweep.relaxed, len(sweep.angles) - 1
        k = int(np.argmin(np.abs(sweep.angles - self.pose[place])))
        way = 1 if tau[k] > 0 else -1
        while 0 <= k + way <= last and tau[k] * way > 0:
            k += way
        if tau[k] * way > 0:  # it ends at the limit
            return float(sweep.angles[k])

        def torque(angle: float) -> float:
            return float(self.station(self._at(place, angle)).relaxed[dof])

        ends = sorted((sweep.angles[max(k - way, 0) if way > 0 else min(k - way, last)],
                       sweep.angles[k]))  # fmt: skip
        return float(brentq(torque, *ends, xtol=1e-9))

    def passive_range(
        self, joint: str, sweep: Sweep | None = None, *, torque: float = EXAMINER
    ) -> tuple[float, float]:
        """The angles [rad] between which an examiner moves the relaxed joint with a torque."""
        sweep = sweep or self.sweep(joint)
        rest = self.rest(joint, sweep)
        return _around(sweep.angles, sweep.relaxed + torque, sweep.relaxed - torque, rest)

    def active_range(self, joint: str, sweep: Sweep | None = None) -> tuple[float, float]:
        """The angles [rad] to which muscles move the joint from its rest, against all else."""
        sweep = sweep or self.sweep(joint)
        dof, place, _ = self._joint(joint)
        up, down = [], []
        for angle in sweep.angles:
            s = self.station(self._at(place, float(angle)))
            active = s.active[:, dof]
            up.append(s.relaxed[dof] + active[active > 0].sum())
            down.append(s.relaxed[dof] + active[active < 0].sum())
        return _around(sweep.angles, np.array(up), np.array(down), self.rest(joint, sweep))

    def holding(self, joints: Sequence[str], weight: Weight) -> Holding:
        """The least activations that hold a weight in this pose, the other joints being held."""
        dofs = [self._joint(joint)[0] for joint in joints]
        if not weight.mass >= 0:
            raise ModelError(f"a weight of {weight.mass:g} kg cannot be held; it is at least 0")
        s = self.station(weight=weight)
        found = distribute(s.active[:, dofs].T, -s.relaxed[dofs])
        missing = dict(zip(joints, found.reserves.tolist(), strict=True))
        return Holding(found.activations, missing)

    def _load(self, weight: Weight) -> Floats:
        """(nv,) the torques of a weight."""
        mj, m, d = mujoco_package(), self.body.model, self._data
        arm = self.body.arm(weight.arm)
        hand = m.body(arm.hand).id
        point = d.xpos[hand] + d.xmat[hand].reshape(3, 3) @ self._grip(arm.palm, weight)
        jacobian = np.zeros((3, m.nv))
        mj.mj_jac(m, d, jacobian, None, point, hand)
        return np.asarray(weight.mass * (m.opt.gravity @ jacobian))

    def _grip(self, palm: str, weight: Weight) -> Floats:
        return np.array(self.body.model.site(palm).pos if weight.point is None else weight.point)

    def _at(self, place: int, angle: float) -> Floats:
        q = self.pose.copy()
        q[place] = angle
        return q

    def _joint(self, name: str) -> tuple[int, int, tuple[float, float]]:
        """The dof, the place among coordinates and the range [rad] of a hinge."""
        m: Any = self.body.model
        hinges = hinges_of(self.body)
        if name not in hinges:
            raise known("hinge", name, hinges)
        j = m.joint(name).id
        limits = m.jnt_range[j] if m.jnt_limited[j] else (-np.pi, np.pi)
        return int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j]), (float(limits[0]), float(limits[1]))


def hinges_of(body: Body) -> list[str]:
    """The joints that can be examined."""
    m: Any = body.model
    hinge = mujoco_package().mjtJoint.mjJNT_HINGE
    return [m.joint(j).name for j in range(m.njnt) if m.jnt_type[j] == hinge]


def _around(angles: Floats, up: Floats, down: Floats, start: float) -> tuple[float, float]:
    """How far from a start one comes while `up` is above zero, and `down` below it."""

    def walked(order: slice, drive: Floats) -> float:
        q, tau = angles[order], drive[order]
        ahead = np.flatnonzero((q >= start) if q[-1] > q[0] else (q <= start))
        for k in ahead:
            if tau[k] <= 0:
                if k == 0 or tau[k - 1] <= 0:
                    return start
                return float(q[k - 1] + (q[k] - q[k - 1]) * tau[k - 1] / (tau[k - 1] - tau[k]))
        return float(q[-1])

    return walked(slice(None, None, -1), -down), walked(slice(None), up)
