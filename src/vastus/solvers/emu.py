"""EMU: muscle simulation in deformation space (Modi et al. 2020), with its equations corrected."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vastus.model import Model
from vastus.motion import Inputs, State
from vastus.numerics.minimise import Outcome, Rule, Watch, minimise
from vastus.numerics.types import Floats
from vastus.skeleton.rigid import Rigid
from vastus.skeleton.skeleton import BoneModel
from vastus.solvers.emu_directions import DirectionChoice, Woodbury
from vastus.solvers.emu_energy import Pieces, PiecesEnergy
from vastus.solvers.emu_finish import final_mesh
from vastus.solvers.emu_space import Space
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.solvers.stepping import Effort, QuasiStaticStepper


@dataclass(frozen=True)
class Emu:
    """Independent deformation gradients, tied to the nearest continuous mesh by `alpha`.

    `alpha` has no unit; the larger, the nearer to the full elements. None searches for a good one.
    """

    alpha: float | None = None
    direction: DirectionChoice = Woodbury()  # noqa: RUF009  (a frozen value)
    modes: int = 48
    tolerance: float = 1e-4
    max_iterations: int = 200
    bones: BoneModel = Rigid()  # noqa: RUF009  (a frozen value)

    def prepare(self, model: Model) -> EmuStepper:
        """Factor the continuity matrix and find its modes."""
        return EmuStepper(self, model)


class EmuStepper(QuasiStaticStepper):
    """EMU prepared for one model."""

    def __init__(self, settings: Emu, model: Model) -> None:
        self.problem = Problem(model, Reduction(settings.bones))
        self.effort = Effort()
        self.space = Space(self.problem, settings.bones.young or 1e10)
        self.direction = settings.direction.prepare(self.space, settings.modes, self.effort)
        self.alpha = settings.alpha or 100.0
        self._rule = Rule(settings.tolerance, settings.max_iterations)
        self._last: tuple[Floats, Floats] | None = None

    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """Minimise EMU's energy from the old state, then make the final mesh."""
        energy = PiecesEnergy(
            self.space, self.alpha, inputs, self.problem.driven(state, inputs), self.direction
        )
        found = minimise(energy, energy.at(self._gradients(state)), self._rule, watch)
        return self._finished(energy, found, inputs)

    def _gradients(self, state: State) -> Floats:
        """The gradients to start from: the last ones if they belong to this state."""
        if self._last is not None and self._last[0] is state.x:
            return self._last[1]
        bones = state.poses[self.problem.skeleton.free, :, :3]
        return np.concatenate([self.problem.elastic.deformation(state.x), bones])

    def _finished(
        self, energy: PiecesEnergy, found: Outcome[Pieces], inputs: Inputs
    ) -> Outcome[Configuration]:
        """The outcome on the final mesh, with the potential energy and forces there."""
        q = final_mesh(energy, found.point)
        self._last = (q.x, found.point.F)
        there = Equilibrium(self.problem, inputs)
        value, g = there.value(q), there.gradient(q)
        return Outcome(
            q, value, g, found.load, found.target, found.history, found.converged, found.sentence
        )
