"""Functions for energies that numpy does not offer for recorded numbers; plain numbers work too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vastus.numerics.graph import Scalar, function


def det(A: Any) -> Any:
    """The determinant of A (3, 3)."""
    return (
        A[0, 0] * (A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1])
        + A[0, 1] * (A[1, 2] * A[2, 0] - A[1, 0] * A[2, 2])
        + A[0, 2] * (A[1, 0] * A[2, 1] - A[1, 1] * A[2, 0])
    )


def cofactor(A: Any) -> Any:
    """(3, 3) the cofactors of A (3, 3)."""
    return np.array([np.cross(A[(k + 1) % 3], A[(k + 2) % 3]) for k in range(3)])


def inv(A: Any) -> Any:
    """(3, 3) the inverse of A (3, 3)."""
    return cofactor(A).T / det(A)


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`; both are computed."""
    if not isinstance(condition, Scalar):
        return a if condition else b
    graph = condition.graph
    both = [x if isinstance(x, Scalar) else graph.constant(x) for x in (a, b)]
    return graph.choose(condition, *both)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two numbers."""
    return where(a < b, a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two numbers."""
    return where(a < b, b, a)


def erf(x: Any) -> Any:
    """The error function of a number."""
    return function("erf", x) if isinstance(x, Scalar) else math.erf(x)
