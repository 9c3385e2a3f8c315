"""Activations that lead the joints of a coupled skeleton along a reference, by a quadratic program.

With the moments m and their derivatives G by activations, of the tissue as it is,

    minimise |M cdd - (m + G (a - a0) - r)|^2 / w^2 + effort |a|^2,    0 <= a <= limit,

with the accelerations cdd = cdd* + k (c* - c) + 2 sqrt(k) (cd* - cd) that are wanted, the inertia M
of skeleton and tissue, and what resists r.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from vastus.coupling.coupled import Coupled, CoupledStepper
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.qp import quadratic_program
from vastus.numerics.types import Floats
from vastus.state import State

Reference = Callable[[float], tuple[Floats, Floats, Floats]]


@dataclass(eq=False)
class Lead:
    """A controller of a model that a `Coupled` solver moves.

    `reference` gives coordinates (c,) [rad or m], speeds and accelerations at a time [s]. `gain`
    [1/s^2] pulls towards them; a moment of `scale` [N m] that is missing costs as much as an
    activation of one, times `effort`.
    """

    model: Model
    solver: Coupled
    reference: Reference
    gain: float = 200.0
    scale: float = 0.1
    effort: float = 1.0
    _stepper: CoupledStepper = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if any(not np.isfinite(muscle.limit) for muscle in self.model.muscles):
            raise ModelError("activations are led between 0 and a limit, which all muscles need")
        self._stepper = self.solver.prepare(self.model)

    def inputs(self, time: float, state: State) -> Inputs:
        """The activations that lead from a state towards the reference at a time [s]."""
        state = self._stepper.begin(state)
        c, cd, M, rest = self._stepper.motion(state)
        there, speed, acceleration = self.reference(time)
        wanted = acceleration + self.gain * (there - c) + 2 * np.sqrt(self.gain) * (speed - cd)
        G, a0 = self._stepper.tissue.by_activation(state), state.activation
        lacking = M @ wanted - rest + G @ a0  # what G a should be
        rows = G / self.scale
        H = 2 * (rows.T @ rows + self.effort * np.eye(len(a0)))
        f = -2 * rows.T @ (lacking / self.scale)
        high = np.array([muscle.limit for muscle in self.model.muscles])
        nothing = np.zeros((0, len(a0)))
        a = quadratic_program(H, f, A=nothing, b=np.zeros(0), low=np.zeros(len(a0)), high=high)
        return replace(Inputs.rest(self.model, time), excitation=a)
