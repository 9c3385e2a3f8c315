"""A plant: an articulated body whose muscles pull along its paths, stepped by MuJoCo.

The pull F of a path of length L(q) acts on the joints as

    tau = -J^T F,    J = dL/dq,

which is what an inextensible wire over the same way-points does. In each rigid step the pulls are
those of the present lengths and speeds. What a pull gains with speed, b = dF/dv, goes to MuJoCo as
the damping of the path, so that its implicit integrator takes F + b (dv) in place of F: explicitly
a force that rises that steeply with speed would not be stable.

Volumes may be solved less often than bodies are stepped, each `soft` rigid steps: in between their
tensions are continued to first order, at the lengths, speeds and activations of each rigid step.

Between two steps everything that follows from positions and speeds is up to date: a step ends with
MuJoCo's first half of the next. Whoever changes the state in between calls `refresh`. Damping is in
the model only during a step, so that plants that share a model do not disturb each other.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vastus.bellies.law import MuscleLaw, Pull, continued
from vastus.bellies.line import LineLaw
from vastus.bodies.body import mujoco_package
from vastus.control.energy import Energy
from vastus.errors import ModelError
from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    from vastus.bodies.body import Body

STEP = 1e-3  # [s] of the rigid bodies


class Payload(NamedTuple):
    """A mass [kg] that a body of the skeleton carries at a point (3,) [m] of its own frame."""

    mass: float
    carrier: int
    point: Floats


@dataclass(eq=False)
class Mismatch:
    """How far pulls are from those of a law that is believed [greatest forces], over all steps."""

    most: float = 0.0
    squares: float = 0.0
    count: int = 0

    def add(self, off: Floats) -> None:
        """Count the differences (m,) of a step."""
        self.most = max(self.most, float(np.abs(off).max(initial=0.0)))
        self.squares, self.count = self.squares + float(off @ off), self.count + len(off)

    @property
    def rms(self) -> float:
        """The root mean square."""
        return float(np.sqrt(self.squares / max(self.count, 1)))

    def __str__(self) -> str:
        return f"{100 * self.most:.3f} % of the greatest force at most, {100 * self.rms:.4f} % rms"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a plant apart from its body, which another process can take up."""

    state: Floats  # MuJoCo's, with all that the next step depends on
    welds: Floats  # of the model, in which held balls are
    activation: Floats
    work: Floats
    law: MuscleLaw


@dataclass(frozen=True, eq=False)
class Motion:
    """What moves joints: inertia (nv, nv), bias (nv,) [N m] and the paths' dL/dq (m, nv) [m]."""

    inertia: Floats
    bias: Floats
    arms: Floats

    def of(self, dofs: Ints, units: Ints) -> Motion:
        """The part of some joints and units; the others count as held."""
        return Motion(
            self.inertia[dofs[:, None], dofs], self.bias[dofs], self.arms[units[:, None], dofs]
        )


