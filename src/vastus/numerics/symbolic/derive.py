"""Derivatives of a graph in factored form, and their straight-line source, one line a node.

The gradient of a node is a short combination of gradients of other nodes, `{b: c}` meaning the sum
of c db/dx. It ends at the invariants, the polynomials of the inputs that the function is made of,
and only they are spread over the inputs. An energy thus differentiates as one would by hand: outer
products of the invariants' gradients, with coefficients that all entries share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, pi

from vastus.numerics.symbolic.graph import Scalar, function, power, reciprocal

Combination = dict[Scalar, Scalar]
Slope = Callable[[Scalar], Scalar]

HEADER = """\
# Written by vastus from the energy of a material law.
import math

import numpy as np

from vastus.numerics.straight import point, straight


@point
def choose(condition, a, b):
    return a if condition else b
"""
VOLUME_HEADER = """\
# Written by vastus from the energy of a material law: its part in the volume ratio.
import math as plain

import numpy as np

choose = np.where


class math:
    erf = staticmethod(np.vectorize(plain.erf, otypes=[float]))
"""
PATTERNS = {
    "add": "{} + {}",
    "mul": "{} * {}",
    "<": "{} < {}",
    "<=": "{} <= {}",
    "reciprocal": "1.0 / {}",
    "power": "{} ** {}",
    "where": "choose({}, {}, {})",
    "erf": "math.erf({})",
}
UPPER = [(i, j) for i in range(9) for j in range(i, 9)]


class Gradients:
    """Gradients of nodes of one graph with respect to some of its inputs.

    `others` are further inputs that an invariant may contain.
    """

    def __init__(self, inputs: Sequence[Scalar], others: Sequence[Scalar] = ()) -> None:
        self.inputs = inputs
        graph = inputs[0].graph
        self.zero, self.one = graph.constant(0.0), graph.constant(1.0)
        self._local: dict[Scalar, Combination] = {}
        self._final: dict[Scalar, bool] = dict.fromkeys([*inputs, *others], True)
        self._shared: set[Scalar] = set()
        self._expanded: dict[Scalar, Combination] = {}
        self._entries: dict[tuple[Scalar, Scalar], Scalar] = {}

    def of(self, node: Scalar) -> list[Scalar]:
        """The derivative of the node with respect to each input."""
        for part in ancestors([node]):
            if part not in self._local:
                self._local[part] = self._differentiate(part)
        total = {node: self.one} if self._is_final(node) else self._expand(self._local[node])
        # All entries contain these coefficients, so the next derivatives expand each only once.
        self._shared.update(total.values())
        return [self._spread(total, x) for x in self.inputs]

    def _differentiate(self, node: Scalar) -> Combination:
        """One step of the chain rule."""
        if node.op == "where":
            return self._choose(*node.args)
        total: Combination = {}
        for argument, slope in zip(node.args, SLOPES[node.op], strict=False):
            self._accumulate(total, slope(node), self._of_argument(argument))
        return total

    def _of_argument(self, node: Scalar) -> Combination:
        """The gradient of an argument: by itself, or by the one node that it is a function of."""
        if node in self.inputs:
            return {node: self.one}
        local = self._local[node]
        return local if len(local) < 2 and node not in self._shared else {node: self.one}

    def _choose(self, condition: Scalar, a: Scalar, b: Scalar) -> Combination:
        first, second = self._of_argument(a), self._of_argument(b)
        return {
            basis: condition.graph.choose(
                condition, first.get(basis, self.zero), second.get(basis, self.zero)
            )
            for basis in {**first, **second}
        }

    def _expand(self, combination: Combination) -> Combination:
        """The same gradient in terms of the invariants alone: the chain rule from above."""
        total = dict(combination)
        while inner := [b for b in total if not self._is_final(b)]:
            last = max(inner, key=lambda b: b.index)
            self._accumulate(total, total.pop(last), self._terms(last))
        return total

    def _terms(self, node: Scalar) -> Combination:
        if node not in self._shared:
            return self._local[node]
        if node not in self._expanded:
            self._expanded[node] = self._expand(self._local[node])
        return self._expanded[node]

    def _accumulate(self, total: Combination, factor: Scalar, terms: Combination) -> None:
        for basis, coefficient in terms.items():
            term = _product(factor, coefficient)
            total[basis] = total[basis] + term if basis in total else term
            if total[basis] is self.zero:
                del total[basis]

    def _is_final(self, node: Scalar) -> bool:
        """Whether the node is an invariant: a polynomial of the inputs."""
        if node not in self._final:
            plain = node.op in ("add", "mul", "number")
            self._final[node] = plain and all(self._is_final(a) for a in node.args)
        return self._final[node]

    def _spread(self, total: Combination, x: Scalar) -> Scalar:
        """The entry of a combination for the input x."""
        entry = self.zero
        for basis, coefficient in total.items():
            entry = entry + coefficient * self._entry(basis, x)
        return entry

    def _entry(self, basis: Scalar, x: Scalar) -> Scalar:
        if basis in self.inputs:
            return self.one if basis is x else self.zero
        if (basis, x) not in self._entries:
            self._entries[basis, x] = self._spread(self._local[basis], x)
        return self._entries[basis, x]


def _product(factor: Scalar, x: Scalar) -> Scalar:
    """The product, inside the branches of a choice: the branch not taken may be infinite."""
    if factor.op == "where" and factor.graph.constant(0.0) in factor.args[1:]:
        condition, a, b = factor.args
        return factor.graph.choose(condition, _product(a, x), _product(b, x))
    return factor * x


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


@dataclass(frozen=True)
class Derived:
    """An energy with its first derivatives, and the upper triangle of its second ones by rows."""

    psi: Scalar
    first: Sequence[Scalar]
    second: Sequence[Scalar]


def source(of: Derived, names: Sequence[str], here: Sequence[Scalar]) -> str:
    """The text of `energy`, `stress`, `tangent`, `respond` (the first two) and `parameters`.

    `names` are the parameters: what depends on these alone is computed by `parameters`, not at
    every point. `here` is what differs from point to point, and stands in `p` after that.
    """
    psi, g, H = of.psi, of.first, of.second
    constant = _parameter_nodes([psi, *g, *H], names)
    slots = {node: f"p[{k}]" for k, node in enumerate([*constant, *here])}
    add_P = [f"P[{k // 3}, {k % 3}] += {{0}}" for k in range(9)]
    add_H = [_store(i, j) for i, j in UPPER]
    result = "return (" + "".join(f"{{{k}}}, " for k in range(len(constant))) + ")"
    return "\n\n".join(
        [
            HEADER,
            _function("@straight\ndef energy(F, d, T0, p)", [psi], slots, ["return {0}"]),
            _function("@straight\ndef stress(F, d, T0, p, P)", g, slots, add_P),
            _function("@straight\ndef tangent(F, d, T0, p, H)", H, slots, add_H),
            _function(
                "@straight\ndef respond(F, d, T0, p, P)", [*g, psi], slots, [*add_P, "return {0}"]
            ),
            _function(f"def parameters({', '.join(names)})", constant, {}, [result]),
        ]
    )


def stretch_source(of: Derived, names: Sequence[str], here: Sequence[Scalar]) -> str:
    """The same of an energy of three stretches: `value`, `slopes` and `curvatures`.

    Curvatures are in the order aa, bb, cc, ab, ac, bc.
    """
    aa, ab, ac, bb, bc, cc = of.second
    constant = _parameter_nodes([of.psi, *of.first, *of.second], names)
    slots = {node: f"p[{k}]" for k, node in enumerate([*constant, *here])}
    result = "return (" + "".join(f"{{{k}}}, " for k in range(len(constant))) + ")"
    three, six = "return {0}, {1}, {2}", "return {0}, {1}, {2}, {3}, {4}, {5}"
    second = [aa, bb, cc, ab, ac, bc]
    head = "@point\ndef {}(stretch_a, stretch_b, stretch_c, T0, p)"
    return "\n\n".join(
        [
            HEADER,
            _function(head.format("value"), [of.psi], slots, ["return {0}"]),
            _function(head.format("slopes"), of.first, slots, [three]),
            _function(head.format("curvatures"), second, slots, [six]),
            _function(f"def parameters({', '.join(names)})", constant, {}, [result]),
        ]
    )


def volume_source(of: Derived, names: Sequence[str]) -> str:
    """The text of `bulk(J, ...)`: a function of volume ratios (k,) with its two derivatives."""
    result = "return {0}, {1}, {2}"
    head = f"def bulk({', '.join(['J', *names])})"
    outputs = [of.psi, *of.first, *of.second]
    return "\n\n".join([VOLUME_HEADER, _function(head, outputs, {}, [result])])


def _store(i: int, j: int) -> str:
    both = "" if i == j else f"\n    H[{j}, {i}] += {{0}}"
    return f"H[{i}, {j}] += {{0}}{both}"


def _parameter_nodes(outputs: Sequence[Scalar], names: Sequence[str]) -> list[Scalar]:
    """The nodes that depend on parameters alone and are used where more is known."""
    nodes = ancestors(outputs)
    alone: set[Scalar] = set()
    for node in nodes:
        parameter = node.op == "input" and node.value in names
        derived = bool(node.args) and all(a.op == "number" or a in alone for a in node.args)
        if parameter or derived:
            alone.add(node)
    used = {a for node in nodes if node not in alone for a in node.args} | set(outputs)
    return [node for node in nodes if node in alone and node in used]


def _function(
    head: str, outputs: Sequence[Scalar], slots: Mapping[Scalar, str], ends: Sequence[str]
) -> str:
    """A function that computes the outputs and puts them into the statements `ends`."""
    lines, text = [f"{head}:"], dict(slots)
    needed = [n for n in _needed(outputs, slots) if n.op != "number"]
    for k, node in enumerate(needed):
        lines.append(f"    t{k} = {slots.get(node) or _expression(node, text)}")
        text[node] = f"t{k}"
    results = [_operand(node, text) for node in outputs]
    if len(ends) == 1:
        lines.append("    " + ends[0].format(*results))
    else:
        pairs = zip(ends, results, strict=True)
        lines += ["    " + end.format(r) for end, r in pairs if r != "0.0"] or ["    pass"]
    return "\n".join(lines) + "\n"


def _needed(outputs: Sequence[Scalar], slots: Mapping[Scalar, str]) -> list[Scalar]:
    """What must be computed for the outputs when `slots` are known."""
    seen: set[Scalar] = set()
    waiting = list(outputs)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(() if node in slots else node.args)
    return sorted(seen, key=lambda n: n.index)


def _expression(node: Scalar, text: Mapping[Scalar, str]) -> str:
    if node.op == "input":
        return str(node.value)
    pattern = PATTERNS.get(node.op, f"np.{node.op}({{}})")
    return pattern.format(*(_operand(a, text) for a in node.args))


def _operand(node: Scalar, text: Mapping[Scalar, str]) -> str:
    if node.number is None:
        return text[node]
    return repr(node.number) if isfinite(node.number) else f"np.{node.number}"
