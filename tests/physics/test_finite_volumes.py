"""Forces by finite volumes: those of elements, for every law, at the cost that is claimed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from builders import box, shaken, solid
from vastus.energies.elastic import Elastic
from vastus.energies.energy import Forces
from vastus.energies.finite_volumes import forms
from vastus.energies.finite_volumes.forces import FiniteVolumes, Form
from vastus.energies.viscosity import Viscosity, green
from vastus.materials import LAWS, NeoHookean
from vastus.materials.base import find_law
from vastus.numerics.sparse import Scatter
from vastus.numerics.types import Floats
from vastus.solvers.problem import Configuration, Problem, Reduction


class Counted:
    """A number that counts the multiplications and additions it takes part in."""

    counts: dict[str, int] = {}  # noqa: RUF012  (of all numbers)

    def __init__(self, value: float) -> None:
        self.value = value

    def _made(self, what: str, value: float) -> Counted:
        Counted.counts[what] = Counted.counts.get(what, 0) + 1
        return Counted(value)

    def __mul__(self, other: Any) -> Counted:
        return self._made("times", self.value * getattr(other, "value", other))

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Counted:
        return self._made("plus", self.value + getattr(other, "value", other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Counted:
        return self._made("plus", self.value - getattr(other, "value", other))

    def __neg__(self) -> Counted:
        return Counted(-self.value)


def counted(rows: Floats) -> Any:
    """(k, 1) numbers that count."""
    Counted.counts = {}
    return np.array([[Counted(v)] for v in rows], object)


def plain(rows: Any) -> Floats:
    return np.array([row[0].value for row in rows])


RNG = np.random.default_rng(5)
REST = np.eye(3) + 0.2 * RNG.normal(size=(3, 3))  # Dm, edges in columns
PLACED = np.eye(3) + 0.2 * RNG.normal(size=(3, 3))  # Ds
STRESS = (lambda A: A + A.T)(RNG.normal(size=(3, 3)))
SIX = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))


def test_a_second_piola_stress_costs_54_multiplications_and_42_additions() -> None:
    """G = F S Bm, and the last corner by the sum of the others."""
    V = np.linalg.det(REST) / 6
    F, B = PLACED @ np.linalg.inv(REST), V * np.linalg.inv(REST).T
    S = np.array([STRESS[i] for i in SIX])
    empty = np.zeros(9)
    numbers = [counted(a) for a in (F.ravel(), S, B.T.ravel(), empty, empty)]
    forms.first_piola(numbers[0], numbers[1], 0, numbers[3])
    forms.pushes(numbers[3], numbers[2], 0, numbers[4])
    last = [forms.last_push(numbers[4], r, 0) for r in range(3)]
    assert Counted.counts == {"times": 54, "plus": 42}
    right = F @ STRESS @ B
    assert plain(numbers[4]) == pytest.approx(right.T.ravel())
    assert [value.value for value in last] == pytest.approx(-right.sum(axis=1))


def test_a_cauchy_stress_costs_27_and_27_multiplications_and_nothing_stored() -> None:
    """G = sigma Bs with Bs = v Ds^-T from the edges as they are."""
    empty = np.zeros(9)
    E, sigma, B, H = (counted(a) for a in (PLACED.T.ravel(), STRESS.ravel(), empty, empty))
    forms.faces(E, 0, B)
    assert Counted.counts["times"] == 27
    assert Counted.counts["plus"] <= 21
    forms.pushes(sigma, B, 0, H)
    assert Counted.counts["times"] == 54
    [forms.last_push(H, r, 0) for r in range(3)]
    assert Counted.counts["plus"] <= 45
    v = np.linalg.det(PLACED) / 6
    assert plain(H) == pytest.approx((STRESS @ (v * np.linalg.inv(PLACED).T)).T.ravel())


def test_strain_is_the_change_of_the_dot_products_of_edges() -> None:
    """Dm^T G Dm = (Ds^T Ds - Dm^T Dm)/2."""
    V = np.linalg.det(REST) / 6
    B = np.append((V * np.linalg.inv(REST).T).T.ravel(), 1 / V)
    G = np.zeros((6, 1))
    forms.strain(PLACED.T.reshape(9, 1).copy(), B.reshape(10, 1), 0, G)
    full = np.zeros((3, 3))
    for (i, j), value in zip(SIX, G[:, 0], strict=True):
        full[i, j] = full[j, i] = value
    dots = (PLACED.T @ PLACED - REST.T @ REST) / 2
    assert REST.T @ full @ REST == pytest.approx(dots, abs=1e-14)


MESH = shaken(box((5, 4, 3), (0.05, 0.04, 0.03)), 1e-3)
X = MESH.X + 6e-4 * np.random.default_rng(1).normal(size=MESH.X.shape)


@pytest.mark.parametrize("name", tuple(LAWS))
def test_forces_are_those_of_elements_for_every_law(name: str) -> None:
    model = solid(MESH, (find_law(name)(),))
    elastic, tension = Elastic(model), np.full(MESH.n_tets, 2e4)
    scatter = Scatter.of(elastic.T, MESH.n_vertices)
    right = scatter.gather(elastic.respond(X, tension).forces)
    for form in Form:
        f = FiniteVolumes(model, elastic, form).forces(X, tension)
        assert np.abs(f - right).max() < 1e-11 * np.abs(right).max()


def test_viscous_forces_are_those_of_a_short_implicit_step() -> None:
    """G = 2 eta F G' Bm, against the incremental potential of `Dynamic`."""
    problem = Problem(solid(MESH, (NeoHookean(1e5, 0.4),)), Reduction())
    v, eta, h = RNG.normal(size=X.shape), np.linspace(1.0, 2.0, MESH.n_tets), 1e-8
    elastic = problem.elastic
    volumes = FiniteVolumes(problem.model, elastic)
    f = volumes.viscous(volumes.viscosity(eta), X, v)
    ends = [green(elastic.deformation(X + side * h / 2 * v)) for side in (-1, 1)]
    rate = (ends[1] - ends[0]) / h
    still = green(elastic.deformation(X)) - rate
    none = np.zeros((0, 3))
    forces = Forces(np.zeros_like(X), none, np.zeros((0, 3, 3)), none, np.zeros(0))
    viscosity = Viscosity(elastic, problem.scatter, eta, still, 1.0)
    viscosity.add_forces(Configuration(problem, X, np.zeros((0, 3, 4))), forces)
    assert np.abs(f - forces.nodes).max() < 1e-6 * np.abs(f).max()
