"""Tissue and skeleton that move each other: bones by their inertia, tissue in equilibrium.

The skeleton makes rigid steps of a millisecond under the moments of the tissue, which is solved at
the end of each longer step only. In between its moments are those of the linear tissue,

    m(c, s) = (1 - s) [m0 + K0 (c - c0)] + s [m1 + K1 (c - c1)],    K = dm/dc,

of the equilibria at the beginning (0) and the end (1) of the step. The end is not known before: the
first pass takes the beginning alone, and each correction repeats the step with both. Springs,
limits and dampers of joints are those of the present coordinates in each rigid step.
"""

from __future__ import annotations

import time as clock
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.bodies.body import mujoco_package
from vastus.coupling.skeleton import names_of, skeleton_of
from vastus.coupling.tissue import Answer, Tissue
from vastus.energies.joints import JointResistance
from vastus.errors import ModelError, SolveError, known
from vastus.inputs import Inputs
from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.minimise import Watch
from vastus.numerics.types import Floats, Ints
from vastus.solvers.driving import measured
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import Report, State

if TYPE_CHECKING:
    from vastus.bodies.body import Body
    from vastus.coupling.driven import Pairing

POSITION, SPEED = "skeleton_position", "skeleton_speed"
MOMENTS, SLOPES, INERTIA = "tissue_moments", "tissue_slopes", "tissue_inertia"
WORK = "tissue_work"  # [J] that its moments have done on the skeleton


@dataclass(frozen=True)
class Coupled:
    """A skeleton that the tissue of a model moves.

    `step` [s] is the longest after which tissue is solved, and `rigid` [s] that of the skeleton.
    Each step is repeated `corrections` times with the moments at its end. Without `linear` moments
    are held in between: for comparison, for stiff tissue then shakes the bones. `tissue` finds the
    equilibria.

    Without a body the skeleton is made of the model's bones; tissue and bones weigh what the model
    says, and the inertia of tissue that follows the joints is added to theirs. The segments of a
    `body` weigh as it says, flesh included: the tissue of the model then has no weight and no
    inertia. `pairing` tells which of its joints are those of the model.
    """

    step: float = 5e-3
    rigid: float = 1e-3
    corrections: int = 1
    linear: bool = True
    tissue: Newton | QuasiNewton = QuasiNewton()  # noqa: RUF009  (a frozen value)
    body: Body | None = None
    pairing: Pairing | None = None

    def __post_init__(self) -> None:
        for name in ("step", "rigid"):
            value = getattr(self, name)
            require(0 < value < np.inf, f"{name} is {value:g}; it must be finite and above 0")
        require(
            self.corrections >= 0, f"{self.corrections} corrections; there cannot be fewer than 0"
        )
        if (self.body is None) != (self.pairing is None):
            raise ModelError("a body needs a pairing with the model, and a pairing a body")

    def prepare(self, model: Model) -> CoupledStepper:
        """Make skeleton and tissue ready."""
        return CoupledStepper(self, model)


