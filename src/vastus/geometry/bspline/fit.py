"""A solid through points whose parameters are known: least squares, smoothed (theory, eq. 74)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from vastus.errors import ModelError
from vastus.geometry.bspline.solid import HIGHEST, BSplineSolid, even_knots
from vastus.numerics.types import Floats

Counts = tuple[int, int, int]
MOST = 20_000  # control points


@dataclass(frozen=True)
class Lattice:
    """How fine a solid is: control points and degree along u, v and w, and how stiff it is.

    Data lie between 0 and 1; the parameters reach further by a `margin` on all sides. `smoothing`
    weighs the second differences of control points against the misfit.
    """

    counts: Counts = (6, 6, 16)
    degree: int = 3
    smoothing: float = 1e-4
    margin: float = 0.1

    def __post_init__(self) -> None:
        """Refuse what no solid can be made with."""
        if not 1 <= self.degree <= HIGHEST:
            raise ModelError(f"the degree is {self.degree}; it must be between 1 and {HIGHEST}")
        if min(self.counts) <= self.degree or int(np.prod(self.counts)) > MOST:
            raise ModelError(
                f"there are {' x '.join(map(str, self.counts))} control points; degree "
                f"{self.degree} needs at least {self.degree + 1} along each direction, and there "
                f"may be {MOST} in all"
            )
        if self.smoothing <= 0 or not 0 <= self.margin <= 1:
            raise ModelError(
                f"smoothing {self.smoothing:g} must be above 0 and margin {self.margin:g} between "
                "0 and 1"
            )

    @property
    def knots(self) -> tuple[Floats, Floats, Floats]:
        """The knots along u, v and w."""
        ends = (-self.margin, 1 + self.margin)
        u, v, w = (even_knots(n, self.degree, *ends) for n in self.counts)
        return u, v, w


def fitted(points: Floats, u: Floats, weights: Floats, lattice: Lattice) -> BSplineSolid:
    """The solid that passes near points (n, 3) [m] at parameters u (n, 3), by weights (n,)."""
    knots, k = lattice.knots, lattice.degree
    A = _design(u, knots, k)
    W = sparse.diags_array(weights / weights.sum())
    middle = np.average(points, axis=0, weights=weights)
    H = (A.T @ W @ A + lattice.smoothing * _roughness(lattice)).tocsc()
    q = splu(H).solve(A.T @ (W @ (points - middle))) + middle
    return BSplineSolid(q.reshape(*lattice.counts, 3), knots, (k, k, k), points)


def _design(u: Floats, knots: tuple[Floats, Floats, Floats], k: int) -> sparse.csr_array:
    """(n, control points) the products of the three basis functions at parameters (n, 3)."""
    from scipy.interpolate import BSpline  # as heavy as the rest of the package

    n = len(u)
    values, columns = np.ones((n, 1)), np.zeros((n, 1), np.int64)
    for axis, t in enumerate(knots):
        basis = BSpline.design_matrix(u[:, axis], t, k)
        own = basis.indices.reshape(n, k + 1)
        count = len(t) - k - 1
        columns = (columns[:, :, None] * count + own[:, None, :]).reshape(n, -1)
        values = (values[:, :, None] * basis.data.reshape(n, k + 1)[:, None, :]).reshape(n, -1)
    rows = np.arange(n + 1) * (k + 1) ** 3
    shape = (n, int(np.prod([len(t) - k - 1 for t in knots])))
    return sparse.csr_array((values.ravel(), columns.ravel(), rows), shape=shape)


def _roughness(lattice: Lattice) -> sparse.csr_array:
    """The mean square of all second differences of control points; affine maps have none."""
    places = [_greville(t, lattice.degree) for t in lattice.knots]
    total = sparse.csr_array((int(np.prod(lattice.counts)),) * 2)
    for axis in range(3):
        total = total + _squared(places, [2 * (a == axis) for a in range(3)])
    for pair in combinations(range(3), 2):
        total = total + 2.0 * _squared(places, [int(a in pair) for a in range(3)])
    return total


def _greville(t: Floats, degree: int) -> Floats:
    """(count,) the parameters that control points stand for: those of the identity."""
    return np.asarray(np.convolve(t[1:-1], np.ones(degree) / degree, mode="valid"))


def _squared(places: list[Floats], orders: list[int]) -> sparse.csr_array:
    rows = [_difference(own, order) for own, order in zip(places, orders, strict=True)]
    D = sparse.kron(sparse.kron(rows[0], rows[1]), rows[2]).tocsr()
    return sparse.csr_array(D.T @ D / D.shape[0])


def _difference(places: Floats, order: int) -> sparse.csr_array:
    """(count - order, count) differences between neighbours, as if they were evenly apart."""
    D = sparse.eye_array(len(places), format="csr")
    steps = np.diff(places)
    if order:
        D = sparse.diags_array(steps.mean() / steps) @ (D[1:] - D[:-1])
    return D[1:] - D[:-1] if order == 2 else D


def folded(solid: BSplineSolid, u: Floats, weights: Floats) -> float:
    """The share, by weights (n,), of parameters u (n, 3) at which the solid is folded.

    There its volume has the other sign than in the mean.
    """
    volumes = np.linalg.det(solid.jacobian(u))
    sign = np.sign(weights @ np.sign(volumes)) or 1.0
    return float(weights @ (sign * volumes <= 0) / weights.sum())
