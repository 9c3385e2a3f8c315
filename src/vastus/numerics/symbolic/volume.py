"""The part of a recorded energy that depends on the deformation through the volume ratio J alone.

With U(J) the sum of such terms, R(J) = U(J) - U(1) - U'(1) (J - 1) is what can be taken from tets
and given to patches of them: it has neither energy nor stress at J = 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from vastus.errors import ModelError
from vastus.numerics.symbolic.derive import Gradients, ancestors
from vastus.numerics.symbolic.graph import Scalar, function, power, reciprocal


@dataclass(frozen=True, eq=False)
class VolumePart:
    """R as a node of the whole graph, and with its two derivatives as functions of `J`."""

    within: Scalar
    value: Scalar
    slope: Scalar
    curvature: Scalar


def volume_part(psi: Scalar, J: Scalar, names: Sequence[str]) -> VolumePart | None:
    """R of the terms of psi that depend on J and the parameters `names` alone, if there are any."""
    found = [f * t for f, t in _terms(psi, J, names) if _of(t, J, names) and J in ancestors([t])]
    try:
        return _part(reduce(lambda a, b: a + b, found), J) if found else None
    except (ArithmeticError, ValueError):  # not defined at J = 1, which the law is refused for
        return None


def named_part(
    psi: Scalar, J: Scalar, name: str, uniform: Mapping[Scalar, Scalar], names: Sequence[str]
) -> VolumePart:
    """R of the terms that the parameter `name` multiplies, which must depend on J alone.

    `uniform` replaces the deformation by that of a volume ratio J without change of shape.
    """
    modulus = psi.graph.variable(name)
    (slope,) = Gradients([modulus]).of(psi)
    U = replaced(slope, uniform)
    if modulus in ancestors([U]) or not _of(U, J, names):
        raise ModelError(f"the terms with its bulk modulus are not '{name}' times a function of J")
    return _part(modulus * U, J)


def replaced(node: Scalar, given: Mapping[Scalar, Scalar]) -> Scalar:
    """The node with other nodes in place of some that it is made of."""
    made: dict[Scalar, Scalar] = dict(given)
    for part in _above(node, given):
        made[part] = _made(part, [made[a] for a in part.args]) if part.args else part
    return made[node]


def _part(U: Scalar, J: Scalar) -> VolumePart:
    graph = J.graph
    ratio, one = graph.variable("J"), graph.constant(1.0)
    free = replaced(U, {J: ratio})
    (slope,) = Gradients([ratio]).of(free)
    (curvature,) = Gradients([ratio]).of(slope)
    start, rise = replaced(free, {ratio: one}), replaced(slope, {ratio: one})
    value = free - start - rise * (ratio - 1)
    return VolumePart(U - start - rise * (J - 1), value, slope - rise, curvature)


def _terms(node: Scalar, J: Scalar, names: Sequence[str]) -> list[tuple[Scalar, Scalar]]:
    """The terms of a sum, each with a factor that depends on parameters alone."""
    one = node.graph.constant(1.0)
    if node.op == "add":
        return [term for a in node.args for term in _terms(a, J, names)]
    if node.op == "mul":
        a, b = node.args
        for factor, rest in ((a, b), (b, a)):
            if _of(factor, J, names) and J not in ancestors([factor]):
                return [(factor * f, t) for f, t in _terms(rest, J, names)]
    if node.op == "where" and _of(node.args[0], J, names) and node.args[2].number is not None:
        # A price for what is inverted: the terms of all else.
        zero = node.graph.constant(0.0)
        inner = _terms(node.args[1], J, names)
        return [(f, node.graph.choose(node.args[0], t, zero)) for f, t in inner]
    return [(one, node)]


def _of(node: Scalar, J: Scalar, names: Sequence[str]) -> bool:
    """Whether the node depends on J and parameters alone."""
    inputs = [n for n in _above(node, {J: J}) if n.op == "input"]
    return all(n is J or n.value in names for n in inputs)


def _above(node: Scalar, stops: Mapping[Scalar, Scalar]) -> list[Scalar]:
    """The nodes that a node is made of, without those that only `stops` are made of."""
    seen: set[Scalar] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one not in seen and one not in stops:
            seen.add(one)
            waiting.extend(one.args)
    return sorted(seen, key=lambda n: n.index)


def _made(node: Scalar, args: list[Scalar]) -> Scalar:
    graph = node.graph
    if node.op in ("add", "mul"):
        return graph.add(*args) if node.op == "add" else graph.mul(*args)
    if node.op in ("<", "<="):
        return graph.compare(node.op, *args)
    if node.op == "where":
        return graph.choose(args[0], args[1], args[2])
    if node.op == "power":
        return power(args[0], args[1])
    return reciprocal(args[0]) if node.op == "reciprocal" else function(node.op, args[0])