class CoupledStepper:
    """Skeleton and tissue of one model; all that they remember is in the state."""

    def __init__(self, settings: Coupled, model: Model) -> None:
        self.dt: float | None = settings.step
        self._settings, self._mujoco = settings, mujoco_package()
        body, own = settings.body, settings.body is None
        self.tissue = Tissue(model, settings.tissue, gravity=own)
        self.body = skeleton_of(model) if body is None else body
        self._joints = _places(self.body, model, settings.pairing)
        self._own = own
        self._resistance = JointResistance(model)
        self._m: Any = self.body.spec.copy().compile()  # armature is written into it
        self._m.opt.integrator = self._mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self._armature = np.array(self._m.dof_armature)
        self._d: Any = self._mujoco.MjData(self._m)

    def begin(self, state: State) -> State:
        """The state with its skeleton at rest, and tissue in equilibrium with it."""
        if POSITION in state.memory and MOMENTS in state.memory:
            return state
        position = np.array(self.body.home)
        position[self._joints.places] = self._joints.inwards(
            measured(self.tissue.model, state.poses)
        )
        inputs = replace(
            Inputs.rest(self.tissue.model, state.time),
            excitation=state.activation,
            poses=state.poses,
        )
        found, _ = self.tissue.solve(state, inputs, self._coordinates(position))
        still = np.zeros(self._m.nv)
        return self._kept(found, position, still, self.tissue.answer(found), 0.0)

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The state at `inputs.time`."""
        began = clock.perf_counter()
        now, report = self._went(state, state, None, inputs, watch)
        for _ in range(self._settings.corrections):
            now, report = self._went(state, now, _answer(now), inputs, watch)
        return now, replace(report, seconds=clock.perf_counter() - began)

    def _went(
        self, state: State, near: State, after: Answer | None, inputs: Inputs, watch: Watch | None
    ) -> tuple[State, Report]:
        """The state after a step whose end is known to be like `after`; `near` is where to seek."""
        position, speed, work = self._swing(state, _answer(state), after, inputs.time)
        found, report = self.tissue.solve(near, inputs, self._coordinates(position), watch)
        done = float(state.memory[WORK][0]) + work
        return self._kept(found, position, speed, self.tissue.answer(found), done), report

    def energies(self, state: State) -> dict[str, float]:
        """Energies [J]: of motion, of tissue and weights, of springs and limits, and their sum."""
        self._set(state.memory[POSITION], state.memory[SPEED], _answer(state))
        c = self._coordinates(state.memory[POSITION])
        v = np.asarray(self._d.qvel)
        M = np.zeros((self._m.nv, self._m.nv))
        self._mujoco.mj_forward(self._m, self._d)
        self._mujoco.mj_fullM(self._m, self._d, M)
        parts = {
            "motion": 0.5 * float(v @ M @ v),
            "tissue": self.tissue.energy(state),
            "joints": float(self._resistance.derivatives(c)[0].sum()),
        }
        return parts | {"total": sum(parts.values())}

    def motion(self, state: State) -> tuple[Floats, Floats, Floats, Floats]:
        """Coordinates, speeds (c,), their inertia (c, c) and what moves them (c,) [N m or N]."""
        answer, memory = _answer(state), state.memory
        self._set(memory[POSITION], memory[SPEED], answer)
        self._mujoco.mj_forward(self._m, self._d)
        M = np.zeros((self._m.nv, self._m.nv))
        self._mujoco.mj_fullM(self._m, self._d, M)
        dofs, sign = self._joints.dofs, self._joints.signs
        c = self._coordinates(memory[POSITION])
        bias = (self._d.qfrc_bias - self._d.qfrc_passive)[dofs]
        moved = answer.at(c) - self._resistance.derivatives(c)[1] - sign * bias
        own = sign[:, None] * M[np.ix_(dofs, dofs)] * sign
        return c, sign * memory[SPEED][dofs], own, moved

    def _swing(
        self, state: State, before: Answer, after: Answer | None, until: float
    ) -> tuple[Floats, Floats, float]:
        """Where the skeleton is at a time [s], how fast, and the tissue's work on it [J]."""
        m, d, steps = self._m, self._d, max(1, round((until - state.time) / self._settings.rigid))
        m.opt.timestep = (until - state.time) / steps
        self._set(state.memory[POSITION], state.memory[SPEED], before)
        dofs, sign, work = self._joints.dofs, self._joints.signs, 0.0
        for k in range(steps):
            self._mujoco.mj_step1(m, d)
            c = self._coordinates(np.asarray(d.qpos))
            moments = self._between(before, after, (k + 0.5) / steps, c)
            resisting = self._resistance.derivatives(c)[1]
            d.qfrc_applied[dofs] = sign * (moments - resisting)
            self._mujoco.mj_step2(m, d)
            change = self._coordinates(np.asarray(d.qpos)) - c
            halfway = self._between(before, after, (k + 0.5) / steps, c + 0.5 * change)
            work += float(halfway @ change)
            if not np.isfinite(d.qpos).all():
                raise SolveError(f"the skeleton flies apart before {until:.4g} s", state)
        return np.array(d.qpos), np.array(d.qvel), work

    def _between(self, before: Answer, after: Answer | None, s: float, c: Floats) -> Floats:
        if not self._settings.linear:
            if after is None:
                return before.moments
            return np.asarray((1 - s) * before.moments + s * after.moments)
        return before.at(c) if after is None else (1 - s) * before.at(c) + s * after.at(c)

    def _set(self, position: Floats, speed: Floats, answer: Answer) -> None:
        self._mujoco.mj_resetData(self._m, self._d)
        self._d.qpos[:], self._d.qvel[:] = position, speed
        if self._own:
            # MuJoCo has room for the diagonal only; of one joint it is all.
            added = self._armature.copy()
            added[self._joints.dofs] += np.diag(answer.inertia)
            self._m.dof_armature[:] = added

    def _coordinates(self, position: Floats) -> Floats:
        return self._joints.outwards(position[self._joints.places])

    def _kept(
        self, found: State, position: Floats, speed: Floats, answer: Answer, work: float
    ) -> State:
        kept = {
            POSITION: position, SPEED: speed, MOMENTS: answer.moments,
            SLOPES: answer.slopes, INERTIA: answer.inertia, WORK: np.array([work]),
        }  # fmt: skip
        return replace(found, memory={**found.memory, **kept})


def _answer(state: State) -> Answer:
    memory = state.memory
    return Answer(memory["joints"], memory[MOMENTS], memory[SLOPES], memory[INERTIA])


@dataclass(frozen=True, eq=False)
class _Joints:
    """Where the coordinates of a model are among positions and speeds of a skeleton."""

    places: Ints  # (c,) among positions
    dofs: Ints  # (c,) among speeds
    signs: Floats  # (c,)
    zeros: Floats  # (c,) the skeleton's value where the model's coordinate is 0

    def outwards(self, values: Floats) -> Floats:
        """(c,) coordinates of the model, of values of the skeleton."""
        return np.asarray(self.signs * (values - self.zeros))

    def inwards(self, coordinates: Floats) -> Floats:
        """(c,) values of the skeleton, of coordinates of the model."""
        return np.asarray(self.signs * coordinates + self.zeros)


def _places(body: Body, model: Model, pairing: Pairing | None) -> _Joints:
    names = [name for joint in model.joints for name in names_of(joint) if joint.freedoms]
    pairs = {name: (name, 1.0, 0.0) for name in names} if pairing is None else pairing.joints
    missing = [name for name in names if name not in pairs]
    if missing:
        raise ModelError(f"joint '{missing[0]}' of the model is paired with none of the body")
    m, single = body.model, (2, 3)  # mjJNT_SLIDE, mjJNT_HINGE
    able = {m.joint(j).name: j for j in range(m.njnt) if int(m.jnt_type[j]) in single}
    for name in names:
        if pairs[name][0] not in able:
            raise known("joint of one coordinate", pairs[name][0], able)
    numbers = np.array([able[pairs[name][0]] for name in names], np.int64)
    signs, zeros = (np.array([pairs[name][k] for name in names], float) for k in (1, 2))
    return _Joints(m.jnt_qposadr[numbers], m.jnt_dofadr[numbers], signs, zeros)
