"""Several laws at one point as one law, so that one pass over the tets serves them all."""

from __future__ import annotations

from functools import cache, reduce
from typing import Any

from vastus.materials.base import PointFunction, PointLaw
from vastus.numerics.jit import point

Counted = tuple[PointLaw, int]  # a law and the number of its parameters


def sum_of(laws: tuple[Counted, ...]) -> PointLaw:
    """The sum of the laws, whose parameters `p` stand one after another."""
    return reduce(_plus, laws)[0]


def respond_of(law: PointLaw) -> PointFunction:
    """(F, d, T0, p, P) -> psi, adding the stress to P: both at once."""
    return law.respond or _respond(law.energy, law.stress)


def _plus(first: Counted, second: Counted) -> Counted:
    (a, count), (b, more) = first, second
    return _sum(a, b, count), count + more


@cache
def _sum(a: PointLaw, b: PointLaw, count: int) -> PointLaw:
    """The sum of two laws, the first of which has `count` parameters."""
    return PointLaw(
        _returning(a.energy, b.energy, count),
        _adding(a.stress, b.stress, count),
        _adding(a.tangent, b.tangent, count),
        _answering(respond_of(a), respond_of(b), count),
    )


@cache
def _respond(energy: PointFunction, stress: PointFunction) -> PointFunction:
    @point
    def respond(F: Any, d: Any, T0: float, p: Any, P: Any) -> float:
        stress(F, d, T0, p, P)
        return energy(F, d, T0, p)

    return respond


def _returning(a: PointFunction, b: PointFunction, count: int) -> PointFunction:
    @point
    def energy(F: Any, d: Any, T0: float, p: Any) -> float:
        return a(F, d, T0, p) + b(F, d, T0, p[count:])

    return energy


def _adding(a: PointFunction, b: PointFunction, count: int) -> PointFunction:
    @point
    def add(F: Any, d: Any, T0: float, p: Any, out: Any) -> None:
        a(F, d, T0, p, out)
        b(F, d, T0, p[count:], out)

    return add


def _answering(a: PointFunction, b: PointFunction, count: int) -> PointFunction:
    @point
    def respond(F: Any, d: Any, T0: float, p: Any, P: Any) -> float:
        return a(F, d, T0, p, P) + b(F, d, T0, p[count:], P)

    return respond
