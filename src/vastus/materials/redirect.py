"""The functions of a law at a point, with a direction that stands among its numbers as fibre."""

from __future__ import annotations

from functools import cache
from typing import Any

from vastus.materials.base import PointLaw
from vastus.numerics.jit import point


@cache
def redirected(law: PointLaw, width: int) -> PointLaw:
    """The law with the three numbers after its own `width` in place of the fibre."""
    inner_energy, inner_stress, inner_tangent = law.energy, law.stress, law.tangent

    @point
    def energy(F: Any, d: Any, T0: float, p: Any) -> float:
        return inner_energy(F, p[width : width + 3], T0, p)

    @point
    def stress(F: Any, d: Any, T0: float, p: Any, P: Any) -> None:
        inner_stress(F, p[width : width + 3], T0, p, P)

    @point
    def tangent(F: Any, d: Any, T0: float, p: Any, H: Any) -> None:
        inner_tangent(F, p[width : width + 3], T0, p, H)

    return PointLaw(energy, stress, tangent, _answering(law.respond, width))


def _answering(inner: Any, width: int) -> Any:
    if inner is None:
        return None

    @point
    def respond(F: Any, d: Any, T0: float, p: Any, P: Any) -> float:
        return inner(F, p[width : width + 3], T0, p, P)

    return respond
