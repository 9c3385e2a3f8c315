"""Lever arms by virtual work: how far fibres shorten when a joint turns and all tissue follows.

Where a muscle is bent over bones and pressed by its neighbours, neither a straight string nor the
moment of its attachments tells its arm. The energy does. An equilibrium has the least energy E at
its joint angle q and activation a, and of that the derivatives are the reaction M = dE/dq and, of
the active fibres, dE/da. Both orders of the second derivative are the same:

    dM/da = d/dq (dE/da) = -r dT/da,   r = -sum_e V_e t_e (dl_e/dq) / T,   T = sum_e V_e t_e / L

with the stress t_e of the active fibres of each tet, their stretch l_e and mean length L. So the
fibres' excursion r is what a newton more of tension, at the present length, turns the joint by:
the arms by excursion and by force are one, whatever else the muscle touches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vastus.measure.fibre_tension import FibreTension
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.skeleton.coordinates import of_joint
from vastus.skeleton.joints import Hinge
from vastus.solvers.hessian import Hessian
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.state import State

TURN = 1e-5  # [rad] to either side


class WorkArms:
    """The arms of all muscles of a model about one hinge, in any equilibrium."""

    def __init__(self, model: Model, joint: Hinge) -> None:
        self._model, self._joint = model, joint
        self._problem = Problem(model, Reduction())
        self._hessian = Hessian(self._problem)
        self._coordinate = of_joint(model.joints, model.joints.index(joint))
        self._muscles = [_Fibres.of(model, index) for index in range(len(model.muscles))]

    def of(self, state: State) -> dict[str, float]:
        """`<muscle>_<joint>_work_arm_m` [m] by name; not a number where the state is unstable."""
        arms, _ = self.leverage(state)
        names = [f"{muscle.name}_{self._joint.name}_work_arm_m" for muscle in self._muscles]
        return dict(zip(names, arms.tolist(), strict=True))

    def leverage(self, state: State) -> tuple[Floats, Floats]:
        """(muscles,) arms [m], and tensions [N] of fully active fibres at their present lengths.

        The product of both is the moment that activation adds: minus dM/da.
        """
        F = self._problem.elastic.deformation(state.x)
        dF = self._problem.elastic.deformation(self.rate(state))
        both = np.array([muscle.leverage(F, dF) for muscle in self._muscles]).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def rate(self, state: State) -> Floats:
        """(n, 3) how all vertices move as the joint turns [m/rad], every other joint held."""
        ahead, behind = (self._turned(state, turn) for turn in (TURN, -TURN))
        here = self._turned(state, 0.0)
        carried = (ahead[1].x - behind[1].x) / (2 * TURN)
        pull = (ahead[0].gradient(ahead[1]) - behind[0].gradient(behind[1])) / (2 * TURN)
        linear = self._hessian.at(*here)
        if not linear.definite:
            return np.full_like(state.x, np.nan)
        follow = TURN * linear.solve(-pull)
        sides = [here[0].retract(here[1], side * follow).x for side in (1.0, -1.0)]
        return np.asarray(carried + (sides[0] - sides[1]) / (2 * TURN))

    def _turned(self, state: State, turn: float) -> tuple[Equilibrium, Configuration]:
        """The state with its joint turned [rad] and nothing following but what bones carry."""
        inputs = self._problem.before(state)
        assert inputs.joints is not None
        joints = inputs.joints.copy()
        joints[self._coordinate] += turn
        inputs = replace(inputs, joints=joints)
        return Equilibrium(self._problem, inputs), self._problem.driven(state, inputs)


@dataclass(frozen=True, eq=False)
class _Fibres:
    """The fibres of a muscle, as far as its arms go."""

    name: str
    tension: FibreTension
    soft: np.ndarray  # (k,) its tets among the soft ones
    d: Floats  # (k, 3) directions at rest
    whole: Floats  # (muscles,) itself fully active

    @classmethod
    def of(cls, model: Model, index: int) -> _Fibres:
        tension = FibreTension(model, index)
        soft = np.searchsorted(model.soft, tension.tets)
        whole = (np.arange(len(model.muscles)) == index).astype(float)
        return cls(model.muscles[index].name, tension, soft, model.fibre[tension.tets], whole)

    def leverage(self, F: Floats, dF: Floats) -> tuple[float, float]:
        """-dL/dangle [m] of its fibres, each counted by its tension [N] if the muscle were active.

        The mean tension of the fibres comes second.
        """
        own = F[self.soft]
        stress = self.tension.stress(own, self.whole)
        y = np.einsum("kij,kj->ki", own, self.d)
        rate = np.einsum("ki,kij,kj->k", y, dF[self.soft], self.d) / np.maximum(
            stress.stretch, 1e-6
        )
        pull = self.tension.volumes * stress.active
        mean = float(pull.sum()) / self.tension.fibre_length
        return (-float(pull @ rate) / mean if mean > 0 else np.nan), mean
