"""A bar pulled along its axis, free to thin: the stretches solve two scalar equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from builders import box, face_load, rollers, shaken, solid, solve
from vastus.materials import ActiveFibre, Hencky, NeoHookean, Ogden, StableNeoHookean
from vastus.materials.base import lame
from vastus.numerics.types import Floats

YOUNG, POISSON = 6e4, 0.45
SIZE = (0.1, 0.03, 0.02)
TERMS, BULK = ((3e4, 1.3), (2e3, 5.0), (-1e3, -2.0)), 5e5  # of Ogden's law


def neo_hookean(along: float, across: float) -> tuple[float, float]:
    """P_i = mu (l_i - 1/l_i) + lam ln(J)/l_i, along and across."""
    mu, lam = lame(YOUNG, POISSON)
    log_J = np.log(along * across**2)
    first, second = (mu * (s - 1 / s) + lam * log_J / s for s in (along, across))
    return first, second


def stable_neo_hookean(along: float, across: float) -> tuple[float, float]:
    """P_i = mu l_i (1 - 1/(I + 1)) + lam (J - a) J/l_i with mu, lam, a of the law."""
    mu_L, lam_L = lame(YOUNG, POISSON)
    mu, lam = 4 / 3 * mu_L, lam_L + 5 / 6 * mu_L
    a = 1 + 0.75 * mu / lam
    square, J = along**2 + 2 * across**2, along * across**2
    first, second = (
        mu * s * (1 - 1 / (square + 1)) + lam * (J - a) * J / s for s in (along, across)
    )
    return first, second


def hencky(along: float, across: float) -> tuple[float, float]:
    """P_i = (2 mu ln l_i + lam ln J)/l_i, which can be E/e at most: it is three times as stiff."""
    mu, lam = lame(3 * YOUNG, POISSON)
    log_J = np.log(along * across**2)
    first, second = ((2 * mu * np.log(s) + lam * log_J) / s for s in (along, across))
    return first, second


def ogden(along: float, across: float) -> tuple[float, float]:
    """P_i = (sum_k c_k/m_k (x_i^m_k - (x_1^m_k + 2 x_2^m_k)/3) + K ln J)/l_i, x = J^(-1/3) l."""
    J = along * across**2
    x, y = along / np.cbrt(J), across / np.cbrt(J)
    shape = sum(c / m * (x**m - y**m) / 3 for c, m in TERMS)
    return (2 * shape + BULK * np.log(J)) / along, (BULK * np.log(J) - shape) / across


def stretches(law, traction: float, T0: float = 0.0) -> Floats:
    """(3,) the stretches with P_1 + T0 l_1 = traction and P_2 = P_3 = 0."""

    def across(along: float) -> float:
        return brentq(lambda s: law(along, s)[1], 0.3, 2.0, xtol=1e-15)

    def unbalance(along: float) -> float:
        return law(along, across(along))[0] + T0 * along - traction

    along = brentq(unbalance, 0.4, 3.0, xtol=1e-15)
    return np.array([along, across(along), across(along)])


@pytest.mark.parametrize("traction", [-2e4, 4e4], ids=["pushed", "pulled"])
@pytest.mark.parametrize(
    ("law", "closed_form"),
    [
        (NeoHookean(YOUNG, POISSON), neo_hookean),
        (StableNeoHookean(YOUNG, POISSON), stable_neo_hookean),
        (Hencky(3 * YOUNG, POISSON), hencky),
        (Ogden(TERMS, BULK), ogden),
    ],
    ids=["neo_hookean", "stable_neo_hookean", "hencky", "ogden"],
)
def test_a_bar_under_traction_stretches_as_the_closed_form(law, closed_form, traction) -> None:
    """x_i = l_i X_i for a nominal traction p on the end: P_1 = p, P_2 = P_3 = 0."""
    mesh = shaken(box((4, 2, 2), SIZE), 0.002)
    force = np.array([traction * SIZE[1] * SIZE[2], 0.0, 0.0])
    model = solid(mesh, (law,), pins=rollers(mesh), loads=(face_load(mesh, 0, force),))
    state, _ = solve(model)
    np.testing.assert_allclose(state.x, mesh.X * stretches(closed_form, traction), atol=1e-10)


def test_a_free_muscle_shortens_as_the_closed_form() -> None:
    """P_1 + T0 l_1 = 0, P_2 = P_3 = 0 with T0 = activation times strength."""
    mesh = shaken(box((3, 2, 2), SIZE), 0.002)
    model = solid(mesh, (StableNeoHookean(YOUNG, POISSON), ActiveFibre()), pins=rollers(mesh))
    state, _ = solve(model, body=0.6)
    wanted = stretches(stable_neo_hookean, 0.0, T0=0.6 * model.muscles[0].strength)
    np.testing.assert_allclose(state.x, mesh.X * wanted, atol=1e-10)
