"""The cantilever by this package."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vastus.bench.cases import TOLERANCE, Cantilever
from vastus.inputs import Inputs
from vastus.numerics.types import Floats
from vastus.solvers.newton import Newton
from vastus.state import rest


def displacement(case: Cantilever) -> Floats:
    """(n, 3) [m]."""
    model = case.model(case.forces)
    stepper, state = Newton(TOLERANCE).prepare(model), rest(model)
    for number, forces in enumerate(case.steps(), 1):
        at = Inputs.rest(model, time=float(number))
        state, _ = stepper.step(state, replace(at, loads=forces.sum(axis=0)[None]))
    return np.asarray(state.x - case.mesh.X)
