"""Numbers that remember how they were computed: a graph in which equal expressions are shared.

Arithmetic on a `Scalar` records a node instead of computing; constants fold at once. Equal nodes
are the same object, so common subexpressions cost nothing, and the order of creation is an order
of evaluation that depends on nothing but the recorded function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from numbers import Real
from typing import Any

from vastus.errors import ModelError

# Functions of one number that numba compiles under numpy's name.
FUNCTIONS = (
    *("exp", "expm1", "log", "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *("arcsin", "arccos", "arctan", "arccosh", "erf"),
)


class Scalar:
    """A node: an operation with its arguments, or a constant or named input with its `value`."""

    __slots__ = ("args", "graph", "index", "op", "value")

    def __init__(
        self, graph: Graph, op: str, args: tuple[Scalar, ...], value: float | str | None
    ) -> None:
        self.graph, self.op, self.args, self.value = graph, op, args, value
        self.index = len(graph.nodes)

    @property
    def number(self) -> float | None:
        """The value of a constant, or None."""
        return self.value if isinstance(self.value, float) and self.op == "number" else None

    def __add__(self, other: Any) -> Scalar:
        return self._with(other, self.graph.add)

    def __radd__(self, other: Any) -> Scalar:
        return self._with(other, self.graph.add)

    def __sub__(self, other: Any) -> Scalar:
        return self._with(other, lambda a, b: a + (-b))

    def __rsub__(self, other: Any) -> Scalar:
        return self._with(other, lambda a, b: b + (-a))

    def __mul__(self, other: Any) -> Scalar:
        return self._with(other, self.graph.mul)

    def __rmul__(self, other: Any) -> Scalar:
        return self._with(other, self.graph.mul)

    def __truediv__(self, other: Any) -> Scalar:
        return self._with(other, lambda a, b: a * reciprocal(b))

    def __rtruediv__(self, other: Any) -> Scalar:
        return self._with(other, lambda a, b: b * reciprocal(a))

    def __neg__(self) -> Scalar:
        return self * -1.0

    def __pos__(self) -> Scalar:
        return self

    def __abs__(self) -> Scalar:
        return self.graph.choose(self < 0, -self, self)

    def __pow__(self, exponent: Any) -> Scalar:
        return self._with(exponent, power)

    def __rpow__(self, base: Any) -> Scalar:
        return self._with(base, lambda a, b: power(b, a))

    def __lt__(self, other: Any) -> Scalar:
        return self._with(other, lambda a, b: self.graph.compare("<", a, b))

    def __le__(self, other: Any) -> Scalar:
        return self._with(other, lambda a, b: self.graph.compare("<=", a, b))

    def __gt__(self, other: Any) -> Scalar:
        return self._with(other, lambda a, b: self.graph.compare("<", b, a))

    def __ge__(self, other: Any) -> Scalar:
        return self._with(other, lambda a, b: self.graph.compare("<=", b, a))

    def __bool__(self) -> bool:
        raise ModelError(
            "an energy cannot branch on a number that depends on its arguments; "
            "use where(condition, a, b), minimum or maximum of vastus.materials"
        )

    def __float__(self) -> float:
        raise ModelError(
            "an energy cannot turn its arguments into plain floats; use numpy's functions and det, "
            "inv and where of vastus.materials instead of math and numpy.linalg"
        )

    def __getattr__(self, name: str) -> Callable[[], Scalar]:
        # numpy calls `x.sqrt()` for np.sqrt(x) of an object that is not a number.
        if name not in FUNCTIONS:
            raise AttributeError(name)
        return lambda: function(name, self)

    def _with(self, other: Any, operation: Callable[[Scalar, Scalar], Scalar]) -> Scalar:
        if isinstance(other, Scalar):
            return operation(self, other)
        if isinstance(other, Real):
            return operation(self, self.graph.constant(float(other)))
        return NotImplemented


class Graph:
    """All nodes of one recorded function, each expression once."""

    def __init__(self) -> None:
        self.nodes: dict[tuple, Scalar] = {}

    def node(
        self, op: str, args: tuple[Scalar, ...] = (), value: float | str | None = None
    ) -> Scalar:
        """The node of this operation, made only once."""
        key = (op, tuple(a.index for a in args), value)
        if key not in self.nodes:
            self.nodes[key] = Scalar(self, op, args, value)
        return self.nodes[key]

    def constant(self, number: float) -> Scalar:
        """The node of a number."""
        return self.node("number", value=float(number) + 0.0)

    def variable(self, name: str) -> Scalar:
        """The node of a named input."""
        return self.node("input", value=name)

    def add(self, a: Scalar, b: Scalar) -> Scalar:
        """a + b, with like terms joined."""
        if a.number is not None:
            a, b = b, a
        if a.number is not None and b.number is not None:
            return self.constant(a.number + b.number)
        if b.number == 0:
            return a
        if b.number is not None and a.op == "add" and a.args[1].number is not None:
            return self.add(a.args[0], self.constant(a.args[1].number + b.number))
        (p, x), (q, y) = _scaled(a), _scaled(b)
        if x is y:
            return self.mul(self.constant(p + q), x)
        return self.node("add", (a, b) if b.number is not None else _ordered(a, b))

    def mul(self, a: Scalar, b: Scalar) -> Scalar:
        """a b; a constant factor of b moves to a, which in a derivative is the shared factor."""
        if b.number is not None:
            a, b = b, a
        if a.number is not None:
            return self._multiple(a.number, b)
        factor, rest = _scaled(b)
        if factor != 1:
            return self.mul(self._multiple(factor, a), rest)
        return self.node("mul", _ordered(a, b))

    def compare(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        """The condition `a op b`."""
        return self.node(op, (a, b))

    def choose(self, condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
        """a where the condition holds, else b."""
        if a.op == "where" and a.args[0] is condition:
            a = a.args[1]
        if b.op == "where" and b.args[0] is condition:
            b = b.args[2]
        return a if a is b else self.node("where", (condition, a, b))

    def _multiple(self, factor: float, x: Scalar) -> Scalar:
        if x.number is not None:
            return self.constant(factor * x.number)
        own, rest = _scaled(x)
        factor *= own
        if factor == 0:
            return self.constant(0.0)
        return rest if factor == 1 else self.node("mul", (self.constant(factor), rest))


def function(name: str, x: Scalar) -> Scalar:
    """The named function of x; a constant is evaluated."""
    if x.number is not None:
        return x.graph.constant(evaluate(name, x.number))
    return x.graph.node(name, (x,))


def evaluate(name: str, x: float) -> float:
    """The named function of a number."""
    inverse = name.replace("arc", "a")
    return float(getattr(math, inverse)(x))


def reciprocal(x: Scalar) -> Scalar:
    """1 / x; a constant factor is inverted apart so that it can fold."""
    factor, rest = _scaled(x)
    if rest.number is not None:
        return x.graph.constant(1.0 / (factor * rest.number))
    if rest.op == "reciprocal":
        return rest.args[0] * (1.0 / factor)
    return rest.graph.node("reciprocal", (rest,)) * (1.0 / factor)


def power(x: Scalar, exponent: Scalar) -> Scalar:
    """x to a power: products, square and cube roots where the exponent allows."""
    n = exponent.number
    if n is None:
        return function("exp", exponent * function("log", x))
    thirds = Fraction(n).limit_denominator(6)
    if abs(float(thirds) - n) > 1e-15 or abs(n) > 64 or thirds.denominator not in (1, 2, 3):
        return x.graph.node("power", (x, exponent))
    root = {1: x, 2: function("sqrt", x), 3: function("cbrt", x)}[thirds.denominator]
    whole = _integer_power(root, abs(thirds.numerator))
    return whole if n >= 0 else reciprocal(whole)


def _integer_power(x: Scalar, n: int) -> Scalar:
    if n == 0:
        return x.graph.constant(1.0)
    half = _integer_power(x, n // 2)
    return half * half * x if n % 2 else half * half


def _scaled(x: Scalar) -> tuple[float, Scalar]:
    """The constant factor of a product, and what it multiplies."""
    if x.op == "mul" and x.args[0].number is not None:
        return x.args[0].number, x.args[1]
    return 1.0, x


def _ordered(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
    return (a, b) if a.index <= b.index else (b, a)
