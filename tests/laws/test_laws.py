"""What every registered material law must satisfy, at random deformations and fibres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from points import Points
from scipy.spatial.transform import Rotation

from vastus.materials import LAWS, ActiveFibre, Law, PointLaw, StableNeoHookean, det, law
from vastus.materials.base import find_law
from vastus.numerics.jit import point
from vastus.numerics.psd import project_psd

STEP = 1e-5
TENSIONS = (0.0, 3e5)
NAMES = tuple(LAWS)


def deformations(count: int = 12, seed: int = 3) -> np.ndarray:
    """Random deformation gradients with determinant between 0.5 and 2."""
    rng = np.random.default_rng(seed)
    F = np.eye(3) + 0.25 * rng.standard_normal((40 * count, 3, 3))
    J = np.linalg.det(F)
    return F[(J > 0.5) & (J < 2)][:count]


def near_rest(count: int = 6, seed: int = 5) -> np.ndarray:
    """Small strains. The slack fibre of a tissue becomes taut at stretch 1, where its tangent has a
    step: states whose fibre is so close to it that differences would straddle it are left out.
    """
    F = np.eye(3) + 1e-2 * np.random.default_rng(seed).standard_normal((10 * count, 3, 3))
    stretch = np.linalg.norm(F @ fibre(), axis=1) / np.cbrt(np.linalg.det(F))
    return F[np.abs(stretch - 1) > 10 * STEP][:count]


def fibre(seed: int = 7) -> np.ndarray:
    d = np.random.default_rng(seed).standard_normal(3)
    return d / np.linalg.norm(d)


def points_of(name: str, T0: float = 0.0) -> Points:
    return Points(find_law(name)(), fibre(), T0)


def slope(function: Any, F: np.ndarray) -> np.ndarray:
    """(m, ..., 9) fourth-order central differences of a function of F (m, 3, 3)."""
    columns = []
    for i in range(9):
        D = np.zeros((3, 3))
        D.flat[i] = STEP
        near, far = function(F + D) - function(F - D), function(F + 2 * D) - function(F - 2 * D)
        columns.append((8 * near - far) / (12 * STEP))
    return np.stack(columns, axis=-1)


def derivative_errors(points: Points, F: np.ndarray) -> tuple[float, float]:
    """How far stress and tangent are from finite differences, relative to the tangent's size."""
    P, H = points.stress(F), points.tangent(F)
    scale = max(np.abs(H).max(), 1e-300)
    stress = np.abs(slope(points.energy, F) - P.reshape(-1, 9)).max()
    tangent = np.abs(slope(points.stress, F).reshape(-1, 9, 9) - H).max()
    return stress / max(np.abs(P).max(), 1e-3 * scale), tangent / scale


@pytest.mark.parametrize("T0", TENSIONS)
@pytest.mark.parametrize("F", [deformations(), near_rest()], ids=["large", "small"])
@pytest.mark.parametrize("name", NAMES)
def test_stress_and_tangent_are_the_derivatives_of_the_energy(name, F, T0):
    stress, tangent = derivative_errors(points_of(name, T0), F)
    assert stress < 1e-6
    assert tangent < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_the_tangent_is_symmetric(name):
    H = points_of(name, 3e5).tangent(deformations())
    assert np.abs(H - np.swapaxes(H, 1, 2)).max() <= 1e-12 * np.abs(H).max()