class Plant:
    """A body, the law of its muscles and the state of both."""

    def __init__(
        self,
        body: Body,
        law: MuscleLaw | None = None,
        *,
        step: float = STEP,
        soft: int = 1,
        believed: MuscleLaw | None = None,
    ) -> None:
        """A body at its home pose and at rest; without a law its units are Hill lines.

        The law is solved each `soft` rigid steps of `step` [s]. Whoever controls the plant plans
        with the law that is `believed`, which is the law itself unless given.
        """
        if not step > 0:
            raise ModelError(
                f"rigid bodies cannot be stepped by {step:g} s; a step is longer than 0"
            )
        if soft < 1:
            raise ModelError(f"muscles solved each {soft} rigid steps; it must be at least 1")
        self.mj = mujoco_package()
        self.body, self.model = body, body.model
        self.law: MuscleLaw = LineLaw(body.units) if law is None else law
        self.believed, self.soft, self.mismatch = believed or self.law, soft, Mismatch()
        self._steps, self._greatest = 0, body.forces
        self.brought = 0.0  # [J] by whoever changed the state from outside
        self._works: Floats = np.zeros(4)  # [J] of torques, dampers, holds and from outside
        self._start: Floats = np.zeros(2)  # [J] kinetic and potential energy at the first step
        self.model.opt.timestep = step
        self.model.opt.integrator = self.mj.mjtIntegrator.mjINT_IMPLICITFAST
        self.data: Any = self.mj.MjData(self.model)
        self.data.qpos[: len(body.home)] = body.home
        self.dofs: Ints = np.array([dof for arm in body.arms for dof in arm.dofs], np.int64)
        m = len(body.units)
        self.activation: Floats = np.zeros(m)
        self.tension: Floats = np.zeros(m)  # [N] over the last step
        self.work: Floats = np.zeros(m)  # [J] that each unit has done on the skeleton
        self._entries, self._columns = _entries(self.model)
        self._arms: Floats | None = None  # until someone asks
        self.refresh()
        pulls = np.shape(self.pull(self.activation).force)
        if pulls != (m,):
            raise ModelError(f"a law whose pulls have the shape {pulls} for a body of {m} units")

    @property
    def time(self) -> float:
        """[s]"""
        return float(self.data.time)

    @property
    def length(self) -> Floats:
        """(m,) [m] of the paths."""
        return np.asarray(self.data.ten_length[: len(self.body.units)])

    @property
    def speed(self) -> Floats:
        """(m,) [m/s] at which the paths lengthen."""
        return np.asarray(self.data.ten_velocity[: len(self.body.units)])

    @property
    def arms(self) -> Floats:
        """(m, nv) [m] dL/dq: how paths lengthen with each degree of freedom."""
        if self._arms is None:
            J = np.zeros((self.model.ntendon, self.model.nv))
            J[self._entries, self._columns] = self.data.ten_J
            self._arms = J[: len(self.body.units)]
        return self._arms

    def refresh(self) -> None:
        """Bring up to date what follows from positions and speeds changed from outside."""
        self.mj.mj_step1(self.model, self.data)
        self._arms = None

    def pull(self, activation: Floats) -> Pull:
        """What the units would pull now."""
        return self.law.forces(self.length, self.speed, activation)

    def step(self, activation: Floats, torque: Floats | None = None) -> None:
        """One rigid step with activations (m,), and torques (n,) [N m] besides at `dofs`."""
        model, data = self.model, self.data
        state = self.length, self.speed, activation
        if self._steps == 0:
            self._start, self.brought = self.energies(), 0.0  # what came before is in it
        solved = self._steps % self.soft == 0
        pull = self.law.forces(*state) if solved else continued(self.law, *state)
        self._steps += 1
        if self.believed is not self.law:
            off = pull.force - self.believed.forces(*state).force
            self.mismatch.add(off / self._greatest)
        damping = np.maximum(pull.by_speed, 0.0)
        J, before, was = self.arms, self.speed.copy(), data.qvel.copy()
        data.qfrc_applied[:] = -pull.force @ J
        if torque is not None:
            data.qfrc_applied[self.dofs] += torque
        model.tendon_damping[: len(damping)] = damping
        self.mj.mj_step2(model, data)
        model.tendon_damping[: len(damping)] = 0.0
        after = J @ data.qvel
        self.activation = activation
        self.tension = pull.force + damping * (after - before)
        self.work -= self.tension * 0.5 * (before + after) * model.opt.timestep
        self._account(0.5 * (was + data.qvel), torque)
        self.refresh()

    def _account(self, v: Floats, torque: Floats | None) -> None:
        """Add the works of a step that has just been made, at mean speeds v (nv,)."""
        model, data, works, h = self.model, self.data, self._works, self.model.opt.timestep
        if torque is not None:
            works[0] += h * (torque @ v[self.dofs])
        works[1] -= h * ((model.dof_damping * data.qvel) @ v)
        works[2] += h * (data.qfrc_constraint @ v)
        for k in np.flatnonzero(data.xfrc_applied.any(axis=1)):
            pushed, force = np.zeros(model.nv), data.xfrc_applied[k]
            self.mj.mj_applyFT(model, data, force[:3], force[3:], data.xipos[k], k, pushed)
            works[3] += h * (pushed @ v)

    def energies(self) -> Floats:
        """(2,) [J] kinetic and potential energy now."""
        self.mj.mj_energyPos(self.model, self.data)
        self.mj.mj_energyVel(self.model, self.data)
        return np.array(self.data.energy[::-1])

    @property
    def energy(self) -> Energy:
        """Where the energy of all steps so far came from, and went."""
        gained = self.energies() - self._start if self._steps else np.zeros(2)
        torques, dampers, holds, outside = map(float, self._works)
        return Energy(
            kinetic=float(gained[0]), potential=float(gained[1]), muscles=float(self.work.sum()),
            torques=torques, dampers=dampers, holds=holds, outside=outside, brought=self.brought,
        )  # fmt: skip

    def motion(self) -> Motion:
        """What moves all degrees of freedom now."""
        model, data = self.model, self.data
        inertia = np.zeros((model.nv, model.nv))
        self.mj.mj_fullM(model, data, inertia)
        return Motion(inertia, data.qfrc_bias - data.qfrc_passive, self.arms)

    def load(self, payload: Payload) -> tuple[Floats, Floats]:
        """How a payload moves with the joints (3, nv), and the force (3,) [N] that bears it."""
        model, data = self.model, self.data
        J, rate = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        point = self.point(payload.carrier, payload.point)
        self.mj.mj_jac(model, data, J, None, point, payload.carrier)
        self.mj.mj_jacDot(model, data, rate, None, point, payload.carrier)
        return J, payload.mass * (rate @ data.qvel - model.opt.gravity)

    def stiffness(self, activation: Floats, shift: float = 1e-5) -> Floats:
        """(n, n) [N m/rad] dtau/dq of the units' torques at `dofs`, at constant activations (m,).

        -J^T (dF/dl) J is that of the units, -sum F d2L/dq2 that of paths whose arms change; the
        latter is found by moving joints to either side by a `shift` [rad].
        """
        pull, J = self.pull(activation), self.arms[:, self.dofs]
        trial = self.copy()
        places = self.model.jnt_qposadr[self.model.dof_jntid[self.dofs]]
        turning = np.zeros((len(self.dofs), len(self.dofs)))
        for k, place in enumerate(places):
            sides = []
            for way in (shift, -shift):
                trial.data.qpos[:] = self.data.qpos
                trial.data.qpos[place] += way
                trial.refresh()
                sides.append(pull.force @ trial.arms[:, self.dofs])
            turning[:, k] = (sides[0] - sides[1]) / (2.0 * shift)
        return np.asarray(-J.T @ (pull.by_length[:, None] * J) - turning)

    def point(self, carrier: int, local: Floats) -> Floats:
        """(3,) [m] where a point (3,) of a body's own frame is."""
        data = self.data
        return np.asarray(data.xpos[carrier] + data.xmat[carrier].reshape(3, 3) @ local)

    def snapshot(self) -> Snapshot:
        """The present state, to be restored here or in a plant of the same body elsewhere."""
        kind = self.mj.mjtState.mjSTATE_INTEGRATION
        state = np.zeros(self.mj.mj_stateSize(self.model, kind))
        self.mj.mj_getState(self.model, self.data, state, kind)
        return Snapshot(
            state, self.model.eq_data.copy(), self.activation.copy(), self.work.copy(),
            self.law.copy(),
        )  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        """Be in a state that a plant of the same body was in."""
        self.model.eq_data[:] = snapshot.welds
        kind = self.mj.mjtState.mjSTATE_INTEGRATION
        self.mj.mj_setState(self.model, self.data, snapshot.state, kind)
        self.activation, self.work = snapshot.activation.copy(), snapshot.work.copy()
        self.law = snapshot.law.copy()
        self.refresh()

    def copy(self) -> Plant:
        """A plant in the same state that goes its own way; body and model are shared."""
        other = copy(self)
        other.data, other.law, other.mismatch = copy(self.data), self.law.copy(), Mismatch()
        if self.believed is self.law:
            other.believed = other.law
        other.activation, other.work = self.activation.copy(), self.work.copy()
        other._works = self._works.copy()
        return other


def _entries(model: Any) -> tuple[Ints, Ints]:
    """Rows and columns of the entries of MuJoCo's sparse dL/dq."""
    rows = np.repeat(np.arange(model.ntendon), model.ten_J_rownnz)
    places = [
        np.arange(start, start + count)
        for start, count in zip(model.ten_J_rowadr, model.ten_J_rownnz, strict=True)
    ]
    order = np.concatenate([np.zeros(0, np.int64), *places]).astype(np.int64)
    columns = np.asarray(model.ten_J_colind)
    found = np.zeros(len(columns), np.int64)
    found[order] = rows
    return found, columns.astype(np.int64)
