"""The moments of tissue about joints that a skeleton drives, and how they change.

Tissue in equilibrium at coordinates c and activations a has an energy E(c, a), and turns the joints
with the moments

    m = -dE/dc,    dm/dc = -(E_cc - E_cx E_xx^-1 E_xc),    dm/da = -(E_ca - E_cx E_xx^-1 E_xa).

The derivatives are differences of reactions: one coordinate or activation is moved a little, and
the tissue follows by the linear answer of its stiffness, which costs no solve of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vastus.energies.inertia import Masses
from vastus.errors import ModelError, SolveError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.minimise import Watch
from vastus.numerics.types import Floats
from vastus.skeleton.passive import Passive
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration, Equilibrium
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.solvers.stepping import QuasiStaticStepper, followed
from vastus.state import Report, State

AWAY = 1e-5  # [rad or m] by which a coordinate is moved, and of a muscle's limit its activation


@dataclass(frozen=True, eq=False)
class Answer:
    """Moments (c,) [N m or N] at coordinates (c,), their slopes (c, c), and the tissue's inertia.

    The inertia (c, c) [kg m^2] is that of vertices which follow the coordinates.
    """

    coordinates: Floats
    moments: Floats
    slopes: Floats
    inertia: Floats

    def at(self, coordinates: Floats) -> Floats:
        """(c,) the moments at coordinates nearby, to first order."""
        return np.asarray(self.moments + self.slopes @ (coordinates - self.coordinates))


class Tissue:
    """The tissue of a model whose joints are all driven.

    Springs and limits of joints are left out: they depend on the coordinates alone, and who drives
    them knows these at every moment.
    """

    def __init__(self, model: Model, solver: Newton | QuasiNewton, *, gravity: bool = True) -> None:
        bare = [replace(j, passive=(Passive(),) * len(j.freedoms)) if j.freedoms else j
                for j in model.joints]  # fmt: skip
        self.model = model.with_(joints=tuple(bare))
        if not self.model.n_coordinates:
            raise ModelError(f"model '{model.name}' has no joint whose coordinates could be driven")
        self.gravity = None if gravity else np.zeros(3)
        self._stepper: QuasiStaticStepper = solver.prepare(self.model)
        self.problem = self._stepper.problem
        self._hessian, self._mass = Hessian(self.problem), Masses.of(model).tissue

    def inputs(self, inputs: Inputs, coordinates: Floats) -> Inputs:
        """The same inputs with all joints at coordinates (c,)."""
        gravity = inputs.gravity if self.gravity is None else self.gravity
        return replace(inputs, joints=coordinates.copy(), gravity=gravity)

    def solve(
        self, state: State, inputs: Inputs, coordinates: Floats, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The equilibrium at coordinates (c,) and the excitations of the inputs."""
        return self._stepper.step(state, self.inputs(inputs, coordinates), watch)

    def answer(self, state: State) -> Answer:
        """The moments of an equilibrium, how they change, and what inertia it has."""
        here = Inputs.of(state)
        assert here.joints is not None, "an equilibrium of driven joints"
        count = len(here.joints)
        r = self._reactions(self._placed(state, here), here)
        slopes, ways = np.zeros((count, count)), np.zeros((count, state.x.size))
        for k in range(count):
            moved = replace(here, joints=here.joints + AWAY * np.eye(count)[k])
            try:
                q = followed(self._hessian, self.problem, state, moved)
            except SolveError:  # contact leaves no room on this side
                continue
            slopes[:, k] = -(self._reactions(q, moved) - r) / AWAY
            ways[k] = (q.x - state.x).ravel() / AWAY
        weighed = ways * np.repeat(self._mass, 3)
        return Answer(here.joints, -r, 0.5 * (slopes + slopes.T), weighed @ ways.T)

    def by_activation(self, state: State) -> Floats:
        """(c, muscles) [N m] how moments change with activations, of an equilibrium."""
        here = Inputs.of(state)
        assert here.joints is not None, "an equilibrium of driven joints"
        q = self._placed(state, here)
        r = self._reactions(q, here)
        linear = self._hessian.at(Equilibrium(self.problem, here), q)
        gains = np.zeros((len(r), len(self.model.muscles)))
        for k, muscle in enumerate(self.model.muscles):
            away = AWAY * (muscle.limit if np.isfinite(muscle.limit) else 1e6)
            excitation = here.excitation + away * np.eye(gains.shape[1])[k]
            pulled = Equilibrium(self.problem, replace(here, excitation=excitation))
            step = -linear.solve(pulled.gradient(q))
            gains[:, k] = -(pulled.reactions(pulled.retract(q, step), here.joints) - r) / away
        return gains

    def energy(self, state: State) -> float:
        """The energy [J] of tissue and weights in an equilibrium."""
        here = Inputs.of(state)
        return Equilibrium(self.problem, here).value(self._placed(state, here))

    def _placed(self, state: State, inputs: Inputs) -> Configuration:
        return self.problem.driven(state, inputs)

    def _reactions(self, q: Configuration, inputs: Inputs) -> Floats:
        assert inputs.joints is not None
        return Equilibrium(self.problem, inputs).reactions(q, inputs.joints)
