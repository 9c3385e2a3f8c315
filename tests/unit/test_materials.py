"""Laws against published material points, closed forms, and the sentences of wrong parameters.

The homogeneous states `ma24`, `mu03` and `te01` are verification cases of FEBio, whose published
number is the norm |u| of the free displacement components.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import root
from scipy.spatial.transform import Rotation

from vastus.errors import ModelError
from vastus.materials import (
    LAWS,
    ActiveFibre,
    FixedCorotated,
    Hencky,
    HillFibre,
    Law,
    MooneyRivlin,
    MuscleTissue,
    NeoHookean,
    Ogden,
    StableNeoHookean,
    StVenantKirchhoff,
    TendonTissue,
    find_law,
)
from vastus.materials.base import lame

ALONG = np.array([1.0, 0.0, 0.0])


def energy(law: Law, F: np.ndarray, T0: float = 0.0) -> float:
    return float(type(law).point.energy(F, ALONG, T0, np.array(law.parameters())))


def stress(law: Law, F: np.ndarray, T0: float = 0.0) -> np.ndarray:
    """(3, 3) the first Piola stress at one point, with the fibre along x."""
    P = np.zeros((3, 3))
    type(law).point.stress(F, ALONG, T0, np.array(law.parameters()), P)
    return P


def tangent(law: Law, F: np.ndarray, T0: float = 0.0) -> np.ndarray:
    H = np.zeros((9, 9))
    type(law).point.tangent(F, ALONG, T0, np.array(law.parameters()), H)
    return H


def balanced(residual: Callable[[np.ndarray], np.ndarray], start: list[float]) -> np.ndarray:
    """The stretches at which the residual stress vanishes, found from `start`."""
    found = root(residual, start, tol=1e-13)
    assert np.abs(found.fun).max() < 1e-9 * max(np.abs(residual(np.array(start))).max(), 1.0)
    return found.x


def test_ma24_active_contraction_of_a_free_cube():
    """E = 1, nu = 0.3, T0 = 0.5 and no stress on any face: |u| = 0.61766348475."""

    def residual(s: np.ndarray) -> np.ndarray:
        F = np.diag([s[0], s[1], s[1]])
        P = stress(NeoHookean(young=1.0, poisson=0.3), F) + stress(ActiveFibre(), F, T0=0.5)
        return np.diag(P)[:2]

    along, across = balanced(residual, [0.72, 1.1])
    norm = np.sqrt(4 * (along - 1) ** 2 + 8 * (across - 1) ** 2)
    assert norm == pytest.approx(0.61766348475, rel=1e-10)
    assert (along, across) == pytest.approx((0.72382915, 1.09774125), abs=1e-8)


def test_mu03_stretch_of_muscle_along_its_fibre():
    """Stretched by 1.2 with free sides: sigma_xx = 48984.424 Pa, |u| = 0.244325959214."""
    law = MuscleTissue(G1=500, G2=500, p1=0.05, p2=6.6, Lofl=1.0, lam_max=1.4, smax=3e5, K=1e7)

    def state(side: float) -> np.ndarray:
        return np.diag([1.2, side, side])

    (side,) = balanced(lambda s: stress(law, state(s[0]))[1, 1:2], [0.91])
    sigma = stress(law, state(side)) @ state(side) / np.linalg.det(state(side))
    assert sigma[0, 0] == pytest.approx(48984.424, abs=1e-3)
    assert side == pytest.approx(0.91361773, abs=1e-8)
    assert np.sqrt(8) * (1 - side) == pytest.approx(0.244325959214, rel=1e-8)


def test_te01_tet_under_a_point_load():
    """A tet of rest volume 1/6 with force -1/2 on one vertex, so P_zz = -3: |u| = 0.44268188785."""
    law = MooneyRivlin(c1=1.0, c2=0.0, K=1000.0)

    def residual(s: np.ndarray) -> np.ndarray:
        P = stress(law, np.diag([s[0], s[0], s[1]]))
        return np.array([P[0, 0], P[2, 2] + 3.0])

    across, along = balanced(residual, [1.2, 0.7])
    assert np.sqrt(2 * (across - 1) ** 2 + (along - 1) ** 2) == pytest.approx(
        0.44268188785, rel=3e-8
    )
    assert (across, along) == pytest.approx((1.21446318, 0.67754327), abs=1e-8)


@pytest.mark.parametrize("made", [StableNeoHookean, NeoHookean, FixedCorotated, StVenantKirchhoff])
def test_the_tangent_at_rest_is_that_of_linear_elasticity(made):
    """H = lam I (x) I + mu (I (x) I + transpose), with Lame's constants of E and nu."""
    E, nu = 2e5, 0.3
    mu, lam = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    eye = np.eye(3)
    expected = lam * np.einsum("ij,kl->ijkl", eye, eye)
    expected += mu * (np.einsum("ik,jl->ijkl", eye, eye) + np.einsum("il,jk->ijkl", eye, eye))
    H = tangent(made(young=E, poisson=nu), eye)
    np.testing.assert_allclose(H, expected.reshape(9, 9), atol=1e-9 * E)
    assert made(young=E, poisson=nu).stiffness() == pytest.approx(mu)


