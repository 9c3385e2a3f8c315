"""Energies recorded, differentiated and written out."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.materials import LAWS, Law, cofactor, det, erf, inv, law, maximum, minimum, where
from vastus.numerics.symbolic.graph import Graph
from vastus.numerics.symbolic.trace import trace

F = np.array([[1.1, 0.2, -0.1], [0.05, 0.9, 0.3], [-0.2, 0.1, 1.2]])
D = np.array([0.6, 0.0, 0.8])


def evaluate(energy: Callable[..., Any], arguments: str, **values: float) -> SimpleNamespace:
    """The traced energy, stress and tangent at F, with the energy computed directly as well."""
    names = arguments.split()
    module, P, H = trace(energy, names), np.zeros((3, 3)), np.zeros((9, 9))
    p = np.array(module.parameters(**{k: values[k] for k in names if k not in ("F", "d", "T0")}))
    T0 = values.get("T0", 0.0)
    module.stress(F, D, T0, p, P)
    module.tangent(F, D, T0, p, H)

    def direct(A: np.ndarray) -> float:
        known = {"F": A, "d": D, **values}
        return energy(**{k: known[k] for k in names})

    return SimpleNamespace(psi=module.energy(F, D, T0, p), P=P, H=H, direct=direct, module=module)


def differences(function: Callable[[np.ndarray], float], h: float = 1e-4) -> np.ndarray:
    steps = h * np.eye(9).reshape(9, 3, 3)
    return np.array([(function(F + s) - function(F - s)) / (2 * h) for s in steps])


def polynomial(F, a):
    return a * np.trace(F.T @ F) ** 2 + det(F) ** 3 - np.sum(cofactor(F) ** 2)


def transcendental(F, a):
    x = F[0, 0] + 0.1 * F[1, 2]
    y = 0.3 * np.trace(F) / a
    return np.sqrt(x) * np.log(y + 1) + np.exp(-x) * np.tanh(y) + np.cbrt(y) - np.arctan(x * y)


def powers(F, a):
    x = np.trace(F.T @ F)
    return x**-3 + x ** (-2 / 3) + x**1.5 + x**0.37 + x**a + 2.0**x - x**0


def inverse(F, a):
    return a * np.trace(inv(F)) + np.sum(inv(F) ** 2)


def circular(F, a):
    x = F[0, 1] * F[1, 1]
    return np.sin(x) * np.cos(a * x) + np.tan(x) + np.sinh(x) * np.cosh(x) + np.arcsin(x) * erf(x)


def rarer(F, a):
    x = F[0, 0] * F[1, 1]
    return np.arccosh(x + 1) * np.arccos(x / 3) + np.expm1(x) / np.log1p(x) + abs(a - x)


def chosen(F, a):
    x = det(F)
    return where(x > a, x**2, x**3) + maximum(x, 2.0) * minimum(F[0, 0], 5.0) + where(x >= 0, x, 1)


ENERGIES = [polynomial, transcendental, powers, inverse, circular, rarer, chosen]


@pytest.mark.parametrize("energy", ENERGIES)
def test_a_traced_energy_has_the_value_and_derivatives_of_the_function(energy):
    traced = evaluate(energy, "F a", a=1.3)
    assert traced.psi == pytest.approx(traced.direct(F), rel=1e-13)
    assert (
        np.abs(traced.P.ravel() - differences(traced.direct)).max() < 1e-6 * np.abs(traced.P).max()
    )

    def stress(A: np.ndarray) -> np.ndarray:
        P, p = np.zeros((3, 3)), np.array(traced.module.parameters(1.3))
        traced.module.stress(A, D, 0.0, p, P)
        return P.ravel()

    assert np.abs(traced.H - differences(stress)).max() < 1e-6 * np.abs(traced.H).max()


def test_fibre_and_active_stress_are_arguments():
    def energy(F, d, T0):
        y = F @ d
        return T0 / 2 * (y @ y - 1)

    traced = evaluate(energy, "F d T0", T0=5.0)
    np.testing.assert_allclose(traced.P, 5.0 * np.outer(F @ D, D))


def test_an_untaken_branch_may_be_infinite():
    def energy(F):
        x = F[0, 0] - 1.1  # zero here
        return where(x > 0, np.log(x) * np.sqrt(x), x * x)

    with np.errstate(all="ignore"):
        traced = evaluate(energy, "F")
    assert traced.psi == 0
    assert traced.P[0, 0] == 0
    assert traced.H[0, 0] == pytest.approx(2)


def test_equal_expressions_are_one_node_and_constants_fold():
    graph = Graph()
    x, y = graph.variable("x"), graph.variable("y")
    assert x * y + 1 is y * x + 1
    assert x + 0 is x
    assert x * 1 is x
    assert (x * 0).number == 0
    assert (x - x).number == 0
    assert x + x is 2 * x
    assert (x + 1) - 1 is x
    assert 1 / (1 / x) is x
    assert x**2 is x * x
    assert (graph.constant(4.0) ** 0.5).number == 2
    assert where(x < y, x, x) is x


def test_what_depends_on_parameters_alone_is_not_computed_at_every_point():
    def energy(F, young, poisson):
        return young / (2 * (1 + poisson)) * np.trace(F) ** 2

    module = trace(energy, ["F", "young", "poisson"])
    assert module.parameters(3.0, 0.5)[0] == pytest.approx(1.0)
    assert len(module.parameters(3.0, 0.5)) <= 3


@pytest.mark.parametrize(
    ("energy", "sentence"),
    [
        (lambda F: F[0, 0] if F[0, 0] > 0 else 0 * F[0, 0], "cannot branch on a number"),
        (lambda F: max(F[0, 0], F[1, 1]), "cannot branch on a number"),
        (lambda F: float(F[0, 0]), "plain floats"),
        (lambda F: np.linalg.det(F), "det, inv, where, minimum and maximum of vastus.materials"),
        (lambda F: F[0, 0].bessel(), "cannot be differentiated"),
        (lambda F: F @ F, "returns a ndarray, not one number that depends on F"),
        (lambda F: 3.0, "returns a float, not one number that depends on F"),
    ],
)
def test_a_function_that_cannot_be_traced_is_told_why(energy, sentence):
    with pytest.raises(ModelError, match="law '<lambda>'") as error:
        trace(energy, ["F"])
    assert sentence in str(error.value)


@law
def sample(F, mu=2.0, lam=3.0):
    """A law for the tests below."""
    J = det(F)
    return mu / 2 * (np.trace(F.T @ F) - 3) - mu * np.log(J) + lam / 2 * np.log(J) ** 2


LAWS.pop("sample")  # the law tests are about the package's own


def test_a_decorated_energy_is_a_law_with_its_parameters_as_fields():
    made = sample(mu=5.0)
    assert isinstance(made, Law)
    assert (made.mu, made.lam, made.name) == (5.0, 3.0, "sample")
    assert (made.active, made.fibrous) == (False, False)
    assert made.stiffness() == pytest.approx(5.0)
    assert made == sample(mu=5.0)
    assert sample.__doc__ == "A law for the tests below."
    with pytest.raises(AttributeError):
        made.mu = 1.0


def test_a_decorated_law_can_be_pickled():
    assert pickle.loads(pickle.dumps(sample(lam=7.0))) == sample(lam=7.0)


def test_an_energy_without_deformation_is_refused():
    with pytest.raises(ModelError, match="law 'still' must have an argument named F"):

        @law
        def still(T0):
            return T0
