"""Linear tets converge to a manufactured solution at their theoretical rates.

The deformation x(X) = X + a sin(pi X) sin(pi Y) sin(pi Z) v of the unit cube, fixed on its faces,
is the equilibrium under the body force b = -Div P(F(X)). Its error falls as h in the gradient and
as h^2 in the displacement.
"""

from __future__ import annotations

import numpy as np
import pytest

from builders import box, solid, solve
from vastus.geometry.tetmesh import TetMesh
from vastus.materials import NeoHookean
from vastus.materials.base import lame
from vastus.numerics.types import Floats
from vastus.parts import Load, Pin

YOUNG, POISSON = 1e4, 0.3
AMPLITUDE, DIRECTION = 0.08, np.array([1.0, 0.7, 0.4])
# The quadrature of a tet that is exact for polynomials of degree 2.
NEAR, FAR = (5 + 3 * np.sqrt(5)) / 20, (5 - np.sqrt(5)) / 20
BARYCENTRIC = np.full((4, 4), FAR) + (NEAR - FAR) * np.eye(4)


def displacement(X: Floats) -> Floats:
    """(k, 3) the manufactured displacement at points X (k, 3)."""
    return AMPLITUDE * np.prod(np.sin(np.pi * X), axis=1)[:, None] * DIRECTION


def gradient(X: Floats) -> Floats:
    """(k, 3, 3) its deformation gradient."""
    s, c = np.sin(np.pi * X), np.cos(np.pi * X)
    slope = np.pi * np.stack([c[:, i] * s[:, i - 1] * s[:, i - 2] for i in range(3)], axis=1)
    return np.eye(3) + AMPLITUDE * np.einsum("r,kc->krc", DIRECTION, slope)


def stress(X: Floats) -> Floats:
    """(k, 3, 3) P = mu (F - F^-T) + lam ln(J) F^-T."""
    mu, lam = lame(YOUNG, POISSON)
    F = gradient(X)
    inverse = np.swapaxes(np.linalg.inv(F), 1, 2)
    return mu * (F - inverse) + lam * np.log(np.linalg.det(F))[:, None, None] * inverse


def body_force(X: Floats, h: float = 1e-3) -> Floats:
    """(k, 3) b = -Div P, by differences of fourth order."""
    b = np.zeros_like(X)
    for c, e in enumerate(h * np.eye(3)):
        near, far = (stress(X + k * e) - stress(X - k * e) for k in (1, 2))
        b -= (8 * near - far)[:, :, c] / (12 * h)
    return b


def quadrature(mesh: TetMesh) -> Floats:
    """(4 m, 3) the quadrature points."""
    return np.einsum("qa,mai->mqi", BARYCENTRIC, mesh.X[mesh.T]).reshape(-1, 3)


def loads(mesh: TetMesh) -> tuple[Load, ...]:
    """The consistent nodal forces of the body force, one load for each axis."""
    b = body_force(quadrature(mesh)).reshape(-1, 4, 3)
    corner = np.einsum("m,qa,mqi->mai", mesh.volumes / 4, BARYCENTRIC, b)
    force = np.zeros_like(mesh.X)
    np.add.at(force, mesh.T, corner)
    total = force.sum(axis=0)
    everywhere = np.arange(mesh.n_vertices)
    return tuple(
        Load(f"axis {i}", everywhere, force[:, i] / total[i], total[i] * np.eye(3)[i])
        for i in range(3)
    )


def errors(n: int) -> tuple[float, float]:
    """The root mean square errors of the displacement and of its gradient for n cells an edge."""
    mesh = box((n, n, n), (1.0, 1.0, 1.0))
    faces = Pin("faces", np.unique(mesh.boundary))
    model = solid(mesh, (NeoHookean(YOUNG, POISSON),), pins=(faces,), loads=loads(mesh))
    state, _ = solve(model, tolerance=1e-10)
    points = quadrature(mesh)
    weights = np.repeat(mesh.volumes / 4, 4)
    u = np.einsum("qa,mai->mqi", BARYCENTRIC, (state.x - mesh.X)[mesh.T]).reshape(-1, 3)
    F = np.repeat(mesh.deformation(state.x), 4, axis=0)
    return (
        float(np.sqrt(weights @ ((u - displacement(points)) ** 2).sum(axis=1))),
        float(np.sqrt(weights @ ((F - gradient(points)) ** 2).sum(axis=(1, 2)))),
    )


def test_errors_fall_at_first_order_in_the_gradient_and_second_in_the_displacement() -> None:
    """order = log2(error(h)/error(h/2)) is about 1 for the gradient and 2 for the displacement."""
    coarse, fine = errors(6), errors(12)
    assert np.log2(coarse[0] / fine[0]) == pytest.approx(2.0, abs=0.15)
    assert np.log2(coarse[1] / fine[1]) == pytest.approx(1.0, abs=0.1)