def test_active_fibre_has_a_constant_kirchhoff_stress_per_squared_stretch():
    F = np.array([[1.1, 0.2, 0.0], [0.1, 0.9, 0.3], [0.0, -0.2, 1.2]])
    y = F @ ALONG
    np.testing.assert_allclose(stress(ActiveFibre(), F, 3e5) @ F.T, 3e5 * np.outer(y, y))


@pytest.mark.parametrize("stretch", [0.5, 0.8, 1.0, 1.3])
def test_hill_fibre_pulls_with_its_bell_curve(stretch):
    P = stress(HillFibre(optimal=1.1, width=0.4), np.diag([stretch, 1.0, 1.0]), 2e5)
    assert P[0, 0] == pytest.approx(2e5 * np.exp(-(((stretch - 1.1) / 0.4) ** 2)))


@pytest.mark.parametrize(
    ("stretch", "force"),
    [(0.3, 0.0), (0.5, 0.09), (0.7, 0.64), (1.0, 1.0), (1.2, 0.84), (1.5, 0.09), (1.7, 0.0)],
)
def test_muscle_has_the_active_force_length_curve(stretch, force):
    """At constant volume the fibre's work per stretch is T0 f, less what the sides give up."""
    side = stretch**-0.5
    F, law = np.diag([stretch, side, side]), MuscleTissue()
    P = stress(law, F, 1e5) - stress(law, F)
    along_and_across = P[0, 0] - (P[1, 1] + P[2, 2]) * side / stretch / 2
    assert along_and_across == pytest.approx(1e5 * force, abs=1e-6)


def test_tendon_is_straight_beyond_its_toe_region():
    law = TendonTissue(G1=1.0, G2=1.0, L1=2.7e6, L2=46.4, lam_max=1.03)

    def tension(stretch: float) -> float:
        side = stretch**-0.5
        P = stress(law, np.diag([stretch, side, side]))
        return P[0, 0] - P[1, 1] * side / stretch

    toe = 2.7e6 * (np.exp(46.4 * 0.02) - 1)
    slope = 2.7e6 * 46.4 * np.exp(46.4 * 0.03)
    assert tension(1.02) == pytest.approx(toe, rel=1e-5)
    assert tension(1.08) - tension(1.05) == pytest.approx(0.03 * slope, rel=1e-5)
    assert tension(0.98) == pytest.approx(0.0, abs=10.0)


@pytest.mark.parametrize("law", [MuscleTissue(lam_max=1.0), TendonTissue(lam_max=1.0)])
def test_fibres_may_be_straight_from_the_start(law):
    """FEBio allows lam_max = Lofl: the tension is the slope of the curve at 1 times lam - 1."""
    slope = law.smax * law.p1 * law.p2 if isinstance(law, MuscleTissue) else law.L1 * law.L2
    side = 1.1**-0.5
    P = stress(law, np.diag([1.1, side, side])) - stress(
        replace(law, **_slack(law)), np.diag([1.1, side, side])
    )
    assert P[0, 0] - P[1, 1] * side / 1.1 == pytest.approx(0.1 * slope, rel=1e-9)


def _slack(law: Law) -> dict[str, float]:
    return {"smax": 1e-30} if isinstance(law, MuscleTissue) else {"L1": 1e-30}


