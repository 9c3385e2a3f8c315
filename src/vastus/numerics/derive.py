"""Derivatives of a graph in factored form.

The gradient of a node is kept as a short combination of gradients of other nodes, `{b: c}` meaning
the sum of c db/dx, and is spread over the inputs only at the end. An energy of a few invariants
thus differentiates as one would by hand: outer products of the invariants' gradients with scalar
coefficients that all entries of stress and tangent share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi

from vastus.numerics.graph import Scalar, function, power, reciprocal

Combination = dict[Scalar, Scalar]
Slope = Callable[[Scalar], Scalar]
LONGEST = 6  # a longer combination, or one with an input among others, is spread at once


class Gradients:
    """Gradients of nodes of one graph with respect to some of its inputs."""

    def __init__(self, inputs: Sequence[Scalar]) -> None:
        self.inputs = inputs
        self._inputs = set(inputs)
        graph = inputs[0].graph
        self.zero, self.one = graph.constant(0.0), graph.constant(1.0)
        self._kept: dict[Scalar, Combination] = {x: {x: self.one} for x in inputs}
        self._raw: dict[Scalar, Combination] = dict(self._kept)
        self._entries: dict[tuple[Scalar, Scalar], Scalar] = {}

    def of(self, node: Scalar) -> list[Scalar]:
        """The derivative of the node with respect to each input."""
        for part in ancestors([node]):
            self._combination(part)
        return [self._entry(node, x) for x in self.inputs]

    def _combination(self, node: Scalar) -> Combination:
        if node not in self._kept:
            raw = self._raw[node] = self._differentiate(node)
            mixed = len(raw) > 1 and not self._inputs.isdisjoint(raw)
            long = mixed or len(raw) > LONGEST
            self._kept[node] = {node: self.one} if long else raw
        return self._kept[node]

    def _differentiate(self, node: Scalar) -> Combination:
        """The combination by the chain rule: each partial derivative times its argument's own."""
        if node.op == "where":
            return self._choose(*node.args)
        total: Combination = {}
        for argument, slope in zip(node.args, SLOPES[node.op], strict=False):
            for basis, coefficient in self._combination(argument).items():
                term = slope(node) * coefficient
                total[basis] = total[basis] + term if basis in total else term
        return {b: c for b, c in total.items() if c is not self.zero}

    def _choose(self, condition: Scalar, a: Scalar, b: Scalar) -> Combination:
        # Not a product with 0 or 1: the branch not taken may be infinite.
        first, second = self._combination(a), self._combination(b)
        choose = condition.graph.choose
        return {
            basis: choose(condition, first.get(basis, self.zero), second.get(basis, self.zero))
            for basis in {**first, **second}
        }

    def _entry(self, node: Scalar, x: Scalar) -> Scalar:
        if node is x:
            return self.one
        if (node, x) not in self._entries:
            total = self.zero
            for basis, coefficient in self._raw[node].items():
                if basis is x or basis not in self._inputs:
                    total = total + coefficient * self._entry(basis, x)
            self._entries[node, x] = total
        return self._entries[node, x]


def ancestors(nodes: Sequence[Scalar]) -> list[Scalar]:
    """The nodes and everything they are computed from, in an order of evaluation."""
    seen: set[Scalar] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(node.args)
    return sorted(seen, key=lambda n: n.index)


def _by_value(slope: Callable[[Scalar, Scalar], Scalar]) -> tuple[Slope, ...]:
    """The slope of a function of one argument, given as a formula of the argument and value."""
    return (lambda node: slope(node.args[0], node),)


def _root(x: Scalar) -> Scalar:
    return function("sqrt", x)


# The partial derivative of each operation in its arguments; a power only in its base.
SLOPES: dict[str, tuple[Slope, ...]] = {
    "number": (),
    "input": (),
    "<": (),
    "<=": (),
    "add": (lambda n: n.graph.constant(1.0), lambda n: n.graph.constant(1.0)),
    "mul": (lambda n: n.args[1], lambda n: n.args[0]),
    "power": (lambda n: n.args[1] * power(n.args[0], n.args[1] - 1),),
    "reciprocal": _by_value(lambda x, y: -(y * y)),
    "exp": _by_value(lambda x, y: y),
    "expm1": _by_value(lambda x, y: y + 1),
    "log": _by_value(lambda x, y: reciprocal(x)),
    "log1p": _by_value(lambda x, y: reciprocal(x + 1)),
    "sqrt": _by_value(lambda x, y: 0.5 * reciprocal(y)),
    "cbrt": _by_value(lambda x, y: y * reciprocal(x) / 3),
    "sin": _by_value(lambda x, y: function("cos", x)),
    "cos": _by_value(lambda x, y: -function("sin", x)),
    "tan": _by_value(lambda x, y: y * y + 1),
    "sinh": _by_value(lambda x, y: function("cosh", x)),
    "cosh": _by_value(lambda x, y: function("sinh", x)),
    "tanh": _by_value(lambda x, y: 1 - y * y),
    "arcsin": _by_value(lambda x, y: reciprocal(_root(1 - x * x))),
    "arccos": _by_value(lambda x, y: -reciprocal(_root(1 - x * x))),
    "arctan": _by_value(lambda x, y: reciprocal(x * x + 1)),
    "arccosh": _by_value(lambda x, y: reciprocal(_root(x * x - 1))),
    "erf": _by_value(lambda x, y: 2 / pi**0.5 * function("exp", -(x * x))),
}