@pytest.mark.parametrize("T0", TENSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_a_rotation_of_the_whole_changes_nothing(name, T0):
    points, F = points_of(name, T0), deformations()
    Q = Rotation.random(len(F), rng=1).as_matrix()
    psi, P = points.energy(F), points.stress(F)
    np.testing.assert_allclose(points.energy(Q @ F), psi, rtol=1e-9, atol=1e-9 * np.abs(psi).max())
    error = np.abs(points.stress(Q @ F) - Q @ P).max()
    assert error <= 1e-9 * np.abs(points.tangent(F)).max()


@pytest.mark.parametrize("name", NAMES)
def test_there_is_no_energy_or_stress_at_rest_without_activation(name):
    points, rest = points_of(name), np.eye(3)[None]
    scale = max(np.abs(points.tangent(rest)).max(), 1.0)
    assert np.isfinite(scale)
    assert abs(points.energy(rest)[0]) <= 1e-13 * scale
    assert np.abs(points.stress(rest)).max() <= 1e-13 * scale


@pytest.mark.parametrize("name", [n for n in NAMES if not LAWS[n].fibrous])
def test_a_law_without_fibres_is_isotropic(name):
    points, F = points_of(name), deformations()
    Q = Rotation.random(len(F), rng=2).as_matrix()
    psi = points.energy(F)
    np.testing.assert_allclose(points.energy(F @ Q), psi, rtol=1e-9, atol=1e-9 * np.abs(psi).max())


@pytest.mark.parametrize("name", NAMES)
def test_only_a_law_that_says_so_depends_on_fibre_and_activation(name):
    made, F = find_law(name)(), deformations()
    psi = Points(made, fibre(7), 1e5).energy(F)
    assert (made.active) == bool(np.any(Points(made, fibre(7), 2e5).energy(F) != psi))
    assert (made.fibrous) == bool(np.any(Points(made, fibre(8), 1e5).energy(F) != psi))


@pytest.mark.parametrize("name", NAMES)
def test_the_projected_tangent_is_positive_and_as_near_as_can_be(name):
    H = points_of(name, 3e5).tangent(deformations())
    projected = H.copy()
    project_psd(projected)
    values, scale = np.linalg.eigvalsh(H), np.abs(H).max()
    assert np.linalg.eigvalsh(projected).min() >= -1e-12 * scale
    good = values.min(axis=1) > 1e-9 * scale
    np.testing.assert_array_equal(projected[good], H[good])
    distance = np.linalg.norm(projected - H, axis=(1, 2))
    nearest = np.linalg.norm(np.minimum(values, 0), axis=1)
    np.testing.assert_allclose(distance, nearest, atol=1e-10 * scale)


@pytest.mark.parametrize("name", NAMES)
def test_a_law_is_finite_or_priced_when_inverted(name):
    F = np.diag([1.0, 0.9, -0.8])[None]
    points = points_of(name, 3e5)
    assert np.isfinite(points.energy(F)).all()
    assert np.isfinite(points.stress(F)).all()
    assert np.isfinite(points.tangent(F)).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_stiffness_is_that_of_a_small_shear_across_the_fibre(name):
    made = find_law(name)()
    F = np.eye(3)[None] + np.zeros((1, 3, 3))
    F[0, 1, 2] = 1e-5
    P = Points(made, np.array([1.0, 0.0, 0.0])).stress(F)
    assert made.stiffness() == pytest.approx(P[0, 1, 2] / 1e-5, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_a_law_is_the_sum_of_what_it_is_split_into(name):
    whole, F = find_law(name)(), deformations()
    soft, bulk = whole.split()
    assert whole.knows_bulk == (bulk is not None)
    psi = Points(soft, fibre(), 3e5).energy(F)
    if bulk is None:
        assert soft is whole
    else:
        assert bulk.modulus > 0
        psi = psi + bulk.at(np.linalg.det(F))[0]
    wanted = Points(whole, fibre(), 3e5).energy(F)
    np.testing.assert_allclose(psi, wanted, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("name", NAMES)
def test_a_compressible_law_is_split_only_once(name):
    soft, _ = find_law(name)().split()
    again, bulk = soft.split()
    np.testing.assert_allclose(again.parameters(), soft.parameters(), rtol=1e-12)
    assert bulk is None or bulk.modulus < 1e-9 * soft.stiffness()


@point
def _twice_the_stress(F: Any, d: Any, T0: float, p: Any, P: Any) -> None:
    for r in range(3):
        for c in range(3):
            P[r, c] += 2.0 * T0 * d[c] * (F[r, 0] * d[0] + F[r, 1] * d[1] + F[r, 2] * d[2])


@dataclass(frozen=True)
class FactorTwoError(Law):
    name: ClassVar[str] = "factor_two_error"
    point: ClassVar[PointLaw] = PointLaw(
        ActiveFibre.point.energy, _twice_the_stress, ActiveFibre.point.tangent
    )


def test_a_wrong_stress_is_caught():
    stress, tangent = derivative_errors(Points(FactorTwoError(), fibre(), 3e5), deformations())
    assert stress > 0.1
    assert tangent > 0.1


def test_a_users_energy_equals_the_built_in_law():
    @law
    def users_own(F, mu=1.0, lam=1.0, a=1.0):
        I1, J = np.trace(F.T @ F), det(F)
        elastic = mu / 2 * (I1 - 3) + lam / 2 * ((J - a) ** 2 - (1 - a) ** 2)
        return elastic - mu / 2 * np.log((I1 + 1) / 4)

    LAWS.pop("users_own")
    written = StableNeoHookean(young=3e5, poisson=0.45)
    first = Points(written, fibre())
    second = Points(users_own(*written.parameters()), fibre())
    for F in (deformations(), near_rest()):
        for quantity in ("energy", "stress", "tangent"):
            a, b = getattr(first, quantity)(F), getattr(second, quantity)(F)
            assert np.abs(a - b).max() <= 1e-8 * np.abs(a).max()