@pytest.mark.parametrize("stretch", [0.5, 0.9, 1.2, 3.0])
def test_ogden_has_its_uniaxial_closed_form(stretch):
    """At constant volume P_1 less what the sides give up is sum c/m (l^(m-1) - l^(-m/2-1))."""
    terms, side = ((3e4, 1.3), (2e3, 5.0), (-1e3, -2.0)), stretch**-0.5
    P = stress(Ogden(terms, K=1e9), np.diag([stretch, side, side]))
    wanted = sum(c / m * (stretch ** (m - 1) - stretch ** (-m / 2 - 1)) for c, m in terms)
    assert P[0, 0] - P[1, 1] * side / stretch == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("apart", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1.9e-3, 2.1e-3, 0.1])
def test_the_tangent_by_principal_stretches_is_exact_where_they_are_almost_equal(apart):
    """Ogden with exponents 2 and -2 is Mooney-Rivlin, whose tangent knows no stretches."""
    Q = Rotation.random(2, rng=4).as_matrix()
    F = Q[0] @ np.diag([1.2, 1.2 * (1 + apart), 0.8]) @ Q[1]
    wanted = tangent(MooneyRivlin(c1=7e3, c2=3e3, K=1e6), F)
    H = tangent(Ogden(((2.8e4, 2.0), (1.2e4, -2.0)), K=1e6), F)
    np.testing.assert_allclose(H, wanted, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("apart", [0.0, 1e-13, 1e-7])
def test_all_three_stretches_may_be_equal(apart):
    """Linear elasticity at rest, and no jump beside it."""
    mu, lam = lame(2e5, 0.3)
    H = tangent(Hencky(2e5, 0.3), np.diag([1 + apart, 1.0, 1 - apart]))
    eye = np.eye(3)
    wanted = lam * np.einsum("ij,kl->ijkl", eye, eye)
    wanted += mu * (np.einsum("ik,jl->ijkl", eye, eye) + np.einsum("il,jk->ijkl", eye, eye))
    np.testing.assert_allclose(H, wanted.reshape(9, 9), atol=1e-9 * mu + 10 * apart * (mu + lam))


@pytest.mark.parametrize(
    "made", [NeoHookean, MooneyRivlin, MuscleTissue, TendonTissue, Ogden, Hencky]
)
def test_an_inversion_is_priced_out_of_reach(made):
    assert energy(made(), np.diag([1.0, 1.0, -1.0])) == 1e40
    assert np.isfinite(stress(made(), np.diag([1.0, 1.0, 0.0]))).all()


@pytest.mark.parametrize(
    ("name", "wrong", "sentence"),
    [
        ("stable_neo_hookean", {"poisson": 0.5}, "poisson is 0.5; it must be above -1 and below"),
        ("neo_hookean", {"poisson": -1.0}, "poisson is -1; it must be above -1 and below 0.5"),
        ("fixed_corotated", {"young": -5.0}, "young is -5; it must be finite and above 0"),
        ("st_venant_kirchhoff", {"young": float("nan")}, "young is nan; it must be finite"),
        ("mooney_rivlin", {"c2": -1.0}, "c2 is -1; it must not be negative"),
        ("hill_fibre", {"width": 0.0}, "width is 0; it must be finite and above 0"),
        ("muscle", {"lam_max": 0.9}, "lam_max is 0.9; it must not be below Lofl (1)"),
        (
            "ogden",
            {"terms": [[1e4]]},
            "terms must be rows of two numbers, a modulus and an exponent",
        ),
        ("ogden", {"terms": [[1e4, 0.0]]}, "an exponent of terms is 0"),
        ("ogden", {"terms": [[-1e4, 2.0]]}, "the moduli of terms sum to -10000"),
        ("tendon", {"lam_max": 0.9}, "lam_max is 0.9; it must not be below 1"),
    ],
)
def test_a_wrong_parameter_is_named_in_a_sentence(name, wrong, sentence):
    with pytest.raises(ModelError) as error:
        find_law(name)(**wrong)
    assert str(error.value).startswith(f"{name}: {sentence}")


def test_an_unknown_law_lists_those_that_exist():
    with pytest.raises(ModelError, match="no law 'rubber'; laws: active_fibre, fixed_corotated"):
        find_law("rubber")


def test_every_law_is_registered_under_its_name_with_defaults():
    assert {law.name: law for law in LAWS.values()} == LAWS
    assert all(np.isfinite(law().parameters()).all() for law in LAWS.values())
