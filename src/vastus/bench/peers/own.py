"""The cantilever by this package."""

from __future__ import annotations

from vastus.bench.cases import TOLERANCE, Cantilever
from vastus.inputs import Inputs
from vastus.numerics.types import Floats
from vastus.solvers.newton import Newton
from vastus.state import rest


def displacement(case: Cantilever) -> Floats:
    """(n, 3) [m]; a load belongs to the model, so each step prepares the solver anew."""
    state = None
    for forces in case.steps():
        model = case.model(forces)
        start = state or rest(model)
        state, _ = Newton(TOLERANCE).prepare(model).step(start, Inputs.rest(model))
    assert state is not None
    return state.x - case.mesh.X
