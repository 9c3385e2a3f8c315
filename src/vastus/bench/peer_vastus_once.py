"""The cantilever by this package, with the whole load at once."""

from __future__ import annotations

from vastus.bench.cantilever import TOLERANCE, Cantilever
from vastus.motion import rest
from vastus.numerics.types import Floats
from vastus.solvers.newton import Newton


def displacement(case: Cantilever) -> Floats:
    """(n, 3) [m]."""
    model = case.model(case.forces)
    start = rest(model)
    state, _ = Newton(TOLERANCE).prepare(model).step(start, start.inputs)
    return state.x - case.mesh.X
